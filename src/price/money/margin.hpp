#pragma once
// What tokens bring and what serving them costs: revenue, margin, the rate at which two bills are equal.

#include "base/number/units.hpp"

namespace ridge {

/// Tokens of a request, a day, or any other time.
template <class S>
struct TokenMix {
  Tokens<S> fresh, cached, output;  // input that is computed; input that a cache held; answers
  Tokens<S> total() const { return fresh + cached + output; }
};

/// What a sheet asks for each kind.
template <class S>
struct TokenPrices {
  DollarsPerToken<S> fresh, cached, output;
};

template <class S>
struct Revenue {
  Dollars<S> fresh, cached, output;
  Dollars<S> total() const { return named("revenue", fresh + cached + output); }
};

template <class S>
Revenue<S> revenue(const TokenMix<S>& mix, const TokenPrices<S>& prices) {
  return {.fresh = named("fresh", mix.fresh * prices.fresh),
          .cached = named("cached", mix.cached * prices.cached),
          .output = named("output", mix.output * prices.output)};
}

/// Profit over cost: DeepSeek's "545 %".
template <class S>
Ratio<S> markup(const Dollars<S>& revenue, const Dollars<S>& cost) {
  return named("markup", revenue / cost - literal<Ratio<S>>(1.0));
}

/// Profit over revenue: what others call a margin. Below 1 always; a loss is negative.
template <class S>
Ratio<S> margin(const Dollars<S>& revenue, const Dollars<S>& cost) {
  return named("margin", literal<Ratio<S>>(1.0) - cost / revenue);
}

/// So many nodes of so many chips for so long, all of them paid.
template <class S>
struct Fleet {
  Ratio<S> nodes, chips;  // chips in a node
  Seconds<S> time;
  DollarsPerSecond<S> rental;  // of a chip
  Dollars<S> cost() const { return named("cost", nodes * chips * time * rental); }
};

/// Where a fixed bill equals what buying the same tokens costs.
template <class S>
struct BreakEven {
  TokensPerSecond<S> rate;
  Ratio<S> utilization;  // of what the bill's chips could serve; above 1 it never does
};

template <class S>
BreakEven<S> break_even(const DollarsPerSecond<S>& bill, const DollarsPerToken<S>& price,
                        const TokensPerSecond<S>& capacity) {
  const TokensPerSecond<S> rate = named("rate", bill / price);
  return {.rate = rate, .utilization = named("utilization", rate / capacity)};
}

}  // namespace ridge
