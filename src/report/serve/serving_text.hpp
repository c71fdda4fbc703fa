#pragma once
// The answer to an operator's question, for a terminal and as JSON.

#include <optional>
#include <string>

#include "calibrate/evidence/nearest.hpp"
#include "engine/engine_commands.hpp"
#include "report/base/style.hpp"
#include "serve/error/ttft_range.hpp"

namespace ridge::report {

/// What stands beside an answer where it was asked for.
struct ServingExtras {
  std::vector<EngineCommand> commands;
  bool pasted = false;                                          // the question came from an engine's command
  std::vector<std::string> ignored;                             // its flags that were not understood
  std::optional<std::array<Interval, kServingOutputs>> bounds;  // of every figure over ranges of inputs
  bool derivation = false;                                      // the lines that lead to every figure
  std::optional<TtftAtCapacities> near;                         // of an answer at a rate
};

std::string serving_text(const ServingAnswer& answer, const std::optional<NearestRun>& nearest, const Style& style,
                         const std::optional<TtftAtCapacities>& near = {});
/// "weights bf16 (experts mxfp4), KV cache fp8"
std::string formats_text(const ServingAnswer& answer);
/// "8 GPUs of HGX H100 (TP8)"; disaggregated "HGX H100 (PP2 prefill + TP8 decode)": how many chips prefill takes for one
/// replica that decodes is no whole number.
std::string laid_out_on(const ServingAnswer& answer);

/// The measured run most like a question, and how well it is predicted.
std::string nearest_text(const NearestRun& nearest, const Style& style);
/// What each chip holds, and the room an engine reports for its cache.
std::string serving_fit_text(const ServingAnswer& answer, const Style& style);
std::string shortfall_text(const ServingShortfall& shortfall, const ServingQuestion& question, const Style& style);
std::string serving_json(const ServingResult& result, const std::optional<NearestRun>& nearest,
                         const ServingExtras& extras = {});
/// Commands to copy, with what they cannot say.
std::string commands_text(const std::vector<EngineCommand>& commands, const Style& style);

}  // namespace ridge::report
