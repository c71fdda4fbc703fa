#include "catalog/engine/engine_words.hpp"

#include <algorithm>
#include <optional>
#include <span>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "catalog/engine/pasted.hpp"
#include "catalog/json/json_value.hpp"

namespace ridge::catalog {

namespace {

using Arguments = std::span<const std::string>;

using Engines = std::vector<const Engine*>;

struct Program {
  const Engine* engine = nullptr;
  std::vector<std::string> arguments;
};

std::string_view file_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

/// How many words from `at` on are this program ("vllm serve"); 0: none.
std::size_t words_of(const std::string& program, Arguments words, std::size_t at) {
  const std::vector<std::string> wanted = split(program, ' ');
  if (wanted.size() > words.size() - at || file_name(words[at]) != wanted.front()) return 0;
  for (std::size_t i = 1; i < wanted.size(); ++i) {
    if (words[at + i] != wanted[i]) return 0;
  }
  return wanted.size();
}

/// "vllm serve ...", "python -m sglang.launch_server ...", "/usr/bin/trtllm-serve serve ...".
std::optional<Program> program_in(Arguments words, const Engines& engines) {
  const auto rest = [&](std::size_t from) {
    return std::vector<std::string>(words.begin() + static_cast<std::ptrdiff_t>(from), words.end());
  };
  for (std::size_t i = 0; i < words.size(); ++i) {
    Program longest;
    std::size_t most = 0;
    for (const Engine* engine : engines) {
      for (const std::string& program : engine->programs) {
        const std::size_t taken = words_of(program, words, i);
        if (taken <= most) continue;
        most = taken;
        longest = {engine, rest(i + taken)};
      }
    }
    if (most > 0) return longest;
  }
  for (std::size_t i = 0; i < words.size(); ++i) {  // an image whose entry point is the engine
    for (const Engine* engine : engines) {
      for (const std::string& image : engine->images) {
        if (words[i].starts_with(image)) return Program{engine, rest(i + 1)};
      }
    }
  }
  return std::nullopt;
}

/// In the statements, or inside the words of one of them: bash -c "vllm serve ...".
std::optional<Program> find_program(const Pasted& pasted, const Engines& engines, std::string_view where,
                                    int depth = 0) {
  for (const auto& words : pasted.statements) {
    if (auto found = program_in(words, engines)) return found;
  }
  constexpr int kDeepest = 2;
  for (const auto& words : pasted.statements) {
    for (const std::string& word : words) {
      if (depth == kDeepest || word.find_first_of(" \n") == std::string::npos) continue;
      const auto inner = split_pasted(word, where);
      if (!inner) continue;
      if (auto found = find_program(*inner, engines, where, depth + 1)) return found;
    }
  }
  return std::nullopt;
}

/// "vllm serve, sglang.launch_server or trtllm-serve".
std::string programs_text(const Engines& engines) {
  std::vector<std::string> programs;
  for (const Engine* engine : engines)
    programs.insert(programs.end(), engine->programs.begin(), engine->programs.end());
  if (programs.empty()) return "the catalog knows no engine: add engine/NAME.toml";
  const std::string last = programs.back();
  programs.pop_back();
  return "paste a command with " + (programs.empty() ? "" : joined(programs, ", ") + " or ") + last;
}

bool is_flag(std::string_view word) {
  return word.size() > 1 && word[0] == '-' && !(word[1] >= '0' && word[1] <= '9') && word[1] != '.';
}

/// Dashes that a word processor made of two are two again.
std::string with_dashes(std::string word) {
  for (const std::string_view dash : {"\xe2\x80\x93", "\xe2\x80\x94"}) {
    if (word.starts_with(dash) && word.size() > dash.size()) return "--" + word.substr(dash.size());
  }
  return word;
}

std::string shown(const std::string& flag, const std::string& value) {
  return shortened(flag) + (value.empty() ? "" : " " + shortened(value));
}

class WordReader {
 public:
  explicit WordReader(const Engine& engine) { out_.engine = &engine; }

  void documents(const std::vector<std::string>& all) {
    for (const std::string& document : all) {
      for (const auto& [key, value] : option_lines(document)) set(key, keyed(key), value);
    }
    has_documents_ = !all.empty();
  }

  void arguments(const std::vector<std::string>& words) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::string word = with_dashes(words[i]);
      if (!is_flag(word)) {
        positional(word, i == 0);
        continue;
      }
      const std::size_t equals = word.find('=');
      const std::string flag = word.substr(0, equals), key = keyed(flag);
      if (equals != std::string::npos) {
        set(flag, key, word.substr(equals + 1));
        continue;
      }
      const bool follows = i + 1 < words.size() && !is_flag(with_dashes(words[i + 1]));
      const EngineFlag* row = find_flag(*out_.engine, key);
      const bool said = follows && (words[i + 1] == "true" || words[i + 1] == "false");
      const bool negated = row == nullptr && key.starts_with("no-");
      const bool value = follows && !negated && (row == nullptr || row->takes_value || said);
      set(flag, key, value ? words[i + 1] : "", value);
      if (value) ++i;
    }
  }

