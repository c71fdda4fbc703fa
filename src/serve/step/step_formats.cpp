#include "serve/step/step_formats.hpp"

#include <algorithm>

#include "base/text/text.hpp"
#include "library/calibrations.hpp"
#include "library/look_up.hpp"
#include "library/weight_mix.hpp"
#include "serve/step/step_shape.hpp"

namespace ridge {

namespace {

bool has_latent_attention(const Model& model) { return std::any_of(model.kinds.begin(), model.kinds.end(), is_latent); }

/// Where a chip has a peak of its own for the format, as the roofline's inputs do: not every 8-bit unit is as fast.
double pace_on(const Format& format, Precision precision, const Chip& chip) {
  const auto* own = find_rate(chip.matmul, format.computes_as);
  const auto* usual = matrix_peak(chip, precision);
  return own == nullptr || usual == nullptr ? 1 : (usual->value / own->value).value();
}

PartFormat part_format(const Format& format, const Chip& chip) {
  const Precision precision = precision_on(format, chip);
  const double width = format.bytes.value.value();
  const double input = precision == Precision::bits16 ? kActivationBytes : precision == Precision::bits8 ? 1 : width;
  const bool block_scaled = precision != Precision::bits16 && format.name == "fp8-block128";
  return {precision, block_scaled, width, input, pace_on(format, precision, chip)};
}

/// A product runs on the unit of its wider operand: 4-bit weights times 8-bit activations at the 8-bit rate. `used`: the
/// format of the weights.
void widen(PartFormat& part, const Format* used, const FormatChoice& choice, const Library& library, const Chip& chip) {
  if (used == nullptr || part.precision != Precision::bits4) return;
  for (const auto& [weights, activations] : choice.activations) {
    const Format* wider = weights == used->name ? find_named(library.formats, activations) : nullptr;
    if (wider == nullptr) continue;
    const PartFormat own = part_format(*wider, chip);
    part.precision = own.precision;
    part.input_width = own.input_width;
    part.pace = own.pace;
  }
}

/// As released: the width says which unit multiplies.
PartFormat released_format(double width, const Format* said, const Chip& chip) {
  constexpr double kEight = 1.5, kFour = 0.75;  // bytes: above the first it is 16 bit, below the second 4 bit
  if (width > kEight || said == nullptr) return {Precision::bits16, false, width, kActivationBytes};
  PartFormat own = part_format(*said, chip);
  if (width > kFour && own.width < kFour && said->computes_as != "int8")
    own = {Precision::bits16, false, width, kActivationBytes};  // mixed: the majority is not 4 bit
  own.width = width;
  return own;
}

}  // namespace

Precision precision_on(const Format& format, const Chip& chip) {
  const auto has = [&](const std::string& key) { return !key.empty() && find_rate(chip.matmul, key) != nullptr; };
  const bool four = format.computes_as == "fp4";
  if (four) return has("fp4") ? Precision::bits4 : Precision::bits16;  // weights alone are narrow
  const bool eight = format.computes_as == "fp8" || format.computes_as == "int8";
  return eight && has(format.computes_as) ? Precision::bits8 : Precision::bits16;
}

GroupedKernel grouped_kernel(Precision precision, bool block_scaled, double width) {
  return {precision, block_scaled, precision == Precision::bits16 && width < kActivationBytes};
}

const Sourced<FlopsPerSecond<double>>* matrix_peak(const Chip& chip, Precision precision) {
  static constexpr std::array<std::array<const char*, 4>, kPrecisions> kFormats = {
      {{"bf16", "tf32", "fp32", ""}, {"fp8", "int8", "bf16", ""}, {"fp4", "fp8", "int8", "bf16"}}};
  for (const char* format : kFormats[static_cast<std::size_t>(precision)]) {
    if (const auto* found = find_rate(chip.matmul, format)) return found;
  }
  return nullptr;
}

GgmlKernels ggml_kernels(const Library& library, const Chip& chip, double ubatch) {
  GgmlKernels out;
  out.numbers = ggml_calibration(library, chip).value;
  const auto* wide = matrix_peak(chip, Precision::bits16);
  const FlopsPerSecond<double> widest = wide != nullptr ? wide->value : FlopsPerSecond<double>(0);
  // a chip of which nobody wrote down the vector units: a sixteenth of the matrix units, as on A100 and H100
  constexpr double kUsualShare = 16;
  out.vector_peak = chip.vector ? chip.vector->value : widest / kUsualShare;
  const auto* eight = find_rate(chip.matmul, "int8");
  out.int8_peak = eight != nullptr ? eight->value : widest;
  out.ubatch = ubatch;
  out.on_cpu = chip.is_cpu;
  return out;
}

ChipPeaks<double> peaks_of(const Chip& chip, const Machine* machine) {
  ChipPeaks<double> peaks;
  for (std::size_t i = 0; i < kPrecisions; ++i) {
    const auto* peak = matrix_peak(chip, static_cast<Precision>(i));
    peaks.matrix[i] = peak != nullptr ? peak->value : FlopsPerSecond<double>(0);
  }
  peaks.memory = chip.bandwidth.value;
  if (machine != nullptr && machine->scale_up) peaks.scale_up = machine->scale_up->value;
  if (machine != nullptr && machine->scale_out) peaks.scale_out = machine->scale_out->value;
  if (machine != nullptr && machine->hop) peaks.hop = machine->hop->value;
  return peaks;
}

Result<StepFormats> step_formats(const Model& model, const Library& library, const Chip& chip,
                                 const FormatChoice& choice) {
  Errors errors;
  const auto find = [&](const std::optional<std::string>& name, const char* where) -> const Format* {
    if (!name) return nullptr;
    const auto found = look_up(library.formats, *name, "format");
    if (found) return *found;
    errors.push_back(
        {where, "unknown number format \"" + shortened(*name) + "\"", suggestion(*name, names_of(library.formats))});
    return nullptr;
  };
  const Format* weights = find(choice.weights, "weights");
  const Format* experts = choice.experts ? find(choice.experts, "experts") : weights;
  const Format* kv = find(choice.kv ? choice.kv : std::optional(model.precision.value.kv), "kv");
  if (!errors.empty()) return fail(std::move(errors));

  const ParameterParts params = count_parameters(model);
  const Format* said_weights = find_named(library.formats, model.precision.value.weights);
  const Format* said_experts = find_named(library.formats, model.precision.value.experts);
  PartBytes released = model.released;
  if (weights != nullptr && weights->mix) {  // as if a file of that name were the release
    released = mixed_bytes(model, *weights->mix, library.formats);
    const WeightMix& mix = *weights->mix;
    said_weights = find_named(library.formats, mix.rest);
    said_experts = mix.experts.empty() ? said_weights : find_named(library.formats, mix.experts);
    if (experts == weights) experts = nullptr;
    weights = nullptr;
  }
  StepFormats formats;
  for (const Part part : all_parts()) {
    const auto i = static_cast<std::size_t>(part);
    const bool routed = part == Part::routed_experts;
    const Format* said = routed && said_experts != nullptr ? said_experts : said_weights;
    const bool kept = part == Part::embedding || part == Part::head || part == Part::router || part == Part::norms;
    double width = said != nullptr && !kept ? said->bytes.value.value() : kActivationBytes;
    if (released[i] > 0 && params[part] > 0) width = released[i] / params[part];
    const auto look_up = [&](const Format& used) {
      const bool narrow = formats.parts[i].precision == Precision::bits4;
      formats.parts[i].look_up = narrow ? choice.look_ups.of(used.name, routed) : 0;
    };
    formats.parts[i] = released_format(width, said, chip);
    if (said != nullptr) look_up(*said);
    widen(formats.parts[i], said, choice, library, chip);
    const Format* chosen = routed ? experts : weights;
    if (chosen == nullptr || kept || (said != nullptr && said->name == chosen->name)) continue;
    formats.parts[i] = part_format(*chosen, chip);
    look_up(*chosen);
    widen(formats.parts[i], chosen, choice, library, chip);
    if (part == Part::attention && chosen->computes_as == "fp4" && has_latent_attention(model)) {
      formats.parts[i] = {Precision::bits16, false, kActivationBytes, kActivationBytes};
    }
  }
  const auto table = static_cast<std::size_t>(Part::embedding), head = static_cast<std::size_t>(Part::head);
  if (model.tied_embeddings && params[Part::head] == 0) formats.parts[head] = formats.parts[table];
  formats.kv_width = kv->bytes.value.value();
  formats.index_width = formats.kv_width;
  formats.state_width = kActivationBytes;
  const Format* state = find_named(library.formats, model.precision.value.state);
  if (state != nullptr) formats.state_width = state->bytes.value.value();
  formats.dispatch_width = formats.parts[static_cast<std::size_t>(Part::routed_experts)].input_width;
  return formats;
}

}  // namespace ridge
