#pragma once
// The numbers that decide what a chip and its scale-up domain are good for: FLOP a byte, the time to sweep its memory, how
// many chips are within reach at full speed, and what each costs. Ratios of datasheet peaks, nothing calibrated.

#include <optional>
#include <string>
#include <vector>

#include "library/chip_price.hpp"
#include "library/library.hpp"

namespace ridge {

/// One number format on one chip.
struct FormatNumbers {
  std::string format;                           // as the catalog's peaks call it: bf16, fp8, fp4
  FlopsPerSecond<double> peak{};                // of one chip
  Quantity<kFlop / kByte, double> intensity{};  // peak over memory bandwidth
  /// Sequences whose multiply-adds take as long as reading their weights once, in a dense model: intensity times the bytes
  /// of a parameter over its 2 FLOP. A sparse model needs it times its sparsity.
  Ratio<double> ridge_batch{};
  std::optional<Quantity<kDollar / kFlop, double>> cost;  // of a FLOP at the peak
};

/// A machine of the catalog, or a chip that no machine has.
struct ChipNumbers {
  std::string name, title;  // of the machine, else of the chip
  const Chip* chip = nullptr;
  const Machine* machine = nullptr;
  std::vector<FormatNumbers> formats;                         // 16 bit first, then smaller ones; never empty
  Seconds<double> sweep{};                                    // nameplate capacity over bandwidth
  double domain = 1;                                          // chips in reach of the scale-up network
  std::optional<BytesPerSecond<double>> scale_up, scale_out;  // of one chip, one way
  std::optional<Ratio<double>> network_ratio;                 // of the two
  Bytes<double> domain_memory{};
  BytesPerSecond<double> domain_bandwidth{};
  std::optional<DollarsPerSecond<double>> price;               // of one chip
  bool price_filled = false;                                   // from another contract, by the catalog's rule
  bool price_assumed = false;                                  // so filled, or somebody's guess
  std::optional<Quantity<kDollar / kByte, double>> read_cost;  // of a byte read at full bandwidth
  Params<double> largest{};              // that fill the domain in its smallest format: room for nothing else
  const Model* largest_known = nullptr;  // of the catalog's, as released; null: none fits

  const FormatNumbers* in(std::string_view format) const;
  /// The format with the fewest bytes that it has a peak for.
  const FormatNumbers& smallest() const { return formats.back(); }
};

/// Machines, then chips that none has. `basis`: none, the usual one.
std::vector<ChipNumbers> chip_numbers(const Library& library, const std::optional<PriceBasis>& basis);

/// One generation of a vendor against the one before: by year, the machine with the most memory in its domain, unless
/// its chip computes less than those before it.
struct Generation {
  const ChipNumbers* now = nullptr;
  const ChipNumbers* before = nullptr;  // null: the first
};
std::vector<Generation> generations_of(const std::vector<ChipNumbers>& all);

}  // namespace ridge
