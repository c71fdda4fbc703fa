#pragma once
// What a command is: a name, its options, examples, and a function that answers. Commands are data: the parser, the help
// and the checks of tests/cli/help_test.py all read the same table. To add one, see docs/how_to_add.md.

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace ridge::cli {

struct Program;
struct Arguments;

/// Who reads the text of an option.
enum class Reads {
  command,   // the command's own file
  scenario,  // catalog::override_option: model, machine, formats, numbers of a decode step
  serving,   // catalog::set_serving_option: a layout and a load
};

struct Option {
  std::string_view flags;          // "--isl,--input-len"; in capitals, what stands without a flag: "MODEL"
  std::string_view key;            // the field it gives: errors of the core name it, and flag_of shows the flag
  std::string_view type;           // "TOKENS"; empty: a switch
  std::string_view help;           // one sentence
  std::string_view fallback = {};  // what is taken without it
  Reads by = Reads::command;
  bool again = false;            // may be given several times; a type with ... takes several words at once
  bool required = false;         // of what stands without a flag
  double least = 0.0, most = 0;  // where most is above 0: between the two, and whole where the type is N

  bool is_switch() const { return type.empty() && is_flag(); }
  bool is_flag() const { return flags.starts_with('-'); }
  /// "--isl", the first of its flags; a name that stands without a flag as it is.
  std::string_view flag() const { return flags.substr(0, flags.find(',')); }

  /// The same in a command that takes something else without it, or that says more of it.
  constexpr Option otherwise(std::string_view taken) const {
    Option option = *this;
    option.fallback = taken;
    return option;
  }
  constexpr Option saying(std::string_view words) const {
    Option option = *this;
    option.help = words;
    return option;
  }
};

/// Options that stand together in the help, under a title.
struct OptionGroup {
  std::string_view title;
  std::vector<Option> options;
};

/// What people want of a command; `ridge --help` is ordered by it.
enum class Purpose { answer, search, price, model, data };

struct Command {
  std::string_view name;  // "why"; "price history" is below "price"
  Purpose purpose = Purpose::answer;
  int place = 100;           // in `ridge --help`, among those of its purpose: 1 is the first
  std::string_view summary;  // one line
  std::vector<OptionGroup> groups;
  std::vector<std::string_view> examples;  // whole commands
  std::string_view notes = {};             // paragraphs below the options
  /// The exit code. Errors are reported by main, with fields shown as this command's flags.
  Result<int> (*run)(const Arguments& arguments, Program& program) = nullptr;
  bool shared = false;  // mpirun may start it in many processes
};

/// One of each file of commands/, in no order: CMake writes it from the names of the files.
std::vector<Command> commands_of_files();
/// Every command there is, in the order of `ridge --help`: by purpose, then by place, then by name.
const std::vector<Command>& commands();
const Command& command_named(std::string_view name);

/// The option that gives a field; null where the command has none.
const Option* find_option(const Command& command, std::string_view key);

/// What was given to an option.
struct Given {
  std::string key, text;
  Reads by = Reads::command;
};

/// What the command line said. Texts are parsed where their errors can be explained.
struct Arguments {
  const Command* command = nullptr;
  std::vector<Given> given;  // in the order of the command's options

#ifdef RIDGE_JSON_ONLY  // whoever asks draws by itself: a constant to the compiler, which leaves our pictures away
  bool has(std::string_view key) const { return key != "svg" && is_given(key); }
#else
  bool has(std::string_view key) const { return is_given(key); }
#endif
  /// The text given last; without one, `otherwise`.
  std::string text(std::string_view key, std::string_view otherwise = {}) const;
  /// Every text of an option that may be given again.
  std::vector<std::string> all(std::string_view key) const;
  /// Of an option with limits: the parser has checked it.
  int whole(std::string_view key, int otherwise) const;
#ifdef RIDGE_JSON_ONLY  // whoever asks reads no screens: the compiler knows it, and leaves their code away
  static constexpr bool json() { return true; }
#else
  bool json() const { return has("json"); }
#endif
  bool is_given(std::string_view key) const;
  /// Whether a text was given for the scenario, or for the serving question.
  bool any(Reads by) const;
};

}  // namespace ridge::cli
