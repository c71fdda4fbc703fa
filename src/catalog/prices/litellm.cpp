#include "catalog/prices/litellm.hpp"

#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>

#include "base/text/currency.hpp"
#include "base/text/text.hpp"
#include "catalog/json/json_value.hpp"
#include "price/sheet/sheet_check.hpp"

namespace ridge::catalog {

namespace {

using TokenPrice = DollarsPerToken<double>;

// The map says how long only for the more expensive write; the other is Anthropic's default of five minutes.
constexpr Seconds<double> kShortKeep(300.0), kLongKeep(3600.0);

bool take_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

/// "_above_200k_tokens" is taken off the front; its number, or nothing.
std::optional<double> take_threshold(std::string_view& text) {
  constexpr std::string_view kBefore = "_above_", kAfter = "k_tokens";
  const std::size_t after = text.find(kAfter);
  if (!text.starts_with(kBefore) || after == std::string_view::npos) return {};
  const auto thousands = parse_number(text.substr(kBefore.size(), after - kBefore.size()));
  if (!thousands || !(*thousands > 0)) return {};
  text.remove_prefix(after + kAfter.size());
  return *thousands * 1000;
}

/// Not prices of anything: what a model can do, and who says so.
bool is_silent(std::string_view key) {
  constexpr std::array<std::string_view, 4> kPrefixes = {"supports_", "supported_", "max_", "output_vector_size"};
  constexpr std::array<std::string_view, 15> kNames = {"litellm_provider",
                                                       "mode",
                                                       "source",
                                                       "metadata",
                                                       "deprecation_date",
                                                       "rpm",
                                                       "tpm",
                                                       "rpd",
                                                       "comment",
                                                       "prompt_cache_min_tokens",
                                                       "notes",
                                                       "base_model",
                                                       "input_type",
                                                       "display_name",
                                                       "tool_use_system_prompt_tokens"};
  return std::any_of(kPrefixes.begin(), kPrefixes.end(), [&](auto prefix) { return key.starts_with(prefix); }) ||
         std::find(kNames.begin(), kNames.end(), key) != kNames.end();
}

/// Modes of which tokens in and out are sold.
bool sells_tokens(std::string_view mode) {
  constexpr std::array<std::string_view, 4> kModes = {"", "chat", "completion", "responses"};
  return std::find(kModes.begin(), kModes.end(), mode) != kModes.end();
}

std::string text_of(const JsonValue& object, std::string_view key) {
  const JsonValue* found = object.find(key);
  return found != nullptr && found->text() != nullptr ? *found->text() : std::string{};
}

/// Of one length of input: what a tier, or the sheet itself, is made of.
struct Prices {
  std::optional<TokenPrice> input, output, cached;
  std::vector<CacheWrite> writes;

  void set(const PriceKey& key, TokenPrice price) {
    if (key.of == PriceKey::Of::input) input = price;
    if (key.of == PriceKey::Of::output) output = price;
    if (key.of == PriceKey::Of::cached) cached = price;
    // nothing is charged for a write in itself: then it costs what input does
    if (key.of != PriceKey::Of::write || price.value() == 0.0) return;
    const Seconds<double> keep = key.hour ? kLongKeep : kShortKeep;
    std::erase_if(writes, [&](const CacheWrite& write) { return write.keep == keep; });  // said twice: the last holds
    writes.push_back({keep, price});
  }
};

class MapReader {
 public:
  explicit MapReader(std::string_view filename) : filename_(filename) {}

  void read(const std::string& name, const JsonValue& value) {
    if (name == "sample_spec") return;
    where_ = fmt::format("{}: {}", filename_, shortened(name));
    read_model(name, value);
    if (errors_.empty()) return;
    file_.left_out.push_back({name, text_of(value, "litellm_provider"), {}});
    std::swap(file_.left_out.back().errors, errors_);
  }

