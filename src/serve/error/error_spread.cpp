#include "serve/error/error_spread.hpp"

#include <cmath>

#include <fmt/format.h>

#include "library/calibrations.hpp"

namespace ridge {

std::string_view name_of(SpreadFigure figure) {
  constexpr std::array<std::string_view, kSpreadFigures> kNames = {"tpot", "ttft", "prefill", "throughput"};
  return kNames[static_cast<std::size_t>(figure)];
}

std::string_view name_of(SpreadPart part) {
  constexpr std::array<std::string_view, kSpreadParts> kNames = {
      "every_run", "experts",     "disaggregated", "attention_data", "over_domains", "stages", "model", "experts_model",
      "attention", "combination", "chip",          "chip_borrowed",  "engine",       "layout", "load",  "feature"};
  return kNames[static_cast<std::size_t>(part)];
}

std::array<double, kSpreadParts> parts_of(const Situation& situation) {
  std::array<double, kSpreadParts> times{};
  const auto count = [&](SpreadPart part, bool counts) { times[static_cast<std::size_t>(part)] = counts ? 1 : 0; };
  count(SpreadPart::every_run, true);
  count(SpreadPart::experts, situation.experts);
  count(SpreadPart::disaggregated, situation.disaggregated);
  const auto is = [&](LayoutKind kind) { return situation.layout == kind || situation.stage == kind; };
  count(SpreadPart::attention_data, is(LayoutKind::attention_data));
  count(SpreadPart::over_domains, is(LayoutKind::over_domains));
  count(SpreadPart::stages, situation.layout == LayoutKind::stages);
  count(SpreadPart::model, !situation.model_seen);
  count(SpreadPart::experts_model, !situation.model_seen && situation.experts);
  count(SpreadPart::attention, !situation.attention_seen);
  const bool each_seen = situation.model_seen && situation.engine_seen && situation.chip == ChipKnown::runs;
  count(SpreadPart::combination, each_seen && !situation.together);
  count(SpreadPart::chip, situation.chip == ChipKnown::kernels);
  count(SpreadPart::chip_borrowed, situation.chip == ChipKnown::borrowed);
  count(SpreadPart::engine, !situation.engine_seen);
  count(SpreadPart::layout, !situation.layout_seen);
  times[static_cast<std::size_t>(SpreadPart::load)] = situation.doublings_beyond;
  times[static_cast<std::size_t>(SpreadPart::feature)] = situation.unmeasured_features();
  return times;
}

double expected_error(const FigureSpread& spread, const std::array<double, kSpreadParts>& times) {
  double squares = 0;
  for (std::size_t i = 0; i < kSpreadParts; ++i) squares += times[i] * spread.part[i] * spread.part[i];
  return std::sqrt(squares);
}

std::optional<ErrorSpread> error_spread(const Library& library) {
  const CalibrationEntry* entry = find_calibration(library, "spread", "spread");
  if (entry == nullptr) return {};
  ErrorSpread out;
  bool whole = true;
  const auto read = [&](const std::string& name) {
    const auto found = entry->numbers.find(name);
    whole = whole && found != entry->numbers.end();
    return found == entry->numbers.end() ? 0.0 : found->second.value;
  };
  for (std::size_t i = 0; i < kSpreadFigures; ++i) {
    const std::string_view figure = name_of(static_cast<SpreadFigure>(i));
    for (std::size_t part = 0; part < kSpreadParts; ++part)
      out.figures[i].part[part] = read(fmt::format("{}.part.{}", figure, name_of(static_cast<SpreadPart>(part))));
    for (std::size_t level = 0; level < kLevels.size(); ++level)
      out.figures[i].reach[level] = read(fmt::format("{}.reach.{:g}", figure, 100 * kLevels[level]));
  }
  return whole ? std::optional(out) : std::nullopt;
}

AnswerErrors errors_in(const Situation& situation, const std::optional<ErrorSpread>& spread) {
  AnswerErrors out;
  out.situation = situation;
  out.known = spread.has_value();
  for (std::size_t i = 0; i < kSpreadFigures; ++i) {
    const double size = spread ? expected_error(spread->figures[i], parts_of(situation)) : 0;
    for (std::size_t level = 0; level < kLevels.size(); ++level)
      out.factor[i][level] = std::exp(spread ? spread->figures[i].reach[level] * size : 0);
  }
  return out;
}

}  // namespace ridge
