#include "search/plan/plan_work.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <thread>

#include <fmt/format.h>

#include "base/fingerprint.hpp"
#include "base/unit_text.hpp"
#include "library/names.hpp"

namespace ridge {

namespace {

constexpr std::uint64_t kCasesOfALayout = 512;  // numbers kept for one layout: modes times loads

/// How many times longer than promised; 1 where it is kept, or nothing was promised.
double over(double value, const std::optional<Seconds<double>>& slo) {
  return slo ? std::max(1.0, value / slo->value()) : 1.0;
}

}  // namespace

/// One thread's way through layouts of one variant.
class PlanWork::Searcher {
 public:
  Searcher(const PlanRequest& request, const PlanGround& ground, std::uint64_t first_layout)
      : request_(request), ground_(ground), paces_(ground.rates), first_layout_(first_layout) {}

  void run(std::size_t layout, PlanSearch& out) {
    out_ = &out;
    static_cast<PlanVariant&>(point_) = ground_.which;
    point_.layout = point_.prefill_layout = ground_.layouts[layout];
    lay_out_step(ground_.shape, numbers_of(point_.layout, ground_.fabric), ground_.fabric, plan_);
    ++out.layouts;
    capacity_ = sequences_that_fit(plan_, ground_.usable, ground_.load.token_budget, ground_.length());
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
      disaggregated();
      if (best_) out.offer(request_.objective, *best_);
    }
  }

 private:
  struct Tried {
    std::size_t load;
    const PrefillChoice* prompts;
  };

  /// Figures of some of the loads, each with its chips for prompts.
  void evaluate(const std::vector<Tried>& tried) {
    with_prompts_.clear();
    for (const Tried& one : tried) with_prompts_.add(loads_[one.load], one.prompts->service);
    figures_of_loads(ground_, plan_, point_.layout.chips(), capacity_, point_.apart, with_prompts_, set_, figures_);
    out_->evaluated += tried.size();
  }

  /// The i-th point that was evaluated last.
  const PlanPoint& point_at(const std::vector<Tried>& tried, std::size_t i) {
    const DeploymentFigures& f = figures_;
    point_.prefill_layout = tried[i].prompts->layout;
    point_.concurrency = loads_[tried[i].load];
    point_.index = first_case_ + tried[i].load;
    point_.tpot = f.tpot[i];
    point_.ttft = f.ttft[i];
    point_.ttft_known = f.prefill_share[i] <= kBusy;
    point_.user_rate = f.user_rate[i];
    point_.chip_rate = f.output_rate[i] / f.chips[i];
    point_.cost = f.bill_per_output[i];
    point_.chips = f.chips[i];
    point_.energy = ground_.power * f.chips[i] / f.output_rate[i];
    return point_;
  }

  bool meets_slo(const PlanPoint& point) const {
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
    const PrefillChoice own{point_.layout, {}, {}};
    std::vector<Tried> tried;
    for (std::size_t load = 0; load < loads_.size(); ++load) tried.push_back({load, &own});
    evaluate(tried);
    for (std::size_t i = 0; i < tried.size(); ++i) judge(point_at(tried, i));
  }

  /// Draws the point; considers it if it keeps the promise. Whether it does.
  bool judge(const PlanPoint& point) {
    out_->draw(point);
    const bool kept = meets_slo(point);
    kept ? consider(point) : note_how_near(point);
    return kept;
  }

  /// For each load the chips for prompts that make it cheapest; where their first token is late, the cheapest whose is
  /// not. A load's requests finish at batch / (prompt + rest) a second, so that one of them takes
  ///   chips x (prompt + rest) / batch + chip time of its prompt
  /// chip-seconds: which choice is cheapest follows without an evaluation.
  void disaggregated() {
    if (ground_.prompts.empty()) return;
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
    const Bytes<double> taken(context_held(plan_, ground_.terms.isl));
    for (const PrefillChoice& choice : ground_.prompts) waits.push_back(waiting(choice, taken).value());
    const auto fastest = static_cast<std::size_t>(std::min_element(waits.begin(), waits.end()) - waits.begin());
    std::vector<Tried> tried, sooner;
    for (const std::size_t load : late) tried.push_back({load, &ground_.prompts[fastest]});
    evaluate(tried);
    constexpr double kNearly = 1 + 1e-12;  // what rounding may hide is evaluated
    for (std::size_t i = 0; i < tried.size(); ++i) {
      const PlanPoint& point = point_at(tried, i);
      if (!meets_slo(point)) {
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
      if (meets_slo(point)) consider(point);
    }
  }

  /// Of the time to the first token, what hangs on the choice; `taken`: bytes of a prompt's cache where it decodes.
  Seconds<double> waiting(const PrefillChoice& choice, const Bytes<double>& taken) const {
    const Seconds<double> there = choice.service.alone + queue_time(choice.service.alone);
    return ground_.terms.networked ? there + moving_time(choice.service.pool, taken, paces_) : there;
  }

  /// Of the chips for prompts that `may` be, those that make this load cheapest.
  template <class May>
  const PrefillChoice* cheapest(std::size_t load, May may) const {
    const Ratio<double> each(point_.layout.chips() / loads_[load]);
    const PrefillChoice* best = nullptr;
    Seconds<double> least{};
    for (std::size_t k = 0; k < ground_.prompts.size(); ++k) {
      const PrefillChoice& choice = ground_.prompts[k];
      const Seconds<double> taken = each * choice.service.alone + choice.chip_time;
      if (best != nullptr && !(taken < least)) continue;
      if (!may(k)) continue;
      best = &choice;
      least = taken;
    }
    return best;
  }

  const PlanRequest& request_;
  const PlanGround& ground_;
  ChipPaces<double> paces_;
  std::uint64_t first_layout_;  // of the variant, among all
  InstructionSet set_ = best_instruction_set();
  StepOperations plan_;
  double capacity_ = 0;
  std::vector<double> loads_;
  std::uint64_t first_case_ = 0;
  DeploymentLoads with_prompts_;
  DeploymentFigures figures_;
  PlanPoint point_;
  std::optional<PlanPoint> best_;  // of one deployment, over its loads
  PlanSearch* out_ = nullptr;
};

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
  const auto work = [&] {
    for (std::size_t i = 0; (i = next.fetch_add(1)) < variants.size();)
      grounds[i] = plan_ground(r, variants[i], library);
  };
  std::vector<std::thread> pool;
  for (std::size_t i = 1; i < std::min<std::size_t>(r.threads, variants.size()); ++i) pool.emplace_back(work);
  work();
  for (std::thread& one : pool) one.join();
  return grounds;
}

}  // namespace

