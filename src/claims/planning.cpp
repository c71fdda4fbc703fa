// C60: what a search over all layouts chooses.

#include "claims/computations.hpp"
#include "search/plan/plan.hpp"

namespace ridge {

std::vector<Figure> c60(Inputs& in) {
  const auto prompt = in.given<Tokens<double>>("prompt"), answer = in.given<Tokens<double>>("answer");
  const auto chosen = [&](const char* machine, const Seconds<double>& slo) {
    PlanRequest request;
    request.question.scenario.model = "deepseek-v3";
    request.question.scenario.machine = machine;
    request.question.isl = prompt.value();
    request.question.osl = answer.value();
    request.question.engine = "sglang";
    request.machines = {machine};
    request.tpot = slo;
    const auto plan = make_plan(request, in.library());
    return plan && plan->search.best ? plan->search.best->layout : Layout{};
  };
  in.model("deepseek-v3");  // whoever is missing is named
  for (const char* machine : {"gb200-nvl72", "hgx-h200"}) in.chip(in.machine(machine).chip);
  const char* rack = "gb200-nvl72";
  const auto quick_promise = in.given<Seconds<double>>("quick"), slow_promise = in.given<Seconds<double>>("slow");
  const Layout quick = chosen(rack, quick_promise), usual = chosen(rack, in.given<Seconds<double>>("usual"));
  const Layout relaxed = chosen(rack, in.given<Seconds<double>>("relaxed"));
  const Layout slow = chosen(rack, slow_promise), box = chosen("hgx-h200", quick_promise);
  const auto count = [](double degree) { return Ratio<double>(degree); };
  return {
      figure("experts_quick", "chips the experts are spread over, for the quick SLO", count(quick.expert)),
      figure("stages_quick", "pipeline stages there", count(quick.pipeline)),
      figure("slices_quick", "chips that share one expert's matrices there", count(quick.moe_tensor())),
      figure("tensor_quick", "chips that share attention's matrices there", count(quick.tensor)),
      figure("experts_usual", "chips the experts are spread over, for the usual SLO", count(usual.expert)),
      figure("stages_usual", "pipeline stages there", count(usual.pipeline)),
      figure("slices_usual", "chips that share one expert's matrices there", count(usual.moe_tensor())),
      figure("experts_relaxed", "chips the experts are spread over, for the relaxed SLO", count(relaxed.expert)),
      figure("stages_relaxed", "pipeline stages there", count(relaxed.pipeline)),
      figure("slices_relaxed", "chips that share one expert's matrices there", count(relaxed.moe_tensor())),
      figure("experts_slow", "chips the experts are spread over, for the slow SLO", count(slow.expert)),
      figure("stages_slow", "pipeline stages there", count(slow.pipeline)),
      figure("slices_slow", "chips that share one expert's matrices there", count(slow.moe_tensor())),
      figure("slices_box", "chips that share one expert's matrices on eight H200, quick SLO", count(box.moe_tensor()))};
}

}  // namespace ridge
