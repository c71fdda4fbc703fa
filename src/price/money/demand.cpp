#include "price/money/demand.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "base/text.hpp"
#include "base/unit_text.hpp"
#include "price/money/chip_cost.hpp"
#include "train/laws.hpp"

namespace ridge {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kSparsest = 256;
constexpr int kSparsityPoints = 65;
constexpr const char* kUserEntry = "user";

class Answerer {
 public:
  Answerer(const DemandQuestion& question, const Library& library) : library_(library) { out_.question = question; }

  Result<DemandAnswer> run() {
    const auto resolved = resolve(out_.question.scenario, library_);
    if (!resolved) return fail(resolved.error());
    out_.resolved = *resolved;
    out_.notes = resolved->name_notes;
    if (const auto free = free_chip(numbers().price)) return fail(*free);
    if (const auto done = fill_user(); !done) return fail(done.error());
    if (const auto done = fill_points(); !done) return fail(done.error());
    fill_traffic();
    if (const auto done = fill_curves(); !done) return fail(done.error());
    return std::move(out_);
  }

 private:
  const DecodeCase<double>& numbers() const { return out_.resolved.numbers; }

  Result<bool> fill_user() {
    out_.per_user = out_.question.per_user;
    out_.per_user_from = {"--per-user", Kind::user};
    if (out_.per_user.value() > 0) return true;
    const NumbersEntry* user = find_named(library_.traffic, kUserEntry);
    const auto found = user == nullptr ? decltype(user->numbers.begin()){} : user->numbers.find("output");
    if (user == nullptr || found == user->numbers.end())
      return fail({"--per-user", "nobody says what a user asks for", "give it, e.g. --per-user '10k tok/day'"});
    out_.per_user = TokensPerSecond<double>(found->second.value.value);
    out_.per_user_from = found->second.from;
    return true;
  }

  DemandPoint point_at(std::string name, double batch) const {
    DecodeCase<double> c = numbers();
    c.batch = Ratio<double>(batch);
    const DecodeEstimate<double> e = estimate_decode(c);
    return {std::move(name), c.batch, e.step_time, e.total_rate, e.total_rate / out_.per_user, e.cost};
  }

  Result<bool> fill_points() {
    const DecodeEstimate<double> e = estimate_decode(numbers());
    out_.balance = flip_batch(numbers());
    out_.largest = std::floor(e.batch_limit.value());
    if (!(out_.largest >= 1)) {
      return fail({"--on",
                   fmt::format("{} does not fit on {} with {} tokens of context", out_.resolved.model_title,
                               out_.resolved.machine_title, with_commas(numbers().context.value())),
                   "ridge fit says what is missing"});
    }
    const double balanced = std::min(std::ceil(out_.balance), out_.largest);
    const std::string balanced_name = out_.balance <= out_.largest ? "balance" : "full";
    const double batch = out_.question.given_batch ? numbers().batch.value() : balanced;
    if (batch > out_.largest)
      out_.notes.push_back(
          fmt::format("a batch of {} does not fit: {} does", with_commas(batch), with_commas(out_.largest)));
    if (!std::isfinite(out_.balance))
      out_.notes.push_back(
          "no batch balances compute and memory at this context; the largest that fits is taken instead");
    else if (out_.balance > out_.largest)
      out_.notes.push_back(
          fmt::format("the batch that balances compute and memory, {}, does not fit; the largest that does is taken",
                      with_commas(std::ceil(out_.balance))));
    out_.point = point_at(out_.question.given_batch ? "given" : balanced_name, batch);
    if (balanced >= 4) out_.others.push_back(point_at("quarter", std::ceil(balanced / 4)));
    out_.others.push_back(point_at(balanced_name, balanced));
    if (out_.largest > balanced) out_.others.push_back(point_at("full", out_.largest));
    return true;
  }

