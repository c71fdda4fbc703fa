// ridge train: how long a training run takes, in which layout, for how much money.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "catalog/entries/recipes.hpp"
#include "catalog/question/scenario_text.hpp"
#include "catalog/trainer/trainer_entry.hpp"
#include "cli/options/flags.hpp"
#include "cli/options/option_groups.hpp"
#include "cli/options/option_reader.hpp"
#include "cli/program.hpp"
#include "cli/question/training_options.hpp"
#include "report/train/training_text.hpp"
#include "report/train/training_views.hpp"
#include "serve/serving.hpp"

namespace ridge::cli {

namespace {

int print_view(const std::string& text, const std::string& json, const AskedTraining& asked, const Arguments& arguments,
               const Program& program) {
  std::string out = arguments.json() ? json : text;
  if (!arguments.json()) {
    for (const std::string& note : asked.notes)
      out += report::wrapped(in_flags("note: " + note, *arguments.command), program.style.columns, 2) + "\n";
  }
  return print(with_assumptions(out, arguments, program));
}

/// --phases and --ramp: time, cost and tokens of each part of the run.
Result<int> run_phases(const AskedTraining& asked, const Arguments& arguments, Program& program,
                       const std::vector<NumbersEntry>& recipes) {
  std::vector<TrainingStretch> lengths, ramp;
  for (const auto& [key, into] : {std::pair{"phases", &lengths}, std::pair{"ramp", &ramp}}) {
    if (!arguments.has(key)) continue;
    const auto parts = parse_stretches(arguments.text(key), key);
    if (!parts) return fail(parts.error());
    *into = *parts;
  }
  const auto phases = training_phases(asked.question, lengths, ramp);
  if (!phases) return fail(phases.error());
  const auto answer = answer_phases(asked.question, *phases, program.library, recipes, !asked.one);
  if (!answer) return fail(answer.error());
  const int code =
      print_view(report::phases_text(*answer, program.style), report::phases_json(*answer), asked, arguments, program);
  if (code != kAnswered) return code;
  return answer->fits ? kAnswered : kNoAnswer;
}

/// --explain pipelining: with and without stages, by domain, batch and generation.
Result<int> run_explain(const AskedTraining& asked, const Arguments& arguments, Program& program,
                        const std::vector<NumbersEntry>& recipes) {
  if (arguments.text("explain") != "pipelining")
    return fail({"explain", "nothing of this name is explained", "--explain pipelining"});
  const auto ground = training_ground(asked.question, program.library, recipes);
  if (!ground) return fail(ground.error());
  std::vector<TrainingGround> others;  // machines on whose chips training was measured
  for (const Machine& machine : program.library.machines) {
    const bool measured = find_calibration(program.library, "training chip", "training-" + machine.chip) != nullptr;
    if (!measured || !machine.scale_out || machine.name == ground->machine->name) continue;
    TrainingQuestion there = asked.question;
    there.machine = machine.name;
    if (auto one = training_ground(there, program.library, recipes)) others.push_back(std::move(*one));
  }
  AskedLayout layout = asked.question.layout;
  const PipeliningArgument argument = argue_pipelining(*ground, others, layout);
  return print_view(report::pipelining_text(argument, *ground, program.style),
                    report::pipelining_json(argument, *ground), asked, arguments, program);
}

/// --rollouts: who waits for whom when the cluster generates what it trains on.
Result<int> run_rl(const AskedTraining& asked, const Arguments& arguments, Program& program,
                   const std::vector<NumbersEntry>& recipes) {
  constexpr Within kLength{.least = 1, .most = 1e9, .whole = true};
  OptionReader reader(arguments);
  RlStep step;
  step.chips = asked.question.chips;
  step.rollouts = reader.number("rollouts", 0, {.least = 1, .most = 1e9, .whole = true});
  step.prompt = 1024;
  step.answer = 8192;
  if (const auto isl = reader.read<Tokens<double>>("isl", kLength)) step.prompt = isl->value();
  if (const auto osl = reader.read<Tokens<double>>("osl", kLength)) step.answer = osl->value();
  const double tensor = reader.number("rollout_tp", 8, kLength);
  ServingQuestion serving;
  serving.scenario.model = asked.question.model;
  serving.scenario.machine = asked.question.machine;
  serving.tensor = tensor;
  serving.isl = step.prompt;
  serving.osl = step.answer;
  const double groups = std::floor(step.chips / tensor);
  if (!(groups >= 1)) reader.refuse("rollout_tp", "is more than there are chips", "at most --chips");
  if (!reader.errors().empty()) return fail(reader.errors());
  serving.concurrency = std::max(1.0, std::min(256.0, std::floor(step.rollouts / groups)));
  auto served = answer_serving(serving, program.library);
  if (!served) return fail(served.error());
  if (!served->answer)
    return fail({"rollout_tp", "the model does not fit into so many chips for generating", "a larger --rollout-tp"});
  step.generated = served->answer->estimate.output_rate / served->answer->estimate.chips;
  TrainingQuestion trained = asked.question;
  trained.sequence = step.prompt + step.answer;
  trained.global_batch = trained.sequence * step.rollouts;
  trained.tokens = 0;
  const auto answer = answer_training(trained, program.library, recipes, !asked.one, {});
  if (!answer) return fail(answer.error());
  step.training = answer->estimate.times.step;
  AskedTraining noted = asked;
  noted.notes.push_back(fmt::format("generated by TP{:g}, {:g} at once on each; trained in {}", tensor,
                                    *serving.concurrency, short_name(answer->estimate.layout)));
  return print_view(report::rl_text(step, program.style), report::rl_json(step), noted, arguments, program);
}

/// --derive, --sensitivity, --range: the answer's layout read otherwise.
Result<int> run_readings(const TrainingAnswer& answer, const AskedTraining& asked, const Arguments& arguments,
                         const Program& program) {
  const TrainingGround& ground = answer.ground;
  const TrainingLayout& layout = answer.estimate.layout;
  if (arguments.has("derive")) {
    const std::vector<std::string> figures(kTrainingFigures.begin(), kTrainingFigures.end());
    const std::string wanted = arguments.text("derive");
    if (std::find(figures.begin(), figures.end(), wanted) == figures.end())
      return fail({"derive", fmt::format("unknown figure \"{}\"", shortened(wanted)), suggestion(wanted, figures)});
    const auto lines = derive_training(ground, answer.estimate);
    return print_view(report::training_derivation_text(lines, program.style), report::training_derivation_json(lines),
                      asked, arguments, program);
  }
  if (arguments.has("sensitivity")) {
    const auto all = training_sensitivity(ground, layout);
    return print_view(report::training_sensitivity_text(all, program.style), report::training_sensitivity_json(all),
                      asked, arguments, program);
  }
  const std::vector<TrainingInput> inputs = training_inputs(ground);
  std::vector<std::string> known;
  for (const TrainingInput& input : inputs) known.push_back(input.key);
  std::vector<TrainingRange> ranges;
  OptionReader reader(arguments);
  for (const std::string& text : arguments.all("range")) {
    const auto range = reader.take(catalog::split_range(text, "range"));
    if (!range) continue;
    const auto found =
        std::find_if(inputs.begin(), inputs.end(), [&](const TrainingInput& one) { return one.key == range->key; });
    if (found == inputs.end()) {
      reader.refuse("range", fmt::format("unknown input \"{}\"", shortened(range->key)), suggestion(range->key, known));
      continue;
    }
    const auto values = reader.take(
        checked_range(*range, InputInfo{found->key, found->key, found->meaning, Domain::positive}, found->dimension));
    if (values) ranges.push_back({found->key, *values});
  }
  if (ranges.size() > 6) reader.refuse("range", "more than six ranges at once", "ask for fewer");
  if (!reader.errors().empty()) return fail(reader.errors());
  const auto bounds = bound_training(ground, layout, ranges);
  return print_view(report::training_range_text(bounds, answer.estimate, program.style),
                    report::training_range_json(bounds, answer.estimate), asked, arguments, program);
}

Result<int> run_train(const Arguments& arguments, Program& program) {
  const auto trainers = catalog::trainers(*program.facts);
  if (!trainers) return fail(trainers.error());
  auto asked = asked_training(arguments, program, *trainers);
  if (!asked) return fail(asked.error());
  const auto recipes = catalog::recipes(*program.facts);
  if (!recipes) return fail(recipes.error());
  if (arguments.has("anchor")) {
    asked = with_anchor(std::move(*asked), arguments, program, *recipes);
    if (!asked) return fail(asked.error());
  }
  if (arguments.has("phases") || arguments.has("ramp")) return run_phases(*asked, arguments, program, *recipes);
  if (arguments.has("explain")) return run_explain(*asked, arguments, program, *recipes);
  if (arguments.has("rollouts")) return run_rl(*asked, arguments, program, *recipes);
  TrainingWishes wishes{.frontier = arguments.has("frontier")};
  if (arguments.has("commands")) wishes.commands = *trainers;
  auto answer = answer_training(asked->question, program.library, *recipes, !asked->one, wishes);
  if (!answer) return fail(answer.error());
  if (arguments.has("derive") || arguments.has("sensitivity") || arguments.has("range"))
    return run_readings(*answer, *asked, arguments, program);
  answer->ground.notes.insert(answer->ground.notes.begin(), asked->notes.begin(), asked->notes.end());
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
  const Option model = kModelName;
  return {
      .name = "train",
      .purpose = Purpose::search,
      .place = 4,
      .summary = "layout, memory, days and dollars of a training run",
      .groups =
          {{kUsual,
            {model,
             {"--on", "machine", "MACHINE", "machine (ridge list machines)"},
             {"--chips", "chips", "N", "chips in all"},
             {"--tokens", "tokens", "TOKENS", "tokens to train on", "one step"},
             {"--global-batch", "global_batch", "TOKENS", "tokens in a step", "4Mi"},
             {"--sequence,--seq-length", "sequence", "TOKENS", "tokens in each sequence", "8,192"},
             {"--recipe", "recipe", "NAME",
              "number formats of products, gradients and optimizer: bf16, fp8, mxfp8, ...", "bf16"},
             {"--framework", "framework", "NAME", "generation of the framework", kUsualFramework}}},
           {"Layout: what is not given is searched for; with --tp and --pp it is one layout",
            {{"--tp", "tp", "N", "tensor parallelism, with sequence parallelism"},
             {"--pp", "pp", "N", "pipeline stages"},
             {"--vp", "vp", "N", "interleaved chunks of a stage"},
             {"--cp", "cp", "N", "context parallelism"},
             {"--ep", "ep", "N", "expert parallelism"},
             {"--etp", "etp", "N", "tensor parallelism of experts"},
             {"--micro-batch", "micro_batch", "N", "sequences in a micro-batch"},
             {"--schedule", "schedule", "NAME",
              "pipeline schedule: 1f1b, interleaved, gpipe, zb-h1, zb-h2, zb-v, dualpipe, dualpipev"},
             {"--zero", "zero", "STAGE", "ZeRO stage, 0 to 3; 3 is FSDP"},
             {"--shard-group", "shard_group", "N", "chips over which ZeRO divides (hybrid sharding)", "all copies"},
             {"--recompute", "recompute", "POLICY",
              "none, selective, full, full:N, reversible, or modules such as mla_up_proj+mlp"},
             {"--offload", "offload", "WHAT",
              "into the host's memory: none, optimizer, activations, or both with a plus"},
             {"--graphs", "graphs", "WHAT", "whole steps captured in a graph: full or none",
              "as the framework's recipes"},
             {"--from", "from", "COMMAND",
              "a command or configuration of Megatron-LM, Megatron-Bridge, torchtitan or DeepSpeed; @FILE reads "
              "it from a file"},
             {"--layout", "layout", "LAYOUT", "one layout in a line, as answers name it: TP8-PP4-VP2-DP8, CP2-FSDP32"},
             {"--fixed", "fixed", "", "take the layout as given, everything else one, and search nothing"}}},
           {"The run",
            {{"--phases", "phases", "LIST", "sequence lengths in turn, such as 8Ki:14T,128Ki:1T"},
             {"--ramp", "ramp", "LIST", "batches before --global-batch, such as 4Mi:250B,8Mi:3T"},
             {"--anchor", "anchor", "FILE",
              "your own run, a log or CSV with step_s: moves the time of all kernels to meet it"}}},
           {"Views",
            {{"--explain", "explain", "WHAT", "pipelining: with and without, by domain, batch and generation"},
             {"--rollouts", "rollouts", "N", "reinforcement learning: answers of a step, generated here too"},
             {"--isl", "isl", "TOKENS", "of a prompt of these", "1,024"},
             {"--osl", "osl", "TOKENS", "of an answer", "8,192"},
             {"--rollout-tp", "rollout_tp", "N", "tensor parallelism while generating", "8"}}},
           {"Reasons",
            {kDerive.saying("how the figures of a layout are made: step"), kSensitivity,
             kRange.saying("figures over a range of an input, such as scale_out=25..100 GB/s; may be given again")}},
           {"Money",
            {{"--price", "price", "PRICE", kPrice.help, "the catalog's"},
             {"--price-basis", "price_basis", "BASIS", kPriceBasis.help, kPriceBasis.fallback}}},
           output_options({{"--frontier", "frontier", "", "the best layout of a quarter to four times as many chips"},
                           {"--commands", "commands", "",
                            "commands that start this layout in Megatron-LM, Megatron-Bridge, torchtitan, DeepSpeed"}}),
           rare_options({kAssume})},
      .examples = {"ridge train llama-3.1-405b --on hgx-h100 --chips 16384 --tokens 15.6T --global-batch 16Mi",
                   "ridge train llama-3.1-70b --on hgx-h100 --chips 64 --tp 8 --pp 4 --global-batch 1Mi",
                   "ridge train deepseek-v3 --on gb200-nvl72 --chips 4096 --tokens 15T --recipe mxfp8 --sequence 4Ki"},
      .notes = "Exit code 4 when nothing fits; the ways out are printed.",
      .run = run_train};
}

}  // namespace ridge::cli
