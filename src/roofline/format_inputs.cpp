#include "roofline/format_inputs.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/collect.hpp"
#include "base/text/field_text.hpp"
#include "base/text/unit_text.hpp"
#include "library/look_up.hpp"
#include "library/weight_mix.hpp"

namespace ridge {

namespace {

/// What is held or computed in a format of its own.
struct FormatRole {
  std::string_view width, peak;  // keys; no width: it holds nothing
  std::string_view computes;     // for notes
};

constexpr std::array<FormatRole, 3> kRoles = {{{"width.weights", "matmul.weights", "the weights compute"},
                                               {"width.experts", "matmul.experts", "the experts compute"},
                                               {"", "matmul.attention", "attention computes"}}};

bool gives(const Scenario& scenario, std::string_view key) {
  return std::any_of(scenario.given.begin(), scenario.given.end(),
                     [&](const GivenInput& given) { return given.key == key; });
}

KnownInput width_in(const FormatRole& role, const Format& format, bool chosen) {
  Provenance from = format.bytes.from;
  from.note = format.name + (chosen ? ", as chosen" : ", as released");
  return {input_index(role.width), format.bytes.value.value(), from};
}

KnownInput peak_of(const FormatRole& role, const MatrixPeak& peak) {
  Provenance from = peak.rate->from;
  from.note = peak.format + " peak" + (from.note.empty() ? "" : "; " + from.note);
  return {input_index(role.peak), peak.rate->value.value(), from};
}

Error no_peak(const FormatRole& role, const Chip& chip, const Format& format, const MatrixPeak& peak) {
  return {"matmul",
          fmt::format("{} has no matrix peak for {} (tried {})", chip.name, format.name, joined(peak.tried, ", ")),
          fmt::format("choose another format, or give {} yourself: {}", role.peak,
                      field("set", fmt::format("{}=... TFLOP/s", role.peak)))};
}

/// As released: the bytes that were counted tensor by tensor, scales and wider tensors included.
std::vector<KnownInput> counted_widths(const Scenario& scenario, const Model& model, const Format& weights,
                                       const Format& experts, const std::vector<Format>& formats) {
  const ParameterParts parts = count_parameters(model);
  const bool mixed = scenario.weights && weights.mix, chosen = scenario.weights && !mixed;
  const PartBytes released = mixed ? mixed_bytes(model, *weights.mix, formats) : model.released;
  const auto bytes_of = [&](Part part) { return released[static_cast<std::size_t>(part)]; };
  double lookup = weights.bytes.value.value(), dense = 0;
  if (const double embedding = bytes_of(Part::embedding); embedding > 0) {
    lookup = embedding / parts[Part::embedding];
    for (const Part part : {Part::embedding, Part::attention, Part::dense_ffn, Part::shared_experts, Part::router,
                            Part::norms, Part::other, Part::head}) {
      dense += bytes_of(part);
    }
    dense -= parts.not_read * lookup;
  }
  const auto counted = [&](std::string_view format) {
    const Provenance& from = mixed ? weights.bytes.from : model.released_from;
    return Provenance{from.source, Kind::derived, fmt::format("mostly {}, counted tensor by tensor", format),
                      from.place};
  };
  const Provenance as_weights{model.architecture.source, Kind::derived, "as the weights", model.architecture.place};
  const Precisions precision = chosen_precisions(scenario, model.precision.value);
  std::vector<KnownInput> out = {
      {input_index("width.lookup"), lookup, dense > 0 ? counted(precision.attention) : as_weights}};
  if (dense > 0 && !chosen)
    out.push_back({input_index("width.weights"), dense / parts.always_read(), counted(weights.name)});
  const double routed = parts[Part::routed_experts];
  if (dense > 0 && !chosen && !scenario.experts && routed > 0) {
    out.push_back({input_index("width.experts"), bytes_of(Part::routed_experts) / routed, counted(experts.name)});
  }
  return out;
}

}  // namespace

Precisions chosen_precisions(const Scenario& scenario, const Precisions& released) {
  return {scenario.weights.value_or(released.weights),
          scenario.experts.value_or(scenario.weights.value_or(released.experts)),
          scenario.attention.value_or(released.attention),
          scenario.kv.value_or(released.kv),
          released.index,
          released.state};
}

MatrixPeak matrix_peak(const Chip& chip, const Format& wanted, const std::vector<Format>& formats) {
  constexpr std::size_t kMostFormats = 8;  // a table of formats that falls back in a circle ends
  MatrixPeak out{.format = wanted.computes_as, .tried = {}, .rate = {}};
  while (!out.format.empty() && out.tried.size() < kMostFormats) {
    if (const auto* rate = find_rate(chip.matmul, out.format)) {
      out.rate = *rate;
      return out;
    }
    out.tried.push_back(out.format);
    std::string next;
    for (const Format& other : formats) {
      if (other.computes_as == out.format) next = other.falls_back;
    }
    out.format = next;
  }
  return out;
}

FormatInputs format_inputs(const Scenario& scenario, const Model& model, const Chip& chip,
                           const std::vector<Format>& formats) {
  FormatInputs out;
  out.precision = chosen_precisions(scenario, model.precision.value);
  const Precisions& precision = out.precision;
  const std::array names = {&precision.weights, &precision.experts, &precision.attention};
  const std::array chosen = {scenario.weights.has_value(), scenario.experts || scenario.weights, false};
  std::array<const Format*, 3> used{};
  constexpr std::array<const char*, 3> kFields = {"weights", "experts", "attention"};
  for (std::size_t i = 0; i < kRoles.size(); ++i) {
    const FormatRole& role = kRoles[i];
    const auto found = look_up(formats, *names[i], "format");
    if (!found) {
      if (i == 1 && !scenario.experts && *names[i] == *names[0]) continue;  // said of the weights
      Errors errors = found.error();
      for (Error& error : errors) error.where = kFields[i];
      append(out.errors, errors);
      continue;
    }
    used[i] = *found;
    if (!role.width.empty()) out.inputs.push_back(width_in(role, *used[i], chosen[i]));
    const MatrixPeak peak = matrix_peak(chip, *used[i], formats);
    if (!peak.rate) {
      if (!gives(scenario, role.peak)) out.errors.push_back(no_peak(role, chip, *used[i], peak));
      continue;
    }
    out.inputs.push_back(peak_of(role, peak));
    out.matmul_format[i] = peak.format;
    const bool said = i == 1 && out.matmul_format[0] == peak.format && precision.weights == precision.experts;
    if (!peak.tried.empty() && !said) {
      out.notes.push_back(
          fmt::format("{} has no {} matrix units: {} at its {} peak ({}), while the values stay {} wide", chip.name,
                      peak.tried.front(), role.computes, peak.format, show(peak.rate->value), used[i]->name));
    }
  }
  if (used[0] != nullptr && used[1] != nullptr) {
    for (KnownInput& one : counted_widths(scenario, model, *used[0], *used[1], formats))
      out.inputs.push_back(std::move(one));
  }
  return out;
}

}  // namespace ridge
