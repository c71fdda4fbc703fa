// Are price sheets read as they are written, from our files and from others'? And does a bad one say why?

#include <cmath>
#include <limits>
#include <set>
#include <string>

#include <doctest/doctest.h>

#include "base/text/currency.hpp"
#include "catalog/facts/packed_facts.hpp"
#include "catalog/prices/litellm.hpp"
#include "catalog/prices/price_file.hpp"
#include "catalog_library.hpp"
#include "price/make/sheet_readings.hpp"
#include "price/sheet/sheet_check.hpp"
#include "price/sheet/sheet_list.hpp"
#include "report/price/sheet/litellm.hpp"

namespace sheets_test {

using namespace ridge;
using doctest::Approx;

namespace {

constexpr double kMillion = 1e6;

double per_million(const DollarsPerToken<double>& price) { return price.value() * kMillion; }

const std::vector<PriceSheet>& shipped() {
  static const std::vector<PriceSheet> sheets = catalog::price_sheets(catalog::embedded_price_facts()).value();
  return sheets;
}

const PriceSheet& shipped_sheet(std::string_view name) { return **find_sheet(shipped(), name, "test"); }

PriceSheet plain_sheet() {
  PriceSheet sheet;
  sheet.model = "m";
  sheet.input = DollarsPerToken<double>(2e-6);
  sheet.output = DollarsPerToken<double>(10e-6);
  return sheet;
}

bool says(const Errors& errors, std::string_view where, std::string_view what) {
  for (const Error& error : errors) {
    if (error.where.find(where) != std::string::npos && error.what.find(what) != std::string::npos) return true;
  }
  return false;
}

bool finds(const PriceSheet& sheet, std::string_view words) {
  for (const std::string& sentence : check_sheet(sheet).findings) {
    if (sentence.find(words) != std::string::npos) return true;
  }
  return false;
}

constexpr std::string_view kOwnSheet = R"(provider = "acme"
date = "2026-03"
input = "$2/Mtok"
output = "$10/Mtok"
cached = "$0.2/Mtok"
hold = "$4.5/Mtok/h"
max_input = "1M"
[write]
1h = "$4/Mtok"
5min = "$2.5/Mtok"
[tier.200k]
input = "$4/Mtok"
output = "$15/Mtok"
[tier.500k]
input = "$6/Mtok"
output = "$20/Mtok"
write.5min = "$7/Mtok"
[mode.batch]
input = "$1/Mtok"
output = "$5/Mtok"
[mode.fast]
input = "$12/Mtok"
output = "$60/Mtok"
speed = 2.5
)";

}  // namespace

TEST_CASE("a sheet of one's own is one file, with everything a sheet can say") {
  const auto sheets = catalog::read_sheets(kOwnSheet, "prices/acme-1.toml");
  REQUIRE(sheets);
  REQUIRE(sheets->size() == 1);
  const PriceSheet& sheet = sheets->front();
  CHECK(sheet.model == "acme-1");  // after its file
  CHECK(sheet.source == "prices/acme-1.toml");
  CHECK(per_million(sheet.input) == Approx(2));
  CHECK(per_million(*sheet.cached) == Approx(0.2));
  CHECK(sheet.hold->value() == Approx(4.5e-6 / 3600));
  REQUIRE(sheet.writes.size() == 2);
  CHECK(sheet.writes[0].keep.value() == 300);  // shortest first, however they are written
  CHECK(per_million(sheet.writes[1].price) == Approx(4));
  REQUIRE(sheet.tiers.size() == 2);
  CHECK(sheet.tiers[0].above.value() == 200000);
  CHECK(per_million(sheet.tiers[1].writes.at(0).price) == Approx(7));
  REQUIRE(sheet.modes.size() == 2);
  CHECK(sheet.modes[1].name == "fast");
  CHECK(*sheet.modes[1].speed == 2.5);
  CHECK(sheet.max_input->value() == 1e6);
  CHECK(check_sheet(sheet).findings.empty());
}

TEST_CASE("a file of tables is many sheets, named provider/model@date") {
  const auto sheets = catalog::read_sheets(R"(["a/x/y@2026-01-02"]
input = "$1/Mtok"
output = "$2/Mtok"
["b@2026"]
input = "$3/Mtok"
output = "$4/Mtok"
)",
                                           "s.toml");
  REQUIRE(sheets);
  REQUIRE(sheets->size() == 2);
  CHECK((*sheets)[0].provider == "a");
  CHECK((*sheets)[0].model == "x/y");
  CHECK((*sheets)[0].date == "2026-01-02");
  CHECK((*sheets)[1].provider == "");
  CHECK((*sheets)[1].model == "b");
}

