#include "roofline/notes.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "base/text/unit_text.hpp"

namespace ridge {

namespace {

constexpr double kNearlyFull = 0.9;

bool is_given(const Scenario& scenario, std::string_view key) {
  return std::any_of(scenario.given.begin(), scenario.given.end(),
                     [&](const GivenInput& one) { return one.key == key; });
}

std::string beyond_the_domain(const ResolvedCase& resolved, const Machine* machine) {
  const double chips = resolved.numbers.chips.value();
  if (machine == nullptr || chips <= machine->chips.value) return "";
  return fmt::format("{} chips are more than the {} that {} joins; traffic between them is not counted",
                     with_commas(chips), with_commas(machine->chips.value), machine->name);
}

std::string nearly_full(const DecodeCase<double>& c) {
  const DecodeEstimate<double> e = estimate_decode(c);
  const bool tight = e.memory_needed > e.memory_there * kNearlyFull && e.memory_needed <= e.memory_there;
  if (!tight) return "";
  return fmt::format("only {} is left for activations, buffers and the serving engine",
                     show_gib((e.memory_there - e.memory_needed).value()));
}

std::string assumed_numbers(const ResolvedCase& resolved) {
  std::vector<std::string> assumed;
  for (std::size_t i = 0; i < kDecodeInputs; ++i) {
    if (resolved.from[i].kind == Kind::assumed) assumed.emplace_back(input_info(i).key);
  }
  return assumed.empty() ? "" : "leans on numbers the catalog marks as assumed: " + joined(assumed, ", ");
}

}  // namespace

std::vector<std::string> notes_on(const ResolvedCase& resolved, const Scenario& scenario, const Machine* machine) {
  std::vector<std::string> notes;
  const auto add = [&](std::string note) {
    if (!note.empty()) notes.push_back(std::move(note));
  };
  const double context = resolved.numbers.context.value();
  if (resolved.context_limit > 0 && context > resolved.context_limit) {
    add(fmt::format("context {} is beyond the {} tokens the model was released for", with_commas(context),
                    with_commas(resolved.context_limit)));
  }
  add(beyond_the_domain(resolved, machine));
  add(nearly_full(resolved.numbers));
  if (is_given(scenario, "experts.count") && !is_given(scenario, "params.routed")) {
    add("params.routed and the router follow from experts.count, at the size of the model's experts; give "
        "params.routed "
        "beside it to say otherwise");
  }
  if (resolved.from[input_index("width.weights")].note.ends_with("as chosen")) {
    add(fmt::format(
        "every weight is counted in {}; released checkpoints keep embeddings, LM head and norms in higher precision",
        resolved.precision.weights));
  }
  add(assumed_numbers(resolved));
  const auto& formats = resolved.matmul_format;
  if (std::find(formats.begin(), formats.end(), "fp4") != formats.end()) {
    add("in practice kernels reach about half of the fp4 peak; this is the peak");
  }
  return notes;
}

}  // namespace ridge
