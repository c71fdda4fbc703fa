#include "search/plan.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <thread>

#include <fmt/format.h>

#include "base/text.hpp"
#include "base/unit_text.hpp"
#include "serve/scenario.hpp"
#include "serve/serving_figures.hpp"
#include "serve/step_formats.hpp"
#include "serve/step_shape.hpp"

namespace ridge {

namespace {

/// A machine and a format: everything that no layout changes, resolved once.
struct Ground {
  std::size_t machine = 0, weights = 0;
  Fabric fabric;
  StepShape shape;
  ChipRates<double> rates;
  EngineCalibration<double> engine;
  double price = 0, usable = 0, power = 0;
  const Model* model = nullptr;
  std::vector<Layout> layouts;
  std::uint64_t first_index = 0;  // of its first case
};

bool better(Objective objective, const PlanPoint& a, const PlanPoint& b) {
  const double mine = objective_of(objective, a), its = objective_of(objective, b);
  return mine != its ? mine < its : a.index < b.index;
}

/// One deployment's best load, beside those found so far.
void offer(Objective objective, const PlanPoint& point, PlanSearch& out) {
  const auto own = out.best_of_machine.find(point.machine);
  if (own == out.best_of_machine.end() || better(objective, point, own->second)) {
    out.best_of_machine[point.machine] = point;
  }
  if (!out.best || better(objective, point, *out.best)) {
    out.runner_up = out.best;
    out.best = point;
  } else if (!out.runner_up || better(objective, point, *out.runner_up)) {
    out.runner_up = point;
  }
}

constexpr std::uint64_t kCasesOfALayout = 512;  // indices kept for one layout: modes times loads

class Evaluator {
 public:
  Evaluator(const PlanRequest& request, const Ground& ground) : request_(request), ground_(ground) {}

  void run(std::size_t layout, PlanSearch& out) {
    const ServingQuestion& q = request_.question;
    point_.machine = ground_.machine;
    point_.weights = ground_.weights;
    point_.layout = ground_.layouts[layout];
    lay_out_step(ground_.shape, numbers_of(point_.layout, ground_.fabric), ground_.fabric, plan_);
    ++out.layouts;
    const double capacity = sequences_that_fit(plan_, ground_.usable, q.chunk, q.isl + q.osl / 2);
    if (capacity < 1) return;
    ++out.fitting;
    point_.index = ground_.first_index + layout * kCasesOfALayout;
    for (const bool apart : {false, true}) {
      if (apart ? !request_.apart : !request_.together) continue;
      point_.apart = apart;
      best_.reset();
      for (const double load : all_loads(plan_.attention_data, capacity)) {
        evaluate(load, capacity);
        ++out.evaluated;
        keep(out);
        ++point_.index;
      }
      if (best_) offer(request_.objective, *best_, out);
    }
  }

 private:
  void evaluate(double concurrency, double capacity) {
    const ServingQuestion& q = request_.question;
    auto load = load_of(q, *ground_.model, concurrency, capacity);
    load.prompts_apart = point_.apart;
    const auto times = serving_times(plan_, ground_.rates, ground_.engine, load);
    const double chips = point_.layout.chips();
    const auto figures =
        serving_figures(plan_, ground_.rates, times, {q.isl, q.osl, ground_.price, chips, 1, point_.apart});
    point_.concurrency = concurrency;
    point_.tpot = times.tpot.value();
    point_.ttft = figures.ttft.value();
    point_.ttft_known = times.prompt_share.value() <= kBusy;
    point_.user_rate = figures.user_rate;
    point_.chip_rate = figures.output_rate / figures.chips;
    point_.cost = figures.bill_per_output;
    point_.chips = figures.chips;
    point_.energy = ground_.power * figures.chips / figures.output_rate;
  }

  bool keeps_promise() const {
    if (request_.tpot && point_.tpot > request_.tpot->value()) return false;
    return !request_.ttft || (point_.ttft_known && point_.ttft <= request_.ttft->value());
  }

  void keep(PlanSearch& out) {
    out.frontier.add({{-point_.user_rate, -point_.chip_rate, point_.index}, point_});
    out.cost_frontier.add({{-point_.user_rate, -1 / point_.cost, point_.index}, point_});
    out.of_machine[point_.machine].add({{-point_.user_rate, -point_.chip_rate, point_.index}, point_});
    if (keeps_promise() && (!best_ || better(request_.objective, point_, *best_))) best_ = point_;
  }

