#include "catalog/entries/sound_model.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "base/text/text.hpp"

namespace ridge::catalog {

namespace {

constexpr const char* kCheckSizes = "check the sizes in it: together they cannot be a model's";
constexpr double kRounding = 1e-12;  // sums of more than 2^53 are rounded

bool is_amount(double value) { return std::isfinite(value) && value >= 0; }
bool is_positive(double value) { return std::isfinite(value) && value > 0; }

/// A number as people read it, also where it is none.
std::string shown_sum(double value) { return std::isfinite(value) ? with_commas(value) : fmt::format("{}", value); }

}  // namespace

Errors wrong_sums(const Model& model, std::string_view place) {
  Errors errors;
  const auto complain = [&](std::string what, std::string hint = kCheckSizes) {
    if (errors.empty()) errors.push_back({std::string(place), std::move(what), std::move(hint)});  // the rest follows
  };
  if (model.order.empty()) return errors;  // said elsewhere: a model without layers
  const ParameterParts parts = count_parameters(model);
  for (const Part part : all_parts()) {
    const double bytes = model.released[static_cast<std::size_t>(part)];
    if (!is_amount(parts[part]))
      complain(fmt::format("its {} come to {} parameters", name_of(part), shown_sum(parts[part])));
    if (!is_amount(bytes)) complain(fmt::format("its {} come to {} bytes", name_of(part), shown_sum(bytes)));
  }
  const double total = parts.total(), active = active_parameters(model);
  if (!is_positive(total)) complain(fmt::format("the model comes to {} parameters", shown_sum(total)));
  if (!is_positive(active) || active > total * (1 + kRounding))
    complain(fmt::format("a token uses {} of {} parameters", shown_sum(active), shown_sum(total)));
  if (!is_amount(parts.always_read() + kRounding * total))
    complain(fmt::format("every token reads {} parameters", shown_sum(parts.always_read())));
  if (!is_positive(weight_flops(model)))
    complain(fmt::format("a token takes {} FLOP with the weights", shown_sum(weight_flops(model))));
  const double bytes = std::accumulate(model.released.begin(), model.released.end(), 0.0);
  if (!is_amount(bytes)) complain(fmt::format("its weights come to {} bytes", shown_sum(bytes)));
  for (const auto& [format, sum] : model.released_formats) {
    if (!(sum >= -kRounding * bytes) || !std::isfinite(sum))
      complain(fmt::format("its weights in {} come to {} bytes", format, shown_sum(sum)));
  }
  for (const ContextTerm& term : context_terms(model)) {
    for (const double amount : {term.stored, term.read, term.flops, term.fixed_stored, term.fixed_read,
                                term.fixed_flops, term.root_read, term.root_flops}) {
      if (!is_amount(amount))
        complain(fmt::format("a token of context keeps {} elements of {}", shown_sum(amount), name_of(term.held)));
    }
  }
  return errors;
}

}  // namespace ridge::catalog
