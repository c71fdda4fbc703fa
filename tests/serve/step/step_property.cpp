// Does a whole step obey what must be true of any chip, model and layout, whatever was calibrated?

#include <algorithm>
#include <cmath>

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include "catalog_library.hpp"
#include "roofline/random_case.hpp"
#include "serve/step/known_times.hpp"
#include "serve/step/steady.hpp"
#include "serve/step/step_formats.hpp"

namespace step_property {

using namespace ridge;

using ridge::testing::library;

namespace {

// A step adds a few dozen terms, and 1 - (1 - k/E)^T loses a factor E <= 512 of 1.1e-16
constexpr double kRounding = 1e-10;

bool at_most(double a, double b) { return a <= b + kRounding * std::max(std::fabs(a), std::fabs(b)); }
bool at_most(const Seconds<double>& a, const Seconds<double>& b) { return at_most(a.value(), b.value()); }

template <class List>
const auto& any(testing::Draw& draw, const List& all) {
  return all[draw.below(all.size())];
}

/// Shares are at most 1 and at least 0.05, times may be nothing; whatever crosses the memory does so once or more. One
/// chip in four reaches its datasheet, where the bound is closest.
ChipRates<double> random_rates(testing::Draw& draw) {
  ChipRates<double> r;
  const double compute = draw.log_uniform(1e13, 1e16), memory = compute / draw.log_uniform(50, 1000);
  r.peak.matrix = {FlopsPerSecond<double>(compute), FlopsPerSecond<double>(compute * 2),
                   FlopsPerSecond<double>(compute * 4)};
  r.peak.memory = BytesPerSecond<double>(memory);
  r.peak.scale_up = BytesPerSecond<double>(memory / draw.log_uniform(2, 50));
  r.peak.scale_out = BytesPerSecond<double>(r.peak.scale_up.value() / draw.log_uniform(1, 20));
  const bool perfect = draw.one_in(4);
  const auto fill = [&](std::string_view name, auto& field) {
    using Field = std::remove_reference_t<decltype(field)>;
    const bool several = name.ends_with("passes") || name == "block_root";
    if (std::is_same_v<Field, Seconds<double>>) {
      field = Field(perfect ? 0.0 : draw.zero_or(1e-9, 1e-5));
    } else if (std::is_same_v<Field, PerSecond<double>>) {
      field = Field(compute / draw.log_uniform(50, 1000));
    } else if (name.ends_with("rows")) {
      field = Field(perfect ? 0.0 : draw.zero_or(1, 300));
    } else if (several) {
      field = Field(perfect ? 1.0 : draw.log_uniform(1, 5));
    } else if (name == "expert_skew") {
      field = Field(draw.log_uniform(0.0003, 0.9));
    } else {
      field = Field(perfect || draw.one_in(3) ? 1.0 : draw.uniform(0.05, 1));
    }
  };
  ChipCalibration<double>::visit_fields(r.chip, fill);
  KernelCalibration<double>::visit_fields(r.kernel, fill);
  return r;
}

Layout random_layout(testing::Draw& draw, const Model& model) {
  Layout layout;
  layout.tensor = any(draw, valid_tensor(model, 32));
  if (draw.one_in(2)) layout.attention_data = any(draw, std::vector<double>{2, 4, 8, 64});
  if (draw.one_in(4)) layout.pipeline = any(draw, std::vector<double>{2, 4, 8});
  const std::vector<double> experts = valid_expert(model, layout);
  if (!experts.empty()) layout.expert = any(draw, experts);
  return layout;
}

struct Case {
  const Model* model = nullptr;
  Layout layout;
  StepFormats formats;
  Fabric fabric;
  StepOperations plan;
  ChipRates<double> rates;
};

Case random_step(testing::Draw& draw) {
  Case c;
  c.model = &any(draw, library().models);
  do c.layout = random_layout(draw, *c.model);
  while (!checked(c.layout, *c.model));
  c.formats = step_formats(*c.model, library(), any(draw, library().chips), {}).value();
  c.fabric.domain = any(draw, std::vector<double>{1, 8, 72});
  c.plan = step_operations(*c.model, c.layout, c.formats, c.fabric);
  c.rates = random_rates(draw);
  return c;
}

/// Decodes, prompts or both; with something before every token.
StepLoad<double> random_load(testing::Draw& draw, const Layout& layout) {
  StepLoad<double> load;
  load.decodes = !draw.one_in(4);
  load.prefills = !load.decodes || draw.one_in(2);
  load.sequences = std::round(draw.log_uniform(1, 1000));
  load.new_tokens = draw.one_in(4) ? 1.0 + static_cast<double>(draw.below(4)) : 1.0;
  load.context = Tokens<double>(std::round(draw.log_uniform(1, 1e5)));
  load.prompts = std::round(draw.log_uniform(1, 10));
  load.prefills_in_group = load.prompts * layout.attention_data;
  load.prompt_tokens = std::round(draw.log_uniform(1, 1e4));
  load.prompt_context = Tokens<double>(draw.one_in(2) ? 0.0 : std::round(draw.log_uniform(1, 1e4)));
  return load;
}

void log(const Case& c, const StepLoad<double>& load) {
  RC_LOG() << c.model->name << " " << short_name(c.layout) << " domain " << c.fabric.domain << " decodes "
           << load.decodes << " " << load.sequences.value() << " x " << load.new_tokens.value() << " at "
           << load.context.value() << " prefills " << load.prefills << " " << load.prompts.value() << " x "
           << load.prompt_tokens.value() << " after " << load.prompt_context.value() << " spread "
           << c.rates.kernel.expert_skew.value() << "\n";
}

/// law(case, load, draw) for a few cases of one seed.
template <class Law>
void for_random_steps(const Law& law) {
  auto draw = testing::seeded_draw();
  for (int i = 0; i < 10; ++i) {
    const Case c = random_step(draw);
    const StepLoad<double> load = random_load(draw, c.layout);
    log(c, load);
    law(c, load, draw);
  }
}

}  // namespace

TEST_CASE("every part of a step takes a time") {
  CHECK(rc::check("no part is negative, infinite or undefined", [] {
    for_random_steps([](const Case& c, const auto& load, auto&) {
      const auto times = step_times(c.plan, c.rates, load);
      for (std::size_t i = 0; i < kStepParts; ++i) {
        RC_LOG() << name_of(static_cast<StepPart>(i)) << " " << times.part[i].value() << "\n";
        RC_ASSERT(std::isfinite(times.part[i].value()));
        RC_ASSERT(times.part[i].value() >= 0);
      }
      RC_ASSERT(times.calibrated().value() > 0);
    });
  }));
}

TEST_CASE("no calibration beats the bound") {
  // with experts equally popular, as the bound has them; the parts are one after the other, and each takes at least as
  // long as any resource at its datasheet peak
  CHECK(rc::check("calibrated >= bound", [] {
    for_random_steps([](Case c, const auto& load, auto&) {
      c.rates.kernel.expert_skew = c.rates.kernel.balanced_skew = 1e-7;
      const auto times = step_times(c.plan, c.rates, load);
      RC_LOG() << "calibrated " << times.calibrated().value() << " bound " << times.bound().value() << "\n";
      RC_ASSERT(times.calibrated().value() >= times.bound().value() * (1 - 1e-6));
    });
  }));
}

TEST_CASE("no calibration and no popularity of experts beats the strict bound") {
  CHECK(rc::check("calibrated >= strict", [] {
    for_random_steps([](const Case& c, const auto& load, auto&) {
      const auto times = step_times(c.plan, c.rates, load);
      RC_LOG() << "calibrated " << times.calibrated().value() << " strict " << times.strict().value() << "\n";
      RC_ASSERT(at_most(times.strict(), times.calibrated()));
    });
  }));
}

TEST_CASE("the strict bound is at most the bound") {
  CHECK(rc::check("strict <= bound", [] {
    for_random_steps([](const Case& c, const auto& load, auto&) {
      const auto times = step_times(c.plan, c.rates, load);
      RC_ASSERT(at_most(times.strict(), times.bound()));
    });
  }));
}

TEST_CASE("more to do never takes less time") {
  CHECK(rc::check("time rises with batch, context, prompts and their length", [] {
    for_random_steps([](const Case& c, const StepLoad<double>& load, auto& draw) {
      const auto before = step_times(c.plan, c.rates, load);
      const double factor = draw.log_uniform(1, 10);
      std::array<StepLoad<double>, 5> more;
      more.fill(load);
      more[0].sequences = load.sequences * factor;
      more[1].context = load.context * factor;
      more[2].prompts = load.prompts * factor;
      more[2].prefills_in_group = load.prefills_in_group * factor;
      more[3].prompt_tokens = load.prompt_tokens * factor;
      more[4].prompt_context = load.prompt_context + Tokens<double>(100 * factor);
      for (std::size_t i = 0; i < more.size(); ++i) {
        RC_LOG() << "more of " << i << " by " << factor << "\n";
        const auto after = step_times(c.plan, c.rates, more[i]);
        RC_ASSERT(at_most(before.calibrated(), after.calibrated()));
        RC_ASSERT(at_most(before.bound(), after.bound()));
        RC_ASSERT(at_most(before.strict(), after.strict()));
        for (std::size_t part = 0; part < kStepParts; ++part) RC_ASSERT(at_most(before.part[part], after.part[part]));
      }
    });
  }));
}

TEST_CASE("a better chip is never slower") {
  CHECK(rc::check("time falls with every peak, share and rate, and rises with every fixed time", [] {
    for_random_steps([](const Case& c, const auto& load, auto& draw) {
      const auto before = step_times(c.plan, c.rates, load);
      const double factor = draw.log_uniform(1, 10);
      std::array<ChipRates<double>, 5> better;
      better.fill(c.rates);
      better[0].peak.memory = c.rates.peak.memory * factor;
      better[1].peak.scale_up = c.rates.peak.scale_up * factor;
      better[2].peak.scale_out = c.rates.peak.scale_out * factor;
      for (auto& matrix : better[3].peak.matrix) matrix = matrix * factor;
      ChipCalibration<double>::visit_fields(better[4].chip, [&](std::string_view, auto& field) {
        using Field = std::remove_reference_t<decltype(field)>;
        field = std::is_same_v<Field, Seconds<double>> ? field / factor : field * factor;
      });
      for (std::size_t i = 0; i < better.size(); ++i) {
        RC_LOG() << "better " << i << " by " << factor << "\n";
        const auto after = step_times(c.plan, better[i], load);
        RC_ASSERT(at_most(after.calibrated(), before.calibrated()));
        RC_ASSERT(at_most(after.bound(), before.bound()));
      }
    });
  }));
}

TEST_CASE("more chips never leave more on each of them") {
  CHECK(rc::check("tensor, expert and pipeline parallelism never increase weights or cache on a chip", [] {
    for_random_steps([](const Case& c, const auto&, auto&) {
      const auto held = [&](const Layout& layout) { return step_operations(*c.model, layout, c.formats, c.fabric); };
      const StepOperations single = held({});
      RC_ASSERT(at_most(weights_held(c.plan), weights_held(single)));
      RC_ASSERT(at_most(context_held(c.plan, 1e4), context_held(single, 1e4)));
      double before = weights_held(single), cache = context_held(single, 1e4);
      for (const double degree : valid_tensor(*c.model, 64)) {
        const StepOperations plan = held({.tensor = degree});
        RC_LOG() << "tp " << degree << "\n";
        RC_ASSERT(at_most(weights_held(plan), before));
        RC_ASSERT(at_most(context_held(plan, 1e4), cache));
        RC_ASSERT(at_most(weights_held(single) / degree, weights_held(plan)));  // nothing is lost
        before = weights_held(plan);
        cache = context_held(plan, 1e4);
      }
    });
  }));
}

TEST_CASE("a step that is remembered is the step, to the last bit") {
  // 700 loads of at most 30 x 2 x 3 numbers of tokens, so that most are asked again with another context; and more numbers
  // of tokens than there are places (30 x 2 x 700 prompts), so that some are forgotten in between
  CHECK(rc::check("overlapped_step with and without what is known", [] {
    auto draw = testing::seeded_draw();
    for (const bool few : {true, false}) {
      const Case c = random_step(draw);
      const ChipPaces<double> paces(c.rates);
      const Overlap overlap = any(draw, std::vector<Overlap>{Overlap::none, Overlap::two, Overlap::full});
      KnownTimes known;
      for (int i = 0; i < 700; ++i) {
        StepLoad<double> load = random_load(draw, c.layout);
        load.sequences = 1.0 + static_cast<double>(draw.below(30));
        load.new_tokens = 1.0;
        if (few) load.prompt_tokens = any(draw, std::vector<double>{1, 100, 4096});
        log(c, load);
        RC_ASSERT(overlapped_step(known, c.plan, paces, load, overlap).value() ==
                  overlapped_step<double>(c.plan, paces, load, overlap).value());
      }
    }
  }));
}

TEST_CASE("in steady serving a token takes longer the more requests are in flight, and the longer they are") {
  CHECK(rc::check("tpot rises with concurrency and prompt, and is at least a decode step", [] {
    for_random_steps([](const Case& c, const auto&, auto& draw) {
      EngineCalibration<double> engine;
      engine.step_time = Seconds<double>(draw.zero_or(1e-5, 1e-3));
      engine.first_time = Seconds<double>(draw.zero_or(1e-3, 1e-1));
      engine.first_token_time = Seconds<double>(draw.zero_or(1e-7, 1e-5));
      engine.sequence_time = Seconds<double>(draw.zero_or(1e-7, 1e-5));
      engine.launch_time = Seconds<double>(draw.zero_or(1e-6, 1e-4));
      engine.prefill_step_time = Seconds<double>(draw.zero_or(1e-4, 1e-1));
      engine.prompt_time = Seconds<double>(draw.zero_or(1e-5, 1e-2));
      engine.prefill_factor = 1.0;
      ServingLoad<double> load;
      load.concurrency = std::round(draw.log_uniform(1, 1000));
      load.prompt = Tokens<double>(std::round(draw.log_uniform(10, 1e4)));
      load.answer = Tokens<double>(std::round(draw.log_uniform(2, 1e4)));
      load.cached = draw.one_in(2) ? 0.0 : draw.uniform(0, 0.9);
      load.capacity = 1e6;
      const auto at = [&](const ServingLoad<double>& one) { return serving_times(c.plan, c.rates, engine, one); };
      const double factor = draw.log_uniform(1, 10);
      ServingLoad<double> crowded = load, longer = load;
      crowded.concurrency = load.concurrency * factor;
      longer.prompt = load.prompt * factor;
      RC_LOG() << "concurrency " << load.concurrency.value() << " prompt " << load.prompt.value() << " answer "
               << load.answer.value() << " cached " << load.cached.value() << " factor " << factor << "\n";
      RC_ASSERT(at_most(at(load).decode_step, at(load).tpot));
      RC_ASSERT(at_most(at(load).tpot, at(crowded).tpot));
      RC_ASSERT(at_most(at(load).tpot, at(longer).tpot));
    });
  }));
}

}  // namespace step_property
