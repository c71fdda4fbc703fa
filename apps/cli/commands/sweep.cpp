// ridge sweep: every combination of the inputs of a file, as rows of a table, or the best of them.

#include <atomic>
#include <csignal>
#include <thread>

#include <fmt/format.h>

#include "base/text.hpp"
#include "catalog/facts/files.hpp"
#include "cli/sweep/progress.hpp"
#include "cli/sweep/row_file.hpp"
#include "cli/sweep/sweep_job.hpp"
#include "report/search/sweep_preview.hpp"

namespace ridge::cli {

namespace {

volatile std::sig_atomic_t stopped_by = 0;

void catch_signals() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const auto before = std::signal(signal, [](int which) { stopped_by = which; });
    if (signal == SIGHUP && before == SIG_IGN) std::signal(signal, SIG_IGN);  // nohup
  }
  // a closed pipe and a file that grew too large come back from the write, where they can be explained
  for (const int signal : {SIGPIPE, SIGXFSZ}) std::signal(signal, SIG_IGN);
}

using RowFile = std::variant<TextFile, Database>;

Result<RowFile> open_rows(const SweepJob& job, const std::string& path, std::uint64_t keep) {
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
    auto rows = open_rows(job, path, state.size);
    if (!rows) return fail(rows.error());
    Output output(std::move(*rows), path, state);
    if (state.done == 0 && job.format != report::RowFormat::sqlite) {
      const auto wrote = output.add(report::rows_header(job.shown, job.format), 0);
      if (!wrote) return fail(wrote.error());
    }
    if (const auto saved = output.save(); !saved) return fail(saved.error());
    return output;
  }

  Result<bool> add(std::string_view rows, std::uint64_t cases) {
    const auto added = std::visit([&](auto& file) { return file.add(rows); }, rows_);
    if (added) done_ += cases;
    return added;
  }

  /// Safe on the disk, then said so.
  Result<bool> save() {
    if (!std::visit([](const auto& file) { return file.is_regular(); }, rows_)) return true;
    if (const auto synced = std::visit([](auto& file) { return file.sync(); }, rows_); !synced) return synced;
    state_.done = done_;
    state_.size = std::visit([](const auto& file) { return file.size(); }, rows_);
    saved_ = Clock::now();
    return write_state(path_, state_);
  }

  Result<bool> save_sometimes() {
    constexpr std::chrono::milliseconds kPause{100};
    return Clock::now() - saved_ < kPause ? Result<bool>(true) : save();
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
  Clock::time_point saved_ = Clock::now();
};

/// Where to begin: behind what an earlier run left, if that is wanted and it was the same sweep.
Result<SweepState> starting_state(const SweepJob& job, const Options& options) {
  const SweepState fresh = job.state();
  if (options.out_file.empty()) return fresh;
  const bool there = catalog::read_file(state_path(options.out_file)).has_value();
  if (!there) return fresh;
  const auto old = read_state(options.out_file);
  if (!old) return options.resume ? Result<SweepState>(fail(old.error())) : Result<SweepState>(fresh);
  if (!options.resume) {
    if (old->complete || old->done == 0) return fresh;
    return fail({options.out_file, "holds the beginning of a sweep that was stopped",
                 "go on with --resume, or remove it to start again"});
  }
  const bool same = old->sweep == fresh.sweep && old->part == fresh.part && old->parts == fresh.parts &&
                    old->cases == fresh.cases && old->format == fresh.format;
  if (!same) {
    return fail({options.out_file,
                 "was begun with another sweep: its file, the catalog, --where, --format or --shard changed",
                 "put them back, or remove it to start again"});
  }
  return *old;
}

