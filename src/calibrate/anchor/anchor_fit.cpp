#include "calibrate/anchor/anchor_fit.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "calibrate/evidence/known.hpp"
#include "calibrate/fit/least_squares.hpp"
#include "library/calibrations.hpp"

namespace ridge {

namespace {

constexpr const char* kOfChip[] = {"pace", "memory", "latency", "compute"};
constexpr const char* kOfEngine[] = {"overhead", "prefill"};

/// The group of anchor.toml.
std::string name_of(ChipPrior known) {
  return known == ChipPrior::own ? "own" : known == ChipPrior::borrowed ? "borrowed" : "stranger";
}

/// Which factor a field of a chip's calibration has; none for the network's share, of which TPOT says too little.
std::string_view factor_of_chip(std::string_view field) {
  if (field == "memory" || field == "attention_memory") return "memory";
  if (field.starts_with("matrix_") || field == "attention_matrix" || field == "softmax_rate") return "compute";
  if (field.ends_with("_time")) return "latency";
  return "";
}

std::string_view factor_of_engine(std::string_view field) {
  if (field == "step_time" || field == "sequence_time") return "overhead";
  if (field == "prefill_factor") return "prefill";
  return "";
}

/// Whether a chip's share can be above 1 only by mistake.
bool is_share(std::string_view field) { return factor_of_chip(field) != "latency" && field != "softmax_rate"; }

/// `known`: which group of priors.
void add_factors(std::vector<AnchorFactor>& factors, const std::string& owner, const std::string& known,
                 std::span<const char* const> names, const AnchorPriors& priors) {
  if (std::any_of(factors.begin(), factors.end(),
                  [&](const AnchorFactor& one) { return one.owner == owner && one.name == names.front(); }))
    return;
  for (const char* name : names) {
    const double spread = priors.spread.at(known + "." + name);
    factors.push_back({owner, name, spread, 1, spread});
  }
}

/// Inverse of a symmetric positive matrix, by Gauss and Jordan; it has a row for each of a handful of factors.
std::vector<std::vector<double>> inverse(std::vector<std::vector<double>> a) {
  const std::size_t n = a.size();
  std::vector<std::vector<double>> out(n, std::vector<double>(n, 0));
  for (std::size_t i = 0; i < n; ++i) out[i][i] = 1;
  for (std::size_t i = 0; i < n; ++i) {
    const double pivot = a[i][i];  // positive: priors stand on the diagonal
    for (std::size_t j = 0; j < n; ++j) {
      a[i][j] /= pivot;
      out[i][j] /= pivot;
    }
    for (std::size_t row = 0; row < n; ++row) {
      const double times = a[row][i];
      if (row == i || times == 0) continue;
      for (std::size_t j = 0; j < n; ++j) {
        a[row][j] -= times * a[i][j];
        out[row][j] -= times * out[i][j];
      }
    }
  }
  return out;
}

/// How well each factor is known after the rows: the noise of a row is known, so it is not estimated from one or two.
void put_spreads(AnchorFit& fit, const std::vector<const AnchorCase*>& cases, const AnchorPriors& priors) {
  constexpr double kStep = 1e-4;
  const std::size_t count = fit.factors.size();
  std::vector<std::vector<double>> information(count, std::vector<double>(count, 0));
  for (std::size_t i = 0; i < count; ++i) information[i][i] = 1 / (fit.factors[i].prior * fit.factors[i].prior);
  for (const AnchorCase* one : cases) {
    const double here = predicted_time(*one, fit);
    std::vector<double> slope(count);
    for (std::size_t i = 0; i < count; ++i) {
      AnchorFit moved = fit;
      moved.factors[i].value *= std::exp(kStep);
      slope[i] = std::log(predicted_time(*one, moved) / here) / kStep;
    }
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t j = 0; j < count; ++j) information[i][j] += slope[i] * slope[j] / (priors.noise * priors.noise);
    }
  }
  const auto covariance = inverse(std::move(information));
  for (std::size_t i = 0; i < count; ++i) fit.factors[i].spread = std::sqrt(covariance[i][i]);
}

}  // namespace

Moved moved_of(const AnchorFactor& factor) {
  constexpr double kNarrowed = 0.1, kStayed = 0.01;
  if (factor.narrowed() >= kNarrowed) return Moved::yes;
  return std::abs(std::log(factor.value)) < kStayed ? Moved::no : Moved::together;
}

Result<AnchorPriors> anchor_priors(const Library& library) {
  const CalibrationEntry* entry = find_calibration(library, "anchor", "anchor");
  if (entry == nullptr) return fail({"calibration/anchor.toml", "the catalog has no priors for anchors", ""});
  AnchorPriors priors;
  Errors errors;
  const auto need = [&](const std::string& name) {
    const auto found = entry->numbers.find(name);
    if (found != entry->numbers.end() && found->second.spread > 0) return found->second.spread;
    errors.push_back({"calibration/anchor.toml", fmt::format("number.{} has no spread", name), "write \"1 ± 20 %\""});
    return 1.0;
  };
  const auto add = [&](ChipPrior known, std::span<const char* const> names) {
    for (const char* name : names) {
      const std::string full = name_of(known) + "." + name;
      priors.spread[full] = need(full);
    }
  };
  for (const ChipPrior known : {ChipPrior::own, ChipPrior::borrowed}) {
    add(known, kOfChip);
    add(known, kOfEngine);
  }
  add(ChipPrior::stranger, kOfChip);
  priors.noise = need("row");
  if (!errors.empty()) return fail(std::move(errors));
  return priors;
}

