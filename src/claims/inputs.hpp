#pragma once
// What a claim is computed from: the speaker's numbers and the library. Whatever is missing is collected as an error
// and stands in as an empty value, so that a computation reads straight through; judge() throws its figures away.

#include <string>
#include <string_view>
#include <vector>

#include "claims/claim.hpp"
#include "price/money/traffic.hpp"
#include "price/sheet/sheet.hpp"
#include "roofline/scenario.hpp"
#include "train/lifecycle.hpp"

namespace ridge {

/// Model and machine by name, and the formats where they are not the released ones.
struct Setting {
  std::string model, machine;
  std::string weights = {}, attention = {}, kv = {};
};

class Inputs {
 public:
  Inputs(const Claim& claim, const Library& library, const std::vector<PriceSheet>& sheets)
      : claim_(claim), library_(library), sheets_(sheets) {}

  /// A number of the claim's [given] table: given<Seconds<double>>("step").
  template <class Q>
  Q given(std::string_view key) {
    return Given<Q>::of(*this, key);
  }

  Chip chip(std::string_view name) { return look_up(library_.chips, name, "chip"); }
  Machine machine(std::string_view name) { return look_up(library_.machines, name, "machine"); }
  Model model(std::string_view name) { return look_up(library_.models, name, "model"); }
  /// What a provider serves, by the catalog.
  ProviderTraffic traffic(std::string_view name);
  Tier tier(std::string_view name) { return look_up(library_.tiers, name, "tier"); }

  /// The resolved case at batch 1 and without context; the claim then sets what it is about.
  DecodeCase<double> decode(const Setting& setting);

  /// The catalog's lifecycle of the lecture.
  LifecycleCase<double> lifecycle();
  /// A law of experts by its name.
  ExpertLaw<double> expert_law_named(std::string_view name);

  /// Scale-up over scale-out bandwidth of a machine.
  Ratio<double> network_ratio(std::string_view machine_name);

  /// A price sheet by name, e.g. "google/gemini-3.1-pro".
  PriceSheet sheet(std::string_view name);
  const std::vector<PriceSheet>& sheets() const { return sheets_; }

  const Library& library() const { return library_; }
  const Errors& errors() const { return errors_; }

 private:
  template <class Q>
  struct Given;
  template <Dimension D>
  struct Given<Quantity<D, double>> {
    static Quantity<D, double> of(Inputs& in, std::string_view key) { return Quantity<D, double>(in.number(key, D)); }
  };

  template <class T>
  T look_up(const Shelf<T>& all, std::string_view name, std::string_view what) {
    if (const T* found = find_named(all, name)) return *found;
    missing(what, name, names_of(all));
    return {};
  }

  double number(std::string_view key, Dimension dimension);
  void collect(const Errors& errors);
  void missing(std::string_view what, std::string_view name, const std::vector<std::string>& known);

  const Claim& claim_;
  const Library& library_;
  const std::vector<PriceSheet>& sheets_;
  Errors errors_;
};

template <Dimension D>
Figure figure(std::string key, std::string meaning, const Quantity<D, double>& quantity) {
  return {std::move(key), std::move(meaning), quantity.value(), D};
}

/// The ridge of a chip itself in sequences: that of a model whose weights are all used, in the given format.
Ratio<double> chip_ratio(Inputs& in, const std::string& machine, const std::string& format);

/// The case on a machine whose own ridge (see chip_ratio) is `ratio`: its matrix peaks are scaled to it.
DecodeCase<double> with_ratio(DecodeCase<double> c, const Ratio<double>& ratio);

/// The case with every weight in routed experts, of which a token uses one in `sparsity`.
DecodeCase<double> with_sparsity(DecodeCase<double> c, const Ratio<double>& sparsity);

/// The case with the embedding table counted as read, as a plain "total over active" count does.
DecodeCase<double> with_table_read(DecodeCase<double> c);

/// The case on a machine as much faster or slower, in memory and compute alike, as makes its step last `step`.
DecodeCase<double> with_step(DecodeCase<double> c, const Seconds<double>& step);

/// The case with the memory printed on the chip's datasheet instead of what its driver shows.
DecodeCase<double> with_nameplate(DecodeCase<double> c, const Chip& chip);

inline DecodeCase<double> with_load(DecodeCase<double> c, const Ratio<double>& batch, const Tokens<double>& context) {
  c.batch = batch;
  c.context = context;
  return c;
}

}  // namespace ridge
