// Turns the catalog folder into C++ tables at build time, after checking all of it: one of facts, one of evidence, one of
// prices. A bad catalog fails the build with the same errors a user would see.

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "calibrate/judge/left_out.hpp"
#include "catalog/entries/claims.hpp"
#include "catalog/entries/client_entry.hpp"
#include "catalog/entries/lecture.hpp"
#include "catalog/entries/library.hpp"
#include "catalog/entries/numbers_entry.hpp"
#include "catalog/entries/racks.hpp"
#include "catalog/evidence/evidence_file.hpp"
#include "catalog/facts/files.hpp"
#include "catalog/facts/packed_facts.hpp"
#include "catalog/prices/price_file.hpp"

namespace {

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') out += '\\';
    if (byte < 0x20) {
      out += fmt::format("\\{:03o}", byte);
    } else {
      out += c;
    }
  }
  return out + "\"";
}

int report(const ridge::Errors& errors) {
  for (const ridge::Error& error : errors) {
    fmt::print(stderr, "catalog/{}: {}\n  hint: {}\n", error.where, error.what, error.hint);
  }
  return 1;
}

/// A text as literals, each with `end` behind it: compilers limit how long one may be. No letter is cut in two.
std::string pieces(const std::string& text, const char* end) {
  constexpr std::size_t kPiece = 8000;
  const auto within_letter = [&](std::size_t at) {
    return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0u) == 0x80u;
  };
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t next = at + kPiece;
    while (within_letter(next)) --next;
    out += quoted(text.substr(at, next - at)) + end;
    at = next;
  }
  return out;
}

/// The facts of each entry packed, behind all names: a start reads the names alone.
std::string facts_table(const std::vector<ridge::catalog::Fact>& facts) {
  struct Packing {
    std::string category, name;
    std::vector<ridge::catalog::Fact> facts;
  };
  std::vector<Packing> entries;
  std::map<std::pair<std::string, std::string>, std::size_t> position;
  for (const auto& fact : facts) {
    const auto [at, is_new] = position.try_emplace({fact.category, fact.entry}, entries.size());
    if (is_new) entries.push_back({fact.category, fact.entry, {}});
    entries[at->second].facts.push_back(fact);
  }
  std::string names, packed, places;
  std::size_t length = 0;
  for (const Packing& entry : entries) length += entry.category.size() + entry.name.size();
  for (const Packing& entry : entries) {
    const std::size_t start = names.size(), facts_start = length + packed.size();
    names += entry.category + entry.name;
    packed += ridge::catalog::packed(entry.facts);
    places += fmt::format("{{{}, {}, {}, {}, {}}},\n", start, start + entry.category.size(), names.size(), facts_start,
                          length + packed.size());
  }
  const std::string text = pieces(names + packed, "\n");
  return fmt::format(
      "// written by tools/embed_catalog.cpp\n#include <cstddef>\n#include <cstdint>\nnamespace ridge::catalog {{\n"
      "extern const char kEmbeddedText[];\nextern const std::uint32_t kEmbeddedPlaces[][5];\n"
      "extern const std::size_t kEmbeddedCount;\nconst char kEmbeddedText[] =\n{};\n"
      "const std::uint32_t kEmbeddedPlaces[][5] = {{\n{}}};\nconst std::size_t kEmbeddedCount = {};\n"
      "}}  // namespace ridge::catalog\n",
      text, places, entries.size());
}

/// The texts of the evidence, and the functions that give all of them, and those of runs alone.
std::string evidence_table(const std::vector<ridge::catalog::NamedText>& files) {
  std::string out =
      "// written by tools/embed_catalog.cpp\n#include \"catalog/evidence/evidence_file.hpp\"\nnamespace {\n";
  std::string calls, of_runs;
  for (std::size_t i = 0; i < files.size(); ++i) {
    out += fmt::format("const char* const kPieces{}[] = {{\n", i);
    out += pieces(files[i].text, ",\n");
    out += "};\n";
    const std::string call = fmt::format(
        "  files.push_back({{{}, {{}}}});\n  for (const char* piece : kPieces{}) files.back().text += piece;\n",
        quoted(files[i].name), i);
    calls += call;
    if (files[i].name == "sets.csv" || files[i].name == "serving.csv") of_runs += call;
  }
  constexpr const char* kFunction =
      "std::vector<NamedText> {}() {{\n  std::vector<NamedText> files;\n{}  return files;\n}}\n";
  return out + "}  // namespace\nnamespace ridge::catalog {\n" + fmt::format(kFunction, "embedded_evidence", calls) +
         fmt::format(kFunction, "embedded_runs", of_runs) + "}  // namespace ridge::catalog\n";
}

ridge::Errors evidence_errors(const ridge::Result<ridge::Evidence>& evidence, const ridge::Library& library) {
  return evidence ? ridge::catalog::unknown_names(*evidence, library) : evidence.error();
}

