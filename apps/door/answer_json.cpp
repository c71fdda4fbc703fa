#include "door/answer_json.hpp"

#include "report/base/json.hpp"

namespace ridge::door {

namespace {

std::string quoted(const std::string& text) {
  return report::Json(text).dump(-1, ' ', false, report::Json::error_handler_t::replace);
}

}  // namespace

std::string refusal_json(int exit, const Errors& errors) {
  report::Json json;
  json["ok"] = false;
  json["exit"] = exit;
  json["errors"] = report::Json::array();
  for (const Error& error : errors)
    json["errors"].push_back({{"where", error.where}, {"what", error.what}, {"hint", error.hint}});
  return json.dump(-1, ' ', false, report::Json::error_handler_t::replace);
}

std::string answer_json(int exit, const Answer& answer) {
  std::string out = "{\"ok\":true,\"exit\":" + std::to_string(exit);
  if (!answer.said.empty()) out += ",\"said\":" + quoted(answer.said);
  if (!answer.files.empty()) {
    out += ",\"files\":{";
    for (const auto& [name, text] : answer.files) {
      if (out.back() != '{') out += ",";
      out += quoted(name) + ":" + quoted(text);
    }
    out += "}";
  }
  return out + (answer.is_json ? ",\"json\":" + answer.out : ",\"text\":" + quoted(answer.out)) + "}";
}

}  // namespace ridge::door
