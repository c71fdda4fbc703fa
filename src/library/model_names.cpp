#include "library/model_names.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text/text.hpp"

namespace ridge {

namespace {

/// A name without what does not change the architecture, and the number format it speaks of.
struct PlainName {
  std::string words;
  std::optional<std::string> format;
};

bool is_variant(std::string_view word) {
  constexpr std::string_view kWords[] = {"instruct", "it", "chat", "hf", "base", "exp", "dynamic", "block", "g128"};
  if (std::find(std::begin(kWords), std::end(kWords), word) != std::end(kWords)) return true;
  const auto all = [](std::string_view text, std::string_view of) {
    return !text.empty() && text.find_first_not_of(of) == std::string_view::npos;
  };
  const bool date = word.size() == 4 && all(word, "0123456789");
  const bool version = word.starts_with('v') && word.find('.') != std::string_view::npos &&
                       all(word.substr(1), "0123456789.");  // v0.3 of Mistral; V3 of DeepSeek is another model
  return date || (version && word.starts_with("v0")) || word == "v1.0";
}

std::optional<std::string> format_of(std::string_view word) {
  if (word.starts_with("quantized.")) word.remove_prefix(10);
  constexpr std::pair<std::string_view, std::string_view> kFormats[] = {
      {"fp8", "fp8"},   {"awq", "w4a16"}, {"gptq", "w4a16"}, {"int4", "w4a16"},  {"4bit", "w4a16"}, {"w4a16", "w4a16"},
      {"int8", "int8"}, {"w8a8", "int8"}, {"fp4", "nvfp4"},  {"nvfp4", "nvfp4"}, {"bf16", "bf16"},
  };
  for (const auto& [theirs, ours] : kFormats) {
    if (theirs == word) return std::string(ours);
  }
  return std::nullopt;
}

/// "llama-3.1-8b-instruct-q4_k_m.gguf", "repo-gguf:q8_0": without the ending, and the mix of its weights.
PlainName without_gguf(const Library& library, std::string_view name) {
  PlainName out{lower_case(name), {}};
  constexpr std::string_view kEnding = ".gguf";
  if (out.words.ends_with(kEnding)) out.words.resize(out.words.size() - kEnding.size());
  for (const Format& format : library.formats) {
    const std::string& mix = format.name;
    const std::size_t size = out.words.size();
    if (!format.mix || size <= mix.size() + 1 || !out.words.ends_with(mix)) continue;
    const char before = out.words[size - mix.size() - 1];
    if (before != '-' && before != '.' && before != ':') continue;
    out.format = mix;
    out.words.resize(size - mix.size() - 1);
    break;
  }
  if (out.words.ends_with("-gguf")) out.words.resize(out.words.size() - 5);
  return out;
}

PlainName plain(std::string_view name) {
  std::string text = lower_case(name);
  std::replace(text.begin(), text.end(), '_', '-');
  std::vector<std::string> words = split(text, '-');
  PlainName out;
  while (words.size() > 1) {
    const auto format = format_of(words.back());
    if (!format && !is_variant(words.back())) break;
    if (format && !out.format) out.format = format;
    words.pop_back();
  }
  if (words.size() > 1 && (words.front() == "meta" || words.front() == "nvidia")) words.erase(words.begin());
  out.words = joined(words, "-");
  return out;
}

/// What stands after the last slash; for a cache of Hugging Face ("models--ORG--NAME/snapshots/...") its NAME.
std::string_view last_part(std::string_view path) {
  if (const auto cache = path.find("models--"); cache != std::string_view::npos) {
    const std::string_view entry = path.substr(cache, path.substr(cache).find('/'));
    return entry.substr(entry.rfind("--") + 2);
  }
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  return path.substr(path.rfind('/') + 1);  // npos + 1 is 0
}

ModelMatch as_variant(const Model& model, std::string_view name, std::optional<std::string> weights) {
  const std::string& released = model.precision.value.weights;
  if (weights && released.starts_with(*weights)) weights.reset();  // fp8 in blocks is fp8
  ModelMatch match{&model, weights, ""};
  match.note = fmt::format("\"{}\" is taken as {}{}: the same architecture, its weights in {}", shortened(name),
                           model.title, model.repository.empty() ? "" : " (" + model.repository + ")",
                           weights ? *weights : released + " as released");
  return match;
}

}  // namespace

bool is_called(const Model& model, std::string_view word) {
  const std::string lower = lower_case(word);
  return lower_case(model.name) == lower || (!model.repository.empty() && lower_case(model.repository) == lower);
}

std::optional<ModelMatch> find_model(const Library& library, std::string_view name) {
  if (name.empty()) return std::nullopt;
  // most repositories end in the name: then no other model is read
  if (const Model* own = library.models.find(lower_case(last_part(name))); own != nullptr && is_called(*own, name))
    return ModelMatch{own, {}, ""};
  for (const Model& model : library.models) {
    if (is_called(model, name)) return ModelMatch{&model, {}, ""};
  }
  constexpr std::size_t kLongest = 1000;
  const std::string_view last = last_part(name);
  if (last.empty() || last.size() > kLongest) return std::nullopt;
  const PlainName file = without_gguf(library, last);
  const std::string& lower = file.words;
  for (const Model& model : library.models) {
    if (lower_case(model.name) == lower || lower_case(last_part(model.repository)) == lower)
      return as_variant(model, name, file.format);
  }
  PlainName wanted = plain(lower);
  if (file.format) wanted.format = file.format;
  const Model* same_shape = nullptr;
  for (const Model& model : library.models) {
    const PlainName ours = plain(model.name), theirs = plain(last_part(model.repository));
    if (ours.words != wanted.words && theirs.words != wanted.words) continue;
    const auto format = ours.format ? ours.format : theirs.format;
    if (format == wanted.format) return as_variant(model, name, {});
    if (same_shape == nullptr || !format) same_shape = &model;
  }
  if (same_shape == nullptr) return std::nullopt;
  return as_variant(*same_shape, name, wanted.format);
}

}  // namespace ridge
