#include "search/plan/best_deployment.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text/field_text.hpp"
#include "base/text/text.hpp"
#include "base/text/unit_text.hpp"
#include "serve/slo/slo_margins.hpp"

namespace ridge {

namespace {

/// Requests a second that are to be served, where the aim or the question says so.
std::optional<double> rate_of(const ServingQuestion& question, const DeploymentAim& aim) {
  if (aim.tokens_per_second) return *aim.tokens_per_second / (question.isl + question.osl);
  return question.rate;
}

PlanRequest request_for(const ServingQuestion& question, const DeploymentAim& aim) {
  PlanRequest request;
  request.question = question;
  request.machines = {question.scenario.machine};
  request.concurrency = question.concurrency;
  if (!question.concurrency) request.tpot = aim.slo.tpot;
  request.confidence = aim.slo.confidence;
  if (const auto rate = rate_of(question, aim)) {
    request.fleet = FleetAim{.rate = rate, .nodes = {}, .budget = {}};
    request.objective = Objective::bill;
  }
  request.aggregated = !question.disaggregated;
  request.threads = aim.threads;
  return request;
}

std::string laid_out_text(const PlanRequest& request, const PlanPoint& point) {
  const double copies = point.layout.redundant_experts;
  const Overlap overlap = request.overlaps.empty() ? Overlap::none : request.overlaps[point.overlap];
  return fmt::format("{}{}{}{}", short_name(point.layout),
                     copies > 0 ? fmt::format(" with {:g} redundant experts", copies) : "",
                     overlap != Overlap::none ? fmt::format(" with {} overlap", name_of(overlap)) : "",
                     point.disaggregated ? ", prefill as " + short_name(point.prefill_layout) : "");
}

/// What is said of a choice: why it, and which SLO it keeps.
std::string choice_note(const PlanPoint& point, const PlanRequest& request, const TpotSlo& slo, bool kept) {
  const std::string otherwise = fmt::format("; {}, {} and the like say otherwise", field("tp"), field("dp"));
  const std::string within = request.question.osl <= 1
                                 ? "one output token has no TPOT to hold"
                                 : fmt::format("with a TPOT of {}{}, {}", show(slo.tpot), slo.given ? "" : " (default)",
                                               confidence_text(slo.confidence));
  if (!kept)
    return fmt::format("no deployment meets a TPOT of {}; {} comes nearest: {} at a concurrency of {:g}",
                       show(slo.tpot), laid_out_text(request, point), show(Seconds<double>(point.tpot)),
                       point.concurrency);
  const std::string what = "laid out as " + laid_out_text(request, point);
  if (request.concurrency)
    return fmt::format("{}: the cheapest at a concurrency of {:g}{}", what, *request.concurrency, otherwise);
  if (request.fleet)
    return fmt::format("{}: whole nodes of it serve the demand at the lowest bill {}{}", what, within, otherwise);
  return fmt::format("{}, concurrency {:g}: the cheapest {}{}", what, point.concurrency, within, otherwise);
}

}  // namespace

bool names_layout(const ServingQuestion& question) {
  const bool chips = std::any_of(question.scenario.given.begin(), question.scenario.given.end(),
                                 [](const GivenInput& one) { return one.key == "chips"; });
  return chips || question.tensor || question.pipeline || question.context || question.attention_data ||
         question.expert || question.replicas || question.prefill_layout || question.redundant_experts.value_or(0) > 0;
}

Result<Deployed> best_deployed(const ServingQuestion& question, const DeploymentAim& aim, const Library& library) {
  if (names_layout(question)) return deployed(question, aim.slo, library);
  ServingQuestion without_rate = question;  // replicas are bought for a rate: each still has its load chosen
  without_rate.rate.reset();
  if (Errors wrong = slo_errors(aim.slo, without_rate); !wrong.empty()) return fail(std::move(wrong));
  const auto ground = serving_ground(question, library);  // names and numbers, with their errors
  if (!ground) return fail(ground.error());
  if (ground->named_chips) return deployed(question, aim.slo, library);
  const auto plan = make_plan(request_for(question, aim), library);
  if (!plan) return fail(plan.error());
  const PlanSearch& search = plan->search;
  const auto& nearest = search.nearest[static_cast<std::size_t>(Relaxed::token)];
  if (search.fitting == 0) return deployed(question, aim.slo, library);  // it says what is missing
  if (!search.best && !nearest)
    return fail({"concurrency",
                 fmt::format("no layout on {} has room for {} requests at once", ground->machine->title,
                             with_commas(question.concurrency.value_or(1))),
                 fmt::format("fewer, or a layout with several replicas ({}, {})", field("tp"), field("replicas"))});
  const PlanPoint& point = search.best ? *search.best : nearest->point;
  ServingQuestion chosen = question_at(plan->request, point);
  if (question.rate) {
    chosen.concurrency.reset();
    chosen.rate = question.rate;
    chosen.replicas = point.fleet.replicas;
  }
  auto deployment = resolve(chosen, library);
  if (!deployment) return fail(deployment.error());
  LoadChoice load = chosen_load(chosen, *deployment);
  load.notes.push_back(choice_note(point, plan->request, aim.slo, search.best.has_value()));
  return Deployed{std::move(chosen), std::move(*deployment), std::move(load)};
}

}  // namespace ridge
