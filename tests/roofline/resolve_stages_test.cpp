// The stages of resolving, each alone: formats and peaks of a chip, the context's cost in a format, names and defaults.

#include <algorithm>

#include <doctest/doctest.h>

#include "catalog_library.hpp"
#include "library/look_up.hpp"
#include "roofline/context_inputs.hpp"
#include "roofline/format_inputs.hpp"

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
  REQUIRE(inputs.errors.size() == 3);  // the experts follow the weights
  CHECK(std::all_of(inputs.errors.begin(), inputs.errors.end(),
                    [](const Error& error) { return error.where == "format"; }));
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

}  // namespace resolve_stages_test
