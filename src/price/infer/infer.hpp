#pragma once
// A price sheet read backwards: what it says of the provider, as intervals that contain every provider that explains it
// within what was believed before; what can be read off without believing anything; what cannot be told; and where the
// sheet contradicts the model or itself.

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "base/provenance.hpp"
#include "base/result.hpp"
#include "library/library.hpp"
#include "price/infer/contraction.hpp"
#include "price/sheet/sheet.hpp"

namespace ridge {

/// What was believed before: a range of every unknown, even on a logarithmic scale.
struct Beliefs {
  std::string name, title, note;
  UnknownBox box;
  Interval kv;  // bytes of context a token; S* follows from it
  std::array<Provenance, kUnknowns> from;
  Provenance kv_from;
};

/// S* as wide as the others let it be; the bytes of context stay a constraint of their own.
Interval balance_of(const Beliefs& priors);

/// A range that the user gave instead, by the unknown's key ("active", "kv").
struct GivenRange {
  std::string key;
  Interval values;
  std::string where;
};

Result<Beliefs> priors_named(const std::vector<NumbersEntry>& all, const std::string& name,
                             const std::vector<GivenRange>& given);

/// The unknown of a word, its key or symbol, and its dimension.
using UnknownInfo = FieldRow<InputInfo>;
Result<UnknownInfo> find_unknown(std::string_view word, std::string_view where);

/// Unknowns, and what follows from them: total parameters, context bytes a token, and those over active parameters.
inline constexpr std::size_t kInferred = kUnknowns + 3;
enum DerivedIndex : std::size_t { kTotal = kUnknowns, kKv, kKvPerActive };

struct Inferred {
  std::string_view key, symbol, meaning;
  Dimension dimension;
  Interval prior, interval;

  /// Share of the prior's logarithmic width that the sheet took away.
  double narrowed() const;
};

/// Something that the sheet fixes, with the formula it follows from.
struct SheetReading {
  std::string key, meaning, formula;
  double value = 0;
  Dimension dimension;
};

struct Inference {
  PriceSheet sheet;
  Beliefs priors;
  std::vector<Constraint> constraints;  // equations of the sheet that were used
  std::optional<FastMode> fast;         // one whose promise was used
  UnknownBox box;
  std::array<Inferred, kInferred> inferred;
  std::vector<SheetReading> readings;
  std::vector<std::string> not_identifiable;
  std::vector<std::string> contradictions;  // of the sheet with the model or with itself
  std::vector<std::string> silent;          // what the sheet does not say

  /// Not so for what is about a tier or a mode that this sheet does not have.
  bool concerns(std::size_t quantity) const {
    if (quantity == kLongStep || quantity == kLongOver) return !sheet.tiers.empty();
    return quantity != kFastEven || fast.has_value();
  }
};

struct InferQuestion {
  PriceSheet sheet;
  Beliefs priors;
  std::optional<double> fast_speed;  // where a fast mode is priced and its speed is promised elsewhere
};

Inference infer(const InferQuestion& question);

}  // namespace ridge
