#include "serve/question/serving_question.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text/field_text.hpp"
#include "base/text/text.hpp"

namespace ridge {

Layout given_degrees(const ServingQuestion& question) {
  Layout layout;
  layout.tensor = question.tensor.value_or(1);
  layout.pipeline = question.pipeline.value_or(1);
  layout.context = question.context.value_or(1);
  layout.attention_data = question.attention_data.value_or(1);
  layout.expert = question.expert.value_or(1);
  layout.replicas = question.replicas.value_or(1);
  layout.redundant_experts = question.redundant_experts.value_or(0);
  layout.balanced = layout.redundant_experts > 0;
  return layout;
}

Errors checked_question(const ServingQuestion& question, const Library& library) {
  Errors errors;
  const auto refuse = [&](const char* where, std::string what, std::string hint) {
    errors.push_back({where, std::move(what), std::move(hint)});
  };
  const auto positive = [&](const char* where, double value) {
    if (!(value >= 1 && value <= 1e9)) refuse(where, fmt::format("{:g} tokens", value), "from 1 to a billion");
  };
  positive("isl", question.isl);
  positive("osl", question.osl);
  positive("token_budget", question.token_budget);
  if (question.ubatch) positive("ubatch", *question.ubatch);
  if (!(question.cached >= 0 && question.cached < 1))
    refuse("cached", fmt::format("{:g} of the input", question.cached), "a share from 0 to below 1");
  if (question.concurrency && !(*question.concurrency >= 1 && *question.concurrency <= 1e9))
    refuse("concurrency", fmt::format("{:g} requests", *question.concurrency), "from 1 to a billion");
  if (question.rate && !(*question.rate > 0))
    refuse("rate", fmt::format("{:g} requests a second", *question.rate), "above 0");
  if (question.concurrency && question.rate) {
    refuse("rate", fmt::format("stands beside {}", field("concurrency")),
           "one follows from the other: give one of them");
  }
  if (!(question.acceptance_rate > 0 && question.acceptance_rate < 1))
    refuse("acceptance_rate", fmt::format("{:g}", question.acceptance_rate), "a share between 0 and 1");
  if (!(question.speculative_tokens >= 0 && question.speculative_tokens <= 64) ||
      question.speculative_tokens != std::floor(question.speculative_tokens)) {
    refuse("speculative_tokens", fmt::format("{:g} draft tokens", question.speculative_tokens),
           "a whole number up to 64");
  }
  if (const auto share = question.memory_utilization; share && !(*share > 0 && *share <= 1))
    refuse("memory_utilization", fmt::format("{:g}", *share), "a share above 0, at most 1");
  append(errors, wrong_degrees(given_degrees(question)));
  if (question.prefill_layout) append(errors, wrong_degrees(*question.prefill_layout));
  if (question.prefill_layout && !question.disaggregated) {
    refuse("prefill_layout", "prefill is not disaggregated",
           fmt::format("add {}, or leave it out", field("disaggregated")));
  }
  if (question.prefill_machine && !question.disaggregated) {
    refuse("prefill_on", "prefill is not disaggregated",
           fmt::format("add {}, or leave it out", field("disaggregated")));
  }
  if (question.prefill_price && !(*question.prefill_price >= 0))
    refuse("prefill_price", fmt::format("{:g} dollars a second", *question.prefill_price), "0 or more");
  if (question.prefill_price && !question.prefill_machine) {
    refuse("prefill_price", "prefill has no machine of its own",
           fmt::format("name it ({}), or give {}", field("prefill_on"), field("price")));
  }
  const std::vector<std::string> engines = known_engines(library);
  if (std::find(engines.begin(), engines.end(), engine_called(library, question.engine)) == engines.end()) {
    refuse("engine", fmt::format("unknown engine \"{}\"", shortened(question.engine)),
           suggestion(question.engine, engines));
  }
  return errors;
}

}  // namespace ridge
