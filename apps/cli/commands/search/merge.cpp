// ridge merge: the parts of a sweep (ridge sweep --shard I/N) as the one file the sweep would have written whole.

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "catalog/facts/files.hpp"
#include "cli/options/option_groups.hpp"
#include "cli/output/output_target.hpp"
#include "cli/output/whole_file.hpp"
#include "cli/program.hpp"
#include "cli/sweep/row_file.hpp"
#include "cli/sweep/sweep_job.hpp"

namespace ridge::cli {

namespace {

struct SweepPart {
  std::string file;
  SweepState state;
};

/// Everything that keeps the parts from being one sweep, by name.
Errors complaints(const std::vector<SweepPart>& parts) {
  Errors errors;
  const SweepState& first = parts.front().state;
  std::vector<std::string> found(first.parts);
  for (const auto& [file, state] : parts) {
    const bool same = state.sweep == first.sweep && state.parts == first.parts && state.format == first.format &&
                      state.cases == first.cases && state.summary == first.summary;
    if (!same) {
      errors.push_back({file, fmt::format("is of another sweep than {}", parts.front().file),
                        "merge parts of one sweep file, made with the same options and catalog"});
      continue;
    }
    if (!state.complete)
      errors.push_back(
          {file, "is not finished", fmt::format("go on with --shard {}/{} --resume", state.part, state.parts)});
    if (state.hash.empty())
      errors.push_back({state_path(file), "was written by an older ridge, and does not say what the file holds",
                        "make this part again"});
    std::string& own = found[state.part - 1];
    if (!own.empty())
      errors.push_back(
          {file, fmt::format("is part {}/{}, and so is {}", state.part, state.parts, own), "name each part once"});
    own = file;
  }
  std::vector<std::string> missing;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i].empty()) missing.push_back(fmt::format("{}/{}", i + 1, first.parts));
  }
  constexpr std::size_t kShown = 10;
  const std::size_t more = missing.size() > kShown ? missing.size() - kShown : 0;
  if (more > 0) missing.resize(kShown);
  if (!missing.empty() && errors.empty()) {
    errors.push_back({"merge", fmt::format("missing: {}{}", joined(missing, ", "), more > 0 ? ", ..." : ""),
                      "run ridge sweep with these --shard options and name their files"});
  }
  return errors;
}

/// Bodies one after the other; of CSV files, the header once.
Result<bool> merge_text(const std::vector<SweepPart>& parts, WholeFile& out) {
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(parts[i].file.c_str(), "rb"), std::fclose);
    if (!file) return fail({parts[i].file, std::strerror(errno), "check the path"});
    std::vector<char> block(1 << 20);
    bool in_header = i > 0 && parts[i].state.format == "csv";
    ContentHash read;
    for (std::size_t count = 0; (count = std::fread(block.data(), 1, block.size(), file.get())) > 0;) {
      std::string_view piece(block.data(), count);
      read.add(piece);
      if (in_header) {
        const std::size_t end = piece.find('\n');
        if (end == std::string_view::npos) continue;
        piece.remove_prefix(end + 1);
        in_header = false;
      }
      if (const auto added = out.add(piece); !added) return added;
    }
    if (std::ferror(file.get()) != 0) return fail({parts[i].file, "could not be read to its end", "check the disk"});
    if (read.size() != parts[i].state.size)
      return fail({parts[i].file, "is not as long as its state says", "make this part again"});
    if (read.text() != parts[i].state.hash)
      return fail({parts[i].file, "is not what was written: it has changed since", "make this part again"});
  }
  return true;
}

/// The rows of a summary's parts that are the summary of the whole.
Result<bool> merge_summary(const std::vector<SweepPart>& parts, WholeFile& out, std::vector<Candidate>& winners) {
  const auto words = split(parts.front().state.summary, ' ');
  Summary summary;
  summary.kind = words.front() == "pareto" ? Summary::Kind::pareto : Summary::Kind::best;
  if (words.front() == "best" && words.size() > 1)
    summary.keep = static_cast<std::size_t>(parse_number(words[1]).value_or(1));
  Kept kept(summary);
  std::vector<std::pair<std::uint64_t, std::string>> rows;
  for (const auto& [file, state] : parts) {
    if (const auto whole = check_text(file, {state.size, state.hash}); !whole) return whole;
    const auto text = catalog::read_file(file);
    if (!text) return fail(text.error());
    auto lines = split(*text, '\n');
    if (!lines.empty() && lines.back().empty()) lines.pop_back();
    const std::size_t header = state.format == "csv" ? 1 : 0;
    if (lines.size() != state.candidates.size() + header)
      return fail({file, "does not have the rows its state names", "make this part again"});
    if (header == 1 && rows.empty() && out.hash().size() == 0) {
      if (const auto added = out.add(lines[0] + "\n"); !added) return added;
    }
    for (std::size_t i = 0; i < state.candidates.size(); ++i) {
      kept.add(state.candidates[i]);
      rows.emplace_back(state.candidates[i].index, lines[i + header] + "\n");
    }
  }
  winners = kept.candidates();
  std::sort(rows.begin(), rows.end());
  for (const Candidate& one : winners) {
    const auto row = std::lower_bound(rows.begin(), rows.end(), std::pair(one.index, std::string()));
    if (const auto added = out.add(row->second); !added) return added;
  }
  return true;
}

