#include "search/plan/prepared_plan.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <tuple>

#include <fmt/format.h>

#include "base/field_text.hpp"
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

/// One layout, by its number among those of all grounds.
void search_numbered(const PlanSpace& space, std::uint64_t number, SearchScratch& scratch, PlanSearch& out) {
  const auto after = std::upper_bound(space.starts.begin(), space.starts.end(), number);
  const auto ground = static_cast<std::size_t>(after - space.starts.begin()) - 1;
  search_layout(space.request, space.grounds[ground], {number - space.starts[ground], number}, scratch, out);
}

}  // namespace

Result<PlanSpace> plan_space(const PlanRequest& request, const Library& library) {
  PlanSpace space;
  space.request = request;
  if (request.speculative_tokens.empty()) space.request.speculative_tokens = {request.question.speculative_tokens};
  if (request.token_budgets.empty()) space.request.token_budgets = {request.question.token_budget};
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
    space.machines.push_back({name, named->entry->title, 0, named->entry->chips.value, node_of(*named->entry)});
  }
  if (r.question.osl <= 1)
    space.notes.push_back(fmt::format("one output token: prefill gives it, there is no TPOT{}",
                                      r.tpot ? ", and any deployment holds its target" : ""));
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
  return search;
}

}  // namespace

PlanAnswer plan_answer(const PlanSpace& space, PlanSearch search) {
  const PlanRequest& request = space.request;
  search = with_cheapest_loads(space, std::move(search));
  PlanAnswer answer{request, space.model_title, space.machines, std::move(search), {}, space.notes};
  if (answer.search.best) return answer;
  const auto say = [&](Relaxed what, bool token, bool first) {
    const auto& near = answer.search.nearest[static_cast<std::size_t>(what)];
    if (!near) return;
    std::string text;
    const PlanPoint& point = near->point;
    if (token && request.tpot) text += field("tpot", show(Seconds<double>(point.tpot * point.tpot_margin)));
    if (first && request.ttft)
      text += (text.empty() ? "" : " ") + field("ttft", show(Seconds<double>(point.ttft * point.ttft_margin)));
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
