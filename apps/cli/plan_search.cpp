#include "cli/plan_search.hpp"

#include <algorithm>
#include <thread>

#include <fmt/format.h>

#include "base/text.hpp"
#include "catalog/files.hpp"
#include "cli/shard.hpp"
#include "cli/sweep_state.hpp"
#include "cli/world.hpp"
#include "search/space.hpp"

namespace ridge::cli {

namespace {

constexpr std::uint64_t kStretch = 64;  // layouts handed out at once

std::string searched(const PlanWork& work, const world::Stretch& layouts) {
  PlanSearch search;
  work.search(layouts.first, layouts.count, search);
  return packed(search);
}

std::string head_of(const PlanWork& work, const Shard& shard) {
  return fmt::format("ridge-plan-part 1 {} {}/{}\n", fingerprint_of(work), shard.part, shard.parts);
}

}  // namespace

std::string fingerprint_of(const PlanWork& work) {
  Fingerprint print;
  print.add(RIDGE_VERSION);
  print.add(work.signature());
  return print.text();
}

PlanSearch search_with_others(const PlanWork& work) {
  const auto threads = static_cast<int>(std::max(1U, work.request().threads));
  const std::uint64_t tasks = (work.size() + kStretch - 1) / kStretch;
  OrderedWork ordered(tasks, static_cast<std::size_t>(16 + 4 * threads * world::size()));
  const world::CasesOf cases = [&](std::uint64_t task) {
    return world::Stretch{task * kStretch, std::min(kStretch, work.size() - task * kStretch)};
  };
  std::vector<std::jthread> workers;
  for (int i = 0; i < threads; ++i) {
    workers.emplace_back([&] {
      while (const auto task = ordered.next()) ordered.deliver(*task, searched(work, cases(*task)));
    });
  }
  PlanSearch all;
  while (!ordered.all_taken()) {
    world::lend(ordered, cases);
    const auto result = ordered.take(std::chrono::microseconds(100));
    if (!result) continue;
    if (const auto part = unpacked_search(*result)) all.merge(work.request().objective, *part);
  }
  ordered.stop();
  workers.clear();
  world::dismiss(ordered, cases, threads);
  return all;
}

void help_search(const PlanWork& work) {
  world::help([&](const world::Stretch& layouts) { return searched(work, layouts); },
              static_cast<int>(std::max(1U, work.request().threads)));
}

int search_part(const PlanWork& work, const Options& options) {
  const auto shard = parse_shard(options.shard);
  if (!shard) return report_errors(shard.error(), options);
  if (options.out_file.empty())
    return report_errors({{"--shard", "needs a file, for --parts", "add --out part-1.plan"}}, options);
  const CaseRange range = part_of(work.size(), shard->part - 1, shard->parts);
  return write(options.out_file, head_of(work, *shard) + searched(work, {range.first, range.size()}), options);
}

Result<PlanSearch> joined_parts(const PlanWork& work, const Options& options) {
  PlanSearch all;
  Errors errors;
  std::vector<std::string> found;  // the file of each part
  for (const std::string& file : options.parts) {
    const auto text = catalog::read_file(file);
    if (!text) {
      append(errors, text.error());
      continue;
    }
    const std::string head = text->substr(0, std::min(text->find('\n'), text->size()));
    const auto words = split(head, ' ');
    const auto shard =
        words.size() == 4 && words[0] == "ridge-plan-part" ? parse_shard(words[3]) : Result<Shard>(fail({"", "", ""}));
    const auto search = shard ? unpacked_search(std::string_view(*text).substr(head.size() + 1)) : std::nullopt;
    if (!search) {
      errors.push_back({file, "is no whole part of a plan", "make it with ridge plan ... --shard I/N --out FILE"});
      continue;
    }
    if (head + "\n" != head_of(work, *shard)) {
      errors.push_back({file, "is a part of another plan", "give the options that the parts were made with"});
      continue;
    }
    if (found.empty()) found.resize(shard->parts);
    const bool divided_alike = found.size() == shard->parts;
    if (!divided_alike || !found[shard->part - 1].empty()) {
      errors.push_back(
          {file,
           divided_alike ? "is the same part as " + found[shard->part - 1]
                         : fmt::format("is part {}/{}, and others are of {}", shard->part, shard->parts, found.size()),
           "name each part of one division once"});
      continue;
    }
    found[shard->part - 1] = file;
    all.merge(work.request().objective, *search);
  }
  for (std::size_t i = 0; i < found.size() && errors.empty(); ++i) {
    if (found[i].empty())
      errors.push_back({"--parts", fmt::format("part {}/{} is missing", i + 1, found.size()), "make it and name it"});
  }
  if (!errors.empty()) return fail(std::move(errors));
  return all;
}

}  // namespace ridge::cli
