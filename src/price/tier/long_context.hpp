#pragma once
// What a token costs as the context grows, for models side by side, and what one very long session takes.

#include <string>
#include <vector>

#include "roofline/answer.hpp"

namespace ridge {

struct LongContextQuestion {
  std::vector<Scenario> scenarios;  // one a model
  Tokens<double> from{1e3}, to{1e8};
  int per_decade = 4;  // points
  Tokens<double> session{1e8};
};

/// One context: as many machines as one sequence needs, filled with as many sequences as their memory holds.
struct LongContextPoint {
  Tokens<double> context{};
  Ratio<double> chips{}, batch{};
  Seconds<double> weights_time{}, context_time{}, compute_time{}, step_time{};
  DollarsPerToken<double> cost{};
};

/// One sequence by itself on the machines that hold it.
struct LongSession {
  Tokens<double> context{};
  Bytes<double> stored{}, read{};  // kept, and read for every token
  Ratio<double> machines{}, chips{}, chips_needed{};
  Seconds<double> prefill_time{}, token_time{};
  Dollars<double> prefill_cost{};
  DollarsPerToken<double> token_cost{};
  DollarsPerSecond<double> hold_cost{};  // of its share of the memory
};

struct LongContextModel {
  ResolvedCase resolved;
  std::string kind;  // of attention, in a few words
  std::vector<LongContextPoint> points;
  Tokens<double> balance{};  // where reading it takes as long as computing the weights; unbounded: never
  Tokens<double> doubles{};  // where a token costs twice what it costs at the start; unbounded: not within the range
  LongSession session;
};

struct LongContextAnswer {
  LongContextQuestion question;
  Ratio<double> mfu{};  // while prompts are computed
  std::vector<LongContextModel> models;
  std::vector<std::string> notes;
};

Result<LongContextAnswer> answer_long_context(const LongContextQuestion& question, const Library& library);

}  // namespace ridge