TEST_CASE("what cannot be meant is an error with its place, all of them at once") {
  const auto sheets = catalog::read_sheets(R"(currency = "EUR"
input = "-$2/Mtok"
outptu = "$10/Mtok"
date = "soon"
[write]
0s = "$1/Mtok"
)",
                                           "s.toml");
  REQUIRE(!sheets);
  CHECK(says(sheets.error(), "s.toml:1: currency", "EUR"));
  CHECK(says(sheets.error(), "s.toml:2: input", "\"-$2/Mtok\" has a minus sign"));
  CHECK(says(sheets.error(), "s.toml", "output is missing"));
  CHECK(says(sheets.error(), "s.toml:3", "unknown key \"outptu\""));
  const auto values = catalog::read_sheets(
      "input = \"-2 $/Mtok\"\noutput = \"0 $/Mtok\"\ndate = \"soon\"\n"
      "[write]\n0s = \"$1/Mtok\"\n60s = \"$1/Mtok\"\n1min = \"$2/Mtok\"\n",
      "s.toml");
  REQUIRE(!values);
  CHECK(says(values.error(), "s: input", "has a minus sign: -$2"));
  CHECK(says(values.error(), "output", "missing or zero"));
  CHECK(says(values.error(), "date", "\"soon\" is not a date"));
  CHECK(says(values.error(), "write.0", "missing or zero"));
  CHECK(says(values.error(), "write.60 s", "60 s appears twice"));
  CHECK(!catalog::read_sheets("", "s.toml"));
  CHECK(!catalog::read_sheets("{}", "s.json"));
}

TEST_CASE("a sheet made by a program is checked the same way") {
  PriceSheet sheet = plain_sheet();
  sheet.input = DollarsPerToken<double>(std::numeric_limits<double>::quiet_NaN());
  sheet.tiers = {{Tokens<double>(400e3), sheet.output, sheet.output, {}, {}},
                 {Tokens<double>(200e3), sheet.output, sheet.output, {}, {}}};
  sheet.modes = {{"batch", sheet.output, sheet.output, {}}, {"batch", sheet.output, sheet.output, -1.0}};
  const SheetCheck check = check_sheet(sheet);
  CHECK(says(check.errors, "input", "not a finite number"));
  CHECK(says(check.errors, "tier.", "stands after"));
  CHECK(says(check.errors, "mode.batch", "appears twice"));
  CHECK(says(check.errors, "mode.batch.speed", "has a minus sign: -1"));
  CHECK(check.findings.empty());
}

TEST_CASE("what is odd but possible is said in a sentence") {
  const auto dollars = [](double value) { return DollarsPerToken<double>(value / kMillion); };
  PriceSheet sheet = plain_sheet();
  sheet.cached = dollars(3);
  CHECK(finds(sheet, "cached input ($3.00/Mtok) is more expensive than fresh input ($2.00/Mtok)"));
  sheet = plain_sheet();
  sheet.tiers = {{Tokens<double>(200e3), dollars(1), dollars(20), {}, {}}};
  CHECK(finds(sheet, "above 200,000 tokens, input ($1.00/Mtok) is cheaper than below"));
  sheet.max_input = Tokens<double>(100e3);
  CHECK(finds(sheet, "is never reached"));
  sheet = plain_sheet();
  sheet.modes = {{"batch", dollars(3), dollars(5), {}}};
  CHECK(finds(sheet, "batch input ($3.00/Mtok) is more expensive than standard"));
  sheet = plain_sheet();
  sheet.output = dollars(1);
  CHECK(finds(sheet, "output ($1.00/Mtok) is cheaper than input"));
  sheet = plain_sheet();
  sheet.writes = {{Seconds<double>(300), dollars(3)}, {Seconds<double>(3600), dollars(2.5)}};
  CHECK(finds(sheet, "cheaper than one kept 300 s"));
  CHECK(check_sheet(plain_sheet()).findings.empty());
}

