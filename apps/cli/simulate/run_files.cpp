#include "cli/simulate/run_files.hpp"

#include <fmt/format.h>

#include "cli/program.hpp"
#include "report/simulate/chrome_trace.hpp"

namespace ridge::cli {

Result<RunFiles> RunFiles::open(const std::string& csv, const std::string& events,
                                const simulate::SimulationSetup& setup) {
  RunFiles out;
  const auto begin = [&](std::optional<Growing>& growing, const std::string& path, std::string first) -> Result<bool> {
    if (path.empty()) return true;
    auto file = WholeFile::open(path);
    if (!file) return fail(file.error());
    growing.emplace(Growing{std::move(*file), path, std::move(first)});
    return true;
  };
  if (const auto good = begin(out.csv_, csv, report::request_heading()); !good) return fail(good.error());
  if (const auto good = begin(out.events_, events, report::trace_beginning(setup)); !good) return fail(good.error());
  return out;
}

void RunFiles::add(std::optional<Growing>& to, std::string_view piece, bool flush) {
  constexpr std::size_t kWrittenPiece = 1 << 20;
  if (!to) return;
  to->waiting += piece;
  if (failed() || (!flush && to->waiting.size() < kWrittenPiece)) return;
  if (const auto good = to->file.add(to->waiting); !good) append(errors_, good.error());
  to->waiting.clear();
}

simulate::Onlookers RunFiles::onlookers() {
  simulate::Onlookers look;
  if (csv_ || events_) {
    look.finished = [this](const simulate::RequestOutcome& outcome) {
      if (csv_) add(csv_, rows_.add(outcome));
      if (events_) add(events_, report::trace_request(outcome));
    };
  }
  if (events_) {
    look.step = [this](std::int32_t replica, std::int32_t batch, simulate::Nanoseconds from, simulate::Nanoseconds to,
                       std::span<const simulate::StepWork> ranks) {
      add(events_, report::trace_step(replica, batch, from, to, ranks));
    };
  }
  return look;
}

Result<bool> RunFiles::finish(const simulate::SimulationResult& result) {
  add(csv_, rows_.rest(), true);
  add(events_, report::trace_ending(result), true);
  for (auto* one : {&csv_, &events_}) {
    if (!*one || failed()) continue;
    if (const auto good = (*one)->file.commit(); !good) {
      append(errors_, good.error());
    } else if ((*one)->file.is_plain()) {
      say(fmt::format("wrote {}\n", (*one)->name));
    }
  }
  if (failed()) return fail(errors_);
  return true;
}

}  // namespace ridge::cli
