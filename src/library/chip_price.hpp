#pragma once
// What a chip of a machine costs by the catalog: rented under some contract, or owned.

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "library/library.hpp"

namespace ridge {

/// What a price is the price of. Whatever is compared is on one basis.
enum class PriceBasis { on_demand, reserved_1y, reserved_3y, owned };
inline constexpr std::array kPriceBases = {PriceBasis::on_demand, PriceBasis::reserved_1y, PriceBasis::reserved_3y,
                                           PriceBasis::owned};
/// Where nobody chose.
inline constexpr PriceBasis kUsualBasis = PriceBasis::reserved_3y;

std::string_view name_of(PriceBasis basis);
/// Also "rented" and "rental", for the usual contract; an error names the words there are.
Result<PriceBasis> parse_price_basis(std::string_view word, std::string_view where);

struct ChipPrice {
  Sourced<DollarsPerSecond<double>> price;
  std::optional<Ownership> owned;  // what it is made of, where it is an owner's
  bool filled = false;             // of a contract that nobody lists: from another one, by the catalog's rule
};

/// A contract that the catalog does not list for the machine is filled from one that it lists (catalog/contract). Where
/// nobody chose a basis and nobody rents the machine out, it is owned.
Result<ChipPrice> chip_price(const Machine& machine, const std::optional<PriceBasis>& basis, const Library& library);

}  // namespace ridge
