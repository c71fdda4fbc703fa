#pragma once
// A price sheet: what a provider charges for a model's tokens, on one date. Facts only; what they mean is in the files
// beside this one.

#include <optional>
#include <string>
#include <vector>

#include "base/number/units.hpp"

namespace ridge {

/// Dollars to keep a token in a cache for a second.
template <class S>
using DollarsPerTokenSecond = Quantity<kDollar / kToken / kSecond, S>;

/// Input that is also kept for later requests, for at most so long after its last use.
struct CacheWrite {
  Seconds<double> keep{};
  DollarsPerToken<double> price{};  // instead of the price of fresh input
};

/// What a request pays once its input is longer than this: for all of its tokens, unless the sheet says otherwise.
struct PriceBreak {
  Tokens<double> above{};
  DollarsPerToken<double> input{}, output{};
  std::optional<DollarsPerToken<double>> cached;
  std::vector<CacheWrite> writes;
};

/// The same model sooner or later than usual.
struct SpeedMode {
  std::string name;  // "batch", "flex", "priority", "fast"
  DollarsPerToken<double> input{}, output{};
  std::optional<double> speed;  // tokens a second of a user, over the usual ones, where it is promised
};

struct PriceSheet {
  std::string provider, model;
  std::string date;    // "2026-03-31": when it was seen
  std::string source;  // name in catalog/sources.toml
  std::string note;
  DollarsPerToken<double> input{}, output{};
  std::optional<DollarsPerToken<double>> cached;  // input that a cache held
  std::vector<CacheWrite> writes;                 // by time kept, shortest first
  std::optional<DollarsPerTokenSecond<double>> hold;
  std::vector<PriceBreak> tiers;  // by length, shortest first
  std::vector<SpeedMode> modes;
  std::optional<Tokens<double>> max_input, max_output;
  std::string weights;      // the catalog's model of the same shape, where somebody said which
  bool hosted = false;      // sold by somebody else than its maker
  bool since_known = true;  // else only seen on its date: it may be much older
};

}  // namespace ridge