  const PlanRequest& request_;
  const Ground& ground_;
  StepPlan plan_;
  PlanPoint point_;
  std::optional<PlanPoint> best_;  // of one deployment, over its loads
};

void apply(const PlanChange& change, Ground& ground) {
  ChipPeaks<double>& peak = ground.rates.peak;
  for (auto& rate : peak.matrix) rate = rate * change.matrix;
  peak.memory = peak.memory * change.memory;
  peak.scale_up = peak.scale_up * change.link;
  ground.engine.step_time = ground.engine.step_time * change.engine;
  ground.engine.layer_time = ground.engine.layer_time * change.engine;
  ground.engine.sequence_time = ground.engine.sequence_time * change.engine;
}

Result<Ground> ground_of(const PlanRequest& request, const Library& library, std::size_t machine, std::size_t weights) {
  const ServingQuestion& q = request.question;
  Scenario scenario = q.scenario;
  scenario.machine = request.machines[machine];
  if (request.weights[weights]) scenario.weights = request.weights[weights];
  const auto resolved = resolve(scenario, library);
  if (!resolved) return fail(resolved.error());
  const Model* model = find_named(library.models, resolved->model);
  const Machine* found = find_named(library.machines, resolved->machine);
  if (model == nullptr || found == nullptr) {
    return fail({"plan", "a saved scenario without its model or machine in the catalog has no layers to lay out",
                 "name a model and a machine of the catalog"});
  }
  const Chip& chip = *find_named(library.chips, found->chip);
  const auto formats = step_formats(*model, library, chip,
                                    {scenario.weights, scenario.experts,
                                     scenario.kv ? scenario.kv : std::optional<std::string>(engine_kv_format(chip))});
  if (!formats) return fail(formats.error());
  Ground ground;
  ground.machine = machine;
  ground.weights = weights;
  ground.fabric = fabric_of(*found);
  ground.shape = shape_of(*model, *formats);
  ground.rates = {peaks_of(chip, found), chip_in_step(library, chip).value, kernels_in_step(library)};
  ground.engine = engine_calibration(library, q.engine).value;
  apply(request.change, ground);
  ground.price = resolved->numbers.price.value();
  ground.usable = chip.usable_capacity().value.value() * request.change.capacity * q.memory_share -
                  process_reserve(library).value();
  ground.power = found->owned ? (found->owned->power.value * found->owned->pue.value).value()
                 : chip.power ? chip.power->value.value()
                              : 0;
  ground.model = model;
  const double most = request.most_chips > 0 ? request.most_chips : std::min(kMostChips, found->chips.value);
  for (const Layout& layout : all_layouts(*model, q, most)) {
    if (checked(layout, *model)) ground.layouts.push_back(layout);
  }
  if (ground.layouts.empty()) {  // the degrees that were given
    Layout given;
    given.tensor = q.tensor.value_or(1);
    given.pipeline = q.pipeline.value_or(1);
    given.context = q.context.value_or(1);
    given.attention_data = q.attention_data.value_or(1);
    given.expert = q.expert.value_or(1);
    if (const auto possible = checked(given, *model); !possible) return fail(possible.error());
    return fail({"--max-chips", fmt::format("the degrees that were given take more than {:g} chips", most),
                 "allow more, or leave one of them out"});
  }
  return ground;
}

/// How far each promise would have to give way for something to keep it. The frontiers hold the least time per token at
/// any cost, so three ways are looked for among their points.
void relax(const PlanRequest& request, PlanSearch& search) {
  const auto over = [](double value, const std::optional<Seconds<double>>& promise) {
    return promise ? std::max(1.0, value / promise->value()) : 1.0;
  };
  std::optional<PlanRelaxation> token, first, both;
  const auto improve = [](std::optional<PlanRelaxation>& best, double factor, const PlanPoint& point) {
    if (!best || factor < best->factor) best = PlanRelaxation{"", factor, point};
  };
  for (const PlanFrontier* frontier : {&search.frontier, &search.cost_frontier}) {
    for (const auto& entry : frontier->candidates()) {
      const PlanPoint& p = entry.point;
      if (request.ttft && !p.ttft_known) continue;
      const double slow = over(p.tpot, request.tpot), late = over(p.ttft, request.ttft);
      if (late <= 1) improve(token, slow, p);
      if (slow <= 1) improve(first, late, p);
      improve(both, std::max(slow, late), p);
    }
  }
  const auto say = [&](std::optional<PlanRelaxation>& way, bool token_too, bool first_too) {
    if (!way) return;
    std::string text;
    if (token_too && request.tpot) text += "--tpot " + show(Seconds<double>(way->point.tpot));
    if (first_too && request.ttft)
      text += (text.empty() ? "--ttft " : " --ttft ") + show(Seconds<double>(way->point.ttft));
    way->say = text;
    for (const PlanRelaxation& other : search.relaxations) {
      if (other.say == text) return;
    }
    search.relaxations.push_back(*way);
  };
  say(token, true, false);
  say(first, false, true);
  say(both, true, true);
}

}  // namespace

Result<Objective> parse_objective(std::string_view word) {
  for (const Objective one : {Objective::cost, Objective::latency, Objective::chips, Objective::energy}) {
    if (word == name_of(one)) return one;
  }
  return fail({"--objective", fmt::format("\"{}\" is nothing to aim at", shortened(std::string(word))),
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

ServingQuestion question_at(const PlanRequest& request, const PlanPoint& point) {
  ServingQuestion q = request.question;
  q.scenario.machine = request.machines[point.machine];
  if (request.weights[point.weights]) q.scenario.weights = request.weights[point.weights];
  q.tensor = point.layout.tensor;
  q.pipeline = point.layout.pipeline;
  q.context = point.layout.context;
  q.attention_data = point.layout.attention_data;
  q.expert = point.layout.expert;
  q.concurrency = point.concurrency;
  q.rate.reset();
  q.disaggregated = point.apart;
  return q;
}

std::vector<PlanOutlook> outlooks(const PlanRequest& request, const Library& library) {
  std::vector<PlanOutlook> out;
  const auto look = [&](std::string say, const PlanRequest& changed) {
    const auto plan = make_plan(changed, library);
    if (plan) out.push_back({std::move(say), plan->search.best});
  };
  const auto hardware = [&](std::string say, const PlanChange& change) {
    PlanRequest changed = request;
    changed.change = change;
    look(std::move(say), changed);
  };
  hardware("20 % more memory bandwidth", {.memory = 1.2});
  hardware("20 % more memory", {.capacity = 1.2});
  hardware("20 % more FLOP/s", {.matrix = 1.2});
  hardware("20 % more scale-up bandwidth", {.link = 1.2});
  hardware("half the engine's own time", {.engine = 0.5});
  PlanRequest narrow = request;
  narrow.weights = {"nvfp4"};
  look("weights in nvfp4", narrow);
  PlanRequest shorter = request;
  shorter.question.isl = std::max(1.0, request.question.isl / 2);
  look("prompts half as long", shorter);
  return out;
}

Result<PlanAnswer> make_plan(const PlanRequest& request, const Library& library) {
  Errors errors = checked_question(request.question, library);
  if (!errors.empty()) return fail(std::move(errors));
  PlanAnswer answer;
  answer.request = request;
  std::vector<Ground> grounds;
  std::uint64_t index = 0;
  for (std::size_t machine = 0; machine < request.machines.size(); ++machine) {
    for (std::size_t weights = 0; weights < request.weights.size(); ++weights) {
      auto ground = ground_of(request, library, machine, weights);
      if (!ground) {
        // among several machines one that cannot do it is left out, and said so
        append(errors, ground.error());
        continue;
      }
      ground->first_index = index;
      index += ground->layouts.size() * kCasesOfALayout;
      grounds.push_back(std::move(*ground));
    }
  }
  if (grounds.empty()) return fail(std::move(errors));
  for (const Error& error : errors) answer.notes.push_back(fmt::format("left out: {}: {}", error.where, error.what));
  for (const std::string& name : request.machines) {
    const Machine* machine = find_named(library.machines, name);
    PlanMachine known{name, machine == nullptr ? name : machine->title, 0,
                      machine == nullptr ? 1 : machine->chips.value};
    for (const Ground& ground : grounds) {
      if (request.machines[ground.machine] == name) known.price = ground.price;
    }
    answer.machines.push_back(known);
  }
  if (const Model* model = find_named(library.models, request.question.scenario.model))
    answer.model_title = model->title;

  // threads take layouts from one list in blocks; what they find is merged in any order, with the same result
  struct Task {
    const Ground* ground;
    std::size_t layout;
  };
  std::vector<Task> tasks;
  for (const Ground& ground : grounds) {
    for (std::size_t i = 0; i < ground.layouts.size(); ++i) tasks.push_back({&ground, i});
  }
  const unsigned threads = std::max(1U, request.threads);
  std::vector<PlanSearch> found(threads);
  std::atomic<std::size_t> next{0};
  const auto work = [&](unsigned self) {
    constexpr std::size_t kTasksAtOnce = 16;
    for (;;) {
      const std::size_t from = next.fetch_add(kTasksAtOnce);
      if (from >= tasks.size()) return;
      const Ground* at = nullptr;
      std::optional<Evaluator> evaluator;
      for (std::size_t i = from; i < std::min(tasks.size(), from + kTasksAtOnce); ++i) {
        if (tasks[i].ground != at) evaluator.emplace(request, *tasks[i].ground);
        at = tasks[i].ground;
        evaluator->run(tasks[i].layout, found[self]);
      }
    }
  };
  std::vector<std::thread> pool;
  for (unsigned i = 1; i < threads; ++i) pool.emplace_back(work, i);
  work(0);
  for (std::thread& one : pool) one.join();
  PlanSearch& all = answer.search;
  for (const PlanSearch& one : found) {
    all.frontier.merge(one.frontier);
    all.cost_frontier.merge(one.cost_frontier);
    for (const auto& [machine, frontier] : one.of_machine) all.of_machine[machine].merge(frontier);
    if (one.best) offer(request.objective, *one.best, all);
    if (one.runner_up) offer(request.objective, *one.runner_up, all);
    for (const auto& [machine, point] : one.best_of_machine) {
      const auto own = all.best_of_machine.find(machine);
      if (own == all.best_of_machine.end() || better(request.objective, point, own->second)) {
        all.best_of_machine[machine] = point;
      }
    }
    all.evaluated += one.evaluated;
    all.layouts += one.layouts;
    all.fitting += one.fitting;
  }
  if (!all.best && all.fitting > 0) relax(request, all);
  return answer;
}

}  // namespace ridge