TEST_CASE("the names of LiteLLM's prices say what they are about") {
  const auto key = catalog::price_key("cache_creation_input_token_cost_above_1hr_above_200k_tokens");
  REQUIRE(key);
  CHECK(key->of == catalog::PriceKey::Of::write);
  CHECK(key->hour);
  CHECK(key->above == 200000);
  CHECK(catalog::price_key("output_cost_per_token_above_272k_tokens_priority")->mode == "priority");
  CHECK(catalog::price_key("input_cost_per_token_batches")->mode == "batch");
  for (const char* other : {"input_cost_per_image", "input_cost_per_token_above_k_tokens", "output_cost_per_token_x",
                            "input_cost_per_token_above_-1k_tokens", "cost", ""}) {
    CAPTURE(other);
    CHECK(!catalog::price_key(other));
  }
}

TEST_CASE("LiteLLM's map is read: prices, tiers, writes, modes; the rest is listed") {
  const auto file = catalog::read_sheet_file(R"({
    "sample_spec": {"max_input_tokens": "a text"},
    "claude": {"litellm_provider": "anthropic", "mode": "chat", "input_cost_per_token": 5e-06,
      "output_cost_per_token": 2.5e-05, "cache_read_input_token_cost": 5e-07,
      "cache_creation_input_token_cost": 6.25e-06, "cache_creation_input_token_cost_above_1hr": 1e-05,
      "input_cost_per_token_above_200k_tokens": 1e-05, "output_cost_per_token_above_200k_tokens": 3.75e-05,
      "cache_creation_input_token_cost_above_1hr_above_200k_tokens": 2e-05,
      "input_cost_per_token_batches": 2.5e-06, "output_cost_per_token_batches": 1.25e-05,
      "input_cost_per_token_priority": 9e-06, "cache_read_input_token_cost_priority": 1e-06,
      "input_cost_per_image": 0.0048, "supports_vision": true, "max_input_tokens": 1000000,
      "provider_specific_entry": {"us": 1.1, "fast": 6.0}},
    "qwen": {"litellm_provider": "dashscope", "tiered_pricing": [
      {"range": [0, 32000], "input_cost_per_token": 1e-06, "output_cost_per_token": 4e-06},
      {"range": [32000, 128000], "input_cost_per_token": "2e-06", "output_cost_per_token": 8e-06, "output_cost_per_reasoning_token": 1}]},
    "zero": {"input_cost_per_token": 0.0, "output_cost_per_token": 0.0},
    "free-write": {"input_cost_per_token": 1e-06, "output_cost_per_token": 2e-06, "cache_creation_input_token_cost": 0.0},
    "embedding": {"mode": "embedding", "input_cost_per_token": 1e-07}
  })",
                                             "map.json");
  REQUIRE(file);
  REQUIRE(file->sheets.size() == 3);
  const PriceSheet& claude = file->sheets[0];
  CHECK(claude.provider == "anthropic");
  CHECK(claude.input.value() == 5e-06);
  REQUIRE(claude.writes.size() == 2);
  CHECK(claude.writes[1].keep.value() == 3600);
  REQUIRE(claude.tiers.size() == 1);
  CHECK(claude.tiers[0].output.value() == 3.75e-05);
  CHECK(claude.tiers[0].writes.at(0).keep.value() == 3600);
  REQUIRE(claude.modes.size() == 2);
  CHECK(claude.modes[0].name == "batch");
  CHECK(claude.modes[1].name == "fast");
  CHECK(claude.modes[1].output.value() == Approx(15e-05));
  CHECK(file->sheets[1].tiers.at(0).above.value() == 32000);
  CHECK(file->sheets[1].tiers.at(0).input.value() == 2e-06);  // in quotes
  CHECK(file->sheets[1].input.value() == 1e-06);
  CHECK(file->sheets[2].writes.empty());
  const std::set<std::string> unread(file->unread.begin(), file->unread.end());
  for (const char* one :
       {"input_cost_per_image (1)", "cache_read_input_token_cost_priority (1)", "provider_specific_entry.us (1)",
        "models of mode embedding (1)", "models without a price of tokens (1)",
        "tiered_pricing.output_cost_per_reasoning_token (1)", "priority with one price of two (1)"}) {
    CAPTURE(one);
    CHECK(unread.contains(one));
  }
  CHECK(!unread.contains("supports_vision (1)"));
}

TEST_CASE("a price in LiteLLM's map that cannot be meant is an error with its model") {
  const auto text =
      catalog::read_sheets(R"({"m": {"input_cost_per_token": "two", "output_cost_per_token": 1e-6}})", "f");
  REQUIRE(!text);
  CHECK(says(text.error(), "f: m: input_cost_per_token", "is a text"));
  const auto negative = catalog::read_sheets(R"({"m": {"input_cost_per_token": -1, "output_cost_per_token": 1}})", "f");
  REQUIRE(!negative);
  CHECK(says(negative.error(), "f: m: input", "has a minus sign"));
  const auto nothing = catalog::read_sheets(R"({"m": 3})", "f");
  REQUIRE(!nothing);
  CHECK(says(nothing.error(), "f: m", "is not an object"));
}