  void fill_traffic() {
    for (const NumbersEntry& entry : library_.traffic) {
      if (entry.name == kUserEntry) continue;
      const auto output = entry.numbers.find("output"), all = entry.numbers.find("all");
      const bool output_only = output != entry.numbers.end();
      if (!output_only && all == entry.numbers.end()) continue;
      const auto& number = output_only ? output->second : all->second;
      const TokensPerSecond<double> traffic(number.value.value);
      out_.traffic.push_back({entry.name, entry.title, output_only, traffic, out_.point.rate / traffic,
                              traffic / out_.point.rate, number.from});
    }
  }

  /// A model that is as good with another sparsity: every weight in experts, context and attention as they are.
  DecodeCase<double> as_good(const Params<double>& active, double sparsity) const {
    DecodeCase<double> c = numbers();
    const Ratio<double> chosen = c.experts_per_token;
    c.params_dense = c.params_lookup = Params<double>{};
    c.params_routed = sparsity * active;
    c.experts = sparsity * chosen;
    return c;
  }

  double cost_for(const DecodeCase<double>& c, double streams) const {
    const DecodeEstimate<double> e = estimate_decode(c);
    if (!(e.batch_limit.value() >= 1)) return kInfinity;  // does not fit: the curve ends
    if (!std::isfinite(streams)) return e.cost_floor.value();
    DecodeCase<double> filled = c;
    filled.batch = Ratio<double>(std::min(streams, std::floor(e.batch_limit.value())));
    return estimate_decode(filled).cost.value();
  }

  Result<bool> fill_curves() {
    const auto entry = out_.question.law.empty() ? usual_expert_law(library_, "--law")
                                                 : find_law(library_, out_.question.law, "experts", "--law");
    if (!entry) return fail(entry.error());
    const auto law = expert_law(**entry);
    if (!law) return fail(law.error());
    out_.law_title = (*entry)->title;
    const DecodeCase<double>& c = numbers();
    const double expansion = (c.experts / c.experts_per_token).value();
    const Params<double> active = c.params_dense + c.params_routed / expansion;
    const Params<double> dense = dense_equivalent(*law, active, Ratio<double>(expansion));
    out_.dense_equivalent = dense.value();
    if (const std::string note = extrapolation_note(**entry, dense); !note.empty()) out_.notes.push_back(note);
    std::vector<Ratio<double>> streams = out_.question.streams;
    if (streams.empty()) {
      for (const double many : {64.0, 512.0, 4096.0, 32768.0, kInfinity}) streams.emplace_back(many);
    }
    for (const Ratio<double>& many : streams) {
      SparsityCurve curve;
      curve.streams = many;
      for (int i = 0; i < kSparsityPoints; ++i) {
        const double sparsity = std::pow(kSparsest, static_cast<double>(i) / (kSparsityPoints - 1));
        const Params<double> own = active_for(*law, dense, sparsity);
        curve.sparsity.push_back(sparsity);
        curve.active.push_back(own.value());
        curve.cost.push_back(cost_for(as_good(own, sparsity), many.value()));
      }
      curve.best =
          static_cast<std::size_t>(std::min_element(curve.cost.begin(), curve.cost.end()) - curve.cost.begin());
      out_.curves.push_back(std::move(curve));
    }
    return true;
  }

  const Library& library_;
  DemandAnswer out_;
};

}  // namespace

Params<double> active_for(const ExpertLaw<double>& law, const Params<double>& dense, double sparsity) {
  double low = dense.value() / 1e4, high = dense.value() * 10;
  for (int halving = 0; halving < 100; ++halving) {
    const double middle = std::sqrt(low * high);
    (dense_equivalent(law, Params<double>(middle), Ratio<double>(sparsity)) < dense ? low : high) = middle;
  }
  return Params<double>(high);
}

Result<DemandAnswer> answer_demand(const DemandQuestion& question, const Library& library) {
  return Answerer(question, library).run();
}

}  // namespace ridge
