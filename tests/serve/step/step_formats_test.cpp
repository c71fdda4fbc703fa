// Are tensors in the format that a chip multiplies, as released or as the user says?

#include "serve/step/step_formats.hpp"

#include <doctest/doctest.h>

#include "catalog_library.hpp"
#include "roofline/format_inputs.hpp"

namespace step_formats_test {

using namespace ridge;
using doctest::Approx;

using ridge::testing::library;

namespace {

const Model& model(const std::string& name) { return *find_named(library().models, name); }
const Chip& chip(const std::string& name) { return *find_named(library().chips, name); }
const Format& format(const std::string& name) { return *find_named(library().formats, name); }

using Name = std::optional<std::string>;

FormatChoice choose(const Name& weights, const Name& experts = {}, const Name& kv = {}) {
  FormatChoice choice;
  choice.weights = weights;
  choice.experts = experts;
  choice.kv = kv;
  return choice;
}

StepFormats formats(const std::string& model_name, const std::string& chip_name, const FormatChoice& choice = {}) {
  return step_formats(model(model_name), library(), chip(chip_name), choice).value();
}

const PartFormat& of(const StepFormats& all, Part part) { return all.parts[static_cast<std::size_t>(part)]; }

}  // namespace

TEST_CASE("a chip multiplies in the unit it has, and widens to 16 bit where it has none") {
  CHECK(precision_on(format("bf16"), chip("h200-sxm")) == Precision::bits16);
  CHECK(precision_on(format("fp8"), chip("h200-sxm")) == Precision::bits8);
  CHECK(precision_on(format("nvfp4"), chip("h200-sxm")) == Precision::bits16);
  CHECK(precision_on(format("nvfp4"), chip("b200")) == Precision::bits4);
  CHECK(precision_on(format("int8"), chip("a100-sxm-80gb")) == Precision::bits8);
  CHECK(precision_on(format("w4a16"), chip("b200")) == Precision::bits16);
}

TEST_CASE("a chip with an integer unit alone does not multiply fp8 in it") {
  CHECK(precision_on(format("fp8"), chip("a100-sxm-80gb")) == Precision::bits16);
}

TEST_CASE("a product runs on the unit of its wider operand, and reads its weights as narrow as they are") {
  FormatChoice choice;
  choice.activations = {{"mxfp4", "fp8"}};
  const PartFormat wider = of(formats("gpt-oss-120b", "b200", choice), Part::routed_experts);
  CHECK(wider.precision == Precision::bits8);
  CHECK(wider.input_width == 1);
  const PartFormat own = of(formats("gpt-oss-120b", "b200"), Part::routed_experts);
  CHECK(own.precision == Precision::bits4);
  CHECK(wider.width == own.width);
  // no unit for 4 bit: weights are made wide whatever the activations are; what is 16 bit stays so
  CHECK(of(formats("gpt-oss-120b", "h100-sxm", choice), Part::routed_experts).precision == Precision::bits16);
  CHECK(of(formats("gpt-oss-120b", "b200", choice), Part::attention).precision == Precision::bits16);
  // the fact is of a weights' format: others are left alone
  choice.weights = "nvfp4";
  CHECK(of(formats("llama-3.1-8b", "b200", choice), Part::dense_ffn).precision == Precision::bits4);
}

TEST_CASE("a format computes at its own peak: int8 of B300 is not fp8") {
  const PartFormat slow = of(formats("llama-3.1-8b", "b300", choose("int8")), Part::dense_ffn);
  CHECK(slow.precision == Precision::bits8);
  CHECK(slow.pace == Approx(4500 / 153.5));  // TFLOP/s of fp8, whose peak is that of 8 bit, and of int8
  CHECK(of(formats("llama-3.1-8b", "b300", choose("fp8")), Part::dense_ffn).pace == 1);
  CHECK(of(formats("llama-3.1-8b", "h100-sxm", choose("int8")), Part::dense_ffn).pace == 1);  // 1,979 of both
  // the roofline's inputs have the same rule: what a FLOP takes agrees for every format and chip that has its unit
  for (const Chip& one : library().chips) {
    for (const Format& wanted : library().formats) {
      const auto* own = find_rate(one.matmul, wanted.computes_as);
      if (own == nullptr) continue;
      CAPTURE(one.name);
      CAPTURE(wanted.name);
      const PartFormat part = of(formats("llama-3.1-8b", one.name, choose(wanted.name)), Part::dense_ffn);
      if (wanted.name == "bf16") continue;  // as released
      const FlopsPerSecond<double> peak = peaks_of(one, nullptr).matrix[static_cast<std::size_t>(part.precision)];
      CHECK(peak.value() / part.pace ==
            Approx(matrix_peak(one, wanted, library().formats).rate->value.value()).epsilon(1e-12));
    }
  }
}

TEST_CASE("DeepSeek-V3 as released: fp8 in blocks, but embedding, head, router and norms in 16 bit") {
  const StepFormats all = formats("deepseek-v3", "h200-sxm");
  for (const Part part : {Part::dense_ffn, Part::shared_experts, Part::routed_experts, Part::attention}) {
    CAPTURE(name_of(part));
    CHECK(of(all, part).precision == Precision::bits8);
    CHECK(of(all, part).block_scaled);
    CHECK(of(all, part).width == Approx(1.000244).epsilon(0.001));  // attention has a few 16-bit norms in it
    CHECK(of(all, part).input_width == 1);
  }
  for (const Part part : {Part::embedding, Part::head, Part::router}) {
    CAPTURE(name_of(part));
    CHECK(of(all, part).precision == Precision::bits16);
    CHECK(of(all, part).width == Approx(2).epsilon(0.001));
    CHECK(of(all, part).input_width == 2);
  }
  CHECK(all.kv_width == 2);
  CHECK(all.dispatch_width == 1);
}

TEST_CASE("gpt-oss as released: 4-bit experts, widened before the multiply where a chip has no 4-bit unit") {
  const StepFormats old = formats("gpt-oss-120b", "h200-sxm"), young = formats("gpt-oss-120b", "b200");
  CHECK(of(old, Part::routed_experts).precision == Precision::bits16);
  CHECK(of(old, Part::routed_experts).input_width == 2);
  CHECK(of(young, Part::routed_experts).precision == Precision::bits4);
  for (const StepFormats& all : {old, young}) {
    CHECK(of(all, Part::routed_experts).width == Approx(0.53125).epsilon(0.01));  // with 16-bit biases
    CHECK(of(all, Part::attention).precision == Precision::bits16);
    CHECK(of(all, Part::attention).width == Approx(2));
  }
}

TEST_CASE("a chosen format is taken for all matrices that quantizers touch, and for no others") {
  const StepFormats all = formats("llama-3-70b", "b200", choose("nvfp4", {}, "fp8"));
  CHECK(of(all, Part::attention).precision == Precision::bits4);
  CHECK(of(all, Part::dense_ffn).width == 0.5625);
  CHECK(of(all, Part::dense_ffn).input_width == 0.5625);
  CHECK(of(all, Part::head).precision == Precision::bits16);
  CHECK(of(all, Part::embedding).width == 2);
  CHECK(all.kv_width == 1);
}

TEST_CASE("experts may have a format of their own") {
  const StepFormats all = formats("deepseek-v3", "b200", choose("fp8", "nvfp4"));
  CHECK(of(all, Part::routed_experts).precision == Precision::bits4);
  CHECK(of(all, Part::shared_experts).precision == Precision::bits8);
  CHECK(!of(all, Part::shared_experts).block_scaled);
}

TEST_CASE("a 4-bit format leaves the projections of latent attention in 16 bit") {
  const StepFormats all = formats("deepseek-v3", "b200", choose("nvfp4"));
  CHECK(of(all, Part::attention).precision == Precision::bits16);
  CHECK(of(all, Part::attention).width == 2);
  CHECK(of(all, Part::routed_experts).precision == Precision::bits4);
}

TEST_CASE("unknown formats are refused with the nearest known one, all of them at once") {
  const auto wrong = step_formats(model("llama-3-70b"), library(), chip("b200"), choose("nvfp5", {}, "fp9"));
  REQUIRE(!wrong);
  REQUIRE(wrong.error().size() == 2);
  CHECK(wrong.error()[0].where == "weights");
  CHECK(wrong.error()[0].hint.find("nvfp4") != std::string::npos);
  CHECK(wrong.error()[1].where == "kv");
}

TEST_CASE("peaks are the datasheet's, with the unit below where one is missing, and links of the machine") {
  const Machine& machine = *find_named(library().machines, "hgx-b200");
  const ChipPeaks<double> peaks = peaks_of(chip("b200"), &machine);
  CHECK(peaks.matrix[0].value() == 2250e12);
  CHECK(peaks.matrix[1].value() == 4500e12);
  CHECK(peaks.matrix[2].value() == 9000e12);
  CHECK(peaks.memory.value() == chip("b200").bandwidth.value.value());
  CHECK(peaks.scale_up.value() == machine.scale_up->value.value());
  CHECK(peaks_of(chip("h200-sxm"), nullptr).matrix[2].value() == 1979e12);  // no 4-bit unit
  CHECK(peaks_of(chip("h200-sxm"), nullptr).scale_up.value() == 0);
}

TEST_CASE("every model of the catalog has formats on every chip that multiplies 16 bit") {
  for (const Model& one : library().models) {
    for (const Chip& each : library().chips) {
      CAPTURE(one.name);
      CAPTURE(each.name);
      const auto all = step_formats(one, library(), each, {});
      REQUIRE(all);
      for (const PartFormat& part : all->parts) {
        CHECK(part.width > 0.4);
        CHECK(part.width <= 4);
        CHECK(part.input_width <= 2);
      }
    }
  }
}

}  // namespace step_formats_test