int threads_of(const Options& options) {
  if (options.threads > 0) return options.threads;
  if (world::size() > 1) return 1;  // processes share the cores
  return static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

/// Process 0: hands out tasks, writes what comes back, in order.
class Run {
 public:
  Run(const SweepJob& job, const Options& options, Output& output)
      : job_(job),
        options_(options),
        output_(output),
        first_(job.range.first + output.done()),
        tasks_((job.range.last - first_ + job.task_size() - 1) / job.task_size()),
        threads_(threads_of(options)),
        work_(tasks_, static_cast<std::size_t>(16 + 4 * threads_ * world::size())),
        kept_(job.summary),
        progress_(job.range.size(), output.done(), options.quiet) {}

  /// The exit code.
  int run() {
    std::vector<std::jthread> workers;
    for (int i = 0; i < threads_; ++i) {
      workers.emplace_back([this] {
        while (const auto task = work_.next()) work_.deliver(*task, job_.make(cases_of(*task)));
      });
    }
    Result<bool> good = collect();
    work_.stop();
    workers.clear();
    if (good && stopped_by == 0) good = write_summary();
    if (!good || stopped_by != 0) return give_up(good);
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
    for (std::uint64_t task = 0; task < tasks_ && stopped_by == 0;) {
      world::lend(work_, lender());
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
    int code = kBadInput;
    if (!good) report_errors(good.error(), options_);
    if (good && !saved) report_errors(saved.error(), options_);
    if (good) {
      constexpr int kSignalled = 128;
      code = kSignalled + stopped_by;
      const bool resumable = !options_.out_file.empty() && job_.summary.kind == Summary::Kind::rows;
      say(fmt::format("\nridge: stopped by signal {} after {} of {} cases{}\n", static_cast<int>(stopped_by),
                      with_commas(static_cast<double>(seen_)), with_commas(static_cast<double>(job_.range.size())),
                      resumable ? "; " + options_.out_file + " holds them, --resume goes on" : ""));
    }
    world::end_all(code);
    return code;
  }

  const SweepJob& job_;
  const Options& options_;
  Output& output_;
  std::uint64_t first_, tasks_, seen_ = 0;
  int threads_;
  OrderedWork work_;
  Kept kept_;
  Progress progress_;
};

int dry_run(const SweepJob& job, const Options& options) {
  const report::SweepPreview preview{&job.file.space, job.file.serves, job.range, job.shown,
                               std::string(report::name_of(job.format))};
  return print(options.json ? report::sweep_preview_json(preview) : report::sweep_preview_text(preview));
}

int run_first(const SweepJob& job, const Options& options) {
  const auto give_up = [&](const Errors& errors) {
    const int code = report_errors(errors, options);
    world::end_all(code);
    return code;
  };
  const auto state = starting_state(job, options);
  if (!state) return give_up(state.error());
  if (state->complete) {
    say(fmt::format("{} is complete: nothing to do\n", options.out_file));
    OrderedWork none(0, 1);
    world::dismiss(none, {}, threads_of(options));
    return kAnswered;
  }
  auto output = Output::open(job, options.out_file, *state);
  if (!output) return give_up(output.error());
  return Run(job, options, *output).run();
}

}  // namespace

int run_sweep(const Options& options, Program& program) {
  const auto job = sweep_job(options, program);
  const auto agreement =
      world::agree(job.has_value(),
                   job ? fmt::format("{} {}/{} {}", job->fingerprint, job->part, job->parts, threads_of(options)) : "");
  if (!job) return world::rank() == 0 ? report_errors(job.error(), options) : kBadInput;
  if (agreement != world::Agreement::yes) {
    const bool differ = agreement == world::Agreement::different;
    if (world::rank() != 0) return kBadInput;
    return report_errors(
        {{"mpirun", differ ? "processes were given different files, catalogs or options" : "a process could not start",
          "the sweep's file and the catalog must be the same on every machine"}},
        options);
  }
  if (options.dry_run) return world::rank() == 0 ? dry_run(*job, options) : kAnswered;
  if (world::rank() != 0) {
    world::help([&](const world::Stretch& cases) { return job->make(cases); }, threads_of(options));
    return kAnswered;
  }
  catch_signals();
  return run_first(*job, options);
}

}  // namespace ridge::cli
