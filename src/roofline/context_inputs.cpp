#include "roofline/context_inputs.hpp"

#include <fmt/format.h>

#include "base/text/unit_text.hpp"
#include "library/look_up.hpp"
#include "roofline/readings.hpp"

namespace ridge {

namespace {

using HeldBytes = std::array<double, 3>;  // of an element, by Held

Result<HeldBytes> held_bytes(const Precisions& precision, const std::vector<Format>& formats) {
  HeldBytes bytes{};
  for (const Held held : {Held::kv, Held::index, Held::state}) {
    const std::string& own = held == Held::kv ? precision.kv : held == Held::index ? precision.index : precision.state;
    const auto format = look_up(formats, own.empty() ? precision.kv : own, "format");
    if (!format) {
      Errors errors = format.error();
      if (held == Held::kv) errors.front().where = "kv";
      return fail(std::move(errors));
    }
    bytes[static_cast<std::size_t>(held)] = (*format)->bytes.value.value();
  }
  return bytes;
}

template <Dimension D>
void increase(Quantity<D, double>& sum, double more) {
  sum = sum + Quantity<D, double>(more);
}

/// All layers' terms in the inputs of one case, and what of the cache is plain keys and values.
struct ContextSums {
  DecodeCase<double> numbers;
  double kv_elements = 0;
  Errors errors;
};

ContextSums context_sums(const Model& model, const HeldBytes& bytes) {
  ContextSums sums;
  DecodeCase<double>& c = sums.numbers;
  const auto merge_limit = [&](Tokens<double>& known, double limit, std::string_view what) {
    if (known.value() != 0 && known.value() != limit) {
      sums.errors.push_back(
          {"model", fmt::format("{} has {} of {:g} and of {:g} tokens", model.name, what, known.value(), limit),
           "the decode step knows one of each; ridge show tells what the layers need"});
    }
    known = Tokens<double>(limit);
  };
  for (const ContextTerm& term : context_terms(model)) {
    const double width = bytes[static_cast<std::size_t>(term.held)];
    increase(c.state_stored, width * term.fixed_stored);
    increase(c.state_read, width * term.fixed_read);
    increase(c.state_flops, term.fixed_flops);
    increase(c.root_read, width * term.root_read);
    increase(c.root_flops, term.root_flops);
    if (term.limit == kUnlimited) {
      increase(c.kv_stored, width * term.stored);
      increase(c.kv_read, width * term.read);
      increase(c.attention_flops, term.flops);
      if (term.held == Held::kv) sums.kv_elements += term.stored;
    } else if (term.stored > 0) {
      merge_limit(c.window, term.limit, "windows");
      increase(c.window_stored, width * term.stored);
      increase(c.window_read, width * term.read);
      increase(c.window_flops, term.flops);
    } else if (term.read > 0 || term.flops > 0) {
      merge_limit(c.selected, term.limit, "selections");
      increase(c.selected_read, width * term.read);
      increase(c.selected_flops, term.flops);
    }
  }
  return sums;
}

}  // namespace

Result<std::vector<KnownInput>> context_inputs(const Model& model, const Precisions& precision, bool kv_chosen,
                                               const std::vector<Format>& formats) {
  const auto bytes = held_bytes(precision, formats);
  if (!bytes) return fail(bytes.error());
  const ContextSums sums = context_sums(model, *bytes);
  if (!sums.errors.empty()) return fail(sums.errors);
  const auto derived = [&](std::string note) {
    return Provenance{model.architecture.source, Kind::derived, std::move(note), model.architecture.place};
  };
  const DecodeCase<double>& c = sums.numbers;
  const std::string chosen = kv_chosen ? ", as chosen" : "";
  const std::string index = precision.index.empty() ? "" : ", index keys in " + precision.index;
  const bool plain =
      index.empty() && c.window_stored.value() == 0 && sums.kv_elements == c.kv_stored.value() / bytes->front();
  const Provenance cache =
      derived(plain ? fmt::format("{:g} layers, {} elements in {}{}", model.layers(), with_commas(sums.kv_elements),
                                  precision.kv, chosen)
                    : fmt::format("over all layers; keys and values in {}{}{}", precision.kv, chosen, index));
  std::vector<KnownInput> out;
  visit_inputs(c, [&](const InputInfo& info, const auto& quantity) {
    const double value = quantity.value();
    const std::string_view table = info.key.substr(0, info.key.find('.'));
    if (table == "kv") out.push_back({input_index(info.key), value, cache});
    if (info.key == "attention.flops")
      out.push_back({input_index(info.key), value, derived("all layers, scores and values")});
    if (table == "window" || table == "selected" || table == "root" || table == "state") {
      out.push_back(
          {input_index(info.key), value, derived(value == 0 ? "none in this model" : "counted over all layers")});
    }
  });
  return out;
}

}  // namespace ridge
