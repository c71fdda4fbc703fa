#pragma once
// What would flip a verdict, as JSON.

#include <vector>

#include "base/text/unit_text.hpp"
#include "report/base/json.hpp"
#include "roofline/flips.hpp"

namespace ridge::report {

inline Json flips_json(const std::vector<Flip>& all) {
  Json json = Json::array();
  for (const Flip& one : all) {
    json.push_back({{"input", one.input},
                    {"value", json_number(one.value)},
                    {"to", json_number(one.to)},
                    {"factor", json_number(one.factor())},
                    {"unit", unit_name(one.dimension)},
                    {"binds", one.binds}});
  }
  return json;
}

}  // namespace ridge::report
