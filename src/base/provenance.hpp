#pragma once
// Where a number comes from. It travels beside the number, never inside an equation.

#include <optional>
#include <string>
#include <string_view>

namespace ridge {

enum class Kind {
  datasheet,  // the maker's word
  measured,   // somebody's clock
  derived,    // arithmetic on other facts
  assumed,    // a guess, and says so
  user,       // given on the command line or in a scenario
  fallback,   // what the program takes where nobody said anything
};

constexpr const char* name_of(Kind kind) {
  switch (kind) {
    case Kind::datasheet:
      return "datasheet";
    case Kind::measured:
      return "measured";
    case Kind::derived:
      return "derived";
    case Kind::assumed:
      return "assumed";
    case Kind::user:
      return "user";
    case Kind::fallback:
      return "default";
  }
  return "?";
}

struct Provenance {
  std::string source;  // id in catalog/sources.toml, or "--flag"
  Kind kind = Kind::assumed;
  std::string note = {};
  std::string place = {};  // "chip/h200-sxm.toml:7"
};

inline std::optional<Kind> kind_named(std::string_view name) {
  for (const Kind kind : {Kind::datasheet, Kind::measured, Kind::derived, Kind::assumed, Kind::user, Kind::fallback}) {
    if (name == name_of(kind)) return kind;
  }
  return {};
}

/// A document, measurement or guess that facts cite.
struct Source {
  std::string id, title, date, confidence, note;
  Kind kind = Kind::assumed;
};

template <class T>
struct Sourced {
  T value{};
  Provenance from{};
};

}  // namespace ridge
