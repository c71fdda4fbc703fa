// ridge lifecycle: pre-training, reinforcement learning and serving on one bill.

#include <array>
#include <map>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "base/text/unit_text.hpp"
#include "catalog/entries/recipes.hpp"
#include "catalog/question/scenario_text.hpp"
#include "cli/options/flags.hpp"
#include "cli/options/option_groups.hpp"
#include "cli/options/option_reader.hpp"
#include "cli/program.hpp"
#include "cli/question/training_options.hpp"
#include "report/train/lifecycle_text.hpp"
#include "train/plan/training_answer.hpp"

namespace ridge::cli {

namespace {

/// Options whose number is an input of the equations, by the input's name; the others are set with --set.
constexpr std::array<std::pair<std::string_view, std::string_view>, 15> kInputs = {
    {{"params", "params"},
     {"multiple", "multiple"},
     {"tokens", "tokens"},
     {"loss", "loss"},
     {"rl_tokens", "rl_tokens"},
     {"rl_trained_share", "rl.trained"},
     {"rl_reference_passes", "rl.references"},
     {"served", "served"},
     {"for", "life"},
     {"input_share", "prompts"},
     {"mfu", "mfu.training"},
     {"decode_mfu", "mfu.decode"},
     {"prefill_mfu", "mfu.prefill"},
     {"budget", "budget"},
     {"price", "price"}}};

/// How an input is given: by its flag, or with --set.
std::string way_to_give(std::string_view input, const Command& command) {
  for (const auto& [key, name] : kInputs) {
    if (name == input) return flag_of(key, command);
  }
  return fmt::format("--set {}=...", input);
}

/// A budget in FLOP is of chips that run at training's share of their peak; it becomes dollars when those are known.
struct LifecycleAsked {
  LifecycleQuestion question;
  std::optional<double> budget_flops;
};

void read_input(LifecycleAsked& asked, OptionReader& reader, std::string_view key, const std::string& text,
                const std::string& where) {
  const auto index = reader.take(lifecycle_input(key, where));
  if (!index) return;
  const std::string name(lifecycle_input_info(*index).key);
  const Provenance from{where, Kind::user, "", ""};
  if (name == "budget") {
    const auto measure = parse_measure(text, where);
    if (measure && measure->dimension == kFlop && measure->value > 0.0) {
      asked.budget_flops = measure->value;
      asked.question.given.push_back({name, 1.0, from});
      return;
    }
  }
  if (const auto value = reader.take(parse_as(text, lifecycle_input_dimension(*index), where)))
    asked.question.given.push_back({name, *value, from});
}

Result<LifecycleAsked> lifecycle_question(const Arguments& arguments, const std::string& model) {
  LifecycleAsked asked;
  LifecycleQuestion& question = asked.question;
  OptionReader reader(arguments);
  question.model = model;
  if (arguments.has("law")) question.law = arguments.text("law");
  if (arguments.has("machine")) question.machine = arguments.text("machine");
  if (const auto count = reader.read<Ratio<double>>("num_experts", kAnything)) question.experts = count->value();
  if (const auto count = reader.read<Ratio<double>>("experts_per_token", kAnything))
    question.per_token = count->value();
  for (const auto& [key, input] : kInputs) {
    if (!arguments.has(key)) continue;
    const std::string text = arguments.text(key);
    if (const auto basis = parse_price_basis(text, key); key == "price" && basis)
      question.basis = *basis;
    else
      read_input(asked, reader, input, text, flag_of(key, *arguments.command));
  }
  if (arguments.has("price_basis")) {
    if (const auto basis = reader.take(parse_price_basis(arguments.text("price_basis"), "price_basis")))
      question.basis = *basis;
  }
  for (const auto& [key, text, where] : reader.pairs("set", "--set 'peak=989 TFLOP/s'"))
    read_input(asked, reader, key, text, where);
  if (!reader.errors().empty()) return fail(reader.errors());
  return asked;
}

/// --training: the MFU at which 6 FLOP for each parameter and token cost what ridge train's layout costs.
Result<GivenInput> trained_mfu(const Arguments& arguments, Program& program, const LifecycleQuestion& question) {
  const auto resolved = resolve_lifecycle(question, program.library);
  if (!resolved) return fail(resolved.error());
  const auto recipes = catalog::recipes(*program.facts);
  if (!recipes) return fail(recipes.error());
  if (question.model.empty())
    return fail({"training", "a layout trains a model: name one", "ridge lifecycle llama-3.1-70b --training ..."});
  std::map<std::string, std::string> words;
  for (const std::string& word : split(arguments.text("training"), ' ')) {
    if (word.empty()) continue;
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos)
      return fail({"training", fmt::format("\"{}\" has no value", shortened(word)), "such as chips=1024"});
    words[word.substr(0, equals)] = word.substr(equals + 1);
  }
  TrainingQuestion training;
  training.model = question.model;
  training.machine = resolved->machine;
  training.global_batch = 4194304;
  if (Errors wrong = put_words(training, words, "training"); !wrong.empty()) return fail(std::move(wrong));
  if (!(training.chips >= 1)) return fail({"training", "how many chips train it is not said", "such as chips=1024"});
  const auto answer = answer_training(training, program.library, *recipes, !is_one_layout(training), {});
  if (!answer) return fail(answer.error());
  const TrainingEstimate& e = answer->estimate;
  if (!e.memory.fits())
    return fail({"training", short_name(e.layout) + " does not fit", "ridge train says what would"});
  const LifecycleCase<double>& c = resolved->numbers;
  const double mfu = 6 * c.params.value() * e.rate.value() / c.peak.value();
  return GivenInput{"mfu.training", mfu,
                    Provenance{fmt::format("ridge train, {}", short_name(e.layout)), Kind::user, "", ""}};
}

Result<LifecycleAnswer> lifecycle_answer(LifecycleAsked said, const Library& library) {
  if (said.budget_flops) {
    const auto resolved = resolve_lifecycle(said.question, library);
    if (!resolved) return fail(resolved.error());
    const LifecycleCase<double>& c = resolved->numbers;
    const Dollars<double> dollars = c.price / c.peak * Flops<double>(*said.budget_flops) / c.mfu_training;
    for (GivenInput& one : said.question.given) {
      if (one.key == "budget") one.value = dollars.value();
    }
  }
  return answer_lifecycle(said.question, library);
}

Result<Box> lifecycle_ranges(const Arguments& arguments, const LifecycleCase<double>& c) {
  Box ranges;
  for (const std::string& text : arguments.all("range")) {
    const auto range = catalog::split_range(text, "range");
    if (!range) return fail(range.error());
    const auto index = lifecycle_input(range->key, "range");
    if (!index) return fail(index.error());
    const InputInfo info = lifecycle_input_info(*index);
    if (!is_present(c.plan, info.key)) {
      return fail({"range", fmt::format("{} is not read here: it follows from the others", info.key),
                   fmt::format("give it with {} first", way_to_give(info.key, *arguments.command))});
    }
    const auto values = checked_range(*range, info, lifecycle_input_dimension(*index));
    if (!values) return fail(values.error());
    ranges.push_back({*index, *values});
  }
  return ranges;
}

std::string lifecycle_output_text(const LifecycleAnswer& answer, const report::LifecycleExtras& extras,
                                  const report::Style& style) {
  std::string out = report::lifecycle_text(answer, style);
  if (extras.sensitivity) out += "\n" + report::lifecycle_sensitivity_text(*extras.sensitivity, style);
  if (extras.bounds) out += "\n" + report::lifecycle_range_text(*extras.bounds, answer.estimate, style);
  return out;
}

Result<int> run_lifecycle(const Arguments& arguments, Program& program) {
  const bool derive = arguments.has("derive");
  if ((arguments.has("sensitivity") || arguments.has("range")) && !arguments.json() && derive) {
    return fail({"derive", "does not go with --sensitivity or --range",
                 "ask for one of them at a time, or for all with --json"});
  }
  std::string model;
  if (arguments.has("model")) {
    const auto named = model_named(program, arguments.text("model"), arguments);
    if (!named) return fail(named.error());
    model = *named;
  }
  auto asked = lifecycle_question(arguments, model);
  if (!asked) return fail(asked.error());
  if (arguments.has("training")) {
    if (arguments.has("mfu"))
      return fail({"training", "does not go with --mfu", "one of them says how well it trains"});
    auto mfu = trained_mfu(arguments, program, asked->question);
    if (!mfu) return fail(mfu.error());
    asked->question.given.push_back(std::move(*mfu));
  }
  auto answer = lifecycle_answer(std::move(*asked), program.library);
  if (!answer) return fail(answer.error());
  in_flags(answer->resolved.notes, *arguments.command);
  const LifecycleCase<double>& numbers = answer->resolved.numbers;
  report::LifecycleExtras extras;
  if (arguments.has("sensitivity")) extras.sensitivity = lifecycle_sensitivity(numbers);
  if (arguments.has("range")) {
    const auto ranges = lifecycle_ranges(arguments, numbers);
    if (!ranges) return fail(ranges.error());
    extras.bounds = bound_lifecycle(numbers, *ranges);
  }
  const auto figure = lifecycle_output(arguments.text("derive", "best_params"), "derive");
  if (!figure) return fail(figure.error());
  std::string out;
  if (arguments.json()) {
    out = report::lifecycle_json(*answer, extras);
  } else if (derive) {
    const auto traced = output_values(estimate_lifecycle(report::traced_case(numbers)));
    out = report::derivation_text(report::derive(traced[*figure], arguments.whole("depth", 3)),
                                  report::derivation_inputs(numbers, answer->resolved.from), program.library,
                                  program.style);
  } else {
    out = lifecycle_output_text(*answer, extras, program.style);
  }
  return print_with_svg(arguments, with_assumptions(out, arguments, program),
                        [&] { return report::to_svg(report::lifecycle_chart(*answer)); });
}

}  // namespace

