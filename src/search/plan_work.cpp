#include "search/plan_work.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <thread>
#include <tuple>

#include <fmt/format.h>

#include "base/unit_text.hpp"
#include "serve/scenario.hpp"
#include "serve/step_formats.hpp"

namespace ridge {

namespace {

constexpr std::uint64_t kCasesOfALayout = 512;  // numbers kept for one layout: modes times loads

void apply(const PlanChange& change, DeploymentGround& ground) {
  ChipPeaks<double>& peak = ground.rates.peak;
  for (auto& rate : peak.matrix) rate = rate * change.matrix;
  peak.memory = peak.memory * change.memory;
  peak.scale_up = peak.scale_up * change.link;
  ground.engine.step_time = ground.engine.step_time * change.engine;
  ground.engine.layer_time = ground.engine.layer_time * change.engine;
  ground.engine.sequence_time = ground.engine.sequence_time * change.engine;
}

/// How many times longer than promised; 1 where it is kept, or nothing was promised.
double over(double value, const std::optional<Seconds<double>>& promise) {
  return promise ? std::max(1.0, value / promise->value()) : 1.0;
}

PromptService prompts_by(const DeploymentGround& ground, const StepPlan& plan, const Layout& layout) {
  return {prompt_pool(plan, layout.chips(), ground.terms.isl),
          prompt_alone_time(plan, ground.rates, ground.engine, ground.load)};
}

}  // namespace

/// One thread's way through layouts of one variant.
class PlanWork::Searcher {
 public:
  Searcher(const PlanRequest& request, const Variant& variant, std::uint64_t first_layout)
      : request_(request), variant_(variant), paces_(variant.rates), first_layout_(first_layout) {}

  void run(std::size_t layout, PlanSearch& out) {
    out_ = &out;
    static_cast<PlanVariant&>(point_) = variant_.which;
    point_.layout = point_.prompt_layout = variant_.layouts[layout];
    lay_out_step(variant_.shape, numbers_of(point_.layout, variant_.fabric), variant_.fabric, plan_);
    ++out.layouts;
    capacity_ = sequences_that_fit(plan_, variant_.usable, variant_.load.chunk, variant_.length());
    if (capacity_ < 1) return;
    ++out.fitting;
    loads_ = all_loads(plan_.attention_data, capacity_);
    first_case_ = (first_layout_ + layout) * kCasesOfALayout;
    if (request_.together) {
      best_.reset();
      point_.apart = false;
      prompts_beside_decoding();
      if (best_) out.offer(request_.objective, *best_);
    }
    first_case_ += kCasesOfALayout / 2;
    if (request_.apart) {
      best_.reset();
      point_.apart = true;
      prompts_apart();
      if (best_) out.offer(request_.objective, *best_);
    }
  }

 private:
  struct Tried {
    std::size_t load;
    const PromptChoice* prompts;
  };

  /// Figures of some of the loads, each with its chips for prompts.
  void evaluate(const std::vector<Tried>& tried) {
    with_prompts_.clear();
    for (const Tried& one : tried) with_prompts_.add(loads_[one.load], one.prompts->service);
    figures_of_loads(variant_, plan_, point_.layout.chips(), capacity_, point_.apart, with_prompts_, set_, figures_);
    out_->evaluated += tried.size();
  }

  /// The i-th point that was evaluated last.
  const PlanPoint& point_at(const std::vector<Tried>& tried, std::size_t i) {
    const DeploymentFigures& f = figures_;
    point_.prompt_layout = tried[i].prompts->layout;
    point_.concurrency = loads_[tried[i].load];
    point_.index = first_case_ + tried[i].load;
    point_.tpot = f.tpot[i];
    point_.ttft = f.ttft[i];
    point_.ttft_known = f.prompt_share[i] <= kBusy;
    point_.user_rate = f.user_rate[i];
    point_.chip_rate = f.output_rate[i] / f.chips[i];
    point_.cost = f.bill_per_output[i];
    point_.chips = f.chips[i];
    point_.energy = variant_.power * f.chips[i] / f.output_rate[i];
    return point_;
  }

  bool keeps_promise(const PlanPoint& point) const {
    if (request_.tpot && point.tpot > request_.tpot->value()) return false;
    return !request_.ttft || (point.ttft_known && point.ttft <= request_.ttft->value());
  }

