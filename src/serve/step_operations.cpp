#include "serve/step_operations.ipp"

namespace ridge {

template void lay_out_step(const StepShape&, const LayoutNumbers<double>&, const Fabric&, StepOperations&);
template double weights_held(const StepOperations&);
template double activations_held(const StepOperations&, const double&);
template double context_held(const StepOperations&, const double&);

StepOperations step_operations(const Model& model, const Layout& layout, const StepFormats& formats,
                               const Fabric& fabric) {
  StepOperations plan;
  lay_out_step(shape_of(model, formats), numbers_of(layout, fabric), fabric, plan);
  return plan;
}

}  // namespace ridge
