#include "price/money/host.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/unit_text.hpp"
#include "price/make/cheapest_load.hpp"
#include "price/money/chip_cost.hpp"
#include "price/money/day.hpp"
#include "price/sheet/sheet_list.hpp"

namespace ridge {

namespace {

constexpr double kDay = 86400;

TokenMix<double> request_of(const ServingQuestion& question) {
  return {.fresh = Tokens<double>(question.isl * (1 - question.cached)),
          .cached = Tokens<double>(question.isl * question.cached),
          .output = Tokens<double>(question.osl)};
}

class Host {
 public:
  Host(const HostQuestion& question, const std::vector<const PriceSheet*>& sheets, const Library& library)
      : question_(question), sheets_(sheets), library_(library) {}

  Result<HostResult> run() {
    const auto resolved = resolve(question_.serving.scenario, library_);
    if (!resolved) return fail(resolved.error());
    if (const auto free = free_chip(resolved->numbers.price)) return fail(*free);
    answer_.price_from = resolved->from[input_index("price")];
    auto first = answer_serving(question_.serving, library_);
    if (!first) return fail(first.error());
    if (!first->answer) return HostResult{{}, std::move(first->shortfall)};
    answer_.question = question_;
    answer_.serving = std::move(*first->answer);
    if (!question_.serving.concurrency && !question_.serving.rate)
      choose_load(answer_.serving, question_.slo, library_);
    fill_costs();
    fill_hosts();
    if (const auto drawn = fill_margins(); !drawn) return fail(drawn.error());
    answer_.notes.insert(answer_.notes.end(), answer_.serving.notes.begin(), answer_.serving.notes.end());
    return HostResult{std::move(answer_), {}};
  }

 private:
  void fill_costs() {
    const ServingAnswer& serving = answer_.serving;
    answer_.request = request_of(serving.question);
    answer_.output = DollarsPerToken<double>(serving.output_cost);
    answer_.fresh = DollarsPerToken<double>(serving.input_cost);
    answer_.mixed = cost_of(serving);
    answer_.bill = DollarsPerSecond<double>(serving.chips_in_all * serving.price);
    answer_.capacity = TokensPerSecond<double>(serving.total_rate);
    split_cached();
    answer_.step = decode_costs(serving, library_);
    if (!question_.tokens_per_day) return;
    answer_.replicas = std::ceil(*question_.tokens_per_day / (answer_.capacity.value() * kDay));
    answer_.utilization = *question_.tokens_per_day / (answer_.replicas * answer_.capacity.value() * kDay);
    answer_.per_day = answer_.replicas * answer_.bill.value() * kDay;
  }

  /// Computed input from the same load without a cache, cached input from requests of which all but one token is
  /// cached. Not the difference of two mixes: prompts are cheaper by the token the fewer there are beside a step.
  void split_cached() {
    ServingQuestion other = held(answer_.serving);
    other.cached = 0;
    if (const auto without = answer_serving(other, library_); without && without->answer) {
      answer_.fresh = DollarsPerToken<double>(without->answer->input_cost);
      answer_.fresh_prefill = prefill_costs(*without->answer, library_);
    }
    other.cached = 1 - 1 / std::max(2.0, other.isl);
    if (const auto within = answer_serving(other, library_); within && within->answer) {
      answer_.cached = DollarsPerToken<double>(within->answer->input_cost);
      answer_.cached_prefill = prefill_costs(*within->answer, library_);
    }
  }

  /// What a mix brings at a sheet's prices, for a token.
  DollarsPerToken<double> sold(const PriceSheet& sheet, const TokenMix<double>& mix) const {
    return revenue(mix, prices_at(sheet, mix.fresh + mix.cached)).total() / mix.total();
  }

  void fill_hosts() {
    for (const PriceSheet* sheet : sheets_) {
      HostRow row;
      row.sheet = sheet;
      row.price = sold(*sheet, answer_.request);
      row.even = break_even(answer_.bill, row.price, answer_.capacity);
      const Tokens<double> all = answer_.request.total();
      row.margin = margin(row.price * all, answer_.mixed * all);
      if (question_.tokens_per_day) row.per_day = row.price.value() * *question_.tokens_per_day;
      answer_.hosts.push_back(row);
    }
    std::stable_sort(answer_.hosts.begin(), answer_.hosts.end(),
                     [](const HostRow& a, const HostRow& b) { return a.price < b.price; });
  }

  Result<bool> fill_margins() {
    ServingQuestion question = held(answer_.serving);
    for (int i = 0; i <= 19; ++i) {
      question.cached = i * 0.05;
      const auto tried = answer_serving(question, library_);
      if (!tried) return fail(tried.error());
      if (!tried->answer) continue;
      const TokenMix<double> mix = request_of(question);
      MarginPoint point{question.cached, cost_of(*tried->answer), {}};
      for (const HostRow& host : answer_.hosts) {
        const Tokens<double> all = mix.total();
        point.margins.push_back(margin(sold(*host.sheet, mix) * all, point.cost * all).value());
      }
      answer_.margins.push_back(std::move(point));
    }
    return true;
  }

  const HostQuestion& question_;
  const std::vector<const PriceSheet*>& sheets_;
  const Library& library_;
  HostAnswer answer_;
};

}  // namespace

Result<HostResult> answer_host(const HostQuestion& question, const std::vector<const PriceSheet*>& sheets,
                               const Library& library) {
  if (question.tokens_per_day && !(*question.tokens_per_day > 0))
    return fail({"--tokens-per-day", fmt::format("{:g} tokens", *question.tokens_per_day), "above 0"});
  if (Errors wrong = slo_errors(question.slo, question.serving); !wrong.empty()) return fail(std::move(wrong));
  return Host(question, sheets, library).run();
}

std::vector<const PriceSheet*> sheets_of_weights(const std::vector<PriceSheet>& sheets, std::string_view model) {
  std::vector<const PriceSheet*> found;
  for (const SoldModel& sold : by_model(sheets)) {
    if (sold.sheets.back()->weights == model) found.push_back(sold.sheets.back());
  }
  return found;
}

}  // namespace ridge
