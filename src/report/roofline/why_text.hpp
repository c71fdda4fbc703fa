#pragma once
// The answer to `ridge why` for people: one screen.

#include <array>
#include <string>
#include <vector>

#include "base/number/interval.hpp"
#include "report/base/style.hpp"
#include "roofline/answer.hpp"
#include "roofline/sensitivity.hpp"

namespace ridge::report {

/// "HBM-bound; compute at 93%; flips to compute at batch 2,355".
std::string verdict_line(const WhyAnswer& answer);

/// "GB200 NVL72 rack, 72 chips", or "16 chips of GB200 NVL72 rack" where the user chose their number.
std::string machine_text(const ResolvedCase& resolved);
/// The same without any number of chips.
std::string machine_kind(const ResolvedCase& resolved);

/// "hbm.bandwidth = 4 TB/s": inputs that the user replaced and that no other line shows; empty where there is none.
std::string changed_text(const ResolvedCase& resolved);

/// " (rental, three-year contract)": what kind of price it is, where the catalog says.
std::string price_basis(const Provenance& from);

std::string why_text(const WhyAnswer& answer, const Style& style);
std::string sensitivity_text(const std::vector<Sensitivity>& all, const Style& style);
std::string range_text(const std::array<Interval, kDecodeOutputs>& bounds, const DecodeEstimate<double>& estimate,
                       const Style& style);
/// What a serving engine takes of the memory unless told otherwise.
struct EngineShare {
  std::string name;
  double share = 1;
};
/// What of a bound's answer an engine would have room for: "vllm takes 92% of the memory, ...: room for 4 sequences of
/// 8,192 tokens".
std::string engine_room_text(const WhyAnswer& answer, const EngineShare& engine);
/// The memory table of `ridge fit`.
std::string fit_text(const WhyAnswer& answer, const EngineShare& engine, const Style& style);

}  // namespace ridge::report
