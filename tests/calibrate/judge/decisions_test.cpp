// Are choices counted as the page says?

#include "calibrate/judge/decisions.hpp"

#include <doctest/doctest.h>

namespace decisions_test {

using namespace ridge;
using doctest::Approx;

namespace {

/// Two layouts under two loads each; measured and predicted agree unless changed. TPOT in s, tok/s per chip.
DecisionGroup some_group() {
  return {"model chip engine 1024/1024",
          {{"tp8", 0.010, 100, 0.010, 100, 1},
           {"tp8", 0.020, 180, 0.020, 180, 1},
           {"tp4", 0.018, 150, 0.018, 150, 1},
           {"tp4", 0.035, 260, 0.035, 260, 1}}};
}

}  // namespace

TEST_CASE("the highest predicted rate within the target is chosen, and a margin moves the target") {
  DecisionGroup group = some_group();
  CHECK(chosen_option(group, 0.005) == nullptr);
  CHECK(chosen_option(group, 0.020) == &group.options[1]);
  CHECK(chosen_option(group, 0.100) == &group.options[3]);
  for (DecisionOption& one : group.options) one.margin = 1.1;  // 20 ms become 22, 18 become 19.8
  CHECK(chosen_option(group, 0.020) == &group.options[2]);
}

TEST_CASE("a choice that holds loses what the best measured within the target has more") {
  DecisionGroup group = some_group();
  for (DecisionOption& one : group.options) one.margin = 1.1;
  const DecisionTally tally = judged_choice(group, 0.020);
  CHECK(tally.cases == 1);
  CHECK(tally.offered == 1);
  CHECK(tally.missed == 0);
  // tp4 has 150 where tp8 has 180: 1 - 150/180
  CHECK(tally.regret() == Approx(1.0 / 6));
  CHECK(tally.loss() == Approx(1.0 / 6));
  CHECK(tally.layout_regret() == 0);  // without margins tp8 is chosen, and its load is tuned
}

TEST_CASE("a missed target counts one, and its layout what tuning would still give") {
  DecisionGroup group = some_group();
  group.options[1].tpot = 0.021;  // predicted 20 ms, as measured too slow
  const DecisionTally tally = judged_choice(group, 0.020);
  CHECK(tally.missed_share() == 1);
  CHECK(tally.loss() == 1);
  CHECK(tally.regret() == 0);  // nothing held
  // best within 20 ms: 150 of tp4; tp8 tuned by measurement has 100
  CHECK(tally.layout_regret() == Approx(1.0 / 3));
}

TEST_CASE("where nothing measured holds, an offer is missed and no case") {
  DecisionGroup group = some_group();
  for (DecisionOption& one : group.options) one.predicted_tpot = 0.004;
  const DecisionTally tally = judged_choice(group, 0.005);
  CHECK(tally.cases == 0);
  CHECK(tally.offered == 1);
  CHECK(tally.missed == 1);
  CHECK(tally.offered_in_vain == 1);
  CHECK(tally.layout_regret() == 0);
}

TEST_CASE("nothing offered though something held is counted, and costs all where it is scored") {
  DecisionGroup group = some_group();
  for (DecisionOption& one : group.options) one.margin = 3;
  DecisionTally tally = judged_choice(group, 0.020);
  CHECK(tally.cases == 1);
  CHECK(tally.not_offered == 1);
  CHECK(tally.loss() == 0);
  CHECK(tally.loss_of_all() == 1);
  tally.add(judged_choice(some_group(), 0.100));  // the best is chosen
  CHECK(tally.loss() == 0);
  CHECK(tally.loss_of_all() == Approx(0.5));
}

TEST_CASE("targets are 10 to 100 ms") {
  CHECK(decision_targets().size() == 10);
  CHECK(decision_targets().front() == Approx(0.010));
  CHECK(decision_targets().back() == Approx(0.100));
}

TEST_CASE("a layout taken where another was better is named, with what it lost") {
  DecisionGroup group = some_group();
  CHECK(!layout_mistake(group, 0.020));  // tp8 is taken, and best
  CHECK(!layout_mistake(group, 0.005));  // nothing holds
  group.options[1].tpot = 0.021;  // tp8 at 20 ms is predicted, and was slower: within the target it has 100, tp4 150
  const auto mistake = layout_mistake(group, 0.020);
  REQUIRE(mistake);
  CHECK(mistake->taken == "tp8");
  CHECK(mistake->best == "tp4");
  CHECK(mistake->lost == Approx(1.0 / 3));
  CHECK(!mistake->held);  // 20 ms are taken, 21 were measured
  CHECK(judged_choice(group, 0.020).lost_by_layout == Approx(mistake->lost));
}

}  // namespace decisions_test
