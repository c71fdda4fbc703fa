#include <cmath>
#include <map>

#include <fmt/format.h>

#include "base/text/unit_text.hpp"
#include "report/base/json.hpp"
#include "report/price/sheet/litellm.hpp"

namespace ridge::report {

namespace {

/// A name for each sheet: as short as tells them apart.
std::vector<std::string> names_of(const std::vector<PriceSheet>& sheets) {
  std::map<std::string, int> models, sold;
  const auto long_name = [](const PriceSheet& sheet) { return sheet.provider + "/" + sheet.model; };
  for (const PriceSheet& sheet : sheets) {
    ++models[sheet.model];
    ++sold[long_name(sheet)];
  }
  std::vector<std::string> names;
  for (const PriceSheet& sheet : sheets) {
    if (models[sheet.model] == 1) {
      names.push_back(sheet.model);
    } else if (sold[long_name(sheet)] == 1) {
      names.push_back(long_name(sheet));
    } else {
      names.push_back(long_name(sheet) + "@" + sheet.date);
    }
  }
  return names;
}

class Writer {
 public:
  Json written(const PriceSheet& sheet, const std::string& name) {
    name_ = name;
    Json json{{"litellm_provider", sheet.provider}, {"mode", "chat"}};
    prices(json, "", sheet.input, sheet.output, sheet.cached, sheet.writes);
    for (const PriceBreak& tier : sheet.tiers) {
      const double thousands = tier.above.value() / 1000;
      if (thousands != std::floor(thousands)) {
        leave_out(fmt::format("the tier above {}: only whole thousands of tokens have a name", show(tier.above)));
        continue;
      }
      prices(json, fmt::format("_above_{}k_tokens", thousands), tier.input, tier.output, tier.cached, tier.writes);
    }
    for (const SpeedMode& one : sheet.modes) mode(json, sheet, one);
    if (sheet.hold) leave_out("the price of keeping a cache by the hour");
    if (sheet.max_input) json["max_input_tokens"] = json_count(sheet.max_input->value());
    if (sheet.max_output) json["max_output_tokens"] = json_count(sheet.max_output->value());
    if (!sheet.source.empty()) json["source"] = sheet.source;
    return json;
  }

  std::vector<std::string> left_out;

 private:
  void leave_out(const std::string& what) { left_out.push_back(fmt::format("{}: {}", name_, what)); }

  void prices(Json& json, const std::string& ending, DollarsPerToken<double> input, DollarsPerToken<double> output,
              const std::optional<DollarsPerToken<double>>& cached, const std::vector<CacheWrite>& writes) {
    json["input_cost_per_token" + ending] = input.value();
    json["output_cost_per_token" + ending] = output.value();
    if (cached) json["cache_read_input_token_cost" + ending] = cached->value();
    for (const CacheWrite& write : writes) {
      const double kept = write.keep.value();
      if (kept == 300.0) {
        json["cache_creation_input_token_cost" + ending] = write.price.value();
      } else if (kept == 3600.0) {
        json["cache_creation_input_token_cost_above_1hr" + ending] = write.price.value();
      } else {
        leave_out(fmt::format("a write kept {}: only 5 min and 1 h have a name", show(write.keep)));
      }
    }
  }

  void mode(Json& json, const PriceSheet& sheet, const SpeedMode& one) {
    if (one.speed) leave_out(fmt::format("how fast {} is", one.name));
    if (one.name == "batch" || one.name == "priority" || one.name == "flex") {
      const std::string ending = one.name == "batch" ? "_batches" : "_" + one.name;
      json["input_cost_per_token" + ending] = one.input.value();
      json["output_cost_per_token" + ending] = one.output.value();
      return;
    }
    // the map has one factor for both
    const double factor = (one.input / sheet.input).value();
    if (one.name == "fast" && std::fabs((one.output / sheet.output).value() - factor) < 1e-9 * factor) {
      json["provider_specific_entry"] = {{"fast", factor}};
    } else {
      leave_out(fmt::format("the mode {}", one.name));
    }
  }

  std::string name_;
};

}  // namespace

PriceMap price_map(const std::vector<PriceSheet>& sheets) {
  const std::vector<std::string> names = names_of(sheets);
  Writer writer;
  Json json = Json::object();
  for (std::size_t i = 0; i < sheets.size(); ++i) json[names[i]] = writer.written(sheets[i], names[i]);
  return {dumped(json), std::move(writer.left_out)};
}

}  // namespace ridge::report
