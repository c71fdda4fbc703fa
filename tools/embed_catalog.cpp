// Turns the catalog folder into C++ tables at build time, after checking all of it: one of facts, one of evidence, one of
// prices. A bad catalog fails the build with the same errors a user would see.

#include <algorithm>
#include <cstdio>
#include <functional>
#include <string>

#include <fmt/format.h>

#include "catalog/entries/claims.hpp"
#include "catalog/entries/evidence_file.hpp"
#include "catalog/entries/library.hpp"
#include "catalog/entries/numbers_entry.hpp"
#include "catalog/entries/racks.hpp"
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

/// A text as literals in pieces: compilers limit how long one may be.
std::string pieces(const std::string& text) {
  constexpr std::size_t kPiece = 8000;
  std::string out;
  for (std::size_t at = 0; at < text.size(); at += kPiece) out += quoted(text.substr(at, kPiece)) + ",\n";
  return out;
}

/// The texts of the evidence, and the function that gives them.
std::string evidence_table(const std::vector<ridge::catalog::NamedText>& files) {
  std::string out =
      "// written by tools/embed_catalog.cpp\n#include \"catalog/entries/evidence_file.hpp\"\nnamespace {\n";
  std::string calls;
  for (std::size_t i = 0; i < files.size(); ++i) {
    out += fmt::format("const char* const kPieces{}[] = {{\n", i);
    out += pieces(files[i].text);
    out += "};\n";
    calls += fmt::format(
        "  files.push_back({{{}, {{}}}});\n  for (const char* piece : kPieces{}) files.back().text += piece;\n",
        quoted(files[i].name), i);
  }
  return out +
         "}  // namespace\nnamespace ridge::catalog {\nstd::vector<NamedText> embedded_evidence() {\n"
         "  std::vector<NamedText> files;\n" +
         calls + "  return files;\n}\n}  // namespace ridge::catalog\n";
}

ridge::Errors evidence_errors(const std::vector<ridge::catalog::NamedText>& files, const ridge::Library& library) {
  const auto evidence = ridge::catalog::read_evidence(files);
  return evidence ? ridge::catalog::unknown_names(*evidence, library) : evidence.error();
}

/// Facts of prices and their sources, which only some commands read.
bool is_price_fact(const ridge::catalog::Fact& fact) { return fact.place.starts_with("price/"); }

/// One text: nothing of it is touched unless somebody asks.
std::string price_table(const std::vector<ridge::catalog::Fact>& facts) {
  const std::string list = pieces(ridge::catalog::packed(facts));
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
  if (const auto racks = ridge::catalog::read_racks(*facts); !racks) return report(racks.error());
  if (const auto days = ridge::catalog::numbers_entries(*facts, "day"); !days) return report(days.error());
  if (const auto errors = price_errors(*facts, *library); !errors.empty()) return report(errors);
  const auto prices = std::stable_partition(facts->begin(), facts->end(), std::not_fn(is_price_fact));
  const std::string price_cpp = price_table({prices, facts->end()});
  facts->erase(prices, facts->end());
  std::string out =
      "// written by tools/embed_catalog.cpp\n#include <cstddef>\n#include \"catalog/facts/fact.hpp\"\n"
      "namespace ridge::catalog {\nextern const EmbeddedFact kEmbeddedFacts[];\nextern const std::size_t "
      "kEmbeddedFactCount;\n"
      "const EmbeddedFact kEmbeddedFacts[] = {\n";
  for (const auto& fact : *facts) {
    out += fmt::format("{{{}, {}, {}, {}, {}, {}, {}, {}}},\n", quoted(fact.category), quoted(fact.entry),
                       quoted(fact.key), quoted(fact.text), quoted(fact.source), quoted(fact.kind), quoted(fact.note),
                       quoted(fact.place));
  }
  out +=
      fmt::format("}};\nconst std::size_t kEmbeddedFactCount = {};\n}}  // namespace ridge::catalog\n", facts->size());
  const auto evidence = ridge::catalog::evidence_texts(std::string(arguments[1]) + "/evidence");
  if (!evidence) return report(evidence.error());
  if (const auto errors = evidence_errors(*evidence, *library); !errors.empty()) return report(errors);
  if (const auto written = ridge::catalog::write_file(arguments[2], out); !written) return report(written.error());
  if (const auto written = ridge::catalog::write_file(arguments[4], price_cpp); !written)
    return report(written.error());
  const auto written = ridge::catalog::write_file(arguments[3], evidence_table(*evidence));
  return written ? 0 : report(written.error());
}
