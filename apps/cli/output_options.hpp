#pragma once
// The options that every command has.

#include <CLI/CLI.hpp>

#include "cli/options.hpp"

namespace ridge::cli {

inline void add_output_options(CLI::App& app, Options& options) {
  app.add_flag("--json", options.json, "answer as JSON (schema named inside)");
  app.add_flag("--plain", options.plain, "no colours and ASCII only");
  app.add_option("--catalog", options.catalog_folder, "folder whose entries add to or replace the built-in ones")
      ->type_name("DIR");
}

}  // namespace ridge::cli