  void consider(const PlanPoint& point) {
    if (!best_ || better(request_.objective, point, *best_)) best_ = point;
  }

  void note_how_near(const PlanPoint& point) {
    if (request_.ttft && !point.ttft_known) return;
    const double slow = over(point.tpot, request_.tpot), late = over(point.ttft, request_.ttft);
    if (late <= 1) out_->come_near(Relaxed::token, slow, point);
    if (slow <= 1) out_->come_near(Relaxed::first, late, point);
    out_->come_near(Relaxed::both, std::max(slow, late), point);
  }

  void prompts_beside_decoding() {
    const PromptChoice own{point_.layout, {}, {}};
    std::vector<Tried> tried;
    for (std::size_t load = 0; load < loads_.size(); ++load) tried.push_back({load, &own});
    evaluate(tried);
    for (std::size_t i = 0; i < tried.size(); ++i) judge(point_at(tried, i));
  }

  /// Draws the point; considers it if it keeps the promise. Whether it does.
  bool judge(const PlanPoint& point) {
    out_->draw(point);
    const bool kept = keeps_promise(point);
    kept ? consider(point) : note_how_near(point);
    return kept;
  }

  /// For each load the chips for prompts that make it cheapest; where their first token is late, the cheapest whose is
  /// not. A load's requests finish at batch / (prompt + rest) a second, so that one of them takes
  ///   chips x (prompt + rest) / batch + chip time of its prompt
  /// chip-seconds: which choice is cheapest follows without an evaluation.
  void prompts_apart() {
    if (variant_.prompts.empty()) return;
    std::vector<Tried> tried;
    for (std::size_t load = 0; load < loads_.size(); ++load) {
      tried.push_back({load, cheapest(load, [](std::size_t) { return true; })});
    }
    evaluate(tried);
    std::vector<std::size_t> late;
    for (std::size_t i = 0; i < tried.size(); ++i) {
      if (!judge(point_at(tried, i))) late.push_back(i);
    }
    if (request_.ttft && !late.empty()) prompts_sooner(late);
  }

  void prompts_sooner(const std::vector<std::size_t>& late) {
    std::vector<double> waits;  // of the time to the first token, what hangs on the choice
    const Bytes<double> taken(context_held(plan_, variant_.terms.isl));
    for (const PromptChoice& choice : variant_.prompts) waits.push_back(waiting(choice, taken).value());
    const auto fastest = static_cast<std::size_t>(std::min_element(waits.begin(), waits.end()) - waits.begin());
    std::vector<Tried> tried, sooner;
    for (const std::size_t load : late) tried.push_back({load, &variant_.prompts[fastest]});
    evaluate(tried);
    constexpr double kNearly = 1 + 1e-12;  // what rounding may hide is evaluated
    for (std::size_t i = 0; i < tried.size(); ++i) {
      const PlanPoint& point = point_at(tried, i);
      if (!keeps_promise(point)) {
        note_how_near(point);
        continue;
      }
      consider(point);
      const double left = request_.ttft->value() * kNearly - (point.ttft - waits[fastest]);
      sooner.push_back({tried[i].load, cheapest(tried[i].load, [&](std::size_t k) { return waits[k] <= left; })});
    }
    if (sooner.empty()) return;
    evaluate(sooner);
    for (std::size_t i = 0; i < sooner.size(); ++i) {
      const PlanPoint& point = point_at(sooner, i);
      if (keeps_promise(point)) consider(point);
    }
  }

  /// Of the time to the first token, what hangs on the choice; `taken`: bytes of a prompt's cache where it decodes.
  Seconds<double> waiting(const PromptChoice& choice, const Bytes<double>& taken) const {
    const Seconds<double> computing = choice.service.alone * (1 + kPromptQueue);
    return variant_.terms.networked ? computing + moving_time(choice.service.pool, taken, paces_) : computing;
  }

  /// Of the chips for prompts that `may` be, those that make this load cheapest.
  template <class May>
  const PromptChoice* cheapest(std::size_t load, May may) const {
    const Ratio<double> each(point_.layout.chips() / loads_[load]);
    const PromptChoice* best = nullptr;
    Seconds<double> least{};
    for (std::size_t k = 0; k < variant_.prompts.size(); ++k) {
      const PromptChoice& choice = variant_.prompts[k];
      const Seconds<double> taken = each * choice.service.alone + choice.chip_time;
      if (best != nullptr && !(taken < least)) continue;
      if (!may(k)) continue;
      best = &choice;
      least = taken;
    }
    return best;
  }

