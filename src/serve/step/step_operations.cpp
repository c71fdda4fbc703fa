#include "serve/step/step_operations.ipp"

namespace ridge {

template void lay_out_step(const StepShape&, const LayoutNumbers<double>&, const Fabric&, StepOperations&);
template double weights_held(const StepOperations&);
template double activations_held(const StepOperations&, const double&);
template Bytes<double> kv_cache_held(const StepOperations&, const Tokens<double>&);

StepOperations step_operations(const Model& model, const Layout& layout, const StepFormats& formats,
                               const Fabric& fabric) {
  StepOperations plan;
  lay_out_step(shape_of(model, formats), numbers_of(layout, fabric), fabric, plan);
  return plan;
}

bool lacks_link(const StepOperations& operations, const ChipPeaks<double>& peak) {
  bool inside = operations.staged && operations.hops_inside, outside = operations.staged && !operations.hops_inside;
  for (const AllReduceOperation& one : operations.all_reduces) {
    inside = inside || one.over.inside;
    outside = outside || one.over.across;
  }
  for (const AllToAllOperation& one : operations.all_to_alls) {
    inside = true;  // its time has a part inside the domain, also where that is empty
    outside = outside || one.leaves;
  }
  return (inside && !(peak.scale_up.value() > 0)) || (outside && !(peak.scale_out.value() > 0));
}

}  // namespace ridge
