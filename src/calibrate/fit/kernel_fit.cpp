#include "calibrate/fit/kernel_fit.hpp"

#include <algorithm>
#include <cmath>

#include "library/calibrations.hpp"
#include "serve/step/step_formats.hpp"

namespace ridge {

namespace {

constexpr double kMostReduced = 64e6;  // bytes: beyond it other algorithms take over
constexpr std::size_t kHarnessFields = 4;
constexpr double kMostGroup = 16;  // query heads a key: beyond it kernels fall off a cliff

const std::vector<std::string>& chip_fields() {
  static const auto names = field_names<ChipCalibration<double>>();
  return names;
}
const std::vector<std::string>& kernel_fields() {
  static const auto names = field_names<KernelCalibration<double>>();
  return names;
}

/// Why a row is not for the fit; empty where it is.
std::string reason_against(const KernelRow& row) {
  const bool grouped = row.kind == KernelClass::decode_attention;
  if (grouped && row.heads > kMostGroup * row.kv_heads) return "more than 16 query heads a key";
  if (row.kind == KernelClass::all_reduce && row.bytes > kMostReduced) return "all-reduce above 64 MB";
  if (row.kind == KernelClass::all_reduce && row.mode != "graph") return "all-reduce launched one by one";
  if (row.kind == KernelClass::collective || row.kind == KernelClass::dispatch || row.kind == KernelClass::combine) {
    return "no equation of a single kernel";
  }
  if (row.kind == KernelClass::latent_decode && row.chip.starts_with("a100")) return "A100's latent decode";
  return {};
}

/// A cache cannot be read faster than the memory it is in: such a row did not read all of it, or not from there.
bool beats_memory(const KernelRow& row, const Format& kv, const Library& library) {
  const Chip* chip = find_named(library.chips, row.chip);
  if (row.kind != KernelClass::decode_attention || chip == nullptr) return false;
  const double seen = row.window > 0 ? std::min(row.window, row.tokens) : row.tokens;
  const double read = 2 * row.batch * row.kv_heads * row.head_dim * seen * kv.bytes.value.value();
  return read / row.seconds > chip->bandwidth.value.value();
}

Precision precision_of(std::string_view computes_as) {
  if (computes_as == "fp4") return Precision::bits4;
  return computes_as == "fp8" || computes_as == "int8" ? Precision::bits8 : Precision::bits16;
}

}  // namespace

KernelCases kernel_cases(const std::vector<KernelRow>& rows, const Library& library) {
  KernelCases out;
  for (const KernelRow& row : rows) {
    const Format* format = find_named(library.formats, row.format.empty() ? "bf16" : row.format);
    const Format* kv = find_named(library.formats, row.kv_format.empty() ? "bf16" : row.kv_format);
    std::string why = reason_against(row);
    if (why.empty() && kv != nullptr && beats_memory(row, *kv, library))
      why = "reads faster than the datasheet's memory";
    if (why.empty() && (format == nullptr || kv == nullptr)) why = "format " + row.format;
    if (!why.empty()) {
      ++out.left_out[why];
      continue;
    }
    KernelCase one;
    one.row = row;
    one.precision = precision_of(format->computes_as);
    one.width = format->bytes.value.value();
    one.input_width = one.precision == Precision::bits16 ? 2 : one.precision == Precision::bits8 ? 1 : one.width;
    one.block_scaled = format->name == "fp8-block128";
    one.kv_width = kv->bytes.value.value();
    if (row.kind == KernelClass::experts) route_tokens(one);
    out.cases.push_back(std::move(one));
  }
  return out;
}

ChipPeaks<double> peaks_of(const Chip& chip, const Library& library) {
  const Machine* fastest = nullptr;
  for (const Machine& machine : library.machines) {
    if (machine.chip != chip.name || !machine.scale_up) continue;
    if (fastest == nullptr || machine.scale_up->value > fastest->scale_up->value) fastest = &machine;
  }
  return peaks_of(chip, fastest);
}

double predict_kernel(const KernelCase& kernel, const CalibrationSet& set, const ChipPeaks<double>& peaks) {
  const auto chip = set.chips.find(kernel.row.chip);
  if (chip == set.chips.end()) return 0;
  const auto harness = set.harness.find(harness_name(kernel.row));
  return predict_kernel(kernel, ChipRates<double>{peaks, chip->second, set.kernel},
                        harness == set.harness.end() ? Harness{} : harness->second);
}

Result<KernelFit> fit_kernels(const std::vector<KernelCase>& cases, const Library& library, const Priors& priors) {
  std::vector<std::string> chips;
  std::vector<std::string> harnesses;
  for (const KernelCase& one : cases) {
    if (std::find(chips.begin(), chips.end(), one.row.chip) == chips.end()) chips.push_back(one.row.chip);
    const std::string harness = harness_name(one.row);
    if (std::find(harnesses.begin(), harnesses.end(), harness) == harnesses.end()) harnesses.push_back(harness);
  }
  std::vector<FitParameter> parameters;
  const auto add = [&](const std::string& owner, const std::string& field, const std::map<std::string, Prior>& from) {
    const auto prior = from.find(field);
    if (prior == from.end()) return false;
    parameters.push_back({owner + "." + field, prior->second.value, prior->second.spread});
    return true;
  };
  std::vector<ChipPeaks<double>> peaks;
  for (const std::string& chip : chips) {
    for (const std::string& field : chip_fields()) {
      if (!add(chip, field, priors.chip)) return fail({"calibration", "no prior for " + field, "see prior.toml"});
    }
    const Chip* known = find_named(library.chips, chip);
    if (known == nullptr) return fail({"calibration", "unknown chip " + chip, "add it to the catalog"});
    peaks.push_back(peaks_of(*known, library));
    // where a search for the fastest large product ran, its share of the peak is what is believed of 16-bit products
    const auto firm = priors.chip.find("measured_matrix");
    const double reached = searched_share(*known);
    for (FitParameter& one : parameters) {
      if (reached == 0 || firm == priors.chip.end() || one.name != chip + ".matrix_16bit") continue;
      one.start = firm->second.value * reached;
      one.spread = firm->second.spread;
    }
  }
  for (const std::string& field : kernel_fields()) {
    if (!add("kernel", field, priors.kernel)) return fail({"calibration", "no prior for " + field, "see prior.toml"});
  }
  for (const std::string& harness : harnesses) {
    add(harness, "extra", priors.harness);
    add(harness, "launch", priors.harness);
    double quickest = std::numeric_limits<double>::infinity();
    for (const KernelCase& one : cases) {
      if (harness_name(one.row) == harness) quickest = std::min(quickest, one.row.seconds);
    }
    parameters.back().start = quickest / 2;  // so that the fit sees which way to go
    add(harness, "slope", priors.harness);
    add(harness, "walk", priors.harness);
  }

  std::vector<std::size_t> chip_index, harness_index;
  std::vector<double> measured, weights;
  std::map<std::string, double> in_class;  // classes count alike, however many rows they have
  const auto class_of = [](const KernelRow& row) { return std::string(name_of(row.kind)) + " " + row.chip; };
  for (const KernelCase& one : cases) in_class[class_of(one.row)] += 1;
  for (const KernelCase& one : cases) {
    const auto at = [](const std::vector<std::string>& all, const std::string& name) {
      return static_cast<std::size_t>(std::find(all.begin(), all.end(), name) - all.begin());
    };
    chip_index.push_back(at(chips, one.row.chip));
    harness_index.push_back(at(harnesses, harness_name(one.row)));
    measured.push_back(one.row.seconds);
    weights.push_back(100 / in_class[class_of(one.row)]);
  }

  const std::size_t per_chip = chip_fields().size(), shared = chips.size() * per_chip, count = kernel_fields().size();
  const auto unpack = [&](const std::vector<double>& values) {
    std::vector<ChipRates<double>> rates;
    const std::span<const double> all(values);
    const auto kernel = with_fields<KernelCalibration<double>>(all.subspan(shared, count));
    for (std::size_t i = 0; i < chips.size(); ++i) {
      rates.push_back({peaks[i], with_fields<ChipCalibration<double>>(all.subspan(i * per_chip, per_chip)), kernel});
    }
    return rates;
  };
  const auto harness_of = [&](const std::vector<double>& values, std::size_t i) {
    const std::size_t at = shared + count + kHarnessFields * i;
    return Harness{values[at], values[at + 1], values[at + 2], values[at + 3]};
  };
  const auto predict = [&](const std::vector<double>& values, std::vector<double>& predicted) {
    const auto rates = unpack(values);
    for (std::size_t row = 0; row < cases.size(); ++row) {
      predicted[row] = predict_kernel(cases[row], rates[chip_index[row]], harness_of(values, harness_index[row]));
    }
  };
  MovedTogether together;  // owners share no row, but what all share
  const auto move = [&](std::size_t from, std::size_t fields, const std::vector<std::size_t>& owner_of_row) {
    for (std::size_t field = 0; field < fields; ++field) {
      std::vector<std::size_t>& of_row = together.emplace_back();
      for (const std::size_t owner : owner_of_row) of_row.push_back(from + fields * owner + field);
    }
  };
  move(0, per_chip, chip_index);
  move(shared, count, std::vector<std::size_t>(cases.size(), 0));
  move(shared + count, kHarnessFields, harness_index);
  auto fit = fit_parameters(parameters, measured, weights, predict, 1, kUsualSoftness, together);
  if (!fit) return fail(fit.error());
  KernelFit out;
  std::vector<double> values;
  for (const FittedParameter& one : fit->parameters) {
    values.push_back(one.value);
    out.spread[one.name] = one.spread;
  }
  const auto rates = unpack(values);
  for (std::size_t i = 0; i < chips.size(); ++i) out.set.chips[chips[i]] = rates[i].chip;
  out.set.kernel = rates.front().kernel;
  for (std::size_t i = 0; i < harnesses.size(); ++i) out.set.harness[harnesses[i]] = harness_of(values, i);
  out.fit = std::move(*fit);
  return out;
}

}  // namespace ridge