const AnchorFactor* AnchorFit::find(std::string_view owner, std::string_view name) const {
  for (const AnchorFactor& one : factors) {
    if (one.owner == owner && one.name == name) return &one;
  }
  return nullptr;
}

ChipCalibration<double> with_factors(ChipCalibration<double> chip, const std::string& name, const AnchorFit& fit) {
  ChipCalibration<double>::visit_fields(chip, [&](std::string_view field, auto& value) {
    const AnchorFactor *factor = fit.find(name, factor_of_chip(field)), *pace = fit.find(name, "pace");
    if (factor == nullptr || pace == nullptr) return;
    const double faster = factor_of_chip(field) == "latency" ? 1 / pace->value : pace->value;
    const double moved = value.value() * factor->value * faster;
    const double most = std::max(1.0, value.value());
    value = std::remove_reference_t<decltype(value)>(is_share(field) ? std::min(most, moved) : moved);
  });
  return chip;
}

EngineCalibration<double> with_factors(EngineCalibration<double> engine, const std::string& name,
                                       const AnchorFit& fit) {
  EngineCalibration<double>::visit_fields(engine, [&](std::string_view field, auto& value) {
    const AnchorFactor* factor = fit.find(name, factor_of_engine(field));
    if (factor != nullptr) value = value * factor->value;
  });
  return engine;
}

double predicted_time(const AnchorCase& anchor, const AnchorFit& fit) {
  const ServingCase<double>& c = anchor.deployment.ground.numbers;
  return predicted_time(anchor, with_factors(c.chip, anchor.chip(), fit), with_factors(c.engine, anchor.engine(), fit));
}

Result<AnchorFit> fit_anchors(const std::vector<const AnchorCase*>& cases, const AnchorPriors& priors) {
  AnchorFit fit;
  std::vector<double> measured, weights;
  constexpr double kBelieved =
      1;  // softness: one's own run is no wild row among many, however far it is from the prior
  for (const AnchorCase* one : cases) {
    const ServingGround& ground = one->deployment.ground;
    add_factors(fit.factors, one->chip(), name_of(one->chip_prior), kOfChip, priors);
    add_factors(fit.factors, one->engine(), name_of(ground.engine_borrowed ? ChipPrior::borrowed : ChipPrior::own),
                kOfEngine, priors);
    measured.push_back(one->measured);
    weights.push_back(std::pow(kUsualSoftness / priors.noise, 2));
  }
  std::vector<FitParameter> parameters;
  for (const AnchorFactor& one : fit.factors) parameters.push_back({one.owner + "." + one.name, 1, one.prior});
  const auto found = fit_parameters(
      parameters, measured, weights,
      [&](const std::vector<double>& values, std::vector<double>& out) {
        for (std::size_t i = 0; i < values.size(); ++i) fit.factors[i].value = values[i];
        for (std::size_t row = 0; row < cases.size(); ++row) out[row] = predicted_time(*cases[row], fit);
      },
      1, kBelieved);
  if (!found) return fail(found.error());
  for (std::size_t i = 0; i < fit.factors.size(); ++i) fit.factors[i].value = found->parameters[i].value;
  put_spreads(fit, cases, priors);
  return fit;
}

double AnchorAnswer::error_of(double AnchorLine::*predicted) const {
  double sum = 0;
  for (const AnchorLine& line : lines) sum += std::abs(line.*predicted / line.measured - 1);
  return lines.empty() ? 0 : sum / static_cast<double>(lines.size());
}

