#include "report/train/activations_text.hpp"

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "base/text/unit_text.hpp"

namespace ridge::report {

namespace {
std::string_view said(bool given) { return given ? "" : " (default)"; }
}  // namespace

std::string activations_text(const ActivationsAnswer& answer, const Style& style) {
  const ActivationCase<double>& c = answer.numbers;
  std::string out =
      bold(style, wrapped(fmt::format("Activations of {}: {} layers, batch {}{}, sequences of {}{}", answer.title,
                                      with_commas(c.layers), with_commas(c.batch.value()), said(answer.batch_given),
                                      show(c.sequence), said(answer.sequence_given)),
                          style.columns, 2)) +
      "\n";
  out += wrapped(fmt::format("16-bit activations, {} dropout, all on one chip; roofline bound",
                             answer.dropout ? "with" : "no"),
                 style.columns, 0) +
         "\n\n";
  out += dim(style,
             fmt::format("  {}{}{}{}{}{}", padded("policy", 20), padded("kept", 12, true), padded("working", 12, true),
                         padded("total", 12, true), padded("of keep all", 12, true), padded("compute", 9, true))) +
         "\n";
  const Bytes<double> most = answer.policies.front().total;
  for (std::size_t i = 0; i < answer.policies.size(); ++i) {
    const ActivationCost<double>& one = answer.policies[i];
    out += fmt::format("  {}{}{}{}{}{}\n", padded(name_of(kActivationPolicies[i]), 20),
                       padded(show_gib(one.kept.value()), 12, true), padded(show_gib(one.working.value()), 12, true),
                       padded(show_gib(one.total.value()), 12, true),
                       padded(percent((one.total / most).value()), 12, true),
                       padded(fmt::format("{:.3f}x", one.compute.value()), 9, true));
  }
  const ActivationCost<double>& reversible = answer.policies.back();
  out += wrapped(
             "selective drops the attention scores alone, as fused attention kernels do; full keeps each "
             "layer's "
             "input; every sqrt(L) keeps one input in so many layers and runs those forward together; reversible keeps "
             "the "
             "last layer's two streams and computes the others back",
             style.columns, 2) +
         "\n\n";
  out += dim(style, fmt::format("  {}{}{}", padded("the opposite trades", 22), padded("memory", 18, true),
                                padded("compute", 36, true))) +
         "\n";
  const auto row = [&](std::string_view name, const std::string& memory, const std::string& compute) {
    out += fmt::format("  {}{}{}\n", padded(name, 22), padded(memory, 18, true), padded(compute, 36, true));
  };
  row("KV cache, serving", "spends " + show_gib(answer.cache.cache.value()),
      fmt::format("saves {} per step, {}x", show((answer.cache.without - answer.cache.with_cache).value(), kFlop, 3),
                  significant((answer.cache.without / answer.cache.with_cache).value(), 3)));
  row("reversible, training", "saves " + show_gib((most - reversible.total).value()),
      fmt::format("spends {} per step, {:.3f}x", show(reversible.extra.value(), kFlop, 3), reversible.compute.value()));
  return out;
}

}  // namespace ridge::report
