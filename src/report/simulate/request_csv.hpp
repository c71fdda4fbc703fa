#pragma once
// Requests of a run as CSV, a row each, in the order in which they were made. What a trace has (sent_s, prompt_tokens,
// output_tokens, ttft_s, e2e_s) is among the columns, so that a run can be replayed.

#include <cstdint>
#include <map>
#include <string>

#include "simulate/client/request.hpp"

namespace ridge::report {

std::string request_heading();
std::string request_row(const simulate::RequestOutcome& outcome);

/// Rows in order, though requests end in another: those that ended early wait for those before them.
class RowsInOrder {
 public:
  /// The rows that can be written now.
  std::string add(const simulate::RequestOutcome& outcome);
  /// Those that wait still, where a run was stopped.
  std::string rest();

 private:
  std::map<std::uint64_t, simulate::RequestOutcome> early_;
  std::uint64_t next_ = 0;
};

/// Seconds to the last nanosecond: "12.000000345".
std::string exact_seconds(simulate::Nanoseconds span);

}  // namespace ridge::report
