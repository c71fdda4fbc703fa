#include "train/plan/training_answer.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "base/text/field_text.hpp"
#include "base/text/unit_text.hpp"
#include "train/step/scheduled_times.hpp"

namespace ridge {

namespace {

double part_of(const TrainingEstimate& estimate, TrainingPart part) {
  return estimate.times.part[static_cast<std::size_t>(part)].value();
}

/// Where two layouts differ most, for those who ask why.
std::string reason_for(const TrainingEstimate& best, const TrainingEstimate& other) {
  double largest = 0;
  TrainingPart where = TrainingPart::other;
  for (std::size_t i = 0; i < kTrainingParts; ++i) {
    const auto part = static_cast<TrainingPart>(i);
    const double saved = part_of(other, part) - part_of(best, part);
    if (saved > largest) {
      largest = saved;
      where = part;
    }
  }
  const double slower = other.times.step / best.times.step - Ratio<double>(1.0) > Ratio<double>(0.0)
                            ? (other.times.step / best.times.step).value() - 1
                            : 0;
  return fmt::format("{} is {:.1f}% slower: {} more in {}", short_name(other.layout), 100 * slower,
                     show(Seconds<double>(largest), 3), name_of(where));
}

/// The part that the runner-up would have to shed.
std::string change_for(const TrainingEstimate& best, const TrainingEstimate& other) {
  const double gap = (other.times.step - best.times.step).value();
  double largest = 0;
  TrainingPart where = TrainingPart::other;
  for (std::size_t i = 0; i < kTrainingParts; ++i) {
    const double more = part_of(other, static_cast<TrainingPart>(i)) - part_of(best, static_cast<TrainingPart>(i));
    if (more > largest) {
      largest = more;
      where = static_cast<TrainingPart>(i);
    }
  }
  if (largest <= 0) return "";
  const double now = part_of(other, where);
  return fmt::format("it would win with {} below {} (now {})", name_of(where),
                     show(Seconds<double>(std::max(0.0, now - gap)), 3), show(Seconds<double>(now), 3));
}

std::vector<FrontierPoint> frontier_of(const TrainingGround& ground, const AskedLayout& asked) {
  std::vector<FrontierPoint> out;
  for (const double factor : {0.25, 0.5, 1.0, 2.0, 4.0}) {
    const double chips = ground.chips * factor;
    if (chips < 1 || chips != std::floor(chips)) continue;
    if (chips > ground.fabric.domain && !ground.machine->scale_out) continue;
    TrainingGround other = ground;
    other.chips = chips;
    TrainingSearch found = search_training(other, asked);
    if (found.best) out.push_back({chips, std::move(*found.best)});
  }
  return out;
}

/// What works in a layout, and not well: every note names what would.
std::vector<std::string> layout_notes(const TrainingGround& ground, const TrainingLayout& layout) {
  std::vector<std::string> notes;
  const double layers = ground.model->layers(), parts = layout.pipeline * layout.virtual_stages;
  if (layout.tensor > ground.fabric.domain)
    notes.push_back(fmt::format("a tensor group of {:g} leaves its scale-up domain of {:g} chips; {} stays inside",
                                layout.tensor, ground.fabric.domain,
                                field("tp", fmt::format("{:g}", ground.fabric.domain))));
  const double domain = ground.fabric.domain, whole = std::floor(ground.chips / domain) * domain;
  if (whole >= domain && whole != ground.chips)
    notes.push_back(fmt::format("{:g} chips fill no whole number of scale-up domains: {:g} and {:g} do", ground.chips,
                                whole, whole + domain));
  const double count = micro_batches(layout, ground.load.batch);
  if (count < layout.pipeline)
    notes.push_back(fmt::format(
        "{:g} micro-batches never fill {:g} stages; {} tokens would be one for each", count, layout.pipeline,
        field("global_batch",
              fmt::format("{:.0f}", ground.load.batch * ground.load.sequence * layout.pipeline / count))));
  if (std::fmod(layers, parts) != 0)
    notes.push_back(
        fmt::format("{:g} layers do not divide into {:g} parts: the ends have fewer, which frameworks want "
                    "to be told; even are {}",
                    layers, parts, nearest_divisors(layers, parts, layers)));
  const auto& framework = ground.numbers.framework;
  if (layout.pipeline > 1 && framework.waits_for_hops(layout.virtual_stages > 1))
    notes.push_back(is_simulated(layout)
                        ? "under 1F1B this framework waits for its messages between stages; the step of this schedule, "
                          "which is simulated, does not"
                        : "the step waits for its messages between stages, as this framework does; simulated schedules "
                          "beside it do not");
  return notes;
}

/// Tokens as options take them: "64Mi", "128Ki", or the number.
std::string tokens_word(double tokens) {
  constexpr double kKi = 1024, kMi = kKi * kKi;
  if (std::fmod(tokens, kMi) == 0) return fmt::format("{:g}Mi", tokens / kMi);
  return std::fmod(tokens, kKi) == 0 ? fmt::format("{:g}Ki", tokens / kKi) : fmt::format("{:.0f}", tokens);
}

/// Of a step, what is neither kernels nor recomputed ones.
double waiting_share(const TrainingEstimate& estimate) {
  double kernels = 0;
  for (const TrainingPart part :
       {TrainingPart::projections, TrainingPart::attention, TrainingPart::dense_ffn, TrainingPart::experts,
        TrainingPart::head, TrainingPart::small, TrainingPart::recompute})
    kernels += part_of(estimate, part);
  return 1 - kernels / estimate.times.step.value();
}

/// A batch that leaves chips waiting: what it costs, and the batch from which on more of it gains little. Twice as large
/// each time, in this layout or, where layouts are searched, in the best one, until a doubling brings less than 5 %.
std::optional<std::string> starved_note(const TrainingGround& ground, const TrainingEstimate& now,
                                        const AskedLayout* searched) {
  constexpr double kWaits = 0.15, kWorthSaying = 1.25, kLittle = 1.05;
  constexpr int kDoublings = 12;
  if (waiting_share(now) < kWaits) return std::nullopt;
  TrainingGround more = ground;
  TrainingEstimate fed = now;
  double batch = ground.load.batch;
  for (int i = 0; i < kDoublings; ++i) {
    more.load.batch *= 2;
    std::optional<TrainingEstimate> next;
    if (searched != nullptr)
      next = search_training(more, *searched).best;
    else
      next = training_estimate(more, now.layout);
    if (!next || next->rate.value() < fed.rate.value() * kLittle) break;
    fed = std::move(*next);
    batch = more.load.batch;
  }
  const double gained = (fed.rate / now.rate).value(), tokens = ground.load.batch * ground.load.sequence;
  if (gained < kWorthSaying) return std::nullopt;
  const std::string how = searched != nullptr ? "the best layout, " + short_name(fed.layout) + "," : "this layout";
  return fmt::format(
      "{} starves {:g} chips, {:.0f} tokens a step for each: with {} {} trains {:.2g} times as many a second",
      field("global_batch", tokens_word(tokens)), ground.chips, tokens / ground.chips,
      field("global_batch", tokens_word(batch * ground.load.sequence)), how, gained);
}

/// The degrees are possible each, and yet no layout works through the batch.
Error no_layout(const TrainingGround& ground) {
  const double batch = ground.load.batch;
  double better = std::exp2(std::round(std::log2(std::max(1.0, batch))));
  if (better == batch) better *= 2;
  return {
      "global_batch",
      fmt::format("no layout of {:g} chips with these degrees divides a batch of {:g} sequences", ground.chips, batch),
      fmt::format("{} tokens would be {:g} sequences; or change {}",
                  field("global_batch", fmt::format("{:.0f}", better * ground.load.sequence)), better, field("chips"))};
}

}  // namespace

std::vector<RecomputeChoice> recompute_choices(const TrainingGround& ground, const TrainingLayout& layout) {
  std::vector<RecomputeChoice> out;
  const auto add = [&](const RecomputePolicy& policy) {
    TrainingLayout other = layout;
    other.recompute = policy;
    const TrainingEstimate e = training_estimate(ground, other);
    const RecomputeChoice one{policy, e.times.step, e.memory.worst()[MemoryTerm::activations], e.memory.needed(),
                              e.memory.fits()};
    // a module that this model does not have, or that a fused kernel never keeps, saves nothing
    for (const RecomputeChoice& known : out) {
      if (known.step <= one.step && known.needed == one.needed && policy != layout.recompute) return;
    }
    out.push_back(one);
  };
  for (const char* words :
       {"none", "selective", "layernorm", "mla_up_proj", "moe_act", "mlp", "moe", "full", "reversible"})
    add(*parse_recompute(words, "recompute"));
  if (std::find_if(out.begin(), out.end(),
                   [&](const RecomputeChoice& one) { return one.policy == layout.recompute; }) == out.end())
    add(layout.recompute);
  std::stable_sort(out.begin(), out.end(),
                   [](const RecomputeChoice& a, const RecomputeChoice& b) { return a.kept > b.kept; });
  return out;
}

Result<TrainingAnswer> answer_training(const TrainingQuestion& question, const Library& library,
                                       const std::vector<NumbersEntry>& recipes, bool search,
                                       const TrainingWishes& wishes) {
  auto ground = training_ground(question, library, recipes);
  if (!ground) return fail(ground.error());
  if (const double step = ground->load.batch * ground->load.sequence; question.tokens > 0 && question.tokens < step)
    return fail({"tokens", fmt::format("{:.0f} tokens are less than a step of {:.0f}", question.tokens, step),
                 "such as 15T; without it one step is explained"});
  TrainingAnswer answer;
  answer.ground = std::move(*ground);
  answer.searched = search;
  if (search) {
    if (Errors wrong = wrong_degrees(question.layout, answer.ground); !wrong.empty()) return fail(std::move(wrong));
    answer.search = search_training(answer.ground, question.layout);
    if (answer.search.best) {
      answer.estimate = *answer.search.best;
      if (answer.search.runner_up) {
        answer.reason = reason_for(answer.estimate, *answer.search.runner_up);
        answer.would_change = change_for(answer.estimate, *answer.search.runner_up);
      }
    } else if (answer.search.least) {
      answer.estimate = *answer.search.least;
    } else {
      return fail(no_layout(answer.ground));
    }
  } else {
    const auto layout = given_layout(question, answer.ground);
    if (!layout) return fail(layout.error());
    answer.estimate = training_estimate(answer.ground, *layout);
  }
  for (std::string& note : layout_notes(answer.ground, answer.estimate.layout))
    answer.ground.notes.push_back(std::move(note));
  if (auto starved = !answer.estimate.memory.fits()
                         ? std::nullopt
                         : starved_note(answer.ground, answer.estimate, search ? &question.layout : nullptr))
    answer.ground.notes.push_back(std::move(*starved));
  if (!answer.estimate.memory.fits()) answer.ways_out = ways_out(answer.ground, answer.estimate);
  answer.pipelines = simulated_pipelines(answer.estimate);
  answer.choices = recompute_choices(answer.ground, answer.estimate.layout);
  if (wishes.frontier) answer.frontier = frontier_of(answer.ground, question.layout);
  for (const Trainer& trainer : wishes.commands)
    answer.commands.push_back(trainer_command(trainer, setup_of(answer.ground, answer.estimate.layout)));
  return answer;
}

}  // namespace ridge
