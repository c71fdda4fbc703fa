// Does the planner find what there is? Against a search written plainly here, whatever the number of threads, and with
// the figures that `ridge why` gives for the same deployment.

#include <algorithm>

#include <doctest/doctest.h>

#include "catalog_library.hpp"
#include "search/plan_work.hpp"

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

TEST_CASE("the choice and the frontier are those of a plain loop over ridge why") {
  struct Seen {
    double user, chip, cost, tpot, ttft;
    bool known;
  };
  PlanRequest request = request_for("llama-3.1-8b", {"hgx-h100"});
  request.most_chips = 4;
  const auto layouts = all_layouts(*find_named(library().models, "llama-3.1-8b"), {}, 4);
  std::vector<std::pair<Layout, std::optional<Layout>>> pairs;  // that decode, and that compute prompts
  for (const Layout& layout : layouts) {
    pairs.emplace_back(layout, std::nullopt);
    for (const Layout& prompts : layouts) pairs.emplace_back(layout, prompts);
  }
  std::vector<Seen> seen;
  for (const auto& [layout, prompts] : pairs) {
    PlanPoint point;
    point.layout = layout;
    point.apart = prompts.has_value();
    point.prompt_layout = prompts.value_or(Layout{});
    point.concurrency = 1;
    const auto one = answer_serving(question_at(request, point), library());
    REQUIRE(one);
    if (!one->answer) continue;
    for (const double load : all_loads(layout.attention_data, one->answer->memory.sequences)) {
      point.concurrency = load;
      const auto a = answer_serving(question_at(request, point), library())->answer;
      REQUIRE(a);
      seen.push_back({a->user_rate, a->output_rate / a->chips_in_all, a->chips_in_all * a->price / a->output_rate,
                      a->times.tpot.value(), a->times.ttft.value(), a->times.prompt_share.value() <= kBusy});
    }
  }
  std::vector<std::pair<double, double>> unbeaten;
  for (const Seen& one : seen) {
    const bool beaten = std::any_of(seen.begin(), seen.end(), [&](const Seen& other) {
      return other.user >= one.user && other.chip >= one.chip && (other.user > one.user || other.chip > one.chip);
    });
    if (!beaten) unbeaten.emplace_back(-one.user, -one.chip);
  }
  std::sort(unbeaten.begin(), unbeaten.end());
  unbeaten.erase(std::unique(unbeaten.begin(), unbeaten.end()), unbeaten.end());
  // loose; the cheapest chips for prompts too slow; only the fastest do; nothing does
  for (const double ttft : {0.3, 0.085, 0.05, 0.035, 0.01}) {
    request.tpot = Seconds<double>(8e-3);
    request.ttft = Seconds<double>(ttft);
    const auto plan = make_plan(request, library());
    REQUIRE(plan);
    const double none = 1e300;
    double least = none, longer = none;
    for (const Seen& one : seen) {
      if (!one.known || one.tpot > 8e-3) continue;
      if (one.ttft <= ttft) least = std::min(least, one.cost);
      longer = std::min(longer, one.ttft / ttft);
    }
    INFO("first token within " << ttft);
    CHECK((plan->search.best ? plan->search.best->cost : none) == Approx(least).epsilon(1e-12));
    if (least == none) CHECK(plan->search.nearest[1]->factor == Approx(longer).epsilon(1e-12));
    std::vector<std::pair<double, double>> found;
    for (const auto& one : plan->search.frontier.candidates()) found.emplace_back(one.x, one.y);
    CHECK(found == unbeaten);
  }
}

TEST_CASE("any stretches of a search, as bytes, make the whole, to the last bit") {
  PlanRequest request = request_for("gpt-oss-120b", {"hgx-h100", "hgx-b200"});
  request.ttft = Seconds<double>(0.05);
  request.guesses = {0, 2};
  const auto work = PlanWork::prepare(request, library());
  REQUIRE(work);
  const PlanSearch whole = work->search_all();
  REQUIRE(whole.best);
  PlanSearch joined;
  for (std::uint64_t first = 0; first < work->size(); first += 37) {
    PlanSearch part;
    work->search(first, 37, part);
    const std::string bytes = packed(part);
    CHECK_FALSE(unpacked_search(bytes.substr(0, bytes.size() - 1)));
    CHECK_FALSE(unpacked_search(bytes + "x"));
    joined.merge(request.objective, unpacked_search(bytes).value());
  }
  CHECK(same(joined.frontier, whole.frontier));
  CHECK(same(joined.cost_frontier, whole.cost_frontier));
  CHECK(same(*joined.best, *whole.best));
  CHECK(same(*joined.runner_up, *whole.runner_up));
  CHECK(joined.evaluated == whole.evaluated);
  CHECK(joined.layouts == work->size());
  CHECK(joined.nearest[2]->factor == whole.nearest[2]->factor);
  CHECK(joined.best_of_machine.size() == whole.best_of_machine.size());
}

TEST_CASE("what is tried in several ways is chosen as if each way had been planned alone") {
  PlanRequest request = request_for("llama-3.1-8b", {"hgx-h100"});
  request.most_chips = 2;
  request.tpot = Seconds<double>(6e-3);
  double least = 1e300;
  for (const double guesses : {0.0, 3.0}) {
    for (const double chunk : {2048.0, 8192.0}) {
      for (const char* kv : {"bf16", "fp8"}) {
        PlanRequest one = request;
        one.guesses = {guesses};
        one.chunks = {chunk};
        one.kv = {kv};
        least = std::min(least, make_plan(one, library())->search.best->cost);
      }
    }
  }
  request.guesses = {0, 3};
  request.chunks = {2048, 8192};
  request.kv = {"bf16", "fp8"};
  const auto all = make_plan(request, library());
  REQUIRE(all->search.best);
  CHECK(all->search.best->cost == least);
  CHECK(question_at(all->request, *all->search.best).guesses == all->request.guesses[all->search.best->guesses]);
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
  REQUIRE_FALSE(plan->relaxations.empty());
  for (const PlanRelaxation& way : plan->relaxations) {
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
