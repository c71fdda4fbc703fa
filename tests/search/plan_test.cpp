// Does the planner find what there is? Against a search written plainly here, whatever the number of threads, and with
// the figures that `ridge why` gives for the same deployment.

#include "search/plan.hpp"

#include <algorithm>

#include <doctest/doctest.h>

#include "catalog_library.hpp"

using namespace ridge;
using doctest::Approx;

using ridge::testing::library;

namespace {

PlanRequest request_for(const std::string& model, std::vector<std::string> machines) {
  PlanRequest request;
  request.question.scenario.model = model;
  request.question.scenario.machine = machines.front();
  request.machines = std::move(machines);
  return request;
}

bool same(const PlanPoint& a, const PlanPoint& b) {
  return a.index == b.index && a.layout == b.layout && a.tpot == b.tpot && a.ttft == b.ttft && a.cost == b.cost &&
         a.chip_rate == b.chip_rate && a.apart == b.apart && a.machine == b.machine;
}

bool same(const PlanFrontier& a, const PlanFrontier& b) {
  return std::equal(a.candidates().begin(), a.candidates().end(), b.candidates().begin(), b.candidates().end(),
                    [](const auto& x, const auto& y) { return same(x.point, y.point); });
}

}  // namespace

TEST_CASE("layouts are all that divide, and no more chips than asked for") {
  // Llama 3.1 8B: 32 heads; on 4 chips tensor x context x stages: (1,1) with 1 to 4 stages, (1,2) 1 and 2, (1,4) 1,
  // (2,1) 1 and 2, (2,2) 1, (4,1) 1: 4 + 2 + 1 + 2 + 1 + 1
  const Model& dense = *find_named(library().models, "llama-3.1-8b");
  const auto layouts = all_layouts(dense, {}, 4);
  CHECK(layouts.size() == 11);
  for (const Layout& layout : layouts) {
    CHECK(checked(layout, dense));
    CHECK(layout.chips() <= 4);
  }
  ServingQuestion held;
  held.tensor = 2;
  CHECK(all_layouts(dense, held, 4).size() == 3);
}

TEST_CASE("loads go from one a group up to what fits") {
  CHECK(all_loads(1, 5.9) == std::vector<double>{1, 2, 3, 4, 5});
  CHECK(all_loads(8, 40) == std::vector<double>{8, 16, 24, 32, 40});
  CHECK(all_loads(8, 7).empty());
}

TEST_CASE("the choice is the cheapest that keeps the promise, as a plain loop over ridge why finds it") {
  PlanRequest request = request_for("llama-3.1-8b", {"hgx-h100"});
  request.most_chips = 4;
  request.tpot = Seconds<double>(8e-3);
  request.ttft = Seconds<double>(0.3);
  const auto plan = make_plan(request, library());
  REQUIRE(plan);
  REQUIRE(plan->search.best);
  double least = 1e300;
  std::uint64_t counted = 0;
  std::vector<std::pair<double, double>> seen;
  for (const Layout& layout : all_layouts(*find_named(library().models, "llama-3.1-8b"), {}, 4)) {
    for (const bool apart : {false, true}) {
      PlanPoint point;
      point.layout = layout;
      point.apart = apart;
      point.concurrency = 1;
      const auto one = answer_serving(question_at(request, point), library());
      REQUIRE(one);
      if (!one->answer) continue;
      for (const double load : all_loads(layout.attention_data, one->answer->memory.sequences)) {
        point.concurrency = load;
        const auto answer = answer_serving(question_at(request, point), library())->answer;
        REQUIRE(answer);
        ++counted;
        const double cost = answer->chips_in_all * answer->price / answer->output_rate;
        seen.emplace_back(answer->user_rate, answer->output_rate / answer->chips_in_all);
        const bool late = answer->times.prompt_share.value() > kBusy || answer->times.ttft.value() > 0.3;
        if (answer->times.tpot.value() <= 8e-3 && !late) least = std::min(least, cost);
      }
    }
  }
  CHECK(plan->search.evaluated == counted);
  CHECK(plan->search.best->cost == Approx(least).epsilon(1e-12));
  // the frontier: as many as nobody beats among the same cases
  std::size_t unbeaten = 0;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    bool beaten = false;
    for (std::size_t j = 0; j < seen.size() && !beaten; ++j) {
      const bool as_good = seen[j].first >= seen[i].first && seen[j].second >= seen[i].second;
      beaten = as_good && (seen[j] == seen[i] ? j < i : true);
    }
    unbeaten += beaten ? 0 : 1;
  }
  CHECK(plan->search.frontier.candidates().size() == unbeaten);
}

