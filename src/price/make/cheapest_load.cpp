#include "price/make/cheapest_load.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/field_text.hpp"
#include "base/unit_text.hpp"

namespace ridge {

Errors slo_errors(const TpotSlo& slo, const ServingQuestion& question) {
  Errors errors;
  if (!(slo.tpot.value() > 0)) errors.push_back({"tpot", show(slo.tpot), "above 0"});
  if (slo.given && (question.concurrency || question.rate))
    errors.push_back({"tpot", "stands beside a load", "it chooses the load: give one of them"});
  return errors;
}

std::optional<RequestLoad> cheapest_load(const Deployment& deployment, const RequestLoad& lengths, const TpotSlo& slo) {
  constexpr int kTried = 48;
  std::optional<RequestLoad> best;
  DollarsPerToken<double> least{};
  const auto meets = [&](double concurrency) {
    RequestLoad load = lengths;
    load.concurrency = concurrency;
    const ServingEstimate tried = evaluate(deployment, load);
    if (slo.tpot < tried.times.tpot) return false;
    if (!best || tried.cost_of_all < least) {
      best = load;
      least = tried.cost_of_all;
    }
    return true;
  };
  // the more in flight, the slower for each: loads on the way to the SLO, and the last that meets it
  const double room = evaluate(deployment, lengths).memory.sequences.value();
  double low = 1.0, high = std::max(1.0, std::floor(room));
  if (!meets(high) && meets(low)) {
    while (high - low > 1) {
      const double middle = std::floor((low + high) / 2);
      (meets(middle) ? low : high) = middle;
    }
    high = low;
  }
  for (int i = 1; i < kTried && high > 1; ++i) meets(std::floor(std::pow(high, static_cast<double>(i) / kTried)));
  return best;
}

LoadChoice load_within(const TpotSlo& slo, const ServingQuestion& question, const Deployment& deployment) {
  LoadChoice choice = chosen_load(question, deployment);
  if (question.concurrency || question.rate) return choice;
  const auto cheapest = cheapest_load(deployment, choice.load, slo);
  if (!cheapest) {
    choice.notes.push_back(fmt::format("no load meets a TPOT of {} on this layout: concurrency {:g} instead",
                                       show(slo.tpot), choice.load.concurrency));
    return choice;
  }
  if (!choice.load.decodes()) {
    return {
        *cheapest,
        0,
        {fmt::format("concurrency {:g}: the cheapest; one output token has no TPOT to hold", cheapest->concurrency)}};
  }
  return {*cheapest,
          0,
          {fmt::format("concurrency {:g}: the cheapest with a TPOT of {}{}", cheapest->concurrency, show(slo.tpot),
                       slo.given ? "" : " (default)")}};
}

}  // namespace ridge