/// How much of each chip is measured, as facts: so that an answer can say it without reading the evidence.
void add_measured(const ridge::Evidence& evidence, const ridge::Library& library,
                  std::vector<ridge::catalog::Fact>& facts) {
  std::map<std::string, std::map<std::string, double>> counts;  // of a chip, by key
  std::vector<ridge::RunCase> cases;
  for (const ridge::KernelRow& row : evidence.kernels) ++counts[row.chip]["kernels"];
  for (const ridge::StepRow& row : evidence.steps) ++counts[row.chip]["steps"];
  for (const ridge::ServingRow& row : evidence.serving) {
    if (!row.wrong.empty()) continue;
    const std::string& chip = ridge::find_named(library.machines, row.machine)->chip;
    std::string why;
    if (auto fitted = ridge::serving_case(row, library, why)) {
      cases.push_back(std::move(*fitted));
    } else {
      ++counts[chip]["other_runs"];
    }
  }
  std::vector<const ridge::RunCase*> runs;
  for (const ridge::RunCase& one : cases) runs.push_back(&one);
  for (const ridge::MeasuredChip& chip : ridge::measured_by(runs)) {
    auto& keys = counts[chip.name];
    for (const ridge::MeasuredRuns& one : chip.runs) keys[fmt::format("runs.{}/{}", one.engine, one.model)] = one.count;
    for (const std::string& kind : chip.layouts) keys["layout." + kind] = 1;
    keys["sequences.least"] = chip.sequences.least;
    keys["sequences.most"] = chip.sequences.most;
    keys["tokens.least"] = chip.tokens.least;
    keys["tokens.most"] = chip.tokens.most;
  }
  for (const auto& [chip, keys] : counts) {
    for (const auto& [key, count] : keys)
      facts.push_back({"measured", chip, key, fmt::format("{:.10g}", count), "", "", "", "evidence"});
  }
}

/// Facts of prices and their sources, which only some commands read.
bool is_price_fact(const ridge::catalog::Fact& fact) { return fact.place.starts_with("price/"); }

/// One text: nothing of it is touched unless somebody asks.
std::string price_table(const std::vector<ridge::catalog::Fact>& facts) {
  const std::string list = pieces(ridge::catalog::packed(facts), ",\n");
  return "// written by tools/embed_catalog.cpp\n#include <cstddef>\nnamespace ridge::catalog {\n"
         "extern const char* const kEmbeddedPrices[];\nextern const std::size_t kEmbeddedPricePieces;\n"
         "const char* const kEmbeddedPrices[] = {\n" +
         list +
         "};\nconst std::size_t kEmbeddedPricePieces = sizeof kEmbeddedPrices / sizeof *kEmbeddedPrices;\n"
         "}  // namespace ridge::catalog\n";
}

/// What is wrong with the sheets, among it models that the catalog does not have.
ridge::Errors price_errors(const std::vector<ridge::catalog::Fact>& facts, const ridge::Library& library) {
  const auto sheets = ridge::catalog::price_sheets(facts);
  if (!sheets) return sheets.error();
  ridge::Errors errors;
  for (const ridge::PriceSheet& sheet : *sheets) {
    if (sheet.weights.empty() || ridge::find_named(library.models, sheet.weights) != nullptr) continue;
    errors.push_back({"price: " + sheet.provider + "/" + sheet.model,
                      fmt::format("no model is called \"{}\"", sheet.weights), "weights names a model of the catalog"});
  }
  return errors;
}

/// A table that could not be written is not left half behind: the build would go on with it.
ridge::Errors write_table(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (file) return {};
  std::error_code ignored;
  std::filesystem::remove(path, ignored);
  return {{path, "could not be written", "check the folder and the free space"}};
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 5) {
    fmt::print(stderr, "usage: embed_catalog CATALOG_FOLDER FACTS.cpp EVIDENCE.cpp PRICES.cpp\n");
    return 2;
  }
  auto facts = ridge::catalog::read_folder(arguments[1], "");
  if (!facts) return report(facts.error());
  const auto library = ridge::catalog::build_library(*facts);
  if (!library) return report(library.error());
  if (const auto claims = ridge::catalog::read_claims(*facts); !claims) return report(claims.error());
  if (const auto steps = ridge::catalog::read_lecture(*facts); !steps) return report(steps.error());
  if (const auto racks = ridge::catalog::read_racks(*facts); !racks) return report(racks.error());
  if (const auto days = ridge::catalog::numbers_entries(*facts, "day"); !days) return report(days.error());
  if (const auto clients = ridge::catalog::benchmark_clients(*facts); !clients) return report(clients.error());
  if (const auto errors = price_errors(*facts, *library); !errors.empty()) return report(errors);
  const auto prices = std::stable_partition(facts->begin(), facts->end(), std::not_fn(is_price_fact));
  const std::string price_cpp = price_table({prices, facts->end()});
  facts->erase(prices, facts->end());
  const auto evidence = ridge::catalog::evidence_texts(std::string(arguments[1]) + "/evidence");
  if (!evidence) return report(evidence.error());
  const auto rows = ridge::catalog::read_evidence(*evidence);
  if (const auto errors = evidence_errors(rows, *library); !errors.empty()) return report(errors);
  add_measured(*rows, *library, *facts);
  const std::pair<const char*, std::string> tables[] = {
      {arguments[2], facts_table(*facts)}, {arguments[4], price_cpp}, {arguments[3], evidence_table(*evidence)}};
  for (const auto& [path, text] : tables) {
    if (const auto errors = write_table(path, text); !errors.empty()) return report(errors);
  }
  return 0;
}
