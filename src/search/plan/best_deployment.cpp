#include "search/plan/best_deployment.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/field_text.hpp"
#include "base/unit_text.hpp"

namespace ridge {

namespace {

PlanRequest request_for(const ServingQuestion& question, const TpotSlo& slo, unsigned threads) {
  PlanRequest request;
  request.question = question;
  request.machines = {question.scenario.machine};
  request.concurrency = question.concurrency;
  if (!question.concurrency) request.tpot = slo.tpot;
  request.aggregated = !question.disaggregated;
  request.threads = threads;
  return request;
}

/// Chips of whole replicas that serve so many output tokens a second.
double chips_for(const PlanPoint& point, double output_rate) {
  return std::ceil(output_rate / (point.chip_rate * point.chips)) * point.chips;
}

/// The plan whose choice serves the demand with the fewest chips of one machine, among replicas of any size.
Result<PlanAnswer> plan_for(PlanRequest request, const std::optional<double>& output_rate, double domain,
                            const Library& library) {
  auto best = make_plan(request, library);
  if (!output_rate || !best || !best->search.best) return best;
  for (double chips = 1; chips < domain; chips *= 2) {
    request.most_chips = chips;
    auto smaller = make_plan(request, library);
    if (!smaller || !smaller->search.best) continue;
    if (chips_for(*smaller->search.best, *output_rate) < chips_for(*best->search.best, *output_rate))
      best = std::move(smaller);
  }
  return best;
}

/// What is said of a choice: the SLO that it keeps, or by how much it does not.
std::string choice_note(const PlanPoint& point, const PlanRequest& request, const TpotSlo& slo, bool kept) {
  const double copies = point.layout.redundant_experts;
  const std::string what = fmt::format("laid out as {}{}{}", short_name(point.layout),
                                       copies > 0 ? fmt::format(" with {:g} redundant experts", copies) : "",
                                       point.disaggregated ? ", prefill as " + short_name(point.prefill_layout) : "");
  const std::string otherwise = fmt::format("({}, {} and the like say otherwise)", field("tp"), field("dp"));
  if (request.concurrency)
    return fmt::format("{}: the cheapest at a concurrency of {:g} {}", what, *request.concurrency, otherwise);
  if (!kept)
    return fmt::format("no deployment meets a TPOT of {}: {} comes nearest, {} at a concurrency of {:g}",
                       show(slo.tpot), what, show(Seconds<double>(point.tpot)), point.concurrency);
  return fmt::format("{}, concurrency {:g}: the cheapest with a TPOT of {}{} {}", what, point.concurrency,
                     show(slo.tpot), slo.given ? "" : ", the default", otherwise);
}

}  // namespace

bool names_layout(const ServingQuestion& question) {
  const bool chips = std::any_of(question.scenario.given.begin(), question.scenario.given.end(),
                                 [](const GivenInput& one) { return one.key == "chips"; });
  return chips || question.tensor || question.pipeline || question.context || question.attention_data ||
         question.expert || question.replicas || question.prefill_layout || question.redundant_experts > 0;
}

Result<Deployed> best_deployed(const ServingQuestion& question, const DeploymentAim& aim, const Library& library) {
  const TpotSlo& slo = aim.slo;
  if (names_layout(question)) return deployed(question, slo, library);
  if (Errors wrong = slo_errors(slo, question); !wrong.empty()) return fail(std::move(wrong));
  const auto ground = serving_ground(question, library);  // names and numbers, with their errors
  if (!ground) return fail(ground.error());
  if (ground->named_chips) return deployed(question, slo, library);
  std::optional<double> output_rate;
  if (aim.tokens_per_second) output_rate = *aim.tokens_per_second * question.osl / (question.isl + question.osl);
  const auto plan =
      plan_for(request_for(question, slo, aim.threads), output_rate, ground->machine->chips.value, library);
  if (!plan) return fail(plan.error());
  const auto& nearest = plan->search.nearest[static_cast<std::size_t>(Relaxed::token)];
  if (!plan->search.best && !nearest) return deployed(question, slo, library);  // nothing fits: it says what is missing
  const PlanPoint& point = plan->search.best ? *plan->search.best : nearest->point;
  ServingQuestion chosen = question_at(plan->request, point);
  chosen.concurrency = question.rate ? std::nullopt : std::optional(point.concurrency);
  chosen.rate = question.rate;
  auto deployment = resolve(chosen, library);
  if (!deployment) return fail(deployment.error());
  LoadChoice load = chosen_load(chosen, *deployment);
  load.notes.push_back(choice_note(point, plan->request, slo, plan->search.best.has_value()));
  if (aim.tokens_per_second)
    load.notes.push_back("of replicas of any size, the one whose whole number serves the demand at the lowest bill");
  return Deployed{std::move(chosen), std::move(*deployment), std::move(load)};
}

}  // namespace ridge
