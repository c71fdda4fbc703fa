// Every command, in the order of `ridge --help`. Each is a file of commands/.

#include "cli/command.hpp"

namespace ridge::cli {

Command why_command(), fit_command(), curve_command(), layout_command(), demand_command(), context_command(),
    tier_command(), plan_command(), sweep_command(), merge_command(), cost_command(), host_command(), day_command(),
    price_command(), price_history_command(), infer_command(), show_command(), diff_command(), import_command(),
    lifecycle_command(), activations_command(), list_command(), claims_command(), validate_command(),
    calibrate_command();

const std::vector<Command>& commands() {
  static const std::vector<Command> all = {
      why_command(),         fit_command(),  curve_command(),  layout_command(),   demand_command(),
      context_command(),     tier_command(), plan_command(),   sweep_command(),    merge_command(),
      cost_command(),        host_command(), day_command(),    price_command(),    price_history_command(),
      infer_command(),       show_command(), diff_command(),   import_command(),   lifecycle_command(),
      activations_command(), list_command(), claims_command(), validate_command(), calibrate_command(),
  };
  return all;
}

}  // namespace ridge::cli
