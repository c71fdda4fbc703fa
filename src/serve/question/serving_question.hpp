#pragma once
// The operator's question: this model on these chips, laid out so, under this load.

#include <optional>
#include <string>

#include "layout/layout.hpp"
#include "library/engines.hpp"
#include "roofline/scenario.hpp"
#include "serve/step/steady.hpp"

namespace ridge {

/// Requests in flight on a replica, where nobody says how many.
inline constexpr double kUsualConcurrency = 64;

/// Tokens of a step, where nobody says how many: engines that cut their batches take their own number.
inline constexpr double kUsualTokenBudget = 8192;

struct ServingQuestion {
  Scenario scenario;       // model, machine, formats, price
  std::string checkpoint;  // what the model was called where that was another name
  std::optional<double> tensor, pipeline, context, attention_data, expert, replicas;
  std::optional<double> redundant_experts;  // (EPLB), none: 0; with them popular ones are spread evenly
  double isl = 1024, osl = 1024;            // mean tokens of prompts and of what is generated
  double cached = 0;                        // share of prompts in the prefix cache
  std::optional<double> concurrency;        // requests in flight, over all replicas
  std::optional<double> rate;               // requests a second, instead
  std::optional<double> most_running;       // of those on a replica; none: as many as memory holds
  std::string engine = std::string(kGeneralEngine);
  std::optional<double> memory_utilization;  // as the engine itself counts it; none: the engine's default
  double token_budget = kUsualTokenBudget;   // of a step with prefill, for which activations are kept free
  std::optional<double> ubatch;              // tokens of a batch that run at once (llama.cpp); none: the engine's
  double speculative_tokens = 0, acceptance_rate = 0.8;
  std::optional<Overlap> overlap;              // nothing said: none, and a planner tries what the engine has
  bool sensitivity = false;                    // which numbers the answer hangs on
  bool disaggregated = false;                  // prefill on chips of its own
  std::optional<Layout> prefill_layout;        // those chips'; none: as the others
  std::optional<std::string> prefill_machine;  // they are of; none: the same
  std::optional<double> prefill_price;         // dollars a second for one of them, there
  std::vector<GivenInput> given;               // of visit_serving_inputs, instead of what is known
};

/// The layout that the question's degrees are; one where none is given.
Layout given_degrees(const ServingQuestion& question);

/// What cannot be meant: lengths of nothing, shares above one, an engine nobody knows.
Errors checked_question(const ServingQuestion& question, const Library& library);

}  // namespace ridge
