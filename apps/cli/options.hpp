#pragma once
// What the command line said, as plain values; only *options.cpp and their headers know CLI11.

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ridge::cli {

/// Which command, and everything given to it. Texts are parsed later, where their errors can be explained.
struct Options {
  std::string command = "why";
  std::string subject;  // MODEL, scenario file, curve kind, or the thing to list or show
  std::string model;    // of `curve`, where the subject is the kind; of `import`, the file
  std::string other;    // of `diff`: the second one; of `show`: what stands after the category
  std::vector<std::pair<std::string, std::string>> settings;  // {"batch", "2048"}, in the order of set_option
  std::vector<std::pair<std::string, std::string>> serving;   // {"tp", "8"}: a layout or a load
  bool disaggregated = false;                                 // prompts on chips of their own
  std::string pasted;                                         // an engine's command, @FILE or -
  bool commands = false;                                      // show commands that start the layout
  std::vector<std::string> sets;                              // --set KEY=VALUE
  std::vector<std::string> ranges;                            // --range KEY=LOW..HIGH
  std::string catalog_folder;
  bool json = false, csv = false, plain = false;
  bool sensitivity = false;
  std::string save_file, svg_file;
  std::optional<std::string> derive;  // a figure; empty: the step
  int depth = 3;
  std::vector<std::string> assumptions;             // --assume TYPE=KIND
  bool verbose = false;                             // keys of a file that were not needed
  std::string name, title, source, date, out_file;  // of `import`
  std::string evidence_folder, leave_out;           // of `validate` and `calibrate`
  double most_error = 0;                            // --max-error; 0: no gate
  bool page = false;                                // --page: Markdown
  bool machines = false;                            // of `infer`: which could stand behind a sheet
  // of `sweep` and `merge`
  std::string format, best, pareto, shard;
  std::vector<std::string> wheres, parts;
  int top = 1, threads = 0;
  bool resume = false, dry_run = false, quiet = false;
  std::string y = "step";
  std::string from, to;
  std::vector<std::pair<std::string, std::string>> planning;  // of `plan`: {"tpot", "30ms"}
  std::string law;                                            // of `curve sparsity`
  int points = 0;
  std::string sheet;  // of `host`: a price sheet by name, or a file
};

struct Parsed {
  Options options;
  std::optional<int> exit_code;  // set when parsing already answered (--help, --version, usage errors)
};

Parsed parse_options(int count, const char* const* arguments);

}  // namespace ridge::cli
