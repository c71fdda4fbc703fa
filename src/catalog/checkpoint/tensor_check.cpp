#include "catalog/checkpoint/tensor_check.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "catalog/checkpoint/tensor_parts.hpp"

namespace ridge::catalog {

namespace {

/// The format that a stored type computes as; empty where it says nothing (packed words and bytes).
std::string format_of_type(std::string_view type) {
  if (type == "BF16") return "bf16";
  if (type == "F16") return "fp16";
  if (type == "F32") return "fp32";
  if (type.starts_with("F8_E4") || type.starts_with("F8_E5")) return "fp8";
  if (type == "MXFP4") return "mxfp4";
  for (const std::string_view own :
       {"Q8_0", "Q6_K", "Q5_K", "Q4_K", "Q3_K", "Q2_K", "Q5_1", "Q5_0", "Q4_1", "Q4_0", "IQ4_NL", "IQ4_XS"}) {
    if (type == own) return lower_case(type);  // those that catalog/format.toml has
  }
  if (type.starts_with("Q8") || type.starts_with("Q6") || type.starts_with("Q5")) return "int8";
  if (type.starts_with("Q") || type.starts_with("IQ") || type.starts_with("TQ")) return "int4";
  return "";
}

/// The parts without which there is no language model.
constexpr Part kNeeded[] = {Part::embedding, Part::attention, Part::dense_ffn, Part::routed_experts};
constexpr double kMostApart = 2;  // no release holds more than twice, or less than half, of what its config says

/// Tensors that belong to another model, or to a part of this one alone.
Errors other_model(const ParameterParts& said, const CountedTensors& counted, std::string_view place) {
  constexpr const char* kHint =
      "put the config and all tensors of one model into a folder; - counts a config alone, from standard input";
  double found = 0;
  ParameterParts stored;
  for (const Part part : all_parts()) stored[part] = counted.params[static_cast<std::size_t>(part)];
  found = stored.total();
  for (const Part part : kNeeded) {
    if (said[part] > 0 && !(stored[part] > 0)) {
      return {{std::string(place),
               fmt::format("the tensors hold no {}, and the config says {} parameters of it", name_of(part),
                           with_commas(said[part])),
               kHint}};
    }
  }
  if (found > kMostApart * said.total() || found < said.total() / kMostApart) {
    return {{std::string(place),
             fmt::format("the tensors hold {} parameters, and the config says {}: they are not of one model",
                         with_commas(found), with_commas(said.total())),
             kHint}};
  }
  return {};
}

void use_formats(Model& model, const CountedTensors& counted) {
  const auto main_type = [&](std::initializer_list<Part> parts) {
    std::map<std::string, double> bytes;
    for (const Part part : parts) {
      for (const auto& [type, sum] : counted.bytes_by_type[static_cast<std::size_t>(part)]) bytes[type] += sum;
    }
    const auto most =
        std::max_element(bytes.begin(), bytes.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    return most == bytes.end() ? std::string() : format_of_type(most->first);
  };
  Precisions& precision = model.precision.value;
  // block-scaled fp8 stores the same type as fp8 with one scale: the config knows which
  const auto take = [](std::string& to, const std::string& from) {
    if (!from.empty() && !(from == "fp8" && to.starts_with("fp8"))) to = from;
  };
  take(precision.weights, main_type({Part::attention, Part::dense_ffn, Part::shared_experts}));
  take(precision.experts, model.experts() == nullptr ? precision.weights : main_type({Part::routed_experts}));
}

}  // namespace

namespace {

/// What the tensors hold beyond what the config says of a part (or less, where it is negative), used as the part is.
void add_difference(Model& model, Part part, double difference) {
  Weight weight = vector(part, "beyond_the_config_" + std::string(name_of(part)), difference);
  if (part == Part::embedding) weight.use = Use::table;  // rows more of a table
  if (part == Part::routed_experts) weight.used = routed_share(model);
  const bool second_head = part == Part::head && model.tied_embeddings;  // a copy of the embedding that nobody reads
  if (second_head) weight.used = 0;
  (part == Part::mtp ? model.mtp_extra : model.extra).push_back(std::move(weight));
}

}  // namespace

Errors believe_tensors(Model& model, const TensorTable& table, std::string_view place) {
  const CountedTensors counted = count_tensors(table, model.layers());
  const ParameterParts said = count_parameters(model);
  if (Errors other = other_model(said, counted, place); !other.empty()) return other;
  std::vector<std::string> differences;
  double stored = 0;
  model.released_formats.clear();
  for (const Part part : all_parts()) {
    const auto at = static_cast<std::size_t>(part);
    const double found = counted.params[at];
    stored += found;
    model.released[at] = counted.bytes[at];
    for (const auto& [type, bytes] : counted.bytes_by_type[at]) model.released_formats[lower_case(type)] += bytes;
    if (found == said[part]) continue;
    differences.push_back(
        fmt::format("{} {} (config: {})", name_of(part), with_commas(found), with_commas(said[part])));
    if (part == Part::vision) {
      model.vision = found;
    } else if (part == Part::audio) {
      model.audio = found;
    } else if (part == Part::mtp && found == 0) {
      model.mtp_order.clear();
      model.mtp_extra.clear();
    } else {
      add_difference(model, part, found - said[part]);
    }
  }
  use_formats(model, counted);
  std::string text = fmt::format("{} tensors with {} parameters",
                                 with_commas(static_cast<double>(table.tensors.size())), with_commas(stored));
  if (differences.empty()) {
    text += ": the config agrees with them to the last one";
  } else {
    text += "; they differ from the config, and are believed: " + joined(differences, ", ");
  }
  model.remarks.insert(model.remarks.begin(), text);
  if (!counted.unknown.empty()) {
    const double more = static_cast<double>(counted.unknown.size()) - 1;
    model.remarks.push_back(fmt::format("tensor \"{}\"{} is of no known kind: counted under other",
                                        shortened(counted.unknown.front()),
                                        more > 0 ? fmt::format(" (and {} more)", with_commas(more)) : ""));
  }
  if (counted.guessed_bits > 0) model.remarks.push_back("the width of some packed tensors was guessed from their size");
  return {};
}

}  // namespace ridge::catalog
