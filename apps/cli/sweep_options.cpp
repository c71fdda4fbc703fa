#include "cli/command_options.hpp"
#include "cli/shared_options.hpp"

namespace ridge::cli {

namespace {

constexpr const char* kSweepHelp =
    "FILE is a scenario as ridge why reads it, or a serving question (isl, osl, tp, ... by the names of the options), "
    "with\n"
    "axes: [sweep] batch = [1, 16], context = { from = 1024, to = 131072, factor = 2 }, machine = [\"hgx-h100\", "
    "\"hgx-b200\"].\n"
    "Every combination is one row, the last axis fastest. Numbers are in base units (s, B, token, $). docs/sweeps.md "
    "has more.\n"
    "Examples:\n"
    "  ridge sweep examples/07-sweep.toml --dry-run\n"
    "  ridge sweep examples/07-sweep.toml --out cases.csv\n"
    "  ridge sweep examples/07-sweep.toml --out cases.sqlite --quiet\n"
    "  ridge sweep examples/07-sweep.toml --best cost --where 'tpot<5ms'\n"
    "  ridge sweep examples/07-sweep.toml --pareto tok_s_per_user,output_tok_s_per_chip --format jsonl\n"
    "  ridge sweep examples/07-sweep.toml --shard 1/2 --out part-1.csv\n"
    "Across machines: mpirun ridge sweep FILE --out cases.csv, or --shard I/N and ridge merge.\n"
    "Exit codes: 3 also when the output cannot be written, 130 after Ctrl-C (128 and the signal's number).";

constexpr const char* kMergeHelp =
    "Refuses parts of different sweeps, unfinished, missing or doubled ones, and names them.\n"
    "Examples:\n"
    "  ridge sweep examples/07-sweep.toml --shard 1/2 --out a.csv; ridge sweep examples/07-sweep.toml --shard 2/2 "
    "--out "
    "b.csv; ridge merge all.csv a.csv b.csv";

}  // namespace

void add_sweep(CLI::App& main, Options& options) {
  CLI::App* app =
      main.add_subcommand("sweep", "every combination of inputs of a file, as a table; or the best of them");
  app->add_option("FILE", options.subject, "scenario with [sweep] (.toml), or - for standard input")->required();
  app->add_option("--out", options.out_file, "write here; default: standard output")->type_name("FILE");
  app->add_option("--format", options.format, "csv, jsonl or sqlite; default: by the file's ending, else csv")
      ->type_name("NAME");
  app->add_option("--where", options.wheres, "keep only rows with e.g. 'tpot<30ms'; may be given again")
      ->type_name("CONDITION")
      ->allow_extra_args(false);
  app->add_option("--best", options.best, "only the best row by a column (min:NAME and max:NAME choose a direction)")
      ->type_name("COLUMN");
  app->add_option("--top", options.top, "so many of the best")->check(CLI::Range(1, 100000))->capture_default_str();
  app->add_option("--pareto", options.pareto, "only rows that no other beats in both columns")->type_name("X,Y");
  app->add_option("--threads", options.threads, "threads; default: all, or one in each process of mpirun")
      ->check(CLI::Range(1, 4096));
  app->add_option("--shard", options.shard, "only part I of N; ridge merge joins them")->type_name("I/N");
  app->add_flag("--resume", options.resume, "go on where a stopped run of the same sweep ended, or start");
  app->add_flag("--dry-run", options.dry_run, "how many cases, the first and the last, and nothing else");
  app->add_flag("--quiet", options.quiet, "no progress on standard error");
  add_assume(*app, options);
  app->add_flag("--json", options.json, "JSON Lines; with --dry-run one object (schema named inside)");
  add_catalog(*app, options);
  app->footer(kSweepHelp);

  CLI::App* merge = main.add_subcommand("merge", "the parts of a sweep as the one file it would have written whole");
  merge->add_option("OUT", options.out_file, "file to write")->required();
  merge->add_option("PART", options.parts, "files that ridge sweep --shard wrote, in any order")->required();
  merge->add_flag("--json", options.json, "errors as JSON");
  merge->footer(kMergeHelp);
}

}  // namespace ridge::cli
