#include "claims/inputs.hpp"

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "price/sheet/sheet_list.hpp"
#include "train/laws.hpp"
#include "train/lifecycle_answer.hpp"

namespace ridge {

namespace {

constexpr const char* kDenseModel = "llama-3-70b";  // any model without experts has the chip's own ridge

DecodeCase<double> scaled_peaks(DecodeCase<double> c, const Ratio<double>& factor) {
  c.matmul_weights = factor * c.matmul_weights;
  c.matmul_experts = factor * c.matmul_experts;
  c.matmul_attention = factor * c.matmul_attention;
  return c;
}

}  // namespace

double Inputs::number(std::string_view key, Dimension dimension) {
  const auto found = claim_.given.find(key);
  if (found == claim_.given.end()) {
    errors_.push_back({"claim " + claim_.id, fmt::format("given.{} is missing", key),
                       "add it with the speaker's number and its source"});
    return 0.0;
  }
  const Measure& measure = found->second.value;
  if (measure.dimension != dimension) {
    const auto unit = [](Dimension d) { return d == kNone ? std::string("a plain number") : unit_name(d); };
    errors_.push_back(
        {"claim " + claim_.id,
         fmt::format("given.{} is in {}, but {} is needed", key, unit(measure.dimension), unit(dimension)),
         "change its unit"});
    return 0.0;
  }
  return measure.value;
}

void Inputs::missing(std::string_view what, std::string_view name, const std::vector<std::string>& known) {
  errors_.push_back({"claim " + claim_.id,
                     fmt::format("needs the {} \"{}\", which the catalog does not have", what, name),
                     suggestion(name, known)});
}

PriceSheet Inputs::sheet(std::string_view name) {
  const auto found = find_sheet(sheets_, name, "claim " + claim_.id);
  if (found) return **found;
  collect(found.error());
  PriceSheet none;  // something to divide by
  none.input = none.output = DollarsPerToken<double>(1.0);
  return none;
}

ProviderTraffic Inputs::traffic(std::string_view name) {
  const TokensPerSecond<double> one(1.0);  // something to divide by
  const NumbersEntry* entry = find_named(library_.traffic, name);
  if (entry == nullptr) {
    missing("traffic", name, names_of(library_.traffic));
    return {one, one, {}, {}};
  }
  const auto read = traffic_of(*entry);
  if (read) return *read;
  collect(read.error());
  return {one, one, {}, {}};
}

DecodeCase<double> Inputs::decode(const Setting& setting) {
  const Provenance from{"claim " + claim_.id, Kind::user};
  const auto format = [](const std::string& name) { return name.empty() ? std::nullopt : std::optional(name); };
  Scenario scenario;
  scenario.model = setting.model;
  scenario.machine = setting.machine;
  scenario.weights = format(setting.weights);
  // on the blackboard a model released in fp8 has one byte a weight: no scales, nothing wider
  const Model* known = find_named(library_.models, setting.model);
  if (!scenario.weights && known != nullptr && known->precision.value.weights.starts_with("fp8"))
    scenario.weights = "fp8";
  scenario.attention = format(setting.attention);
  scenario.kv = format(setting.kv);
  scenario.given = {{"batch", 1.0, from}, {"context", 0.0, from}};
  const auto resolved = resolve(scenario, library_);
  if (resolved) return resolved->numbers;
  collect(resolved.error());
  return {};
}

void Inputs::collect(const Errors& errors) {
  for (Error error : errors) {
    error.where = "claim " + claim_.id + ": " + error.where;
    errors_.push_back(std::move(error));
  }
}

LifecycleCase<double> Inputs::lifecycle() {
  const auto resolved = resolve_lifecycle({}, library_);
  if (resolved) return resolved->numbers;
  collect(resolved.error());
  return {};
}

ExpertLaw<double> Inputs::expert_law_named(std::string_view name) {
  const auto entry = find_law(library_, name, "experts", "law");
  if (entry) {
    const auto law = expert_law(**entry);
    if (law) return *law;
    collect(law.error());
  } else {
    collect(entry.error());
  }
  return {};
}

Ratio<double> Inputs::network_ratio(std::string_view machine_name) {
  const Machine found = machine(machine_name);
  if (!found.scale_up || !found.scale_out) {
    errors_.push_back({"claim " + claim_.id,
                       fmt::format("machine \"{}\" has no scale-up or no scale-out bandwidth", machine_name),
                       "add scale_up.bandwidth and scale_out.bandwidth to it"});
    return {};
  }
  return found.scale_up->value / found.scale_out->value;
}

Ratio<double> chip_ratio(Inputs& in, const std::string& machine, const std::string& format) {
  const DecodeCase<double> c = in.decode({.model = kDenseModel, .machine = machine, .weights = format});
  return estimate_decode(c).ridge_weights;
}

DecodeCase<double> with_ratio(DecodeCase<double> c, const Ratio<double>& ratio) {
  DecodeCase<double> all_used = c;
  all_used.experts_per_token = all_used.experts;
  return scaled_peaks(c, ratio / estimate_decode(all_used).ridge_weights);
}

DecodeCase<double> with_sparsity(DecodeCase<double> c, const Ratio<double>& sparsity) {
  c.params_routed = c.params_dense + c.params_routed;
  c.params_dense = {};
  c.experts = sparsity;
  c.experts_per_token = 1.0;
  return c;
}

DecodeCase<double> with_table_read(DecodeCase<double> c) {
  c.params_dense = c.params_dense + c.params_lookup;
  c.params_lookup = {};
  return c;
}

DecodeCase<double> with_step(DecodeCase<double> c, const Seconds<double>& step) {
  const Ratio<double> factor = estimate_decode(c).step_time / step;
  c.hbm_bandwidth = factor * c.hbm_bandwidth;
  return scaled_peaks(c, factor);
}

DecodeCase<double> with_nameplate(DecodeCase<double> c, const Chip& chip) {
  c.hbm_capacity = chip.capacity.value;
  return c;
}

}  // namespace ridge