  EngineWords take() {
    if (const auto model = out_.settings.find(Meaning::model); model != out_.settings.end())
      out_.model = model->second.value;
    if (out_.model.empty()) out_.model = maybe_model_;
    return std::move(out_);
  }

 private:
  static std::string keyed(std::string_view flag) {
    flag.remove_prefix(std::min(flag.find_first_not_of('-'), flag.size()));
    std::string key(flag);
    std::replace(key.begin(), key.end(), '_', '-');
    return key;
  }

  void positional(const std::string& word, bool first) {
    const bool number = parse_number(word).has_value();  // one more value of the flag before
    if (number || (out_.engine->model_first && !first)) return;
    if (out_.model.empty()) out_.model = word;
  }

  void set(const std::string& flag, const std::string& key, const std::string& value, bool has_value = true) {
    const EngineFlag* row = find_flag(*out_.engine, key);
    if (row == nullptr && key.starts_with("no-")) {  // --no-enable-expert-parallel
      const EngineFlag* off = find_flag(*out_.engine, std::string_view(key).substr(3));
      if (off != nullptr && !off->takes_value) {
        if (off->meaning != Meaning::quiet) out_.settings[off->meaning] = {flag, "false"};
        return;
      }
    }
    if (row == nullptr) {
      out_.unknown.push_back(shown(flag, has_value ? value : ""));
      if (value.find('/') != std::string::npos && maybe_model_.empty()) maybe_model_ = value;
    } else if (row->meaning == Meaning::settings) {
      object(flag, key, value);
    } else if (row->meaning == Meaning::unmodeled) {
      const auto& granted = out_.engine->as_modeled;
      if (std::find(granted.begin(), granted.end(), key + " " + value) != granted.end()) return;
      out_.unmodeled.push_back(shown(flag, has_value ? value : ""));
    } else if (row->meaning != Meaning::quiet) {
      out_.settings[row->meaning] = {flag, has_value ? value : row->takes_value ? "" : "true"};
    }
  }

  /// {"method": "mtp", ...} as if each member were a flag; a file's name where it is no object.
  void object(const std::string& flag, const std::string& key, const std::string& value) {
    const bool inside = key.find('.') != std::string::npos;
    if (!value.starts_with('{')) {
      if (!inside && !has_documents_ && !value.empty()) out_.unread.push_back(value);
      return;
    }
    const auto json = parse_json(value, flag);
    if (!json) {
      out_.unknown.push_back(shown(flag, value));
      return;
    }
    members(flag, key, *json, 0);
  }

  void members(const std::string& flag, const std::string& key, const JsonValue& value, int depth) {
    constexpr int kDeepest = 4;
    const JsonMembers* object = value.object();
    if (object == nullptr) {
      if (value.text() != nullptr) set(flag, key, *value.text());
      if (value.number() != nullptr) set(flag, key, fmt::format("{}", *value.number()));
      if (value.boolean() != nullptr) set(flag, key, *value.boolean() ? "true" : "false");
      return;
    }
    if (depth == kDeepest) return;
    for (const JsonMember& member : *object)
      members(flag + "." + member.first, key + "." + keyed(member.first), member.second, depth + 1);
  }

  EngineWords out_;
  std::string maybe_model_;
  bool has_documents_ = false;
};

/// Pasted text is quoted in answers: what a terminal would obey, or nobody can read, is shown as '?'.
std::string readable(std::string_view text) {
  std::string clean(text);
  const bool readable = is_utf8(text);
  for (char& c : clean) {
    const auto code = static_cast<unsigned char>(c);
    const bool control = (code < 0x20 && c != '\n' && c != '\t' && c != '\r') || code == 0x7f;
    if (control || (!readable && code >= 0x80)) c = '?';
  }
  return clean;
}

}  // namespace

Result<EngineWords> read_engine_words(std::string_view as_pasted, const std::vector<const Engine*>& engines,
                                      std::string_view where) {
  const std::string text = readable(as_pasted);
  const auto pasted = split_pasted(text, where);
  if (!pasted) return fail(pasted.error());
  const auto program = find_program(*pasted, engines, where);
  if (!program) {
    return fail(
        {std::string(where),
         trimmed(text).empty() ? "an empty command" : fmt::format("no engine in \"{}\"", shortened(trimmed(text))),
         programs_text(engines)});
  }
  WordReader reader(*program->engine);
  reader.documents(pasted->documents);
  reader.arguments(program->arguments);
  return reader.take();
}

}  // namespace ridge::catalog
