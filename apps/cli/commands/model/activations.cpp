// ridge activations: what the backward pass needs of the forward pass, kept or computed again.

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "base/text/unit_text.hpp"
#include "cli/options/option_groups.hpp"
#include "cli/options/option_reader.hpp"
#include "cli/program.hpp"
#include "library/names.hpp"
#include "report/train/activations_text.hpp"

namespace ridge::cli {

namespace {

constexpr double kDefaultSequence = 8192, kDefaultBatch = 1;

struct TrainingLoad {
  Ratio<double> batch{kDefaultBatch};
  Tokens<double> sequence{kDefaultSequence};
  bool dropout = false;
  bool batch_given = false, sequence_given = false;
};

Result<TrainingLoad> training_load(const Arguments& arguments) {
  constexpr Within kSome{.least = 1, .most = 1e12};
  OptionReader reader(arguments);
  TrainingLoad load;
  reader.read_into<Ratio<double>>(load.batch, "batch", kSome);
  reader.read_into<Tokens<double>>(load.sequence, "sequence", kSome);
  load.dropout = arguments.has("dropout");
  load.batch_given = arguments.has("batch");
  load.sequence_given = arguments.has("sequence");
  if (!reader.errors().empty()) return fail(reader.errors());
  return load;
}

report::ActivationsAnswer activations_of(const Model& model, const TrainingLoad& load) {
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

Result<int> run_activations(const Arguments& arguments, Program& program) {
  const auto load = training_load(arguments);
  if (!load) return fail(load.error());
  const auto name = model_named(program, arguments.text("model"), arguments);
  if (!name) return fail(name.error());
  const auto model = ridge::model_named(program.library, *name);
  if (!model) return fail(model.error());
  if (!model->note.empty()) say("note: " + model->note + "\n");
  const report::ActivationsAnswer answer = activations_of(*model->entry, *load);
  return print(with_assumptions(
      arguments.json() ? report::activations_json(answer) : report::activations_text(answer, program.style), arguments,
      program));
}

}  // namespace

Command activations_command() {
  Option model = kModelName;
  model.required = true;
  return {.name = "activations",
          .purpose = Purpose::model,
          .place = 5,
          .summary = "memory of a backward pass: keep, recompute, checkpoint, reverse",
          .groups = {{kUsual,
                      {model,
                       {"--sequence,--seq-length", "sequence", "TOKENS", "tokens in each sequence", "8,192"},
                       {"--batch", "batch", "N", "sequences in a step", "1"},
                       {"--dropout", "dropout", "", "count the masks of dropout, as GPT-3 had"}}},
                     output_options(),
                     rare_options({kAssume})},
          .examples = {"ridge activations llama-3-70b --sequence 8Ki --batch 1",
                       "ridge activations deepseek-v3 --sequence 4Ki --batch 8",
                       "ridge activations llama-3-8b --sequence 128Ki --json",
                       "ridge activations examples/06-your-model/config.json --dropout"},
          .run = run_activations};
}

}  // namespace ridge::cli
