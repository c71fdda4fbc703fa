#pragma once
// The pipeline schedules there are, and where each puts a model's stages.
// docs/theory/schedules.md has their orders, bubbles and sources.

#include <array>
#include <optional>
#include <string_view>

namespace ridge::train {

enum class ScheduleKind { gpipe, one_f_one_b, interleaved, zb_h1, zb_h2, zb_v, dualpipe, dualpipev, inference };

inline constexpr std::array kScheduleKinds = {
    ScheduleKind::gpipe,    ScheduleKind::one_f_one_b, ScheduleKind::interleaved,
    ScheduleKind::zb_h1,    ScheduleKind::zb_h2,       ScheduleKind::zb_v,
    ScheduleKind::dualpipe, ScheduleKind::dualpipev,   ScheduleKind::inference};

/// The word a question has for it ("1f1b", "zb-h1"), and the name as its authors write it ("1F1B", "ZB-H1").
std::string_view word_of(ScheduleKind kind);
std::string_view name_of(ScheduleKind kind);
/// The kind of a word, however it is written ("1F1B", "zbv", "ZB-V"); none if nobody calls one so.
std::optional<ScheduleKind> schedule_kind(std::string_view word);

/// Whether a schedule has the weight gradient as an operation of its own, apart from the input gradient.
bool splits_backward(ScheduleKind kind);
/// Whether ranks run a forward and a backward together, each one's messages behind the other's kernels.
constexpr bool has_pairs(ScheduleKind kind) {
  return kind == ScheduleKind::dualpipe || kind == ScheduleKind::dualpipev;
}
/// Copies of the model's parameters over all ranks: DualPipe keeps two.
int parameter_copies(ScheduleKind kind);
/// The chunks a rank must have; 0 where the question chooses (interleaved).
int fixed_chunks(ScheduleKind kind);

/// A pipeline before any time: which schedule, over how many ranks, with how many micro-batches and chunks a rank.
struct PipelineShape {
  ScheduleKind kind = ScheduleKind::one_f_one_b;
  int ranks = 1;         // p
  int microbatches = 1;  // m, of one optimizer step
  int chunks = 1;        // v, model chunks on a rank; for DualPipe its two directions

  bool operator==(const PipelineShape&) const = default;

  /// Stages of the model: every micro-batch passes all of them. DualPipe has each on two ranks.
  constexpr int stages() const { return kind == ScheduleKind::dualpipe ? ranks : ranks * chunks; }
  /// The stage that a rank's chunk is: round by round (interleaved), down and up again (the V of ZB-V and DualPipeV), or
  /// from both ends (DualPipe).
  constexpr int stage_of(int rank, int chunk) const {
    switch (kind) {
      case ScheduleKind::zb_v:
      case ScheduleKind::dualpipev:
        return chunk == 0 ? rank : 2 * ranks - 1 - rank;
      case ScheduleKind::dualpipe:
        return chunk == 0 ? rank : ranks - 1 - rank;
      default:
        return chunk * ranks + rank;
    }
  }
  /// The rank that a stage is on; of DualPipe's two the one of the first direction.
  constexpr int rank_of(int stage) const {
    const bool turns = kind == ScheduleKind::zb_v || kind == ScheduleKind::dualpipev;
    return turns && stage >= ranks ? 2 * ranks - 1 - stage : stage % ranks;
  }
  /// What a live chunk is of a live micro-batch on an even pipeline of as many ranks: 1 / v, and 1 for DualPipe.
  constexpr double chunk_share() const { return kind == ScheduleKind::dualpipe ? 1 : 1.0 / chunks; }
};

}  // namespace ridge::train