TEST_CASE("one bad model of LiteLLM's map leaves the others, and is listed with the reason") {
  const auto file = catalog::read_sheet_file(R"({
    "euro": {"litellm_provider": "acme", "input_cost_per_token": "\u20ac2e-6", "output_cost_per_token": 4e-6},
    "minus": {"input_cost_per_token": 1e-6, "output_cost_per_token": -4e-6},
    "yuan": {"currency": "CNY", "input_cost_per_token": 1e-6, "output_cost_per_token": 4e-6},
    "three": 3,
    "good": {"currency": "usd", "input_cost_per_token": 1e-6, "output_cost_per_token": 4e-6}})",
                                             "f");
  REQUIRE(file);
  REQUIRE(file->sheets.size() == 1);
  CHECK(file->sheets[0].model == "good");
  REQUIRE(file->left_out.size() == 4);
  CHECK(says(file->left_out[0].errors, "f: euro: input_cost_per_token", "is in euros (EUR)"));
  CHECK(says(file->left_out[1].errors, "f: minus: output", "has a minus sign"));
  CHECK(says(file->left_out[2].errors, "f: yuan", "prices are in CNY"));
  CHECK(says(file->left_out[3].errors, "f: three", "is not an object"));
  CHECK(catalog::notes_of(*file).size() == 4);
  CHECK(file->unread.empty());  // a bad one is not counted as something else besides
  CHECK(catalog::find_sheet(*file, "good", "--model"));
  const auto asked = catalog::find_sheet(*file, "ACME/euro", "--model");
  REQUIRE(!asked);
  CHECK(says(asked.error(), "f: euro", "euros"));
}

TEST_CASE("who hears the contradictions of a sheet hears nothing of it twice") {
  const auto dollars = [](double value) { return DollarsPerToken<double>(value / kMillion); };
  PriceSheet sheet = plain_sheet();
  sheet.output = dollars(1);
  sheet.cached = dollars(3);
  sheet.writes = {{Seconds<double>(300), dollars(3)}, {Seconds<double>(3600), dollars(2.5)}};
  sheet.tiers = {{Tokens<double>(200e3), dollars(1), dollars(0.5), {}, {}}};
  sheet.modes = {{"batch", dollars(3), dollars(2), {}}, {"fast", dollars(2), dollars(0.5), {}}};
  // output, cached, the longer write, the tier's output, batch output and fast output
  const std::size_t said = sheet_contradictions(sheet, {}).size();
  CHECK(said >= 6);
  const auto all = sheet_findings(sheet), rest = sheet_findings(sheet, FindingsFor::inference);
  CHECK(all.size() == rest.size() + 6);
  // what only the findings say: the tier's input below, and below its own output; batch input
  CHECK(rest == std::vector<std::string>{"above 200,000 tokens, input ($1.00/Mtok) is cheaper than below ($2.00/Mtok)",
                                         "above 200,000 tokens, output ($0.50/Mtok) is cheaper than input ($1.00/Mtok)",
                                         "batch input ($3.00/Mtok) is more expensive than standard ($2.00/Mtok)"});
  // each alone is one or the other, never both and never neither
  sheet = plain_sheet();
  sheet.cached = dollars(3);
  CHECK(sheet_contradictions(sheet, {}).size() == 1);
  CHECK(sheet_findings(sheet, FindingsFor::inference).empty());
}

TEST_CASE("money that is not dollars is named, with what to do") {
  for (const auto& [text, name] : {std::pair{"€2/Mtok", "euros"},
                                   {"2 EUR/Mtok", "euros"},
                                   {"2€/Mtok", "euros"},
                                   {"£2/Mtok", "pounds"},
                                   {"¥2/Mtok", "yen or yuan"},
                                   {"2 CNY/Mtok", "yuan (CNY)"},
                                   {"2 yuan/Mtok", "yuan (CNY)"},
                                   {"-$2/Mtok", "minus sign"},
                                   {"C$2/Mtok", "C$"},
                                   {"US$2/Mtok", "US$"}}) {
    CAPTURE(text);
    const auto price = parse<DollarsPerToken<double>>(text, "here");
    REQUIRE(!price);
    CHECK(says(price.error(), "here", name));
    CHECK(!price.error().front().hint.empty());
  }
  CHECK(parse<DollarsPerToken<double>>("2 USD/Mtok", "here")->value() == Approx(2e-6));
  CHECK(other_currency("$2/Mtok").empty());
  CHECK(other_currency("2 GB/s of europe").empty());  // whole words only
}

