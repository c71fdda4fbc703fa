#include "report/base/json.hpp"
#include "report/serve/layout_text.hpp"

namespace ridge::report {

namespace {

template <class Q>
Json optional_number(const std::optional<Q>& quantity) {
  return quantity ? json_number(quantity->value()) : Json(nullptr);
}
Json optional_count(const std::optional<double>& count) { return count ? json_count(*count) : Json(nullptr); }

Json range_json(const Range& range) { return Json::array({json_count(range.first), json_count(range.last())}); }

Json layout_of(const Layout& layout) {
  return {{"tensor", json_count(layout.tensor)},
          {"pipeline", json_count(layout.pipeline)},
          {"context", json_count(layout.context)},
          {"attention_data", json_count(layout.attention_data)},
          {"expert", json_count(layout.expert)},
          {"replicas", json_count(layout.replicas)},
          {"redundant_experts", json_count(layout.redundant_experts)}};
}

Json chips_json(const LayoutAnswer& answer) {
  constexpr double kMost = 4096;  // a listing, not a data base
  Json chips = Json::array();
  const Layout& layout = answer.placement.layout;
  const double count = std::min(kMost, layout.chips_per_stage() * layout.pipeline);
  for (double chip = 0; chip < count; ++chip) {
    const Seat seat = seat_of(answer.placement, chip);
    Json json{{"chip", json_count(chip)},          {"rack", json_count(seat.rack)},
              {"slot", json_count(seat.slot)},     {"stage", json_count(seat.stage)},
              {"tensor", json_count(seat.tensor)}, {"context", json_count(seat.context)},
              {"data", json_count(seat.data)},     {"layers", range_json(seat.layers)}};
    if (seat.experts.count > 0) json["experts"] = range_json(seat.experts);
    if (seat.copies > 0) json["copies"] = json_count(seat.copies);
    chips.push_back(std::move(json));
  }
  return chips;
}

Json stages_json(const LayoutAnswer& answer) {
  Json stages = Json::array();
  for (const Holding& one : answer.stages) {
    stages.push_back({{"layers", range_json(one.layers)},
                      {"attention", json_number(one.attention)},
                      {"dense_and_shared_ffn", json_number(one.networks)},
                      {"experts", json_number(one.experts)},
                      {"embedding", json_number(one.embedding)},
                      {"lm_head", json_number(one.head)},
                      {"weights", json_number(one.weights())},
                      {"kv_cache_per_sequence", json_number(one.sequence)}});
  }
  return stages;
}

Json rack_json(const LayoutAnswer& answer) {
  const RackBudget& b = answer.budget;
  return {{"chips", json_count(answer.rack.chips.value())},
          {"capacity", json_number(held_by(answer.rack).value())},
          {"bandwidth", json_number((answer.rack.chips * answer.rack.memory).value())},
          {"sweep_time", json_number(sweep_time(answer.rack).value())},
          {"network_ratio", optional_number(answer.network_ratio)},
          {"power_of_chips", json_number(b.chips.value())},
          {"power_drawn", optional_number(b.drawn)},
          {"power_drawn_at_meter", b.at_meter},
          {"power_limit", optional_number(b.power_limit)},
          {"chips_by_power", optional_number(b.chips_by_power)},
          {"cables", optional_count(b.cables)},
          {"cable_limit", optional_count(b.cable_limit)},
          {"chips_by_cables", optional_number(b.chips_by_cables)}};
}

}  // namespace

std::string layout_json(const LayoutAnswer& answer) {
  Json json{{"schema", "ridge.layout/2"},
            {"model", answer.model->name},
            {"machine", answer.machine->name},
            {"layout", layout_of(answer.placement.layout)},
            {"batch", json_number(answer.question.batch)},
            {"context", json_number(answer.question.context)},
            {"class", "roofline bound"},
            {"racks", json_count(answer.placement.racks())},
            {"racks_per_stage", json_count(answer.placement.racks_per_stage)},
            {"stages_per_rack", json_count(answer.placement.stages_per_rack)},
            {"chips", chips_json(answer)},
            {"stages", stages_json(answer)},
            {"fit",
             {{"fits", answer.fits()},
              {"needed", json_number(answer.needed)},
              {"capacity", json_number(answer.usable)},
              {"stage", json_count(static_cast<double>(answer.fullest))},
              {"sequences", json_number(answer.sequences)}}}};
  Json traffic = Json::array();
  for (const Traffic& one : answer.traffic) {
    traffic.push_back({{"what", one.what},
                       {"scale_up", json_number(one.inside)},
                       {"scale_out", json_number(one.outside)},
                       {"times", json_number(one.times)}});
  }
  json["traffic"] = std::move(traffic);
  json["micro_batch"] = json_number(answer.micro_batch);
  json["network_time"] = json_number(answer.network.value());
  Json spans = Json::array();
  for (const SpanRow& row : answer.spans) {
    spans.push_back({{"racks", json_count(row.racks)},
                     {"every_copy", json_number(row.plain)},
                     {"merged", json_number(row.merged)}});
  }
  json["spans"] = std::move(spans);
  if (answer.largest) {
    json["largest_layer"] = {{"by_memory_all_layers", json_number(answer.largest->all_here.value())},
                             {"by_memory_alone", json_number(answer.largest->alone.value())},
                             {"by_latency", json_number(answer.largest->in_time.value())},
                             {"latency", json_number(answer.question.latency.value())},
                             {"this_model", json_number(answer.expert_layer)}};
  }
  Json pipeline = Json::array();
  for (const StageRow& row : answer.pipeline) {
    pipeline.push_back({{"stages", json_count(row.stages)},
                        {"layers", json_count(row.layers)},
                        {"in_flight", json_number(row.in_flight)},
                        {"weights", json_number(row.weights.value())},
                        {"kv_cache", json_number(row.context.value())},
                        {"hop_hidden", json_number(row.hidden.value())},
                        {"hops_time", json_number(row.hops.value())}});
  }
  json["pipeline"] = std::move(pipeline);
  json["hop_latency"] = json_number(answer.hop.value());
  json["rack"] = rack_json(answer);
  json["notes"] = answer.notes;
  return dumped(json);
}

std::string compare_json(const std::vector<RackColumn>& columns, const Model& model) {
  Json machines = Json::array();
  for (const RackColumn& one : columns) {
    machines.push_back({{"machine", one.machine->name},
                        {"chips", json_count(one.rack.chips.value())},
                        {"capacity", json_number(held_by(one.rack).value())},
                        {"bandwidth", json_number((one.rack.chips * one.rack.memory).value())},
                        {"weights", json_number(one.weights.value())},
                        {"racks_to_hold", json_count(one.racks_to_hold)},
                        {"read_time", json_number(one.read.value())},
                        {"chips_used", json_count(one.used)},
                        {"read_time_used", json_number(one.read_used.value())},
                        {"sweep_time", json_number(sweep_time(one.rack).value())},
                        {"network_ratio", optional_number(one.network_ratio)},
                        {"power_of_chips", json_number(one.chip_power.value())}});
  }
  return dumped(
      Json{{"schema", "ridge.racks/2"}, {"model", model.name}, {"class", "roofline bound"}, {"machines", machines}});
}

}  // namespace ridge::report
