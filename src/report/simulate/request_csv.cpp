#include "report/simulate/request_csv.hpp"

#include <fmt/format.h>

namespace ridge::report {

std::string exact_seconds(simulate::Nanoseconds span) {
  return fmt::format("{}{}.{:09}", span < 0 ? "-" : "", std::abs(span) / simulate::kSecond,
                     std::abs(span) % simulate::kSecond);
}

std::string request_heading() {
  return "request,sent_s,prompt_tokens,output_tokens,cached_tokens,queue_s,ttft_s,tpot_s,e2e_s,preemptions,replica,"
         "refused\n";
}

std::string request_row(const simulate::RequestOutcome& one) {
  if (one.refused) {
    return fmt::format("{},{},{},{},0,,,,,0,{},true\n", one.number, exact_seconds(one.sent), one.prompt, one.output,
                       one.replica);
  }
  return fmt::format("{},{},{},{},{},{},{},{},{},{},{},false\n", one.number, exact_seconds(one.sent), one.prompt,
                     one.output, one.cached, exact_seconds(one.queued()), exact_seconds(one.ttft()),
                     one.output > 1 ? fmt::format("{:.12f}", one.tpot() * 1e-9) : "", exact_seconds(one.e2e()),
                     one.preemptions, one.replica);
}

std::string RowsInOrder::add(const simulate::RequestOutcome& outcome) {
  if (outcome.number != next_) {
    early_.emplace(outcome.number, outcome);
    return "";
  }
  ++next_;
  std::string rows = request_row(outcome);
  for (auto first = early_.begin(); first != early_.end() && first->first == next_; first = early_.erase(first)) {
    rows += request_row(first->second);
    ++next_;
  }
  return rows;
}

std::string RowsInOrder::rest() {
  std::string rows;
  for (const auto& [number, outcome] : early_) rows += request_row(outcome);
  early_.clear();
  return rows;
}

}  // namespace ridge::report
