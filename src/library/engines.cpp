#include "library/engines.hpp"

#include <algorithm>

#include "library/calibrations.hpp"
#include "library/names.hpp"

namespace ridge {

FoundEngine find_engine(const Library& library, std::string_view name) {
  const auto is_version = [&](const Engine& engine) {
    return name.size() > engine.name.size() + 1 && name.starts_with(engine.name) && name[engine.name.size()] == '-';
  };
  if (const Engine* own = find_named(library.engines, name)) return {own, false};
  const Engine* nearest = nullptr;
  for (const Engine& engine : library.engines) {
    const bool closer = nearest == nullptr || engine.name.size() > nearest->name.size();
    if (is_version(engine) && closer) nearest = &engine;
  }
  if (nearest != nullptr) return {nearest, false};
  if (const Engine* general = find_named(library.engines, kGeneralEngine)) return {general, true};
  static const Engine kNothing{};  // a library without engines, which refuses every name before
  return {&kNothing, true};
}

std::string engine_called(const Library& library, std::string_view word) {
  const std::vector<std::string> names = known_engines(library);
  if (std::find(names.begin(), names.end(), word) != names.end()) return std::string(word);
  const std::string bare = bare_word(word);
  for (const std::string& name : names) {
    if (bare_word(name) == bare) return name;
  }
  for (const Engine& engine : library.engines) {
    for (const std::string& program : engine.programs) {
      if (bare_word(program) == bare) return engine.name;
    }
  }
  return std::string(word);
}

std::vector<const Engine*> ordered_engines(const Library& library) {
  std::vector<const Engine*> all;
  for (const Engine& engine : library.engines) all.push_back(&engine);
  std::stable_sort(all.begin(), all.end(), [](const Engine* a, const Engine* b) { return a->order < b->order; });
  return all;
}

std::vector<std::string> known_engines(const Library& library) {
  std::vector<std::string> names = engine_names(library);
  for (const std::string& name : names_of(library.engines)) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

}  // namespace ridge
