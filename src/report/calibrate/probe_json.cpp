#include "report/base/json.hpp"
#include "report/calibrate/probe_text.hpp"

namespace ridge::report {

namespace {

Json works_json(const std::vector<ProbedWork>& works) {
  Json out = Json::object();
  for (const ProbedWork& work : works) {
    Json rates = Json::array();
    for (const ProbedRate& rate : *work.rates) {
      rates.push_back({{"threads", rate.threads},
                       {"best", json_number(rate.best)},
                       {"median", json_number(rate.median)},
                       {"spread", json_number(rate.spread)},
                       {"passes", rate.passes},
                       {"dropped", rate.dropped}});
    }
    out[std::string(work.key)] = std::move(rates);
  }
  return out;
}

}  // namespace

std::string probe_json(const ProbeReport& report) {
  Json json{{"schema", "ridge.probe/1"},
            {"cpu",
             {{"title", report.cpu.title},
              {"vendor", report.cpu.vendor},
              {"threads", report.cpu.threads},
              {"memory", json_number(report.cpu.memory)},
              {"instructions", report.cpu.instructions},
              {"library", report.cpu.library.empty() ? Json(nullptr) : Json(report.cpu.library)},
              {"rates", works_json(works_of(report.cpu))},
              {"missing", report.cpu.missing}}},
            {"gpu", nullptr},
            {"no_gpu", report.gpu ? Json(nullptr) : Json(report.no_gpu)},
            {"entries", Json::array()}};
  if (report.gpu) {
    json["gpu"] = {{"title", report.gpu->title},       {"vendor", report.gpu->vendor},
                   {"devices", report.gpu->devices},   {"memory", json_number(report.gpu->memory)},
                   {"software", report.gpu->software}, {"rates", works_json(works_of(*report.gpu))},
                   {"missing", report.gpu->missing}};
  }
  for (const ProbeEntryText& one : report.entries) json["entries"].push_back({{"path", one.path}, {"toml", one.toml}});
  return dumped(json);
}

}  // namespace ridge::report
