#include "simulate/client/benchmark_client.hpp"

#include <algorithm>
#include <cmath>

#include "base/numbers_reader.hpp"

namespace ridge::simulate {

std::int64_t BenchmarkClient::requests_for(double users) const {
  return static_cast<std::int64_t>(std::max({1.0, least_requests, requests_per_user * users}));
}

Result<BenchmarkClient> benchmark_client(const NumbersEntry& entry) {
  NumbersReader reader(entry, "client");
  BenchmarkClient out{.name = entry.name, .title = entry.title, .note = entry.note};
  if (entry.form == "down from the length") {
    out.lengths = LengthRule::down;
  } else if (entry.form != "around the length") {
    reader.complain("form is no rule of lengths", "\"around the length\" or \"down from the length\"");
  }
  out.spread = reader.get<Ratio<double>>("spread").value();
  out.requests_per_user = reader.get<Ratio<double>>("requests_per_user").value();
  out.least_requests = reader.get<Ratio<double>>("least_requests").value();
  out.warmups = reader.get<Ratio<double>>("warmups").value();
  out.warmups_per_user = reader.get<Ratio<double>>("warmups_per_user").value();
  out.stretches = reader.get<Ratio<double>>("stretched_gaps").value() != 0;
  if (!(out.warmups >= 0 && out.warmups <= 1000 && out.warmups_per_user >= 0 && out.warmups_per_user <= 1000))
    reader.complain("so many warm-ups", "at most 1,000, and 1,000 a user");
  if (!(out.spread >= 0 && out.spread <= 1)) reader.complain("spread is no share", "from 0 to 1");
  if (!(out.requests_per_user >= 0 && out.requests_per_user <= 1000 && out.least_requests >= 0 &&
        out.least_requests <= 1e6))
    reader.complain("so many requests", "at most 1,000 a user, and a million in all");
  return reader.made(out);
}

LengthRange lengths_of(LengthRule rule, double tokens, double spread) {
  const double low = rule == LengthRule::down ? tokens * spread : tokens * (1 - spread);
  const double high = rule == LengthRule::down ? tokens : tokens * (1 + spread);
  static constexpr double kMost = 2e9;  // what is too long is refused later, as a number
  const auto whole = [](double value) { return static_cast<std::int32_t>(std::clamp(value, 1.0, kMost)); };
  return {whole(std::floor(low)), whole(std::ceil(high))};
}

std::int64_t requests_at(double rate, double request_time) {
  constexpr double kLeast = 1000, kMost = 20'000, kSeconds = 120, kLives = 8;
  return static_cast<std::int64_t>(
      std::clamp(std::ceil(rate * std::max(kSeconds, kLives * request_time)), kLeast, kMost));
}

}  // namespace ridge::simulate
