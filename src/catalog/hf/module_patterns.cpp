#include "catalog/hf/module_patterns.hpp"

#include <algorithm>
#include <cctype>

#include "base/text/text.hpp"
#include "library/config_words.hpp"

namespace ridge::catalog {

namespace {

/// "layers.3." where the text names one layer; empty otherwise.
std::string_view layer_in(std::string_view text) {
  constexpr std::string_view kLayers = "layers.";
  const std::size_t start = text.find(kLayers);
  if (start == std::string_view::npos) return {};
  std::size_t end = start + kLayers.size();
  while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end]))) ++end;
  const bool numbered = end > start + kLayers.size() && end < text.size() && text[end] == '.';
  return numbered ? text.substr(start, end + 1 - start) : std::string_view();
}

}  // namespace

ModulePatterns::ModulePatterns(const std::vector<std::string_view>& patterns) : plain_(patterns.size()) {
  auto said = said_.end();  // lists go layer by layer: mostly the same one again
  for (const std::string_view pattern : patterns) {
    const std::size_t layers = pattern.find("layers.");
    if (layers != std::string_view::npos) prefixes_.insert(pattern.substr(0, layers));
    const std::string_view layer = layers == std::string_view::npos ? std::string_view() : layer_in(pattern);
    if (!layer.empty()) {
      if (said == said_.end() || said->first != layer) said = said_.try_emplace(layer).first;
      const auto at = static_cast<std::size_t>(layer.data() - pattern.data());
      said->second.append(pattern, 0, at).append("#").append(pattern, at + layer.size()).append("\n");
    } else if (std::any_of(pattern.begin(), pattern.end(), [](unsigned char c) { return std::isdigit(c); })) {
      regular_ = regular_ && pattern.find("layers") == std::string_view::npos && !pattern.starts_with("re:");
    }
    if (pattern.starts_with("re:")) {
      if (auto expression = NameExpression::read(pattern.substr(3))) {
        expressions_.push_back(std::move(*expression));
      } else {
        refused_.push_back(pattern);
      }
    } else if (pattern.find('*') == std::string_view::npos) {
      plain_.insert(pattern);
    } else if (!layer.empty()) {
      by_layer_[layer].push_back(pattern);
    } else {
      globs_.push_back(pattern);
    }
  }
}

bool ModulePatterns::match(std::string_view module) const {
  std::vector<std::size_t> starts{0};  // of components
  for (std::size_t i = 0; i < module.size(); ++i) {
    if (module[i] == '.') starts.push_back(i + 1);
  }
  starts.push_back(module.size() + 1);
  for (std::size_t first = 0; first + 1 < starts.size() && !plain_.empty(); ++first) {
    for (std::size_t last = first + 1; last < starts.size(); ++last) {
      const std::string_view inner = module.substr(starts[first], starts[last] - 1 - starts[first]);
      if (plain_.contains(inner) && (first == 0 || inner.find("layers.") == std::string_view::npos)) return true;
    }
  }
  const auto any = [&](const std::vector<std::string_view>& globs) {
    return std::any_of(globs.begin(), globs.end(), [&](const auto& glob) { return matches_glob(module, glob); });
  };
  const auto own = by_layer_.find(layer_in(module));
  if (own != by_layer_.end() && any(own->second)) return true;
  if (any(globs_)) return true;
  return std::any_of(expressions_.begin(), expressions_.end(),
                     [&](const NameExpression& one) { return one.match_start(module); });
}

const std::string& ModulePatterns::said_of_layer(double layer) const {
  static const std::string kNothing;
  const auto found = said_.find("layers." + std::to_string(static_cast<long>(layer)) + ".");
  return found == said_.end() ? kNothing : found->second;
}

}  // namespace ridge::catalog
