#include "roofline/decode.ipp"

#include "base/number/dual.hpp"
#include "base/number/interval.hpp"
#include "base/number/traced.hpp"

namespace ridge {

// the hot one: everything inlined
template <>
[[gnu::flatten]] DecodeEstimate<double> estimate_decode(const DecodeCase<double>& c) {
  return decode::all_of_it(c);
}

template DecodeEstimate<Dual> estimate_decode(const DecodeCase<Dual>&);
template DecodeEstimate<Interval> estimate_decode(const DecodeCase<Interval>&);
template DecodeEstimate<BasicDual<Interval>> estimate_decode(const DecodeCase<BasicDual<Interval>>&);
template DecodeEstimate<Traced> estimate_decode(const DecodeCase<Traced>&);

}  // namespace ridge
