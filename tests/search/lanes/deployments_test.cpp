// Do lanes give what an answer's equations give in double? To the last bit, for every layout under many loads, whatever
// the instruction set.

#include "search/lanes/deployments.hpp"

#include <doctest/doctest.h>

#include "catalog_library.hpp"
#include "search/plan/plan.hpp"
#include "serve/estimate.hpp"
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
};

/// A layout that fits, and what all its loads share.
struct LaidOut {
  StepOperations operations;
  double chips, capacity;
  PrefillPool pool;
};

Expected in_double(const DeploymentGround& ground, const LaidOut& at, bool apart, double concurrency) {
  ServingLoad<double> load = ground.load;
  ServingTerms terms = ground.terms;
  terms.chips = at.chips;
  load.disaggregated = terms.disaggregated = apart;
  load.concurrency = concurrency;
  load.capacity = at.capacity;
  const auto times = serving_times(at.operations, ground.rates, ground.engine, load);
  return {times, serving_figures(at.operations, ground.rates, times, terms, at.pool)};
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
  const char* prefill_machine = "";  // another one, where prefill is apart
};
const Sample kSamples[] = {{"deepseek-v3", "gb200-nvl72", 0, Overlap::none},
                           {"deepseek-v3", "hgx-h200", 1, Overlap::two},
                           {"llama-3.1-70b", "hgx-h100", 3, Overlap::none, "hgx-b200"},
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
    DeploymentGround ground = ground_for(q, sample.machine);
    if (const std::string prefill = sample.prefill_machine; !prefill.empty()) {
      ServingQuestion there = q;
      there.scenario.machine = prefill;
      fill_prefill_terms(ground.terms, serving_ground(there, library()).value());
    }
    int fitting = 0;
    for (const Layout& layout : all_layouts(*find_named(library().models, q.scenario.model), {}, 24)) {
      LaidOut at;
      lay_out_step(ground.shape, layout, ground.fabric, at.operations);
      at.chips = layout.chips();
      at.capacity = memory_of(ground, at.operations).sequences.value();
      if (at.capacity < 1) continue;
      ++fitting;
      at.pool =
          prefill_pool(at.operations, at.chips, prefill_memory_of(ground, at.operations).sequences.value(), q.isl);
      for (const bool apart : {false, true}) {
        ServingLoad<double> prompt = ground.load;
        prompt.disaggregated = apart;
        const PrefillService prompts{at.pool, prefill_alone_time(at.operations, ground.rates, ground.engine, prompt)};
        DeploymentLoads loads;
        for (int i = 0; i < 11; ++i) loads.add(1 + 7.0 * i, prompts);  // fills one register and a part of the next
        std::vector<Expected> expected;
        for (const double load : loads.concurrency) expected.push_back(in_double(ground, at, apart, load));
        for (const InstructionSet set : instruction_sets()) {
          DeploymentFigures lanes;
          figures_of_loads(ground, at.operations, at.chips, at.capacity, apart, loads, set, lanes);
          for (std::size_t i = 0; i < expected.size(); ++i) check_equal(lanes, i, expected[i]);
        }
      }
    }
    CHECK(fitting > 20);
  }
}

}  // namespace deployments_test
