// ridge sweep: every combination of the inputs of a file, as rows of a table, or the best of them.

#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "base/threads.hpp"
#include "cli/options/option_groups.hpp"
#include "cli/output/early_end.hpp"
#include "cli/output/output_target.hpp"
#include "cli/sweep/progress.hpp"
#include "cli/sweep/row_file.hpp"
#include "cli/sweep/sweep_job.hpp"
#include "report/search/sweep_preview.hpp"

namespace ridge::cli {

namespace {

using RowFile = std::variant<TextFile, Database>;

Result<RowFile> open_rows(const SweepJob& job, const std::string& path, const Contents& keep) {
  if (job.format == report::RowFormat::sqlite) {
    auto database = Database::open(path, job.shown, keep);
    if (!database) return fail(database.error());
    return RowFile(std::move(*database));
  }
  auto file = TextFile::open(path, keep);
  if (!file) return fail(file.error());
  return RowFile(std::move(*file));
}

/// The file and its state, one checkpoint after the other.
class Output {
 public:
  static Result<Output> open(const SweepJob& job, const std::string& path, const SweepState& state) {
    auto rows = open_rows(job, path, {state.size, state.hash});
    if (!rows) return fail(rows.error());
    Output output(std::move(*rows), path, state);
    // first the state: what is killed behind it finds one that is not about the rows of an earlier run
    if (output.is_regular()) {
      if (const auto wrote = write_state(path, state); !wrote) return fail(wrote.error());
    }
    if (const auto begun = std::visit([](auto& file) { return file.begin(); }, output.rows_); !begun)
      return fail(begun.error());
    if (state.size == 0 && job.format != report::RowFormat::sqlite) {
      const auto wrote = output.add(report::rows_header(job.shown, job.format), 0);
      if (!wrote) return fail(wrote.error());
    }
    if (const auto saved = output.save(); !saved) return fail(saved.error());
    return output;
  }

  Result<bool> add(std::string_view rows, std::uint64_t cases) {
    const auto added = std::visit(
        [&](auto& file) {
          const auto result = file.add(rows);
          sound_ = sound_ && (result || file.kGoodAfterFailure);
          return result;
        },
        rows_);
    if (added) done_ += cases;
    return added;
  }

  /// Whether what is there is known.
  bool is_sound() const { return sound_; }
  /// Safe on the disk, then said so. After a failure that leaves open what is there, the state before it stays.
  Result<bool> save() {
    if (!is_regular() || !sound_) return true;
    const auto began = Clock::now();
    const auto synced = std::visit([](auto& file) { return file.sync(); }, rows_);
    sound_ = synced.has_value();
    if (!synced) return synced;
    const Contents contents = std::visit([](const auto& file) { return file.contents(); }, rows_);
    state_.done = done_;
    state_.size = contents.size;
    state_.hash = contents.hash;
    const auto wrote = write_state(path_, state_);
    saved_ = Clock::now();
    took_ = saved_ - began;
    return wrote;
  }

  bool is_regular() const {
    return std::visit([](const auto& file) { return file.is_regular(); }, rows_);
  }

  Result<bool> save_sometimes() {
    constexpr std::chrono::milliseconds kPause{100};
    constexpr int kShare = 10;  // on a slow disk, at most a tenth of the time
    return Clock::now() - saved_ < std::max<Clock::duration>(kPause, kShare * took_) ? Result<bool>(true) : save();
  }

  Result<bool> complete(std::vector<Candidate> candidates) {
    state_.complete = true;
    state_.candidates = std::move(candidates);
    return save();
  }

  std::uint64_t done() const { return done_; }

 private:
  using Clock = std::chrono::steady_clock;
  Output(RowFile rows, std::string path, SweepState state)
      : rows_(std::move(rows)), path_(std::move(path)), state_(std::move(state)), done_(state_.done) {}

