#include "report/base/json.hpp"
#include "report/roofline/chips_text.hpp"

namespace ridge::report {

namespace {

template <class Q>
Json json_of(const std::optional<Q>& value) {
  return value ? json_number(value->value()) : Json(nullptr);
}

Json numbers_json_of(const ChipNumbers& one, double sparsity) {
  Json json{{"name", one.name},
            {"title", one.title},
            {"chip", one.chip->name},
            {"vendor", one.chip->vendor},
            {"year", one.chip->year > 0 ? Json(one.chip->year) : Json(nullptr)},
            {"sweep", json_number(one.sweep.value())},
            {"chips", json_count(one.domain)},
            {"scale_up", json_of(one.scale_up)},
            {"scale_out", json_of(one.scale_out)},
            {"network_ratio", json_of(one.network_ratio)},
            {"domain_memory", json_number(one.domain_memory.value())},
            {"domain_bandwidth", json_number(one.domain_bandwidth.value())},
            {"price", json_of(one.price)},
            {"price_filled", one.price_filled},
            {"price_assumed", one.price_assumed},
            {"dollars_per_byte_read", json_of(one.read_cost)},
            {"largest_params", json_number(one.largest.value())},
            {"largest_known", one.largest_known != nullptr ? Json(one.largest_known->name) : Json(nullptr)},
            {"formats", Json::array()}};
  for (const FormatNumbers& format : one.formats) {
    json["formats"].push_back({{"format", format.format},
                               {"peak", json_number(format.peak.value())},
                               {"flop_per_byte", json_number(format.intensity.value())},
                               {"ridge_batch", json_number(format.ridge_batch.value())},
                               {"ridge_batch_sparse", json_number(format.ridge_batch.value() * sparsity)},
                               {"dollars_per_flop", json_of(format.cost)}});
  }
  return json;
}

}  // namespace

std::string chips_json(const ChipsReport& report) {
  Json json{{"schema", "ridge.chips/1"},
            {"sparsity", json_number(report.sparsity)},
            {"sparsity_from", report.sparsity_from},
            {"price_basis", report.basis},
            {"rows", Json::array()},
            {"generations", Json::array()},
            {"notes", report.notes}};
  for (const ChipNumbers& one : report.numbers) json["rows"].push_back(numbers_json_of(one, report.sparsity));
  for (const Generation& one : report.generations)
    json["generations"].push_back({{"vendor", one.now->chip->vendor},
                                   {"year", one.now->chip->year},
                                   {"name", one.now->name},
                                   {"before", one.before != nullptr ? Json(one.before->name) : Json(nullptr)}});
  return dumped(json);
}

}  // namespace ridge::report
