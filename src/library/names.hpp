#pragma once
// One way from the word that somebody writes to the entry that is meant: its name, in any case and with any separators,
// an alias of the catalog (catalog/alias.toml), for a model its repository or a checkpoint of the same architecture, for
// a machine its chip ("b200") or a count of them ("8xH100"). What was taken for what is said in a note; a word that can
// mean several is an error which names them.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "library/library.hpp"

namespace ridge {

struct NamedModel {
  const Model* entry = nullptr;
  std::optional<std::string> weights;  // the format its name speaks of, where the catalog's entry has another
  std::string note;                    // empty where the word is the entry's own name or repository
};

struct NamedMachine {
  const Machine* entry = nullptr;
  std::optional<double> chips;  // "4xH100" asks for so many of a machine that has another number
  std::string note;
};

struct NamedChip {
  const Chip* entry = nullptr;
  std::string note;
};

Result<NamedModel> model_named(const Library& library, std::string_view word);
Result<NamedMachine> machine_named(const Library& library, std::string_view word);
Result<NamedChip> chip_named(const Library& library, std::string_view word);

/// The same where only the whole machine can be meant: another number of chips is an error.
Result<NamedMachine> whole_machine_named(const Library& library, std::string_view word);

/// The names that somebody may have meant: the nearest, else those with the nearest parts ("lama-70b"), else a few.
std::string nearest_names(std::string_view word, const std::vector<std::string>& known);

/// Lower case, without what separates: "H100-SXM" and "h100_sxm" are the same word.
std::string bare_word(std::string_view word);

}  // namespace ridge