Result<PlanWork> PlanWork::prepare(const PlanRequest& request, const Library& library) {
  PlanWork work;
  work.request_ = request;
  if (request.speculative_tokens.empty()) work.request_.speculative_tokens = {request.question.speculative_tokens};
  if (request.token_budgets.empty()) work.request_.token_budgets = {request.question.token_budget};
  const PlanRequest& r = work.request_;
  Errors errors;
  for (const double speculative_tokens : r.speculative_tokens) {  // what no machine could mean
    for (const double token_budget : r.token_budgets) {
      ServingQuestion one = r.question;
      one.speculative_tokens = speculative_tokens;
      one.token_budget = token_budget;
      one.disaggregated = r.apart;
      if (Errors wrong = checked_question(one, library); !wrong.empty()) return fail(std::move(wrong));
    }
  }
  const auto model = model_named(library, r.question.scenario.model);  // unknown ones are explained by the grounds
  if (model && !model->note.empty()) work.notes_.push_back(model->note);
  for (std::string& name : work.request_.machines) {
    const auto named = whole_machine_named(library, name);
    if (!named) return fail(named.error());
    if (!named->note.empty()) work.notes_.push_back(named->note);
    name = named->entry->name;
    work.machines_.push_back({name, named->entry->title, 0, named->entry->chips.value});
  }
  auto grounds = all_grounds(r, library);
  for (auto& ground : grounds) {
    if (!ground) {
      // among several one that cannot do it is left out, and said so
      append(errors, ground.error());
      continue;
    }
    work.machines_[ground->which.machine].price = ground->terms.price;
    work.model_title_ = ground->model->title;
    work.starts_.push_back(work.starts_.back() + ground->layouts.size());
    work.grounds_.push_back(std::move(*ground));
  }
  if (work.grounds_.empty()) return fail(std::move(errors));
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
    Searcher searcher(request_, grounds_[v], starts_[v]);
    for (; first < std::min(last, *after); ++first) searcher.run(first - starts_[v], out);
  }
}

PlanSearch PlanWork::search_with_threads(std::uint64_t first, std::uint64_t count) const {
  // threads take layouts from one list in blocks; what they find is merged in any order, with the same result
  constexpr std::uint64_t kBlock = 16;
  const unsigned threads = std::max(1U, request_.threads);
  const std::uint64_t last = std::min(size(), first + count);
  std::vector<PlanSearch> found(threads);
  std::atomic<std::uint64_t> next{first};
  const auto work = [&](unsigned self) {
    for (std::uint64_t from = 0; (from = next.fetch_add(kBlock)) < last;) {
      search(from, std::min(kBlock, last - from), found[self]);
    }
  };
  std::vector<std::thread> pool;
  for (unsigned i = 1; i < threads; ++i) pool.emplace_back(work, i);
  work(0);
  for (std::thread& one : pool) one.join();
  for (unsigned i = 1; i < threads; ++i) found[0].merge(request_.objective, found[i]);
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

std::string PlanWork::fingerprint() const {
  Fingerprint out;
  out.add(name_of(request_.objective));
  for (const auto& slo : {request_.ttft, request_.tpot}) out.add(slo ? slo->value() : 0.0);
  for (const bool pool : {request_.together, request_.apart}) out.add(pool ? 1.0 : 0.0);
  for (const std::string& machine : request_.machines) out.add(machine);
  for (const PlanGround& ground : grounds_) {
    for (const std::size_t place : {ground.which.machine, ground.which.weights, ground.which.kv,
                                    ground.which.speculative_tokens, ground.which.token_budget}) {
      out.add(static_cast<double>(place));
    }
    const ServingTerms& t = ground.terms;
    const ServingLoad<double>& l = ground.load;
    for (const double number :
         {t.isl, t.osl, t.price, l.cached.value(), l.speculative_tokens, l.acceptance_rate.value(), l.draft_layers,
          l.token_budget, ground.usable, ground.power, ground.fabric.domain}) {
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
    for (const PrefillChoice& choice : ground.prompts) of_prompts.push_back(choice.layout);
    add_layouts(out, of_prompts);
    add_shape(out, ground, ground.layouts.front());
    add_shape(out, ground, ground.layouts.back());
  }
  return out.text();
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
