#pragma once
// The whole answer of `ridge tier`: what every place costs, which is best when, what a fleet pays, and which places a
// public tariff is consistent with.

#include <optional>
#include <string>
#include <vector>

#include "price/make/computed_input.hpp"
#include "price/tier/cache_tariff.hpp"
#include "price/tier/tier.hpp"
#include "roofline/scenario.hpp"

namespace ridge {

/// What a provider asks for caching, as far as it says.
struct PublicTariff {
  DollarsPerToken<double> input{};
  std::optional<DollarsPerToken<double>> hit;
  std::optional<DollarsPerTokenSecond<double>> hold;  // where it is sold by the time
  std::vector<CacheWrite> writes;                     // by time kept; two of them where `hold` is not said
};

struct TierQuestion {
  Scenario scenario;                                // model, machine, formats, price
  std::optional<Params<double>> active;             // instead of the model's
  std::optional<BytesPerToken<double>> kept_bytes;  // instead of the model's
  Tokens<double> context{8192};
  Ratio<double> waiting{0.0};      // share of a fetch in which the chips do nothing else
  Ratio<double> reuse{1.0};        // chance that what is kept is used, for the times of break-even
  std::string curve;               // of re-use; empty: the catalog's last
  std::vector<std::string> tiers;  // empty: all that the machine has; computing again always counts
  std::optional<PublicTariff> tariff;
  std::optional<Ratio<double>> device_utilization;  // instead of each device's own
  /// The deployment that serves the model, its requests as long as the context: there it would be computed again.
  /// None: at an assumed share of the peak.
  std::optional<ServingAnswer> served;
};

/// One place, with what it costs.
struct TierRow {
  Tier facts;
  TierDevice<double> device;  // of the chip's own memory and of a device; nothing for recomputing
  TierCost<double> cost;
  Seconds<double> drain{}, fetch_time{};  // of the device; of the whole context by all chips of the machine
  std::vector<std::string> assumed;       // facts of it that are a guess
  std::optional<ComputedInput> computed;  // of recomputing, where a deployment does it
};

/// Before this time the first is cheaper, after it the second; none where one of them always is.
struct TierPair {
  std::size_t first = 0, second = 0;
  Seconds<double> at{};  // not above zero: the second always; unbounded: the first always
};

/// The cheapest place for each time and each chance of use.
struct TierMap {
  std::vector<Seconds<double>> times;
  std::vector<Ratio<double>> chances;
  std::vector<std::vector<std::size_t>> best;  // by chance, then by time
};

/// A fleet that keeps everything for so long after its last use.
struct FleetChoice {
  std::size_t tier = 0;
  Seconds<double> keep{}, held{};  // at most, and on average
  Ratio<double> hits{};
  DollarsPerToken<double> cost{};  // for each token of context and use
};

/// A tier beside a tariff.
struct TariffRow {
  std::size_t tier = 0;
  BytesPerToken<double> bytes_by_hold{}, bytes_by_fetch{};  // most that the prices would pay for; see `sells_holding`
  Ratio<double> hold_margin{}, fetch_margin{};              // price over this model's cost
  std::vector<Ratio<double>> drain_over_keep;               // by time to live
  bool pays = false;                                        // both prices are at least the cost
  std::vector<bool> natural;                                // by time to live: drained in about that time
};

struct TariffReading {
  PublicTariff tariff;
  CacheTariff<double> parts;  // the premium is none where holding is sold by the time
  std::vector<TariffRow> rows;
  std::vector<std::string> findings;  // what is odd about the prices

  /// Otherwise nothing follows from what it costs: the longer time is not the more expensive one.
  bool sells_holding() const { return parts.hold.value() > 0; }
};

struct TierAnswer {
  TierQuestion question;
  ResolvedCase resolved;
  std::string title;  // of the model
  BytesPerToken<double> kept_bytes{};
  Params<double> active{};
  FlopsPerToken<double> attention{};  // of a token of the prompt, on average
  DollarsPerSecond<double> chip_price{};
  std::vector<TierRow> rows;  // by the price of holding, the most expensive first; recomputing last
  std::vector<TierPair> pairs;
  TierMap map;
  ReuseCurve curve;
  std::vector<FleetChoice> fleet;     // the best time to live of each tier
  std::vector<FleetChoice> all_kept;  // every tier and point of the curve, for charts
  std::size_t best_fleet = 0;
  std::optional<TariffReading> reading;
  std::vector<std::string> notes;
};

/// Within this factor a device drains in the time that something is kept.
inline constexpr double kNaturalWithin = 10;

Result<TierAnswer> answer_tiers(const TierQuestion& question, const Library& library);

/// A tier as one device of its kind, with its share of a server.
TierDevice<double> device_of(const Tier& tier);

/// Cheapest of the rows.
std::size_t best_tier(const std::vector<TierRow>& rows, const Seconds<double>& time, const Ratio<double>& reuse);

/// Share of uses within a time, and the mean time that something is held if it is kept at most so long.
Ratio<double> reused_within(const ReuseCurve& curve, const Seconds<double>& time);
Seconds<double> mean_held(const ReuseCurve& curve, const Seconds<double>& time);

}  // namespace ridge
