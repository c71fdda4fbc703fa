// ridge list: the names in the catalog, and of the inputs and figures.

#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text/text.hpp"
#include "base/text/unit_text.hpp"
#include "catalog/facts/upkeep.hpp"
#include "cli/options/option_groups.hpp"
#include "cli/question/prices.hpp"
#include "library/calibrations.hpp"
#include "library/engines.hpp"
#include "library/price_said.hpp"
#include "report/base/listing_text.hpp"
#include "report/model/model_summary.hpp"
#include "roofline/readings.hpp"
#include "serve/estimate.hpp"
#include "train/lifecycle_answer.hpp"

namespace ridge::cli {

namespace {

using report::Listing;

/// A column of words, which may take several lines.
report::ListingColumn prose(std::string heading) { return {.heading = std::move(heading), .unit = {}, .prose = true}; }

Listing models(const Program& program) {
  Listing list{{{"name"}, prose("title"), {"total", " params"}, {"active", " params"}, {"KV a token"}, {"context"}},
               {}};
  for (const Model& model : program.library.models) {
    const double bytes = report::summarize(model, program.library.formats).kv_bytes_per_token;
    list.rows.push_back({model.name, model.title, show(count_parameters(model).total(), kParam, 3),
                         show(active_parameters(model), kParam, 3), show(bytes, kByte, 3),
                         with_commas(model.context_limit)});
  }
  return list;
}

Listing machines(const Program& program) {
  Listing list{{{"name"}, prose("title"), {"chips"}, {"nameplate"}, {"bandwidth"}, {"rental"}}, {}};
  for (const Machine& machine : program.library.machines) {
    const Chip* chip = find_named(program.library.chips, machine.chip);
    const double n = machine.chips.value;
    const auto price = chip_price(machine, {}, program.library);
    list.rows.push_back({machine.name, machine.title, with_commas(n), show(n * chip->capacity.value.value(), kByte, 3),
                         show(n * chip->bandwidth.value.value(), kByte / kSecond, 3),
                         price ? (is_assumed(*price) ? "~" : "") + show(price->price.value, 3) : "-"});
  }
  return list;
}

Listing chips(const Program& program) {
  Listing list{{{"name"},
                prose("title"),
                {"bf16", "FLOP/s"},
                {"fp8", "FLOP/s"},
                {"fp4", "FLOP/s"},
                {"nameplate"},
                {"bandwidth"},
                {"sweep"}},
               {}};
  for (const Chip& chip : program.library.chips) {
    const auto rate = [&](const char* format) {
      const auto* found = find_rate(chip.matmul, format);
      return found == nullptr ? std::string("-") : show(found->value, 3);
    };
    list.rows.push_back({chip.name, chip.title, rate("bf16"), rate("fp8"), rate("fp4"), show(chip.capacity.value, 3),
                         show(chip.bandwidth.value, 3), show(chip.capacity.value / chip.bandwidth.value, 3)});
  }
  return list;
}

/// "0.92 (everything)": an engine's share of memory and what it is a share of.
std::string memory_of(const FoundEngine& engine) {
  if (engine.borrowed) return "-";
  return fmt::format("{:g} ({})", engine.facts->memory_utilization.value.value,
                     name_of(engine.facts->memory_rule.value));
}

Listing engines(const Program& program) {
  Listing list{
      {{"name"}, {"runs"}, {"error"}, {"a step"}, {"a sequence"}, {"a request"}, {"memory"}, prose("fitted to")}, {}};
  for (const std::string& name : known_engines(program.library)) {
    const std::string memory = memory_of(find_engine(program.library, name));
    const CalibrationEntry* entry = find_calibration(program.library, "engine", name);
    if (entry == nullptr) {
      list.rows.push_back({name, "-", "-", "-", "-", "-", memory, "nobody measured it: the mean of the others"});
      continue;
    }
    const auto time = [&](const char* key) {
      const auto found = entry->numbers.find(key);
      return found == entry->numbers.end() ? std::string("-") : show(Seconds<double>(found->second.value), 3);
    };
    list.rows.push_back({name, with_commas(entry->rows), fmt::format("{:.1f} %", 100 * entry->error), time("step_time"),
                         time("sequence_time"), time("first_time"), memory, entry->range});
  }
  return list;
}

Listing formats(const Program& program) {
  Listing list{{{"name"}, prose("title"), {"size"}, {"computes as"}}, {}};
  for (const Format& format : program.library.formats)
    list.rows.push_back({format.name, format.title, show(format.bytes.value, 8), format.computes_as});
  return list;
}

Listing sources(const Program& program) {
  Listing list{{{"name"}, {"kind"}, {"confidence"}, {"date"}, prose("title")}, {}};
  for (const Source& source : all_sources(program))
    list.rows.push_back({source.id, name_of(source.kind), source.confidence, source.date, source.title});
  return list;
}

Listing claims(const Program& program) {
  Listing list{{{"name"}, {"topic"}, prose("title")}, {}};
  for (const Claim& claim : *program.claims) list.rows.push_back({claim.id, claim.topic, claim.title});
  return list;
}

/// Inputs of a set of equations, by its list.
template <template <class> class Case>
Listing inputs_of(const Program&) {
  Listing list{{{"name"}, {"symbol"}, {"unit"}, prose("meaning")}, {}};
  for (const auto& row : field_rows<Case>()) {
    list.rows.push_back({std::string(row.info.key), std::string(row.info.symbol), unit_name(row.dimension),
                         std::string(row.info.meaning)});
  }
  return list;
}

template <template <class> class Estimate>
Listing figures_of(const Program&) {
  Listing list{{{"name"}, {"unit"}, prose("meaning")}, {}};
  for (const auto& row : field_rows<Estimate>())
    list.rows.push_back({std::string(row.info.key), unit_name(row.dimension), std::string(row.info.meaning)});
  return list;
}

Listing laws(const Program& program) {
  Listing list{{{"name"}, {"form"}, prose("title")}, {}};
  for (const NumbersEntry& law : program.library.scaling_laws) list.rows.push_back({law.name, law.form, law.title});
  return list;
}

Listing tiers(const Program& program) {
  Listing list{{{"name"}, prose("title"), {"capacity"}, {"read"}, {"drains in"}, {"price"}}, {}};
  for (const Tier& tier : program.library.tiers) {
    const bool device = tier.of == Tier::Of::device;
    list.rows.push_back({tier.name, tier.title, device ? show(tier.capacity->value, 3) : "-",
                         device ? show(tier.read->value, 3) : "-",
                         device ? show(tier.capacity->value / tier.read->value, 3) : "-",
                         device ? show(tier.owned->capex.value, 3) : "-"});
  }
  return list;
}

Listing reuse(const Program& program) {
  Listing list{{{"name"}, prose("title"), {"up to"}, {"used again by then"}}, {}};
  for (const ReuseCurve& curve : program.library.reuse) {
    list.rows.push_back({curve.name, curve.title, show(curve.points.back().within),
                         report::percent(curve.points.back().share.value())});
  }
  return list;
}

Listing traffic(const Program& program) {
  Listing list{{{"name"}, prose("title"), {"output", " tok/s"}, {"input", " tok/s"}, {"together", " tok/s"}}, {}};
  for (const NumbersEntry& entry : program.library.traffic) {
    const auto rate = [&](const char* key) {
      const auto found = entry.numbers.find(key);
      return found == entry.numbers.end() ? std::string("-") : show(found->second.value.value, kToken / kSecond, 3);
    };
    list.rows.push_back({entry.name, entry.title, rate("output"), rate("input"), rate("all")});
  }
  return list;
}

/// The newest sheet of everything that is sold.
Listing prices(const Program& program) {
  Listing list{{{"name"},
                {"input", "/Mtok"},
                {"cached", "/Mtok"},
                {"output", "/Mtok"},
                {"above", " tokens"},
                {"since"},
                {"dates"},
                {"weights"}},
               {}};
  const auto sheets = price_sheets(program);
  if (!sheets) return list;  // run_list has said why
  for (const SoldModel& sold : by_model(*sheets)) {
    const PriceSheet& sheet = *sold.sheets.back();
    const auto dollars = [](const DollarsPerToken<double>& price) { return show(price); };
    list.rows.push_back({sold.name, dollars(sheet.input), sheet.cached ? dollars(*sheet.cached) : "-",
                         dollars(sheet.output), sheet.tiers.empty() ? "-" : show(sheet.tiers.front().above), sheet.date,
                         std::to_string(sold.sheets.size()), sheet.weights.empty() ? "-" : sheet.weights});
  }
  return list;
}

std::vector<catalog::Fact> all_facts(const Program& program) {
  return catalog::overlaid(catalog::embedded_price_facts(), *program.facts);
}

/// Prices that somebody should read again.
Listing stale(const Program& program) {
  constexpr int kDays = 180;
  Listing list{{{"name"}, {"price"}, {"read"}, {"days"}, prose("source")}, {}};
  for (const catalog::OldPrice& one : catalog::old_prices(all_facts(program), all_sources(program), kDays))
    list.rows.push_back({one.entry, one.key, one.date, std::to_string(one.days), one.source});
  return list;
}

/// Values with nothing but somebody's judgment behind them.
Listing unsourced(const Program& program) {
  Listing list{{{"name"}, {"key"}, {"value"}, prose("source")}, {}};
  for (const catalog::UnsourcedValue& one : catalog::unsourced_values(*program.facts, all_sources(program)))
    list.rows.push_back({one.entry, one.key, one.text, one.source.empty() ? "-" : one.source});
  return list;
}

struct ListKind {
  std::string_view name, meaning;
  Listing (*make)(const Program&);
  std::string_view legend = "";  // below the table
};

constexpr std::string_view kPriceLegend =
    "rental: of a chip for an hour, reserved-3y; owned where nobody rents it out. ~: assumed, as from another contract "
    "(ridge cost MACHINE, ridge list unsourced)";

constexpr std::array kKinds = {
    ListKind{"models", "models with their exact parameter counts", models},
    ListKind{"machines", "scale-up domains and their prices", machines, kPriceLegend},
    ListKind{"chips", "peaks, memory and bandwidth", chips},
    ListKind{"formats", "number formats", formats},
    ListKind{"engines", "serving engines: how fast, how they count memory", engines},
    ListKind{"sources", "where numbers come from", sources},
    ListKind{"laws", "scaling laws (--law, --expert-law)", laws},
    ListKind{"tiers", "places to keep context (ridge tier)", tiers},
    ListKind{"reuse", "how soon context is used again (--reuse)", reuse},
    ListKind{"traffic", "what providers say they serve (ridge demand)", traffic},
    ListKind{"prices", "price sheets of APIs, by provider and model", prices},
    ListKind{"stale", "prices read more than 180 days before the newest source", stale},
    ListKind{"unsourced", "values that somebody assumed, or that cite nothing", unsourced},
    ListKind{"claims", "the lecture's statements", claims},
    ListKind{"inputs", "every number a case has (--set, --range)", inputs_of<DecodeCase>},
    ListKind{"figures", "every number an answer has (--derive)", figures_of<DecodeEstimate>},
    ListKind{"serving-inputs", "the same of a calibrated answer", inputs_of<ServingCase>},
    ListKind{"serving-figures", "the same of a calibrated answer", figures_of<ServingEstimateOf>},
    ListKind{"lifecycle-inputs", "the same of ridge lifecycle", inputs_of<LifecycleCase>},
    ListKind{"lifecycle-figures", "the same of ridge lifecycle", figures_of<LifecycleEstimate>}};

std::string listing_json(std::string_view what, const Listing& list) {
  nlohmann::ordered_json json;
  json["schema"] = "ridge.list/1";
  json["list"] = std::string(what);
  json["rows"] = nlohmann::ordered_json::array();
  for (const auto& row : list.rows) {
    nlohmann::ordered_json entry;
    for (std::size_t i = 0; i < row.size(); ++i) entry[list.columns[i].heading] = row[i];
    json["rows"].push_back(std::move(entry));
  }
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

Result<int> run_list(const Arguments& arguments, Program& program) {
  const std::string what = arguments.text("what");
  if (what.empty() || what.starts_with("price")) {
    if (const auto sheets = price_sheets(program); !sheets) return fail(sheets.error());
  }
  std::vector<std::string> known;
  Listing overview{{{"name"}, {"entries"}, prose("what")}, {}};
  for (const ListKind& kind : kKinds) {
    known.emplace_back(kind.name);
    const bool asked = what == kind.name || what + "s" == kind.name;
    if (!asked && !what.empty()) continue;
    const Listing list = kind.make(program);
    const std::string legend = kind.legend.empty() ? "" : report::wrapped(kind.legend, program.style.columns, 2) + "\n";
    if (asked)
      return print(arguments.json() ? listing_json(kind.name, list)
                                    : report::listing_text(list, program.style) + legend);
    overview.rows.push_back({std::string(kind.name), std::to_string(list.rows.size()), std::string(kind.meaning)});
  }
  if (!what.empty())
    return fail({"list", fmt::format("there is no list of \"{}\"", shortened(what)), suggestion(what, known)});
  if (arguments.json()) return print(listing_json("all", overview));
  return print(report::listing_text(overview, program.style) +
               "\nridge list NAME shows one of them; ridge show ENTRY an entry with its sources\n");
}

}  // namespace

Command list_command() {
  return {.name = "list",
          .purpose = Purpose::data,
          .place = 1,
          .summary = "what the catalog holds",
          .groups = {{kUsual,
                      {{"WHAT", "what", "WHAT", "models, machines, chips, formats, engines, laws, prices, ...",
                        "an overview"}}},
                     output_options(),
                     rare_options()},
          .examples = {"ridge list", "ridge list machines", "ridge list models --json"},
          .run = run_list};
}

}  // namespace ridge::cli
