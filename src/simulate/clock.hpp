#pragma once
// Simulated time, in whole nanoseconds: sums are exact, ties have an order, and the same run gives the same bytes on
// every machine.

#include <cmath>
#include <cstdint>

namespace ridge::simulate {

using Nanoseconds = std::int64_t;

inline constexpr Nanoseconds kSecond = 1'000'000'000;

/// The nearest nanosecond. A span is at most some decades (the checks of a question see to that), never NaN.
inline Nanoseconds nanoseconds(double seconds) { return static_cast<Nanoseconds>(std::floor(seconds * 1e9 + 0.5)); }

inline double seconds(Nanoseconds span) { return static_cast<double>(span) * 1e-9; }
inline double seconds(double span) { return span * 1e-9; }

}  // namespace ridge::simulate
