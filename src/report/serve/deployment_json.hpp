#pragma once
// What the JSON of a deployment and of a plan share. Heavy, like json.hpp: only for the *_json.cpp files of this folder.

#include "engine/engine_commands.hpp"
#include "report/base/json.hpp"

namespace ridge::report {

inline Json layout_json(const Layout& layout) {
  return {{"name", short_name(layout)},
          {"chips", json_count(layout.chips())},
          {"tensor", json_count(layout.tensor)},
          {"pipeline", json_count(layout.pipeline)},
          {"context", json_count(layout.context)},
          {"attention_data", json_count(layout.attention_data)},
          {"expert", json_count(layout.expert)},
          {"redundant_experts", json_count(layout.redundant_experts)},
          {"replicas", json_count(layout.replicas)}};
}

inline Json commands_json(const std::vector<EngineCommand>& commands) {
  Json json = Json::array();
  for (const EngineCommand& command : commands) {
    json.push_back({{"engine", command.engine},
                    {"role", command.role.empty() ? Json(nullptr) : Json(command.role)},
                    {"command", command.text},
                    {"copies", json_count(command.copies)},
                    {"exact", command.exact},
                    {"notes", command.notes}});
  }
  return json;
}

}  // namespace ridge::report
