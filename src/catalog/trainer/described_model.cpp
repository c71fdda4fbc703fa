#include "catalog/trainer/described_model.hpp"

#include <cmath>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "train/step/model_shape.hpp"

namespace ridge::catalog {

namespace {

/// Layers in front that have no experts, of "([0]*3+[1]*58)"; nothing where they are mixed otherwise.
std::optional<double> dense_layers(const std::string& pattern) {
  std::string plain;
  for (const char c : pattern) {
    if (c != '(' && c != ')' && c != ' ' && c != '"' && c != '\'') plain += c;
  }
  if (plain == "1" || plain.starts_with("[1]*")) return 0;
  const std::size_t plus = plain.find('+');
  if (!plain.starts_with("[0]*") || plus == std::string::npos || !plain.substr(plus + 1).starts_with("[1]*"))
    return std::nullopt;
  return parse_number(plain.substr(4, plus - 4));
}

/// A shape so far: its words, and what of them decides what is taken for those that are not said.
struct ShapeSoFar {
  std::string words;
  bool gated = false, latent = false, experts = false;
  bool ffn = false, vocabulary = false;  // said
  void add(std::string_view word, double number) { words += fmt::format(" {}={:g}", word, number); }
};

/// The words that the framework has for shapes, those of switches apart.
void add_said(SaidWords& said, ShapeSoFar& shape) {
  for (const auto& [word, flags] : said.trainer().shape) {
    SaidWord* one = said.said(flags);
    if (one == nullptr || word == "gated" || word == "latent" || word == "grouped" || word == "tied" ||
        word == "untied")
      continue;
    if (word == "dense_layers") {
      one->used = true;
      const auto dense = dense_layers(one->value);
      if (dense && *dense > 0 && shape.experts) shape.add(word, *dense);
      if (!dense)
        said.note(fmt::format("{} {}: experts are taken to be in every layer", one->flag, shortened(one->value)));
      continue;
    }
    if (one->value == "0" && (word == "mtp" || word == "shared_ffn")) {  // none
      one->used = true;
      continue;
    }
    const bool of_latent =
        word == "q_rank" || word == "kv_rank" || word == "nope" || word == "rope" || word == "value_dim";
    const bool of_experts = word == "top" || word == "expert_ffn" || word == "shared_ffn";
    const auto number = said.count(flags);
    if (!number || (of_latent && !shape.latent) || (of_experts && !shape.experts)) continue;
    shape.ffn = shape.ffn || word == "ffn";
    shape.vocabulary = shape.vocabulary || word == "vocab";
    shape.add(word == "value_dim" ? "value" : word, *number);  // "value" is a fact's own word in TOML
  }
}

/// What the framework takes where its command says nothing.
void add_unsaid(SaidWords& said, double hidden, ShapeSoFar& shape) {
  const Trainer& trainer = said.trainer();
  if (!shape.ffn && shape.gated && trainer.usual_gated_ffn > 0)
    shape.add("ffn", std::floor(hidden * trainer.usual_gated_ffn / 64) * 64);
  if (shape.gated) shape.words += " gated";
  const bool tied = said.shape_word("tied") != nullptr ? said.shape_switch("tied") : !said.shape_switch("untied");
  if (tied) shape.words += " tied";
  if (shape.vocabulary) return;
  shape.add("vocab", trainer.usual_vocabulary);
  said.note(fmt::format("no vocabulary in it: one of {:g} tokens is taken", trainer.usual_vocabulary));
}

}  // namespace

std::optional<Model> described_model(SaidWords& said) {
  using N = TrainerNumber;
  const auto layers = said.count(N::layers), hidden = said.count(N::hidden), heads = said.count(N::heads);
  if (!layers || !hidden || !heads) return std::nullopt;
  ShapeSoFar shape{.words = fmt::format("layers={:g} hidden={:g} heads={:g}", *layers, *hidden, *heads),
                   .gated = said.shape_switch("gated"),
                   .latent = said.shape_switch("latent"),
                   .experts = said.said(N::experts) != nullptr};
  add_said(said, shape);
  if (shape.experts) shape.add("experts", said.count(N::experts).value_or(1));
  add_unsaid(said, *hidden, shape);
  if (!said.errors.empty()) return std::nullopt;
  auto built = model_of_shape(shape.words, said.where());
  if (!built) {
    append(said.errors, built.error());
    return std::nullopt;
  }
  said.note(fmt::format("no model of the catalog has {:g} layers of {:g}: taken as it is described, {}", *layers,
                        *hidden, shape.words));
  return std::move(*built);
}

}  // namespace ridge::catalog
