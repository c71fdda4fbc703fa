#include "cli/sweep/plan_search.hpp"

#include <algorithm>
#include <thread>

#include <fmt/format.h>

#include "base/fingerprint.hpp"
#include "base/text.hpp"
#include "catalog/facts/files.hpp"
#include "cli/sweep/shard.hpp"
#include "cli/sweep/world.hpp"
#include "search/sweep/space.hpp"

namespace ridge::cli {

namespace {

constexpr std::uint64_t kStretch = 64;  // layouts handed out at once

std::string searched(const PlanSpace& work, const world::Stretch& layouts) {
  PlanSearch search;
  search_layouts(work, layouts.first, layouts.count, search);
  return packed(search);
}

/// The first line of a part's file: what it is a part of, which one, and a check of the rest.
std::string head_of(const std::string& fingerprint, const Shard& shard, std::string_view body) {
  Fingerprint check;
  check.add(body);
  return fmt::format("ridge-plan-part 1 {} {} {}/{}", fingerprint, check.text(), shard.part, shard.parts);
}

/// Whether all places of a point are in the lists of the request.
bool is_of(const PlanRequest& request, const PlanPoint& point) {
  return point.machine < request.machines.size() && point.weights < request.weights.size() &&
         point.kv < request.kv.size() && point.speculative_tokens < request.speculative_tokens.size() &&
         point.token_budget < request.token_budgets.size();
}

struct SearchPart {
  Shard shard;
  PlanSearch search;
};

/// One part's file; what is wrong with it otherwise.
Result<SearchPart> read_part(const std::string& file, const std::string& fingerprint, const PlanRequest& request) {
  const auto text = catalog::read_file(file);
  if (!text) return fail(text.error());
  const Error no_part{file, "is no whole part of a plan", "make it with ridge plan ... --shard I/N --out FILE"};
  const std::size_t end = text->find('\n');
  if (end == std::string::npos) return fail(no_part);
  const std::string head = text->substr(0, end);
  const std::string_view body = std::string_view(*text).substr(end + 1);
  const auto words = split(head, ' ');
  if (words.size() != 5) return fail(no_part);
  const auto shard = parse_shard(words[4]);
  if (!shard || head != head_of(words[2], *shard, body)) return fail(no_part);
  if (words[2] != fingerprint) {
    return fail({file, "is a part of another plan", "give the options that the parts were made with"});
  }
  auto search = unpacked_search(body);
  if (!search) return fail(no_part);
  bool good = !search->best || is_of(request, *search->best);
  for (const auto& one : search->frontier.candidates()) good = good && is_of(request, one.point);
  if (!good) return fail(no_part);
  return SearchPart{*shard, std::move(*search)};
}

}  // namespace

std::string fingerprint_of(const PlanSpace& work) {
  Fingerprint print;
  print.add(RIDGE_VERSION);
  print.add(fingerprint(work));
  return print.text();
}

PlanSearch search_with_others(const PlanSpace& work) {
  const auto threads = static_cast<int>(std::max(1U, work.request.threads));
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
    const auto part = unpacked_search(*result);
    if (!part) {
      say("ridge: a process sent what is no part of the search\n");
      world::end_all(kOurBug);
    } else {
      all.merge(work.request.objective, *part);
    }
  }
  ordered.stop();
  workers.clear();
  world::dismiss(ordered, cases, threads);
  return all;
}

void help_search(const PlanSpace& work) {
  world::help([&](const world::Stretch& layouts) { return searched(work, layouts); },
              static_cast<int>(std::max(1U, work.request.threads)));
}

Result<int> search_part(const PlanSpace& work, const Arguments& arguments) {
  const auto shard = parse_shard(arguments.text("shard"));
  if (!shard) return fail(shard.error());
  if (!arguments.has("out")) return fail({"shard", "needs a file, for --parts", "add --out part-1.plan"});
  const CaseRange range = part_of(work.size(), shard->part - 1, shard->parts);
  const std::string body = packed(search_with_threads(work, range.first, range.size()));
  return write(arguments.text("out"), head_of(fingerprint_of(work), *shard, body) + "\n" + body);
}

Result<PlanSearch> joined_parts(const PlanSpace& work, const std::vector<std::string>& files) {
  PlanSearch all;
  Errors errors;
  std::vector<std::string> found;  // the file of each part
  const std::string fingerprint = fingerprint_of(work);
  for (const std::string& file : files) {
    const auto part = read_part(file, fingerprint, work.request);
    if (!part) {
      append(errors, part.error());
      continue;
    }
    const Shard& shard = part->shard;
    if (found.empty()) found.resize(shard.parts);
    const bool divided_alike = found.size() == shard.parts;
    if (!divided_alike || !found[shard.part - 1].empty()) {
      errors.push_back({file,
                        divided_alike
                            ? "is the same part as " + found[shard.part - 1]
                            : fmt::format("is part {}/{}, and others are of {}", shard.part, shard.parts, found.size()),
                        "name each part of one division once"});
      continue;
    }
    found[shard.part - 1] = file;
    all.merge(work.request.objective, part->search);
  }
  for (std::size_t i = 0; i < found.size() && errors.empty(); ++i) {
    if (found[i].empty())
      errors.push_back({"parts", fmt::format("part {}/{} is missing", i + 1, found.size()), "make it and name it"});
  }
  if (!errors.empty()) return fail(std::move(errors));
  return all;
}

}  // namespace ridge::cli
