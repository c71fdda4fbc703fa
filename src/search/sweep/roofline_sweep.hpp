#pragma once
// A sweep of decode cases over SIMD lanes. Words (model, machine, formats) and whatever else changes which numbers there
// are were resolved beforehand, one base case for each of their combinations; all other axes move single inputs of it.

#include <array>
#include <string>
#include <vector>

#include "search/lanes/decode_columns.hpp"
#include "search/sweep/space.hpp"
#include "search/sweep/table.hpp"

namespace ridge {

inline constexpr std::size_t kRooflineWords = 6;
/// model, machine, weights, experts, attention, kv: in this order in RooflineBase and in columns.
const std::array<std::string, kRooflineWords>& roofline_words();

/// One combination of the words, resolved.
struct RooflineBase {
  DecodeCase<double> numbers;
  std::array<std::string, kRooflineWords> words;
  std::string problem;  // why there are no numbers; empty where there are
};

/// Every column a roofline sweep can show.
std::vector<SweepColumn> roofline_columns();

class RooflineSweep {
 public:
  struct Parts {
    Space space;
    std::vector<std::size_t> outer;         // axes that choose the base, the last one innermost
    std::vector<std::size_t> inner;         // axes that move an input each
    std::vector<std::size_t> inner_inputs;  // which
    std::vector<RooflineBase> bases;        // in the order of the outer axes
    std::vector<SweepColumn> columns;       // what to compute
  };
  explicit RooflineSweep(Parts parts);

  const Space& space() const { return parts_.space; }
  /// Rows of the cases from `first` on. The table's memory is used again; any number of threads may ask at once.
  void evaluate(std::uint64_t first, std::size_t count, SweepTable& table) const;

 private:
  struct Scratch;
  void evaluate_block(std::uint64_t first, std::size_t count, Scratch& scratch) const;
  void find_bases(std::uint64_t first, std::size_t count, Scratch& scratch) const;
  void compute_apart(std::size_t count, Scratch& scratch) const;
  void copy_out(std::uint64_t first, std::size_t count, const Scratch& scratch, SweepTable& table) const;
  void copy_numbers(const SweepColumn& column, std::uint64_t first, const Scratch& scratch, std::vector<double>& to,
                    std::size_t count) const;

  Parts parts_;
  std::array<bool, kDecodeOutputs> wanted_{};
  std::array<int, kDecodeInputs> inner_of_{};  // position in inner, or -1
  InstructionSet set_;
};

}  // namespace ridge
