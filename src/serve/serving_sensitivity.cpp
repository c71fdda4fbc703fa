#include "serve/serving_sensitivity.hpp"

#include <algorithm>
#include <cmath>

#include "base/dual.hpp"
#include "serve/steady.ipp"

namespace ridge {

namespace {

/// Turns numbers into duals one after another; the one whose turn it is moves by its own size.
class Seeds {
 public:
  explicit Seeds(std::size_t moved) : moved_(moved) {}

  template <Dimension D>
  void set(std::string name, Quantity<D, Dual>& to, const Quantity<D, double>& from) {
    to = Quantity<D, Dual>(Dual(from.value(), names_.size() == moved_ ? from.value() : 0.0));
    names_.push_back(std::move(name));
  }
  template <class To, class From>
  void set_fields(const std::string& owner, To& to, const From& from) {
    std::vector<double> values;
    From::visit_fields(from, [&](std::string_view, const auto& field) { values.push_back(field.value()); });
    std::size_t i = 0;
    To::visit_fields(to, [&]<Dimension D>(std::string_view name, Quantity<D, Dual>& field) {
      set(owner + "." + std::string(name), field, Quantity<D, double>(values[i++]));
    });
  }
  const std::vector<std::string>& names() const { return names_; }

 private:
  std::size_t moved_;
  std::vector<std::string> names_;
};

/// All inputs with one of them moving; its place in the list is `moved`.
ServingTimes<Dual> moved_times(Seeds& seeds, const StepOperations& plan, const StepOperations& prefill_operations,
                               const ChipRates<double>& rates, const EngineCalibration<double>& engine,
                               const ServingLoad<double>& load) {
  ChipRates<Dual> r;
  constexpr const char* kMatrix[kPrecisions] = {"matmul.16-bit", "matmul.8-bit", "matmul.4-bit"};
  for (std::size_t i = 0; i < kPrecisions; ++i) seeds.set(kMatrix[i], r.peak.matrix[i], rates.peak.matrix[i]);
  seeds.set("hbm.bandwidth", r.peak.memory, rates.peak.memory);
  seeds.set("scale_up", r.peak.scale_up, rates.peak.scale_up);
  seeds.set("scale_out", r.peak.scale_out, rates.peak.scale_out);
  seeds.set_fields("chip", r.chip, rates.chip);
  seeds.set_fields("kernel", r.kernel, rates.kernel);
  EngineCalibration<Dual> e;
  seeds.set_fields("engine", e, engine);
  ServingLoad<Dual> l;
  seeds.set("concurrency", l.concurrency, load.concurrency);
  seeds.set("isl", l.prompt, load.prompt);
  seeds.set("osl", l.answer, load.answer);
  seeds.set("capacity", l.capacity, load.capacity);
  l.cached = Ratio<Dual>(Dual(load.cached.value()));
  l.acceptance_rate = Ratio<Dual>(Dual(load.acceptance_rate.value()));
  l.speculative_tokens = load.speculative_tokens;
  l.draft_layers = load.draft_layers;
  l.token_budget = load.token_budget;
  l.overlap = load.overlap;
  l.disaggregated = load.disaggregated;
  return serving_times(plan, r, e, l, prefill_alone_time(prefill_operations, r, e, l));
}

double elasticity(const Dual& figure) { return figure.value != 0 ? figure.slope / figure.value : 0; }

}  // namespace

std::vector<ServingElasticity> serving_sensitivity(const StepOperations& plan, const StepOperations& prefill_operations,
                                                   const ChipRates<double>& rates,
                                                   const EngineCalibration<double>& engine,
                                                   const ServingLoad<double>& load) {
  std::vector<ServingElasticity> all;
  for (std::size_t moved = 0;; ++moved) {
    Seeds seeds(moved);
    const ServingTimes<Dual> times = moved_times(seeds, plan, prefill_operations, rates, engine, load);
    if (moved >= seeds.names().size()) break;
    all.push_back({seeds.names()[moved], elasticity(times.tpot.value()), elasticity(times.ttft.value()),
                   elasticity(times.requests.value())});
  }
  std::stable_sort(all.begin(), all.end(), [](const ServingElasticity& a, const ServingElasticity& b) {
    return std::abs(a.tpot) > std::abs(b.tpot);
  });
  return all;
}

}  // namespace ridge
