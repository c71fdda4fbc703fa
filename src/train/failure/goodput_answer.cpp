#include "train/failure/goodput_answer.hpp"

#include <algorithm>
#include <cmath>

#include "base/number/elementary.hpp"
#include "base/numbers_reader.hpp"
#include "simulate/client/random.hpp"

namespace ridge::train {

namespace {

constexpr double kLeastProgress = 1e-3;  // goodput below which a run is not simulated
constexpr double kFailuresForBest = 20000;
constexpr double kMostFailures = 2e6;  // over all runs that are simulated for their spread
constexpr int kRuns = 200;

Errors check_goodput(const GoodputQuestion& question) {
  Errors errors;
  const FailureCase<double>& c = question.numbers;
  const auto above_zero = [&](std::string_view name, double value) {
    if (!(value > 0) || !std::isfinite(value))
      errors.push_back({std::string(name), "is not above zero", "give a positive one"});
  };
  above_zero("chips", c.chips.value());
  above_zero("mtbf", c.chip_mtbf.value());
  above_zero("checkpoint", c.checkpoint.value());
  above_zero("storage", c.storage.value());
  above_zero("snapshot", c.snapshot.value());
  above_zero("work", c.work.value());
  above_zero("node_chips", question.node_chips.value());
  if (question.interval) above_zero("interval", question.interval->value());
  return errors;
}

GoodputRow::Simulated simulated_row(const GoodputQuestion& question, const GoodputRow& row, Seconds<double> mtbf) {
  FailureRunSetup setup{row.times, mtbf, row.interval, question.numbers.work, question.seed};
  GoodputRow::Simulated found;
  FailureRunSetup around = setup;
  around.interval = max(row.daly, max(Seconds<double>(1e-3), row.times.write - row.times.stall));
  found.best = simulated_best(around, kFailuresForBest);
  const double failures = std::max(1.0, (row.elapsed / mtbf).value());
  found.runs = static_cast<int>(std::clamp(kMostFailures / failures, 1.0, static_cast<double>(kRuns)));
  if (failures > kMostFailures) setup.work = setup.work * (kMostFailures / failures);
  const double stretched = (question.numbers.work / setup.work).value();
  std::vector<double> elapsed;
  const auto add = [&](double& to, const Ratio<double>& part) { to += part.value() / found.runs; };
  double useful = 0, checkpoints = 0, rework = 0, restarts = 0;
  for (int i = 0; i < found.runs; ++i) {
    setup.seed = simulate::mixed(question.seed, static_cast<std::uint64_t>(i));
    const FailureRun run = run_with_failures(setup);
    elapsed.push_back(run.elapsed.value() * stretched);
    add(useful, run.shares.useful);
    add(checkpoints, run.shares.checkpoints);
    add(rework, run.shares.rework);
    add(restarts, run.shares.restarts);
  }
  found.shares = {useful, checkpoints, rework, restarts};
  std::sort(elapsed.begin(), elapsed.end());
  double sum = 0;
  for (const double one : elapsed) sum += one;
  const auto at = [&](double share) {
    return Seconds<double>(elapsed[static_cast<std::size_t>(share * static_cast<double>(elapsed.size() - 1) + 0.5)]);
  };
  found.elapsed = Seconds<double>(sum / found.runs);
  found.elapsed_10 = at(0.1);
  found.elapsed_90 = at(0.9);
  return found;
}

GoodputRow goodput_row(const GoodputQuestion& question, CheckpointKind kind, Seconds<double> mtbf) {
  GoodputRow row;
  row.kind = kind;
  row.times = checkpoint_times(question.numbers, kind);
  row.young = young_interval(row.times.stall, mtbf);
  row.daly_holds = daly_holds(row.times.stall, mtbf);
  row.daly = row.daly_holds ? daly_interval(row.times.stall, mtbf) : mtbf;
  // a shorter interval than a write takes would only wait for it
  row.interval = question.interval ? *question.interval : max(row.daly, row.times.write - row.times.stall);
  row.closed = goodput(row.times, mtbf, row.interval);
  row.elapsed = question.numbers.work / row.closed.useful;
  if (row.closed.useful.value() >= kLeastProgress) row.simulated = simulated_row(question, row, mtbf);
  return row;
}

}  // namespace

Seconds<double> exact_interval(Seconds<double> stall, Seconds<double> mtbf) {
  // f(u) = (1 - u) e^(u + d) - 1 falls from e^d - 1 at 0 to -1 at 1: halved until nothing changes
  const double d = (stall / mtbf).value();
  double low = 0, high = 1;
  for (int i = 0; i < 200; ++i) {
    const double u = 0.5 * (low + high);
    ((1 - u) * elementary::exp(u + d) > 1 ? low : high) = u;
  }
  return mtbf * low;
}

SpareNodes spare_nodes(Seconds<double> mtbf, Seconds<double> repair) {
  constexpr double kEnough = 0.99, kMostExact = 500;
  SpareNodes spares;
  spares.in_repair = (repair / mtbf).value();
  if (spares.in_repair > kMostExact) {  // nearly normal: 2.326 deviations above the mean
    spares.needed = static_cast<int>(std::min(2e9, std::ceil(spares.in_repair + 2.326 * std::sqrt(spares.in_repair))));
    return spares;
  }
  double one = elementary::exp(-spares.in_repair), sum = one;
  while (sum < kEnough) {
    ++spares.needed;
    one *= spares.in_repair / spares.needed;
    sum += one;
  }
  return spares;
}

const GoodputRow& GoodputAnswer::best() const {
  return *std::max_element(rows.begin(), rows.end(),
                           [](const GoodputRow& a, const GoodputRow& b) { return a.closed.useful < b.closed.useful; });
}

Result<GoodputAnswer> answer_goodput(const GoodputQuestion& question) {
  if (Errors errors = check_goodput(question); !errors.empty()) return fail(std::move(errors));
  GoodputAnswer answer{question, machine_mtbf(question.numbers), {}, {}};
  for (const CheckpointKind kind : kCheckpointKinds) answer.rows.push_back(goodput_row(question, kind, answer.mtbf));
  answer.spares = spare_nodes(answer.mtbf, question.repair);
  return answer;
}

Result<PublishedRun> published_run(const NumbersEntry& entry) {
  NumbersReader numbers(entry, "failure");
  PublishedRun run;
  run.name = entry.name;
  run.title = entry.title;
  run.note = entry.note;
  FailureCase<double>& c = run.question.numbers;
  c.chips = numbers.get<Ratio<double>>("chips");
  c.chip_mtbf = numbers.get<Seconds<double>>("chip_mtbf");
  c.checkpoint = numbers.get<Bytes<double>>("checkpoint");
  c.storage = numbers.get<BytesPerSecond<double>>("storage");
  c.snapshot = numbers.get<BytesPerSecond<double>>("snapshot");
  c.restart = numbers.get<Seconds<double>>("restart");
  c.survives = numbers.get<Ratio<double>>("survives");
  run.elapsed = c.work = numbers.get<Seconds<double>>("elapsed");
  run.question.node_chips = numbers.get<Ratio<double>>("node_chips");
  run.question.repair = numbers.get<Seconds<double>>("repair");
  run.question.source = entry.name;
  run.unexpected = numbers.get<Ratio<double>>("unexpected").value();
  if (entry.numbers.find("published_goodput_least") != entry.numbers.end())
    run.goodput_least = numbers.get<Ratio<double>>("published_goodput_least").value();
  for (const std::string_view name : {"checkpoint", "storage", "snapshot", "restart", "survives", "repair"}) {
    const auto found = entry.numbers.find(name);
    if (found != entry.numbers.end() && found->second.from.kind == Kind::assumed) run.assumed.emplace_back(name);
  }
  return numbers.made(std::move(run));
}

}  // namespace ridge::train
