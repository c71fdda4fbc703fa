#include "price/tier/long_context.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "base/text/field_text.hpp"
#include "price/make/prefill_work.hpp"
#include "price/money/chip_cost.hpp"

namespace ridge {

namespace {

/// In a few words: what of the context a step reads.
std::string attention_kind(const DecodeCase<double>& c, const Model* model) {
  std::vector<std::string> parts;
  const auto is_latent = [](const Layer& layer) { return std::holds_alternative<LatentAttention>(layer.mixer); };
  if (c.has.selected) parts.emplace_back("sparse");
  if (c.has.root) parts.emplace_back("square root");
  if (c.has.window) parts.emplace_back("window");
  if (c.has.state) parts.emplace_back("linear/SSM");
  if (parts.empty())
    return model != nullptr && std::any_of(model->kinds.begin(), model->kinds.end(), is_latent) ? "MLA" : "full";
  std::string out = parts.front();
  for (std::size_t i = 1; i < parts.size(); ++i) out += " and " + parts[i];
  const bool some_full = !c.has.selected && c.kv_read.value() > 0;
  return some_full ? out + ", some full" : out;
}

DecodeCase<double> at(DecodeCase<double> c, const Tokens<double>& context, const Ratio<double>& chips,
                      const Ratio<double>& batch) {
  c.context = context;
  c.chips = chips;
  c.batch = batch;
  return c;
}

/// The fewest whole machines that hold the weights and one sequence.
Ratio<double> machines_for(const DecodeCase<double>& c, const Tokens<double>& context) {
  const DecodeEstimate<double> e = estimate_decode(at(c, context, c.chips, Ratio<double>(1.0)));
  return Ratio<double>(std::max(1.0, std::ceil((e.memory_needed / e.memory_there).value())));
}

LongContextPoint point_at(const DecodeCase<double>& c, const Tokens<double>& context) {
  LongContextPoint point;
  point.context = context;
  point.chips = machines_for(c, context) * c.chips;
  const Ratio<double> one(1.0);
  const double limit = estimate_decode(at(c, context, point.chips, one)).batch_limit.value();
  point.batch = Ratio<double>(std::max(1.0, std::floor(limit)));
  const DecodeEstimate<double> e = estimate_decode(at(c, context, point.chips, point.batch));
  point.weights_time = e.weights_time;
  point.context_time = e.context_time;
  point.compute_time = e.compute_time;
  point.step_time = e.step_time;
  point.cost = e.cost;
  return point;
}

LongSession session_of(const DecodeCase<double>& c, const Model* model, const Tokens<double>& context,
                       const Ratio<double>& mfu) {
  LongSession session;
  session.context = context;
  session.machines = machines_for(c, context);
  session.chips = session.machines * c.chips;
  const DecodeCase<double> alone = at(c, context, session.chips, Ratio<double>(1.0));
  const DecodeEstimate<double> e = estimate_decode(alone);
  session.stored = e.context_stored;
  session.read = e.context_read;
  session.chips_needed = e.memory_needed / c.hbm_capacity;
  const DollarsPerSecond<double> chip = c.price / c.utilization;
  const auto attention = model != nullptr ? prefill_attention(*model, context) : prefill_attention(c, context);
  const Seconds<double> chip_time = prefill_work(c, attention) / mfu * context;
  session.prefill_time = chip_time / session.chips;
  session.prefill_cost = chip_time * chip;
  session.token_time = e.step_time;
  session.token_cost = e.cost;
  session.hold_cost = e.context_stored / c.hbm_capacity * chip;
  return session;
}

/// The first context of the range at which a token costs twice as much as at its start, between two points.
Tokens<double> doubling(const DecodeCase<double>& c, const std::vector<LongContextPoint>& points) {
  const DollarsPerToken<double> wanted = 2.0 * points.front().cost;
  for (std::size_t i = 1; i < points.size(); ++i) {
    if (points[i].cost < wanted) continue;
    double low = points[i - 1].context.value(), high = points[i].context.value();
    for (int halving = 0; halving < 50; ++halving) {
      const double middle = std::sqrt(low * high);
      (point_at(c, Tokens<double>(middle)).cost < wanted ? low : high) = middle;
    }
    return Tokens<double>(high);
  }
  return Tokens<double>(std::numeric_limits<double>::infinity());
}

Result<Ratio<double>> prompt_mfu(const Library& library) {
  for (const Tier& tier : library.tiers) {
    if (tier.of == Tier::Of::compute) return tier.mfu->value;
  }
  return fail({"catalog", "no tier has the MFU of prefill", "add one with of = \"compute\""});
}

/// From one length to another, so many a decade.
std::vector<Tokens<double>> lengths_of(const LongContextQuestion& question) {
  const double ratio = (question.to / question.from).value();
  const int count = 1 + static_cast<int>(std::ceil(std::log10(ratio) * question.per_decade - 1e-9));
  std::vector<Tokens<double>> out;
  for (int i = 0; i < count; ++i) out.push_back(question.from * std::pow(ratio, static_cast<double>(i) / (count - 1)));
  return out;
}

LongContextModel long_context_of(const ResolvedCase& resolved, const Model* model, const LongContextQuestion& question,
                                 const Ratio<double>& mfu) {
  const DecodeCase<double>& c = resolved.numbers;
  LongContextModel out;
  out.resolved = resolved;
  out.kind = attention_kind(c, model);
  for (const Tokens<double>& context : lengths_of(question)) out.points.push_back(point_at(c, context));
  out.balance = estimate_decode(c).balance_context;
  out.doubles = doubling(c, out.points);
  out.session = session_of(c, model, question.session, mfu);
  return out;
}

}  // namespace

Result<LongContextAnswer> answer_long_context(const LongContextQuestion& question, const Library& library) {
  if (!(question.to > question.from)) {
    return fail({"max",
                 fmt::format("a range from {:g} to {:g} tokens is empty", question.from.value(), question.to.value()),
                 field("min") + " is below " + field("max")});
  }
  const auto mfu = prompt_mfu(library);
  if (!mfu) return fail(mfu.error());
  LongContextAnswer answer{.question = question, .mfu = *mfu, .models = {}, .notes = {}};
  Errors errors;
  for (const Scenario& scenario : question.scenarios) {
    const auto resolved = resolve(scenario, library);
    if (!resolved) {
      append(errors, resolved.error());
      continue;
    }
    if (const auto free = free_chip(resolved->numbers.price)) return fail(*free);
    for (const std::string& note : resolved->name_notes) add_once(answer.notes, note);
    const Model* model = find_named(library.models, resolved->model);
    answer.models.push_back(long_context_of(*resolved, model, question, *mfu));
  }
  if (!errors.empty()) return fail(std::move(errors));
  return answer;
}

}  // namespace ridge
