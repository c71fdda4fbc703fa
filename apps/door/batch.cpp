#include "door/batch.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "cli/options/flags.hpp"
#include "cli/program.hpp"
#include "cli/question/serving.hpp"
#include "door/desk.hpp"
#include "door/request.hpp"
#include "roofline/answer.hpp"
#include "search/lanes/decode_columns.hpp"

namespace ridge::door {

namespace {

/// The resolved case of a request of `why` without a load or a layout.
Result<ResolvedCase> case_of(const Request& request) {
  const cli::Arguments& arguments = request.arguments;
  if (arguments.command->name != "why" || cli::asks_serving(arguments))
    return fail({"command", "columns are of decode steps", "ask why, with a batch and a context"});
  Desk desk;
  desk.files = request.files;
  const AtDesk here(desk);
  auto program = cli::start(arguments);
  if (!program) return fail(program.error());
  const auto scenario = cli::scenario_of(*program, arguments, arguments.text("model"));
  if (!scenario) return fail(scenario.error());
  return resolve(*scenario, program->library);
}

/// An input's column for each place that it stands at (an fp8 peak may stand at two).
Result<std::vector<Axis>> axes_of(const std::vector<InputColumn>& inputs, const ResolvedCase& resolved,
                                  std::size_t count) {
  std::vector<Axis> axes;
  Errors errors;
  for (const InputColumn& one : inputs) {
    const auto indices = input_indices(one.key, resolved, one.key);
    if (!indices) {
      append(errors, indices.error());
      continue;
    }
    const std::vector<double> values(one.values, one.values + count);
    for (const std::size_t index : *indices) {
      for (const double value : values) {
        const auto good = checked_value(input_info(index), input_dimension(index), value, one.key);
        if (good) continue;
        append(errors, good.error());
        break;
      }
      axes.push_back({index, values});
    }
  }
  if (!errors.empty()) return fail(std::move(errors));
  return axes;
}

}  // namespace

Result<bool> ask_many(std::string_view json, const std::vector<InputColumn>& inputs,
                      const std::vector<FigureColumn>& figures, std::size_t count) {
  const auto request = read_request(json);
  if (!request) return fail(request.error());
  const auto resolved = case_of(*request);
  if (!resolved) return fail(in_flags(resolved.error(), *request->arguments.command));
  const auto axes = axes_of(inputs, *resolved, count);
  if (!axes) return fail(axes.error());
  const std::vector<std::string> keys = output_keys();
  Columns columns;
  for (const FigureColumn& one : figures) {
    const auto found = std::find(keys.begin(), keys.end(), one.key);
    if (found == keys.end()) return fail({one.key, "is no figure of a decode step", suggestion(one.key, keys)});
    columns[static_cast<std::size_t>(found - keys.begin())].resize(count);
  }
  if (count == 0) return true;
  sweep_into(columns, resolved->numbers, *axes, best_instruction_set());
  for (const FigureColumn& one : figures) {
    const auto found = std::find(keys.begin(), keys.end(), one.key);
    const std::vector<double>& column = columns[static_cast<std::size_t>(found - keys.begin())];
    std::copy(column.begin(), column.end(), one.values);
  }
  return true;
}

}  // namespace ridge::door
