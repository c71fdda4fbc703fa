#include "catalog/entries/library.hpp"

#include <algorithm>
#include <cassert>
#include <memory>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "catalog/entries/calibration_file.hpp"
#include "catalog/entries/engine_entry.hpp"
#include "catalog/entries/model_entry.hpp"
#include "catalog/entries/numbers_entry.hpp"
#include "catalog/entries/recipes.hpp"
#include "catalog/entries/tiers.hpp"
#include "catalog/facts/entry.hpp"
#include "catalog/facts/grouped.hpp"
#include "catalog/facts/packed_facts.hpp"

namespace ridge::catalog {

namespace {

template <class Q>
void must_be_positive(Entry& entry, std::string_view key, const Sourced<Q>& quantity) {
  if (entry.has(key) && !(quantity.value.value() > 0.0)) {
    entry.complain(key, fmt::format("{} must be above zero", show(quantity.value)), "check the value and its unit");
  }
}
template <class Q>
void must_be_positive(Entry& entry, std::string_view key, const std::optional<Sourced<Q>>& quantity) {
  if (quantity) must_be_positive(entry, key, *quantity);
}

Format read_format(Entry& entry) {
  Format format{.name = entry.name(),
                .title = entry.text("title"),
                .bytes = entry.quantity<BytesPerParam<double>>("bytes"),
                .computes_as = entry.text("computes_as"),
                .falls_back = entry.text("falls_back", false),
                .mix = {}};
  must_be_positive(entry, "bytes", format.bytes);
  if (entry.has("mix.rest")) {
    const auto text = [&](const char* key) { return entry.sourced_text(key).value; };
    format.mix = {text("mix.rest"), text("mix.head"), text("mix.embedding"),
                  entry.has("mix.better") ? text("mix.better") : "",
                  entry.has("mix.experts") ? text("mix.experts") : ""};
  }
  return format;
}

Rates read_rates(Entry& entry, std::string_view table) {
  Rates rates;
  for (const std::string& format : entry.keys_below(table)) {
    rates.emplace_back(format, entry.quantity<FlopsPerSecond<double>>(fmt::format("{}.{}", table, format)));
  }
  return rates;
}

Chip read_chip(Entry& entry) {
  Chip chip;
  chip.name = entry.name();
  chip.title = entry.text("title");
  chip.vendor = entry.text("vendor");
  const double year = entry.number("year");
  if (entry.has("year") && !(year >= 1950 && year <= 2100)) entry.complain("year", "is not a year", "write e.g. 2024");
  chip.year = year >= 1950 && year <= 2100 ? static_cast<int>(year) : 0;
  chip.note = entry.text("note", false);
  chip.matmul = read_rates(entry, "matmul");
  chip.measured_matmul = read_rates(entry, "measured");
  if (entry.has("hbm.type")) chip.memory_type = entry.sourced_text("hbm.type");
  chip.capacity = entry.quantity<Bytes<double>>("hbm.capacity");
  chip.capacity_visible = entry.optional_quantity<Bytes<double>>("hbm.capacity_visible");
  chip.bandwidth = entry.quantity<BytesPerSecond<double>>("hbm.bandwidth");
  chip.bandwidth_measured = entry.optional_quantity<BytesPerSecond<double>>("hbm.bandwidth_measured");
  chip.power = entry.optional_quantity<Watts<double>>("power.tdp");
  chip.vector = entry.optional_quantity<FlopsPerSecond<double>>("vector.fp32");
  chip.is_cpu = entry.flag("cpu", false);
  if (entry.has("threads")) chip.threads = entry.number("threads");
  must_be_positive(entry, "hbm.capacity", chip.capacity);
  must_be_positive(entry, "hbm.capacity_visible", chip.capacity_visible);
  must_be_positive(entry, "hbm.bandwidth", chip.bandwidth);
  must_be_positive(entry, "hbm.bandwidth_measured", chip.bandwidth_measured);
  must_be_positive(entry, "power.tdp", chip.power);
  must_be_positive(entry, "vector.fp32", chip.vector);
  for (const auto& [format, rate] : chip.matmul) must_be_positive(entry, "matmul." + format, rate);
  if (chip.matmul.empty()) entry.complain("matmul", "has no matrix peak", "add [matmul] with at least bf16");
  return chip;
}

std::optional<Sourced<std::string>> optional_word(Entry& entry, std::string_view key) {
  if (!entry.has(key)) return {};
  return entry.sourced_text(key);
}

Machine read_machine(Entry& entry) {
  Machine machine;
  machine.name = entry.name();
  machine.title = entry.text("title");
  machine.note = entry.text("note", false);
  machine.chip = entry.text("chip");
  machine.chips = entry.sourced_number("scale_up.chips");
  if (entry.has("node.chips")) machine.node = entry.sourced_number("node.chips");
  machine.scale_up = entry.optional_quantity<BytesPerSecond<double>>("scale_up.bandwidth");
  machine.technology = optional_word(entry, "scale_up.technology");
  machine.topology = optional_word(entry, "scale_up.topology");
  machine.scale_out = entry.optional_quantity<BytesPerSecond<double>>("scale_out.bandwidth");
  machine.hop = entry.optional_quantity<Seconds<double>>("scale_out.latency");
  machine.on_demand = entry.optional_quantity<DollarsPerSecond<double>>("price.on_demand");
  machine.reserved_1y = entry.optional_quantity<DollarsPerSecond<double>>("price.reserved_1y");
  machine.reserved_3y = entry.optional_quantity<DollarsPerSecond<double>>("price.reserved_3y");
  machine.rental = entry.optional_quantity<DollarsPerSecond<double>>("price.rental");
  machine.rental_low = entry.optional_quantity<DollarsPerSecond<double>>("price.rental_low");
  machine.rental_high = entry.optional_quantity<DollarsPerSecond<double>>("price.rental_high");
  must_be_positive(entry, "scale_up.bandwidth", machine.scale_up);
  must_be_positive(entry, "scale_out.bandwidth", machine.scale_out);
  must_be_positive(entry, "scale_out.latency", machine.hop);
  must_be_positive(entry, "price.on_demand", machine.on_demand);
  must_be_positive(entry, "price.reserved_1y", machine.reserved_1y);
  must_be_positive(entry, "price.reserved_3y", machine.reserved_3y);
  must_be_positive(entry, "price.rental", machine.rental);
  must_be_positive(entry, "price.rental_low", machine.rental_low);
  must_be_positive(entry, "price.rental_high", machine.rental_high);
  machine.owned = read_ownership(entry);
  if (entry.has("scale_up.chips") && machine.chips.value < 1) {
    entry.complain("scale_up.chips", "a machine has at least one chip",
                   "write the number of chips in one scale-up domain");
  }
  if (machine.node && !(machine.node->value >= 1 && machine.node->value <= machine.chips.value)) {
    entry.complain("node.chips", "a node has at least one chip, and no more than its scale-up domain",
                   "write how many chips are sold together");
  }
  return machine;
}

/// "a, b" as a list of names.
std::vector<std::string> read_list(Entry& entry, std::string_view key) {
  std::vector<std::string> names;
  for (const std::string& name : split(entry.text(key, false), ',')) {
    if (!trimmed(name).empty()) names.emplace_back(trimmed(name));
  }
  return names;
}

Alias read_alias(Entry& entry) {
  Alias alias{.name = entry.name(),
              .models = read_list(entry, "model"),
              .machines = read_list(entry, "machine"),
              .chips = read_list(entry, "chip")};
  if (alias.models.empty() && alias.machines.empty() && alias.chips.empty())
    entry.complain("model", "means nothing", "say what: model, machine or chip = \"NAME\"");
  return alias;
}

ConfigKeys read_config_keys(Entry& entry) {
  ConfigKeys group{.name = entry.name(),
                   .words = read_list(entry, "words"),
                   .keys = read_list(entry, "keys"),
                   .where = read_list(entry, "where"),
                   .reason = entry.text("reason")};
  if (group.words.empty() == group.keys.empty())
    entry.complain("keys", "a group has either keys or words", "keys = \"KEY, KEY\", and why they do not matter");
  return group;
}

ConfigName read_config_name(Entry& entry) {
  ConfigName name{
      .name = entry.name(), .of = entry.text("of"), .means = entry.text("means"), .names = read_list(entry, "names")};
  const std::vector<std::string> known = {"model_type",   "layer_type", "layer_letter", "mlp_type",
                                          "quant_method", "quant_algo", "number"};
  if (std::find(known.begin(), known.end(), name.of) == known.end())
    entry.complain("of", fmt::format("nothing is called \"{}\"", shortened(name.of)), suggestion(name.of, known));
  if (name.names.empty()) entry.complain("names", "is empty", "the words that mean the same");
  return name;
}

MeasuredChip read_measured(Entry& entry) {
  MeasuredChip chip;
  chip.name = entry.name();
  chip.kernels = entry.number("kernels", 0.0);
  chip.steps = entry.number("steps", 0.0);
  chip.other_runs = entry.number("other_runs", 0.0);
  chip.sequences = {entry.number("sequences.least", 0.0), entry.number("sequences.most", 0.0)};
  chip.tokens = {entry.number("tokens.least", 0.0), entry.number("tokens.most", 0.0)};
  chip.layouts = entry.keys_below("layout");
  for (const std::string& kind : chip.layouts) entry.number("layout." + kind);
  for (const std::string& key : entry.keys_below("runs")) {
    const std::size_t slash = std::min(key.find('/'), key.size());
    chip.runs.push_back(
        {key.substr(0, slash), key.substr(std::min(slash + 1, key.size())), entry.number("runs." + key)});
  }
  return chip;
}

// Names that point at other entries: caught here, with the file, rather than when somebody uses them.
void check_references(const Library& library, const std::vector<Fact>& facts, Errors& errors) {
  const auto check = [&](std::string_view category, std::string_view key, const std::vector<std::string>& known) {
    for (const Fact& fact : facts) {
      if (fact.category != category || fact.key != key) continue;
      for (const std::string& part : split(fact.text, ',')) {
        const std::string name(trimmed(part));
        if (std::find(known.begin(), known.end(), name) != known.end()) continue;
        errors.push_back(
            {fact.place + ": " + fact.key, fmt::format("unknown name \"{}\"", name), suggestion(name, known)});
      }
    }
  };
  check("machine", "chip", names_of(library.chips));
  check("alias", "model", names_of(library.models));
  check("alias", "machine", names_of(library.machines));
  check("alias", "chip", names_of(library.chips));
  for (const auto key : {"precision.weights", "precision.experts", "precision.attention", "precision.kv",
                         "precision.index", "precision.state"}) {
    check("model", key, names_of(library.formats));
  }
  for (const auto key : {"kv_cache.otherwise", "look_up.products", "look_up.experts"})
    check("engine", key, names_of(library.formats));
  for (const auto key : {"mix.rest", "mix.head", "mix.embedding", "mix.better", "mix.experts"})
    check("format", key, names_of(library.formats));
  for (const Fact& fact : facts) {  // formats by which an engine's own words are read and written
    constexpr std::string_view kWords = "format.";
    if (fact.category != "engine") continue;
    constexpr std::string_view kWeights = "activations.";
    const bool weights = fact.key.starts_with(kWeights);
    if (weights || fact.key.starts_with("kv_cache.where.")) check("engine", fact.key, names_of(library.formats));
    if (!weights && !fact.key.starts_with(kWords)) continue;
    const std::string ours = fact.key.substr((weights ? kWeights : kWords).size());
    if (find_named(library.formats, ours) == nullptr)
      errors.push_back({fact.place + ": " + fact.key, fmt::format("unknown number format \"{}\"", ours),
                        suggestion(ours, names_of(library.formats))});
  }
}

}  // namespace

std::optional<Ownership> read_ownership(Entry& entry) {
  if (entry.keys_below("owned").empty()) return {};
  Ownership owned{.capex = entry.quantity<Dollars<double>>("owned.capex"),
                  .life = entry.quantity<Seconds<double>>("owned.life"),
                  .power = entry.quantity<Watts<double>>("owned.power"),
                  .pue = entry.quantity<Ratio<double>>("owned.pue"),
                  .electricity = entry.quantity<DollarsPerJoule<double>>("owned.electricity"),
                  .cost_of_capital = entry.quantity<Ratio<double>>("owned.cost_of_capital")};
  must_be_positive(entry, "owned.capex", owned.capex);
  must_be_positive(entry, "owned.life", owned.life);
  must_be_positive(entry, "owned.power", owned.power);
  must_be_positive(entry, "owned.pue", owned.pue);
  must_be_positive(entry, "owned.electricity", owned.electricity);
  if (owned.cost_of_capital.value.value() < 0.0) {
    entry.complain("owned.cost_of_capital", "is negative", "write the yearly rate, e.g. 8 %");
  }
  return owned;
}

Result<Library> build_library(const std::vector<Fact>& facts) {
  Errors errors;
  const Sources sources = read_sources(facts, errors);
  Library library;
  library.sources = sources;
  library.formats = read_all<Format>(facts, "format", sources, errors, read_format);
  library.chips = read_all<Chip>(facts, "chip", sources, errors, read_chip);
  library.machines = read_all<Machine>(facts, "machine", sources, errors, read_machine);
  library.models = read_all<Model>(facts, "model", sources, errors, read_model);
  library.engines = read_all<Engine>(facts, "engine", sources, errors, read_engine);
  library.calibrations = read_all<CalibrationEntry>(facts, "calibration", sources, errors, read_calibration);
  library.scaling_laws = read_all<NumbersEntry>(facts, "scaling_law", sources, errors, read_numbers);
  library.lifecycles = read_all<NumbersEntry>(facts, "lifecycle", sources, errors, read_numbers);
  library.tiers = read_all<Tier>(facts, "tier", sources, errors, read_tier);
  library.reuse = read_all<ReuseCurve>(facts, "reuse", sources, errors, read_reuse);
  library.traffic = read_all<NumbersEntry>(facts, "traffic", sources, errors, read_traffic);
  library.contracts = read_all<NumbersEntry>(facts, "contract", sources, errors, read_numbers);
  library.aliases = read_all<Alias>(facts, "alias", sources, errors, read_alias);
  library.config_keys = read_all<ConfigKeys>(facts, "config_key", sources, errors, read_config_keys);
  library.config_names = read_all<ConfigName>(facts, "config_name", sources, errors, read_config_name);
  library.measured = read_all<MeasuredChip>(facts, "measured", sources, errors, read_measured);
  read_all<NumbersEntry>(facts, "prior", sources, errors, read_numbers);   // checked here, used by few: see priors()
  read_all<NumbersEntry>(facts, "recipe", sources, errors, read_numbers);  // likewise: see recipes()
  check_references(library, facts, errors);
  if (!errors.empty()) return fail(std::move(errors));
  return library;
}

namespace {

/// Entries of one category, each read when it is asked for.
template <class T, class Read>
Shelf<T> shelf_of(const std::vector<PackedEntry>& all, std::string_view category,
                  const std::shared_ptr<const Sources>& sources, const Read& read) {
  std::vector<std::string> names;
  std::vector<std::string_view> packs;
  for (const PackedEntry& entry : all) {
    if (entry.category != category) continue;
    names.emplace_back(entry.name);
    packs.push_back(entry.facts);
  }
  return {std::move(names), [packs = std::move(packs), sources, read](std::size_t i) {
            const std::vector<Fact> facts = unpacked(packs[i]);
            std::vector<const Fact*> own;
            for (const Fact& fact : facts) own.push_back(&fact);
            Errors errors;
            Entry entry(std::move(own), *sources, errors);
            T made = read(entry);
            assert(errors.empty() && "the build has read this entry without errors");
            return made;
          }};
}

}  // namespace

Library checked_library(const std::vector<PackedEntry>& entries) {
  Library library;
  const auto none = std::make_shared<const Sources>();
  const auto sources = std::make_shared<const Sources>(shelf_of<Source>(entries, "source", none, read_source));
  library.sources = *sources;
  const auto formats = shelf_of<Format>(entries, "format", sources, read_format);
  library.formats = {formats.begin(), formats.end()};
  library.chips = shelf_of<Chip>(entries, "chip", sources, read_chip);
  library.machines = shelf_of<Machine>(entries, "machine", sources, read_machine);
  library.models = shelf_of<Model>(entries, "model", sources, read_model);
  library.engines = shelf_of<Engine>(entries, "engine", sources, read_engine);
  library.calibrations = shelf_of<CalibrationEntry>(entries, "calibration", sources, read_calibration);
  library.scaling_laws = shelf_of<NumbersEntry>(entries, "scaling_law", sources, read_numbers);
  library.lifecycles = shelf_of<NumbersEntry>(entries, "lifecycle", sources, read_numbers);
  library.tiers = shelf_of<Tier>(entries, "tier", sources, read_tier);
  library.reuse = shelf_of<ReuseCurve>(entries, "reuse", sources, read_reuse);
  library.traffic = shelf_of<NumbersEntry>(entries, "traffic", sources, read_traffic);
  library.contracts = shelf_of<NumbersEntry>(entries, "contract", sources, read_numbers);
  library.aliases = shelf_of<Alias>(entries, "alias", sources, read_alias);
  library.config_keys = shelf_of<ConfigKeys>(entries, "config_key", sources, read_config_keys);
  library.config_names = shelf_of<ConfigName>(entries, "config_name", sources, read_config_name);
  library.measured = shelf_of<MeasuredChip>(entries, "measured", sources, read_measured);
  return library;
}

ConfigWords config_words(const Library& library) {
  return {.keys = {library.config_keys.begin(), library.config_keys.end()},
          .names = {library.config_names.begin(), library.config_names.end()}};
}

Result<std::vector<NumbersEntry>> priors(const std::vector<Fact>& facts) {
  Errors errors;
  const Sources sources = read_sources(facts, errors);
  auto all = read_all<NumbersEntry>(facts, "prior", sources, errors, read_numbers);
  if (!errors.empty()) return fail(std::move(errors));
  return all;
}

Result<std::vector<NumbersEntry>> recipes(const std::vector<Fact>& facts) {
  Errors errors;
  const Sources sources = read_sources(facts, errors);
  auto all = read_all<NumbersEntry>(facts, "recipe", sources, errors, read_numbers);
  if (!errors.empty()) return fail(std::move(errors));
  return all;
}

}  // namespace ridge::catalog
