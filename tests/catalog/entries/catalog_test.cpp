// Does the catalog load whole, and does a wrong file say everything that is wrong with it?

#include <algorithm>
#include <filesystem>
#include <random>
#include <set>
#include <string>

#include <doctest/doctest.h>

#include "catalog/entries/library.hpp"
#include "catalog/facts/fact.hpp"
#include "catalog/facts/files.hpp"
#include "catalog/facts/read_toml.hpp"
#include "catalog/prices/price_file.hpp"
#include "catalog_library.hpp"
#include "library/chip_price.hpp"
#include "roofline/answer.hpp"

namespace catalog_test {

using namespace ridge;
using namespace ridge::literals;
using catalog::Fact;
namespace fs = std::filesystem;

using ridge::testing::library;

namespace {

/// The shipped catalog with one more chip, or the errors it has.
Result<Library> with_chip(const std::string& name, std::string_view text) {
  const auto facts = catalog::read_entry(text, "chip", name, "chip/" + name + ".toml");
  if (!facts) return fail(facts.error());
  return catalog::build_library(catalog::overlaid(catalog::embedded_facts(), *facts));
}

const Error* find_error(const Errors& errors, std::string_view where, std::string_view what) {
  for (const Error& error : errors) {
    if (error.where.find(where) != std::string::npos && error.what.find(what) != std::string::npos) return &error;
  }
  return nullptr;
}

/// A folder of its own for one test, removed at its end.
class TemporaryFolder {
 public:
  TemporaryFolder() : path_(fs::temp_directory_path() / ("ridge-test-" + std::to_string(std::random_device{}()))) {
    fs::create_directories(path_);
  }
  ~TemporaryFolder() { fs::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

constexpr std::string_view kGoodChip = R"(title = "Chip"
vendor = "Nobody"
year = 2026
[matmul]
bf16 = { value = "100 TFLOP/s", source = "scaling-book" }
[hbm]
type      = { value = "HBM3", source = "scaling-book" }
capacity  = { value = "80 GB", source = "scaling-book" }
bandwidth = { value = "3 TB/s", source = "scaling-book" }
)";

}  // namespace

TEST_CASE("a library that is read entry by entry is the one that is read whole") {
  const auto whole = catalog::build_library(catalog::embedded_facts());
  REQUIRE(whole.has_value());
  const Library lazy = catalog::checked_library(catalog::embedded_entries());
  const auto same_names = [](const auto& a, const auto& b) { return names_of(a) == names_of(b); };
  CHECK(same_names(lazy.formats, whole->formats));
  CHECK(same_names(lazy.chips, whole->chips));
  CHECK(same_names(lazy.machines, whole->machines));
  CHECK(same_names(lazy.models, whole->models));
  CHECK(same_names(lazy.calibrations, whole->calibrations));
  CHECK(same_names(lazy.scaling_laws, whole->scaling_laws));
  CHECK(same_names(lazy.lifecycles, whole->lifecycles));
  CHECK(same_names(lazy.tiers, whole->tiers));
  CHECK(same_names(lazy.reuse, whole->reuse));
  CHECK(same_names(lazy.traffic, whole->traffic));
  CHECK(same_names(lazy.aliases, whole->aliases));
  CHECK(same_names(lazy.measured, whole->measured));
  CHECK(lazy.sources.size() == whole->sources.size());
  for (const Source& source : whole->sources) CHECK(find_named(lazy.sources, source.id)->title == source.title);
  for (const Chip& chip : whole->chips) {
    const Chip* own = find_named(lazy.chips, chip.name);
    CHECK(own->bandwidth.value == chip.bandwidth.value);
    CHECK(own->bandwidth.from.place == chip.bandwidth.from.place);
    CHECK(own->bandwidth.from.kind == chip.bandwidth.from.kind);
  }
  for (const Machine& machine : whole->machines) {
    CHECK(find_named(lazy.machines, machine.name)->chips.value == machine.chips.value);
  }
  for (const Model& model : whole->models) {
    const Model* own = find_named(lazy.models, model.name);
    CHECK(own->order == model.order);
    CHECK(own->released == model.released);
    CHECK(own->precision.from.source == model.precision.from.source);
  }
  for (const CalibrationEntry& entry : whole->calibrations) {
    CHECK(find_named(lazy.calibrations, entry.name)->numbers.size() == entry.numbers.size());
  }
}

TEST_CASE("the embedded catalog loads and every number in it names a source that exists") {
  const auto built = catalog::build_library(catalog::embedded_facts());
  REQUIRE(built.has_value());
  CHECK(built->chips.size() >= 25);
  CHECK(built->machines.size() >= 25);
  CHECK(built->models.size() >= 20);
  std::set<std::string> ids;
  for (const Source& source : built->sources) {
    ids.insert(source.id);
    CHECK_FALSE(source.title.empty());
  }
  const auto resolves = [&](const Provenance& from) { return ids.contains(from.source) && !from.place.empty(); };
  for (const Chip& chip : built->chips) {
    CAPTURE(chip.name);
    CHECK(resolves(chip.bandwidth.from));
    CHECK(resolves(chip.capacity.from));
    CHECK(chip.bandwidth.value.value() > 1e10);  // 10 GB/s to 100 TB/s: a slip of a prefix would leave this
    CHECK(chip.bandwidth.value.value() < 1e14);
    CHECK(chip.capacity.value.value() > 1e9);
    CHECK(chip.capacity.value.value() < 1e13);
    for (const auto& [format, rate] : chip.matmul) {
      CHECK(resolves(rate.from));
      CHECK(rate.value.value() > 1e12);
      CHECK(rate.value.value() < 1e18);
    }
  }
  for (const Machine& machine : built->machines) {
    CAPTURE(machine.name);
    CHECK(resolves(machine.chips.from));
    const auto price = chip_price(machine, {}, *built);
    CHECK(price.has_value());
    for (const auto& one : {machine.on_demand, machine.reserved_1y, machine.reserved_3y, machine.rental}) {
      if (one) CHECK(resolves(one->from));
    }
    if (machine.owned) CHECK(resolves(machine.owned->capex.from));
  }
  for (const Model& model : built->models) {
    CAPTURE(model.name);
    CHECK(resolves(model.architecture));
    CHECK(resolves(model.precision.from));
  }
}

TEST_CASE("every model is answered on every machine") {
  for (const Model& model : library().models) {
    for (const Machine& machine : library().machines) {
      CAPTURE(model.name);
      CAPTURE(machine.name);
      Scenario scenario;
      scenario.model = model.name;
      scenario.machine = machine.name;
      const auto answer = answer_why(scenario, library());
      CHECK(answer.has_value());
    }
  }
}

TEST_CASE("a good chip of one's own is found beside the shipped ones") {
  const auto built = with_chip("mine", kGoodChip);
  REQUIRE(built.has_value());
  CHECK(find_named(built->chips, "mine")->bandwidth.value.value() == 3e12);
  CHECK(find_named(built->chips, "mine")->bandwidth.from.place == "chip/mine.toml:9");
  CHECK(find_named(built->chips, "mine")->bandwidth.from.kind ==
        find_named(library().chips, "tpu-v5e")->capacity.from.kind);
  CHECK(find_named(built->chips, "h100-sxm") != nullptr);
}

TEST_CASE("an entry of one's own replaces the shipped one whole") {
  const auto built = with_chip("h100-sxm", kGoodChip);
  REQUIRE(built.has_value());
  const Chip* chip = find_named(built->chips, "h100-sxm");
  CHECK(chip->title == "Chip");
  CHECK(chip->matmul.size() == 1);  // the shipped fp8 and int8 peaks are gone
  CHECK_FALSE(chip->capacity_visible.has_value());
  CHECK(built->chips.size() == library().chips.size());
}

TEST_CASE("a file with many mistakes reports all of them at once, each with its file, line and key") {
  const auto built = with_chip("bad", R"(title = "Bad"
year = "soon"
color = "blue"
[matmul]
bf16 = { value = "989 TB/s", source = "scaling-book" }
fp8  = { value = "1979 TFLOP/s" }
[hbm]
type       = { value = "HBM3", source = "scaling-bok" }
capacity   = { value = "80", source = "scaling-book" }
bandwith   = { value = "3 TB/s", source = "scaling-book", kind = "guessed" }
[power]
tdp = { value = "-700 Watt", source = "scaling-book" }
)");
  REQUIRE_FALSE(built.has_value());
  const Errors& errors = built.error();
  for (const Error& error : errors) {
    INFO(error.where, " | ", error.what, " | ", error.hint);
    CHECK(error.where.find("chip/bad.toml") != std::string::npos);
    CHECK_FALSE(error.hint.empty());
  }
  CHECK(find_error(errors, "chip/bad.toml", "vendor is missing") != nullptr);
  CHECK(find_error(errors, "chip/bad.toml:2: year", "not a plain number") != nullptr);
  CHECK(find_error(errors, "chip/bad.toml:3", "unknown key \"color\"") != nullptr);
  CHECK(find_error(errors, "chip/bad.toml:5: matmul.bf16", "is in B/s, but FLOP/s is needed") != nullptr);
  CHECK(find_error(errors, "chip/bad.toml:6: matmul.fp8", "has no source") != nullptr);
  const Error* source = find_error(errors, "chip/bad.toml:8: hbm.type", "unknown source \"scaling-bok\"");
  REQUIRE(source != nullptr);
  CHECK(source->hint.find("scaling-book") != std::string::npos);
  const Error* unit = find_error(errors, "chip/bad.toml:9: hbm.capacity", "unit missing");
  REQUIRE(unit != nullptr);
  CHECK(unit->hint.find("80 GiB") != std::string::npos);
  CHECK(find_error(errors, "chip/bad.toml", "hbm.bandwidth is missing") != nullptr);
  const Error* slip = find_error(errors, "chip/bad.toml:10", "unknown key \"hbm.bandwith\"");
  REQUIRE(slip != nullptr);
  CHECK(slip->hint.find("hbm.bandwidth") != std::string::npos);
  CHECK(find_error(errors, "chip/bad.toml:12: power.tdp", "unknown unit \"Watt\"") != nullptr);
}

TEST_CASE("text that is no TOML is refused with its line") {
  for (const auto& [text, line] : {std::pair{"title = \"x\"\nyear = = 3\n", "2"},
                                   {"title = \"unclosed\nyear = 3\n", "1"},
                                   {"[a\n", "1"},
                                   {"a = 1\na = 2\n", "2"},
                                   {"\xff\xfe\n", "1"}}) {
    CAPTURE(text);
    const auto facts = catalog::read_entry(text, "chip", "x", "x.toml");
    REQUIRE_FALSE(facts.has_value());
    CHECK(facts.error().front().where == std::string("x.toml:") + line);
    CHECK_FALSE(facts.error().front().hint.empty());
  }
}

TEST_CASE("values that are neither text, number nor flag are refused, all of them") {
  const auto facts = catalog::read_entry(
      "a = [1, 2]\nb = 2020-01-01\n[c]\nd = { value = [3], source = \"s\" }\ne = { value = 1, sauce = \"s\" }\n",
      "chip", "x", "x.toml");
  REQUIRE_FALSE(facts.has_value());
  CHECK(facts.error().size() == 4);
  CHECK(find_error(facts.error(), "x.toml:1: a", "neither text") != nullptr);
  CHECK(find_error(facts.error(), "x.toml:2: b", "neither text") != nullptr);
  CHECK(find_error(facts.error(), "x.toml:4: c.d", "neither text") != nullptr);
  CHECK(find_error(facts.error(), "x.toml:5: c.e", "unknown key \"sauce\"") != nullptr);
}

TEST_CASE("a machine with an unknown chip suggests the nearest") {
  auto facts = catalog::embedded_facts();
  for (Fact& fact : facts) {
    if (fact.category == "machine" && fact.entry == "hgx-h100" && fact.key == "chip") fact.text = "h100-smx";
  }
  const auto built = catalog::build_library(facts);
  REQUIRE_FALSE(built.has_value());
  const Error* error = find_error(built.error(), "hgx-h100.toml", "unknown name \"h100-smx\"");
  REQUIRE(error != nullptr);
  CHECK(error->hint.find("h100-sxm") != std::string::npos);
}

TEST_CASE("the template folder, copied as its comments say, loads on top of the catalog") {
  const TemporaryFolder folder;
  const fs::path shipped = fs::path(RIDGE_CATALOG) / "template";
  fs::create_directories(folder.path() / "chip");
  fs::create_directories(folder.path() / "machine");
  fs::copy_file(shipped / "your-chip.toml", folder.path() / "chip" / "acme-1.toml");
  fs::copy_file(shipped / "your-machine.toml", folder.path() / "machine" / "acme-pod.toml");
  fs::create_directories(folder.path() / "engine");
  fs::copy_file(shipped / "your-engine.toml", folder.path() / "engine" / "acme-serve.toml");
  fs::create_directories(folder.path() / "price");
  fs::copy_file(shipped / "your-sources.toml", folder.path() / "sources.toml");
  fs::copy_file(shipped / "your-prices.toml", folder.path() / "price" / "acme.toml");
  const auto facts = catalog::read_folder(folder.path().string(), "mine");
  REQUIRE(facts.has_value());
  const auto sheets = catalog::price_sheets(*facts);
  REQUIRE(sheets.has_value());
  CHECK(sheets->front().tiers.at(0).above.value() == 64000);
  const auto built = catalog::build_library(catalog::overlaid(catalog::embedded_facts(), *facts));
  REQUIRE(built.has_value());
  const Engine* engine = find_named(built->engines, "acme-serve");
  REQUIRE(engine != nullptr);
  CHECK(engine->memory_utilization.at(80_GB) == 0.9);
  CHECK(engine->memory_utilization.at(128_GB) == 0.93);
  Scenario scenario;
  scenario.model = "llama-3-70b";
  scenario.machine = "acme-pod";
  const auto answer = answer_why(scenario, *built);
  REQUIRE(answer.has_value());
  CHECK(answer->resolved.numbers.chips.value() == 16);
  CHECK(answer->resolved.numbers.hbm_bandwidth.value() == 6e12);
  CHECK(answer->resolved.numbers.price.value() == doctest::Approx(2.5 / 3600));
}

TEST_CASE("a folder that is none, or holds nothing, is refused") {
  const TemporaryFolder folder;
  CHECK_FALSE(catalog::read_folder((folder.path() / "nowhere").string(), "nowhere").has_value());
  CHECK_FALSE(catalog::read_folder(folder.path().string(), "mine").has_value());
  CHECK_FALSE(catalog::read_file(folder.path().string()).has_value());
  CHECK_FALSE(catalog::read_file((folder.path() / "nothing").string()).has_value());
}

}  // namespace catalog_test
