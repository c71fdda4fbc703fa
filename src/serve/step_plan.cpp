#include "serve/step_plan.ipp"

namespace ridge {

template void lay_out_step(const StepShape&, const LayoutNumbers<double>&, const Fabric&, StepPlan&);
template double weights_held(const StepPlan&);
template double activations_held(const StepPlan&, const double&);
template double context_held(const StepPlan&, const double&);

StepPlan plan_step(const Model& model, const Layout& layout, const StepFormats& formats, const Fabric& fabric) {
  StepPlan plan;
  lay_out_step(shape_of(model, formats), numbers_of(layout, fabric), fabric, plan);
  return plan;
}

}  // namespace ridge
