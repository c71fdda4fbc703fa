// Is a token's time in steady serving its decode step and its share of other people's prompts?

#include "serve/step/steady.hpp"

#include <cmath>

#include <doctest/doctest.h>

#include "catalog_library.hpp"
#include "serve/step/step_formats.hpp"

namespace steady_test {

using namespace ridge;

using ridge::testing::library;

namespace {

/// Relative: doctest's own adds 1 to the size of a number, and times are far below 1.
doctest::Approx Approx(double value) { return doctest::Approx(value).scale(0); }

constexpr double kExact = 1e-12;

/// Shares of 0.8 and microseconds; any calibration will do.
ChipRates<double> rates() {
  ChipRates<double> r;
  const auto fill = [](std::string_view, auto& field) {
    using Field = std::remove_reference_t<decltype(field)>;
    field = Field(std::is_same_v<Field, Seconds<double>>     ? 1e-6
                  : std::is_same_v<Field, PerSecond<double>> ? 1e12
                                                             : 0.8);
  };
  ChipCalibration<double>::visit_fields(r.chip, fill);
  KernelCalibration<double>::visit_fields(r.kernel, fill);
  const Machine& machine = *find_named(library().machines, "hgx-h200");
  r.peak = peaks_of(*find_named(library().chips, "h200-sxm"), &machine);
  return r;
}

EngineCalibration<double> engine(double step, double sequence, double factor) {
  EngineCalibration<double> e;
  e.step_time = Seconds<double>(step);
  e.sequence_time = Seconds<double>(sequence);
  e.prefill_factor = factor;
  return e;
}

ServingLoad<double> load(double concurrency, double prompt, double answer, double cached = 0) {
  ServingLoad<double> l;
  l.concurrency = concurrency;
  l.prompt = Tokens<double>(prompt);
  l.answer = Tokens<double>(answer);
  l.cached = cached;
  l.capacity = 1e9;
  return l;
}

StepOperations plan_of(const std::string& name, const Layout& layout) {
  const Model& model = *find_named(library().models, name);
  const StepFormats formats = step_formats(model, library(), *find_named(library().chips, "h200-sxm"), {}).value();
  return step_operations(model, layout, formats, {.domain = 8});
}

/// A step of `sequences` that decode at `context` with `prompts` of `tokens` beside them.
StepLoad<double> step(double sequences, double context, double prompts, double tokens, double cached, double groups) {
  StepLoad<double> s;
  s.sequences = sequences;
  s.new_tokens = 1.0;
  s.context = Tokens<double>(context);
  s.prefills = prompts > 0;
  s.prompts = prompts;
  s.prefills_in_group = prompts * groups;
  s.prompt_tokens = tokens;
  s.prompt_context = Tokens<double>(cached);
  return s;
}

}  // namespace

TEST_CASE("a decode step is the plan's step at half of the answer, and what the engine adds") {
  const StepOperations plan = plan_of("llama-3-8b", {});
  // 16 sequences, 1000 + 400 / 2 tokens before them
  const double chip = step_times(plan, rates(), step(16, 1200, 0, 0, 0, 1)).calibrated().value();
  const auto times = serving_times(plan, rates(), engine(100e-6, 3e-6, 1), load(16, 1000, 400));
  CHECK(times.batch.value() == 16);
  CHECK(times.decode_step.value() == Approx(chip + 100e-6 + 16 * 3e-6).epsilon(kExact));
}

TEST_CASE("a token waits for its step and for the prompts of the others") {
  const StepOperations plan = plan_of("llama-3-8b", {});
  // 16 sequences of 400 tokens: 0.04 prompts a step, so one step in 25 has one; 15 of 16 are somebody else's
  const double alone = step_times(plan, rates(), step(16, 1200, 0, 0, 0, 1)).calibrated().value();
  const double mixed = step_times(plan, rates(), step(16, 1200, 1, 1000, 0, 1)).calibrated().value();
  const auto times = serving_times(plan, rates(), engine(0, 0, 1.1), load(16, 1000, 400));
  CHECK(times.prefills_per_step.value() == Approx(0.04));
  CHECK(times.prefill_time.value() == Approx(1.1 * (mixed - alone)).epsilon(kExact));
  CHECK(times.tpot.value() == Approx(alone + 1.1 * (mixed - alone) * 0.04 * 15 / 16).epsilon(kExact));
}

TEST_CASE("where answers are shorter than the batch every step holds several prompts") {
  const StepOperations plan = plan_of("llama-3-8b", {});
  // 64 sequences of 16 tokens: 4 prompts a step
  const double alone = step_times(plan, rates(), step(64, 1008, 0, 0, 0, 1)).calibrated().value();
  const double mixed = step_times(plan, rates(), step(64, 1008, 4, 1000, 0, 1)).calibrated().value();
  const auto times = serving_times(plan, rates(), engine(0, 0, 1), load(64, 1000, 16));
  CHECK(times.prefills_per_step.value() == 4);
  CHECK(times.prefill_time.value() == Approx((mixed - alone) / 4).epsilon(kExact));
  CHECK(times.tpot.value() == Approx(alone + (mixed - alone) * 63 / 64).epsilon(kExact));
}

TEST_CASE("the host launches the kernels of a step with prompts, and never those of a decode step") {
  const StepOperations plan = plan_of("llama-3-8b", {});
  // each of 32 layers: 2 norms, rotation with the write, joining, an activation; 4 products, 1 attention; and the head
  CHECK(plan.launches == 32 * (5 + 4 + 1) + 1);
  EngineCalibration<double> slow = engine(0, 0, 1);
  slow.launch_time = Seconds<double>(2e-3);  // far slower than any kernel here: 0.642 s a step
  const auto times = serving_times(plan, rates(), slow, load(16, 10, 400));
  CHECK(times.prefill_alone.value() == Approx(0.642).epsilon(1e-6));
  CHECK(times.decode_step.value() + times.prefill_time.value() == Approx(0.642).epsilon(1e-6));
  CHECK(times.decode_step.value() ==
        serving_times(plan, rates(), engine(0, 0, 1), load(16, 10, 400)).decode_step.value());
  // a long prompt hides it: (t^4 + 0.0321^4)^(1/4) is less than a ten-thousandth above t from ten times as long on
  slow.launch_time = Seconds<double>(1e-4);
  const double alone = serving_times(plan, rates(), engine(0, 0, 1), load(16, 200000, 400)).prefill_alone.value();
  CHECK(alone > 0.321);
  CHECK(serving_times(plan, rates(), slow, load(16, 200000, 400)).prefill_alone.value() == Approx(alone).epsilon(1e-4));
}

TEST_CASE("each prompt in a step costs the engine, in each step that it is cut into") {
  const StepOperations plan = plan_of("llama-3-8b", {});
  EngineCalibration<double> slow = engine(100e-6, 0, 1);
  const auto added = [&](double prompt, double answer) {
    const ServingLoad<double> asked = load(64, prompt, answer);
    slow.prompt_time = Seconds<double>(0.0);
    const auto before = serving_times(plan, rates(), slow, asked);
    slow.prompt_time = Seconds<double>(1e-3);
    const auto after = serving_times(plan, rates(), slow, asked);
    CHECK(after.decode_step.value() == before.decode_step.value());
    return std::pair(after.prefill_alone.value() - before.prefill_alone.value(),
                     after.tpot.value() - before.tpot.value());
  };
  // 64 sequences of 16 tokens: four prompts in every step, and 63 of 64 wait for them
  CHECK(added(1000, 16).first == Approx(1e-3).epsilon(1e-9));
  CHECK(added(1000, 16).second == Approx(4e-3 * 63 / 64).epsilon(1e-9));
  // three budgets of tokens: a piece in each of three steps; 64 / 400 of all steps hold a prompt
  CHECK(added(24576, 400).first == Approx(3e-3).epsilon(1e-9));
  CHECK(added(24576, 400).second == Approx(3e-3 * 0.16 * 63 / 64).epsilon(1e-9));
  // in a captured step as well
  ServingLoad<double> captured = load(16, 1000, 400);
  captured.captured_tokens = 2048;
  slow.prompt_time = Seconds<double>(1e-3);
  const double with = serving_times(plan, rates(), slow, captured).prefill_alone.value();
  slow.prompt_time = Seconds<double>(0.0);
  CHECK(with - serving_times(plan, rates(), slow, captured).prefill_alone.value() == Approx(1e-3).epsilon(1e-9));
}

TEST_CASE("a captured step pads narrow experts further, one of decodes and one launched by hand does not") {
  const Model& model = *find_named(library().models, "qwen3-235b-a22b");
  const StepFormats formats =
      step_formats(model, library(), *find_named(library().chips, "h200-sxm"), {"fp8", {}, {}}).value();
  const StepOperations plan = step_operations(model, {}, formats, {.domain = 8});
  EngineCalibration<double> plain = engine(0, 0, 1), wide = plain;
  wide.expert_padding = 1.5;
  ServingLoad<double> asked = load(16, 1000, 400);
  const auto alone = [&](const EngineCalibration<double>& e) { return serving_times(plan, rates(), e, asked); };
  CHECK(alone(wide).prefill_alone.value() == alone(plain).prefill_alone.value());  // launched by hand
  asked.captured_tokens = 2048;
  CHECK(alone(wide).decode_step.value() == alone(plain).decode_step.value());
  // every layer computes 1.5 · 0.8 rows more for each expert that is touched: all 128 but for chance
  CHECK(alone(wide).prefill_alone.value() > alone(plain).prefill_alone.value());
  CHECK(alone(wide).tpot.value() > alone(plain).tpot.value());
}

TEST_CASE("a step with prompts costs the engine more than one without, once for each step that a prompt is cut into") {
  const StepOperations plan = plan_of("llama-3-8b", {});
  EngineCalibration<double> slow = engine(100e-6, 0, 1);
  const ServingLoad<double> asked = load(16, 1000, 400);
  const auto before = serving_times(plan, rates(), slow, asked);
  slow.prefill_step_time = Seconds<double>(3e-3);
  const auto after = serving_times(plan, rates(), slow, asked);
  CHECK(after.decode_step.value() == before.decode_step.value());
  CHECK(after.prefill_alone.value() - before.prefill_alone.value() == Approx(3e-3).epsilon(1e-9));
  // 16 / 400 of all steps hold a prompt, and nobody waits for his own: 3 ms / 25 · 15/16
  CHECK(after.tpot.value() - before.tpot.value() == Approx(3e-3 * 0.04 * 15 / 16).epsilon(1e-9));
  // a step that a captured graph holds is as one without prompts: 1,000 tokens alone, 1,016 beside those that decode
  ServingLoad<double> captured = asked;
  captured.captured_tokens = 1016;
  slow.launch_time = Seconds<double>(2e-3);
  CHECK(serving_times(plan, rates(), slow, captured).tpot.value() == Approx(before.tpot.value()).epsilon(kExact));
  captured.captured_tokens = 1015;
  CHECK(serving_times(plan, rates(), slow, captured).tpot.value() ==
        Approx(serving_times(plan, rates(), slow, asked).tpot.value()).epsilon(kExact));
  CHECK(serving_times(plan, rates(), slow, captured).prefill_alone.value() ==
        Approx(before.prefill_alone.value()).epsilon(kExact));
  slow.launch_time = Seconds<double>(0.0);
  // three budgets of tokens are three steps
  ServingLoad<double> cut = load(16, 24576, 400);
  const auto three = serving_times(plan, rates(), slow, cut);
  slow.prefill_step_time = Seconds<double>(0.0);
  const auto none = serving_times(plan, rates(), slow, cut);
  CHECK(three.prefill_alone.value() - none.prefill_alone.value() == Approx(9e-3).epsilon(1e-9));
  // beside those that decode as well: 16 / 400 of all steps, 15 of 16 wait
  CHECK(three.tpot.value() - none.tpot.value() == Approx(9e-3 * 0.04 * 15 / 16).epsilon(1e-9));
}

TEST_CASE("an engine whose steps are never larger than its captured graphs replays all of them") {
  CHECK(replayed_tokens(512, 8192) == 512);
  CHECK(replayed_tokens(0, 8192) == 0);    // none is captured
  CHECK(replayed_tokens(512, 512) > 1e9);  // a prompt of any length is cut into such steps
  CHECK(replayed_tokens(512, 256) > 1e9);
}

TEST_CASE("a request alone never waits for a prompt") {
  const StepOperations plan = plan_of("llama-3-8b", {});
  const auto times = serving_times(plan, rates(), engine(100e-6, 0, 1), load(1, 1000, 400));
  CHECK(times.tpot.value() == Approx(times.decode_step.value()).epsilon(kExact));
}

TEST_CASE("more requests than fit into memory wait, and the step is that of those inside") {
  const StepOperations plan = plan_of("llama-3-8b", {});
  ServingLoad<double> crowded = load(1000, 1000, 400);
  crowded.capacity = 40.0;
  const auto times = serving_times(plan, rates(), engine(0, 0, 1), crowded);
  CHECK(times.batch.value() == 40);
  CHECK(times.tpot.value() == serving_times(plan, rates(), engine(0, 0, 1), load(40, 1000, 400)).tpot.value());
}

TEST_CASE("groups with sequences of their own share the batch, and their prompts meet at the experts") {
  const StepOperations plan = plan_of("deepseek-v3", {.attention_data = 8, .expert = 8});
  // 128 in flight: 16 a group; a group sees a prompt in one step of 25, when the other seven have one, too
  const double alone = step_times(plan, rates(), step(16, 1200, 0, 0, 0, 8)).calibrated().value();
  const double mixed = step_times(plan, rates(), step(16, 1200, 1, 1000, 0, 8)).calibrated().value();
  const auto times = serving_times(plan, rates(), engine(0, 1e-6, 1), load(128, 1000, 400));
  CHECK(times.decode_step.value() == Approx(alone + 16e-6).epsilon(kExact));
  CHECK(times.tpot.value() == Approx(alone + 16e-6 + (mixed - alone) * 0.04 * 15 / 16).epsilon(kExact));
}

TEST_CASE("stages work on micro-batches") {
  const StepOperations plan = plan_of("llama-3-8b", {.pipeline = 4});
  const double alone = step_times(plan, rates(), step(16, 1200, 0, 0, 0, 1)).calibrated().value();
  CHECK(serving_times(plan, rates(), engine(0, 0, 1), load(64, 1000, 400)).decode_step.value() ==
        Approx(alone).epsilon(kExact));
}

TEST_CASE("what of a prompt is cached need not be computed") {
  const StepOperations plan = plan_of("llama-3-8b", {});
  const double alone = step_times(plan, rates(), step(16, 1200, 0, 0, 0, 1)).calibrated().value();
  const double mixed = step_times(plan, rates(), step(16, 1200, 1, 250, 750, 1)).calibrated().value();
  const auto times = serving_times(plan, rates(), engine(0, 0, 1), load(16, 1000, 400, 0.75));
  CHECK(times.prefill_time.value() == Approx(mixed - alone).epsilon(kExact));
  const auto all = serving_times(plan, rates(), engine(0, 0, 1), load(16, 1000, 400, 1));
  CHECK(std::isfinite(all.tpot.value()));
  CHECK(all.prefill_time < times.prefill_time);
}

TEST_CASE("guessed tokens are checked together, and a run ends with the first wrong one") {
  // 3 guesses, each right in 0.8: 1 + 0.8 + 0.64 + 0.512 = 2.952 tokens a step; a step checks 4 tokens a sequence, and
  // each guess costs one of 32 layers
  const StepOperations plan = plan_of("llama-3-8b", {});
  ServingLoad<double> drafting = load(1, 1000, 400);
  drafting.speculative_tokens = 3;
  drafting.acceptance_rate = 0.8;
  drafting.draft_layers = 1;
  const auto times = serving_times(plan, rates(), engine(0, 0, 1), drafting);
  CHECK(times.emitted.value() == Approx(2.952));
  const double plain = step_times(plan, rates(), step(1, 1200, 0, 0, 0, 1)).calibrated().value();
  StepLoad<double> checking = step(1, 1200, 0, 0, 0, 1);
  checking.new_tokens = 4.0;
  const double checked = step_times(plan, rates(), checking).calibrated().value();
  CHECK(times.decode_step.value() == Approx(checked + plain * 3 / 32).epsilon(kExact));
  CHECK(times.tpot.value() == Approx((checked + plain * 3 / 32) / 2.952).epsilon(1e-9));
}

TEST_CASE("where other chips compute the prompts, a token takes its decode step alone") {
  const StepOperations plan = plan_of("llama-3-8b", {});
  ServingLoad<double> apart = load(16, 1000, 400);
  apart.disaggregated = true;
  const auto times = serving_times(plan, rates(), engine(100e-6, 0, 1), apart);
  const auto together = serving_times(plan, rates(), engine(100e-6, 0, 1), load(16, 1000, 400));
  CHECK(times.tpot == times.decode_step);
  CHECK(times.decode_step == together.decode_step);
  CHECK(times.tpot < together.tpot);
}

TEST_CASE("an engine whose outputs end with their first token computes nothing but prefill") {
  const StepOperations plan = plan_of("llama-3-8b", {});
  ServingLoad<double> prompts = load(32, 16000, 1);
  prompts.decodes = false;
  // a prompt of 16,000 is more than the budget of 8,192: one at a time, in 16000 / 8192 = 1.953 chunks of 100 us each
  StepLoad<double> alone = step(0, 0, 1, 16000, 0, 1);
  alone.decodes = false;
  // its kernels take 1.1 times as long as they do one by one
  const double each = 1.1 * step_times(plan, rates(), alone).calibrated().value() + 100e-6 * 16000 / 8192;
  const auto times = serving_times(plan, rates(), engine(100e-6, 0, 1.1), prompts);
  CHECK(times.requests.value() == Approx(1 / each).epsilon(kExact));
  CHECK(times.prefill_time.value() == Approx(each).epsilon(kExact));
  CHECK(times.prefill_alone.value() == Approx(each).epsilon(kExact));
  CHECK(times.ttft.value() == Approx(32 * each).epsilon(kExact));  // Little: 32 in flight, 1 / each a second
  CHECK(times.prefill_share.value() == 1);
  CHECK(times.tpot.value() == 0);  // none: no interval to a second token
  CHECK(times.decode_step.value() == 0);
}

TEST_CASE("short prompts without decode share steps up to the token budget") {
  const StepOperations plan = plan_of("llama-3-8b", {});
  ServingLoad<double> prompts = load(32, 1024, 1);
  prompts.decodes = false;
  // 8,192 / 1,024 = 8 prompts a step, of 32 in flight
  StepLoad<double> eight = step(0, 0, 8, 1024, 0, 1);
  eight.decodes = false;
  const double whole = step_times(plan, rates(), eight).calibrated().value() + 100e-6 + 8 * 3e-6;
  const auto times = serving_times(plan, rates(), engine(100e-6, 3e-6, 1), prompts);
  CHECK(times.requests.value() == Approx(8 / whole).epsilon(kExact));
  CHECK(times.ttft.value() == Approx(4 * whole).epsilon(kExact));
}

TEST_CASE("longer outputs never let an engine finish more requests") {
  const StepOperations plan = plan_of("llama-3-8b", {});
  for (const double prompt : {100.0, 2000.0, 16000.0}) {
    for (const double concurrency : {64.0, 256.0}) {
      double before = 1e300;
      for (const double output : {1.0, 2.0, 3.0, 4.0, 8.0, 16.0, 64.0, 256.0, 1024.0}) {
        CAPTURE(prompt);
        CAPTURE(concurrency);
        CAPTURE(output);
        ServingLoad<double> one = load(concurrency, prompt, output);
        one.decodes = output > 1;
        const double requests = serving_times(plan, rates(), engine(100e-6, 3e-6, 1), one).requests.value();
        CHECK(requests <=
              before * (1 + 1.0 / 64));  // a prompt of its own that nobody waits for is up to 1 / 64 of a batch
        before = requests;
      }
    }
  }
}

}  // namespace steady_test
