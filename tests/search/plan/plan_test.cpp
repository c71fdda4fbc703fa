// Does the planner find what there is? Against a search written plainly here, whatever the number of threads, and with
// the figures that `ridge why` gives for the same deployment.

#include <algorithm>
#include <map>

#include <doctest/doctest.h>

#include "catalog_library.hpp"
#include "search/plan/prepared_plan.hpp"

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
         a.chip_rate == b.chip_rate && a.disaggregated == b.disaggregated && a.machine == b.machine &&
         a.prefill_layout == b.prefill_layout && a.chips == b.chips && a.energy == b.energy && a.weights == b.weights &&
         a.kv == b.kv && a.speculative_tokens == b.speculative_tokens && a.token_budget == b.token_budget &&
         a.concurrency == b.concurrency && a.ttft_known == b.ttft_known && a.user_rate == b.user_rate;
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

TEST_CASE("layouts of experts are tried with copies that balance them") {
  // DeepSeek-V3 has 256 experts: 72 chips take 32 copies (288 = 72 x 4), 8 chips 8 (264 = 8 x 33), one chip none
  const Model& model = *find_named(library().models, "deepseek-v3");
  CHECK(copies_to_balance(model, 72) == 32);
  CHECK(copies_to_balance(model, 8) == 8);
  CHECK(copies_to_balance(model, 1) == 0);
  std::size_t balanced = 0;
  for (const Layout& layout : all_layouts(model, {}, 8)) {
    CHECK(checked(layout, model));
    CHECK(layout.balanced == (layout.redundant_experts > 0));
    balanced += layout.balanced ? 1 : 0;
    if (layout.balanced) CHECK(std::fmod(8, layout.chips_per_stage()) == 0);  // no seven of eight
  }
  CHECK(balanced > 0);
  ServingQuestion held;
  held.redundant_experts = 0;
  for (const Layout& layout : all_layouts(model, held, 8)) CHECK(!layout.balanced);
  held.redundant_experts = 32;
  for (const Layout& layout : all_layouts(model, held, 8)) CHECK(layout.redundant_experts == 32);
}

TEST_CASE("loads go from one a group up to what fits") {
  CHECK(all_loads(1, 5.9) == std::vector<double>{1, 2, 3, 4, 5});
  CHECK(all_loads(8, 40) == std::vector<double>{8, 16, 24, 32, 40});
  CHECK(all_loads(8, 7).empty());
}

