#pragma once
// The answer of `ridge activations`: screen and JSON.

#include <string>
#include <vector>

#include "report/base/style.hpp"
#include "train/activations.hpp"

namespace ridge::report {

struct ActivationsAnswer {
  std::string model, title;
  ActivationCase<double> numbers;
  std::vector<ActivationCost<double>> policies;  // in the order of kActivationPolicies
  bool dropout = false;
  bool batch_given = false, sequence_given = false;  // otherwise defaults, which the answer says
  CacheTrade cache;                                  // of the same sequences, in serving
};

std::string activations_text(const ActivationsAnswer& answer, const Style& style);
std::string activations_json(const ActivationsAnswer& answer);

}  // namespace ridge::report
