#include "price/long_tier.hpp"

#include <algorithm>
#include <cmath>
#include <span>

namespace ridge {

namespace {

using Bands = std::span<const BandCost>;

/// Requests of a band, counted so that their prompts make up its share of the tokens.
double requests_of(const DemandBand& band) { return band.share / band.length.value(); }

DemandSide side_of(Bands bands, double all_requests) {
  DemandSide side;
  double input = 0, output = 0, seen = 0;
  for (const BandCost& one : bands) {
    const double requests = requests_of(one.band);
    side.tokens += one.band.share;
    side.requests += requests;
    input += one.band.share * one.input.value();
    output += requests * one.output.value();
    seen += one.band.share * one.band.length.value();
  }
  side.input = DollarsPerToken<double>(input / side.tokens);
  side.output = DollarsPerToken<double>(output / side.requests);
  side.prompt = Tokens<double>(side.tokens / side.requests);
  side.prompt_of_token = Tokens<double>(seen / side.tokens);
  side.requests /= all_requests;
  return side;
}

double requests_in(Bands bands) {
  double sum = 0;
  for (const BandCost& one : bands) sum += requests_of(one.band);
  return sum;
}

/// What requests pay beyond what they cost; as much is missing from the others.
double overpaid(Bands bands, const DemandSide& side, const Tokens<double>& answer) {
  double sum = 0;
  for (const BandCost& one : bands) {
    const Dollars<double> difference = one.band.length * (side.input - one.input) + answer * (side.output - one.output);
    sum += requests_of(one.band) * std::max(0.0, difference.value());
  }
  return sum;
}

double bill(Bands bands, const Tokens<double>& answer) {
  double sum = 0;
  for (const BandCost& one : bands)
    sum += requests_of(one.band) * (one.band.length * one.input + answer * one.output).value();
  return sum;
}

/// Requests with that median length, cut off at the longest; shares are of their tokens.
std::vector<DemandBand> bands_around(double median, double spread, double longest) {
  constexpr int kBands = 96;
  constexpr double kReach = 3.0;  // standard deviations; tokens lie spread^2 further up than requests
  const double from = median * std::exp(-kReach * spread);
  const double to = std::min(longest, median * std::exp(spread * (kReach + spread)));
  std::vector<DemandBand> bands;
  double sum = 0;
  for (int i = 0; i < kBands && to > from; ++i) {
    const double length = from * std::pow(to / from, (i + 0.5) / kBands);
    const double away = std::log(length / median) / spread;
    bands.push_back({Tokens<double>(length), length * std::exp(-away * away / 2)});
    sum += bands.back().share;
  }
  for (DemandBand& band : bands) band.share /= sum;
  return bands;
}

double mean_prompt(const std::vector<DemandBand>& bands) {
  double tokens = 0, requests = 0;
  for (const DemandBand& band : bands) {
    tokens += band.share;
    requests += requests_of(band);
  }
  return tokens / requests;
}

}  // namespace

std::vector<DemandBand> lognormal_demand(const Tokens<double>& prompt, double spread, const Tokens<double>& longest) {
  constexpr int kHalvings = 60;
  double low = prompt.value() * std::exp(-spread * spread), high = longest.value();
  if (!(spread > 0) || !(high > low) || mean_prompt(bands_around(high, spread, longest.value())) < prompt.value())
    return {{prompt, 1.0}};
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = std::sqrt(low * high);
    (mean_prompt(bands_around(middle, spread, longest.value())) < prompt.value() ? low : high) = middle;
  }
  return bands_around(low, spread, longest.value());
}

DemandSide whole_demand(const std::vector<BandCost>& costs) { return side_of(costs, requests_in(costs)); }

std::optional<LongStep> best_step(std::vector<BandCost> costs, const Tokens<double>& answer) {
  std::sort(costs.begin(), costs.end(),
            [](const BandCost& a, const BandCost& b) { return a.band.length < b.band.length; });
  const Bands all = costs;
  const double requests = requests_in(all), paid = bill(all, answer);
  const double without = overpaid(all, side_of(all, requests), answer) / paid;
  std::optional<LongStep> best;
  for (std::size_t i = 1; i < all.size(); ++i) {
    const Bands low = all.first(i), high = all.subspan(i);
    if (!(low.back().band.length < high.front().band.length)) continue;
    const DemandSide below = side_of(low, requests), over = side_of(high, requests);
    const double moved = (overpaid(low, below, answer) + overpaid(high, over, answer)) / paid;
    if (best && best->moved <= moved) continue;
    best = LongStep{
        .above = low.back().band.length, .below = below, .over = over, .moved = moved, .moved_without = without};
  }
  return best;
}

}  // namespace ridge
