// Do lanes give what an answer's equations give in double? To the last bit, for one layout under many loads and for many
// layouts, whatever the instruction set.

#include "search/lanes/deployments.hpp"

#include <map>

#include <doctest/doctest.h>

#include "catalog_library.hpp"
#include "search/plan/plan.hpp"
#include "serve/step/step_formats.hpp"

namespace deployments_test {

using namespace ridge;
using ridge::testing::library;

namespace {

DeploymentGround ground_for(const ServingQuestion& q, const char* machine_name) {
  ServingQuestion question = q;
  question.scenario.machine = machine_name;
  return deployment_ground(serving_ground(question, library()).value(), {q.isl, q.osl, q.cached, 1});
}

struct Expected {
  ServingTimes<double> times;
  ServingFigures figures;
  double capacity;
};

Expected in_double(const DeploymentGround& ground, const Layout& layout, bool apart, double concurrency) {
  StepOperations plan;
  lay_out_step(ground.shape, numbers_of(layout, ground.fabric), ground.fabric, plan);
  ServingLoad<double> load = ground.load;
  ServingTerms terms = ground.terms;
  terms.chips = layout.chips();
  load.disaggregated = terms.disaggregated = apart;
  load.concurrency = concurrency;
  const double capacity = sequences_that_fit(ground, plan, ground.length());
  load.capacity = capacity;
  const auto times = serving_times(plan, ground.rates, ground.engine, load);
  const double room = sequences_that_fit(ground, plan, terms.isl);
  const auto pool = prefill_pool<double>(plan, layout.chips(), room, terms.isl);
  return {times, serving_figures(plan, ground.rates, times, terms, pool), capacity};
}

void check_equal(const DeploymentFigures& lanes, std::size_t i, const Expected& one) {
  CHECK(lanes.tpot[i] == one.times.tpot.value());
  CHECK(lanes.ttft[i] == one.figures.ttft.value());
  CHECK(lanes.prefill_share[i] == one.times.prefill_share.value());
  CHECK(lanes.user_rate[i] == one.figures.user_rate);
  CHECK(lanes.output_rate[i] == one.figures.output_rate);
  CHECK(lanes.chips[i] == one.figures.chips);
  CHECK(lanes.bill_per_output[i] == one.figures.bill_per_output);
}

std::vector<InstructionSet> instruction_sets() {
  std::vector<InstructionSet> sets = {InstructionSet::baseline};
  if (best_instruction_set() >= InstructionSet::avx2) sets.push_back(InstructionSet::avx2);
  if (best_instruction_set() == InstructionSet::avx512) sets.push_back(InstructionSet::avx512);
  return sets;
}

/// Attention kinds, dense and with experts, a switch, a torus, several domains, guesses, overlap.
struct Sample {
  const char* model;
  const char* machine;
  double speculative_tokens;
  Overlap overlap;
};
const Sample kSamples[] = {{"deepseek-v3", "gb200-nvl72", 0, Overlap::none},
                           {"deepseek-v3", "hgx-h200", 1, Overlap::two},
                           {"llama-3.1-70b", "hgx-h100", 3, Overlap::none},
                           {"gpt-oss-120b", "tpu-v5p-pod", 0, Overlap::full}};

}  // namespace

TEST_CASE("lanes are an answer's equations, to the last bit") {
  for (const Sample& sample : kSamples) {
    ServingQuestion q;
    q.scenario.model = sample.model;
    q.isl = 5000;
    q.osl = 700;
    q.cached = 0.25;
    q.speculative_tokens = sample.speculative_tokens;
    q.overlap = sample.overlap;
    REQUIRE(find_named(library().machines, sample.machine) != nullptr);
    const DeploymentGround ground = ground_for(q, sample.machine);
    std::map<LayoutKind, std::vector<Layout>> kinds;
    for (const Layout& layout : all_layouts(*find_named(library().models, q.scenario.model), {}, 24)) {
      auto& some = kinds[numbers_of(layout, ground.fabric).kind];
      if (some.size() < 11) some.push_back(layout);  // fills one register and a part of the next
    }
    CHECK(kinds.size() > 3);
    for (const InstructionSet set : instruction_sets()) {
      for (const bool apart : {false, true}) {
        for (const auto& [kind, layouts] : kinds) {
          std::vector<LayoutNumbers<double>> numbers;
          std::vector<double> loads;
          for (const Layout& layout : layouts) {
            numbers.push_back(numbers_of(layout, ground.fabric));
            loads.push_back(1 + 7.0 * static_cast<double>(loads.size()));
          }
          DeploymentFigures lanes;
          figures_of_layouts(ground, numbers, apart, loads, set, lanes);
          for (std::size_t i = 0; i < layouts.size(); ++i) {
            const Expected one = in_double(ground, layouts[i], apart, loads[i]);
            CHECK(lanes.capacity[i] == one.capacity);
            if (one.capacity >= 1) check_equal(lanes, i, one);
          }
          // the first of them under all the loads
          StepOperations plan;
          lay_out_step(ground.shape, numbers.front(), ground.fabric, plan);
          const double capacity = sequences_that_fit(ground, plan, ground.length());
          if (capacity < 1) continue;
          const double chips = layouts.front().chips();
          const double room = sequences_that_fit(ground, plan, q.isl);
          const PrefillService prompts{prefill_pool<double>(plan, chips, room, q.isl),
                                       prefill_alone_time(plan, ground.rates, ground.engine, ground.load)};
          DeploymentLoads with_prefill;
          for (const double load : loads) with_prefill.add(load, prompts);
          figures_of_loads(ground, plan, chips, capacity, apart, with_prefill, set, lanes);
          for (std::size_t i = 0; i < loads.size(); ++i) {
            check_equal(lanes, i, in_double(ground, layouts.front(), apart, loads[i]));
          }
        }
      }
    }
  }
}

}  // namespace deployments_test