  RowFile rows_;
  std::string path_;
  SweepState state_;
  std::uint64_t done_;
  bool sound_ = true;
  Clock::time_point saved_ = Clock::now();
  Clock::duration took_{};
};

/// Nothing is lost where there is nothing, or nothing but the header of a run that was stopped at once.
bool holds_rows(const SweepJob& job, const std::string& out) {
  std::error_code error;
  const auto size = std::filesystem::file_size(out, error);
  if (error || size == 0) return false;
  const std::string text = report::rows_header(job.shown, job.format);
  ContentHash hash;
  hash.add(text);
  return size != text.size() || !check_text(out, {text.size(), hash.text()});
}

/// Where to begin: behind what an earlier run left, if that is wanted and it was the same sweep.
Result<SweepState> starting_state(const SweepJob& job, const Arguments& arguments) {
  SweepState fresh = job.state();
  fresh.hash = Contents().hash;
  const std::string out = arguments.text("out");
  const bool resume = arguments.has("resume");
  if (out.empty()) return fresh;
  const auto target = output_target(out);
  if (!target) return fail(target.error());
  if (!target->is_plain) {
    if (resume) return fail({out, "is no plain file: it cannot be gone on with", "leave --resume out"});
    return fresh;
  }
  const bool there = holds_rows(job, out);
  if (!has_state(out)) {
    if (!resume || !there) return fresh;
    return fail({out, fmt::format("is not empty, and {}, which says how far it is, is not there", state_path(out)),
                 "put the state back, or remove the file to start again"});
  }
  const auto old = read_state(out);
  if (!old) return there || resume ? Result<SweepState>(fail(old.error())) : Result<SweepState>(fresh);
  if (!resume) {
    if (old->complete || old->done == 0 || !there) return fresh;
    return fail(
        {out, "holds the beginning of a sweep that was stopped", "go on with --resume, or remove it to start again"});
  }
  if (old->hash.empty()) {
    return fail({state_path(out), "was written by an older ridge, and does not say what the file holds",
                 "go on with that ridge, or remove both to start again"});
  }
  const bool same = old->sweep == fresh.sweep && old->part == fresh.part && old->parts == fresh.parts &&
                    old->cases == fresh.cases && old->format == fresh.format;
  if (!same) {
    return fail({out, "was begun with another sweep: its file, the catalog, --where, --format or --shard changed",
                 "put them back, or remove it to start again"});
  }
  return *old;
}

int threads_of(const Arguments& arguments) {
  const unsigned all = all_threads();
  return arguments.whole("threads", world::size() > 1 ? 1 : static_cast<int>(all));  // processes share the cores
}

/// Process 0: hands out tasks, writes what comes back, in order.
class Run {
 public:
  Run(const SweepJob& job, const Arguments& arguments, Output& output)
      : job_(job),
        arguments_(arguments),
        output_(output),
        first_(job.range.first + output.done()),
        tasks_((job.range.last - first_ + job.task_size() - 1) / job.task_size()),
        threads_(threads_of(arguments)),
        work_(tasks_, static_cast<std::size_t>(16 + 4 * threads_ * world::size())),
        kept_(job.summary),
        progress_(job.range.size(), output.done(), arguments.has("quiet")) {}

  /// The exit code.
  int run() {
    const auto compute = [this](std::size_t) {
      while (const auto task = work_.next()) {
        std::string made = job_.make(cases_of(*task));
        if (asked_to_stop() != 0) return;  // it may be half a simulation
        work_.deliver(*task, std::move(made));
      }
    };
    auto workers = start_threads(static_cast<std::size_t>(threads_), compute);
    alone_ = workers.empty();
    if (workers.size() < static_cast<std::size_t>(threads_))
      say(fmt::format("ridge: the system gave {} of {} threads\n", workers.size(), threads_));
    Result<bool> good = collect();
    work_.stop();
    workers.clear();
    if (good && asked_to_stop() == 0) good = write_summary();
    if (!good || asked_to_stop() != 0) return give_up(good);
    world::dismiss(work_, lender(), threads_);
    progress_.finish(seen_);
    return kAnswered;
  }

 private:
  world::Stretch cases_of(std::uint64_t task) const {
    const std::uint64_t from = first_ + task * job_.task_size();
    return {from, std::min(job_.task_size(), job_.range.last - from)};
  }
  world::CasesOf lender() {
    return [this](std::uint64_t task) { return cases_of(task); };
  }

