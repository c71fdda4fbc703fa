#pragma once
// How programs that benchmark servers draw lengths and how many requests they send, unless told otherwise: facts of
// catalog/client.

#include <cstdint>
#include <string>

#include "base/numbers_entry.hpp"
#include "base/result.hpp"
#include "simulate/client/client.hpp"

namespace ridge::simulate {

/// What a length L with a spread R means.
enum class LengthRule {
  around,  // L (1 - R) to L (1 + R): the mean is L
  down,    // R L to L: the mean is below L, and R = 1 is no spread
};

struct BenchmarkClient {
  std::string name = {}, title = {}, note = {};
  LengthRule lengths = LengthRule::around;
  double spread = 0;
  double requests_per_user = 10, least_requests = 200;
  double warmups = 0, warmups_per_user = 0;  // copies of the first request, before what is measured
  bool stretches = false;                    // gaps, so that the last request is sent at requests / rate

  std::int64_t requests_for(double users) const;
};

Result<BenchmarkClient> benchmark_client(const NumbersEntry& entry);

/// Whole tokens, at least one.
LengthRange lengths_of(LengthRule rule, double tokens, double spread);

/// Requests of an open loop, where nobody says how many: enough for a 99th percentile, and to send for two minutes, or for
/// eight times as long as a request takes where that is known (s).
std::int64_t requests_at(double rate, double request_time = 0);

}  // namespace ridge::simulate