  const PlanRequest& request_;
  const Variant& variant_;
  ChipPaces<double> paces_;
  std::uint64_t first_layout_;  // of the variant, among all
  InstructionSet set_ = best_instruction_set();
  StepPlan plan_;
  double capacity_ = 0;
  std::vector<double> loads_;
  std::uint64_t first_case_ = 0;
  DeploymentLoads with_prompts_;
  DeploymentFigures figures_;
  PlanPoint point_;
  std::optional<PlanPoint> best_;  // of one deployment, over its loads
  PlanSearch* out_ = nullptr;
};

void PlanWork::find_prompt_choices(Variant& variant) {
  StepPlan plan;
  std::vector<PromptChoice> all;
  for (const Layout& layout : variant.layouts) {
    lay_out_step(variant.shape, numbers_of(layout, variant.fabric), variant.fabric, plan);
    if (sequences_that_fit(plan, variant.usable, variant.load.chunk, variant.length()) < 1) continue;
    const PromptService service = prompts_by(variant, plan, layout);
    all.push_back({layout, service, chip_time(service.pool, service.alone)});
  }
  const auto key = [](const PromptChoice& choice) {
    return std::tuple(choice.chip_time, choice.service.alone, choice.service.pool.cache);
  };
  std::stable_sort(all.begin(), all.end(),
                   [&](const PromptChoice& a, const PromptChoice& b) { return key(a) < key(b); });
  for (const PromptChoice& one : all) {
    const bool beaten = std::any_of(variant.prompts.begin(), variant.prompts.end(), [&](const PromptChoice& other) {
      return other.service.alone <= one.service.alone && other.service.pool.cache <= one.service.pool.cache;
    });
    if (!beaten) variant.prompts.push_back(one);
  }
}

Result<PlanWork::Variant> PlanWork::variant_of(const PlanVariant& which, const Library& library) const {
  ServingQuestion q = request_.question;
  Scenario& scenario = q.scenario;
  scenario.machine = request_.machines[which.machine];
  if (request_.weights[which.weights]) scenario.weights = request_.weights[which.weights];
  if (request_.kv[which.kv]) scenario.kv = request_.kv[which.kv];
  q.guesses = request_.guesses[which.guesses];
  q.chunk = request_.chunks[which.chunk];
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
  Variant variant;
  variant.which = which;
  variant.fabric = fabric_of(*found);
  variant.shape = shape_of(*model, *formats);
  variant.rates = {peaks_of(chip, found), chip_in_step(library, chip).value, kernels_in_step(library)};
  variant.engine = engine_calibration(library, q.engine).value;
  apply(request_.change, variant);
  variant.load = load_of(q, *model, 1, 1);
  variant.terms = {q.isl, q.osl, resolved->numbers.price.value(),         1,
                   1,     false, variant.rates.peak.scale_out.value() > 0};
  variant.usable = chip.usable_capacity().value.value() * request_.change.capacity * q.memory_share -
                   process_reserve(library).value();
  variant.power = found->owned ? (found->owned->power.value * found->owned->pue.value).value()
                  : chip.power ? chip.power->value.value()
                               : 0;
  variant.model = model;
  const double most = request_.most_chips > 0 ? request_.most_chips : std::min(kMostChips, found->chips.value);
  for (const Layout& layout : all_layouts(*model, q, most)) {
    if (checked(layout, *model)) variant.layouts.push_back(layout);
  }
  if (variant.layouts.empty()) {  // the degrees that were given
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
  if (request_.apart) find_prompt_choices(variant);
  return variant;
}

Result<PlanWork> PlanWork::prepare(const PlanRequest& request, const Library& library) {
  PlanWork work;
  work.request_ = request;
  if (request.guesses.empty()) work.request_.guesses = {request.question.guesses};
  if (request.chunks.empty()) work.request_.chunks = {request.question.chunk};
  const PlanRequest& r = work.request_;
  Errors errors;
  for (const double guesses : r.guesses) {  // what no machine could mean
    for (const double chunk : r.chunks) {
      ServingQuestion one = r.question;
      one.guesses = guesses;
      one.chunk = chunk;
      if (Errors wrong = checked_question(one, library); !wrong.empty()) return fail(std::move(wrong));
    }
  }
  for (const std::string& name : r.machines) {
    const Machine* machine = find_named(library.machines, name);
    work.machines_.push_back(
        {name, machine == nullptr ? name : machine->title, 0, machine == nullptr ? 1 : machine->chips.value});
  }
  PlanVariant which;
  const auto over_all = [](std::size_t& place, std::size_t count, const auto& inner) {
    for (place = 0; place < count; ++place) inner();
  };
  const auto add = [&] {
    auto variant = work.variant_of(which, library);
    if (!variant) {
      // among several one that cannot do it is left out, and said so
      append(errors, variant.error());
      return;
    }
    work.machines_[which.machine].price = variant->terms.price;
    work.model_title_ = variant->model->title;
    work.starts_.push_back(work.starts_.back() + variant->layouts.size());
    work.variants_.push_back(std::move(*variant));
  };
  over_all(which.machine, r.machines.size(), [&] {
    over_all(which.weights, r.weights.size(), [&] {
      over_all(which.kv, r.kv.size(), [&] {
        over_all(which.guesses, r.guesses.size(), [&] { over_all(which.chunk, r.chunks.size(), add); });
      });
    });
  });
  if (work.variants_.empty()) return fail(std::move(errors));
  for (const Error& error : errors) {
    const std::string note = fmt::format("left out: {}: {}", error.where, error.what);
    if (std::find(work.notes_.begin(), work.notes_.end(), note) == work.notes_.end()) work.notes_.push_back(note);
  }
  return work;
}

void PlanWork::search(std::uint64_t first, std::uint64_t count, PlanSearch& out) const {
  const std::uint64_t last = std::min(size(), first + count);
  while (first < last) {
    const auto after = std::upper_bound(starts_.begin(), starts_.end(), first);
    const auto v = static_cast<std::size_t>(after - starts_.begin()) - 1;
    Searcher searcher(request_, variants_[v], starts_[v]);
    for (; first < std::min(last, *after); ++first) searcher.run(first - starts_[v], out);
  }
}

PlanSearch PlanWork::search_all() const {
  // threads take layouts from one list in blocks; what they find is merged in any order, with the same result
  constexpr std::uint64_t kBlock = 16;
  const unsigned threads = std::max(1U, request_.threads);
  std::vector<PlanSearch> found(threads);
  std::atomic<std::uint64_t> next{0};
  const auto work = [&](unsigned self) {
    for (std::uint64_t from = 0; (from = next.fetch_add(kBlock)) < size();) search(from, kBlock, found[self]);
  };
  std::vector<std::thread> pool;
  for (unsigned i = 1; i < threads; ++i) pool.emplace_back(work, i);
  work(0);
  for (std::thread& one : pool) one.join();
  for (unsigned i = 1; i < threads; ++i) found[0].merge(request_.objective, found[i]);
  return std::move(found[0]);
}

std::string PlanWork::signature() const {
  const auto time = [](const std::optional<Seconds<double>>& promise) { return promise ? promise->value() : 0.0; };
  std::string out = fmt::format("{} {:a} {:a}", name_of(request_.objective), time(request_.ttft), time(request_.tpot));
  for (const std::string& machine : request_.machines) out += " " + machine;
  for (std::size_t v = 0; v < variants_.size(); ++v) {
    PlanSearch some;  // the first and the last layout of each
    search(starts_[v], 1, some);
    search(starts_[v + 1] - 1, 1, some);
    out += fmt::format("\n{} {:a}", starts_[v + 1], variants_[v].usable);
    for (const PlanCandidate& one : some.cost_frontier.candidates()) {
      out += fmt::format(" {:a} {:a} {:a} {:a}", one.point.tpot, one.point.ttft, one.point.cost, one.point.chips);
    }
  }
  return out;
}

PlanAnswer PlanWork::answer(PlanSearch search) const {
  PlanAnswer answer{request_, model_title_, machines_, std::move(search), {}, notes_};
  if (answer.search.best) return answer;
  const auto say = [&](Relaxed what, bool token, bool first) {
    const auto& near = answer.search.nearest[static_cast<std::size_t>(what)];
    if (!near) return;
    std::string text;
    if (token && request_.tpot) text += "--tpot " + show(Seconds<double>(near->point.tpot));
    if (first && request_.ttft)
      text += (text.empty() ? "--ttft " : " --ttft ") + show(Seconds<double>(near->point.ttft));
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
