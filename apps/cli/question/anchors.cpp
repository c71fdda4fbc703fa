#include "cli/question/anchors.hpp"

#include "base/text/clean_text.hpp"
#include "catalog/engine/engine_command.hpp"
#include "catalog/facts/files.hpp"
#include "catalog/results/results.hpp"
#include "cli/options/option_reader.hpp"
#include "cli/question/serving.hpp"
#include "library/names.hpp"

namespace ridge::cli {

ReadResults read_result_files(const std::vector<std::string>& files) {
  ReadResults out;
  for (const std::string& given : files) {
    const std::string file = line_without_number(given).empty() ? given : "./" + given;  // a name, not a figure
    const auto text = file == "-" ? catalog::read_standard_input() : catalog::read_file(file);
    if (!text) {
      append(out.refused, text.error());
      continue;
    }
    auto results = catalog::read_results(*text, file == "-" ? "standard input" : file);
    if (!results) {
      append(out.refused, results.error());
      continue;
    }
    for (BenchmarkResult& one : *results) out.results.push_back(std::move(one));
  }
  return out;
}

Result<AnchorGiven> anchor_given(const Arguments& arguments, Program& program) {
  AnchorGiven given;
  if (arguments.has("model")) {
    const auto named = model_named(program, arguments.text("model"), arguments);
    if (!named) return fail(named.error());
    given.model = *named;
  }
  given.machine = arguments.text("machine");
  if (!given.machine.empty()) {
    if (const auto known = machine_named(program.library, given.machine); !known) return fail(known.error());
  }
  given.engine = arguments.text("engine");
  const auto format = [&](const char* key) {
    return arguments.has(key) ? std::optional<std::string>(arguments.text(key)) : std::nullopt;
  };
  given.weights = format("weights");
  given.experts = format("experts");
  given.kv = format("kv");
  const auto asked = with_options({}, arguments);
  if (!asked) return fail(asked.error());
  given.tensor = asked->tensor;
  given.pipeline = asked->pipeline;
  given.attention_data = asked->attention_data;
  given.expert = asked->expert;
  given.context = asked->context;
  given.memory_utilization = asked->memory_utilization;
  if (arguments.has("token_budget")) given.token_budget = asked->token_budget;
  if (arguments.has("cached")) given.cached = asked->cached;
  return given;
}

std::vector<OptionGroup> anchor_options() {
  OptionGroup layout = without(layout_options(), {"redundant_experts", "replicas", "disaggregated", "prefill_layout",
                                                  "prefill_on", "prefill_price"});
  for (Option& option : layout.options) option.fallback = "as the file says";
  OptionGroup engine = without(engine_options(), {"speculative_tokens", "acceptance_rate", "overlap"});
  for (Option& option : engine.options) {
    if (option.key == "engine") option.fallback = "as the file says";
  }
  engine.options.push_back(
      {"--cached", "cached", "SHARE", "share of the prompts in the prefix cache", "0", Reads::serving});
  return {{"What the files do not say",
           {{"--model", "model", "MODEL", "model (ridge list models), its config.json, folder or model file",
             "as the file says"},
            kMachine.otherwise("as the file says")}},
          layout,
          engine,
          serving_formats()};
}

Result<SaidByCommand> add_engine_command(AnchorGiven& given, const Arguments& arguments, const Program& program) {
  const auto text = pasted_text(arguments.text("from"));
  if (!text) return fail(text.error());
  const auto reading = catalog::read_engine_command(*text, program.library, "from", given.model);
  if (!reading) return fail(reading.error());
  const ServingQuestion& read = reading->question;
  const auto take = [](auto& into, const auto& from) {
    if (!into) into = from;
  };
  if (given.model.empty()) given.model = read.scenario.model;
  if (given.engine.empty()) given.engine = read.engine;
  take(given.weights, read.scenario.weights);
  take(given.experts, read.scenario.experts);
  take(given.kv, read.scenario.kv);
  take(given.tensor, read.tensor);
  take(given.pipeline, read.pipeline);
  take(given.attention_data, read.attention_data);
  take(given.expert, read.expert);
  take(given.context, read.context);
  take(given.memory_utilization, read.memory_utilization);
  take(given.token_budget, std::optional<double>(read.token_budget));
  return SaidByCommand{reading->notes, reading->ignored};
}

}  // namespace ridge::cli
