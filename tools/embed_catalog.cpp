// Turns the catalog folder into C++ tables at build time, after checking all of it: one of facts, one of evidence. A bad
// catalog fails the build with the same errors a user would see.

#include <cstdio>
#include <string>

#include <fmt/format.h>

#include "catalog/claims.hpp"
#include "catalog/evidence_file.hpp"
#include "catalog/files.hpp"
#include "catalog/library.hpp"
#include "catalog/racks.hpp"

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

/// The texts of the evidence, and the function that gives them. In pieces: compilers limit how long a literal may be.
std::string evidence_table(const std::vector<ridge::catalog::NamedText>& files) {
  constexpr std::size_t kPiece = 8000;
  std::string out = "// written by tools/embed_catalog.cpp\n#include \"catalog/evidence_file.hpp\"\nnamespace {\n";
  std::string calls;
  for (std::size_t i = 0; i < files.size(); ++i) {
    out += fmt::format("const char* const kPieces{}[] = {{\n", i);
    for (std::size_t at = 0; at < files[i].text.size(); at += kPiece) {
      out += quoted(files[i].text.substr(at, kPiece)) + ",\n";
    }
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

}  // namespace

int main(int count, char** arguments) {
  if (count != 4) {
    fmt::print(stderr, "usage: embed_catalog CATALOG_FOLDER FACTS.cpp EVIDENCE.cpp\n");
    return 2;
  }
  const auto facts = ridge::catalog::read_folder(arguments[1], "");
  if (!facts) return report(facts.error());
  const auto library = ridge::catalog::build_library(*facts);
  if (!library) return report(library.error());
  if (const auto claims = ridge::catalog::read_claims(*facts); !claims) return report(claims.error());
  if (const auto racks = ridge::catalog::read_racks(*facts); !racks) return report(racks.error());
  std::string out =
      "// written by tools/embed_catalog.cpp\n#include <cstddef>\n#include \"catalog/fact.hpp\"\n"
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
  const auto written = ridge::catalog::write_file(arguments[3], evidence_table(*evidence));
  return written ? 0 : report(written.error());
}
