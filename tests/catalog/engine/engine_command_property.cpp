// Is every command that is written read back as the layout, the formats and the load it was written for?

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include "catalog/engine/engine_command.hpp"
#include "catalog_library.hpp"
#include "engine/engine_commands.hpp"
#include "roofline/random_case.hpp"

using namespace ridge;
using ridge::testing::Draw;
using ridge::testing::library;

namespace {

/// A possible layout of a model; mostly of a few chips, in all directions.
std::optional<Layout> random_layout(Draw& draw, const Model& model) {
  const auto power = [&](std::size_t most) { return std::pow(2.0, double(draw.below(most + 1))); };
  Layout layout;
  const auto tensors = valid_tensor(model, 32);
  layout.tensor = tensors[draw.below(tensors.size())];
  if (draw.one_in(3)) layout.context = power(3);
  if (draw.one_in(2) && model.experts() != nullptr) layout.attention_data = power(5);
  if (draw.one_in(3)) layout.pipeline = 1 + double(draw.below(4));
  if (draw.one_in(3)) layout.replicas = 1 + double(draw.below(4));
  if (draw.one_in(4) && model.experts() != nullptr) layout.redundant_experts = 32;
  const auto experts = valid_expert(model, layout);
  if (experts.empty()) return std::nullopt;
  layout.expert = draw.one_in(2) ? experts.back() : experts[draw.below(experts.size())];
  layout.balanced = layout.redundant_experts > 0;
  const auto possible = checked(layout, model);
  return possible ? std::optional(*possible) : std::nullopt;
}

EngineSetup random_setup(Draw& draw) {
  EngineSetup setup;
  setup.model = &library().models[draw.below(library().models.size())];
  setup.kv = draw.one_in(2) ? "fp8" : setup.model->precision.value.kv;
  setup.sequences = double(1 + draw.below(4096));
  setup.token_budget = double(1 + draw.below(64)) * 256;
  setup.speculative_tokens = draw.one_in(2) ? 0 : double(1 + draw.below(5));
  if (draw.one_in(4)) setup.overlap = Overlap::two;
  setup.disaggregated = draw.one_in(4);
  return setup;
}

Layout layout_of(const ServingQuestion& q, double copies) {
  Layout layout;
  layout.tensor = q.tensor.value_or(1);
  layout.pipeline = q.pipeline.value_or(1);
  layout.context = q.context.value_or(1);
  layout.attention_data = q.attention_data.value_or(1);
  layout.expert = q.expert.value_or(1);
  layout.replicas = q.replicas.value_or(1) * copies;
  layout.redundant_experts = q.redundant_experts.value_or(0);
  layout.balanced = layout.redundant_experts > 0;
  return layout;
}

const Engine& named(std::string_view name) { return *find_named(library().engines, name); }

std::string first_word(const Errors& errors) { return errors[0].where + ": " + errors[0].what; }

}  // namespace

TEST_CASE("a written command is read back as it was meant") {
  CHECK(rc::check("round trip", [] {
    Draw draw(*rc::gen::arbitrary<std::uint64_t>());
    EngineSetup setup = random_setup(draw);
    const auto layout = random_layout(draw, *setup.model);
    RC_PRE(layout.has_value());
    setup.layout = *layout;
    for (const Engine& engine : library().engines) {
      if (!engine.is_written()) continue;
      const bool has_overlap = !flag_for(engine, Meaning::overlap).empty();
      const bool has_pools = !flag_for(engine, Meaning::disaggregation).empty();
      const EngineCommand command = engine_command(engine, setup);
      const auto read = catalog::read_engine_command(command.text, library(), "test");
      RC_LOG() << short_name(*layout) << "\n" << command.text << "\n" << (read ? "" : first_word(read.error())) << "\n";
      RC_ASSERT(read.has_value());
      RC_ASSERT(read->engine == engine.name);
      RC_ASSERT(read->ignored.empty());
      const ServingQuestion& q = read->question;
      RC_ASSERT(q.scenario.model == setup.model->name);
      RC_ASSERT(q.speculative_tokens == setup.speculative_tokens);
      if (has_pools) RC_ASSERT(q.disaggregated == setup.disaggregated);
      if (has_overlap) RC_ASSERT(q.overlap.value_or(Overlap::none) == setup.overlap);
      const bool can_say = engine.kernels == KernelFamily::usual || find_text(engine.writing.kv, setup.kv) != nullptr;
      if (can_say) RC_ASSERT(q.scenario.kv == setup.kv);
      if (!can_say) RC_ASSERT(!command.notes.empty());
      // rounded up to as many in each group
      const double groups = q.attention_data.value_or(1), each = *q.concurrency / q.replicas.value_or(1);
      RC_ASSERT(each >= setup.sequences && each < setup.sequences + groups);
      RC_ASSERT(q.token_budget == setup.token_budget);
      if (command.exact) RC_ASSERT(layout_of(q, command.copies) == *layout);
      if (!command.exact) RC_ASSERT(!command.notes.empty());
    }
  }));
}

TEST_CASE("an engine that cannot say a layout says so, and only then") {
  EngineSetup setup;
  setup.model = &testing::model("deepseek-v3");
  setup.kv = "bf16";
  setup.layout.tensor = 2;
  setup.layout.attention_data = 8;
  setup.layout.expert = 16;
  CHECK(engine_command(named("vllm"), setup).exact);
  CHECK(engine_command(named("sglang"), setup).exact);
  CHECK(!engine_command(named("trtllm"), setup).exact);
  setup.layout.expert = 8;
  CHECK(!engine_command(named("vllm"), setup).exact);
  CHECK(engine_command(named("sglang"), setup).exact);
}
