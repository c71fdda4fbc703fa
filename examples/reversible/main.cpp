// Reversible layers, executable: measures what the README of this folder tells, and fails when a claim does not hold.

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string_view>

#include "chapters.hpp"
#include "process_peak.hpp"

namespace {

constexpr const char* kHelp =
    R"(usage: reversible [CHAPTER...] [--quick] [--json] [--seed N]

Trains a small transformer on the processor, once with stored activations and once with reversible layers that rebuild them,
and measures what is the same (gradients, loss), what is saved (memory) and what it costs (time).

  CHAPTER    cipher, gradients, inverse, training, memory or time (default: all of them)
  --quick    smaller networks and fewer repeats: seconds, for tests; says nothing about time
  --json     one JSON object in place of text
  --seed N   of weights, texts and messages (default 1)
  --help     this

Exit codes: 0 every claim holds, 2 wrong usage, 5 a claim failed.
)";

enum ExitCode { kAllHold = 0, kWrongUsage = 2, kClaimFailed = 5 };

template <class Number>
std::optional<Number> number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

int wrong_usage(const std::string& what) {
  std::fprintf(stderr, "reversible: %s\n  hint: reversible --help\n", what.c_str());
  return kWrongUsage;
}

/// The other end of peak_of_new_process.
int answer_peak(int count, char** arguments) {
  const auto method = count == 5 ? number<std::size_t>(arguments[2]) : std::nullopt;
  const auto depth = count == 5 ? number<std::size_t>(arguments[3]) : std::nullopt;
  if (!method || *method >= reversible::kMethods.size() || !depth) return wrong_usage("three numbers are needed");
  const bool quick = std::strcmp(arguments[4], "1") == 0;
  std::printf("%.0f\n", reversible::peak_after_one_step(reversible::kMethods[*method], *depth, quick));
  return kAllHold;
}

struct NamedChapter {
  std::string_view name;
  reversible::Chapter (*tell)(const reversible::Options&);
};

constexpr std::array kChapters = {
    NamedChapter{"cipher", reversible::cipher_chapter},   NamedChapter{"gradients", reversible::gradient_chapter},
    NamedChapter{"inverse", reversible::inverse_chapter}, NamedChapter{"training", reversible::training_chapter},
    NamedChapter{"memory", reversible::memory_chapter},   NamedChapter{"time", reversible::time_chapter},
};

bool is_chapter(std::string_view name) {
  return std::any_of(kChapters.begin(), kChapters.end(),
                     [&](const NamedChapter& chapter) { return chapter.name == name; });
}

bool is_wanted(std::string_view name, const std::vector<std::string>& wanted) {
  return wanted.empty() || std::find(wanted.begin(), wanted.end(), name) != wanted.end();
}

int tell(const reversible::Options& options) {
  const auto seed = static_cast<unsigned long long>(options.seed);
  std::vector<reversible::Chapter> told;
  if (!options.json) std::printf("seed %llu\n\n", seed);
  for (const NamedChapter& chapter : kChapters) {
    if (!is_wanted(chapter.name, options.chapters)) continue;
    told.push_back(chapter.tell(options));
    if (!options.json) std::fputs(as_text(told.back()).c_str(), stdout);
    std::fflush(stdout);
  }
  if (options.json) std::fputs(as_json(told, seed).c_str(), stdout);
  const std::string failed = failures(told);
  if (failed.empty()) return kAllHold;
  std::fprintf(stderr, "claims that failed (seed %llu):\n%s", seed, failed.c_str());
  return kClaimFailed;
}

}  // namespace

int main(int count, char** arguments) {
  if (count > 1 && std::strcmp(arguments[1], reversible::kPeakArgument) == 0) return answer_peak(count, arguments);
  reversible::Options options;
  for (int i = 1; i < count; ++i) {
    const std::string_view argument = arguments[i];
    if (argument == "--help") {
      std::fputs(kHelp, stdout);
      return kAllHold;
    } else if (argument == "--quick") {
      options.quick = true;
    } else if (argument == "--json") {
      options.json = true;
    } else if (argument == "--seed") {
      const auto seed = i + 1 < count ? number<std::uint64_t>(arguments[++i]) : std::nullopt;
      if (!seed) return wrong_usage("--seed needs a whole number, such as 7");
      options.seed = *seed;
    } else if (is_chapter(argument)) {
      options.chapters.emplace_back(argument);
    } else {
      return wrong_usage("neither an option nor a chapter: \"" + std::string(argument) + "\"");
    }
  }
  return tell(options);
}
