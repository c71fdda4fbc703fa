#pragma once
// What the options of several commands share: words that mean the same everywhere are written once.

#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "cli/options.hpp"

namespace ridge::cli {

/// An option whose text is kept with a key.
struct Word {
  const char *flags, *key, *type, *help;
  const char* fallback = nullptr;  // what is taken without it, where the help does not say

  /// The same in a command that takes something else without it.
  constexpr Word otherwise(const char* taken) const { return {flags, key, type, help, taken}; }
};

inline constexpr Word kMachine{"--on", "machine", "MACHINE", "machine (ridge list machines)"};
inline constexpr Word kContext{"--context", "context", "TOKENS", "tokens in each sequence",
                               "8,192, or the model's limit"};
inline constexpr Word kWeights{"--weights", "weights", "FORMAT", "format of the weights",
                               "as released (ridge list formats)"};
inline constexpr Word kExperts{"--experts", "experts", "FORMAT", "format of the routed experts", "as --weights"};
inline constexpr Word kKv{"--kv", "kv", "FORMAT", "format of the stored context", "as released"};
inline constexpr Word kPrice{"--price", "price", "PRICE", "rental, owned, or a price of a chip such as '$2.10/h'",
                             "rental"};
inline constexpr Word kUtilization{"--utilization", "utilization", "SHARE", "share of the paid time in use", "1"};

/// Options whose text is kept with its key, to be parsed where its errors can be explained.
class Settings {
 public:
  using Texts = std::vector<std::pair<std::string, std::string>>;

  Settings(CLI::App& app, Texts& into, std::string group = {}) : app_(app), into_(into), group_(std::move(group)) {}

  void operator()(const Word& word) const;
  void operator()(const char* flags, const char* key, const char* type, const char* help) const {
    (*this)(Word{flags, key, type, help});
  }
  /// A flag: its key with an empty text.
  void flag(const char* flag, const char* key, const char* help) const;

 private:
  CLI::App& app_;
  Texts& into_;
  std::string group_;
};

/// JSON, plain text, a catalog: what every command has.
void add_output_options(CLI::App& app, Options& options);
void add_catalog(CLI::App& app, Options& options);

/// Model, machine, formats, price and load of a decode step.
void add_case_options(CLI::App& app, Options& options);
/// What a command takes for a load that is not given.
struct UsualLoad {
  const char* prompt = "1,024";
  const char* answer = "1,024";
  const char* in_flight = "64";
};
/// A layout and a load: with any of them the answer is about serving.
void add_serving_options(CLI::App& app, Options& options, const UsualLoad& usual = {});

void add_assume(CLI::App& app, Options& options,
                const char* help = "TYPE=KIND: your word for a layer type in a model's file");
void add_set(CLI::App& app, Options& options, const char* help = "KEY=VALUE: replace any input (ridge list inputs)",
             const char* type = "KEY=VALUE");
void add_ranges(CLI::App& app, Options& options);
/// --derive and --depth.
void add_derivation(CLI::App& app, Options& options, const char* help, const char* type = "FIGURE");
void add_svg(CLI::App& app, Options& options, const char* help);

}  // namespace ridge::cli
