#include "report/model/model_summary.hpp"

#include <algorithm>

namespace ridge::report {

namespace {

double bytes_of(const std::vector<Format>& formats, const std::string& name) {
  const auto found = std::find_if(formats.begin(), formats.end(), [&](const Format& one) { return one.name == name; });
  return found == formats.end() ? 0 : found->bytes.value.value();
}

/// Bytes of an element that a context term holds.
double held_width(const Model& model, const std::vector<Format>& formats, Held held) {
  const Precisions& precision = model.precision.value;
  const std::string& own = held == Held::kv ? precision.kv : held == Held::index ? precision.index : precision.state;
  return bytes_of(formats, own.empty() ? precision.kv : own);
}

}  // namespace

ModelSummary summarize(const Model& model, const std::vector<Format>& formats) {
  ModelSummary summary;
  summary.parts = count_parameters(model);
  summary.total = summary.parts.total();
  summary.stored = summary.parts.stored();
  summary.active = active_parameters(model);
  const double table = model.tied_embeddings ? 0 : model.vocabulary * model.hidden;
  summary.active_without_embedding = summary.active - table;
  summary.sparsity = summary.active > 0 ? summary.total / summary.active : 0;
  for (const Part part : all_parts()) {
    const auto at = static_cast<std::size_t>(part);
    const std::string& format =
        part == Part::routed_experts ? model.precision.value.experts : model.precision.value.weights;
    const bool counted = std::any_of(model.released.begin(), model.released.end(), [](double b) { return b > 0; });
    summary.bytes[at] = counted ? model.released[at] : summary.parts[part] * bytes_of(formats, format);
    summary.bytes_stored += summary.bytes[at];
    if (part != Part::mtp && part != Part::vision && part != Part::audio) summary.bytes_language += summary.bytes[at];
  }
  const ContextTerms terms = context_terms(model);
  for (const ContextTerm& term : terms) {
    const double width = held_width(model, formats, term.held);
    (term.limit == kUnlimited ? summary.kv_bytes_per_token : summary.window_bytes_per_token) += width * term.stored;
    summary.state_bytes += width * term.fixed_stored;
  }
  for (const double context : kShownContexts) {
    ContextRow row{.context = context, .attention_flops = attention_flops(terms, context)};
    for (const Held held : {Held::kv, Held::index, Held::state}) {
      const double width = held_width(model, formats, held);
      row.stored_bytes += width * stored_elements(terms, held, context);
      row.read_bytes += width * read_elements(terms, held, context);
    }
    summary.contexts.push_back(row);
  }
  summary.weight_flops = weight_flops(model);
  summary.equal_context = attention_equals_weights(model);
  return summary;
}

}  // namespace ridge::report
