#pragma once
// One copy of a deployment: ranks that step together (attention data parallelism), in as many micro-batches as there are
// pipeline stages, behind one front end.

#include <cstdint>
#include <optional>
#include <vector>

#include "simulate/answer/samples.hpp"
#include "simulate/engine/rank.hpp"
#include "simulate/engine/step_time.hpp"

namespace ridge::simulate {

/// What a server that has just been started takes longer: the first step with a prompt, and every step with more tokens of
/// prompts than any before for each of those that it has more. Libraries are loaded, kernels are chosen, buffers grow.
struct FreshServer {
  Nanoseconds time = 0;
  std::int64_t token_picoseconds = 0;

  bool any() const { return time > 0 || token_picoseconds > 0; }
};

struct ReplicaSetup {
  SchedulerRules rules;
  RankLimits limits;
  std::int32_t groups = 1;  // that step together
  std::int32_t stages = 1;  // of a pipeline
  FrontEnd front;
  StepTime time;
  FreshServer fresh;           // where the server has just been started
  Nanoseconds cold_start = 0;  // from being there to the first step: weights, compilation
};

/// What happened at the end of a step.
struct StepNews {
  std::vector<Slot> first_tokens, finished;
  struct Gap {
    Nanoseconds span;
    std::int64_t count;
  };
  std::vector<Gap> gaps;  // between two tokens of a request

  void clear() {
    first_tokens.clear();
    finished.clear();
    gaps.clear();
  }
};

class Replica {
 public:
  Replica(const ReplicaSetup& setup, LiveRequests& live);

  bool holds(const Request& request) const { return batches_.front().ranks.front().holds(request); }
  /// When a request that comes now is through the front end.
  Nanoseconds through_front(const Request& request, Nanoseconds now);
  /// To the rank with the least to do. The micro-batch it is in, which may have to be started.
  std::int32_t enqueue(Slot slot);

  /// Ends the micro-batch's step, if one is under way; with the spans between tokens, where somebody asks for them in this
  /// and every other step.
  void end_step(std::int32_t batch, Nanoseconds now, StepNews& news, bool gaps = true);
  /// Starts its next step; when it ends, or nothing where there is nothing to do or one is under way.
  std::optional<Nanoseconds> start_step(std::int32_t batch, Nanoseconds now);
  /// When a micro-batch with nothing to do now will have something, since context comes from a tier.
  std::optional<Nanoseconds> fetched_at(std::int32_t batch) const;
  /// The clock starts again: now is 0. Nothing may be under way.
  void rebase(Nanoseconds now);
  bool busy(std::int32_t batch) const { return batches_[static_cast<std::size_t>(batch)].under_way; }

  /// What it holds now, of all ranks.
  struct Held {
    std::int64_t running = 0, waiting = 0;  // requests
    std::int64_t blocks = 0;                // of the KV cache, in use
  };
  const Held& held() const { return held_; }
  std::int64_t blocks() const;
  RankCounts counts() const;
  Nanoseconds busy_time() const { return busy_time_; }  // of its first stage
  std::int64_t steps() const { return steps_; }
  const std::vector<StepWork>& work(std::int32_t batch) const { return batches_[static_cast<std::size_t>(batch)].work; }

 private:
  struct Since {  // requests whose last token came then
    Nanoseconds at;
    std::int64_t count;
  };
  struct Tokens {  // of one rank's decodes: when those that go on got their last one
    Nanoseconds decoded = 0;
    std::vector<Since> fresh;
  };
  struct MicroBatch {
    std::vector<Rank> ranks;
    std::vector<RankStep> current, next;
    std::vector<StepWork> work;
    std::vector<Tokens> tokens;
    bool under_way = false, composed = false;
    std::int32_t waited = 0, ready_for = 0;  // steps that prompts waited for other ranks', and since all had one
  };

  struct Place {  // of a rank
    std::size_t batch = 0, rank = 0;

    bool operator==(const Place&) const = default;
  };
  Place after(Place place) const;  // in turn
  /// Does something to a rank, which may then hold something else.
  template <class Change>
  void changed(Rank& rank, const Change& change);

  void tell_gaps(const RankStep& step, Tokens& tokens, Nanoseconds now, StepNews& news);
  bool prompts_may_run(MicroBatch& batch) const;
  Nanoseconds fresh_time(const std::vector<StepWork>& work);
  bool compose(MicroBatch& batch, Nanoseconds now, std::vector<RankStep>& steps);

  ReplicaSetup setup_;
  LiveRequests* live_;
  Held held_;
  std::vector<MicroBatch> batches_;
  std::vector<Nanoseconds> stage_free_;
  Nanoseconds front_free_ = 0, busy_time_ = 0;
  std::int64_t steps_ = 0;
  std::int64_t most_tokens_ = 0;  // of prompts in a step so far, of one rank
  Place turn_;
};

}  // namespace ridge::simulate