TEST_CASE("any number of threads finds the same, to the last bit") {
  PlanRequest request = request_for("gpt-oss-120b", {"hgx-h100", "hgx-b200"});
  request.tpot = Seconds<double>(20e-3);
  const auto one = make_plan(request, library());
  REQUIRE(one);
  REQUIRE(one->search.best);
  for (const unsigned threads : {2U, 3U}) {
    request.threads = threads;
    const auto more = make_plan(request, library());
    REQUIRE(more);
    CHECK(same(one->search.frontier, more->search.frontier));
    CHECK(same(one->search.cost_frontier, more->search.cost_frontier));
    CHECK(same(*one->search.best, *more->search.best));
    CHECK(same(*one->search.runner_up, *more->search.runner_up));
    CHECK(one->search.evaluated == more->search.evaluated);
  }
}

TEST_CASE("where nothing keeps the promise, what is offered would") {
  PlanRequest request = request_for("llama-3.1-70b", {"hgx-h100"});
  request.tpot = Seconds<double>(1e-3);
  request.ttft = Seconds<double>(1e-3);
  const auto plan = make_plan(request, library());
  REQUIRE(plan);
  CHECK_FALSE(plan->search.best);
  REQUIRE_FALSE(plan->search.relaxations.empty());
  for (const PlanRelaxation& way : plan->search.relaxations) {
    PlanRequest wider = request;
    wider.tpot = Seconds<double>(std::max(1e-3, way.point.tpot));
    wider.ttft = Seconds<double>(std::max(1e-3, way.point.ttft));
    CHECK(make_plan(wider, library())->search.best);
  }
}

TEST_CASE("what cannot be meant is refused, with what could") {
  PlanRequest request = request_for("llama-3.1-8b", {"hgx-h100"});
  request.question.engine = "vlm";
  const auto engine = make_plan(request, library());
  REQUIRE_FALSE(engine);
  CHECK(engine.error().front().hint.find("vllm") != std::string::npos);
  request.question.engine = "vllm";
  request.question.tensor = 3;
  const auto degree = make_plan(request, library());
  REQUIRE_FALSE(degree);
  CHECK(degree.error().front().hint.find("1, 2, 4, 8") != std::string::npos);
  request.question.tensor = 8;
  request.question.pipeline = 2;
  const auto chips = make_plan(request, library());
  REQUIRE_FALSE(chips);
  CHECK(chips.error().front().where == "--max-chips");
}

TEST_CASE("no better machine makes the best deployment worse") {
  PlanRequest request = request_for("llama-3.1-8b", {"hgx-h100"});
  request.most_chips = 2;
  request.tpot = Seconds<double>(10e-3);
  const auto plan = make_plan(request, library());
  REQUIRE(plan);
  REQUIRE(plan->search.best);
  const auto changes = outlooks(request, library());
  CHECK(changes.size() == 7);
  for (const PlanOutlook& one : changes) {
    CAPTURE(one.say);
    REQUIRE(one.best);
    CHECK(one.best->cost <= plan->search.best->cost);
  }
}

TEST_CASE("wide experts and whole matrices on a rack, tensor parallelism in a box") {
  // the lecture's C60: DeepSeek-V3 on a large scale-up domain wants its experts spread, none of them cut, few stages
  PlanRequest rack = request_for("deepseek-v3", {"gb200-nvl72"});
  rack.question.isl = 8000;
  rack.question.osl = 1000;
  rack.tpot = Seconds<double>(30e-3);
  rack.ttft = Seconds<double>(2.0);
  const auto wide = make_plan(rack, library());
  REQUIRE(wide);
  REQUIRE(wide->search.best);
  CHECK(wide->search.best->layout.expert >= 16);
  CHECK(wide->search.best->layout.moe_tensor() == 1);
  CHECK(wide->search.best->layout.pipeline == 1);
}