Result<bool> merge_database(const std::vector<SweepPart>& parts, const std::string& path, Contents& contents) {
  const auto names = database_columns(parts.front().file);
  if (!names) return fail(names.error());
  std::vector<SweepColumn> columns;
  for (const auto& known : {roofline_columns(), serving_columns()}) {
    columns.clear();
    for (const std::string& name : *names) {
      if (const auto column = find_column(name, known, parts.front().file)) columns.push_back(*column);
    }
    if (columns.size() == names->size()) break;
  }
  auto database = Database::open(path, columns, {});
  if (!database) return fail(database.error());
  if (const auto begun = database->begin(); !begun) return begun;
  for (const auto& [file, state] : parts) {
    if (const auto added = database->append(file, {state.size, state.hash}); !added) return added;
  }
  contents = database->contents();
  return database->sync();
}

/// Whether the merged file may take the place of what is there.
Result<bool> may_take_the_place(const std::string& target, bool database) {
  if (has_state(target)) {
    const auto old = read_state(target);
    std::error_code error;
    if (old && !old->complete && old->done > 0 && std::filesystem::exists(target, error))
      return fail({target, "holds the beginning of a sweep that was stopped", "name another file, or remove it first"});
  }
  if (!database) return true;
  const auto looked = Database::open(target, {}, {});
  if (!looked) return fail(looked.error());
  return true;
}

Result<bool> merge_into(const std::string& target, std::vector<SweepPart> parts) {
  std::sort(parts.begin(), parts.end(),
            [](const SweepPart& a, const SweepPart& b) { return a.state.part < b.state.part; });
  SweepState state = parts.front().state;
  state.part = state.parts = 1;
  state.done = state.cases;
  state.candidates.clear();
  const bool database = state.format == "sqlite";
  if (const auto may = may_take_the_place(target, database); !may) return may;
  auto file = WholeFile::open(target, database ? WholeFile::Holds::database : WholeFile::Holds::text);
  if (!file) return fail(file.error());
  Result<bool> merged = true;
  Contents contents;
  if (database) {
    merged = merge_database(parts, file->temporary(), contents);
  } else {
    merged = state.summary == "rows" ? merge_text(parts, *file) : merge_summary(parts, *file, state.candidates);
    contents = {file->hash().size(), file->hash().text()};
  }
  if (!merged) return merged;
  if (!file->is_plain()) return file->commit();  // a pipe or a device has no state
  state.size = contents.size;
  state.hash = contents.hash;
  // both are safe on the disk before either is in its place
  auto beside = WholeFile::open(state_path(target));
  if (!beside) return fail(beside.error());
  if (const auto wrote = beside->add(state_text(state)); !wrote) return wrote;
  if (const auto synced = beside->sync(); !synced) return synced;
  if (database) remove_leftovers(target);
  if (const auto done = file->commit(); !done) return done;
  return beside->commit();
}

Result<int> run_merge(const Arguments& arguments, Program&) {
  const std::string out = arguments.text("out");
  std::vector<SweepPart> parts;
  Errors errors;
  std::error_code error;
  for (const std::string& file : arguments.all("part")) {
    auto state = read_state(file);
    if (!state)
      append(errors, state.error());
    else
      parts.push_back({file, std::move(*state)});
    if (std::filesystem::equivalent(file, out, error))
      errors.push_back({file, "is also the file to write", "name the merged file first, then the parts"});
  }
  if (errors.empty()) errors = complaints(parts);
  if (!errors.empty()) return fail(std::move(errors));
  const auto merged = merge_into(out, std::move(parts));
  if (!merged) return fail(merged.error());
  say(fmt::format("wrote {}\n", out));
  return kAnswered;
}

}  // namespace

Command merge_command() {
  return {.name = "merge",
          .purpose = Purpose::search,
          .place = 3,
          .summary = "the parts of a sweep as the one file it would have written",
          .groups = {{kUsual,
                      {{"OUT", "out", "FILE", "file to write", "", Reads::command, false, true},
                       {"PART", "part", "FILE", "files that ridge sweep --shard wrote, in any order", "",
                        Reads::command, true, true}}},
                     {"Output", {kJson.saying("errors as JSON")}}},
          .examples = {"ridge sweep examples/07-sweep.toml --shard 1/2 --out a.csv",
                       "ridge sweep examples/07-sweep.toml --shard 2/2 --out b.csv", "ridge merge all.csv a.csv b.csv"},
          .notes = "Refuses parts of different sweeps, unfinished, missing or doubled ones, and names them.",
          .run = run_merge};
}

}  // namespace ridge::cli
