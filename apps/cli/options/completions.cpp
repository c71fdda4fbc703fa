#include "cli/options/completions.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/text/text.hpp"

namespace ridge::cli {

Completes completed_by(const Option& option) {
  if (option.key == "engine") return Completes::engines;
  if (option.type.starts_with("FILE") || option.type == "DIR" || option.key == "from") return Completes::files;
  if (option.type.starts_with("MACHINE")) return Completes::machines;
  if (option.type.starts_with("FORMAT")) return Completes::formats;
  if (option.type.starts_with("MODEL")) return Completes::models;
  return Completes::nothing;
}

std::string_view list_word(Completes by) {
  switch (by) {
    case Completes::models:
      return "models";
    case Completes::machines:
      return "machines";
    case Completes::engines:
      return "engines";
    case Completes::formats:
      return "formats";
    case Completes::nothing:
    case Completes::files:
      return "";
  }
  return "";
}

namespace {

/// All that may stand behind one first word: "price" and "price history" together.
struct FirstWord {
  std::string word, summary;
  std::vector<std::string> below;              // "history"
  std::map<std::string, const Option*> flags;  // by flag, every name of it
  bool takes_models = false;
};

std::vector<FirstWord> first_words(const std::vector<Command>& all) {
  std::vector<FirstWord> words;
  for (const Command& command : all) {
    const std::string name(command.name);
    const std::size_t space = name.find(' ');
    const std::string first = name.substr(0, space);
    auto found = std::find_if(words.begin(), words.end(), [&](const FirstWord& one) { return one.word == first; });
    if (found == words.end()) found = words.insert(words.end(), {first, "", {}, {}, false});
    if (space == std::string::npos)
      found->summary = std::string(command.summary);
    else
      found->below.push_back(name.substr(space + 1));
    for (const OptionGroup& group : command.groups) {
      for (const Option& option : group.options) {
        if (!option.is_flag()) {
          found->takes_models = found->takes_models || completed_by(option) == Completes::models;
          continue;
        }
        for (const std::string& flag : split(option.flags, ',')) {
          if (flag.starts_with("--")) found->flags.emplace(flag, &option);
        }
      }
    }
  }
  return words;
}

/// Flags by what completes their values: a flag means one thing in every command.
std::map<Completes, std::vector<std::string>> flags_with_values(const std::vector<FirstWord>& words) {
  std::map<std::string, Completes> by_flag;
  for (const FirstWord& word : words) {
    for (const auto& [flag, option] : word.flags) {
      if (!option->is_switch()) by_flag.emplace(flag, completed_by(*option));
    }
  }
  std::map<Completes, std::vector<std::string>> flags;
  for (const auto& [flag, by] : by_flag) flags[by].push_back(flag);
  return flags;
}

std::vector<std::string> words_behind(const FirstWord& word) {
  std::vector<std::string> words = word.below;
  for (const auto& [flag, option] : word.flags) words.push_back(flag);
  words.emplace_back("--help");
  return words;
}

constexpr std::string_view kNames = "$(ridge completions {} 2>/dev/null)";

std::string bash_script(const std::vector<FirstWord>& words) {
  std::string out =
      "# written by: ridge completions bash\n_ridge() {\n"
      "  local current=\"${COMP_WORDS[COMP_CWORD]}\" before=\"${COMP_WORDS[COMP_CWORD-1]}\" words=\"\" files=no\n"
      "  COMPREPLY=()\n  case \"$before\" in\n";
  for (const auto& [by, flags] : flags_with_values(words)) {
    const std::string pattern = joined(flags, "|");
    if (by == Completes::files)
      out += fmt::format("    {}) mapfile -t COMPREPLY < <(compgen -f -- \"$current\"); return ;;\n", pattern);
    else if (by == Completes::nothing)
      out += fmt::format("    {}) return ;;\n", pattern);
    else
      out += fmt::format("    {}) words=\"{}\" ;;\n", pattern, fmt::format(fmt::runtime(kNames), list_word(by)));
  }
  out +=
      "  esac\n  if [ -n \"$words\" ]; then :\n"
      "  elif [ \"$COMP_CWORD\" -eq 1 ]; then words=\"";
  std::vector<std::string> firsts;
  for (const FirstWord& word : words) firsts.push_back(word.word);
  out += joined(firsts, " ") + " --help --version\"\n  else\n    case \"${COMP_WORDS[1]}\" in\n";
  for (const FirstWord& word : words) {
    out += fmt::format("      {}) words=\"{}\"", word.word, joined(words_behind(word), " "));
    if (word.takes_models) {
      out += fmt::format("; files=yes\n        [ \"${{current#-}}\" != \"$current\" ] || words=\"$words {}\"",
                         fmt::format(fmt::runtime(kNames), "models"));
    } else {
      out += "; files=yes";
    }
    out += " ;;\n";
  }
  return out +
         "    esac\n  fi\n  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
         "  [ \"$files\" = no ] || [ -z \"$current\" ] || mapfile -t -O \"${#COMPREPLY[@]}\" COMPREPLY < <(compgen -f "
         "-- "
         "\"$current\")\n}\ncomplete -F _ridge ridge\n";
}

/// A text between single quotes of a shell.
std::string shell_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

/// "--on:machine (ridge list machines)" for _describe, which splits at the first colon.
std::string described(std::string_view word, std::string_view text) {
  return shell_quoted(fmt::format("{}:{}", word, text));
}

std::string zsh_script(const std::vector<FirstWord>& words) {
  std::string out =
      "#compdef ridge\n# written by: ridge completions zsh\n_ridge() {\n  local -a found\n  case "
      "\"$words[CURRENT-1]\" in\n";
  for (const auto& [by, flags] : flags_with_values(words)) {
    const std::string pattern = joined(flags, "|");
    if (by == Completes::files)
      out += fmt::format("    ({}) _files; return ;;\n", pattern);
    else if (by == Completes::nothing)
      out += fmt::format("    ({}) _message value; return ;;\n", pattern);
    else
      out += fmt::format("    ({}) compadd -- ${{(f)\"{}\"}}; return ;;\n", pattern,
                         fmt::format(fmt::runtime(kNames), list_word(by)));
  }
  out += "  esac\n  if (( CURRENT == 2 )); then\n    found=(\n";
  for (const FirstWord& word : words) out += fmt::format("      {}\n", described(word.word, word.summary));
  out += "    )\n    _describe command found\n    return\n  fi\n  case \"$words[2]\" in\n";
  for (const FirstWord& word : words) {
    out += fmt::format("    ({})\n      found=(\n", word.word);
    for (const std::string& below : word.below) out += fmt::format("        {}\n", described(below, "a command below"));
    for (const auto& [flag, option] : word.flags) out += fmt::format("        {}\n", described(flag, option->help));
    out += "      )\n      _describe option found\n";
    if (word.takes_models)
      out += fmt::format("      compadd -- ${{(f)\"{}\"}}\n", fmt::format(fmt::runtime(kNames), "models"));
    out += "      [[ $PREFIX == -* ]] || _files\n      ;;\n";
  }
  return out + "  esac\n}\n[ \"$funcstack[1]\" = _ridge ] && _ridge \"$@\" || compdef _ridge ridge\n";
}

std::string fish_script(const std::vector<FirstWord>& words) {
  std::string out = "# written by: ridge completions fish\n";
  for (const FirstWord& word : words)
    out += fmt::format("complete -c ridge -f -n __fish_use_subcommand -a {} -d {}\n", word.word,
                       shell_quoted(word.summary));
  for (const FirstWord& word : words) {
    const std::string seen = fmt::format("complete -c ridge -n '__fish_seen_subcommand_from {}'", word.word);
    for (const std::string& below : word.below) out += fmt::format("{} -a {}\n", seen, below);
    if (word.takes_models) out += fmt::format("{} -a '(ridge completions models)'\n", seen);
    for (const auto& [flag, option] : word.flags) {
      out += fmt::format("{} -l {} -d {}", seen, flag.substr(2), shell_quoted(option->help));
      const Completes by = completed_by(*option);
      if (!list_word(by).empty())
        out += fmt::format(" -x -a '(ridge completions {})'", list_word(by));
      else if (!option->is_switch())
        out += by == Completes::files ? " -r -F" : " -x";
      out += "\n";
    }
  }
  return out;
}

}  // namespace

std::optional<std::string> completion_script(std::string_view shell, const std::vector<Command>& all) {
  const std::vector<FirstWord> words = first_words(all);
  if (shell == "bash") return bash_script(words);
  if (shell == "zsh") return zsh_script(words);
  if (shell == "fish") return fish_script(words);
  return {};
}

}  // namespace ridge::cli