  Result<bool> collect() {
    constexpr std::chrono::microseconds kAlone{20000}, kAmongOthers{100};
    seen_ = output_.done();
    for (std::uint64_t task = 0; task < tasks_ && asked_to_stop() == 0;) {
      world::lend(work_, lender());
      if (alone_) {  // no thread would do it
        bool later = false;
        if (const auto own = work_.try_next(later)) {
          std::string made = job_.make(cases_of(*own));
          if (asked_to_stop() != 0) break;
          work_.deliver(*own, std::move(made));
        }
      }
      const auto result = work_.take(world::size() > 1 ? kAmongOthers : kAlone);
      progress_.show(seen_);
      if (!result) continue;
      const std::uint64_t cases = cases_of(task++).count;
      seen_ += cases;
      if (job_.summary.kind != Summary::Kind::rows) {
        for (const Candidate& one : unpacked(*result)) kept_.add(one);
        continue;
      }
      if (const auto added = output_.add(*result, cases); !added) return added;
      if (const auto saved = output_.save_sometimes(); !saved) return saved;
    }
    return true;
  }

  Result<bool> write_summary() {
    if (job_.summary.kind == Summary::Kind::rows) return output_.complete({});
    if (const auto added = output_.add(job_.rows_of(kept_.candidates()), job_.range.size()); !added) return added;
    return output_.complete(kept_.candidates());
  }

  /// What is whole is saved; then everybody ends.
  int give_up(const Result<bool>& good) {
    const auto saved = output_.save();
    const int signal = asked_to_stop();
    int code = kBadInput;
    // a write that the signal itself ended is no error
    const bool ended = !good && signal != 0 && good.error().front().what.ends_with(std::strerror(EINTR));
    if (!good && !ended) report_errors(good.error(), arguments_);
    if (!saved) report_errors(saved.error(), arguments_);
    if (signal != 0) {
      code = kSignalled + signal;
      const bool resumable =
          saved && output_.is_sound() && output_.is_regular() && job_.summary.kind == Summary::Kind::rows;
      say(fmt::format("\nridge: stopped by signal {} after {} of {} cases{}\n", signal,
                      with_commas(static_cast<double>(seen_)), with_commas(static_cast<double>(job_.range.size())),
                      resumable ? "; " + arguments_.text("out") + " holds them, --resume goes on" : ""));
    }
    world::end_all(code);
    return code;
  }

