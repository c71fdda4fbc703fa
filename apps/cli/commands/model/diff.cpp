// ridge diff: only what differs between two models, or two other entries of one category.

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "catalog/checkpoint/model_file.hpp"
#include "cli/options/option_groups.hpp"
#include "cli/options/option_reader.hpp"
#include "cli/output/early_end.hpp"
#include "cli/question/asked_fleet.hpp"
#include "cli/question/entries.hpp"
#include "cli/question/fleet_options.hpp"
#include "cli/question/serving.hpp"
#include "report/model/model_json.hpp"
#include "report/model/model_text.hpp"
#include "report/search/fleet_diff.hpp"
#include "report/serve/serving_diff.hpp"
#include "search/plan/best_deployment.hpp"

namespace ridge::cli {

namespace {

/// A side of the comparison: a model, or the facts of something else.
struct Side {
  std::string model;  // its name in the library; empty where it is none
  std::vector<const catalog::Fact*> facts;
};

Result<Side> side_of(const Program& program, const std::string& word) {
  if (catalog::names_model_file(word)) return Side{word, {}};
  const auto facts = facts_of(program, word);
  if (facts.empty()) return fail(unknown_entry(program, word, "", "diff"));
  return Side{facts.front()->category == "model" ? facts.front()->entry : "", facts};
}

std::vector<report::Difference> fact_differences(const Side& a, const Side& b) {
  std::vector<report::Difference> differences;
  const auto value_in = [](const Side& side, const std::string& key) {
    for (const catalog::Fact* fact : side.facts) {
      if (fact->key == key) return fact->text;
    }
    return std::string("-");
  };
  for (const catalog::Fact* fact : a.facts) {
    const std::string other = value_in(b, fact->key);
    if (other != fact->text) differences.push_back({fact->key, fact->text, other, 0});
  }
  for (const catalog::Fact* fact : b.facts) {
    if (value_in(a, fact->key) == "-") differences.push_back({fact->key, "-", fact->text, 0});
  }
  return differences;
}

/// Whether both are to be served as well.
bool asks_served(const Arguments& arguments) {
  return arguments.has("machine") || arguments.any(Reads::serving) || arguments.any(Reads::scenario) ||
         arguments.has("tpot") || arguments.has("slo");
}

/// One model on the machine: laid out as given, or as a plan would choose.
Result<report::ServedModel> served_model(const std::string& word, const std::string& model, const TpotSlo& slo,
                                         const Arguments& arguments, Program& program) {
  const auto scenario = scenario_of(program, arguments, model);
  if (!scenario) return fail(scenario.error());
  ServingQuestion asked;
  asked.scenario = *scenario;
  const auto question = with_options(std::move(asked), arguments);
  if (!question) return fail(question.error());
  const auto deployed =
      best_deployed(*question, {.slo = slo, .tokens_per_second = {}, .threads = all_threads()}, program.library);
  if (!deployed) return fail(deployed.error());
  auto result = answer_at(deployed->question, deployed->deployment, deployed->load, program.library);
  if (!result) return fail(result.error());
  in_flags(*result, *arguments.command);
  report::ServedModel out{word, std::move(result->answer), {}};
  if (result->shortfall)
    out.shortfall = result->shortfall->most_requests > 0
                        ? fmt::format("saturated: at most {:.3g} requests/s", result->shortfall->most_requests)
                        : fmt::format("does not fit as {}", short_name(result->shortfall->layout));
  return out;
}

Result<report::ServingDiff> served_both(const Side& a, const Side& b, const Arguments& arguments, Program& program) {
  if (Errors wrong = without_fleet(arguments); !wrong.empty()) return fail(std::move(wrong));
  OptionReader reader(arguments);
  TpotSlo slo;
  if (const auto tpot = reader.read<Seconds<double>>("tpot", kAnything)) slo = {*tpot, true};
  if (const auto confidence = reader.take(asked_confidence(arguments))) slo.confidence = *confidence;
  if (!reader.errors().empty()) return fail(reader.errors());
  auto first = served_model(arguments.text("a"), a.model, slo, arguments, program);
  if (!first) return fail(first.error());
  auto second = served_model(arguments.text("b"), b.model, slo, arguments, program);
  if (!second) return fail(second.error());
  return report::serving_diff(std::move(*first), std::move(*second));
}

/// The fleet that a plan buys for one of the models.
Result<AskedFleet> fleet_for(const Side& side, const Arguments& arguments, Program& program) {
  Arguments asked = arguments;
  asked.given.push_back({"model", side.model, Reads::command});
  return bought_beside(asked, {"concurrency", "replicas"}, program);
}

/// Both models on the fleets that a plan buys for them; `signal` if one ended it early.
Result<report::ServingDiff> bought_both(const Side& a, const Side& b, const Arguments& arguments, Program& program,
                                        int& signal) {
  const auto first = fleet_for(a, arguments, program);
  if (!first) return fail(first.error());
  signal = first->signal;
  if (signal != 0) return report::ServingDiff{};
  const auto second = fleet_for(b, arguments, program);
  if (!second) return fail(second.error());
  signal = second->signal;
  return report::fleet_diff(arguments.text("a"), first->report, arguments.text("b"), second->report);
}

Result<int> run_diff(const Arguments& arguments, Program& program) {
  const std::string name_a = arguments.text("a"), name_b = arguments.text("b");
  if (const auto read = models_named(program, {name_a, name_b}, arguments); !read) return fail(read.error());
  const auto a = side_of(program, name_a);
  if (!a) return fail(a.error());
  const auto b = side_of(program, name_b);
  if (!b) return fail(b.error());
  const bool models = !a->model.empty() && !b->model.empty();
  const bool same_category =
      !a->facts.empty() && !b->facts.empty() && a->facts.front()->category == b->facts.front()->category;
  if (!models && !same_category) {
    return fail({"diff", fmt::format("{} and {} are not of one kind", name_a, name_b),
                 "compare two models, two machines, two chips, ..."});
  }
  const auto differences =
      models ? report::model_differences(*find_named(program.library.models, a->model),
                                         *find_named(program.library.models, b->model), program.library.formats)
             : fact_differences(*a, *b);
  std::optional<report::ServingDiff> served;
  if (asks_served(arguments)) {
    if (!models)
      return fail({"machine", fmt::format("{} and {} are no models, and nothing else is served", name_a, name_b),
                   "leave out the machine and the load"});
    int signal = 0;
    auto both = arguments.has("slo") ? bought_both(*a, *b, arguments, program, signal)
                                     : served_both(*a, *b, arguments, program);
    if (!both) return fail(both.error());
    if (signal != 0) return kSignalled + signal;
    served = std::move(*both);
  }
  std::string out = arguments.json()
                        ? report::differences_json(differences, name_a, name_b, served ? &*served : nullptr)
                        : report::differences_text(differences, name_a, name_b, program.style);
  if (served && !arguments.json()) out = report::serving_diff_text(*served, program.style) + "\n" + out;
  if (const int code = print(with_assumptions(out, arguments, program)); code != kAnswered) return code;
  return served && !(served->a.answer && served->b.answer) ? kNoAnswer : kAnswered;
}

}  // namespace

Command diff_command() {
  return {.name = "diff",
          .purpose = Purpose::model,
          .place = 2,
          .summary = "what differs between two models, machines, chips, ...",
          .groups = {{kUsual,
                      {{"A", "a", "NAME", "a model, its file, or another entry", "", Reads::command, false, true},
                       {"B", "b", "NAME", "the other one", "", Reads::command, false, true}}},
                     {"Serving both (models alone)",
                      {kMachine,
                       kTpot.saying("SLO: time per output token, at most; the layout is the cheapest within it")}},
                     load_options({.isl = "1,024", .osl = "1,024", .concurrency = "the cheapest within --tpot"}),
                     without(bought_options(), {"rate"}),  // that is among the loads
                     layout_options(),
                     engine_options(),
                     serving_formats(),
                     output_options(),
                     rare_options({kPrice, kPriceBasis, kUtilization, kQuiet, kAssume})},
          .examples = {"ridge diff deepseek-v3 kimi-k2", "ridge diff hgx-h100 hgx-h200",
                       "ridge diff llama-3.1-70b qwen2.5-72b --on hgx-h100 --isl 2k --osl 500 --rate 10",
                       "ridge diff llama-3.3-70b qwen3-32b --on hgx-h100 --isl 2k --osl 500 --rate 10 --slo "
                       "ttft=2s,tpot=50ms",
                       "ridge diff llama-3.1-70b qwen2.5-72b --json"},
          .notes = "With --rate and --slo: the fleets that ridge plan buys for both, to the last figure.",
          .run = run_diff};
}

}  // namespace ridge::cli
