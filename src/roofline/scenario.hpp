#pragma once
// A scenario is what the user said; resolve() turns it, with the library, into a case in which every number is known
// and says where it came from.

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "library/chip_price.hpp"
#include "library/library.hpp"
#include "roofline/decode.hpp"

namespace ridge {

/// A number the user gave for one input of the case, by its key.
struct GivenInput {
  std::string key;  // of visit_inputs
  double value = 0.0;
  Provenance from;
};

struct Scenario {
  std::string model, machine;
  std::optional<std::string> weights, experts, attention, kv;  // formats
  std::optional<PriceBasis> price_basis;                       // none: the usual
  std::vector<GivenInput> given;                               // later ones win
};

/// The numbers, and beside each its provenance.
struct ResolvedCase {
  DecodeCase<double> numbers;
  std::array<Provenance, kDecodeInputs> from;
  std::string model, machine, model_title, machine_title, chip_title;
  Precisions precision;                      // formats used
  std::array<std::string, 3> matmul_format;  // the peaks used for weights, experts, attention
  std::string memory_name = "memory";        // "HBM" where the chip has that
  std::optional<Ownership> owned;            // what the price was made of, where it is an owner's
  double context_limit = 0.0;                // of the model; 0 when unknown
  std::vector<std::string> name_notes;       // what words were taken for, where they are not an entry's own name
  std::optional<double> named_chips;         // "4xH100" asks for so many
  std::vector<std::string> notes;            // what the reader should know
};

/// Whether every input is given: then the catalog need not know the names.
bool is_complete(const Scenario& scenario);

Result<ResolvedCase> resolve(const Scenario& scenario, const Library& library);

/// Index of an input by key, symbol or alias ("hbm", "bandwidth", "capacity"); -1 where there is none.
int find_input(std::string_view word);
/// The same for a key that is known to exist.
std::size_t input_index(std::string_view key);
/// The inputs a word stands for in a case: one key, or "matmul.fp8" for every part that computes in fp8, or "matmul".
Result<std::vector<std::size_t>> input_indices(std::string_view word, const ResolvedCase& resolved,
                                               std::string_view where);
std::vector<std::string> input_keys();
InputInfo input_info(std::size_t index);
Dimension input_dimension(std::size_t index);
std::vector<std::string> output_keys();
OutputInfo output_info(std::size_t index);
Dimension output_dimension(std::size_t index);

/// Whether a value may stand for an input; the error names the rule.
Result<double> checked_value(const InputInfo& info, Dimension dimension, double value, std::string_view where);
Result<double> checked_input(std::size_t index, double value, std::string_view where);

}  // namespace ridge
