#include "price/make/price_break.hpp"

#include <algorithm>
#include <cmath>
#include <span>

namespace ridge {

namespace {

using Bands = std::span<const BandCost>;

/// Requests of a band, counted so that their prompts make up its share of the tokens.
double requests_of(const DemandBand& band) { return band.share / band.length.value(); }

/// Of all that there is.
struct Whole {
  double tokens = 0, requests = 0;
};
Whole whole_of(Bands bands) {
  Whole whole;
  for (const BandCost& one : bands) {
    whole.tokens += one.band.share;
    whole.requests += requests_of(one.band);
  }
  return whole;
}

DemandSide side_of(Bands bands, const Whole& all) {
  const Whole here = whole_of(bands);
  double input = 0, output = 0, seen = 0;
  for (const BandCost& one : bands) {
    input += one.band.share * one.input.value();
    output += requests_of(one.band) * one.output.value();
    seen += one.band.share * one.band.length.value();
  }
  return {.tokens = here.tokens / all.tokens,
          .requests = here.requests / all.requests,
          .input = DollarsPerToken<double>(input / here.tokens),
          .output = DollarsPerToken<double>(output / here.requests),
          .prompt = Tokens<double>(here.tokens / here.requests),
          .prompt_of_token = Tokens<double>(seen / here.tokens)};
}

/// The number with the fewest digits in the middle of two lengths, on a logarithmic scale: what a sheet would say.
Tokens<double> between(const Tokens<double>& low, const Tokens<double>& high) {
  const double middle = std::sqrt(low.value() * high.value());
  for (double unit = std::pow(10.0, std::floor(std::log10(high.value()))); unit >= 1; unit /= 10) {
    const double round = std::round(middle / unit) * unit;
    if (round >= low.value() && round < high.value()) return Tokens<double>(round);
  }
  return low;
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

}  // namespace

Tokens<double> mean_prompt(const std::vector<DemandBand>& bands) {
  double tokens = 0, requests = 0;
  for (const DemandBand& band : bands) {
    tokens += band.share;
    requests += requests_of(band);
  }
  return Tokens<double>(tokens / requests);
}

std::vector<DemandBand> lognormal_demand(const Tokens<double>& prompt, double spread, const Tokens<double>& longest) {
  constexpr int kHalvings = 60;
  double low = prompt.value() * std::exp(-spread * spread), high = longest.value();
  if (!(spread > 0) || !(high > low) || mean_prompt(bands_around(high, spread, longest.value())) < prompt)
    return {{prompt, 1.0}};
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = std::sqrt(low * high);
    (mean_prompt(bands_around(middle, spread, longest.value())) < prompt ? low : high) = middle;
  }
  return bands_around(low, spread, longest.value());
}

DemandSide whole_demand(const std::vector<BandCost>& costs) { return side_of(costs, whole_of(costs)); }

std::optional<PriceBreakChoice> best_step(std::vector<BandCost> costs, const Tokens<double>& answer) {
  std::sort(costs.begin(), costs.end(),
            [](const BandCost& a, const BandCost& b) { return a.band.length < b.band.length; });
  const Bands all = costs;
  const Whole whole = whole_of(all);
  const double paid = bill(all, answer);
  const double without = overpaid(all, side_of(all, whole), answer) / paid;
  std::optional<PriceBreakChoice> best;
  for (std::size_t i = 0; i + 1 < all.size(); ++i) {
    const Tokens<double> above = between(all[i].band.length, all[i + 1].band.length);
    if (!(above < all[i + 1].band.length)) continue;
    const Bands low = all.first(i + 1), high = all.subspan(i + 1);
    const DemandSide below = side_of(low, whole), over = side_of(high, whole);
    const double moved = (overpaid(low, below, answer) + overpaid(high, over, answer)) / paid;
    if (over.input < below.input || over.output < below.output) continue;  // nobody asks less for longer requests
    if (best && best->moved <= moved) continue;
    best = PriceBreakChoice{.above = above, .below = below, .over = over, .moved = moved, .moved_without = without};
  }
  return best;
}

}  // namespace ridge
