#pragma once
// What the times of a deployment mean for users and the house: tokens a second, chips, dollars. One place for an answer
// and for a search over many.

#include "serve/serving.hpp"

namespace ridge {

/// Who pays for what.
struct ServingTerms {
  double isl = 0, osl = 0;  // tokens of a prompt and an answer
  double price = 0;         // dollars a second and chip
  double chips = 1;         // of all replicas that decode
  double replicas = 1;
  bool prompts_apart = false;
};

struct ServingFigures {
  double output_rate = 0, total_rate = 0, user_rate = 0;  // tokens/s: all chips out, in and out; one user
  double input_cost = 0, output_cost = 0;                 // dollars a token
  double bill_per_output = 0;                             // dollars: the whole bill over the answers' tokens
  double chips = 0;                                       // those for prompts included
  double prefill_replicas = 0;                            // for each that decodes, where prompts are apart
  Seconds<double> transfer_time{};                        // of a prompt's cache from one to the other
  Seconds<double> ttft{};
};

/// Chips that compute prompts alone are busy to this share, which leaves waiting predictable.
inline constexpr double kPromptChipsBusy = 0.8;

ServingFigures serving_figures(const StepPlan& plan, const ChipRates<double>& rates, const ServingTimes<double>& times,
                               const ServingTerms& terms);

/// The load of one replica with so many requests in flight and room for so many.
ServingLoad<double> load_of(const ServingQuestion& question, const Model& model, double concurrency, double capacity);

/// Sequences of this length that fit into what is left of `usable` bytes of a chip, over one replica.
double sequences_that_fit(const StepPlan& plan, double usable, double chunk, double length);

}  // namespace ridge