namespace {

/// A calibration as an entry: its numbers as they were, with the factors on them.
template <class C>
CalibrationEntry entry_of(const char* of, const std::string& name, const C& calibration, const AnchorFit& fit,
                          std::string_view (*factor_of)(std::string_view)) {
  CalibrationEntry entry;
  entry.name = name;
  entry.of = of;
  std::map<std::string, double> spread;
  for (const std::string& field : field_names<C>()) {
    if (const AnchorFactor* factor = fit.find(name, factor_of(field))) spread[name + "." + field] = factor->spread;
  }
  entry.numbers = numbers_of(calibration, spread, name);
  return entry;
}

std::string moved_text(const AnchorFit& fit, const std::string& owner) {
  std::string text;
  for (const AnchorFactor& one : fit.factors) {
    if (one.owner == owner && moved_of(one) != Moved::no)
      text += fmt::format("{}{} x{:.3f}", text.empty() ? "" : ", ", one.name, one.value);
  }
  return text;
}

std::vector<CalibrationEntry> entries_of(const AnchorAnswer& answer, const std::vector<const AnchorCase*>& cases,
                                         const Library& library) {
  std::vector<CalibrationEntry> entries;
  const auto add = [&](CalibrationEntry entry, const std::string& title, auto belongs) {
    const auto& factors = answer.fit.factors;
    if (std::all_of(factors.begin(), factors.end(),
                    [&](const AnchorFactor& one) { return one.owner != entry.name || moved_of(one) == Moved::no; }))
      return;  // as it was: the catalog's own stays
    if (std::any_of(entries.begin(), entries.end(),
                    [&](const CalibrationEntry& one) { return one.of == entry.of && one.name == entry.name; }))
      return;
    entry.title = title;
    entry.rows = static_cast<double>(std::count_if(cases.begin(), cases.end(), belongs));
    entry.error = answer.after;
    entry.note = "anchored: " + moved_text(answer.fit, entry.name);
    entry.from.kind = Kind::measured;
    entries.push_back(std::move(entry));
  };
  for (const AnchorCase* one : cases) {
    const Chip& chip = *one->deployment.ground.chip;
    const auto alone = with_factors(chip_alone(library, chip).value, chip.name, answer.fit);
    add(entry_of("chip", chip.name, alone, answer.fit, factor_of_chip), chip.title + ": anchored",
        [&](const AnchorCase* other) { return other->chip() == chip.name; });
    const std::string& engine = one->engine();
    const auto own = with_factors(engine_calibration(library, engine).value, engine, answer.fit);
    CalibrationEntry entry = entry_of("engine", engine, own, answer.fit, factor_of_engine);
    if (const CalibrationEntry* known = find_calibration(library, "engine", engine)) {
      const auto first = known->numbers.find("first_error");
      if (first != known->numbers.end()) entry.numbers["first_error"] = first->second;
    }
    add(std::move(entry), engine + ": anchored", [&](const AnchorCase* other) { return other->engine() == engine; });
  }
  return entries;
}

/// Cases that can be fitted, and the others by name.
std::vector<AnchorCase> usable(const std::vector<BenchmarkResult>& results, const AnchorGiven& given,
                               const Library& library, std::vector<RefusedAnchor>& refused) {
  std::vector<AnchorCase> cases;
  for (const BenchmarkResult& result : results) {
    const auto refuse = [&](std::string why) { refused.push_back({result.place, std::move(why)}); };
    if (const auto faults = faults_of(result, given.cached.has_value()); !faults.empty()) {
      refuse(joined(faults, "; "));
      continue;
    }
    auto one = anchor_case(result, given, library);
    if (!one) {
      const Error& error = one.error().front();
      refuse(error.where + ": " + error.what + (error.hint.empty() ? "" : " (" + error.hint + ")"));
      continue;
    }
    if (const double bound = bound_of(*one); one->measured < bound) {
      refuse(
          fmt::format("faster than physics allows: {} {:.4g} ms, and the bound is {:.4g} ms; another model, format, "
                      "chip or unit?",
                      name_of(one->figure), one->measured * 1e3, bound * 1e3));
      continue;
    }
    cases.push_back(std::move(*one));
  }
  return cases;
}

}  // namespace

Result<AnchorAnswer> calibrate_by(const std::vector<BenchmarkResult>& results, const AnchorGiven& given,
                                  const Library& library) {
  const auto priors = anchor_priors(library);
  if (!priors) return fail(priors.error());
  AnchorAnswer answer;
  const std::vector<AnchorCase> cases = usable(results, given, library, answer.refused);
  if (cases.empty()) {
    Errors errors;
    for (const RefusedAnchor& one : answer.refused) errors.push_back({one.name, one.why, ""});
    return fail(std::move(errors));
  }
  std::vector<const AnchorCase*> all;
  for (const AnchorCase& one : cases) all.push_back(&one);
  auto fit = fit_anchors(all, *priors);
  if (!fit) return fail(fit.error());
  answer.fit = std::move(*fit);
  answer.left_out = cases.size() > 1;
  for (const AnchorCase& one : cases) {
    AnchorLine line{one.name,
                    std::string(name_of(one.figure)),
                    one.measured,
                    bound_of(one),
                    predicted_time(one),
                    predicted_time(one, answer.fit),
                    0,
                    one.notes};
    if (answer.left_out) {
      std::vector<const AnchorCase*> others;
      for (const AnchorCase& other : cases) {
        if (&other != &one) others.push_back(&other);
      }
      const auto without = fit_anchors(others, *priors);
      if (!without) return fail(without.error());
      line.left_out = predicted_time(one, *without);
    }
    answer.lines.push_back(std::move(line));
  }
  answer.before = answer.error_of(&AnchorLine::before);
  answer.after = answer.error_of(answer.left_out ? &AnchorLine::left_out : &AnchorLine::after);
  answer.entries = entries_of(answer, all, library);
  return answer;
}

}  // namespace ridge
