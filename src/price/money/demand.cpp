#include "price/money/demand.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "base/text/field_text.hpp"
#include "base/text/text.hpp"
#include "base/text/unit_text.hpp"
#include "price/money/chip_cost.hpp"
#include "price/money/traffic.hpp"
#include "serve/slo/bought_replica.hpp"
#include "train/laws.hpp"

namespace ridge {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kSparsest = 256;
constexpr int kSparsityPoints = 65;
constexpr const char* kUserEntry = "user";

/// What a user asks for, given or by the catalog.
Result<Sourced<TokensPerSecond<double>>> user_demand(const DemandQuestion& question, const Library& library) {
  if (question.per_user.value() > 0)
    return Sourced<TokensPerSecond<double>>{question.per_user, {"--per-user", Kind::user}};
  const NumbersEntry* user = find_named(library.traffic, kUserEntry);
  const auto found = user == nullptr ? decltype(user->numbers.begin()){} : user->numbers.find("output");
  if (user == nullptr || found == user->numbers.end()) {
    return fail({"per_user", "nobody says what a user asks for",
                 fmt::format("give it, e.g. {}", field("per_user", "10k tok/day"))});
  }
  return Sourced<TokensPerSecond<double>>{TokensPerSecond<double>(found->second.value.value), found->second.from};
}

DemandPoint demand_point(DecodeCase<double> c, const TokensPerSecond<double>& per_user, std::string name,
                         double batch) {
  c.batch = Ratio<double>(batch);
  const DecodeEstimate<double> e = estimate_decode(c);
  return {std::move(name), c.batch, e.step_time, e.total_rate, e.total_rate / per_user, e.cost};
}

/// Batches at which a machine serves: the one that is asked for, and those beside it.
struct DemandPoints {
  double balance = 0, largest = 0;  // batches: compute and memory alike; the most that fit
  DemandPoint point;
  std::vector<DemandPoint> others;
  std::vector<std::string> notes;
};

std::vector<std::string> batch_notes(double batch, double balance, double largest) {
  std::vector<std::string> notes;
  if (batch > largest)
    notes.push_back(fmt::format("a batch of {} does not fit: {} does", with_commas(batch), with_commas(largest)));
  if (!std::isfinite(balance))
    notes.emplace_back("no batch balances compute and memory at this context; the largest that fits is taken instead");
  else if (balance > largest)
    notes.push_back(
        fmt::format("the batch that balances compute and memory, {}, does not fit; the largest that does is taken",
                    with_commas(std::ceil(balance))));
  return notes;
}

Result<DemandPoints> demand_points(const ResolvedCase& resolved, bool given_batch,
                                   const TokensPerSecond<double>& per_user) {
  const DecodeCase<double>& c = resolved.numbers;
  DemandPoints out;
  out.balance = flip_batch(c);
  out.largest = std::floor(estimate_decode(c).batch_limit.value());
  if (!(out.largest >= 1)) {
    return fail({"machine",
                 fmt::format("{} does not fit on {} with {} tokens of context", resolved.model_title,
                             resolved.machine_title, with_commas(c.context.value())),
                 "ridge fit says what is missing"});
  }
  const double balanced = std::min(std::ceil(out.balance), out.largest);
  const std::string balanced_name = out.balance <= out.largest ? "balance" : "full";
  const double batch = given_batch ? c.batch.value() : balanced;
  out.notes = batch_notes(batch, out.balance, out.largest);
  const auto point = [&](std::string name, double many) { return demand_point(c, per_user, std::move(name), many); };
  out.point = point(given_batch ? "given" : balanced_name, batch);
  if (balanced >= 4) out.others.push_back(point("quarter", std::ceil(balanced / 4)));
  out.others.push_back(point(balanced_name, balanced));
  if (out.largest > balanced) out.others.push_back(point("full", out.largest));
  return out;
}

/// What is known of providers' traffic beside what one machine puts out: output against output.
Result<std::vector<TrafficShare>> traffic_beside(const TokensPerSecond<double>& rate, const Library& library) {
  std::vector<TrafficShare> rows;
  Errors errors;
  for (const NumbersEntry& entry : library.traffic) {
    if (entry.name == kUserEntry) continue;
    const auto traffic = traffic_of(entry);
    if (!traffic) {
      append(errors, traffic.error());
      continue;
    }
    TrafficShare row;
    row.name = entry.name;
    row.title = entry.title;
    row.traffic = traffic->all;
    row.output = traffic->output;
    row.by_share = traffic->by_share;
    row.share = rate / traffic->output;
    row.deployments = traffic->output / rate;
    row.from = traffic->from;
    rows.push_back(std::move(row));
  }
  if (!errors.empty()) return fail(std::move(errors));
  return rows;
}

/// A model that is as good with another sparsity: every weight in experts, context and attention as they are.
DecodeCase<double> as_good(DecodeCase<double> c, const Params<double>& active, double sparsity) {
  const Ratio<double> chosen = c.experts_per_token;
  c.params_dense = c.params_lookup = Params<double>{};
  c.params_routed = sparsity * active;
  c.experts = sparsity * chosen;
  return c;
}

double cost_for(const DecodeCase<double>& c, double streams) {
  const DecodeEstimate<double> e = estimate_decode(c);
  if (!(e.batch_limit.value() >= 1)) return kInfinity;  // does not fit: the curve ends
  if (!std::isfinite(streams)) return e.cost_floor.value();
  DecodeCase<double> filled = c;
  filled.batch = Ratio<double>(std::min(streams, std::floor(e.batch_limit.value())));
  return estimate_decode(filled).cost.value();
}

SparsityCurve sparsity_curve(const DecodeCase<double>& c, const ExpertLaw<double>& law, const Params<double>& dense,
                             const Ratio<double>& streams) {
  SparsityCurve curve;
  curve.streams = streams;
  for (int i = 0; i < kSparsityPoints; ++i) {
    const double sparsity = std::pow(kSparsest, static_cast<double>(i) / (kSparsityPoints - 1));
    const Params<double> own = active_for(law, dense, sparsity);
    curve.sparsity.push_back(sparsity);
    curve.active.push_back(own.value());
    curve.cost.push_back(cost_for(as_good(c, own, sparsity), streams.value()));
  }
  curve.best = static_cast<std::size_t>(std::min_element(curve.cost.begin(), curve.cost.end()) - curve.cost.begin());
  return curve;
}

/// The cost of models that are as good as this one, by their sparsity.
struct SparsityCurves {
  std::string law_title, note;
  Params<double> dense_equivalent;
  std::vector<SparsityCurve> curves;
};

Result<SparsityCurves> sparsity_curves(const DecodeCase<double>& c, const DemandQuestion& question,
                                       const Library& library) {
  const auto entry = question.law.empty() ? usual_expert_law(library, "expert_law")
                                          : find_law(library, question.law, "experts", "expert_law");
  if (!entry) return fail(entry.error());
  const auto law = expert_law(**entry);
  if (!law) return fail(law.error());
  SparsityCurves out;
  out.law_title = (*entry)->title;
  out.dense_equivalent = dense_equivalent(*law, c.params_active(), c.experts / c.experts_per_token);
  out.note = extrapolation_note(**entry, out.dense_equivalent);
  std::vector<Ratio<double>> streams = question.streams;
  if (streams.empty()) {
    for (const double many : {64.0, 512.0, 4096.0, 32768.0, kInfinity}) streams.emplace_back(many);
  }
  for (const Ratio<double>& many : streams) out.curves.push_back(sparsity_curve(c, *law, out.dense_equivalent, many));
  return out;
}

/// The nodes that one deployment takes at its load, with the chips that prefill for it; all that they hold is at work.
DeployedDemand deployed_demand(const ServingAnswer& served, const TokensPerSecond<double>& per_user) {
  const BoughtReplica bought = bought_replica(served);
  DeployedDemand out;
  out.nodes = fleet_of({.rate = bought.replica.rate, .nodes = {}, .budget = {}}, bought.sold, bought.replica);
  out.rate = TokensPerSecond<double>(out.nodes.rate * served.load.osl);
  out.users = out.rate / per_user;
  out.cost = DollarsPerToken<double>(out.nodes.bill / out.rate.value());
  return out;
}

/// Those who ask for what a fleet was planned for; its bill is paid whatever its throughput.
DeployedDemand bought_demand(const BoughtFleet& fleet, double osl, const TokensPerSecond<double>& per_user) {
  DeployedDemand out;
  out.nodes = fleet.size;
  out.rate = TokensPerSecond<double>(*fleet.aim.rate * osl);
  out.users = out.rate / per_user;
  out.cost = DollarsPerToken<double>(fleet.size.bill / out.rate.value());
  return out;
}

}  // namespace

