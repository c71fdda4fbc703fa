#include "catalog/facts/packed_facts.hpp"

#include <algorithm>
#include <array>

namespace ridge::catalog {

namespace {

// ASCII has characters for this, which no TOML text of ours holds
constexpr char kEndOfField = '\x1f', kAsBefore = '\x1d';

constexpr std::array kFields = {&Fact::category, &Fact::entry, &Fact::key,  &Fact::text,
                                &Fact::source,   &Fact::kind,  &Fact::note, &Fact::place};

}  // namespace

std::string packed(const std::vector<Fact>& facts) {
  std::string text;
  const Fact nothing;
  const Fact* before = &nothing;
  for (const Fact& fact : facts) {
    for (const auto field : kFields) {
      if (fact.*field == before->*field) {
        text += kAsBefore;
        continue;
      }
      for (const char c : fact.*field) {
        if (c != kEndOfField && c != kAsBefore) text += c;
      }
      text += kEndOfField;
    }
    before = &fact;
  }
  return text;
}

std::vector<Fact> unpacked(std::string_view text) {
  std::vector<Fact> facts;
  unpack(text, facts);
  return facts;
}

void unpack(std::string_view text, std::vector<Fact>& facts) {
  Fact fact;
  while (!text.empty()) {
    for (const auto field : kFields) {
      if (text.starts_with(kAsBefore)) {
        text.remove_prefix(1);
        continue;
      }
      const std::size_t end = std::min(text.find(kEndOfField), text.size());
      (fact.*field).assign(text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    facts.push_back(fact);
  }
}

}  // namespace ridge::catalog
