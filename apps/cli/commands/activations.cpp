// ridge activations: what the backward pass needs of the forward pass, kept or computed again.

#include <fmt/format.h>

#include "base/text.hpp"
#include "base/unit_text.hpp"
#include "cli/program.hpp"
#include "library/names.hpp"
#include "report/train/activations_text.hpp"

namespace ridge::cli {

namespace {

constexpr double kDefaultSequence = 8192, kDefaultBatch = 1;
constexpr double kMost = 1e12;

struct Load {
  Ratio<double> batch{kDefaultBatch};
  Tokens<double> sequence{kDefaultSequence};
  bool dropout = false;
  bool batch_given = false, sequence_given = false;
};

Result<Load> load_of(const Options& options) {
  Load load;
  Errors errors;
  for (const auto& [key, text] : options.settings) {
    if (key == "dropout") {
      load.dropout = true;
      continue;
    }
    const bool is_batch = key == "batch";
    const auto value = parse_as(text, is_batch ? kNone : kToken, "--" + key);
    if (!value) {
      append(errors, value.error());
    } else if (!(*value >= 1.0) || *value > kMost) {
      errors.push_back({"--" + key, fmt::format("\"{}\" is out of range", shortened(text)),
                        fmt::format("the nearest is {:g}", *value < 1.0 ? 1.0 : kMost)});
    } else if (is_batch) {
      load.batch = *value;
      load.batch_given = true;
    } else {
      load.sequence = Tokens<double>(*value);
      load.sequence_given = true;
    }
  }
  if (!errors.empty()) return fail(std::move(errors));
  return load;
}

report::ActivationsAnswer answer_of(const Model& model, const Load& load) {
  report::ActivationsAnswer answer{.model = model.name,
                                   .title = model.title.empty() ? model.name : model.title,
                                   .numbers = activation_case(model, load.batch, load.sequence, load.dropout),
                                   .policies = {},
                                   .dropout = load.dropout,
                                   .batch_given = load.batch_given,
                                   .sequence_given = load.sequence_given,
                                   .cache = cache_trade(model, load.batch, load.sequence)};
  for (const ActivationPolicy policy : kActivationPolicies)
    answer.policies.push_back(activation_cost(answer.numbers, policy));
  return answer;
}

}  // namespace

int run_activations(const Options& options, Program& program) {
  if (options.subject.empty()) {
    return report_errors({{"MODEL", "which model?", "e.g. ridge activations llama-3-70b (ridge list models)"}},
                         options);
  }
  const auto load = load_of(options);
  if (!load) return report_errors(load.error(), options);
  const auto name = model_named(program, options.subject, options);
  if (!name) return report_errors(name.error(), options);
  const auto model = ridge::model_named(program.library, *name);
  if (!model) return report_errors(model.error(), options);
  if (!model->note.empty()) say("note: " + model->note + "\n");
  const report::ActivationsAnswer answer = answer_of(*model->entry, *load);
  return print(options.json ? report::activations_json(answer) : report::activations_text(answer, program.style));
}

}  // namespace ridge::cli
