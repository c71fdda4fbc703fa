#include "serve/estimate.ipp"

#include <algorithm>
#include <cmath>

namespace ridge {

template ServingEstimate evaluate(const Deployment&, const ServingCase<double>&);

namespace {

/// Times alone: what a search over loads asks for.
ServingTimes<double> times_at(const Deployment& deployment, const ServingCase<double>& c,
                              const Ratio<double>& capacity) {
  const ServingLoad<double> load = load_of(deployment.ground.engine, c, capacity);
  const ChipPaces<double> paces = c.rates();
  const ChipPaces<double> there =
      deployment.prefill_elsewhere ? ChipPaces<double>(deployment.prefill_elsewhere->numbers.rates()) : paces;
  const Seconds<double> alone = prefill_alone_time(deployment.prefill.operations, there, c.engine, load);
  return serving_times(deployment.decode.operations, paces, c.engine, load, alone);
}

}  // namespace

ServingCase<double> under(const ServingGround& ground, const RequestLoad& load) {
  ServingCase<double> c = ground.numbers;
  c.isl = Tokens<double>(load.isl);
  c.osl = Tokens<double>(load.osl);
  c.decodes = load.decodes();
  c.cached = load.cached;
  c.concurrency = load.concurrency;
  return c;
}

ServingLoad<double> serving_load(const ServingGround& ground, const RequestLoad& load, double capacity) {
  return load_of(ground.engine, under(ground, load), Ratio<double>(capacity));
}

bool fits(const Deployment& deployment, const ServingEstimate& estimate) {
  return estimate.memory.longest_held.value() >= 1 &&
         (!deployment.ground.engine.disaggregated || estimate.prefill_memory.longest_held.value() >= 1);
}

RateLoad concurrency_for(const Deployment& deployment, const RequestLoad& load, double rate) {
  ServingCase<double> c = under(deployment.ground, load);
  const Ratio<double> capacity = chip_memory(deployment.decode.operations, memory_terms(deployment.ground.engine, c),
                                             request_lengths(c.isl, c.osl))
                                     .sequences;
  const double most = std::max(1.0, load_of(deployment.ground.engine, c, capacity).capacity.value()),
               wanted = rate / deployment.layout().replicas;
  const auto requests_with = [&](double concurrency) {
    c.concurrency = concurrency;
    return times_at(deployment, c, capacity).requests.value();
  };
  RateLoad out;
  out.share = wanted / requests_with(most);
  double low = 1e-12, high = most;
  for (int i = 0; i < 100; ++i) {
    const double middle = std::sqrt(low * high);
    (requests_with(middle) < wanted ? low : high) = middle;
  }
  out.concurrency = std::min(high, most);
  return out;
}

}  // namespace ridge
