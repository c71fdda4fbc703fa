// The stages of resolving, each alone: formats and peaks of a chip, the context's cost in a format, names and defaults.

#include <algorithm>
#include <cmath>

#include <doctest/doctest.h>

#include "catalog_library.hpp"
#include "library/look_up.hpp"
#include "roofline/bounds.hpp"
#include "roofline/context_inputs.hpp"
#include "roofline/format_inputs.hpp"
#include "roofline/readings.hpp"
#include "roofline/sensitivity.hpp"

namespace resolve_stages_test {

using namespace ridge;

namespace {

double value_of(const std::vector<KnownInput>& inputs, std::string_view key) {
  double value = -1;  // the last counts
  for (const KnownInput& one : inputs) {
    if (one.index == input_index(key)) value = one.value;
  }
  return value;
}

}  // namespace

TEST_CASE("a chip without units for a format computes in the next wider one") {
  const Library& library = testing::library();
  const Format* nvfp4 = find_named(library.formats, "nvfp4");
  REQUIRE(nvfp4 != nullptr);
  const MatrixPeak on_b200 = matrix_peak(*find_named(library.chips, "b200"), *nvfp4, library.formats);
  CHECK(on_b200.tried.empty());
  REQUIRE(on_b200.rate);
  const MatrixPeak on_h100 = matrix_peak(*find_named(library.chips, "h100-sxm"), *nvfp4, library.formats);
  REQUIRE(on_h100.rate);
  CHECK(on_h100.tried.front() == nvfp4->computes_as);
  CHECK(on_h100.format != nvfp4->computes_as);
}

TEST_CASE("chosen formats stand before released ones, and experts follow the weights") {
  const Precisions released{"bf16", "fp8", "bf16", "bf16", "", ""};
  Scenario scenario;
  CHECK(chosen_precisions(scenario, released).experts == "fp8");
  scenario.weights = "int4";
  CHECK(chosen_precisions(scenario, released).weights == "int4");
  CHECK(chosen_precisions(scenario, released).experts == "int4");
  scenario.experts = "nvfp4";
  CHECK(chosen_precisions(scenario, released).experts == "nvfp4");
  CHECK(chosen_precisions(scenario, released).kv == "bf16");
}

TEST_CASE("formats that nobody knows are all named at once") {
  const Library& library = testing::library();
  Scenario scenario;
  scenario.weights = "fp7";
  scenario.attention = "fp9";
  const FormatInputs inputs = format_inputs(scenario, *find_named(library.models, "llama-3.1-70b"),
                                            *find_named(library.chips, "h100-sxm"), library.formats);
  REQUIRE(inputs.errors.size() == 2);  // the experts follow the weights
  CHECK(inputs.errors[0].where == "weights");
  CHECK(inputs.errors[1].where == "attention");
}

TEST_CASE("a token's cache is as wide as its format") {
  const Library& library = testing::library();
  const Model& model = *find_named(library.models, "llama-3.1-70b");
  // 80 layers x 2 x 8 heads x 128 elements of 2 bytes, and of one
  const auto wide = context_inputs(model, {"", "", "", "bf16", "", ""}, false, library.formats);
  const auto narrow = context_inputs(model, {"", "", "", "fp8", "", ""}, true, library.formats);
  REQUIRE(wide);
  REQUIRE(narrow);
  CHECK(value_of(*wide, "kv.stored") == 80.0 * 2 * 8 * 128 * 2);
  CHECK(value_of(*narrow, "kv.stored") == 80.0 * 2 * 8 * 128);
  CHECK(value_of(*narrow, "attention.flops") == value_of(*wide, "attention.flops"));
}

TEST_CASE("entries are found in any case, and the nearest is offered where there is none") {
  const Library& library = testing::library();
  REQUIRE(look_up(library.machines, "HGX-H100", "machine"));
  CHECK((*look_up(library.machines, "HGX-H100", "machine"))->name == "hgx-h100");
  const auto unknown = look_up(library.machines, "hgx-h1000", "machine");
  REQUIRE(!unknown);
  CHECK(unknown.error().front().where == "machine");
  CHECK(unknown.error().front().hint.find("hgx-h100") != std::string::npos);
}

namespace {

Scenario deepseek(double experts) {
  Scenario scenario;
  scenario.model = "deepseek-v3";
  scenario.machine = "gb200-nvl72";
  if (experts > 0) scenario.given = {{"experts.count", experts, {"--set experts.count", Kind::user}}};
  return scenario;
}

}  // namespace

TEST_CASE("twice the experts of a model are twice their parameters, and as much compute for a token") {
  const Library& library = testing::library();
  const DecodeCase<double> once = resolve(deepseek(0), library)->numbers;
  const DecodeCase<double> twice = resolve(deepseek(512), library)->numbers;
  // 58 layers of 256 experts of 3 x 7,168 x 2,048: 653.9 G; a router of 7,168 numbers and a bias for each of them
  CHECK(once.params_routed.value() == 58.0 * 256 * 3 * 7168 * 2048);
  CHECK(twice.params_routed.value() == doctest::Approx(2 * once.params_routed.value()));
  const double router = 58.0 * 256 * (7168 + 1);
  CHECK(twice.params_dense.value() - once.params_dense.value() == doctest::Approx(router));
  CHECK((twice.chosen_share() * twice.params_routed).value() ==
        doctest::Approx((once.chosen_share() * once.params_routed).value()));
  CHECK(estimate_decode(twice).experts_time.value() ==
        doctest::Approx(estimate_decode(once).experts_time.value()).scale(0));
  CHECK(estimate_decode(twice).weights_stored.value() > 1.9 * estimate_decode(once).weights_stored.value());
  // who says what they hold is believed
  Scenario said = deepseek(512);
  said.given.push_back({"params.routed", once.params_routed.value(), {"--set params.routed", Kind::user}});
  CHECK(resolve(said, library)->numbers.params_routed == once.params_routed);
}

TEST_CASE("a model without experts is given none by their number") {
  Scenario dense = deepseek(8);
  dense.model = "llama-3.1-70b";
  const auto refused = resolve(dense, testing::library());
  REQUIRE(!refused);
  CHECK(refused.error().front().what.find("no routed experts") != std::string::npos);
}

TEST_CASE("the slope along the number of experts is that of everything that follows from it") {
  const Library& library = testing::library();
  const ResolvedCase resolved = *resolve(deepseek(0), library);
  const auto figure = [&](double experts, std::size_t which) {
    Scenario moved = deepseek(experts);
    moved.given.push_back({"batch", resolved.numbers.batch.value(), {"--batch", Kind::user}});
    return output_values(estimate_decode(resolve(moved, library)->numbers))[which];
  };
  const auto all = sensitivities(resolved);
  const auto found = std::find_if(all.begin(), all.end(), [](const auto& one) { return one.input == "experts.count"; });
  REQUIRE(found != all.end());
  constexpr double kMove = 1e-4;
  for (std::size_t i = 0; i < kDecodeOutputs; ++i) {
    const double above = figure(256 * (1 + kMove), i), below = figure(256 * (1 - kMove), i), here = figure(256, i);
    if (!found->defined[i] || found->kink[i] || !std::isfinite(here)) continue;
    CAPTURE(output_info(i).key);
    CHECK(found->elasticity[i] == doctest::Approx((above - below) / (2 * kMove) / here).epsilon(1e-4));
  }
  // and bounds over a range of it hold its ends
  const auto bounds = bound_decode(resolved.numbers, {{input_index("experts.count"), Interval(256, 512)}});
  for (const double experts : {256.0, 300.0, 512.0}) {
    for (std::size_t i = 0; i < kDecodeOutputs; ++i) {
      const double value = figure(experts, i);
      if (!std::isfinite(value)) continue;
      CAPTURE(output_info(i).key);
      CHECK(bounds[i].low <= value * (1 + 1e-9));
      CHECK(bounds[i].high >= value * (1 - 1e-9));
    }
  }
}

TEST_CASE("without a model's shape nobody offers a slope along its number of experts") {
  Scenario said = deepseek(0);
  said.given.push_back({"params.routed", 1e12, {"--set params.routed", Kind::user}});
  for (const Sensitivity& one : sensitivities(*resolve(said, testing::library()))) CHECK(one.input != "experts.count");
}

}  // namespace resolve_stages_test
