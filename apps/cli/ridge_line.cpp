#include "cli/ridge_line.hpp"

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "layout/degrees_text.hpp"

namespace ridge::cli {

namespace {

std::string exactly(double value) { return fmt::format("{}", value); }  // the shortest text that reads back the same

/// "tp4 dp8 ep32", as --prefill-layout reads it.
std::string prefill_text(const Layout& layout) {
  const std::string out = degrees_text({{"tp", layout.tensor},
                                        {"pp", layout.pipeline},
                                        {"cp", layout.context},
                                        {"dp", layout.attention_data},
                                        {"ep", layout.expert}},
                                       " ");
  return out.empty() ? "tp1" : shell_word(out);
}

}  // namespace

std::string shell_word(std::string_view text) {
  constexpr std::string_view kUnquoted = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@";
  if (!text.empty() && text.find_first_not_of(kUnquoted) == std::string_view::npos) return std::string(text);
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string ridge_line(std::string_view command, const ServingQuestion& q) {
  std::string out = fmt::format("ridge {} {} --on {}", command, q.scenario.model, q.scenario.machine);
  const auto number = [&](const char* flag, const std::optional<double>& value, double usual) {
    if (value && *value != usual) out += fmt::format(" {} {}", flag, exactly(*value));
  };
  const auto word = [&](const char* flag, const std::optional<std::string>& value) {
    if (value && !value->empty()) out += fmt::format(" {} {}", flag, shell_word(*value));
  };
  out += fmt::format(" --tp {:g}", q.tensor.value_or(1));
  number("--pp", q.pipeline, 1);
  number("--cp", q.context, 1);
  number("--dp", q.attention_data, 1);
  if (q.expert && *q.expert != (q.attention_data.value_or(1) > 1 ? 0 : 1)) number("--ep", q.expert, 0);
  number("--redundant-experts", q.redundant_experts, 0);
  number("--replicas", q.replicas, 1);
  if (q.disaggregated) out += " --disaggregated";
  if (q.disaggregated && q.prefill_layout) out += " --prefill-layout " + prefill_text(*q.prefill_layout);
  if (q.disaggregated) word("--prefill-on", q.prefill_machine);
  number("--isl", q.isl, 0);
  number("--osl", q.osl, 0);
  if (command != "simulate") number("--cached", q.cached, 0);  // there it is a system prompt
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
  number("--ubatch", q.ubatch, 0);
  if (q.overlap && *q.overlap != Overlap::none) word("--overlap", std::string(name_of(*q.overlap)));
  return out;
}

}  // namespace ridge::cli
