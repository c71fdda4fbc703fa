#include "price/make/sheet_terms.ipp"

#include "base/number/dual.hpp"
#include "base/number/interval.hpp"
#include "base/number/traced.hpp"

namespace ridge {

template SheetEstimate<double> estimate_sheet(const SheetCase<double>&);
template SheetEstimate<Dual> estimate_sheet(const SheetCase<Dual>&);
template SheetEstimate<Interval> estimate_sheet(const SheetCase<Interval>&);
template SheetEstimate<BasicDual<Interval>> estimate_sheet(const SheetCase<BasicDual<Interval>>&);
template SheetEstimate<Traced> estimate_sheet(const SheetCase<Traced>&);

}  // namespace ridge
