#include "train/schedule/kind.hpp"

#include <string>

namespace ridge::train {

namespace {

struct KindRow {
  std::string_view word, name;
  bool splits_backward;
  int parameter_copies, fixed_chunks;
};

constexpr std::array<KindRow, kScheduleKinds.size()> kKindRows = {{{"gpipe", "GPipe", false, 1, 1},
                                                                   {"1f1b", "1F1B", false, 1, 1},
                                                                   {"interleaved", "interleaved 1F1B", false, 1, 0},
                                                                   {"zb-h1", "ZB-H1", true, 1, 1},
                                                                   {"zb-h2", "ZB-H2", true, 1, 1},
                                                                   {"zb-v", "ZB-V", true, 1, 2},
                                                                   {"dualpipe", "DualPipe", true, 2, 2},
                                                                   {"dualpipev", "DualPipeV", true, 1, 2},
                                                                   {"inference", "inference", false, 1, 1}}};

constexpr const KindRow& kind_row(ScheduleKind kind) { return kKindRows[static_cast<std::size_t>(kind)]; }

/// Letters and digits alone, small: "ZB-V", "zb_v" and "zbv" are one word.
std::string bare_word(std::string_view word) {
  std::string bare;
  for (const char letter : word) {
    if (letter >= 'A' && letter <= 'Z') {
      bare += static_cast<char>(letter - 'A' + 'a');
    } else if ((letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9')) {
      bare += letter;
    }
  }
  return bare;
}

struct OtherWord {
  std::string_view word;
  ScheduleKind kind;
};
constexpr std::array kOtherWords = {OtherWord{"interleaved1f1b", ScheduleKind::interleaved},
                                    OtherWord{"vpp", ScheduleKind::interleaved},
                                    OtherWord{"zb1p", ScheduleKind::zb_h1},
                                    OtherWord{"zb2p", ScheduleKind::zb_h2},
                                    OtherWord{"zbvzerobubble", ScheduleKind::zb_v},
                                    OtherWord{"forward", ScheduleKind::inference}};

}  // namespace

std::string_view word_of(ScheduleKind kind) { return kind_row(kind).word; }
std::string_view name_of(ScheduleKind kind) { return kind_row(kind).name; }
bool splits_backward(ScheduleKind kind) { return kind_row(kind).splits_backward; }
int parameter_copies(ScheduleKind kind) { return kind_row(kind).parameter_copies; }
int fixed_chunks(ScheduleKind kind) { return kind_row(kind).fixed_chunks; }

std::optional<ScheduleKind> schedule_kind(std::string_view word) {
  const std::string bare = bare_word(word);
  for (const ScheduleKind kind : kScheduleKinds) {
    if (bare == bare_word(word_of(kind))) return kind;
  }
  for (const OtherWord& other : kOtherWords) {
    if (bare == other.word) return other.kind;
  }
  return std::nullopt;
}

}  // namespace ridge::train