Command lifecycle_command() {
  return {
      .name = "lifecycle",
      .purpose = Purpose::model,
      .place = 4,
      .summary = "pre-training, RL and serving on one bill, and the best size",
      .groups =
          {{kUsual,
            {kModelName.saying("model whose active parameters and experts count; or --params"),
             {"--params", "params", "N", "active parameters", "100B"},
             {"--tokens", "tokens", "TOKENS", "pre-training tokens", "as expensive as serving"},
             {"--served", "served", "RATE", "tokens served a second, on average", "50 Mtok/s"},
             {"--for", "for", "TIME", "time in service", "60 days"},
             {"--budget", "budget", "MONEY", "what all of it may cost: '$1B', or FLOP at training's MFU",
              "what this plan costs"},
             {"--on", "machine", "MACHINE", "machine, for peak and price", "gb200-nvl72"},
             {"--price", "price", "PRICE", kPrice.help, "the catalog's"},
             {"--price-basis", "price_basis", "BASIS", kPriceBasis.help, kPriceBasis.fallback}}},
           {"Training",
            {{"--loss", "loss", "LOSS", "loss to reach, instead of --tokens"},
             {"--law", "law", "NAME", "scaling law (ridge list laws)", "besiroglu-2024"},
             {"--rl-tokens", "rl_tokens", "TOKENS", "tokens of reinforcement learning", "as expensive as serving"},
             {"--rl-trained-share", "rl_trained_share", "SHARE", "share of the rollouts that are trained on", "0.5"},
             {"--rl-reference-passes", "rl_reference_passes", "N", "forward passes of other models over the rollouts",
              "0"}}},
           {"Experts",
            {{"--num-experts", "num_experts", "N", "experts in a layer, for the dense model that is as good", "none"},
             {"--experts-per-token", "experts_per_token", "N", "of them, those a token uses", "1"},
             {"--multiple", "multiple", "X", "that dense model over the active parameters, instead of a law", "1"}}},
           {"Serving",
            {{"--input-share", "input_share", "SHARE", "share of the served tokens that are input", "0"},
             {"--mfu", "mfu", "SHARE", "MFU of training", "0.42"},
             {"--training", "training", "LAYOUT",
              "layout that trains it, 'chips=1024 tp=8 pp=4': its cost per token instead of --mfu"},
             {"--decode-mfu", "decode_mfu", "SHARE", "MFU of decode", "0.14"},
             {"--prefill-mfu", "prefill_mfu", "SHARE", "MFU of prefill", "0.42"}}},
           {"Reasons",
            {kDerive.saying("print the derivation of a figure (ridge list lifecycle-figures)"), kDepth, kSensitivity,
             kRange, kSet.saying("replace any input (ridge list lifecycle-inputs); may be given again")}},
           output_options({kSvg.saying("draw cost against size as SVG")}),
           rare_options({kAssume})},
      .examples = {"ridge lifecycle",
                   "ridge lifecycle --params 100B --tokens 200T --served '50M tok/s' --for '60 days'",
                   "ridge lifecycle deepseek-v3 --tokens 14.8T --served '1M tok/s' --for '180 days' --on hgx-h100",
                   "ridge lifecycle --params 13B --loss 2.05 --served '100k tok/s' --for '1 year' --law "
                   "hoffmann-2022-tex",
                   "ridge lifecycle --budget '$1B' --svg life.svg",
                   "ridge lifecycle --range 'served=20..100 Mtok/s' --range 'life=60..365 days'",
                   "ridge lifecycle --sensitivity", "ridge lifecycle --derive best_params --depth 0",
                   "ridge lifecycle --params 37B --num-experts 256 --experts-per-token 8 --json"},
      .notes =
          "Without options: the lecture's model, 100 billion active parameters that serve 50 million tokens a "
          "second for two months. Numbers take units; k, M, B and T are 10^3, 10^6, 10^9 and 10^12.",
      .run = run_lifecycle};
}

}  // namespace ridge::cli
