#include "cli/layout_options.hpp"

#include <CLI/CLI.hpp>

namespace ridge::cli {

namespace {

constexpr const char* kLayoutHelp =
    "A rack is a scale-up domain of the machine. Without degrees: experts (or heads) over as many chips of one rack as "
    "divide them.\n"
    "Examples:\n"
    "  ridge layout deepseek-v3 gb200-nvl72\n"
    "  ridge layout deepseek-v3 gb200-nvl72 --ep 72 --redundant 32 --svg racks.svg\n"
    "  ridge layout deepseek-v3 gb200-nvl72 --ep 64 --pp 4 --batch 8192 --hop 10us\n"
    "  ridge layout deepseek-v3 gb200-nvl72 --ep 128 --racks 2 --context 4k --json\n"
    "  ridge layout llama-3.1-70b hgx-h100 --tp 4 --pp 2 --batch 64\n"
    "  ridge layout deepseek-v3 --compare\n"
    "  ridge layout kimi-k2 gb200-nvl72 --rack-power '120 kW' --rack-cables 5200\n"
    "Exit code 4 when a chip cannot hold its share; the shortfall is printed.";

}  // namespace

void add_layout(CLI::App& main, Options& options) {
  CLI::App* app =
      main.add_subcommand("layout", "which experts and layers sit on which chip and rack, and what it costs");
  app->add_option("MODEL", options.subject,
                  "model (ridge list models), its config.json, folder, .safetensors or .gguf");
  app->add_option("MACHINE", options.other, "machine (ridge list machines); or --on");
  const auto setting = [app, &options](const std::string& flag, const std::string& type, const std::string& help) {
    app->add_option_function<std::string>(
           "--" + flag, [&options, flag](const std::string& text) { options.settings.emplace_back(flag, text); }, help)
        ->type_name(type);
  };
  setting("on", "MACHINE", "the machine, as in other commands");
  setting("tp", "N", "tensor parallelism: chips that share every matrix");
  setting("pp", "N", "pipeline parallelism: stages of consecutive layers");
  setting("dp", "N", "attention data parallelism: groups with sequences of their own that share the experts");
  setting("ep", "N", "expert parallelism: chips over which the experts of a layer are spread");
  setting("cp", "N", "context parallelism: chips that share the cache of a sequence");
  setting("replicas", "N", "independent copies of all of it");
  setting("redundant", "N", "experts held twice");
  setting("racks", "N", "spread each stage over so many racks; default: as few as it takes");
  setting("batch", "N", "sequences in a replica; default: 2,048");
  setting("context", "TOKENS", "tokens in each sequence; default: 8,192, or the model's limit");
  setting("weights", "FORMAT", "format of the weights; default: as released");
  setting("experts", "FORMAT", "format of the routed experts; default: as --weights");
  setting("kv", "FORMAT", "format of the stored context; default: as released");
  setting("latency", "TIME", "of a step, for the largest expert layer; default: 20 ms");
  setting("hop", "TIME", "latency from one rack to the next; default: the catalog's");
  setting("rack-power", "POWER", "what a rack can be fed and cooled with; default: the catalog's");
  setting("rack-cables", "N", "cables that fit into a rack; default: the catalog's");
  app->add_flag_callback(
      "--compare", [&options] { options.settings.emplace_back("compare", ""); },
      "scale-up domains side by side: chips, memory, bandwidth, time to read the model");
  app->add_option("--assume", options.assumptions, "TYPE=KIND: your word for a layer type in a model's file")
      ->type_name("TYPE=KIND")
      ->allow_extra_args(false);
  app->add_option("--svg", options.svg_file, "draw the racks as SVG")->type_name("FILE");
  app->add_flag("--json", options.json, "answer as JSON (schema named inside)");
  app->add_flag("--plain", options.plain, "no colours and ASCII only");
  app->add_option("--catalog", options.catalog_folder, "folder whose entries add to or replace the built-in ones")
      ->type_name("DIR");
  app->footer(kLayoutHelp);
}

}  // namespace ridge::cli
