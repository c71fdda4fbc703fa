#include "catalog/prices/sheet_answer.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "catalog/json/json_value.hpp"
#include "price/sheet/sheet_check.hpp"

namespace ridge::catalog {

namespace {

constexpr std::string_view kSchemas = "\"ridge.price/";  // 1 said "tiers" where 2 says "price_breaks"; both are read

/// One object of the answer; what is missing, of another kind or unknown is an error, since the file is ours.
class ObjectReader {
 public:
  ObjectReader(const JsonValue& object, std::string where, Errors& errors)
      : object_(object), where_(std::move(where)), errors_(errors) {
    if (object.object() == nullptr) wrong("is not an object");
  }
  ~ObjectReader() {
    if (object_.object() == nullptr) return;
    for (const auto& [key, value] : *object_.object()) {
      if (std::find(known_.begin(), known_.end(), key) == known_.end())
        wrong(fmt::format("has an unknown key \"{}\"", shortened(key)));
    }
  }
  ObjectReader(const ObjectReader&) = delete;
  ObjectReader& operator=(const ObjectReader&) = delete;

  std::optional<double> number(const char* key) {
    const JsonValue* found = member(key);
    if (found == nullptr) return {};
    if (found->number() == nullptr) wrong(fmt::format("{} is {}", key, kind_of(*found)));
    return found->number() != nullptr ? std::optional(*found->number()) : std::nullopt;
  }
  template <class Q>
  std::optional<Q> quantity(const char* key) {
    const auto value = number(key);
    return value ? std::optional(Q(*value)) : std::nullopt;
  }
  template <class Q>
  Q needed(const char* key) {
    const auto value = number(key);
    if (!value && member(key) == nullptr) wrong(fmt::format("has no {}", key));
    return Q(value.value_or(0.0));
  }
  std::string text(const char* key) {
    const JsonValue* found = member(key);
    return found != nullptr && found->text() != nullptr ? *found->text() : std::string{};
  }
  bool flag(const char* key) {
    const JsonValue* found = member(key);
    return found != nullptr && found->boolean() != nullptr && *found->boolean();
  }
  template <class Read>
  void each(const char* key, Read&& read) {
    const JsonValue* found = member(key);
    if (found == nullptr) return;
    if (found->array() == nullptr) return wrong(fmt::format("{} is {}", key, kind_of(*found)));
    for (const JsonValue& one : *found->array()) {
      ObjectReader inner(one, fmt::format("{}: {}", where_, key), errors_);
      read(inner);
    }
  }

 private:
  const JsonValue* member(const char* key) {
    known_.emplace_back(key);
    return object_.find(key);
  }
  void wrong(std::string what) {
    errors_.push_back({where_, std::move(what), "make it again with ridge price --json"});
  }

  const JsonValue& object_;
  std::string where_;
  Errors& errors_;
  std::vector<std::string> known_;
};

std::vector<CacheWrite> writes_of(ObjectReader& from) {
  std::vector<CacheWrite> writes;
  from.each("writes", [&](ObjectReader& one) {
    writes.push_back({one.needed<Seconds<double>>("keep"), one.needed<DollarsPerToken<double>>("price")});
  });
  return writes;
}

PriceSheet sheet_of(ObjectReader& from) {
  using Price = DollarsPerToken<double>;
  PriceSheet sheet;
  sheet.provider = from.text("provider");
  sheet.model = from.text("model");
  sheet.date = from.text("date");
  sheet.source = from.text("source");
  sheet.note = from.text("note");
  sheet.weights = from.text("weights");
  sheet.hosted = from.flag("hosted");
  sheet.input = from.needed<Price>("input");
  sheet.output = from.needed<Price>("output");
  sheet.cached = from.quantity<Price>("cached");
  sheet.writes = writes_of(from);
  sheet.hold = from.quantity<DollarsPerTokenSecond<double>>("hold");
  for (const char* key : {"price_breaks", "tiers"}) {
    from.each(key, [&](ObjectReader& one) {
      PriceBreak found;
      found.above = one.needed<Tokens<double>>("above");
      found.input = one.needed<Price>("input");
      found.output = one.needed<Price>("output");
      found.cached = one.quantity<Price>("cached");
      found.writes = writes_of(one);
      sheet.tiers.push_back(std::move(found));
    });
  }
  from.each("modes", [&](ObjectReader& one) {
    sheet.modes.push_back(
        {one.text("name"), one.needed<Price>("input"), one.needed<Price>("output"), one.number("speed")});
  });
  sheet.max_input = from.quantity<Tokens<double>>("max_input");
  sheet.max_output = from.quantity<Tokens<double>>("max_output");
  return sheet;
}

}  // namespace

bool is_sheet_answer(std::string_view text) {
  constexpr std::size_t kBeginning = 200;  // the schema stands first
  return text.substr(0, kBeginning).find(kSchemas) != std::string_view::npos;
}

Result<SheetFile> read_sheet_answer(std::string_view text, std::string_view filename) {
  const auto json = parse_json(text, filename);
  if (!json) return fail(json.error());
  const JsonValue* found = json->find("sheet");
  if (found == nullptr) return fail({std::string(filename), "holds no sheet", "make it again with ridge price --json"});
  Errors errors;
  PriceSheet sheet;
  {
    ObjectReader reader(*found, fmt::format("{}: sheet", filename), errors);
    if (found->object() != nullptr) sheet = sheet_of(reader);
  }
  if (errors.empty()) append(errors, sheet_errors(sheet));
  if (!errors.empty()) return fail(std::move(errors));
  SheetFile file;
  file.sheets.push_back(std::move(sheet));
  return file;
}

}  // namespace ridge::catalog
