#pragma once
// A command that somebody started a serving engine with, as a question: its layout, formats and limits in our terms.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "library/library.hpp"
#include "serve/serving.hpp"
#include "simulate/setup.hpp"

namespace ridge::catalog {

struct EngineReading {
  std::string engine;                  // its name in the catalog
  std::string model;                   // as it was written
  ServingQuestion question;            // without a machine: no command names one
  std::optional<double> most_running;  // requests at once that it allows, over all replicas
  std::string load_note;               // where that is the load, too: nobody has said another
  std::optional<double> most_tokens;   // of a prompt with its answer
  simulate::SchedulerFlags scheduler;  // what it says of the scheduler
  std::vector<std::string> ignored;    // flags that were not understood, with their values
  std::vector<std::string> notes;      // defaults used, and what was taken for what
};

/// `model_beside` is the user's own word for the model, where there is one: it wins over the command's.
Result<EngineReading> read_engine_command(std::string_view text, const Library& library, std::string_view where,
                                          const std::string& model_beside = "");

}  // namespace ridge::catalog
