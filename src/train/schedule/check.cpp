// What a schedule cannot take, and the nearest values that it can.

#include <algorithm>
#include <string>

#include "base/text/field_text.hpp"
#include "base/text/text.hpp"
#include "train/schedule/schedule.hpp"

namespace ridge::train {

namespace {

constexpr int kMostRanks = 4096, kMostChunks = 64, kMostMicrobatches = 1'000'000;
constexpr double kMostOperations = 2e7;
constexpr double kLongest = 4e18;  // nanoseconds that are added without overflow

std::string shown_count(double count) { return with_commas(count); }

std::string whole_text(std::int64_t count) { return std::to_string(count); }

/// "10 or 12", or one of them where the other is out of bounds.
std::string either(std::string_view name, std::int64_t lower, std::int64_t higher, std::int64_t least) {
  const std::string high = field(name, whole_text(higher));
  return lower < least || lower == higher ? "the nearest is " + high
                                          : "the nearest are " + field(name, whole_text(lower)) + " and " + high;
}

void check_interleaved(const PipelineShape& shape, Errors& errors) {
  const int p = shape.ranks, m = shape.microbatches;
  if (shape.chunks < 2) {
    errors.push_back({"chunks",
                      "the interleaved schedule needs two chunks a rank or more, not " + whole_text(shape.chunks),
                      "give " + field("chunks", "2") + "; 1f1b is the schedule with one"});
  }
  if (m % p != 0) {
    errors.push_back({"microbatches",
                      whole_text(m) + " micro-batches are no multiple of " + whole_text(p) +
                          " stages, and the interleaved schedule sends them in groups of that many",
                      either("microbatches", m / p * p, (m / p + 1) * p, p)});
  }
}

void check_dualpipe(const PipelineShape& shape, Errors& errors) {
  const int p = shape.ranks, m = shape.microbatches;
  if (p % 2 != 0) {
    errors.push_back({"stages", "DualPipe starts from both ends over pairs of ranks, and " + whole_text(p) + " is odd",
                      either("stages", p - 1, p + 1, 2)});
    return;
  }
  if (m < 2 * p) {
    errors.push_back({"microbatches",
                      whole_text(m) + " micro-batches do not fill DualPipe's two directions: it takes " +
                          whole_text(2 * p) + " or more over " + whole_text(p) + " stages",
                      "the nearest is " + field("microbatches", whole_text(2 * p))});
  } else if (m % 2 != 0) {
    errors.push_back({"microbatches",
                      "DualPipe has half of the micro-batches in each direction, and " + whole_text(m) + " is odd",
                      either("microbatches", m - 1, m + 1, 2 * p)});
  }
}

void check_chunks(const PipelineShape& shape, Errors& errors) {
  const int fixed = fixed_chunks(shape.kind);
  if (fixed == 0 || shape.chunks == fixed) return;
  errors.push_back({"chunks",
                    std::string(name_of(shape.kind)) + " has " + (fixed == 1 ? "one chunk" : "two chunks") +
                        " on each rank, not " + whole_text(shape.chunks),
                    "give " + field("chunks", whole_text(fixed)) + ", or ask for the interleaved schedule"});
}

void check_bounds(const PipelineShape& shape, Errors& errors) {
  const auto between = [&](std::string_view name, int value, int most, std::string_view what) {
    if (value >= 1 && value <= most) return;
    errors.push_back({std::string(name), whole_text(value) + " " + std::string(what) + " are no pipeline",
                      "the nearest is " + field(name, whole_text(std::clamp(value, 1, most)))});
  };
  between("stages", shape.ranks, kMostRanks, "stages");
  between("microbatches", shape.microbatches, kMostMicrobatches, "micro-batches");
  between("chunks", shape.chunks, kMostChunks, "chunks");
}

/// Every time that is there, as a sum that must not overflow; and none below zero.
void check_stage_times(const PipelineShape& shape, const StageTimes& times, int tokens, Errors& errors) {
  const int stages = shape.stages();
  if (times.stages.size() != 1 && times.stages.size() != static_cast<std::size_t>(stages)) {
    errors.push_back({"forward",
                      whole_text(static_cast<std::int64_t>(times.stages.size())) + " times are given for " +
                          whole_text(stages) + " model stages",
                      "give one for each stage, or a single one for all"});
    return;
  }
  double longest = 0;
  for (const StageTime& time : times.stages) {
    if (time.forward < 0 || time.input_gradient < 0 || time.weight_gradient < 0) {
      errors.push_back({"forward", "a stage takes less than no time", "times are 0 or more"});
      return;
    }
    const auto beyond = [](const ExchangeTime& exchange, Nanoseconds pass) {
      return exchange.shown < 0 || exchange.sent < 0 || exchange.shown > pass;
    };
    if (beyond(time.forward_exchange, time.forward) || beyond(time.backward_exchange, time.input_gradient)) {
      errors.push_back({"forward", "more exchange shows in a pass than the pass takes", "it is a part of its pass"});
      return;
    }
    const double sum = static_cast<double>(time.forward) + static_cast<double>(time.input_gradient) +
                       static_cast<double>(time.weight_gradient) + static_cast<double>(time.forward_exchange.sent) +
                       static_cast<double>(time.backward_exchange.sent);
    longest = std::max(longest, sum);
  }
  if (times.hop < 0) errors.push_back({"hop", "a hop takes less than no time", "times are 0 or more"});
  double most_jitter = 0;
  for (const std::int32_t jitter : times.jitter_millionths) {
    most_jitter = std::max(most_jitter, static_cast<double>(jitter) * 1e-6);
  }
  const double stretched =
      longest * (1 + most_jitter) * std::max(1.0, static_cast<double>(times.pair_millionths) * 1e-6);
  const double operations = static_cast<double>(stages) * shape.microbatches * tokens;
  if (operations * (stretched + 2 * static_cast<double>(times.hop)) > kLongest) {
    errors.push_back(
        {"forward", "the times of all stages and micro-batches add up to more than 120 years", "give shorter ones"});
  }
}

void check_jitter(const PipelineShape& shape, const StageTimes& times, Errors& errors) {
  const auto& jitter = times.jitter_millionths;
  const auto m = static_cast<std::size_t>(shape.microbatches);
  const auto stages = static_cast<std::size_t>(shape.stages());
  if (!jitter.empty() && jitter.size() != m && jitter.size() != m * stages) {
    errors.push_back({"jitter", whole_text(static_cast<std::int64_t>(jitter.size())) + " changes are given",
                      "give one for each micro-batch, or for each micro-batch and stage"});
  }
  if (std::any_of(jitter.begin(), jitter.end(), [](std::int32_t value) { return value < -1'000'000; })) {
    errors.push_back({"jitter", "an operation that takes less than no time", "give -100% or more"});
  }
  const std::int64_t pair = times.pair_millionths;
  if (pair < 0 || pair > 10'000'000) {
    errors.push_back({"pair", "a forward and a backward that run together take 0 to 10 times as long as apart",
                      "give 1 where they do not help each other"});
  }
}

}  // namespace

Errors check(const PipelineShape& shape) {
  Errors errors;
  check_bounds(shape, errors);
  if (!errors.empty()) return errors;
  const double operations = static_cast<double>(shape.ranks) * shape.microbatches * shape.chunks * 3;
  if (operations > kMostOperations) {
    const auto most = static_cast<int>(kMostOperations / (3.0 * shape.ranks * shape.chunks));
    errors.push_back({"microbatches",
                      shown_count(operations) + " operations are more than the " + shown_count(kMostOperations) +
                          " that are simulated",
                      "fewer micro-batches show the same bubble: the most are " +
                          field("microbatches", whole_text(std::max(1, most)))});
    return errors;
  }
  check_chunks(shape, errors);
  if (shape.kind == ScheduleKind::interleaved) check_interleaved(shape, errors);
  if (shape.kind == ScheduleKind::dualpipe) check_dualpipe(shape, errors);
  if (shape.kind == ScheduleKind::dualpipev && shape.microbatches < 2 * shape.ranks) {
    errors.push_back({"microbatches",
                      whole_text(shape.microbatches) + " micro-batches do not fill DualPipeV: it takes " +
                          whole_text(2 * shape.ranks) + " or more over " + whole_text(shape.ranks) + " ranks",
                      "the nearest is " + field("microbatches", whole_text(2 * shape.ranks))});
  }
  return errors;
}

Errors check(const ScheduleQuestion& question) {
  Errors errors = check(question.shape);
  return errors.empty() ? check(question.shape, question.times, question.tokens) : errors;
}

Errors check(const PipelineShape& shape, const StageTimes& times, int tokens) {
  Errors errors;
  const int most_tokens = static_cast<int>(kMostOperations / (3.0 * shape.ranks * shape.microbatches));
  if (tokens < 1 || (tokens > 1 && shape.kind != ScheduleKind::inference)) {
    errors.push_back({"tokens", "a training step passes each micro-batch once, not " + whole_text(tokens) + " times",
                      "leave " + field("tokens") + " out, or ask for inference"});
  } else if (tokens > std::max(1, most_tokens)) {
    errors.push_back({"tokens", whole_text(tokens) + " tokens are more operations than are simulated",
                      "give " + field("tokens", whole_text(std::max(1, most_tokens))) + " or fewer"});
  }
  check_jitter(shape, times, errors);
  if (errors.empty()) check_stage_times(shape, times, tokens, errors);
  return errors;
}

}  // namespace ridge::train