namespace {

/// One deployment as `ridge why` answers it.
struct Seen {
  std::size_t load;  // which layout, load and way with prompts: all that differ in the chips for prompts alone are one
  double user, chip, cost, chips, energy, tpot, ttft;
  bool known;
};

/// Every layout, every load, prompts beside decoding and on chips of every layout: a plain loop.
std::vector<Seen> every_deployment(const PlanRequest& request) {
  std::vector<Seen> seen;
  std::size_t loads = 0;
  const Model& model = *find_named(library().models, request.question.scenario.model);
  std::vector<std::optional<Layout>> prompts = {std::nullopt};
  const auto layouts = all_layouts(model, {}, request.most_chips);
  for (const Layout& layout : layouts) prompts.emplace_back(layout);
  for (const Layout& layout : layouts) {
    std::size_t apart_from = 0;
    for (std::size_t p = 0; p < prompts.size(); ++p) {
      PlanPoint point;
      point.layout = layout;
      point.disaggregated = prompts[p].has_value();
      point.prefill_layout = prompts[p].value_or(Layout{});
      point.concurrency = 1;
      const auto one = answer_serving(question_at(request, point), library());
      REQUIRE(one);
      if (p == 1) apart_from = loads;
      if (!one->answer) continue;
      std::size_t at = point.disaggregated ? apart_from : loads;
      for (const double load : all_loads(layout.attention_data, one->answer->estimate.memory.sequences.value())) {
        point.concurrency = load;
        const auto a = answer_serving(question_at(request, point), library())->answer;
        REQUIRE(a);
        seen.push_back({at++, a->estimate.user_rate.value(),
                        a->estimate.output_rate.value() / a->estimate.chips.value(),
                        a->estimate.chips.value() * a->ground().numbers.price.value() / a->estimate.output_rate.value(),
                        a->estimate.chips.value(), a->estimate.energy.value(), a->estimate.times.tpot.value(),
                        a->estimate.times.ttft.value(), a->estimate.times.prefill_share.value() <= kBusy});
      }
      loads = std::max(loads, at);
    }
  }
  return seen;
}

double aim_of(Objective objective, const Seen& one) {
  if (objective == Objective::latency) return one.tpot;
  if (objective == Objective::chips) return one.chips;
  return objective == Objective::energy ? one.energy : one.cost;
}

/// The least of the aim, and the cost of that one: of each load the cheapest that keeps the promise counts.
std::optional<std::pair<double, double>> best_of(const std::vector<Seen>& seen, const PlanRequest& request) {
  std::map<std::size_t, const Seen*> kept;
  for (const Seen& one : seen) {
    if (!one.known || one.tpot > request.tpot->value() || one.ttft > request.ttft->value()) continue;
    const Seen*& best = kept[one.load];
    if (best == nullptr || one.cost < best->cost) best = &one;
  }
  std::optional<std::pair<double, double>> least;
  for (const auto& [load, one] : kept) {
    const std::pair<double, double> figures(aim_of(request.objective, *one), one->cost);
    if (!least || figures < *least) least = figures;
  }
  return least;
}

constexpr double kRounded = 1 + 1e-12;

/// A point's figures, asked of a deployment.
bool is_as_ridge_why_says(const PlanRequest& request, const PlanPoint& point) {
  const auto a = answer_serving(question_at(request, point), library())->answer;
  REQUIRE(a);
  return a->estimate.times.tpot.value() <= request.tpot->value() * kRounded &&
         a->estimate.cost.value() == Approx(point.cost).epsilon(1e-12) &&
         a->estimate.times.tpot.value() == Approx(point.tpot).epsilon(1e-12) &&
         a->estimate.chips.value() == Approx(point.chips).epsilon(1e-12);
}

std::vector<std::pair<double, double>> unbeaten(const std::vector<Seen>& seen) {
  std::vector<std::pair<double, double>> all;
  for (const Seen& one : seen) {
    const bool beaten = std::any_of(seen.begin(), seen.end(), [&](const Seen& other) {
      return other.user >= one.user && other.chip >= one.chip && (other.user > one.user || other.chip > one.chip);
    });
    if (!beaten) all.emplace_back(-one.user, -one.chip);
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

}  // namespace

TEST_CASE("the choice and the frontier are those of a plain loop over ridge why") {
  struct Case {
    const char *model, *machine;
    double chips, tpot;
    std::vector<double> ttft;  // loose; too short for the cheapest chips for prompts; for all but the fastest; for all
  };
  const std::vector<Case> cases = {{"llama-3.1-8b", "hgx-h100", 4, 8e-3, {0.3, 0.085, 0.05, 0.035, 0.01}},
                                   {"gpt-oss-120b", "hgx-b200", 2, 12e-3, {0.2, 0.06, 0.045, 0.02}}};
  for (const Case& c : cases) {
    PlanRequest request = request_for(c.model, {c.machine});
    request.confidence = 0.5;  // estimates alone
    request.most_chips = c.chips;
    request.tpot = Seconds<double>(c.tpot);
    const std::vector<Seen> seen = every_deployment(request);
    const auto frontier = unbeaten(seen);
    bool anything = false, nothing = false;
    for (const double ttft : c.ttft) {
      for (const auto aim : {Objective::cost, Objective::latency, Objective::chips, Objective::energy}) {
        request.ttft = Seconds<double>(ttft);
        request.objective = aim;
        INFO(c.model << ", first token within " << ttft << ", least " << name_of(aim));
        const auto plan = make_plan(request, library());
        REQUIRE(plan);
        const auto least = best_of(seen, request);
        REQUIRE(plan->search.best.has_value() == least.has_value());
        anything = anything || least;
        nothing = nothing || !least;
        if (least) {  // the plan also tries the loads between those of the loop, at the edge of what was promised
          const PlanPoint& best = *plan->search.best;
          CHECK(std::pair(objective_of(aim, best), best.cost) <=
                std::pair(least->first * kRounded, least->second * kRounded));
          CHECK(is_as_ridge_why_says(request, best));
        } else {
          double longer = 1e300;
          for (const Seen& one : seen) {
            if (one.known && one.tpot <= c.tpot) longer = std::min(longer, one.ttft / ttft);
          }
          CHECK(plan->search.nearest[1]->factor == Approx(longer).epsilon(1e-12));
        }
        std::vector<std::pair<double, double>> found;
        for (const auto& one : plan->search.frontier.candidates()) found.emplace_back(one.x, one.y);
        CHECK(found == frontier);
      }
    }
    CHECK(anything);
    CHECK(nothing);
  }
}

TEST_CASE("at the edge of a promise a plan finds the very load that keeps it, and no layout has a cheaper one") {
  // aggregated alone, so that every whole load of every layout can be asked about
  PlanRequest request = request_for("llama-3.1-8b", {"hgx-h100"});
  request.most_chips = 2;
  request.disaggregated = false;
  for (const auto& [tpot, confidence] :
       {std::pair{6e-3, 0.5}, {9e-3, 0.5}, {14e-3, 0.5}, {9e-3, 0.9}, {14e-3, 0.9}, {14e-3, 0.97}}) {
    CAPTURE(tpot);
    CAPTURE(confidence);
    request.tpot = Seconds<double>(tpot);
    request.confidence = confidence;
    const auto plan = make_plan(request, library());
    REQUIRE(plan);
    REQUIRE(plan->search.best);
    double least = 1e300, load_of_least = 0;
    const auto spread = error_spread(library());
    for (const Layout& layout : all_layouts(*find_named(library().models, "llama-3.1-8b"), {}, request.most_chips)) {
      PlanPoint point;
      point.layout = layout;
      point.concurrency = 1;
      const auto deployment = resolve(question_at(request, point), library());
      REQUIRE(deployment);
      const double room = evaluate(*deployment, {1024, 1024, 0, 1}).memory.sequences.value();
      for (double load = 1; load <= room; ++load) {
        const ServingEstimate one = evaluate(*deployment, {1024, 1024, 0, load});
        const auto errors = errors_in(situation_of(*deployment, {1024, 1024, 0, load}, library()), spread);
        if (one.times.tpot.value() * margin_at(confidence, errors, SpreadFigure::tpot) > tpot) break;  // ever slower
        if (one.cost.value() < least) {
          least = one.cost.value();
          load_of_least = load;
        }
      }
    }
    CHECK(plan->search.best->cost == Approx(least).epsilon(1e-9));
    CHECK(plan->search.best->concurrency == load_of_least);
  }
}

TEST_CASE("chips for prompts compute no more at once than they hold, at the pace of their fullest stage") {
  // Llama 3.1 70B on single 24 GB cards, prompts of 48,000 tokens: eight stages could have eight in work, but hold fewer
  ServingQuestion q;
  q.scenario.model = "llama-3.1-70b";
  q.scenario.machine = "rtx-4090-1";
  q.scenario.weights = "fp8";
  q.isl = 48000;
  q.disaggregated = true;
  q.pipeline = 8;
  q.concurrency = 1;
  const auto one = answer_serving(q, library());
  REQUIRE(one);
  REQUIRE(one->answer);
  const auto& a = *one->answer;
  const double held =
      a.estimate.prefill_memory.sequences.value() * (q.isl + q.osl / 2) / q.isl;  // prompts alone are shorter
  REQUIRE(held < 8);
  const double at_once = a.estimate.times.requests.value() * a.estimate.times.prefill_alone.value() /
                         (0.8 * a.estimate.prefill_replicas.value());
  CHECK(at_once == Approx(held).epsilon(1e-9));
  // 80 layers over 32 stages: three in the fullest, 2.5 on average
  q.scenario.machine = "hgx-h100";
  q.isl = 1000;
  Layout stages;
  stages.pipeline = 32;
  q.pipeline = 1;
  q.tensor = 8;
  q.prefill_layout = stages;
  const auto many = answer_serving(q, library())->answer;
  REQUIRE(many);
  CHECK(many->estimate.times.requests.value() * many->estimate.times.prefill_alone.value() /
            (0.8 * many->estimate.prefill_replicas.value()) ==
        Approx(32 / 1.2).epsilon(1e-9));
}

TEST_CASE("what is tried in several ways is chosen as if each way had been planned alone") {
  PlanRequest request = request_for("llama-3.1-8b", {"hgx-h100"});
  request.most_chips = 2;
  request.tpot = Seconds<double>(6e-3);
  double least = 1e300;
  for (const double speculative_tokens : {0.0, 3.0}) {
    for (const double token_budget : {2048.0, 8192.0}) {
      for (const char* kv : {"bf16", "fp8"}) {
        PlanRequest one = request;
        one.speculative_tokens = {speculative_tokens};
        one.token_budgets = {token_budget};
        one.kv = {kv};
        least = std::min(least, make_plan(one, library())->search.best->cost);
      }
    }
  }
  request.speculative_tokens = {0, 3};
  request.token_budgets = {2048, 8192};
  request.kv = {"bf16", "fp8"};
  const auto all = make_plan(request, library());
  REQUIRE(all->search.best);
  CHECK(all->search.best->cost == least);
  CHECK(question_at(all->request, *all->search.best).speculative_tokens ==
        all->request.speculative_tokens[all->search.best->speculative_tokens]);
}

TEST_CASE("any number of threads finds the same, to the last bit") {
  PlanRequest request = request_for("gpt-oss-120b", {"hgx-h100", "hgx-b200"});
  request.ttft = Seconds<double>(0.1);  // some are late
  request.tpot = Seconds<double>(20e-3);
  request.speculative_tokens = {0, 2};
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
    CHECK(one->search.layouts == more->search.layouts);
    CHECK(one->search.fitting == more->search.fitting);
    for (const std::size_t machine : {0U, 1U}) {
      CHECK(same(one->search.of_machine.at(machine), more->search.of_machine.at(machine)));
      CHECK(same(one->search.best_of_machine.at(machine), more->search.best_of_machine.at(machine)));
    }
    for (std::size_t i = 0; i < one->search.nearest.size(); ++i) {
      CHECK(one->search.nearest[i]->factor == more->search.nearest[i]->factor);
      CHECK(same(one->search.nearest[i]->point, more->search.nearest[i]->point));
    }
  }
}

TEST_CASE("where nothing keeps the promise, what is offered would") {
  PlanRequest request = request_for("llama-3.1-70b", {"hgx-h100"});
  request.tpot = Seconds<double>(1e-3);
  request.ttft = Seconds<double>(1e-3);
  const auto plan = make_plan(request, library());
  REQUIRE(plan);
  CHECK_FALSE(plan->search.best);
  REQUIRE_FALSE(plan->relaxations.empty());
  for (const PlanRelaxation& way : plan->relaxations) {
    PlanRequest wider = request;
    wider.tpot = Seconds<double>(std::max(1e-3, way.point.tpot * way.point.tpot_margin * kRounded));
    wider.ttft = Seconds<double>(std::max(1e-3, way.point.ttft * way.point.ttft_margin * kRounded));
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
  CHECK(chips.error().front().where == "max_chips");
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

TEST_CASE("more chips allowed never make a plan more expensive") {
  for (const char* model : {"qwen3-235b-a22b", "gpt-oss-120b"}) {
    PlanRequest request = request_for(model, {"gb200-nvl72"});
    request.tpot = Seconds<double>(30e-3);
    double before = 1e300;
    for (const double chips : {4.0, 7.0, 8.0, 9.0, 15.0, 16.0, 17.0, 24.0, 25.0, 31.0, 32.0, 33.0, 64.0, 65.0, 72.0}) {
      CAPTURE(chips);
      request.most_chips = chips;
      const auto plan = make_plan(request, library());
      REQUIRE(plan);
      if (!plan->search.best) continue;
      CHECK(plan->search.best->cost <= before * (1 + 1e-12));
      before = plan->search.best->cost;
    }
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
