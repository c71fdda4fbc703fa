// Is every dollar of a bill paid once, and does it stand in exactly one part? Over random demands and steps.

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <vector>

#include <doctest/doctest.h>

#include "price/make/price_break.hpp"
#include "price/make/step_costs.hpp"

namespace money_conserved_test {

using namespace ridge;
using doctest::Approx;

namespace {

constexpr unsigned kSeed = 1509;
constexpr int kCases = 300;
constexpr double kRounding = 1e-12;  // of sums of a few dozen numbers

double log_uniform(std::mt19937_64& random, double low, double high) {
  return low * std::pow(high / low, std::uniform_real_distribution<double>(0, 1)(random));
}

/// Requests of 2 to 40 lengths; longer ones cost more for the most part, but not always.
std::vector<BandCost> random_costs(std::mt19937_64& random) {
  const int count = std::uniform_int_distribution<int>(2, 40)(random);
  const double bend = log_uniform(random, 1e3, 1e6), noise = log_uniform(random, 1e-3, 0.3);
  std::vector<BandCost> costs;
  double sum = 0;
  for (int i = 0; i < count; ++i) {
    const double length = log_uniform(random, 100, 1e6), share = log_uniform(random, 0.01, 1);
    const double rises = (1 + length / bend) * log_uniform(random, 1 - noise, 1 + noise);
    costs.push_back({{Tokens<double>(length), share},
                     DollarsPerToken<double>(1e-6 * rises),
                     DollarsPerToken<double>(5e-6 * rises)});
    sum += share;
  }
  for (BandCost& one : costs) one.band.share /= sum;
  return costs;
}

/// Requests that bring so many tokens of input in that length.
double requests(const BandCost& one) { return one.band.share / one.band.length.value(); }

double cost(const BandCost& one, const Tokens<double>& answer) {
  return requests(one) * (one.band.length * one.input + answer * one.output).value();
}

double paid(const BandCost& one, const DemandSide& side, const Tokens<double>& answer) {
  return requests(one) * (one.band.length * side.input + answer * side.output).value();
}

}  // namespace

TEST_CASE("money is conserved: all customers together pay what all requests cost") {
  std::mt19937_64 random(kSeed);
  int steps = 0;
  for (int i = 0; i < kCases; ++i) {
    CAPTURE(i);
    const std::vector<BandCost> costs = random_costs(random);
    const Tokens<double> answer(log_uniform(random, 10, 1e4));
    double bill = 0, all_requests = 0, overpaid = 0;
    const DemandSide whole = whole_demand(costs);
    double at_one_price = 0;
    for (const BandCost& one : costs) {
      bill += cost(one, answer);
      all_requests += requests(one);
      at_one_price += paid(one, whole, answer);
      overpaid += std::max(0.0, paid(one, whole, answer) - cost(one, answer));
    }
    CHECK(at_one_price == Approx(bill).epsilon(kRounding));
    CHECK(whole.tokens == Approx(1).epsilon(kRounding));
    CHECK(whole.requests == Approx(1).epsilon(kRounding));

    const auto step = best_step(costs, answer);
    if (!step) continue;
    ++steps;
    // every request stands on one side, and each side pays for its own requests
    struct Side {
      double cost = 0, paid = 0, overpaid = 0, tokens = 0, requests = 0;
    };
    std::array<Side, 2> sides;
    for (const BandCost& one : costs) {
      const bool over = one.band.length > step->above;
      Side& side = sides[over ? 1 : 0];
      const double pays = paid(one, over ? step->over : step->below, answer), costs_it = cost(one, answer);
      side.cost += costs_it;
      side.paid += pays;
      side.overpaid += std::max(0.0, pays - costs_it);
      side.tokens += one.band.share;
      side.requests += requests(one) / all_requests;
    }
    CHECK(sides[0].paid == Approx(sides[0].cost).epsilon(kRounding));
    CHECK(sides[1].paid == Approx(sides[1].cost).epsilon(kRounding));
    CHECK(sides[0].paid + sides[1].paid == Approx(bill).epsilon(kRounding));
    CHECK(step->below.tokens == Approx(sides[0].tokens).epsilon(kRounding));
    CHECK(step->over.tokens == Approx(sides[1].tokens).epsilon(kRounding));
    CHECK(step->below.requests == Approx(sides[0].requests).epsilon(kRounding));
    CHECK(step->over.requests == Approx(sides[1].requests).epsilon(kRounding));
    // what moves between customers is what some pay too much, and a step never moves more than one price does
    CHECK(step->moved == Approx((sides[0].overpaid + sides[1].overpaid) / bill).epsilon(kRounding));
    CHECK(step->moved_without == Approx(overpaid / bill).epsilon(kRounding));
  }
  CHECK(steps > kCases / 2);
}

TEST_CASE("every second of a step, and so every dollar of a token, stands in exactly one part") {
  std::mt19937_64 random(kSeed);
  for (int i = 0; i < kCases; ++i) {
    CAPTURE(i);
    const auto seconds = [&] { return Seconds<double>(log_uniform(random, 1e-5, 1e-1)); };
    StepUse<double> use{.compute = seconds(),
                        .weights = seconds(),
                        .context = seconds(),
                        .kernels = {},
                        .step = {},
                        .engine = seconds(),
                        .idle = seconds()};
    const Seconds<double> bound = max(use.compute, use.weights + use.context);
    use.kernels = bound + seconds();                  // kernels are slower than peaks
    use.step = use.kernels + use.engine + seconds();  // and the wire adds to them
    const StepCosts<double> parts = step_costs(use);
    CHECK(parts.total().value() == Approx((use.step + use.idle).value()).epsilon(kRounding));
    CHECK((parts.weights + parts.context + parts.compute).value() == Approx(bound.value()).epsilon(kRounding));
    for (const Seconds<double>& part :
         {parts.weights, parts.context, parts.compute, parts.network, parts.below_peak, parts.engine, parts.idle}) {
      CHECK(part.value() > 0);
    }
    // one more second of any of them is one more second of that part alone
    const auto more = [&](Seconds<double> StepUse<double>::*grown, Seconds<double> StepCosts<double>::*in) {
      StepUse<double> longer = use;
      const Seconds<double> second(use.step.value());
      longer.*grown = longer.*grown + second;
      if (grown != &StepUse<double>::step && grown != &StepUse<double>::idle) longer.step = longer.step + second;
      const StepCosts<double> after = step_costs(longer);
      CHECK((after.*in - parts.*in).value() == Approx(second.value()).epsilon(1e-9));
      CHECK((after.total() - parts.total()).value() == Approx(second.value()).epsilon(1e-9));
    };
    more(&StepUse<double>::step, &StepCosts<double>::network);
    more(&StepUse<double>::kernels, &StepCosts<double>::below_peak);
    more(&StepUse<double>::engine, &StepCosts<double>::engine);
    more(&StepUse<double>::idle, &StepCosts<double>::idle);
  }
}

}  // namespace money_conserved_test
