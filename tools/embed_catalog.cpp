// Turns the catalog folder into a C++ table at build time, after checking all of it. A bad catalog fails the build with
// the same errors a user would see.

#include <cstdio>
#include <string>

#include <fmt/format.h>

#include "catalog/claims.hpp"
#include "catalog/files.hpp"
#include "catalog/library.hpp"

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

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) {
    fmt::print(stderr, "usage: embed_catalog CATALOG_FOLDER OUTPUT.cpp\n");
    return 2;
  }
  const auto facts = ridge::catalog::read_folder(arguments[1], "");
  if (!facts) return report(facts.error());
  if (const auto library = ridge::catalog::build_library(*facts); !library) return report(library.error());
  if (const auto claims = ridge::catalog::read_claims(*facts); !claims) return report(claims.error());
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
  const auto written = ridge::catalog::write_file(arguments[2], out);
  return written ? 0 : report(written.error());
}
