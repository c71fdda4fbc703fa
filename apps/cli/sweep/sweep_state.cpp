#include "cli/sweep/sweep_state.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "base/content_hash.hpp"
#include "base/text/text.hpp"
#include "catalog/facts/files.hpp"
#include "cli/output/whole_file.hpp"
#include "cli/sweep/shard.hpp"

namespace ridge::cli {

namespace {

// the first had no hash of the rows and no check of itself
constexpr std::string_view kHead = "ridge-sweep-state 2\n", kOldHead = "ridge-sweep-state 1\n", kCheck = "check ";

std::string check_of(std::string_view text) {
  ContentHash hash;
  hash.add(text);
  return hash.text();
}

bool read_whole(std::string_view text, std::uint64_t& to, int base = 10) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), to, base);
  return error == std::errc() && end == text.data() + text.size();
}

/// "x y index", the numbers by their bits: nothing is rounded.
bool read_candidate(std::string_view text, std::vector<Candidate>& to) {
  const auto words = split(text, ' ');
  std::uint64_t x = 0, y = 0;
  Candidate candidate;
  if (words.size() != 3 || !read_whole(words[0], x, 16) || !read_whole(words[1], y, 16) ||
      !read_whole(words[2], candidate.index))
    return false;
  candidate.x = std::bit_cast<double>(x);
  candidate.y = std::bit_cast<double>(y);
  to.push_back(candidate);
  return true;
}

bool read_line(std::string_view key, std::string_view value, SweepState& state) {
  if (key == "sweep") return state.sweep = value, true;
  if (key == "format") return state.format = value, true;
  if (key == "summary") return state.summary = value, true;
  if (key == "cases") return read_whole(value, state.cases);
  if (key == "part") return read_whole(value, state.part);
  if (key == "parts") return read_whole(value, state.parts);
  if (key == "done") return read_whole(value, state.done);
  if (key == "size") return read_whole(value, state.size);
  if (key == "hash") return state.hash = value, true;
  if (key == "complete") return state.complete = value == "yes", true;
  if (key == "candidate") return read_candidate(value, state.candidates);
  return false;
}

/// Whether these can be the numbers of a sweep.
bool is_sound(const SweepState& state) {
  const bool known = state.format == "csv" || state.format == "jsonl" || state.format == "sqlite";
  return known && state.part >= 1 && state.part <= state.parts && state.parts <= kMostParts &&
         state.done <= state.cases &&
         std::none_of(state.candidates.begin(), state.candidates.end(),
                      [](const Candidate& one) { return std::isnan(one.x) || std::isnan(one.y); });
}

}  // namespace

std::string state_path(const std::string& file) { return file + ".state"; }

bool has_state(const std::string& file) {
  std::error_code error;
  return std::filesystem::exists(std::filesystem::symlink_status(state_path(file), error));
}

Result<SweepState> read_state(const std::string& file) {
  const std::string path = state_path(file);
  const auto text = catalog::read_file(path);
  if (!text) return fail({path, text.error().front().what, "it lies beside every file that ridge sweep --out writes"});
  return parse_state(*text, file);
}

Result<SweepState> parse_state(std::string_view text, const std::string& file) {
  const bool old = text.starts_with(kOldHead);
  bool good = old;
  std::string_view body = text;
  if (text.starts_with(kHead)) {
    // the last line is about all before it: nothing is missing
    body = text.substr(0, text.rfind('\n', text.size() - 2) + 1);
    good = text == sealed(std::string(body));
  }
  SweepState state;
  for (const std::string& line : split(body.substr(std::min(body.size(), kHead.size())), '\n')) {
    if (line.empty()) continue;
    const std::size_t space = line.find(' ');
    good = good && space != std::string::npos && read_line(line.substr(0, space), line.substr(space + 1), state);
  }
  if (!good || !is_sound(state) || (!old && state.hash.empty()))
    return fail({state_path(file), "is not the whole state of a sweep",
                 fmt::format("put back the one that was written, or remove {} and it to start again", file)});
  if (old) state.hash.clear();
  return state;
}

std::string sealed(std::string text) {
  text += fmt::format("{}{}\n", kCheck, check_of(text));
  return text;
}

std::string state_text(const SweepState& state) {
  std::string text = fmt::format(
      "{}sweep {}\nformat {}\nsummary {}\ncases {}\npart {}\nparts {}\ndone {}\nsize {}\nhash {}\ncomplete {}\n", kHead,
      state.sweep, state.format, state.summary, state.cases, state.part, state.parts, state.done, state.size,
      state.hash, state.complete ? "yes" : "no");
  for (const Candidate& one : state.candidates) {
    text += fmt::format("candidate {:x} {:x} {}\n", std::bit_cast<std::uint64_t>(one.x),
                        std::bit_cast<std::uint64_t>(one.y), one.index);
  }
  return sealed(std::move(text));
}

Result<bool> write_state(const std::string& file, const SweepState& state) {
  return write_file(state_path(file), state_text(state));
}

}  // namespace ridge::cli
