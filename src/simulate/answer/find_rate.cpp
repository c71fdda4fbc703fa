#include "simulate/answer/find_rate.hpp"

#include <algorithm>
#include <atomic>

#include "simulate/answer/figures.hpp"
#include "simulate/client/benchmark_client.hpp"

namespace ridge::simulate {

namespace {

constexpr double kClose = 1.01;
constexpr int kRounds = 12;

RatePoint point_of(const SimulationResult& result, double rate, double share) {
  RatePoint point;
  point.rate = rate;
  point.share = share_within_targets(result);
  point.saturated = result.saturated;
  point.holds = point.share >= share && !result.saturated;
  point.ttft = result.all.ttft.spread();
  point.tpot = result.all.tpot.spread();
  point.e2e = result.all.e2e.spread();
  point.output_rate = result.output_rate();
  point.busy = result.busy;
  return point;
}

/// Requests one after another.
SimulationSetup alone(const RateQuestion& question) {
  SimulationSetup setup = question.setup;
  constexpr std::int64_t kEnough = 100;
  setup.client.arrivals = ClosedLoop{.users = 1};
  setup.client.requests = kEnough;
  return setup;
}

class Search {
 public:
  Search(const RateQuestion& question, const std::function<bool(std::int64_t)>& go_on)
      : question_(question), go_on_(go_on) {
    found_.share = question.share;
  }

  RateSearch run() {
    const SimulationResult one = simulate(alone(question_), question_.targets, {{}, {}, go_on_});
    found_.alone = point_of(one, 0, question_.share);
    found_.stopped = one.stopped;
    if (!found_.alone.holds || found_.stopped) return std::move(found_);
    constexpr double kFirst[] = {0.1, 0.25, 0.5, 0.7, 0.85, 0.95, 1.05, 1.2};
    std::vector<double> rates;
    for (const double part : kFirst) rates.push_back(part * question_.capacity);
    visit(rates);
    for (int round = 0; round < kRounds && !found_.stopped; ++round) {
      const auto [low, high] = bracket();
      if (low > 0 && high > 0 && high / low <= kClose) break;
      visit(between(low, high));
    }
    const auto [low, high] = bracket();
    if (low > 0) found_.rate = low;
    found_.fails_at = high;
    return std::move(found_);
  }

 private:
  /// The rates of the next round.
  static std::vector<double> between(double low, double high) {
    if (low == 0) return {high / 16, high / 4};
    if (high == 0) return {low * 1.5, low * 3};
    const double step = (high - low) / 4;
    return {low + step, low + 2 * step, low + 3 * step};
  }

  /// The highest rate below every one that fails, and the lowest that fails; 0: none yet.
  std::pair<double, double> bracket() const {
    double low = 0;
    for (const RatePoint& point : found_.points) {
      if (!point.holds) return {low, point.rate};
      low = point.rate;
    }
    return {low, 0};
  }

  void visit(const std::vector<double>& rates) {
    std::vector<SimulationSetup> setups;
    for (const double rate : rates) setups.push_back(at_rate(question_, rate, found_.alone.e2e.mean));
    std::vector<RatePoint> points(rates.size());
    std::atomic<bool> stopped = false;
    ManyOnlookers look;
    if (go_on_) look.go_on = [this](std::size_t, std::int64_t finished) { return go_on_(finished); };
    simulate_all(setups, question_.targets, question_.threads, look,
                 [&](std::size_t i, const SimulationResult& result) {
                   points[i] = point_of(result, rates[i], question_.share);
                   if (result.stopped) stopped = true;
                 });
    found_.stopped = stopped;
    if (stopped) return;  // a point of half a run is none
    found_.points.insert(found_.points.end(), points.begin(), points.end());
    std::sort(found_.points.begin(), found_.points.end(),
              [](const RatePoint& a, const RatePoint& b) { return a.rate < b.rate; });
  }

  const RateQuestion& question_;
  const std::function<bool(std::int64_t)>& go_on_;
  RateSearch found_;
};

}  // namespace

SimulationSetup at_rate(const RateQuestion& question, double rate, double request_time) {
  SimulationSetup setup = question.setup;
  if (auto* sessions = std::get_if<Sessions>(&setup.client.arrivals)) {
    sessions->rate = rate / sessions->turns;
  } else {
    std::get<OpenLoop>(setup.client.arrivals).rate = rate;
  }
  setup.client.requests = question.requests > 0 ? question.requests : requests_at(rate, request_time);
  return setup;
}

RateSearch find_rate(const RateQuestion& question, const std::function<bool(std::int64_t)>& go_on) {
  return Search(question, go_on).run();
}

}  // namespace ridge::simulate
