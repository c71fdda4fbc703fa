#pragma once
// What tokens cost and what a sheet asks for them: input, output, cached input, writes into a cache, faster and slower
// modes, longer contexts. Decoding itself is roofline/decode.ipp; this adds what a sheet needs beside it.
// docs/theory/prices.md derives every line.

#include <cstddef>

#include "base/field_list.hpp"
#include "base/number/units.hpp"
#include "price/tier/cache_tariff.hpp"
#include "roofline/decode.hpp"

namespace ridge {

/// Dollars to keep a byte for a second.
template <class S>
using DollarsPerByteSecond = Quantity<kDollar / kByte / kSecond, S>;

/// Every number a price sheet follows from.
template <class S>
struct SheetCase {
  DecodeCase<S> decode;                // model, machine, price and the usual load, at the chips' peaks
  Ratio<S> mfu_prefill;                // MFU of prefill
  Ratio<S> share_decode;               // share of the roofline that decode reaches, time between steps included
  Ratio<S> markup;                     // price over cost: 1 / (1 - margin)
  FlopsPerToken<S> prefill_attention;  // attention FLOP per prefill token, at the standard ISL
  BytesPerSecond<S> fetch, write;      // a chip's share of the cache tier's bandwidth
  DollarsPerByteSecond<S> hold;        // what the cache tier costs
  Ratio<S> fast_input, fast_output;    // cost with the fast mode's sequences at once, over the usual
  Ratio<S> batch_input, batch_output;  // cost with the batch mode's, over the usual
  Ratio<S> batch_utilization;          // of chips that work off requests without a deadline
};

/// Calls visit(InputInfo, field) for every input, always in the same order; those of the decode equations first.
template <class Case, class Visit>
constexpr void visit_sheet_inputs(Case& c, Visit&& visit) {
  using enum Domain;
  visit_inputs(c.decode, visit);
  visit(InputInfo{"mfu.prefill", "e_p", "MFU of prefill", share}, c.mfu_prefill);
  visit(InputInfo{"efficiency.decode", "e_d", "share of the roofline that decode reaches", share}, c.share_decode);
  visit(InputInfo{"markup", "k_p", "price over cost", positive}, c.markup);
  visit(InputInfo{"prefill.attention", "a_p", "attention FLOP per prefill token", not_negative}, c.prefill_attention);
  visit(InputInfo{"cache.fetch", "F", "bandwidth from the cache tier, per chip", positive}, c.fetch);
  visit(InputInfo{"cache.write", "G", "bandwidth into it", positive}, c.write);
  visit(InputInfo{"cache.hold", "h", "price of keeping a byte there for a second", not_negative}, c.hold);
  visit(InputInfo{"fast.input", "f_i", "cost of input in fast mode, over standard", positive}, c.fast_input);
  visit(InputInfo{"fast.output", "f_o", "cost of output in fast mode, over standard", positive}, c.fast_output);
  visit(InputInfo{"batch.input", "b_i", "cost of input at the batch mode's concurrency, over standard", positive},
        c.batch_input);
  visit(InputInfo{"batch.output", "b_o", "cost of output at the batch mode's concurrency, over standard", positive},
        c.batch_output);
  visit(InputInfo{"batch.utilization", "u_b", "utilization in batch mode", share}, c.batch_utilization);
}

inline constexpr std::size_t kSheetInputs = kDecodeInputs + 12;

/// What tokens cost and what is asked for them. Costs are of chips, without the margin.
template <class S>
struct SheetEstimate {
  Seconds<S> input_compute, input_write, input_time;  // chip-seconds of a token
  Seconds<S> output_time;
  Seconds<S> fetch_time, first_time;  // of a cached token: from its tier, and read once by what is new
  DollarsPerToken<S> input_cost, output_cost, cached_cost;
  DollarsPerToken<S> input, output, cached;  // prices
  CacheTariff<S> tariff;                     // of writes, with the margin
  Ratio<S> output_over_input, cached_over_input;
  DollarsPerToken<S> fast_input, fast_output;
  Ratio<S> batch_idle;  // cost with fewer idle chips, over standard
  DollarsPerToken<S> batch_input, batch_output;
  Ratio<S> slow_saving;  // bound: at the chips' peaks, weights shared by ever more sequences
  Tokens<S> balance_context;
};

/// Calls visit(OutputInfo, field) for every output, always in the same order.
template <class Estimate, class Visit>
constexpr void visit_sheet_outputs(Estimate& e, Visit&& visit) {
  visit(OutputInfo{"input_compute", "chip time to prefill a token"}, e.input_compute);
  visit(OutputInfo{"input_write", "chip time to write its KV cache to memory"}, e.input_write);
  visit(OutputInfo{"input_time", "both"}, e.input_time);
  visit(OutputInfo{"output_time", "chip time of an output token"}, e.output_time);
  visit(OutputInfo{"fetch_time", "chip time to fetch a cached token"}, e.fetch_time);
  visit(OutputInfo{"first_time", "chip time to read it once more, by what is new"}, e.first_time);
  visit(OutputInfo{"input_cost", "cost of input"}, e.input_cost);
  visit(OutputInfo{"output_cost", "cost of output"}, e.output_cost);
  visit(OutputInfo{"cached_cost", "cost of cached input"}, e.cached_cost);
  visit(OutputInfo{"input", "price of input"}, e.input);
  visit(OutputInfo{"output", "price of output"}, e.output);
  visit(OutputInfo{"cached", "price of cached input"}, e.cached);
  visit(OutputInfo{"write_premium", "price of a write into the cache, over fresh input"}, e.tariff.premium);
  visit(OutputInfo{"hold", "price of keeping a token for a second"}, e.tariff.hold);
  visit(OutputInfo{"output_over_input", "price of output over input"}, e.output_over_input);
  visit(OutputInfo{"cached_over_input", "price of cached over fresh input"}, e.cached_over_input);
  visit(OutputInfo{"fast_input", "price of input in fast mode"}, e.fast_input);
  visit(OutputInfo{"fast_output", "price of output in fast mode"}, e.fast_output);
  visit(OutputInfo{"batch_idle", "cost with fewer idle chips, over standard"}, e.batch_idle);
  visit(OutputInfo{"batch_input", "price of input in batch mode"}, e.batch_input);
  visit(OutputInfo{"batch_output", "price of output in batch mode"}, e.batch_output);
  visit(OutputInfo{"slow_saving", "most a slow mode can save by waiting, at the chips' peaks"}, e.slow_saving);
  visit(OutputInfo{"balance_context", "context whose KV read time equals the weights' compute"}, e.balance_context);
}

inline constexpr std::size_t kSheetOutputs = 23;

template <class S>
SheetEstimate<S> estimate_sheet(const SheetCase<S>& c);

// The same inputs in another reading, and the outputs as a list.

template <>
struct FieldList<SheetCase> {
  using Info = InputInfo;
  static constexpr std::size_t kCount = kSheetInputs;
  static constexpr void visit(auto& c, auto&& f) { visit_sheet_inputs(c, f); }
  static constexpr void keep_terms(const auto& from, auto& to) { to.decode.has = from.decode.has; }
};

template <>
struct FieldList<SheetEstimate> {
  using Info = OutputInfo;
  static constexpr std::size_t kCount = kSheetOutputs;
  static constexpr void visit(auto& estimate, auto&& f) { visit_sheet_outputs(estimate, f); }
};

}  // namespace ridge