  const SweepJob& job_;
  const Arguments& arguments_;
  Output& output_;
  std::uint64_t first_, tasks_, seen_ = 0;
  int threads_;
  bool alone_ = false;
  OrderedWork work_;
  Kept kept_;
  Progress progress_;
};

int preview(const SweepJob& job, const Arguments& arguments) {
  const report::SweepPreview shown{&job.file.space,
                                   job.file.simulates ? "simulated"
                                   : job.file.serves  ? "serving"
                                                      : "roofline",
                                   job.range, job.shown, std::string(report::name_of(job.format))};
  return print(arguments.json() ? report::sweep_preview_json(shown) : report::sweep_preview_text(shown));
}

int run_first(const SweepJob& job, const Arguments& arguments) {
  const auto give_up = [&](const Errors& errors) {
    const int code = asked_to_stop() != 0 ? kSignalled + asked_to_stop() : report_errors(errors, arguments);
    world::end_all(code);
    return code;
  };
  const auto state = starting_state(job, arguments);
  if (!state) return give_up(state.error());
  if (state->complete) {
    const std::string out = arguments.text("out");
    const Contents written{state->size, state->hash};
    const auto whole =
        job.format == report::RowFormat::sqlite ? check_database(out, written) : check_text(out, written);
    if (!whole) return give_up(whole.error());
    say(fmt::format("{} is complete: nothing to do\n", arguments.text("out")));
    OrderedWork none(0, 1);
    world::dismiss(none, {}, threads_of(arguments));
    return kAnswered;
  }
  auto output = Output::open(job, arguments.text("out"), *state);
  if (!output) return give_up(output.error());
  return Run(job, arguments, *output).run();
}

Result<int> run_sweep(const Arguments& arguments, Program& program) {
  const auto job = sweep_job(arguments, program);
  const int threads = threads_of(arguments);
  const auto agreement = world::agree(
      job.has_value(), job ? fmt::format("{} {}/{} {}", job->fingerprint, job->part, job->parts, threads) : "");
  if (world::rank() != 0 && (!job || agreement != world::Agreement::yes)) return kBadInput;
  if (!job) return fail(job.error());
  if (agreement != world::Agreement::yes) {
    const bool differ = agreement == world::Agreement::different;
    return fail({"mpirun",
                 differ ? "processes were given different files, catalogs or options" : "a process could not start",
                 "the sweep's file and the catalog must be the same on every machine"});
  }
  if (arguments.has("dry_run")) return world::rank() == 0 ? preview(*job, arguments) : kAnswered;
  if (world::rank() != 0) {
    world::help([&](const world::Stretch& cases) { return job->make(cases); }, threads);
    return kAnswered;
  }
  stop_when_asked();
  return run_first(*job, arguments);
}

}  // namespace

Command sweep_command() {
  Option file{"FILE", "file", "FILE", "scenario with axes (.toml), or - for standard input"};
  file.required = true;
  Option where{"--where", "where", "CONDITION", "keep only rows with e.g. 'tpot<30ms'; may be given again"};
  where.again = true;
  return {.name = "sweep",
          .purpose = Purpose::search,
          .place = 2,
          .summary = "every combination of inputs of a file, as a table, or the best",
          .groups = {{kUsual,
                      {file,
                       kOut,
                       {"--dry-run", "dry_run", "", "how many cases, the first and the last, and nothing else"},
                       where,
                       {"--best", "best", "COLUMN",
                        "only the best row by a column (min:NAME and max:NAME choose a direction)"},
                       {"--top", "top", "N", "so many of the best", "1", Reads::command, false, false, 1, 100000},
                       {"--pareto", "pareto", "X,Y", "only rows that no other beats in both columns"}}},
                     {"Output",
                      {{"--format", "format", "NAME", "csv, jsonl or sqlite", "by the file's ending, else csv"},
                       kJson.saying("JSON Lines; with --dry-run one object (docs/json.md)"),
                       kQuiet}},
                     {"Large sweeps",
                      {{"--resume", "resume", "", "go on where a stopped run of the same sweep ended, or start"},
                       kThreads,
                       kShard.saying("only part I of N; ridge merge joins them")}},
                     {"Rarely needed", {kAssume, kCatalog}}},
          .examples =
              {"ridge sweep examples/07-sweep.toml --dry-run", "ridge sweep examples/07-sweep.toml --out cases.csv",
               "ridge sweep examples/07-sweep.toml --out cases.sqlite --quiet",
               "ridge sweep examples/07-sweep.toml --best cost --where 'tpot<5ms'",
               "ridge sweep examples/07-sweep.toml --pareto tok_s_per_user,output_tok_s_per_chip --format jsonl",
               "ridge sweep examples/07-sweep.toml --shard 1/2 --out part-1.csv",
               "ridge sweep examples/10-simulations.toml --best output_tok_s --where 'ttft_p99<1s,saturated=false'"},
          .notes =
              "FILE is a scenario as ridge why reads it, or a serving question (isl, osl, tp, ... by the names of the "
              "options), or a simulation (simulate = true, and the options of ridge simulate), with axes: [sweep] "
              "batch = [1, 16], context = { from = 1024, to = 131072, factor = 2 }, "
              "machine = [\"hgx-h100\", \"hgx-b200\"]. Every combination is one row, the last axis fastest. Numbers "
              "are in base units (s, B, token, $). docs/sweeps.md has more.\n"
              "Across machines: mpirun ridge sweep FILE --out cases.csv, or --shard I/N and ridge merge.\n"
              "Exit codes: 3 also when the output cannot be written, 130 after Ctrl-C (128 and the signal's number).",
          .run = run_sweep,
          .shared = true};
}

}  // namespace ridge::cli
