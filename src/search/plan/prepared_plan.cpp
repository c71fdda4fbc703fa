#include "search/plan/prepared_plan.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <tuple>

#include <fmt/format.h>

#include "base/text/field_text.hpp"
#include "base/text/text.hpp"
#include "base/text/unit_text.hpp"
#include "base/threads.hpp"
#include "engine/engine_layout.hpp"
#include "library/names.hpp"
#include "search/plan/layout_search.hpp"

namespace ridge {

namespace {

/// Each place in a list with each of those before.
void multiply(std::vector<PlanVariant>& all, std::size_t PlanVariant::*place, std::size_t count) {
  std::vector<PlanVariant> more;
  for (const PlanVariant& one : all) {
    for (std::size_t i = 0; i < count; ++i) {
      more.push_back(one);
      more.back().*place = i;
    }
  }
  all = std::move(more);
}

std::vector<PlanVariant> all_variants(const PlanRequest& r) {
  std::vector<PlanVariant> all(1);
  multiply(all, &PlanVariant::machine, r.machines.size());
  multiply(all, &PlanVariant::prefill_machine, std::max<std::size_t>(1, r.prefill_machines.size()));
  multiply(all, &PlanVariant::weights, r.weights.size());
  multiply(all, &PlanVariant::kv, r.kv.size());
  multiply(all, &PlanVariant::speculative_tokens, r.speculative_tokens.size());
  multiply(all, &PlanVariant::token_budget, r.token_budgets.size());
  multiply(all, &PlanVariant::overlap, r.overlaps.size());
  return all;
}

/// The one that was said; else none, and two batches where the engine has a flag for it and experts have something to send.
std::vector<Overlap> overlaps_to_try(const ServingQuestion& question, const Library& library) {
  if (question.overlap) return {*question.overlap};
  const auto model = model_named(library, question.scenario.model);
  const Engine* engine = find_engine(library, engine_called(library, question.engine)).facts;
  const bool sends = model && model->entry->experts() != nullptr;
  if (!sends || engine == nullptr || flag_for(*engine, Meaning::overlap).empty()) return {Overlap::none};
  return {Overlap::none, Overlap::two};
}

/// The machines that names stand for; each name becomes that of its entry.
Result<std::vector<PlanMachine>> machines_named(std::vector<std::string>& names, const char* where,
                                                const Library& library, std::vector<std::string>& notes) {
  std::vector<PlanMachine> out;
  for (std::string& name : names) {
    const auto named = whole_machine_named(library, name);
    if (!named) {
      Errors errors = named.error();
      for (Error& error : errors) {
        if (error.where == "machine") error.where = where;
      }
      return fail(std::move(errors));
    }
    if (!named->note.empty()) add_once(notes, named->note);
    name = named->entry->name;
    out.push_back({name, named->entry->title, 0, named->entry->chips.value, node_of(*named->entry)});
  }
  return out;
}

/// What each variant searches on, found by the request's threads. What fails without overlap is not tried with it.
std::vector<Result<PlanGround>> all_grounds(const PlanRequest& r, const Library& library) {
  const std::vector<PlanVariant> variants = all_variants(r);
  const std::size_t overlaps = r.overlaps.size(), without_overlap = variants.size() / overlaps;
  std::vector<Result<PlanGround>> grounds(variants.size(), PlanGround{});
  for_each_index(without_overlap, r.threads, [&](std::size_t i) {
    for (std::size_t k = i * overlaps; k < (i + 1) * overlaps; ++k) {
      const bool failed = k > i * overlaps && !grounds[i * overlaps];
      grounds[k] = failed ? grounds[i * overlaps] : plan_ground(r, variants[k], library);
    }
  });
  return grounds;
}

/// One layout, by its number among those of all grounds.
void search_numbered(const PlanSpace& space, std::uint64_t number, SearchScratch& scratch, PlanSearch& out) {
  const auto after = std::upper_bound(space.starts.begin(), space.starts.end(), number);
  const auto ground = static_cast<std::size_t>(after - space.starts.begin()) - 1;
  const auto own = static_cast<std::size_t>(number - space.starts[ground]);
  search_layout(space.request, space.grounds[ground], {own, number}, scratch, out);
}

}  // namespace

Result<PlanSpace> plan_space(const PlanRequest& request, const Library& library) {
  PlanSpace space;
  space.request = request;
  if (request.speculative_tokens.empty()) space.request.speculative_tokens = {request.question.speculative_tokens};
  if (request.token_budgets.empty()) space.request.token_budgets = {request.question.token_budget};
  if (request.overlaps.empty()) space.request.overlaps = overlaps_to_try(request.question, library);
  if (!request.prefill_machines.empty()) space.request.aggregated = false;
  const Engine* engine = find_engine(library, engine_called(library, request.question.engine)).facts;
  if (request.disaggregated && engine != nullptr && !disaggregates(*engine)) {  // what nobody can start is not offered
    space.request.disaggregated = !space.request.aggregated;
    if (space.request.disaggregated)
      space.notes.push_back(
          fmt::format("{} has no disaggregated prefill that we know of: this is what it would be", engine->title));
  }
  const PlanRequest& r = space.request;
  Errors errors;
  if (r.most_chips != 0 && !(r.most_chips >= 1 && r.most_chips <= kMostChipsAsked)) {
    return fail({"max_chips", fmt::format("{:g} chips in one replica", r.most_chips),
                 fmt::format("from 1 to {}", with_commas(kMostChipsAsked))});
  }
  for (const double speculative_tokens : r.speculative_tokens) {  // what no machine could mean
    for (const double token_budget : r.token_budgets) {
      ServingQuestion one = r.question;
      one.speculative_tokens = speculative_tokens;
      one.token_budget = token_budget;
      one.disaggregated = r.disaggregated;
      if (!r.prefill_machines.empty()) one.prefill_machine = r.prefill_machines.front();
      if (Errors wrong = checked_question(one, library); !wrong.empty()) return fail(std::move(wrong));
    }
  }
  const auto model = model_named(library, r.question.scenario.model);  // unknown ones are explained by the grounds
  if (model && !model->note.empty()) space.notes.push_back(model->note);
  auto machines = machines_named(space.request.machines, "machine", library, space.notes);
  if (!machines) return fail(machines.error());
  auto prefill_machines = machines_named(space.request.prefill_machines, "prefill_on", library, space.notes);
  if (!prefill_machines) return fail(prefill_machines.error());
  space.machines = std::move(*machines);
  space.prefill_machines = std::move(*prefill_machines);
  if (r.question.osl <= 1)
    space.notes.push_back(fmt::format("one output token: prefill gives it, there is no TPOT{}",
                                      r.tpot ? ", and any deployment holds its target" : ""));
  auto grounds = all_grounds(r, library);
  for (auto& ground : grounds) {
    if (!ground) {
      // among several one that cannot do it is left out, and said so, once for all overlaps
      for (const Error& error : ground.error()) {
        const auto same = [&](const Error& one) { return one.where == error.where && one.what == error.what; };
        if (std::none_of(errors.begin(), errors.end(), same)) errors.push_back(error);
      }
      continue;
    }
    space.machines[ground->which.machine].price = ground->terms.price;
    space.machines[ground->which.machine].idle_price = ground->price;
    space.machines[ground->which.machine].assumed_price = !ground->assumed_price.empty();
    if (ground->prefill_node) {
      PlanMachine& prefill = space.prefill_machines[ground->which.prefill_machine];
      prefill.idle_price = ground->prefill_node->price;
      prefill.assumed_price = ground->prefill_price_assumed;
    }
    for (const std::string& note : ground->prefill_notes) add_once(space.notes, note);
    if (!ground->extrapolation.empty())
      add_once(space.notes, space.machines[ground->which.machine].name + ": " + ground->extrapolation);
    if (!ground->assumed_price.empty())
      add_once(space.notes, space.machines[ground->which.machine].name + ": " + ground->assumed_price);
    space.model_title = ground->model->title;
    space.starts.push_back(space.starts.back() + ground->layouts.size());
    space.grounds.push_back(std::move(*ground));
  }
  if (space.grounds.empty()) return fail(std::move(errors));
  for (const Error& error : errors) add_once(space.notes, fmt::format("left out: {}: {}", error.where, error.what));
  return space;
}

PlanSearch search_all(const PlanSpace& space) {
  // threads take layouts from one list in blocks; what they find is merged in any order, with the same result
  constexpr std::uint64_t kBlock = 16;
  const unsigned threads = std::max(1U, space.request.threads);
  std::vector<PlanSearch> found(threads);
  std::atomic<std::uint64_t> next{0};
  const auto work = [&](std::size_t self) {
    SearchScratch scratch;
    for (std::uint64_t first = 0; (first = next.fetch_add(kBlock)) < space.size();) {
      for (std::uint64_t layout = first; layout < std::min(space.size(), first + kBlock); ++layout)
        search_numbered(space, layout, scratch, found[self]);
    }
  };
  auto others = start_threads(threads - 1, work);
  work(threads - 1);
  others.clear();  // until they are done
  for (unsigned i = 1; i < threads; ++i) found[0].merge(space.request.objective, found[i]);
  return std::move(found[0]);
}

namespace {

/// What was chosen, each at its own cheapest load, and in the order that this gives. A search tries some loads; between
/// them, at the edge of the SLO, another deployment may be the best.
PlanSearch with_cheapest_loads(const PlanSpace& space, PlanSearch search) {
  const PlanRequest& request = space.request;
  if (request.concurrency) return search;
  const auto ground_of = [&](const PlanVariant& which) -> const PlanGround& {
    return *std::find_if(space.grounds.begin(), space.grounds.end(),
                         [&](const PlanGround& ground) { return ground.which == which; });
  };
  std::sort(search.edges.begin(), search.edges.end(), [](const PlanEdge& a, const PlanEdge& b) {
    return std::tuple(a.within.machine, a.within.index) < std::tuple(b.within.machine, b.within.index);
  });
  PlanSearch at_edges;
  for (const PlanEdge& edge : search.edges) {
    if (!better(request.objective, edge.beyond, search.best_of_machine.at(edge.beyond.machine))) continue;
    at_edges.offer(request.objective, at_edge(request, ground_of(edge.within), edge));
  }
  std::map<std::uint64_t, PlanPoint> found;  // of each deployment its best
  for (const PlanSearch* one : {&search, &at_edges}) {
    const auto keep = [&](const PlanPoint& point) {
      const auto [known, is_new] = found.try_emplace(deployment_of(point), point);
      if (!is_new && better(request.objective, point, known->second)) known->second = point;
    };
    for (const auto& [machine, point] : one->best_of_machine) keep(point);
    if (request.fleet) {
      for (const auto& [kind, point] : one->best_of_kind) keep(point);
    }
    for (const PlanPoint& point : one->few) keep(point);
    if (one->best) keep(*one->best);
    if (one->runner_up) keep(*one->runner_up);
  }
  PlanSearch chosen;
  for (const auto& [deployment, point] : found)
    chosen.offer(request.objective, at_cheapest_load(request, ground_of(point), point));
  search.best = chosen.best;
  search.runner_up = chosen.runner_up;
  search.few = chosen.few;
  search.best_of_machine = chosen.best_of_machine;
  search.best_of_kind = chosen.best_of_kind;
  return search;
}

}  // namespace

PlanAnswer plan_answer(const PlanSpace& space, PlanSearch search) {
  const PlanRequest& request = space.request;
  search = with_cheapest_loads(space, std::move(search));
  PlanAnswer answer{request, space.model_title, space.machines, space.prefill_machines, std::move(search),
                    {},      space.notes};
  if (answer.search.best) return answer;
  const auto say = [&](Relaxed what, bool token, bool first) {
    const auto& near = answer.search.nearest[static_cast<std::size_t>(what)];
    if (!near) return;
    std::string text;
    const PlanPoint& point = near->point;
    const double tpot = point.tpot * point.tpot_margin, ttft = point.ttft * point.ttft_margin;
    if (token && request.tpot && tpot > request.tpot->value()) text += field("tpot", show(Seconds<double>(tpot)));
    if (first && request.ttft && ttft > request.ttft->value())
      text += (text.empty() ? "" : " ") + field("ttft", show(Seconds<double>(ttft)));
    if (text.empty()) return;
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
