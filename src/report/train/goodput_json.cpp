#include "report/base/json.hpp"
#include "report/train/goodput_text.hpp"

namespace ridge::report {

namespace {

Json shares_json(const train::Goodput<double>& shares) {
  return {{"goodput", json_number(shares.useful.value())},
          {"checkpoints", json_number(shares.checkpoints.value())},
          {"rework", json_number(shares.rework.value())},
          {"restarts", json_number(shares.restarts.value())}};
}

Json goodput_row_json(const train::GoodputRow& row) {
  Json json;
  json["checkpoints"] = std::string(train::name_of(row.kind));
  json["stall"] = json_number(row.times.stall.value());
  json["write"] = json_number(row.times.write.value());
  json["restore"] = json_number(row.times.restore.value());
  json["memory_restore"] = json_number(row.times.memory_restore.value());
  json["young"] = json_number(row.young.value());
  json["daly"] = row.daly_holds ? json_number(row.daly.value()) : Json(nullptr);
  json["interval"] = json_number(row.interval.value());
  json["shares"] = shares_json(row.closed);
  json["elapsed"] = json_number(row.elapsed.value());
  if (!row.simulated) {
    json["simulated"] = nullptr;
    return json;
  }
  const train::GoodputRow::Simulated& found = *row.simulated;
  json["simulated"] = {{"best_interval", json_number(found.best.interval.value())},
                       {"flat_from", json_number(found.best.flat_from.value())},
                       {"flat_to", json_number(found.best.flat_to.value())},
                       {"best_goodput", json_number(found.best.goodput)},
                       {"shares", shares_json(found.shares)},
                       {"elapsed", json_number(found.elapsed.value())},
                       {"elapsed_10", json_number(found.elapsed_10.value())},
                       {"elapsed_90", json_number(found.elapsed_90.value())},
                       {"runs", found.runs}};
  return json;
}

}  // namespace

std::string goodput_json(const train::GoodputAnswer& answer, const std::optional<train::PublishedRun>& published,
                         const std::vector<std::string>& guesses) {
  const train::FailureCase<double>& c = answer.question.numbers;
  Json json;
  json["schema"] = "ridge.goodput/1";
  json["asked"] = {{"chips", json_count(c.chips.value())},
                   {"mtbf", json_number(c.chip_mtbf.value())},
                   {"checkpoint", json_number(c.checkpoint.value())},
                   {"storage", json_number(c.storage.value())},
                   {"snapshot", json_number(c.snapshot.value())},
                   {"restart", json_number(c.restart.value())},
                   {"survives", json_number(c.survives.value())},
                   {"work", json_number(c.work.value())},
                   {"repair", json_number(answer.question.repair.value())},
                   {"node_chips", json_count(answer.question.node_chips.value())},
                   {"seed", answer.question.seed},
                   {"run", answer.question.source}};
  json["machine_mtbf"] = json_number(answer.mtbf.value());
  json["best"] = std::string(train::name_of(answer.best().kind));
  json["rows"] = Json::array();
  for (const train::GoodputRow& row : answer.rows) json["rows"].push_back(goodput_row_json(row));
  json["spare_nodes"] = {{"in_repair", json_number(answer.spares.in_repair)}, {"needed", answer.spares.needed}};
  if (published && published->goodput_least)
    json["published"] = {{"goodput_least", json_number(*published->goodput_least)},
                         {"unexpected", json_number(published->unexpected)},
                         {"elapsed", json_number(published->elapsed.value())}};
  json["assumed"] = guesses;
  return dumped(json);
}

}  // namespace ridge::report