  Result<SheetFile> result() {
    if (file_.sheets.empty()) {
      Errors all;
      for (const SheetFile::LeftOut& one : file_.left_out) append(all, one.errors);
      if (!all.empty()) return fail(std::move(all));
    }
    for (const auto& [what, times] : counts_) file_.unread.push_back(fmt::format("{} ({})", what, times));
    return std::move(file_);
  }

 private:
  void read_model(const std::string& name, const JsonValue& value) {
    if (value.object() == nullptr) {
      errors_.push_back({where_, "is not an object", "each model of the map has {\"input_cost_per_token\": ...}"});
      return;
    }
    const std::string mode = text_of(value, "mode");
    if (!sells_tokens(mode)) return count(fmt::format("models of mode {}", shortened(mode)));
    base_ = {};
    tiers_.clear();
    modes_.clear();
    fast_.reset();
    for (const auto& [key, member] : *value.object()) member_of(key, member);
    finish(name, value);
  }

  void count(const std::string& what) { ++counts_[what]; }

  std::optional<double> number(std::string_view key, const JsonValue& value) {
    if (value.is_null()) return {};
    if (value.number() != nullptr) return *value.number();
    if (value.text() != nullptr) {  // some write "5e-06" in quotes
      if (const auto quoted = parse_number(*value.text())) return *quoted;
    }
    const std::string where = fmt::format("{}: {}", where_, shortened(key));
    const auto money = value.text() != nullptr ? money_error(*value.text(), where) : std::nullopt;
    errors_.push_back(money.value_or(Error{where, fmt::format("is {}", kind_of(value)), "write dollars a token"}));
    return {};
  }

  void member_of(const std::string& key, const JsonValue& value) {
    const auto parts = price_key(key);
    if (parts) {
      const auto price = number(key, value);
      if (price) set(*parts, key, TokenPrice(*price));
    } else if (key == "currency") {
      if (value.text() == nullptr || !is_dollar(*value.text())) {
        errors_.push_back({where_,
                           fmt::format("prices are in {}", value.text() ? shortened(*value.text()) : "no currency"),
                           "convert them to USD; rates of exchange are not ours to guess"});
      }
    } else if (key == "tiered_pricing") {
      ranges(value);
    } else if (key == "provider_specific_entry" && value.object() != nullptr) {
      for (const auto& [name, multiplier] : *value.object()) {
        if (name == "fast") {
          fast_ = number(name, multiplier);
        } else {
          count(fmt::format("{}.{}", key, shortened(name)));
        }
      }
    } else if (key == "max_input_tokens" || key == "max_output_tokens") {
      const auto limit = number(key, value);
      if (limit) (key == "max_input_tokens" ? max_input_ : max_output_) = Tokens<double>(*limit);
    } else if (!is_silent(key)) {
      count(shortened(key));
    }
  }

  void set(const PriceKey& key, const std::string& name, TokenPrice price) {
    if (key.mode.empty()) {
      (key.above > 0 ? tiers_[key.above] : base_).set(key, price);
    } else if (key.above > 0 || key.of == PriceKey::Of::cached || key.of == PriceKey::Of::write) {
      count(name);  // a mode has two prices here
    } else {
      modes_[std::string(key.mode)].set(key, price);
    }
  }

  /// [{"range": [0, 32000], "input_cost_per_token": ...}, ...]: the whole sheet by length.
  void ranges(const JsonValue& value) {
    if (value.array() == nullptr) return count("tiered_pricing");
    for (const JsonValue& one : *value.array()) {
      const JsonValue* range = one.find("range");
      const JsonArray* ends = range == nullptr ? nullptr : range->array();
      if (ends == nullptr || ends->empty() || ends->front().number() == nullptr) return count("tiered_pricing");
      const double from = *ends->front().number();
      for (const auto& [key, member] : *one.object()) {
        const auto parts = price_key(key);
        if (!parts && key != "range") count(fmt::format("tiered_pricing.{}", shortened(key)));
        const auto price = parts ? number(key, member) : std::nullopt;
        if (price) (from > 0 ? tiers_[from] : base_).set(*parts, TokenPrice(*price));
      }
    }
  }

