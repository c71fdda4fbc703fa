#include "catalog/question/serving_text.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/text/request_rate.hpp"
#include "base/text/text.hpp"
#include "base/text/unit_text.hpp"

namespace ridge::catalog {

namespace {

/// Files may write a name as the flag is written: "token-budget".
std::string underscored(std::string_view word) {
  std::string key(word);
  std::replace(key.begin(), key.end(), '-', '_');
  return key;
}

Result<bool> set_word(ServingQuestion& question, std::string_view key, std::string_view text, std::string_view where) {
  if (key == "engine") {
    question.engine = lower_case(text);
    return true;
  }
  if (key == "disaggregated") {
    if (text != "true" && text != "false") {
      return fail({std::string(where), fmt::format("\"{}\" is neither true nor false", shortened(text)),
                   "disaggregated = true"});
    }
    question.disaggregated = text == "true";
    return true;
  }
  if (key == "prefill_layout") {
    const auto layout = parse_layout(text, where);
    if (!layout) return fail(layout.error());
    question.prefill_layout = *layout;
    return true;
  }
  if (key == "prefill_on") {  // which says that prefill is apart
    question.prefill_machine = std::string(text);
    question.disaggregated = true;
    return true;
  }
  for (const Overlap one : {Overlap::none, Overlap::two, Overlap::full}) {
    if (text != name_of(one)) continue;
    question.overlap = one;
    return true;
  }
  return fail(
      {std::string(where), fmt::format("\"{}\" is no way to overlap", shortened(text)), "none, two-batch or full"});
}

void set_number(ServingQuestion& question, std::string_view key, double number) {
  if (key == "tp") question.tensor = number;
  if (key == "pp") question.pipeline = number;
  if (key == "cp") question.context = number;
  if (key == "dp") question.attention_data = number;
  if (key == "ep") question.expert = number;
  if (key == "redundant_experts") question.redundant_experts = number;
  if (key == "replicas") question.replicas = number;
  if (key == "isl") question.isl = number;
  if (key == "osl") question.osl = number;
  if (key == "concurrency") question.concurrency = number;
  if (key == "rate") question.rate = number;
  if (key == "cached") question.cached = number;
  if (key == "memory_utilization") question.memory_utilization = number;
  if (key == "token_budget") question.token_budget = number;
  if (key == "ubatch") question.ubatch = number;
  if (key == "speculative_tokens") question.speculative_tokens = number;
  if (key == "acceptance_rate") question.acceptance_rate = number;
  if (key == "prefill_price") question.prefill_price = number;
}

}  // namespace

const std::vector<ServingOption>& serving_options() {
  static const std::vector<ServingOption> options = {
      {"isl", false, true, kToken},
      {"osl", false, true, kToken},
      {"concurrency", false, true, kNone},
      {"rate", false, false, kNone, true},
      {"cached", false, false, kNone},
      {"engine", true, false, kNone},
      {"tp", false, true, kNone},
      {"pp", false, true, kNone},
      {"dp", false, true, kNone},
      {"ep", false, true, kNone},
      {"redundant_experts", false, true, kNone},
      {"cp", false, true, kNone},
      {"replicas", false, true, kNone},
      {"speculative_tokens", false, true, kNone},
      {"acceptance_rate", false, false, kNone},
      {"memory_utilization", false, false, kNone},
      {"token_budget", false, true, kToken},
      {"ubatch", false, true, kToken},
      {"overlap", true, false, kNone},
      {"disaggregated", true, false, kNone},
      {"prefill_layout", true, false, kNone},
      {"prefill_on", true, false, kNone},
      {"prefill_price", false, false, kDollar / ridge::kSecond},
  };
  return options;
}

const ServingOption* find_serving_option(std::string_view word) {
  const std::string key = underscored(word);
  const auto& options = serving_options();
  std::string name(key);
  std::replace(name.begin(), name.end(), '-', '_');
  const auto found =
      std::find_if(options.begin(), options.end(), [&](const ServingOption& option) { return option.key == name; });
  return found == options.end() ? nullptr : &*found;
}

Result<bool> set_serving_option(ServingQuestion& question, std::string_view key, std::string_view text,
                                std::string_view where) {
  const ServingOption* option = find_serving_option(key);
  if (option == nullptr) {
    std::vector<std::string> known;
    for (const ServingOption& one : serving_options()) known.emplace_back(one.key);
    return fail({std::string(where), fmt::format("unknown option \"{}\"", shortened(key)), suggestion(key, known)});
  }
  if (option->is_word) return set_word(question, option->key, text, where);
  const auto number = option->is_rate ? parse_request_rate(text, where) : parse_as(text, option->dimension, where);
  if (!number) return fail(number.error());
  set_number(question, option->key, *number);
  return true;
}

}  // namespace ridge::catalog
