// ridge layout: which experts and layers sit on which chip and rack, what each holds and sends, and what a rack bounds.

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "base/text/unit_text.hpp"
#include "catalog/entries/racks.hpp"
#include "cli/options/flags.hpp"
#include "cli/options/option_groups.hpp"
#include "cli/options/option_reader.hpp"
#include "cli/program.hpp"
#include "library/names.hpp"
#include "report/serve/layout_text.hpp"

namespace ridge::cli {

namespace {

constexpr double kMostChips = 65536;  // of one replica: more than any drawing or all-to-all
constexpr std::array kCompared = {"hgx-h100",    "gb200-nvl72", "rubin-nvl144", "rubin-ultra-nvl576",
                                  "tpu-v5e-pod", "tpu-v5p-pod", "tpu-v7-pod"};

constexpr Within kDegree{.least = 1, .most = kMostChips, .whole = true};

Layout given_layout(OptionReader& reader) {
  Layout layout;
  layout.tensor = reader.number("tp", 1, kDegree);
  layout.pipeline = reader.number("pp", 1, kDegree);
  layout.context = reader.number("cp", 1, kDegree);
  layout.attention_data = reader.number("dp", 1, kDegree);
  layout.expert = reader.number("ep", 1, kDegree);
  layout.replicas = reader.number("replicas", 1, kDegree);
  layout.redundant_experts = reader.number("redundant_experts", 0, {.most = kMostChips, .whole = true});
  if (layout.chips_per_stage() * layout.pipeline > kMostChips) {
    reader.refuse("tp", fmt::format("tp x cp x dp x pp = {:g} chips", layout.chips_per_stage() * layout.pipeline),
                  fmt::format("at most {:g}; --replicas copies a layout", kMostChips));
  }
  return layout;
}

/// The degrees that were not given, chosen; those that were stay, a given 1 too.
Layout completed(const Layout& given, const Arguments& arguments, const Model& model, double rack_chips) {
  const bool experts_together = arguments.has("ep") && given.expert == 1;
  Layout layout = given;
  if (!experts_together) {
    layout = suggested_layout(given, model, rack_chips);
  } else if (!arguments.has("cp") && !arguments.has("dp")) {
    for (const double degree : valid_tensor(model, rack_chips)) layout.tensor = degree;
  }
  if (arguments.has("tp")) layout.tensor = given.tensor;
  return layout;
}

Result<LayoutQuestion> layout_question(const Arguments& arguments, const Program& program,
                                       const std::string& model_name) {
  OptionReader reader(arguments);
  const auto format = [&](const char* key) {
    return arguments.has(key) ? std::optional(arguments.text(key)) : std::nullopt;
  };
  constexpr Within kSome{.most = 1e12, .above = true};
  LayoutQuestion question;
  question.model = model_name;
  question.machine = arguments.text("machine");
  question.layout = given_layout(reader);
  question.racks = reader.number("racks", 0, kDegree);
  question.formats = {format("weights"), format("experts"), format("kv")};
  question.batch = reader.number("batch", question.batch, kSome);
  const auto context = reader.read<Tokens<double>>("context", kSome);
  reader.read_into<Seconds<double>>(question.latency, "latency", kSome);
  question.hop = reader.read<Seconds<double>>("hop", kSome);
  question.power_limit = reader.read<Watts<double>>("rack_power", kSome);
  if (const auto cables = reader.read<Ratio<double>>("rack_cables", kSome)) question.cable_limit = cables->value();
  if (question.machine.empty())
    reader.refuse("machine", "which machine?", "name one after the model, e.g. gb200-nvl72 (ridge list machines)");
  if (!reader.errors().empty()) return fail(reader.errors());
  const auto model = ridge::model_named(program.library, question.model);
  const auto machine = whole_machine_named(program.library, question.machine);
  if (model && machine) {  // who is not known is explained where the question is answered
    if (context)
      question.context = context->value();
    else if (model->entry->context_limit > 0)
      question.context = std::min(question.context, model->entry->context_limit);
    question.layout = completed(question.layout, arguments, *model->entry, machine->entry->chips.value);
  }
  return question;
}

/// The usual ones, the one that is asked about, and those of the user's own folder.
std::vector<std::string> compared_machines(const Arguments& arguments, const Program& program) {
  std::vector<std::string> names(kCompared.begin(), kCompared.end());
  const auto add = [&](const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  if (const std::string asked = arguments.text("machine"); !asked.empty()) {
    const auto named = whole_machine_named(program.library, asked);
    add(named ? named->entry->name : asked);  // who is not known is explained where the question is answered
  }
  const std::string folder = arguments.text("catalog");
  if (folder.empty()) return names;
  for (const catalog::Fact& fact : *program.facts) {
    if (fact.category == "machine" && fact.place.starts_with(folder + "/")) add(fact.entry);
  }
  return names;
}

Result<int> run_compare(const Arguments& arguments, const Program& program, const std::string& model) {
  const auto columns = compare_racks(model, compared_machines(arguments, program), program.library);
  if (!columns) return fail(columns.error());
  const auto named = ridge::model_named(program.library, model);
  if (!named->note.empty()) say("note: " + named->note + "\n");
  const Model& found = *named->entry;
  return print(with_assumptions(
      arguments.json() ? report::compare_json(*columns, found) : report::compare_text(*columns, found, program.style),
      arguments, program));
}

Result<int> run_layout(const Arguments& arguments, Program& program) {
  const auto model = model_named(program, arguments.text("model"), arguments);
  if (!model) return fail(model.error());
  if (arguments.has("compare")) return run_compare(arguments, program, *model);
  const auto question = layout_question(arguments, program, *model);
  if (!question) return fail(question.error());
  const auto racks = catalog::read_racks(*program.facts);
  if (!racks) return fail(racks.error());
  auto answer = lay_out(*question, program.library, *racks);
  if (!answer) return fail(answer.error());
  in_flags(answer->notes, *arguments.command);
  const auto code = print_with_svg(
      arguments,
      with_assumptions(arguments.json() ? report::layout_json(*answer) : report::layout_text(*answer, program.style),
                       arguments, program),
      [&] { return report::layout_svg(*answer); });
  if (!code || *code != kAnswered) return code;
  return answer->fits() ? kAnswered : kNoAnswer;
}

}  // namespace

Command layout_command() {
  Option model = kModelName;
  model.required = true;
  return {
      .name = "layout",
      .purpose = Purpose::answer,
      .place = 4,
      .summary = "which experts and layers sit on which chip and rack",
      .groups = {{kUsual,
                  {model,
                   {"MACHINE", "machine", "MACHINE", "machine (ridge list machines); or --on"},
                   {"--on", "machine", "MACHINE", "the machine, as in other commands"},
                   {"--batch", "batch", "N", "sequences in a replica", "2,048"},
                   kContext,
                   {"--compare", "compare", "",
                    "scale-up domains side by side: chips, memory, bandwidth, time to read the model"}}},
                 {"Layout",
                  {{"--tp", "tp", "N", "tensor parallelism: chips that share every matrix"},
                   {"--pp", "pp", "N", "pipeline parallelism: stages of consecutive layers"},
                   {"--dp", "dp", "N",
                    "attention data parallelism: groups with sequences of their own that share the experts"},
                   {"--ep", "ep", "N", "expert parallelism: chips over which the experts of a layer are spread"},
                   {"--cp", "cp", "N", "context parallelism: chips that share the KV cache of a sequence"},
                   {"--redundant-experts", "redundant_experts", "N", "experts held twice", "0"},
                   {"--replicas", "replicas", "N", "independent copies of all of it", "1"},
                   {"--racks", "racks", "N", "spread each stage over so many racks", "as few as it takes"}}},
                 {"Formats", {kWeights, kExperts, kKv}},
                 {"The rack",
                  {{"--latency", "latency", "TIME", "of a step, for the largest expert layer", "20 ms"},
                   {"--hop", "hop", "TIME", "latency from one rack to the next", "the catalog's"},
                   {"--rack-power", "rack_power", "POWER", "what a rack can be fed and cooled with", "the catalog's"},
                   {"--rack-cables", "rack_cables", "N", "cables that fit into a rack", "the catalog's"}}},
                 output_options({kSvg.saying("draw the racks as SVG")}),
                 rare_options({kAssume})},
      .examples = {"ridge layout deepseek-v3 gb200-nvl72",
                   "ridge layout deepseek-v3 gb200-nvl72 --ep 72 --redundant-experts 32 --svg racks.svg",
                   "ridge layout deepseek-v3 gb200-nvl72 --ep 64 --pp 4 --batch 8192 --hop 10us",
                   "ridge layout deepseek-v3 gb200-nvl72 --ep 128 --racks 2 --context 4k --json",
                   "ridge layout llama-3.1-70b hgx-h100 --tp 4 --pp 2 --batch 64", "ridge layout deepseek-v3 --compare",
                   "ridge layout kimi-k2 gb200-nvl72 --rack-power '120 kW' --rack-cables 5200"},
      .notes =
          "A rack is a scale-up domain of the machine. Without degrees: experts (or heads) over as many chips "
          "of one rack as divide them. Exit code 4 when a chip cannot hold its share; the shortfall is "
          "printed.",
      .run = run_layout};
}

}  // namespace ridge::cli