  void finish(const std::string& name, const JsonValue& value) {
    PriceSheet sheet;
    sheet.model = name;
    sheet.provider = text_of(value, "litellm_provider");
    sheet.source = text_of(value, "source");
    if (sheet.source.empty()) sheet.source = filename_;
    std::swap(sheet.max_input, max_input_);
    std::swap(sheet.max_output, max_output_);
    if (!errors_.empty()) return;
    // missing, or nothing: free of charge, or charged by something else
    if (!base_.input || !base_.output || (base_.input->value() == 0.0 && base_.output->value() == 0.0)) {
      return count("models without a price of tokens");
    }
    sheet.input = *base_.input;
    sheet.output = *base_.output;
    sheet.cached = base_.cached;
    sheet.writes = sorted(base_.writes);
    for (auto& [above, prices] : tiers_) {
      // what does not change with length is not repeated
      sheet.tiers.push_back({Tokens<double>(above), prices.input.value_or(sheet.input),
                             prices.output.value_or(sheet.output), prices.cached, sorted(prices.writes)});
    }
    for (auto& [mode, prices] : modes_) {
      if (!prices.input || !prices.output) {
        count(fmt::format("{} with one price of two", mode));
        continue;
      }
      sheet.modes.push_back({mode, *prices.input, *prices.output, {}});
    }
    if (fast_) sheet.modes.push_back({"fast", sheet.input * *fast_, sheet.output * *fast_, {}});
    for (Error error : sheet_errors(sheet)) {
      error.where = fmt::format("{}: {}", where_, error.where);
      errors_.push_back(std::move(error));
    }
    if (errors_.empty()) file_.sheets.push_back(std::move(sheet));
  }

  static std::vector<CacheWrite> sorted(std::vector<CacheWrite> writes) {
    std::sort(writes.begin(), writes.end(), [](const CacheWrite& a, const CacheWrite& b) { return a.keep < b.keep; });
    return writes;
  }

  std::string filename_, where_;
  Prices base_;
  std::map<double, Prices> tiers_;
  std::map<std::string, Prices> modes_;
  std::optional<double> fast_;
  std::optional<Tokens<double>> max_input_, max_output_;
  std::map<std::string, int> counts_;
  SheetFile file_;
  Errors errors_;
};

}  // namespace

std::optional<PriceKey> price_key(std::string_view name) {
  PriceKey key;
  if (take_prefix(name, "cache_creation_input_token_cost")) {
    key.of = PriceKey::Of::write;
    key.hour = take_prefix(name, "_above_1hr");
  } else if (take_prefix(name, "cache_read_input_token_cost") || take_prefix(name, "input_cost_per_token_cache_hit")) {
    key.of = PriceKey::Of::cached;
  } else if (take_prefix(name, "input_cost_per_token")) {
    key.of = PriceKey::Of::input;
  } else if (take_prefix(name, "output_cost_per_token")) {
    key.of = PriceKey::Of::output;
  } else {
    return {};
  }
  key.above = take_threshold(name).value_or(0.0);
  constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kModes = {
      {{"_batches", "batch"}, {"_priority", "priority"}, {"_flex", "flex"}}};
  for (const auto& [ending, mode] : kModes) {
    if (name == ending) {
      key.mode = mode;
      return key;
    }
  }
  return name.empty() ? std::optional(key) : std::nullopt;
}

Result<SheetFile> read_price_map(std::string_view text, std::string_view filename) {
  const auto json = parse_json(text, filename);
  if (!json) return fail(json.error());
  MapReader reader(filename);
  for (const auto& [name, value] : *json->object()) reader.read(name, value);
  auto file = reader.result();
  if (file && file->sheets.empty()) {
    return fail({std::string(filename), "holds no model with prices of tokens",
                 "LiteLLM's map: {\"model\": {\"input_cost_per_token\": 2e-06, \"output_cost_per_token\": 1e-05}}"});
  }
  return file;
}

}  // namespace ridge::catalog
