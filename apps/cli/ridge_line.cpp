#include "cli/ridge_line.hpp"

#include <fmt/format.h>

#include "base/text.hpp"

namespace ridge::cli {

namespace {

std::string exactly(double value) { return fmt::format("{}", value); }  // the shortest text that reads back the same

/// "tp4 dp8 ep32", as --prefill-layout reads it.
std::string degrees_text(const Layout& layout) {
  std::string out;
  const auto add = [&](const char* name, double degree) {
    if (degree > 1) out += fmt::format("{}{}{:g}", out.empty() ? "" : " ", name, degree);
  };
  add("tp", layout.tensor);
  add("pp", layout.pipeline);
  add("cp", layout.context);
  add("dp", layout.attention_data);
  add("ep", layout.expert);
  return out.empty() ? "tp1" : "'" + out + "'";
}

}  // namespace

std::string ridge_line(std::string_view command, const ServingQuestion& q) {
  std::string out = fmt::format("ridge {} {} --on {}", command, q.scenario.model, q.scenario.machine);
  const auto number = [&](const char* flag, const std::optional<double>& value, double usual) {
    if (value && *value != usual) out += fmt::format(" {} {}", flag, exactly(*value));
  };
  const auto word = [&](const char* flag, const std::optional<std::string>& value) {
    if (value && !value->empty()) out += fmt::format(" {} {}", flag, *value);
  };
  out += fmt::format(" --tp {:g}", q.tensor.value_or(1));
  number("--pp", q.pipeline, 1);
  number("--cp", q.context, 1);
  number("--dp", q.attention_data, 1);
  if (q.expert && *q.expert != (q.attention_data.value_or(1) > 1 ? 0 : 1)) number("--ep", q.expert, 0);
  number("--redundant-experts", q.redundant_experts, 0);
  number("--replicas", q.replicas, 1);
  if (q.disaggregated) out += " --disaggregated";
  if (q.disaggregated && q.prefill_layout) out += " --prefill-layout " + degrees_text(*q.prefill_layout);
  number("--isl", q.isl, 0);
  number("--osl", q.osl, 0);
  number("--cached", q.cached, 0);
  number("--concurrency", q.concurrency, 0);
  number("--rate", q.rate, 0);
  word("--weights", q.scenario.weights);
  word("--experts", q.scenario.experts);
  word("--kv", q.scenario.kv);
  if (q.engine != kGeneralEngine) word("--engine", q.engine);
  number("--token-budget", q.token_budget, kUsualTokenBudget);
  number("--memory-utilization", q.memory_utilization, 0);
  number("--speculative-tokens", q.speculative_tokens, 0);
  if (q.speculative_tokens > 0) number("--acceptance-rate", q.acceptance_rate, 0.8);
  if (q.overlap != Overlap::none) word("--overlap", std::string(name_of(q.overlap)));
  return out;
}

}  // namespace ridge::cli
