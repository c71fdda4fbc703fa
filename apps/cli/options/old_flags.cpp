#include "cli/options/old_flags.hpp"

#include <algorithm>
#include <array>

#include "base/text/text.hpp"

namespace ridge::cli {

namespace {

struct Renamed {
  std::string_view where;  // subcommands, with commas between them; empty: every one
  std::string_view old, now;
};

constexpr std::string_view kServing = "why,fit,plan,host,price";

constexpr std::array kRenamed = {
    Renamed{"", "--utilisation", "--utilization"},
    Renamed{"", "--redundant", "--redundant-experts"},
    Renamed{kServing, "--guesses", "--speculative-tokens"},
    Renamed{kServing, "--accepted", "--acceptance-rate"},
    Renamed{kServing, "--chunk", "--token-budget"},
    Renamed{kServing, "--memory-share", "--memory-utilization"},
    Renamed{kServing, "--prompt-layout", "--prefill-layout"},
    Renamed{"plan", "--pools", "--disaggregated or --aggregated; without either both are tried"},
    Renamed{"plan", "--changes", "--what-if"},
    Renamed{"curve,context", "--from", "--min"},
    Renamed{"curve,context", "--to", "--max"},
    Renamed{"curve", "--y", "--chart"},
    Renamed{"curve,demand", "--law", "--expert-law"},
    Renamed{"demand", "--streams", "--concurrency"},
    Renamed{"cost", "--memory-share", "--memory-cost-share"},
    Renamed{"price", "--keep", "--cache-ttl"},
    Renamed{"price", "--demand", "--isl-mix"},
    Renamed{"tier", "--chance", "--reuse-probability"},
    Renamed{"tier", "--waiting", "--fetch-stall"},
    Renamed{"lifecycle", "--experts", "--num-experts"},
    Renamed{"lifecycle", "--per-token", "--experts-per-token"},
    Renamed{"lifecycle", "--prompts", "--input-share"},
    Renamed{"lifecycle", "--trained", "--rl-trained-share"},
    Renamed{"lifecycle", "--references", "--rl-reference-passes"},
};

constexpr std::string_view kNotSpread = "is gone: leave it out, threads search a rack in some 30 ms";

/// Flags that a command never had, could only refuse, or no longer needs.
constexpr std::array kElsewhere = {
    Renamed{"plan", "--concurrency", "a plan finds out the load: leave it out; ridge why answers for one"},
    Renamed{"plan", "--replicas", "a plan finds out the load of one replica: leave it out"},
    Renamed{"plan", "--shard", kNotSpread},
    Renamed{"plan", "--parts", kNotSpread},
    Renamed{"plan", "--out", kNotSpread},
    Renamed{"plan", "--from", "is one deployment, and a plan tries all: ridge why --from"},
    Renamed{"host,price", "--from", "is not read here: say --tp, --isl and the like"},
    Renamed{"host,price", "--commands", "is not for this: ask ridge why for them"},
    Renamed{"cost", "--on", "the machine is a word of its own: ridge cost hgx-h100"},
    Renamed{"price", "--cached", "is what the sheet prices apart: fresh and cached input differ"},
    Renamed{"price", "--speculative-tokens", "the terms of a sheet know no draft tokens; ridge host counts them"},
};

template <class Table>
std::optional<std::string> find_in(const Table& table, std::string_view command, std::string_view flag) {
  for (const Renamed& one : table) {
    const auto names = split(one.where, ',');
    const bool here = one.where.empty() || std::find(names.begin(), names.end(), command) != names.end();
    if (here && one.old == flag) return std::string(one.now);
  }
  return {};
}

}  // namespace

std::optional<std::string> hint_for(std::string_view command, std::string_view flag) {
  if (const auto now = find_in(kRenamed, command, flag)) return std::string(flag) + " is now " + *now;
  if (const auto why = find_in(kElsewhere, command, flag)) return std::string(flag) + ": " + *why;
  return {};
}

}  // namespace ridge::cli
