#include "search/plan/plan_search.hpp"

#include <cstring>
#include <tuple>
#include <type_traits>

#include <fmt/format.h>

#include "base/text.hpp"

namespace ridge {

Result<Objective> parse_objective(std::string_view word) {
  for (const Objective one : {Objective::cost, Objective::latency, Objective::chips, Objective::energy}) {
    if (word == name_of(one)) return one;
  }
  return fail({"objective", fmt::format("\"{}\" is nothing to aim at", shortened(std::string(word))),
               "cost, latency, chips or energy"});
}

std::string_view name_of(Objective objective) {
  switch (objective) {
    case Objective::cost:
      return "cost";
    case Objective::latency:
      return "latency";
    case Objective::chips:
      return "chips";
    case Objective::energy:
      return "energy";
  }
  return "";
}

double objective_of(Objective objective, const PlanPoint& point) {
  switch (objective) {
    case Objective::latency:
      return point.tpot;
    case Objective::chips:
      return point.chips;
    case Objective::energy:
      return point.energy;
    case Objective::cost:
      break;
  }
  return point.cost;
}

bool better(Objective objective, const PlanPoint& a, const PlanPoint& b) {
  const auto key = [&](const PlanPoint& point) {
    return std::tuple(objective_of(objective, point), point.cost, point.index);
  };
  return key(a) < key(b);
}

void PlanSearch::draw(const PlanPoint& point) {
  const Candidate for_chips{-point.user_rate, -point.chip_rate, point.index};
  const Candidate for_cost{-point.user_rate, -1 / point.cost, point.index};
  PlanFrontier& own = of_machine[point.machine];
  // most are beaten: look before copying all of a point
  if (own.would_keep(for_chips)) own.add({for_chips, point});
  if (frontier.would_keep(for_chips)) frontier.add({for_chips, point});
  if (cost_frontier.would_keep(for_cost)) cost_frontier.add({for_cost, point});
}

void PlanSearch::keep_best(Objective objective, const PlanPoint& point) {
  const auto own = best_of_machine.find(point.machine);
  if (own == best_of_machine.end() || better(objective, point, own->second)) best_of_machine[point.machine] = point;
}

void PlanSearch::offer(Objective objective, const PlanPoint& point) {
  keep_best(objective, point);
  if (!best || better(objective, point, *best)) {
    runner_up = best;
    best = point;
  } else if (!runner_up || better(objective, point, *runner_up)) {
    runner_up = point;
  }
}

void PlanSearch::come_near(Relaxed what, double factor, const PlanPoint& point) {
  auto& best_so_far = nearest[static_cast<std::size_t>(what)];
  const bool nearer = !best_so_far || factor < best_so_far->factor ||
                      (factor == best_so_far->factor && point.index < best_so_far->point.index);
  if (nearer) best_so_far = NearPoint{factor, point};
}

void PlanSearch::merge(Objective objective, const PlanSearch& other) {
  frontier.merge(other.frontier);
  cost_frontier.merge(other.cost_frontier);
  for (const auto& [machine, its] : other.of_machine) of_machine[machine].merge(its);
  for (const auto& [machine, point] : other.best_of_machine) keep_best(objective, point);
  for (std::size_t i = 0; i < nearest.size(); ++i) {
    if (other.nearest[i]) come_near(static_cast<Relaxed>(i), other.nearest[i]->factor, other.nearest[i]->point);
  }
  if (other.best) offer(objective, *other.best);
  if (other.runner_up) offer(objective, *other.runner_up);
  evaluated += other.evaluated;
  layouts += other.layouts;
  fitting += other.fitting;
}

namespace {

/// Everything of a point, one number after another: a struct's own bytes have gaps.
template <class L, class Visit>
void visit_layout(L& layout, Visit&& visit) {
  for (auto* degree : {&layout.tensor, &layout.pipeline, &layout.context, &layout.attention_data, &layout.expert,
                       &layout.replicas, &layout.redundant_experts}) {
    visit(*degree);
  }
  visit(layout.balanced);
}

template <class P, class Visit>
void visit_point(P& p, Visit&& visit) {
  for (auto* place : {&p.machine, &p.weights, &p.kv, &p.speculative_tokens, &p.token_budget}) visit(*place);
  visit_layout(p.layout, visit);
  visit_layout(p.prefill_layout, visit);
  for (auto* number : {&p.concurrency, &p.ttft, &p.tpot, &p.user_rate, &p.chip_rate, &p.cost, &p.chips, &p.energy}) {
    visit(*number);
  }
  visit(p.disaggregated);
  visit(p.ttft_known);
  visit(p.index);
}

template <class Visit>
void visit_all(auto& value, Visit&& visit) {
  using T = std::remove_const_t<std::remove_reference_t<decltype(value)>>;
  if constexpr (std::is_same_v<T, PlanPoint>) {
    visit_point(value, visit);
  } else if constexpr (std::is_same_v<T, NearPoint>) {
    visit(value.factor);
    visit_point(value.point, visit);
  } else if constexpr (std::is_same_v<T, PlanCandidate>) {
    visit(value.x);
    visit(value.y);
    visit_point(value.point, visit);
  } else {
    static_assert(std::is_arithmetic_v<T>);
    visit(value);
  }
}

class Packer {
 public:
  template <class T>
  void add(const T& value) {
    visit_all(value, [&](const auto& field) { bytes_.append(reinterpret_cast<const char*>(&field), sizeof field); });
  }
  template <class T>
  void add_list(const std::vector<T>& list) {
    add<std::uint64_t>(list.size());
    for (const T& one : list) add(one);
  }
  std::string bytes() && { return std::move(bytes_); }