SparsityVerdict sparsity_verdict(const std::vector<SparsityCurve>& curves) {
  bool rises = false, falls = false, sparse = false;
  for (std::size_t i = 0; i < curves.size(); ++i) {
    sparse = sparse || curves[i].best > 0;
    if (i == 0) continue;
    const bool more = curves[i].streams > curves[i - 1].streams;
    const std::size_t few = curves[more ? i - 1 : i].best, many = curves[more ? i : i - 1].best;
    rises = rises || many > few;
    falls = falls || many < few;
  }
  if (!sparse) return SparsityVerdict::never;
  if (falls) return SparsityVerdict::mixed;
  return rises ? SparsityVerdict::with_users : SparsityVerdict::always_same;
}

Params<double> active_for(const ExpertLaw<double>& law, const Params<double>& dense, double sparsity) {
  double low = dense.value() / 1e4, high = dense.value() * 10;
  for (int halving = 0; halving < 100; ++halving) {
    const double middle = std::sqrt(low * high);
    (dense_equivalent(law, Params<double>(middle), Ratio<double>(sparsity)) < dense ? low : high) = middle;
  }
  return Params<double>(high);
}

Result<DemandAnswer> answer_demand(const DemandQuestion& question, const Library& library) {
  auto resolved = resolve(question.scenario, library);
  if (!resolved) return fail(resolved.error());
  if (const auto free = free_chip(resolved->numbers.price)) return fail(*free);
  const auto user = user_demand(question, library);
  if (!user) return fail(user.error());
  auto points = demand_points(*resolved, question.given_batch, user->value);
  if (!points) return fail(points.error());
  auto sparsity = sparsity_curves(resolved->numbers, question, library);
  if (!sparsity) return fail(sparsity.error());
  DemandAnswer out;
  out.question = question;
  out.resolved = std::move(*resolved);
  out.per_user = user->value;
  out.per_user_from = user->from;
  out.balance = points->balance;
  out.largest = points->largest;
  out.point = std::move(points->point);
  out.others = std::move(points->others);
  out.notes = out.resolved.name_notes;
  out.notes.insert(out.notes.end(), points->notes.begin(), points->notes.end());
  if (question.served)
    out.deployed = question.fleet ? bought_demand(*question.fleet, question.served->load.osl, out.per_user)
                                  : deployed_demand(*question.served, out.per_user);
  auto traffic = traffic_beside(out.deployed ? out.deployed->rate : out.point.rate, library);
  if (!traffic) return fail(traffic.error());
  out.traffic = std::move(*traffic);
  out.law_title = std::move(sparsity->law_title);
  out.dense_equivalent = sparsity->dense_equivalent.value();
  out.curves = std::move(sparsity->curves);
  if (!sparsity->note.empty()) out.notes.push_back(std::move(sparsity->note));
  return out;
}

}  // namespace ridge
