#include "cli/command_options.hpp"
#include "cli/shared_options.hpp"

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
  const Settings setting(*app, options.settings);
  setting("--on", "on", "MACHINE", "the machine, as in other commands");
  setting("--tp", "tp", "N", "tensor parallelism: chips that share every matrix");
  setting("--pp", "pp", "N", "pipeline parallelism: stages of consecutive layers");
  setting("--dp", "dp", "N", "attention data parallelism: groups with sequences of their own that share the experts");
  setting("--ep", "ep", "N", "expert parallelism: chips over which the experts of a layer are spread");
  setting("--cp", "cp", "N", "context parallelism: chips that share the cache of a sequence");
  setting("--replicas", "replicas", "N", "independent copies of all of it");
  setting("--redundant", "redundant", "N", "experts held twice");
  setting("--racks", "racks", "N", "spread each stage over so many racks; default: as few as it takes");
  setting("--batch", "batch", "N", "sequences in a replica; default: 2,048");
  setting(kContext);
  setting(kWeights);
  setting(kExperts);
  setting(kKv);
  setting("--latency", "latency", "TIME", "of a step, for the largest expert layer; default: 20 ms");
  setting("--hop", "hop", "TIME", "latency from one rack to the next; default: the catalog's");
  setting("--rack-power", "rack-power", "POWER", "what a rack can be fed and cooled with; default: the catalog's");
  setting("--rack-cables", "rack-cables", "N", "cables that fit into a rack; default: the catalog's");
  setting.flag("--compare", "compare",
               "scale-up domains side by side: chips, memory, bandwidth, time to read the model");
  add_assume(*app, options);
  add_svg(*app, options, "draw the racks as SVG");
  add_output_options(*app, options);
  app->footer(kLayoutHelp);
}

}  // namespace ridge::cli
