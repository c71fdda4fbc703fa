// Whole fleets for an SLO.

#include "search/fleet/fleet.hpp"

#include <algorithm>
#include <cmath>

#include <doctest/doctest.h>

#include "catalog_library.hpp"
#include "repeats.hpp"

namespace fleet_test {

using namespace ridge;
using doctest::Approx;
using ridge::testing::library;

namespace {

FleetQuestion asked(double rate, const char* slo) {
  FleetQuestion question;
  question.plan.question.scenario.model = "llama-3.1-8b";
  question.plan.machines = {"hgx-h100"};
  question.plan.question.isl = 1000;
  question.plan.question.osl = 200;
  question.plan.fleet = FleetAim{.rate = rate, .nodes = {}, .budget = {}};
  question.slo = parse_slo(slo).value();
  question.simulates = false;
  return question;
}

}  // namespace

TEST_CASE("a fleet is whole, keeps the SLO with the confidence asked for, and costs what its nodes cost") {
  const FleetAnswer answer = plan_fleet(asked(100, "ttft.mean=1s,tpot.mean=20ms"), library()).value();
  REQUIRE(!answer.fleets.empty());
  const PlannedFleet& best = answer.fleets.front();
  REQUIRE(best.holds);
  CHECK(best.odds >= 0.9);
  const FleetSize& size = best.point.fleet;
  CHECK(size.nodes == std::floor(size.nodes));
  CHECK(size.replicas == std::floor(size.replicas));
  CHECK(size.replicas * best.point.layout.chips() +
            size.prefill_replicas * best.point.prefill_layout.chips() * (best.point.disaggregated ? 1 : 0) <=
        size.nodes * 8);
  const double price = best.closed.deployment.ground.numbers.price.value();
  CHECK(best.bill() == Approx(size.nodes * 8 * price));
  for (const PromisedFigure& one : best.promised) CHECK(one.value < one.target.limit.value());
}

TEST_CASE("more confidence, headroom or a stricter SLO never costs less") {
  const auto bill = [](const FleetQuestion& question) {
    return plan_fleet(question, library())->fleets.front().bill();
  };
  const FleetQuestion usual = asked(300, "ttft.mean=1s,tpot.mean=20ms");
  FleetQuestion surer = usual, roomier = usual, bolder = usual;
  surer.plan.confidence = 0.97;
  bolder.plan.confidence = 0.5;
  roomier.plan.fleet->headroom = 0.5;
  CHECK(bill(bolder) <= bill(usual));
  CHECK(bill(usual) <= bill(surer));
  CHECK(bill(usual) < bill(roomier));
  CHECK(bill(usual) <= bill(asked(300, "ttft.mean=1s,tpot.mean=12ms")));
}

TEST_CASE("the simulator decides: percentiles take at least the nodes that means take") {
  FleetQuestion question = asked(60, "ttft=1s,tpot=25ms");
  question.simulates = true;
  question.deployments = 1;
  const FleetAnswer answer = plan_fleet(question, library()).value();
  REQUIRE(!answer.fleets.empty());
  const PlannedFleet& best = answer.fleets.front();
  REQUIRE(best.holds);
  REQUIRE(best.simulated);
  CHECK(!best.simulated->saturated);
  CHECK(best.promised[0].value == best.simulated->ttft.p99);
  CHECK(best.promised[0].value <= 1);
  CHECK(answer.simulations > 0);
  // the same seed gives the same fleet
  CHECK(plan_fleet(question, library())->fleets.front().promised[0].value == best.promised[0].value);
}

TEST_CASE("what nodes serve, asked for as a rate, takes no more nodes") {
  FleetQuestion question = asked(1, "ttft.mean=1s,tpot.mean=20ms");
  question.plan.fleet = FleetAim{.rate = {}, .nodes = 2, .budget = {}};
  const FleetAnswer most = plan_fleet(question, library()).value();
  REQUIRE(!most.fleets.empty());
  const double rate = most.fleets.front().point.fleet.rate;
  CHECK(rate > 0);
  question.plan.fleet = FleetAim{.rate = rate, .nodes = {}, .budget = {}};
  CHECK(plan_fleet(question, library())->fleets.front().point.fleet.nodes <= 2);
}

TEST_CASE("progress never goes back, also while the interval of a rate is looked for") {
  FleetQuestion question = asked(1, "ttft=1s,tpot=25ms");
  question.plan.fleet = FleetAim{.rate = {}, .nodes = 1, .budget = {}};
  question.simulates = true;
  question.deployments = 1;
  if (kBrief) {  // stopped soon, not run twice to the end
    const auto two = [](std::uint64_t tried, std::int64_t) { return tried < 2; };
    const FleetAnswer stopped = plan_fleet(question, library(), two).value();
    CHECK(stopped.stopped);
    CHECK(!stopped.range);
    return;
  }
  std::uint64_t simulations = 0;
  std::int64_t requests = 0;
  bool forward = true;
  const FleetAnswer answer = plan_fleet(question, library(), [&](std::uint64_t tried, std::int64_t seen) {
                               forward = forward && tried >= simulations && seen >= requests;
                               simulations = tried;
                               requests = seen;
                               return true;
                             }).value();
  CHECK(forward);
  CHECK(answer.range);
  CHECK(simulations <= answer.simulations);  // those of the range, which come last, are counted
  const auto until_then = [&](std::uint64_t tried, std::int64_t) { return tried < simulations; };
  const FleetAnswer stopped = plan_fleet(question, library(), until_then).value();
  CHECK(stopped.stopped);
  CHECK(!stopped.range);
}

TEST_CASE("an SLO that nothing keeps is an answer, with what comes nearest") {
  const FleetAnswer answer = plan_fleet(asked(10, "tpot.mean=100us"), library()).value();
  CHECK((answer.fleets.empty() || !answer.fleets.front().holds));
  CHECK(!answer.plan.relaxations.empty());
}

TEST_CASE("pools of different machines: whole nodes of each, the bill of both, and less sure than one") {
  FleetQuestion question = asked(100, "ttft.mean=1s,tpot.mean=20ms");
  question.plan.machines = {"hgx-h200"};
  question.plan.prefill_machines = {"hgx-h100"};
  const FleetAnswer answer = plan_fleet(question, library()).value();
  REQUIRE(!answer.fleets.empty());
  const PlannedFleet& best = answer.fleets.front();
  REQUIRE(best.holds);
  CHECK(best.point.disaggregated);
  const FleetSize& size = best.point.fleet;
  CHECK(size.nodes >= 1);
  CHECK(size.prefill_nodes >= 1);
  CHECK(size.replicas * best.point.layout.chips() <= size.nodes * 8);
  CHECK(size.prefill_replicas * best.point.prefill_layout.chips() <= size.prefill_nodes * 8);
  const Deployment& deployment = best.closed.deployment;
  REQUIRE(deployment.prefill_elsewhere);
  CHECK(best.bill() == Approx(size.nodes * 8 * deployment.ground.numbers.price.value() +
                              size.prefill_nodes * 8 * deployment.prefill_ground().numbers.price.value()));
  CHECK(best.closed.errors.situation.two_machines);
  const auto note = [&](const char* words) {
    return std::any_of(answer.plan.notes.begin(), answer.plan.notes.end(),
                       [&](const std::string& one) { return one.find(words) != std::string::npos; });
  };
  CHECK(note("slower scale-out link"));
}

TEST_CASE("a machine tried for both pools shares its nodes, and several are each tried with each") {
  FleetQuestion question = asked(100, "ttft.mean=1s,tpot.mean=20ms");
  question.plan.machines = {"hgx-h100", "hgx-h200"};
  question.plan.prefill_machines = {"hgx-h100", "hgx-h200"};
  question.deployments = 8;
  const FleetAnswer answer = plan_fleet(question, library()).value();
  REQUIRE(!answer.fleets.empty());
  for (const PlannedFleet& fleet : answer.fleets) {
    const bool same = fleet.point.machine == fleet.point.prefill_machine;
    CHECK((fleet.point.fleet.prefill_nodes > 0) == !same);
    CHECK((prefill_machine_of(answer.plan, fleet.point) == nullptr) == same);
  }
}

}  // namespace fleet_test
