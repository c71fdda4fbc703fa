// ridge goodput: what failures cost a training run, and how often to write a checkpoint; no model needed.

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "catalog/entries/numbers_entry.hpp"
#include "cli/options/flags.hpp"
#include "cli/options/option_groups.hpp"
#include "cli/options/option_reader.hpp"
#include "cli/program.hpp"
#include "library/library.hpp"
#include "report/train/goodput_text.hpp"

namespace ridge::cli {

namespace {

using train::GoodputQuestion;

/// The published run whose numbers stand for those that are not given.
Result<train::PublishedRun> run_named(const Arguments& arguments, const Program& program) {
  const auto runs = catalog::numbers_entries(*program.facts, "failure");
  if (!runs) return fail(runs.error());
  if (runs->empty()) return fail({"run", "the catalog has none", "add failure/NAME.toml"});
  const std::string wanted = arguments.text("run", "llama-3-405b");
  const NumbersEntry* entry = find_named(*runs, wanted);
  if (entry == nullptr) {
    return fail(
        {"run", fmt::format("no run is called \"{}\"", shortened(wanted)), suggestion(wanted, names_of(*runs))});
  }
  return train::published_run(*entry);
}

Result<GoodputQuestion> asked_goodput(const Arguments& arguments, GoodputQuestion question) {
  constexpr Within kTime{.least = 0, .most = 1e12};
  constexpr Within kCount{.least = 1, .most = 1e9, .whole = true};
  OptionReader reader(arguments);
  train::FailureCase<double>& c = question.numbers;
  reader.read_into<Ratio<double>>(c.chips, "chips", kCount);
  reader.read_into<Seconds<double>>(c.chip_mtbf, "mtbf", {.most = 1e15, .above = true});
  reader.read_into<Bytes<double>>(c.checkpoint, "checkpoint", {.most = 1e18, .above = true});
  reader.read_into<BytesPerSecond<double>>(c.storage, "storage", {.most = 1e18, .above = true});
  reader.read_into<BytesPerSecond<double>>(c.snapshot, "snapshot", {.most = 1e18, .above = true});
  reader.read_into<Seconds<double>>(c.restart, "restart", kTime);
  reader.read_into<Ratio<double>>(c.survives, "survives", kShareOfOne);
  reader.read_into<Seconds<double>>(c.work, "work", {.most = 1e12, .above = true});
  reader.read_into<Seconds<double>>(question.repair, "repair", kTime);
  reader.read_into<Ratio<double>>(question.node_chips, "node_chips", kCount);
  question.interval = reader.read<Seconds<double>>("interval", {.least = 1e-3, .most = 1e12});
  question.seed = static_cast<std::uint64_t>(reader.number("seed", 1, {.least = 0, .most = 9e15, .whole = true}));
  if (!reader.errors().empty()) return fail(reader.errors());
  return question;
}

/// Whether the question is still that of the published run, so that its outcome may be compared.
bool as_published(const Arguments& arguments) {
  for (const std::string_view key : {"chips", "mtbf"}) {
    if (arguments.has(key)) return false;
  }
  return true;
}

Result<int> run_goodput(const Arguments& arguments, Program& program) {
  const auto run = run_named(arguments, program);
  if (!run) return fail(run.error());
  const auto question = asked_goodput(arguments, run->question);
  if (!question) return fail(question.error());
  const auto answer = answer_goodput(*question);
  if (!answer) return fail(answer.error());
  const std::optional<train::PublishedRun> published = as_published(arguments) ? std::optional(*run) : std::nullopt;
  std::vector<std::string> guesses;  // that nobody replaced
  for (const std::string& name : run->assumed) {
    if (!arguments.has(name)) guesses.push_back(flag_of(name, *arguments.command));
  }
  return print_with_svg(arguments,
                        arguments.json() ? report::goodput_json(*answer, published, guesses)
                                         : report::goodput_text(*answer, published, guesses, program.style),
                        [&] { return report::to_svg(report::goodput_chart(*answer)); });
}

}  // namespace

Command goodput_command() {
  return {.name = "goodput",
          .purpose = Purpose::model,
          .place = 7,
          .summary = "failures of a training run: checkpoints, days, spares",
          .groups = {{kUsual,
                      {{"--chips", "chips", "N", "chips that must all run", "as the run"},
                       {"--mtbf", "mtbf", "TIME", "mean time between failures of one chip", "as the run"},
                       {"--checkpoint", "checkpoint", "BYTES", "size of a checkpoint, of all chips", "as the run"},
                       {"--storage", "storage", "BANDWIDTH", "of all chips into storage and back", "as the run"},
                       {"--restart", "restart", "TIME", "from a failure to reading the checkpoint", "as the run"},
                       {"--work", "work", "TIME", "what the run takes without failures", "as the run"}}},
                     {"More",
                      {{"--run", "run", "RUN", "published run (catalog/failure) for what is not given", "llama-3-405b"},
                       {"--interval", "interval", "TIME", "work between checkpoints", "the best by Daly"},
                       {"--snapshot", "snapshot", "BANDWIDTH", "of one chip into its host's memory", "as the run"},
                       {"--survives", "survives", "SHARE", "of failures that leave a copy in memory", "as the run"},
                       {"--repair", "repair", "TIME", "until a node is back", "as the run"},
                       {"--chips-per-node", "node_chips", "N", "chips that go with a failed one", "as the run"},
                       {"--seed", "seed", "N", "of the simulated failures", "1"}}},
                     output_options({kSvg}),
                     rare_options()},
          .examples = {"ridge goodput", "ridge goodput --chips 16384 --mtbf 50700h --checkpoint 6TB --storage 200GB/s",
                       "ridge goodput --chips 100000 --restart 5min --work '90 days' --svg goodput.svg",
                       "ridge goodput --interval 30min --json"},
          .notes =
              "Young's and Daly's intervals stand beside simulated runs that fail (docs/theory/goodput.md). What is "
              "not given is taken from a published run; guesses among its numbers: ridge list sources. --json: "
              "ridge.goodput/1, in seconds and shares.",
          .run = run_goodput};
}

}  // namespace ridge::cli
