#include "search/plan/prepared_plan.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>

#include <fmt/format.h>

#include "base/field_text.hpp"
#include "base/fingerprint.hpp"
#include "base/text.hpp"
#include "base/threads.hpp"
#include "base/unit_text.hpp"
#include "library/names.hpp"
#include "search/plan/layout_search.hpp"

namespace ridge {

namespace {

std::vector<PlanVariant> all_variants(const PlanRequest& r) {
  std::vector<PlanVariant> all;
  for (std::size_t machine = 0; machine < r.machines.size(); ++machine) {
    for (std::size_t weights = 0; weights < r.weights.size(); ++weights) {
      for (std::size_t kv = 0; kv < r.kv.size(); ++kv) {
        for (std::size_t speculative_tokens = 0; speculative_tokens < r.speculative_tokens.size();
             ++speculative_tokens) {
          for (std::size_t token_budget = 0; token_budget < r.token_budgets.size(); ++token_budget)
            all.push_back({machine, weights, kv, speculative_tokens, token_budget});
        }
      }
    }
  }
  return all;
}

/// What each variant searches on, found by the request's threads.
std::vector<Result<PlanGround>> all_grounds(const PlanRequest& r, const Library& library) {
  const std::vector<PlanVariant> variants = all_variants(r);
  std::vector<Result<PlanGround>> grounds(variants.size(), PlanGround{});
  std::atomic<std::size_t> next{0};
  const auto work = [&](std::size_t) {
    for (std::size_t i = 0; (i = next.fetch_add(1)) < variants.size();)
      grounds[i] = plan_ground(r, variants[i], library);
  };
  const std::size_t threads = std::max<std::size_t>(1, std::min<std::size_t>(r.threads, variants.size()));
  auto others = start_threads(threads - 1, work);
  work(0);
  others.clear();  // until they are done
  return grounds;
}

}  // namespace

Result<PlanSpace> plan_space(const PlanRequest& request, const Library& library) {
  PlanSpace space;
  space.request = request;
  if (request.speculative_tokens.empty()) space.request.speculative_tokens = {request.question.speculative_tokens};
  if (request.token_budgets.empty()) space.request.token_budgets = {request.question.token_budget};
  const PlanRequest& r = space.request;
  Errors errors;
  for (const double speculative_tokens : r.speculative_tokens) {  // what no machine could mean
    for (const double token_budget : r.token_budgets) {
      ServingQuestion one = r.question;
      one.speculative_tokens = speculative_tokens;
      one.token_budget = token_budget;
      one.disaggregated = r.disaggregated;
      if (Errors wrong = checked_question(one, library); !wrong.empty()) return fail(std::move(wrong));
    }
  }
  const auto model = model_named(library, r.question.scenario.model);  // unknown ones are explained by the grounds
  if (model && !model->note.empty()) space.notes.push_back(model->note);
  for (std::string& name : space.request.machines) {
    const auto named = whole_machine_named(library, name);
    if (!named) return fail(named.error());
    if (!named->note.empty()) space.notes.push_back(named->note);
    name = named->entry->name;
    space.machines.push_back({name, named->entry->title, 0, named->entry->chips.value});
  }
  auto grounds = all_grounds(r, library);
  for (auto& ground : grounds) {
    if (!ground) {
      // among several one that cannot do it is left out, and said so
      append(errors, ground.error());
      continue;
    }
    space.machines[ground->which.machine].price = ground->terms.price;
    if (!ground->extrapolation.empty())
      add_once(space.notes, space.machines[ground->which.machine].name + ": " + ground->extrapolation);
    space.model_title = ground->model->title;
    space.starts.push_back(space.starts.back() + ground->layouts.size());
    space.grounds.push_back(std::move(*ground));
  }
  if (space.grounds.empty()) return fail(std::move(errors));
  for (const Error& error : errors) add_once(space.notes, fmt::format("left out: {}: {}", error.where, error.what));
  return space;
}

void search_layouts(const PlanSpace& space, std::uint64_t first, std::uint64_t count, PlanSearch& out) {
  const std::uint64_t last = std::min(space.size(), first + count);
  while (first < last) {
    const auto after = std::upper_bound(space.starts.begin(), space.starts.end(), first);
    const auto v = static_cast<std::size_t>(after - space.starts.begin()) - 1;
    SearchScratch scratch;
    for (; first < std::min(last, *after); ++first)
      search_layout(space.request, space.grounds[v], {first - space.starts[v], first}, scratch, out);
  }
}

PlanSearch search_with_threads(const PlanSpace& space, std::uint64_t first, std::uint64_t count) {
  // threads take layouts from one list in blocks; what they find is merged in any order, with the same result
  constexpr std::uint64_t kBlock = 16;
  const unsigned threads = std::max(1U, space.request.threads);
  const std::uint64_t last = std::min(space.size(), first + count);
  std::vector<PlanSearch> found(threads);
  std::atomic<std::uint64_t> next{first};
  const auto work = [&](std::size_t self) {
    for (std::uint64_t from = 0; (from = next.fetch_add(kBlock)) < last;)
      search_layouts(space, from, std::min(kBlock, last - from), found[self]);
  };
  auto others = start_threads(threads - 1, work);
  work(threads - 1);
  others.clear();  // until they are done
  for (unsigned i = 1; i < threads; ++i) found[0].merge(space.request.objective, found[i]);
  return std::move(found[0]);
}

namespace {

void add_layouts(Fingerprint& out, const std::vector<Layout>& layouts) {
  out.add(static_cast<double>(layouts.size()));
  for (const Layout& l : layouts) {
    for (const double number : {l.tensor, l.pipeline, l.context, l.attention_data, l.expert, l.redundant_experts})
      out.add(number);
  }
}

template <class C>
void add_fields(Fingerprint& out, const C& calibration) {
  C::visit_fields(calibration, [&](std::string_view, const auto& field) { out.add(field.value()); });
}

/// What a model's shape comes to under one layout: every size of it is in these.
void add_shape(Fingerprint& out, const PlanGround& ground, const Layout& layout) {
  StepOperations plan;
  lay_out_step(ground.shape, numbers_of(layout, ground.fabric), ground.fabric, plan);
  out.add(weights_held(plan));
  out.add(activations_held(plan, 1));
  out.add(context_held(plan, ground.length()));
  ServingLoad<double> load = ground.load;
  load.concurrency = load.capacity = 8 * plan.attention_data;
  const auto times = serving_times(plan, ground.rates, ground.engine, load);
  for (const double number : {times.tpot.value(), times.ttft.value(), times.prefill_alone.value()}) out.add(number);
}

}  // namespace

std::string fingerprint(const PlanSpace& space) {
  const PlanRequest& request = space.request;
  Fingerprint out;
  out.add(name_of(request.objective));
  for (const auto& slo : {request.ttft, request.tpot}) out.add(slo ? slo->value() : 0.0);
  for (const bool pool : {request.aggregated, request.disaggregated}) out.add(pool ? 1.0 : 0.0);
  for (const std::string& machine : request.machines) out.add(machine);
  for (const PlanGround& ground : space.grounds) {
    for (const std::size_t place : {ground.which.machine, ground.which.weights, ground.which.kv,
                                    ground.which.speculative_tokens, ground.which.token_budget}) {
      out.add(static_cast<double>(place));
    }
    const ServingTerms& t = ground.terms;
    const ServingLoad<double>& l = ground.load;
    for (const double number :
         {t.isl, t.osl, t.price, l.cached.value(), l.speculative_tokens, l.acceptance_rate.value(), l.draft_layers,
          l.token_budget, ground.memory.there.value(), ground.memory.process.value(), ground.memory.utilization.value(),
          ground.power, ground.fabric.domain}) {
      out.add(number);
    }
    out.add(name_of(l.overlap));
    const ChipPeaks<double>& peak = ground.rates.peak;
    for (const auto& rate : peak.matrix) out.add(rate.value());
    for (const auto& rate : {peak.memory, peak.scale_up, peak.scale_out}) out.add(rate.value());
    add_fields(out, ground.rates.chip);
    add_fields(out, ground.rates.kernel);
    add_fields(out, ground.engine);
    add_layouts(out, ground.layouts);
    std::vector<Layout> of_prompts;
    for (const PrefillChoice& choice : ground.prefill) of_prompts.push_back(choice.layout);
    add_layouts(out, of_prompts);
    add_shape(out, ground, ground.layouts.front());
    add_shape(out, ground, ground.layouts.back());
  }
  return out.text();
}

PlanAnswer plan_answer(const PlanSpace& space, PlanSearch search) {
  const PlanRequest& request = space.request;
  PlanAnswer answer{request, space.model_title, space.machines, std::move(search), {}, space.notes};
  if (answer.search.best) return answer;
  const auto say = [&](Relaxed what, bool token, bool first) {
    const auto& near = answer.search.nearest[static_cast<std::size_t>(what)];
    if (!near) return;
    std::string text;
    if (token && request.tpot) text += field("tpot", show(Seconds<double>(near->point.tpot)));
    if (first && request.ttft)
      text += (text.empty() ? "" : " ") + field("ttft", show(Seconds<double>(near->point.ttft)));
    for (const PlanRelaxation& other : answer.relaxations) {
      if (other.say == text) return;
    }
    answer.relaxations.push_back({text, near->factor, near->point});
  };
  say(Relaxed::token, true, false);
  say(Relaxed::first, false, true);
  say(Relaxed::both, true, true);
  return answer;
}

}  // namespace ridge
