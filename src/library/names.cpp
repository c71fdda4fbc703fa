#include "library/names.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "library/model_names.hpp"

namespace ridge {

namespace {

constexpr std::size_t kLongestName = 1000;

/// "a, b or c"
std::string either(std::vector<std::string> names) {
  if (names.size() < 2) return joined(names, "");
  const std::string last = names.back();
  names.pop_back();
  return joined(names, ", ") + " or " + last;
}

/// A kind of entry: where it is, what a question calls it, and its column of the alias table.
template <class T>
struct KindOfEntry {
  const Shelf<T>& shelf;
  const char* field;
  std::vector<std::string> Alias::*meant;
};
KindOfEntry<Model> models_of(const Library& library) { return {library.models, "model", &Alias::models}; }
KindOfEntry<Machine> machines_of(const Library& library) { return {library.machines, "machine", &Alias::machines}; }
KindOfEntry<Chip> chips_of(const Library& library) { return {library.chips, "chip", &Alias::chips}; }

/// What a word can mean: nothing, one entry, or several that the reader has to choose from.
struct Meant {
  std::vector<std::string> names;
  bool itself = false;  // the word is the entry's own name, but for its case
};

template <class T>
Meant by_name(const Library& library, const KindOfEntry<T>& kind, std::string_view word) {
  const std::string lower = lower_case(word), bare = bare_word(word);
  for (std::size_t i = 0; i < kind.shelf.size(); ++i) {
    if (lower_case(kind.shelf.name(i)) == lower) return {{kind.shelf.name(i)}, true};
  }
  for (std::size_t i = 0; i < library.aliases.size(); ++i) {
    if (bare_word(library.aliases.name(i)) != bare) continue;
    if (const auto& names = library.aliases[i].*kind.meant; !names.empty()) return {names};
  }
  Meant meant;
  for (std::size_t i = 0; i < kind.shelf.size(); ++i) {
    if (bare_word(kind.shelf.name(i)) == bare) meant.names.push_back(kind.shelf.name(i));
  }
  return meant;
}

/// The words of a name between its separators; dots belong to numbers ("llama-3.1").
std::vector<std::string> words_of(std::string_view name) {
  std::string text = lower_case(name);
  for (char& c : text) {
    if (c == '_' || c == ' ' || c == '/') c = '-';
  }
  std::vector<std::string> words = split(text, '-');
  std::erase_if(words, [](const std::string& word) { return word.empty(); });
  return words;
}

/// The entries whose names hold every word of this one: "llama-70b" is part of llama-3-70b and of others. Of a model
/// and its quantized copies the model is meant.
template <class T>
std::vector<std::string> by_parts(const Shelf<T>& shelf, std::string_view word) {
  const auto wanted = words_of(word);
  std::vector<std::string> found;
  for (std::size_t i = 0; i < shelf.size() && !wanted.empty(); ++i) {
    const auto own = words_of(shelf.name(i));
    const bool all = std::all_of(wanted.begin(), wanted.end(), [&](const std::string& one) {
      return std::find(own.begin(), own.end(), one) != own.end();
    });
    if (all) found.push_back(shelf.name(i));
  }
  const auto copy_of_another = [&](const std::string& name) {
    return std::any_of(found.begin(), found.end(),
                       [&](const std::string& other) { return name.starts_with(other + "-"); });
  };
  std::vector<std::string> kept;
  std::copy_if(found.begin(), found.end(), std::back_inserter(kept),
               [&](const std::string& name) { return !copy_of_another(name); });
  return kept;
}

Error several(const char* field, std::string_view word, const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 6;
  if (names.size() <= kMost)
    return {field, fmt::format("{} can mean {}", shortened(word), either(names)), "name one of them"};
  const std::vector<std::string> first(names.begin(), names.begin() + kMost);
  return {field, fmt::format("{} can mean {} and {} more", shortened(word), joined(first, ", "), names.size() - kMost),
          fmt::format("name one of them (ridge list {}s shows all)", field)};
}

/// Letters between a word's parts and those of a name that are nearest to them; nothing where some part is near to none.
std::optional<std::size_t> distance_by_parts(std::string_view word, std::string_view name) {
  const auto parts = words_of(name);
  std::size_t sum = 0;
  for (const std::string& wanted : words_of(word)) {
    std::size_t least = wanted.size();
    for (const std::string& part : parts) least = std::min(least, edit_distance(wanted, part));
    if (least > std::max<std::size_t>(1, wanted.size() / 3)) return {};
    sum += least;
  }
  return sum;
}

/// The names whose parts are nearest.
std::vector<std::string> nearest_by_parts(std::string_view word, const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 3, kLongest = 80;
  std::vector<std::string> found;
  std::size_t least = kLongest;
  for (const std::string& name : names) {
    const auto distance = distance_by_parts(word.substr(0, kLongest), name);
    if (!distance || *distance > least) continue;
    if (*distance < least) found.clear();
    least = *distance;
    if (found.size() < kMost) found.push_back(name);
  }
  return found;
}

/// Every word that would be taken: names, and the aliases that stand for some.
template <class T>
std::vector<std::string> words_for(const Library& library, const KindOfEntry<T>& kind) {
  std::vector<std::string> words = names_of(kind.shelf);
  for (std::size_t i = 0; i < library.aliases.size(); ++i) {
    if (!(library.aliases[i].*kind.meant).empty()) words.push_back(library.aliases.name(i));
  }
  return words;
}

template <class T>
Error unknown(const Library& library, const KindOfEntry<T>& kind, std::string_view word) {
  return {kind.field, fmt::format("unknown {} \"{}\"", kind.field, shortened(word)),
          nearest_names(word, words_for(library, kind)) + fmt::format(" (ridge list {}s shows all)", kind.field)};
}

std::string says(std::string_view word, const std::string& name) {
  return fmt::format("{} is {}", shortened(word), name);
}

/// An entry of an alias, or of a name with other separators; nothing where there is none of the kind.
template <class T>
Result<const T*> one_of(const Library& library, const KindOfEntry<T>& kind, std::string_view word,
                        const std::vector<std::string>& names) {
  if (names.empty()) return nullptr;
  if (names.size() > 1) return fail(several(kind.field, word, names));
  const T* entry = kind.shelf.find(names.front());
  if (entry == nullptr) return fail(unknown(library, kind, names.front()));
  return entry;
}

/// "8xH100", "8 x H100", "8*h100": the count and the rest.
struct Counted {
  double count = 0;
  std::string_view rest;
};
std::optional<Counted> counted(std::string_view word) {
  constexpr std::size_t kMostDigits = 6;
  const std::size_t digits = std::min(word.find_first_not_of("0123456789"), word.size());
  if (digits == 0 || digits > kMostDigits) return {};
  std::string_view rest = trimmed(word.substr(digits));
  if (rest.starts_with("\xc3\x97"))  // the sign of multiplication
    rest.remove_prefix(2);
  else if (rest.starts_with('x') || rest.starts_with('X') || rest.starts_with('*'))
    rest.remove_prefix(1);
  else
    return {};
  while (rest.starts_with(' ') || rest.starts_with('-')) rest.remove_prefix(1);
  const auto count = parse_number(word.substr(0, digits));
  if (!count || *count < 1 || rest.empty()) return {};
  return Counted{*count, rest};
}

/// Without the maker's name: "NVIDIA H100".
std::string_view without_maker(std::string_view word) {
  for (const std::string_view maker : {"nvidia", "amd", "google", "intel", "aws", "dgx", "hgx"}) {
    const bool apart = word.size() > maker.size() + 1 && contains(" -_", word.substr(maker.size(), 1));
    if (apart && lower_case(word.substr(0, maker.size())) == maker) return word.substr(maker.size() + 1);
  }
  return word;
}

/// The machines of a chip.
std::vector<std::string> machines_with(const Library& library, const std::string& chip) {
  std::vector<std::string> names;
  for (const Machine& machine : library.machines) {
    if (machine.chip == chip) names.push_back(machine.name);
  }
  return names;
}

/// Any word but a count of chips.
Result<NamedMachine> plain_machine(const Library& library, std::string_view word) {
  const auto kind = machines_of(library);
  if (const Machine* exact = library.machines.find(word)) return NamedMachine{exact, {}, ""};
  for (const std::string_view tried : {word, without_maker(word)}) {
    const Meant meant = by_name(library, kind, tried);
    const auto found = one_of(library, kind, word, meant.names);
    if (!found) return fail(found.error());
    if (*found != nullptr)
      return NamedMachine{*found, {}, meant.itself && tried == word ? "" : says(word, (*found)->name)};
    const Meant chip = by_name(library, chips_of(library), tried);
    if (chip.names.size() != 1) continue;
    const auto with = one_of(library, kind, word, machines_with(library, chip.names.front()));
    if (!with) return fail(with.error());
    if (*with != nullptr) return NamedMachine{*with, {}, says(word, (*with)->name)};
  }
  const auto part = one_of(library, kind, word, by_parts(library.machines, word));
  if (!part) return fail(part.error());
  if (*part != nullptr) return NamedMachine{*part, {}, says(word, (*part)->name)};
  return fail(unknown(library, kind, word));
}

}  // namespace

std::string nearest_names(std::string_view word, const std::vector<std::string>& known) {
  std::vector<std::string> by_part;
  if (nearest(word, known, 1).empty()) by_part = nearest_by_parts(word, known);
  return by_part.empty() ? suggestion(word, known) : "did you mean " + either(by_part) + "?";
}

std::string bare_word(std::string_view word) {
  std::string bare = lower_case(word);
  std::erase_if(bare, [](char c) { return c == '-' || c == '_' || c == '.' || c == ' '; });
  return bare;
}

Result<NamedChip> chip_named(const Library& library, std::string_view word) {
  const auto kind = chips_of(library);
  if (const Chip* exact = library.chips.find(word)) return NamedChip{exact, ""};
  if (word.size() > kLongestName) return fail(unknown(library, kind, word));
  for (const std::string_view tried : {word, without_maker(word)}) {
    const Meant meant = by_name(library, kind, tried);
    const auto found = one_of(library, kind, word, meant.names);
    if (!found) return fail(found.error());
    if (*found != nullptr) return NamedChip{*found, meant.itself && tried == word ? "" : says(word, (*found)->name)};
  }
  const auto part = one_of(library, kind, word, by_parts(library.chips, word));
  if (!part) return fail(part.error());
  if (*part != nullptr) return NamedChip{*part, says(word, (*part)->name)};
  return fail(unknown(library, kind, word));
}

Result<NamedMachine> machine_named(const Library& library, std::string_view word) {
  if (word.size() > kLongestName) return fail(unknown(library, machines_of(library), word));
  const auto many = counted(word);
  if (!many) return plain_machine(library, word);
  auto named = plain_machine(library, many->rest);
  if (!named) return fail(named.error());
  const Machine& machine = *named->entry;
  named->note = says(word, machine.name);
  if (machine.chips.value != many->count) {
    named->chips = many->count;
    named->note = fmt::format("{} is {:g} chips of {}, which has {:g}", shortened(word), many->count, machine.name,
                              machine.chips.value);
  }
  return named;
}

Result<NamedMachine> whole_machine_named(const Library& library, std::string_view word) {
  auto named = machine_named(library, word);
  if (!named || !named->chips) return named;
  return fail({"machine",
               fmt::format("{} asks for {:g} chips of {}, which has {:g}", shortened(word), *named->chips,
                           named->entry->name, named->entry->chips.value),
               fmt::format("here a whole machine is meant: {}", named->entry->name)});
}

Result<NamedModel> model_named(const Library& library, std::string_view word) {
  const auto kind = models_of(library);
  if (const Model* exact = library.models.find(word)) return NamedModel{exact, {}, ""};
  if (word.size() > kLongestName) return fail(unknown(library, kind, word));
  const Meant meant = by_name(library, kind, word);
  const auto found = one_of(library, kind, word, meant.names);
  if (!found) return fail(found.error());
  if (*found != nullptr) return NamedModel{*found, {}, meant.itself ? "" : says(word, (*found)->name)};
  if (const auto match = find_model(library, word)) return NamedModel{match->model, match->weights, match->note};
  const std::string_view last = word.substr(word.rfind('/') + 1);  // npos + 1 is 0
  for (const std::string_view tried : {word, last}) {
    const auto part = one_of(library, kind, word, by_parts(library.models, tried));
    if (!part) return fail(part.error());
    if (*part != nullptr) return NamedModel{*part, {}, says(word, (*part)->name)};
  }
  return fail(unknown(library, kind, last));
}

}  // namespace ridge
