#pragma once
// The whole answer to "where does the compute go": the case with the source of every number, its figures, how flat the
// optimum is, and what would change it.

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "base/number/box_bounds.hpp"
#include "library/chip_price.hpp"
#include "library/library.hpp"
#include "roofline/scenario.hpp"
#include "train/law_domain.hpp"
#include "train/lifecycle.hpp"

namespace ridge {

/// What the user said; everything else comes from the entry `start` of catalog/lifecycle.
struct LifecycleQuestion {
  std::string start = "frontier";
  std::string model;  // its active parameters and experts; empty: none
  std::optional<std::string> law, machine;
  std::optional<PriceBasis> basis;           // of the price; none: the usual
  std::optional<double> experts, per_token;  // of a model that is not in the library
  std::vector<GivenInput> given;             // later ones win
};

struct ResolvedLifecycle {
  LifecycleCase<double> numbers;
  std::array<Provenance, kLifecycleInputs> from;
  std::string title, law, law_title, expert_law_title, machine, machine_title, format, model_title;
  LawDomain domain;  // of the law
  std::vector<std::string> notes;
};

Result<ResolvedLifecycle> resolve_lifecycle(const LifecycleQuestion& question, const Library& library);

/// Sizes whose whole cost is within a share of the least, at the same loss.
struct FlatRange {
  double within = 0.0;
  Params<double> smallest, largest;
};

/// The same question in another world: same loss, same rollouts.
struct WhatIf {
  std::string name;
  LifecycleEstimate<double> estimate;
};

struct LifecycleAnswer {
  ResolvedLifecycle resolved;
  LifecycleEstimate<double> estimate;
  std::vector<FlatRange> flat;
  std::vector<WhatIf> what_ifs;
  std::vector<AskedModel> extrapolated;  // those of its models that the law was not fitted on
  std::string extrapolation;             // the same in words; empty: none
};

Result<LifecycleAnswer> answer_lifecycle(const LifecycleQuestion& question, const Library& library);

/// d ln(output) / d ln(input), an input a row; those that the plan does not read are left out.
struct LifecycleElasticity {
  std::size_t input = 0;
  std::array<double, kLifecycleOutputs> elasticity{};
};
std::vector<LifecycleElasticity> lifecycle_sensitivity(const LifecycleCase<double>& c);

/// Bounds of every figure over a box of inputs.
FigureBounds bound_lifecycle(const LifecycleCase<double>& c, const Box& ranges, int most_boxes = 8192);

/// Index of an input by key or symbol; an error names the nearest.
Result<std::size_t> lifecycle_input(std::string_view word, std::string_view where);
InputInfo lifecycle_input_info(std::size_t index);
Dimension lifecycle_input_dimension(std::size_t index);
OutputInfo lifecycle_output_info(std::size_t index);
Dimension lifecycle_output_dimension(std::size_t index);
Result<std::size_t> lifecycle_output(std::string_view word, std::string_view where);

}  // namespace ridge