 private:
  std::string bytes_;
};

class Unpacker {
 public:
  explicit Unpacker(std::string_view bytes) : left_(bytes) {}

  template <class T>
  T take() {
    T value{};
    visit_all(value, [&](auto& field) {
      good_ = good_ && left_.size() >= sizeof field;
      if (!good_) return;
      if constexpr (std::is_same_v<std::remove_reference_t<decltype(field)>, bool>) {
        field = left_.front() != 0;
      } else {
        std::memcpy(&field, left_.data(), sizeof field);
      }
      left_.remove_prefix(sizeof field);
    });
    if constexpr (std::is_same_v<T, PlanCandidate>) value.index = value.point.index;
    return value;
  }
  template <class T>
  std::vector<T> take_list() {
    const auto count = take<std::uint64_t>();
    std::vector<T> list;
    for (std::uint64_t i = 0; i < count && good_; ++i) list.push_back(take<T>());
    return list;
  }
  bool good() const { return good_; }
  /// Everything was there, and nothing else.
  bool done() const { return good_ && left_.empty(); }

 private:
  std::string_view left_;
  bool good_ = true;
};

PlanFrontier frontier_of(const std::vector<PlanCandidate>& candidates) {
  PlanFrontier frontier;
  for (const PlanCandidate& one : candidates) frontier.add(one);
  return frontier;
}

template <class T>
std::vector<T> listed(const std::optional<T>& one) {
  return one ? std::vector<T>{*one} : std::vector<T>{};
}

template <class T>
std::optional<T> first_of(const std::vector<T>& list) {
  return list.empty() ? std::nullopt : std::optional<T>(list.front());
}

}  // namespace

std::string packed(const PlanSearch& search) {
  Packer out;
  for (const std::uint64_t count : {search.evaluated, search.layouts, search.fitting}) out.add(count);
  out.add_list(search.frontier.candidates());
  out.add_list(search.cost_frontier.candidates());
  out.add<std::uint64_t>(search.of_machine.size());
  for (const auto& [machine, frontier] : search.of_machine) {
    out.add<std::uint64_t>(machine);
    out.add_list(frontier.candidates());
  }
  std::vector<PlanPoint> bests;
  for (const auto& [machine, point] : search.best_of_machine) bests.push_back(point);
  out.add_list(bests);
  out.add_list(listed(search.best));
  out.add_list(listed(search.runner_up));
  for (const auto& near : search.nearest) out.add_list(listed(near));
  return std::move(out).bytes();
}

std::optional<PlanSearch> unpacked_search(std::string_view bytes) {
  Unpacker in(bytes);
  PlanSearch search;
  for (std::uint64_t* count : {&search.evaluated, &search.layouts, &search.fitting}) *count = in.take<std::uint64_t>();
  search.frontier = frontier_of(in.take_list<PlanCandidate>());
  search.cost_frontier = frontier_of(in.take_list<PlanCandidate>());
  const auto machines = in.take<std::uint64_t>();
  for (std::uint64_t i = 0; i < machines && in.good(); ++i) {
    const auto machine = in.take<std::uint64_t>();
    auto candidates = in.take_list<PlanCandidate>();
    search.of_machine[machine] = frontier_of(candidates);
  }
  for (const PlanPoint& point : in.take_list<PlanPoint>()) search.best_of_machine[point.machine] = point;
  search.best = first_of(in.take_list<PlanPoint>());
  search.runner_up = first_of(in.take_list<PlanPoint>());
  for (auto& near : search.nearest) near = first_of(in.take_list<NearPoint>());
  if (!in.done()) return {};
  return search;
}

}  // namespace ridge
