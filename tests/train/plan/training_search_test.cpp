// Does the search find what trying every layout finds, and does its bound lose nothing?

#include <cmath>
#include <string>

#include "catalog/entries/recipes.hpp"
#include "catalog_library.hpp"
#include "train/plan/training_answer.hpp"
#include "train/schedule/schedule.hpp"
#include "train/step/model_shape.hpp"

namespace training_search_test {

using namespace ridge;
using doctest::Approx;

const std::vector<NumbersEntry>& searched_recipes() {
  static const std::vector<NumbersEntry> all = catalog::recipes(catalog::embedded_facts()).value();
  return all;
}

TrainingGround ground_of(const Model& model, double chips, double batch) {
  TrainingQuestion question;
  question.machine = "hgx-h100";
  question.chips = chips;
  question.sequence = 4096;
  question.global_batch = batch * 4096;
  return training_ground(question, model, testing::library(), searched_recipes()).value();
}

constexpr train::ScheduleKind kTried[] = {train::ScheduleKind::one_f_one_b, train::ScheduleKind::zb_h1,
                                          train::ScheduleKind::zb_h2,       train::ScheduleKind::zb_v,
                                          train::ScheduleKind::dualpipe,    train::ScheduleKind::dualpipev};

/// The quickest that fits, by trying all: every degree, schedule, group of ZeRO-3, micro-batch and policy that the search
/// speaks of, each estimated whole.
struct Tried {
  double best = INFINITY, layouts = 0;
};
Tried by_trying(const TrainingGround& ground, const std::vector<const char*>& policies) {
  Tried out;
  const Experts* experts = ground.model->experts();
  const double most_expert = experts == nullptr ? 1 : experts->count;
  const auto try_one = [&](const TrainingLayout& layout) {
    if (!checked(layout, *ground.model, ground.load.sequence, ground.load.batch)) return;
    ++out.layouts;
    const TrainingEstimate e = training_estimate(ground, layout);
    if (e.memory.fits()) out.best = std::min(out.best, e.times.step.value());
  };
  const auto try_policies = [&](TrainingLayout layout) {
    for (const char* policy : policies) {
      layout.recompute = *parse_recompute(policy, "recompute");
      layout.sharding = Sharding::optimizer;
      layout.shard_group = 0;
      try_one(layout);
      if (layout.pipeline > 1) continue;
      layout.sharding = Sharding::weights;
      try_one(layout);
      // of eight chips in a domain the tensor group takes its part
      for (double group = std::min(8 / layout.tensor, layout.dense_copies()); group < layout.dense_copies();
           group *= 4) {
        layout.shard_group = group;
        if (group > 1) try_one(layout);
      }
    }
  };
  const auto try_schedules = [&](TrainingLayout layout) {
    for (const train::ScheduleKind schedule : kTried) {
      if (layout.pipeline == 1 && schedule != train::ScheduleKind::one_f_one_b) continue;
      layout.schedule = schedule;
      for (double chunks : {1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 12.0}) {
        const double stages = layout.pipeline * chunks, layers = ground.model->layers();
        const bool whole = std::fmod(layers, stages) == 0 || std::fmod(layers + 2, stages) == 0;
        if (chunks > 1 && (schedule != train::ScheduleKind::one_f_one_b || !whole)) continue;
        layout.virtual_stages = chunks;
        try_policies(layout);
      }
    }
  };
  TrainingLayout layout;
  for (layout.tensor = 1; layout.tensor <= 8; layout.tensor *= 2) {
    layout.sequence_parallel = layout.tensor > 1;
    for (layout.context = 1; layout.context <= 2; layout.context *= 2) {
      const double left = ground.chips / (layout.tensor * layout.context);
      for (layout.pipeline = 1; layout.pipeline <= ground.model->layers(); ++layout.pipeline) {
        if (std::fmod(left, layout.pipeline) != 0) continue;
        layout.data = left / layout.pipeline;
        for (layout.expert = 1; layout.expert <= most_expert; ++layout.expert) {
          for (layout.expert_tensor = 1; layout.expert_tensor <= layout.tensor; layout.expert_tensor *= 2) {
            if (experts == nullptr && layout.expert_tensor > 1) continue;
            for (const double micro : {1.0, 2.0, 4.0, 8.0, 16.0}) {
              layout.micro_batch = micro;
              try_schedules(layout);
            }
          }
        }
      }
    }
  }
  return out;
}

TEST_CASE("the search finds the quickest layout that fits, and looks at few") {
  const Model dense = *model_of_shape("layers=4 hidden=12288 heads=96 kv=8 ffn=49152 gated vocab=32000", "model");
  const Model routed =
      *model_of_shape("layers=4 hidden=4096 heads=32 kv=8 gated experts=4 top=2 expert_ffn=14336 vocab=32000", "model");
  struct Trial {
    const Model* model;
    double chips;
    std::vector<const char*> policies;
  };
  for (const Trial& trial : {Trial{&dense, 8, {"none", "mlp", "full"}}, Trial{&dense, 16, {"none", "mlp", "full"}},
                             Trial{&routed, 4, {"none", "moe_act", "moe", "full"}}}) {
    const TrainingGround ground = ground_of(*trial.model, trial.chips, 16);
    const TrainingSearch search = search_training(ground, {});
    const Tried tried = by_trying(ground, trial.policies);
    CAPTURE(trial.chips);
    REQUIRE(search.best);
    CHECK(search.best->memory.fits());
    CHECK(search.best->times.step.value() == Approx(tried.best).epsilon(1e-12));
    REQUIRE(search.runner_up);
    CHECK(search.runner_up->times.step >= search.best->times.step);
    CHECK(search.considered == tried.layouts);
    CHECK(search.evaluated < search.considered);
    CHECK(search.simulated <= search.evaluated);
  }
}

TEST_CASE("pairs hide the exchange of experts, and the search finds the layout that has them") {
  // 16 chips of an expert group in two domains: half of the tokens cross the network
  const Model routed =
      *model_of_shape("layers=16 hidden=4096 heads=32 kv=8 gated experts=32 top=8 expert_ffn=512 vocab=32000", "model");
  const TrainingGround ground = ground_of(routed, 32, 256);
  constexpr auto kExchange = static_cast<std::size_t>(TrainingPart::exchange);
  TrainingLayout layout;
  layout.pipeline = 2;
  layout.data = layout.expert = 16;
  const TrainingEstimate plain = training_estimate(ground, layout);
  for (const train::ScheduleKind schedule : kTried) {
    layout.schedule = schedule;
    const TrainingEstimate one = training_estimate(ground, layout);
    CAPTURE(std::string(train::name_of(schedule)));
    const double shown = (one.times.part[kExchange] / plain.times.part[kExchange]).value();
    // filling and draining have no pairs, and what hides slows the kernels
    if (train::has_pairs(schedule)) CHECK((shown > 0.05 && shown < 0.9));
    if (!train::has_pairs(schedule)) CHECK(shown == Approx(1));
  }
  // the same by trying: bounds that counted what hides would leave out the quickest, whose micro-batches are small
  for (const char* policy : {"none", "moe", "full"}) {
    CAPTURE(policy);
    layout.recompute = *parse_recompute(policy, "recompute");
    double best = INFINITY, tried = 0;
    for (layout.pipeline = 1; layout.pipeline <= 2; ++layout.pipeline) {
      layout.data = 32 / layout.pipeline;
      for (layout.micro_batch = 1; layout.micro_batch <= 16; layout.micro_batch *= 2) {
        for (const train::ScheduleKind schedule : kTried) {
          const bool plain_order = schedule == train::ScheduleKind::one_f_one_b;
          if (layout.pipeline == 1 && !plain_order) continue;
          for (const double chunks : {1.0, 2.0, 3.0, 4.0, 8.0}) {
            // 16 layers, or 18 with the embedding and the head, over two stages
            if (chunks > 1 && (layout.pipeline == 1 || !plain_order)) continue;
            layout.schedule = schedule;
            layout.virtual_stages = chunks;
            if (!checked(layout, routed, ground.load.sequence, ground.load.batch)) continue;
            ++tried;
            const TrainingEstimate one = training_estimate(ground, layout);
            if (one.memory.fits()) best = std::min(best, one.times.step.value());
          }
        }
      }
    }
    AskedLayout asked;
    asked.tensor = asked.context = asked.expert_tensor = asked.zero = 1;
    asked.expert = layout.expert;
    asked.recompute = layout.recompute;
    const TrainingSearch search = search_training(ground, asked);
    REQUIRE(search.best);
    CHECK(search.considered == tried);
    if (layout.recompute.none()) CHECK(train::has_pairs(search.best->layout.schedule));
    CHECK(search.best->times.step.value() == Approx(best).epsilon(1e-12));
  }
}

TEST_CASE("of a step with pairs the pipeline's part is the simulated makespan, whatever is recomputed") {
  // a vocabulary of 16 leaves the stages even, and 16 chips of an expert group in two domains are kept busy by messages
  const Model routed =
      *model_of_shape("layers=16 hidden=4096 heads=32 kv=8 gated experts=32 top=8 expert_ffn=512 vocab=16", "model");
  const TrainingGround ground = ground_of(routed, 32, 256);
  const auto whole = [](const Seconds<double>& time) {
    return static_cast<train::Nanoseconds>(std::llround(time.value() * 1e9));
  };
  const auto exchange = [&](const PassExchange<double>& of) {
    return train::ExchangeTime{whole(of.shown), whole(of.sent)};
  };
  TrainingLayout layout;
  layout.pipeline = 2;
  layout.data = layout.expert = 16;
  layout.schedule = train::ScheduleKind::dualpipe;
  for (const char* policy : {"none", "moe", "full"}) {
    CAPTURE(policy);
    layout.recompute = *parse_recompute(policy, "recompute");
    const TrainingTimes<double> times = training_estimate(ground, layout).times;
    const StagePass<double>& pass = times.stages.front();
    train::ScheduleQuestion question;
    question.shape = {layout.schedule, 2, static_cast<int>(times.micro_batches), 2};
    question.times.stages = {{whole(pass.forward), whole(pass.backward - pass.weight_gradient),
                              whole(pass.weight_gradient), exchange(pass.forward_exchange),
                              exchange(pass.backward_exchange)}};
    question.times.hop = whole(times.hop);
    const auto figures = train::schedule_figures(question);
    REQUIRE(figures);
    Seconds<double> elsewhere(0.0);
    for (const TrainingPart part : {TrainingPart::data, TrainingPart::optimizer, TrainingPart::other})
      elsewhere = elsewhere + times.part[static_cast<std::size_t>(part)];
    // within 0.5 %: what little the ends have beside their layers is spread over both stages here
    CHECK((times.step - elsewhere).value() == Approx(static_cast<double>(figures->makespan) * 1e-9).epsilon(5e-3));
    CHECK(times.hidden.value() > 0);
    CHECK((times.hidden_again.value() > 1e-9) == (layout.recompute.moe || layout.recompute.full_layers > 0));
    for (const Seconds<double>& part : times.part) CHECK(part.value() >= 0);
  }
}

TEST_CASE("a schedule that is asked for stays, and a given one keeps its micro-batches") {
  const Model model = *model_of_shape("layers=16 hidden=4096 heads=32 ffn=16384 vocab=32000", "model");
  const TrainingGround ground = ground_of(model, 32, 128);
  AskedLayout asked;
  asked.schedule = train::ScheduleKind::zb_v;
  asked.pipeline = 4;
  const TrainingSearch search = search_training(ground, asked);
  REQUIRE(search.best);
  CHECK(search.best->layout.schedule == train::ScheduleKind::zb_v);
  // stage 0 and stage 7 of eight are on rank 0: its chip has the embedding and the head
  const TrainingMemory& memory = search.best->memory;
  CHECK(memory.stages.size() == 4);
  CHECK(memory.stages[0].params > memory.stages[1].params);
  CHECK(memory.stages[1].params == Approx(memory.stages[3].params));
  // four ranks keep four micro-batches each, whatever their place
  for (const StageMemory& stage : memory.stages)
    CHECK(stage.live == Approx(std::min(4.0, search.best->times.micro_batches)));
}

TEST_CASE("putting off weight gradients shortens a pipeline with few micro-batches, by what the simulation says") {
  Model model = *model_of_shape("layers=16 hidden=4096 heads=32 ffn=16384 vocab=16", "model");
  const TrainingGround ground = ground_of(model, 4, 8);
  TrainingLayout layout;
  layout.pipeline = 4;
  const TrainingEstimate plain = training_estimate(ground, layout);
  layout.schedule = train::ScheduleKind::zb_h1;
  const TrainingEstimate split = training_estimate(ground, layout);
  CHECK(split.times.step < plain.times.step);
  // ZB-H1's bubble is (p - 1)(F + I - W), less by 2 (p - 1) W than 1F1B's
  const StagePass<double>& pass = plain.times.stages[1];
  const auto bubble = [](const TrainingEstimate& e) {
    return (e.times.part[static_cast<std::size_t>(TrainingPart::bubble)] +
            e.times.part[static_cast<std::size_t>(TrainingPart::hops)])
        .value();
  };
  CHECK(bubble(plain) - bubble(split) == Approx(3 * 2 * pass.weight_gradient.value()).epsilon(0.1));
  // the first rank keeps no more, the last as many as the first
  CHECK(split.memory.stages[0].live == plain.memory.stages[0].live);
  CHECK(split.memory.stages[3].live == 4);
  CHECK(plain.memory.stages[3].live == 1);
}

TEST_CASE("weights divided over a scale-up domain alone are gathered faster and take more room") {
  const Model model = *model_of_shape("layers=24 hidden=4096 heads=32 ffn=16384 vocab=32000", "model");
  const TrainingGround ground = ground_of(model, 64, 64);
  TrainingLayout layout;
  layout.data = 64;
  layout.sharding = Sharding::weights;
  const TrainingEstimate all = training_estimate(ground, layout);
  layout.shard_group = 8;
  const TrainingEstimate hybrid = training_estimate(ground, layout);
  // 18 bytes a parameter over 64 chips, or over eight
  CHECK(hybrid.memory.worst().state().value() == Approx(8 * all.memory.worst().state().value()));
  const auto data = static_cast<std::size_t>(TrainingPart::data);
  CHECK(hybrid.times.part[data] < all.times.part[data]);
}

TEST_CASE("what lies on the host leaves the chip, and takes its time on the way") {
  const Model model = *model_of_shape("layers=24 hidden=4096 heads=32 ffn=16384 vocab=32000", "model");
  const TrainingGround ground = ground_of(model, 8, 32);
  TrainingLayout layout;
  layout.data = 8;
  const TrainingEstimate here = training_estimate(ground, layout);
  layout.offload.optimizer = true;
  const TrainingEstimate optimizer = training_estimate(ground, layout);
  CHECK(optimizer.memory.worst()[MemoryTerm::optimizer].value() == 0);
  CHECK(optimizer.memory.worst().host == here.memory.worst()[MemoryTerm::optimizer]);
  CHECK(optimizer.times.step > here.times.step);
  layout.offload = {.activations = true};
  const TrainingEstimate activations = training_estimate(ground, layout);
  // of 24 layers two stay
  CHECK(activations.memory.worst()[MemoryTerm::activations].value() ==
        Approx(here.memory.worst()[MemoryTerm::activations].value() / 12));
  CHECK(activations.times.step >= here.times.step);
}

TEST_CASE("every policy of a layout is shown, reversible layers among them") {
  const Model model = *model_of_shape("layers=24 hidden=4096 heads=32 kv=8 ffn=14336 gated vocab=32000", "model");
  const TrainingGround ground = ground_of(model, 8, 32);
  TrainingLayout layout;
  layout.data = 8;
  const auto choices = recompute_choices(ground, layout);
  REQUIRE(choices.size() >= 4);
  CHECK(choices.front().policy.none());
  CHECK(choices.back().policy.reversible);  // two streams, whatever the depth
  for (std::size_t i = 1; i < choices.size(); ++i) CHECK(choices[i].kept <= choices[i - 1].kept);
}

TEST_CASE("degrees that are given stay") {
  const Model model = *model_of_shape("layers=24 hidden=4096 heads=32 ffn=16384 vocab=32000", "model");
  const TrainingGround ground = ground_of(model, 64, 256);
  AskedLayout asked;
  asked.tensor = 2;
  asked.micro_batch = 1;
  const TrainingSearch search = search_training(ground, asked);
  REQUIRE(search.best);
  CHECK(search.best->layout.tensor == 2);
  CHECK(search.best->layout.micro_batch == 1);
}

TEST_CASE("what does not fit has ways out that fit, the quickest first") {
  const Model model = *model_of_shape("layers=48 hidden=8192 heads=64 kv=8 ffn=28672 gated vocab=128256", "model");
  const TrainingGround ground = ground_of(model, 64, 128);
  TrainingLayout layout;
  layout.tensor = 2;
  layout.data = 32;
  layout.sequence_parallel = true;
  const TrainingEstimate estimate = training_estimate(ground, layout);
  REQUIRE(!estimate.memory.fits());
  const auto ways = ways_out(ground, estimate);
  REQUIRE(!ways.empty());
  CHECK(ways.size() <= 3);
  for (std::size_t i = 0; i < ways.size(); ++i) {
    CHECK(ways[i].estimate.memory.fits());
    if (i > 0) CHECK(ways[i].estimate.times.step >= ways[i - 1].estimate.times.step);
  }
}

TEST_CASE("an even pipeline simulated takes what the closed form says") {
  Model model = *model_of_shape("layers=16 hidden=2048 heads=16 ffn=8192 vocab=16", "model");
  const TrainingGround ground = ground_of(model, 4, 32);
  TrainingLayout layout;
  layout.pipeline = 4;
  const TrainingEstimate e = training_estimate(ground, layout);
  const auto pipelines = simulated_pipelines(e);
  REQUIRE(!pipelines.empty());
  CHECK(pipelines[0].schedule == "1F1B");
  double slowest = 0, all = 0;
  for (const auto& stage : e.times.stages) {
    slowest = std::max(slowest, stage.total().value());
    all += stage.total().value();
  }
  // 32 passes of the slowest stage, and each other's once
  CHECK(pipelines[0].makespan.value() == Approx(32 * slowest + all - slowest).epsilon(0.01));
}

TEST_CASE("a batch that starves its chips is said, with one that feeds them; a fed one is not spoken of") {
  TrainingQuestion question;
  question.model = "llama-3.1-8b";
  question.machine = "hgx-h100";
  question.chips = 2048;
  question.global_batch = 4194304;
  const auto starves = [](const TrainingAnswer& answer) {
    for (const std::string& note : answer.ground.notes) {
      if (note.find("starves") != std::string::npos) return true;
    }
    return false;
  };
  const auto rate = [&](double batch) {
    question.global_batch = batch;
    return answer_training(question, testing::library(), searched_recipes(), true, {}).value();
  };
  const TrainingAnswer starved = rate(4194304), fed = rate(67108864);
  REQUIRE(fed.estimate.rate.value() > 1.25 * starved.estimate.rate.value());
  CHECK(starves(starved));
  CHECK(!starves(fed));
  // the same of one layout that is given
  question.layout.tensor = 8;
  question.layout.pipeline = 8;
  question.chips = 64;
  question.global_batch = 4 * 8192;
  CHECK(starves(answer_training(question, testing::library(), searched_recipes(), false, {}).value()));
}

}  // namespace training_search_test
