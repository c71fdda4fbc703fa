// ridge train: how long a training run takes, in which layout, for how much money.

#include <array>
#include <cmath>

#include <fmt/format.h>

#include "base/text.hpp"
#include "base/unit_text.hpp"
#include "catalog/entries/recipes.hpp"
#include "cli/options/flags.hpp"
#include "cli/options/option_groups.hpp"
#include "cli/options/option_reader.hpp"
#include "cli/program.hpp"
#include "report/train/training_text.hpp"

namespace ridge::cli {

namespace {

constexpr double kUsualSequence = 8192, kUsualBatch = 4194304;

using Degree = std::optional<double> AskedLayout::*;
constexpr std::array<std::pair<std::string_view, Degree>, 7> kDegrees = {{{"tp", &AskedLayout::tensor},
                                                                          {"pp", &AskedLayout::pipeline},
                                                                          {"cp", &AskedLayout::context},
                                                                          {"ep", &AskedLayout::expert},
                                                                          {"etp", &AskedLayout::expert_tensor},
                                                                          {"vp", &AskedLayout::virtual_stages},
                                                                          {"micro_batch", &AskedLayout::micro_batch}}};

Result<TrainingQuestion> training_question(const Arguments& arguments, const std::string& model) {
  constexpr Within kCount{.least = 1, .most = 1e7, .whole = true};
  constexpr Within kTokens{.least = 1, .most = 1e18};
  OptionReader reader(arguments);
  TrainingQuestion question;
  question.model = model;
  question.machine = arguments.text("machine");
  if (question.machine.empty()) reader.refuse("machine", "is needed", "such as --on hgx-h100 (ridge list machines)");
  question.chips = reader.number("chips", 0, kCount);
  if (!arguments.has("chips")) reader.refuse("chips", "is needed", "such as --chips 1024");
  question.sequence = kUsualSequence;
  question.global_batch = kUsualBatch;
  if (const auto tokens = reader.read<Tokens<double>>("tokens", kTokens)) question.tokens = tokens->value();
  if (const auto batch = reader.read<Tokens<double>>("global_batch", kTokens)) question.global_batch = batch->value();
  if (const auto length = reader.read<Tokens<double>>("sequence", {.least = 1, .most = 1e9, .whole = true}))
    question.sequence = length->value();
  question.recipe = arguments.text("recipe", "bf16");
  question.framework = arguments.text("framework", kUsualFramework);
  for (const auto& [key, field] : kDegrees) {
    if (const auto value = reader.read<Ratio<double>>(key, kCount)) question.layout.*field = value->value();
  }
  if (const auto zero = reader.read<Ratio<double>>("zero", {.least = 0, .most = 3, .whole = true}))
    question.layout.zero = zero->value();
  if (arguments.has("recompute"))
    question.layout.recompute = reader.take(parse_recompute(arguments.text("recompute"), "recompute"));
  if (arguments.has("price_basis"))
    question.basis = reader.take(parse_price_basis(arguments.text("price_basis"), "price_basis"));
  if (const auto price = reader.read<DollarsPerSecond<double>>("price")) question.price = price->value();
  if (!reader.errors().empty()) return fail(reader.errors());
  return question;
}

Result<int> run_train(const Arguments& arguments, Program& program) {
  const auto name = model_named(program, arguments.text("model"), arguments);
  if (!name) return fail(name.error());
  const auto question = training_question(arguments, *name);
  if (!question) return fail(question.error());
  const auto recipes = catalog::recipes(*program.facts);
  if (!recipes) return fail(recipes.error());
  // one layout where it is said whole: tensor and pipeline degree; otherwise what is given holds, and the rest is found
  const bool one = arguments.has("fixed") || (question->layout.tensor && question->layout.pipeline);
  auto answer = answer_training(*question, program.library, *recipes, !one,
                                {.frontier = arguments.has("frontier"), .commands = arguments.has("commands")});
  if (!answer) return fail(answer.error());
  for (WayOut& way : answer->ways_out) way.change = in_flags(way.change, *arguments.command);
  in_flags(answer->ground.notes, *arguments.command);
  const int code = print(with_assumptions(
      arguments.json() ? report::training_json(*answer) : report::training_text(*answer, program.style), arguments,
      program));
  if (code != kAnswered) return code;
  return answer->estimate.memory.fits() ? kAnswered : kNoAnswer;
}

}  // namespace

Command train_command() {
  Option model = kModelName;
  model.required = true;
  return {
      .name = "train",
      .purpose = Purpose::search,
      .place = 4,
      .summary = "layout, memory, days and dollars of a training run",
      .groups = {{kUsual,
                  {model,
                   {"--on", "machine", "MACHINE", "machine (ridge list machines)"},
                   {"--chips", "chips", "N", "chips in all"},
                   {"--tokens", "tokens", "TOKENS", "tokens to train on", "one step"},
                   {"--global-batch", "global_batch", "TOKENS", "tokens in a step", "4Mi"},
                   {"--sequence,--seq-length", "sequence", "TOKENS", "tokens in each sequence", "8,192"},
                   {"--recipe", "recipe", "NAME",
                    "number formats of products, gradients and optimizer: bf16, fp8, mxfp8, ...", "bf16"},
                   {"--framework", "framework", "NAME", "generation of the framework", "megatron-2026"}}},
                 {"Layout: what is not given is searched for; with --tp and --pp it is one layout",
                  {{"--tp", "tp", "N", "tensor parallelism, with sequence parallelism"},
                   {"--pp", "pp", "N", "pipeline stages"},
                   {"--vp", "vp", "N", "interleaved chunks of a stage"},
                   {"--cp", "cp", "N", "context parallelism"},
                   {"--ep", "ep", "N", "expert parallelism"},
                   {"--etp", "etp", "N", "tensor parallelism of experts"},
                   {"--micro-batch", "micro_batch", "N", "sequences in a micro-batch"},
                   {"--zero", "zero", "STAGE", "ZeRO stage, 0 to 3; 3 is FSDP"},
                   {"--recompute", "recompute", "POLICY",
                    "none, selective, full, full:N, reversible, or modules such as mla_up_proj+mlp"},
                   {"--fixed", "fixed", "", "take the layout as given, everything else one, and search nothing"}}},
                 {"Money",
                  {{"--price", "price", "PRICE", kPrice.help, "the catalog's"},
                   {"--price-basis", "price_basis", "BASIS", kPriceBasis.help, kPriceBasis.fallback}}},
                 output_options(
                     {{"--frontier", "frontier", "", "the best layout of a quarter to four times as many chips"},
                      {"--commands", "commands", "", "commands that start this layout in Megatron-LM and torchtitan"}}),
                 rare_options({kAssume})},
      .examples = {"ridge train llama-3.1-405b --on hgx-h100 --chips 16384 --tokens 15.6T --global-batch 16Mi",
                   "ridge train llama-3.1-70b --on hgx-h100 --chips 64 --tp 8 --pp 4 --global-batch 1Mi",
                   "ridge train deepseek-v3 --on gb200-nvl72 --chips 4096 --tokens 15T --recipe mxfp8 --sequence 4Ki"},
      .notes = "Exit code 4 when nothing fits; the ways out are printed.",
      .run = run_train};
}

}  // namespace ridge::cli
