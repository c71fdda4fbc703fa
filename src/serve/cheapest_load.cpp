#include "serve/cheapest_load.hpp"

#include <fmt/format.h>

#include "base/text/field_text.hpp"
#include "base/text/unit_text.hpp"
#include "serve/slo/slo_margins.hpp"

namespace ridge {

Errors slo_errors(const TpotSlo& slo, const ServingQuestion& question) {
  Errors errors;
  if (!(slo.tpot.value() > 0)) errors.push_back({"tpot", show(slo.tpot), "above 0"});
  if (slo.given && (question.concurrency || question.rate))
    errors.push_back({"tpot", "stands beside a load", "it chooses the load: give one of them"});
  return errors;
}

std::optional<RequestLoad> cheapest_load(const Deployment& deployment, const RequestLoad& lengths, const TpotSlo& slo,
                                         const Library& library) {
  RequestLoad load = lengths;
  const SloMargins margins(deployment.ground, deployment.prefill_elsewhere.get(), lengths, slo.confidence, library);
  const bool disaggregated = deployment.ground.engine.disaggregated;
  const auto found =
      cheapest_concurrency(deployment.layout().attention_data, evaluate(deployment, lengths).memory.sequences.value(),
                           [&](double concurrency) -> std::optional<double> {
                             load.concurrency = concurrency;
                             const ServingEstimate tried = evaluate(deployment, load);
                             const double margin = margins.of(deployment.layout(), disaggregated, concurrency).tpot;
                             if (slo.tpot < tried.times.tpot * margin) return {};
                             return tried.cost_of_all.value();
                           });
  if (!found) return {};
  load.concurrency = *found;
  return load;
}

LoadChoice load_within(const TpotSlo& slo, const ServingQuestion& question, const Deployment& deployment,
                       const Library& library) {
  LoadChoice choice = chosen_load(question, deployment);
  if (question.concurrency || question.rate) return choice;
  const auto cheapest = cheapest_load(deployment, choice.load, slo, library);
  if (!cheapest) {
    choice.notes.push_back(fmt::format("no load meets a TPOT of {} on this layout: concurrency {:g} instead",
                                       show(slo.tpot), choice.load.concurrency));
    return choice;
  }
  if (!choice.load.decodes()) {
    return {
        *cheapest,
        0,
        {fmt::format("concurrency {:g}: the cheapest; one output token has no TPOT to hold", cheapest->concurrency)}};
  }
  return {*cheapest,
          0,
          {fmt::format("concurrency {:g}: the cheapest with a TPOT of {}{}, {}", cheapest->concurrency, show(slo.tpot),
                       slo.given ? "" : " (default)", confidence_text(slo.confidence))}};
}

Deployment fully_utilized(Deployment deployment) {
  deployment.ground.numbers.utilization = 1.0;
  return deployment;
}

Result<Deployed> deployed(const ServingQuestion& question, const TpotSlo& slo, const Library& library) {
  if (Errors wrong = slo_errors(slo, question); !wrong.empty()) return fail(std::move(wrong));
  auto deployment = resolve(question, library);
  if (!deployment) return fail(deployment.error());
  LoadChoice load = load_within(slo, question, *deployment, library);
  return Deployed{question, std::move(*deployment), std::move(load)};
}

}  // namespace ridge
