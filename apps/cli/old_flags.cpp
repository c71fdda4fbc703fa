#include "cli/old_flags.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"

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

}  // namespace

std::optional<std::string> new_flag(std::string_view command, std::string_view old) {
  for (const Renamed& one : kRenamed) {
    const auto names = split(one.where, ',');
    const bool here = one.where.empty() || std::find(names.begin(), names.end(), command) != names.end();
    if (here && one.old == old) return std::string(one.now);
  }
  return {};
}

}  // namespace ridge::cli
