#pragma once
// The words of every command, one function each or for a few that belong together.

#include "cli/options.hpp"

namespace CLI {
class App;
}

namespace ridge::cli {

void add_plan(CLI::App& main, Options& options);
void add_why(CLI::App& main, Options& options);
void add_curve(CLI::App& main, Options& options);
void add_fit(CLI::App& main, Options& options);
void add_lists(CLI::App& main, Options& options);           // list, claims
void add_model_commands(CLI::App& main, Options& options);  // show, diff, import
void add_layout(CLI::App& main, Options& options);
void add_lifecycle(CLI::App& main, Options& options);          // and activations
void add_tier(CLI::App& main, Options& options);               // and context, demand
void add_sweep(CLI::App& main, Options& options);              // and merge
void add_evidence_commands(CLI::App& main, Options& options);  // validate, calibrate
void add_price(CLI::App& main, Options& options);              // and price history
void add_infer(CLI::App& main, Options& options);
void add_cost(CLI::App& main, Options& options);
void add_day(CLI::App& main, Options& options);
void add_host(CLI::App& main, Options& options);

}  // namespace ridge::cli
