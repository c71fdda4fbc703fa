#include "price/make/cheapest_load.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "base/unit_text.hpp"

namespace ridge {

DollarsPerToken<double> cost_of(const ServingAnswer& answer) {
  return DollarsPerToken<double>(answer.chips_in_all * answer.price / answer.total_rate);
}

Errors slo_errors(const TpotSlo& slo, const ServingQuestion& question) {
  Errors errors;
  if (!(slo.tpot.value() > 0)) errors.push_back({"--tpot", show(slo.tpot), "above 0"});
  if (slo.given && (question.concurrency || question.rate))
    errors.push_back({"--tpot", "stands beside a load", "it chooses the load: give one of them"});
  return errors;
}

void choose_load(ServingAnswer& answer, const TpotSlo& slo, const Library& library) {
  constexpr int kTried = 48;
  ServingQuestion question = held(answer);
  std::optional<ServingAnswer> best;
  const auto keeps = [&](double each) {
    question.concurrency = each * answer.layout.replicas;
    auto tried = answer_serving(question, library);
    if (!tried || !tried->answer || slo.tpot < tried->answer->times.tpot) return false;
    if (!best || cost_of(*tried->answer) < cost_of(*best)) best = std::move(*tried->answer);
    return true;
  };
  // the more in flight, the slower for each: loads on the way to the promise, and the last that keeps it
  double low = 1.0, high = std::max(1.0, std::floor(answer.memory.sequences));
  if (!keeps(high) && keeps(low)) {
    while (high - low > 1) {
      const double middle = std::floor((low + high) / 2);
      (keeps(middle) ? low : high) = middle;
    }
    high = low;
  }
  for (int i = 1; i < kTried && high > 1; ++i) keeps(std::floor(std::pow(high, static_cast<double>(i) / kTried)));
  if (!best) {
    answer.notes.push_back(fmt::format("no load meets a TPOT of {} on this layout: concurrency {:g} instead",
                                       show(slo.tpot), answer.concurrency));
    return;
  }
  // how the layout came about was said of the first answer alone
  std::vector<std::string> notes = std::move(best->notes);
  std::copy_if(answer.notes.begin(), answer.notes.end(), std::back_inserter(notes),
               [](const std::string& note) { return note.starts_with("laid out as"); });
  notes.push_back(fmt::format("concurrency {:g}: the cheapest with a TPOT of {}{}", best->concurrency,
                              show(slo.tpot), slo.given ? "" : " (default)"));
  answer = std::move(*best);
  answer.notes = std::move(notes);
}

}  // namespace ridge
