#pragma once
// What a layer keeps of a sequence and what its next token reads of it: functions of the context, and not the same one.
// Every kind of attention here is a sum of lines, each of which may stop growing at a limit, and a fixed state.

#include <cmath>
#include <limits>
#include <string_view>
#include <vector>

namespace ridge {

inline constexpr double kUnlimited = std::numeric_limits<double>::infinity();

/// Which number format holds it.
enum class Held { kv, index, state };

constexpr std::string_view name_of(Held held) {
  return held == Held::kv ? "kv" : held == Held::index ? "index" : "state";
}

/// One line, for one layer and one sequence. `stored`, `read` and `flops` are for each token of context up to `limit`;
/// the `fixed_` ones are there whatever the context. Elements, not bytes.
struct ContextTerm {
  Held held = Held::kv;
  double limit = kUnlimited;  // tokens
  double stored = 0, read = 0, flops = 0;
  double fixed_stored = 0, fixed_read = 0, fixed_flops = 0;
  double root_read = 0, root_flops = 0;  // for each square root of a token: idealized sparse attention
  double prefill_flops = 0;              // instead of `flops` when a whole prompt is computed; 0: the same
  // most pieces into which tensor parallelism divides the work, and what is kept: query heads, kv heads
  double query_pieces = 1, kv_pieces = 1;
};

using ContextTerms = std::vector<ContextTerm>;

/// The context at which a term stops growing, or the context itself.
inline double reached(const ContextTerm& term, double context) { return context < term.limit ? context : term.limit; }

inline double stored_elements(const ContextTerm& term, double context) {
  return term.stored * reached(term, context) + term.fixed_stored;
}
inline double read_elements(const ContextTerm& term, double context) {
  return term.read * reached(term, context) + term.fixed_read + term.root_read * std::sqrt(context);
}
inline double attention_flops(const ContextTerm& term, double context) {
  return term.flops * reached(term, context) + term.fixed_flops + term.root_flops * std::sqrt(context);
}

inline ContextTerms over_heads(ContextTerms terms, double query_heads, double kv_heads) {
  for (ContextTerm& term : terms) {
    term.query_pieces = query_heads;
    term.kv_pieces = kv_heads;
  }
  return terms;
}

/// A state is read and written back at every step.
inline ContextTerm state_term(double elements, double flops) {
  return {.held = Held::state, .fixed_stored = elements, .fixed_read = 2 * elements, .fixed_flops = flops};
}

}  // namespace ridge