TEST_CASE("what LiteLLM's map has no place for is said when it is written") {
  PriceSheet sheet = catalog::read_sheets(kOwnSheet, "acme-1.toml")->front();
  sheet.tiers[1].above = Tokens<double>(500001);
  sheet.writes[0].keep = Seconds<double>(120);
  const report::PriceMap map = report::price_map({sheet, plain_sheet(), plain_sheet()});
  CHECK(map.left_out.size() == 4);  // the tier, the write, the hold, how fast fast is
  CHECK(map.text.find("\"input_cost_per_token_above_200k_tokens\": 4e-06") != std::string::npos);
  CHECK(map.text.find("\"fast\": 6.0") != std::string::npos);
  CHECK(map.text.find("500001") == std::string::npos);
}

TEST_CASE("packed facts are the facts") {
  std::vector<catalog::Fact> facts = catalog::embedded_price_facts();
  CHECK(facts.size() > 4000);
  facts.push_back({"price", "x", "", "", "", "", "note", "place"});
  const auto again = catalog::unpacked(catalog::packed(facts));
  REQUIRE(again.size() == facts.size());
  for (std::size_t i = 0; i < facts.size(); i += 97) {
    CHECK(again[i].text == facts[i].text);
    CHECK(again[i].entry == facts[i].entry);
  }
  CHECK(again.back().key.empty());
  CHECK(again.back().place == "place");
  CHECK(catalog::unpacked("").empty());
  CHECK(catalog::unpacked("torn").size() == 1);
}

TEST_CASE("the catalog holds the sheets that the issue names, several dates each") {
  std::set<std::string> providers;
  for (const PriceSheet& sheet : shipped()) {
    providers.insert(sheet.provider);
    CAPTURE(sold_name(sheet));
    CHECK(sheet_errors(sheet).empty());
    CHECK(!sheet.source.empty());
    CHECK(!sheet.date.empty());
    if (!sheet.weights.empty()) CHECK(find_named(ridge::testing::library().models, sheet.weights) != nullptr);
    if (sheet.hosted) CHECK(!sheet.weights.empty());
  }
  for (const char* one : {"anthropic", "google", "openai", "deepseek", "xai", "together", "fireworks", "deepinfra",
                          "groq", "novita", "openrouter"}) {
    CAPTURE(one);
    CHECK(providers.contains(one));
  }
  // price pages: Opus 4.5 at $5, $25, cached $0.5, written $6.25 for five minutes and $10 for an hour
  const PriceSheet& opus = shipped_sheet("claude-opus-4-5");
  CHECK(per_million(opus.input) == Approx(5));
  CHECK(per_million(*opus.cached) == Approx(0.5));
  CHECK(per_million(opus.writes.at(1).price) == Approx(10));
  CHECK(*shipped_sheet("claude-opus-4-6").modes.at(0).speed == 2.5);
  const PriceSheet& gemini = shipped_sheet("google/gemini-3.1-pro");
  CHECK(per_million(gemini.tiers.at(0).input) == Approx(4));
  CHECK(per_million(gemini.tiers.at(0).output) == Approx(18));
  CHECK(shipped_sheet("gemini-2.5-pro").hold->value() * 3600 * kMillion == Approx(4.5));
  CHECK(per_million(shipped_sheet("deepseek/deepseek-r1@2025-02").output) == Approx(2.19));
  CHECK(by_model(shipped()).size() < shipped().size());
}

TEST_CASE("a sheet is found by any name that can only mean one") {
  CHECK(find_sheet(shipped(), "Claude-Opus-4-5", "w").value()->provider == "anthropic");
  CHECK(find_sheet(shipped(), "deepseek-chat@2024-06-30", "w").value()->output.value() == Approx(0.28e-6));
  CHECK(find_sheet(shipped(), "deepseek-chat", "w").value()->date == "2026-03-31");  // the newest
  CHECK(!find_sheet(shipped(), "deepseek-chat@1999", "w"));
  const auto misspelt = find_sheet(shipped(), "claude-opus-45", "--sheet");
  REQUIRE(!misspelt);
  CHECK(misspelt.error().front().hint.find("claude-opus-4-5") != std::string::npos);
}

}  // namespace sheets_test
