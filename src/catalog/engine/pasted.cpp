#include "catalog/engine/pasted.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/text/text.hpp"

namespace ridge::catalog {

namespace {

constexpr std::size_t kLongestPaste = 256 * 1024;
constexpr std::string_view kBlank = " \t\r\v\f";

class Splitter {
 public:
  Splitter(std::string_view text, std::string_view where) : text_(text), where_(where) {}

  Result<Pasted> run() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\'' || c == '"') {
        if (!quoted(c)) return fail(unclosed(c));
      } else if (c == '\\') {
        backslash();
      } else if (c == '\n') {
        ++at_;
        end_statement();
        if (!delimiter_.empty()) document();
      } else if (kBlank.find(c) != std::string_view::npos) {
        ++at_;
        end_word();
      } else if (c == '#' && !in_word_) {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (!operation(c)) {
        add(c);
        ++at_;
      }
    }
    end_statement();
    return std::move(out_);
  }

 private:
  void add(char c) {
    word_ += c;
    in_word_ = true;
  }

  char next(std::size_t ahead = 1) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  /// From one quote to the other; false where there is no other.
  bool quoted(char quote) {
    opened_ = at_++;
    in_word_ = true;
    for (; at_ < text_.size(); ++at_) {
      if (text_[at_] == quote) {
        ++at_;
        return true;
      }
      const bool escape = quote == '"' && text_[at_] == '\\' && (next() == '"' || next() == '\\' || next() == '\n');
      if (escape) ++at_;
      if (!(escape && text_[at_] == '\n')) word_ += text_[at_];
    }
    return false;
  }

  /// Before blanks and the end of a line it continues; before anything else it takes that as it is.
  void backslash() {
    const std::size_t after = std::min(text_.find_first_not_of(kBlank, at_ + 1), text_.size());
    const bool ends_line = after == text_.size() || text_[after] == '\n';
    if (ends_line || after > at_ + 1) {
      end_word();
      at_ = after + (ends_line && after < text_.size() ? 1 : 0);
    } else {
      add(next());
      at_ += 2;
    }
  }

  /// An operator of the shell; false where the character is a part of a word.
  bool operation(char c) {
    if (c == '<' && next() == '<') return here();
    if (c == '>' || (c == '<' && !is_placeholder()) || (c == '&' && next() == '>')) return redirection(c);
    if (c != ';' && c != '|' && c != '&') return false;
    ++at_;
    end_statement();
    return true;
  }

  /// <MODEL>, as manuals write what is to be filled in.
  bool is_placeholder() {
    constexpr std::size_t kMost = 100;
    const std::string_view ahead = text_.substr(at_, kMost);
    const std::size_t end = ahead.find_first_of("> \t\r\n");
    in_placeholder_ = end != std::string_view::npos && ahead[end] == '>' && end > 1;
    return in_placeholder_;
  }

  bool redirection(char c) {
    if (c == '>' && in_placeholder_) return in_placeholder_ = false;
    if (word_.find_first_not_of("0123456789") == std::string::npos) {  // the 2 of 2>&1
      word_.clear();
      in_word_ = false;
    }
    end_word();
    at_ += c == '&' ? 2 : 1;
    while (at_ < text_.size() && (text_[at_] == '>' || text_[at_] == '&')) ++at_;
    to_file_ = true;
    return true;
  }

  bool here() {
    end_word();
    at_ += next(2) == '-' || next(2) == '<' ? 3 : 2;
    at_ = std::min(text_.find_first_not_of(" \t", at_), text_.size());
    const std::size_t end = std::min(text_.find_first_of(" \t\r\n;|&<>", at_), text_.size());
    for (const char c : text_.substr(at_, end - at_)) {
      if (c != '\'' && c != '"' && c != '\\') delimiter_ += c;
    }
    at_ = end;
    return true;
  }

  /// Lines up to the delimiter; without it, the rest.
  void document() {
    std::string body;
    while (at_ < text_.size()) {
      const std::size_t end = std::min(text_.find('\n', at_), text_.size());
      const std::string_view line = text_.substr(at_, end - at_);
      at_ = std::min(end + 1, text_.size());
      if (trimmed(line) == delimiter_) break;
      body.append(line) += '\n';
    }
    delimiter_.clear();
    out_.documents.push_back(std::move(body));
  }

  void end_word() {
    if (in_word_ && !to_file_) words_.push_back(word_);
    if (in_word_) to_file_ = false;
    word_.clear();
    in_word_ = false;
  }

  void end_statement() {
    end_word();
    to_file_ = false;
    if (!words_.empty()) out_.statements.push_back(std::move(words_));
    words_.clear();
  }

  Error unclosed(char quote) const {
    return {std::string(where_),
            fmt::format("the quote {} before \"{}\" is never closed", quote,
                        shortened(text_.substr(std::min(opened_ + 1, text_.size())))),
            "close it, or put the command into a file and say --from @FILE"};
  }

  std::string_view text_, where_;
  std::size_t at_ = 0, opened_ = 0;
  std::string word_, delimiter_;
  bool in_word_ = false, to_file_ = false, in_placeholder_ = false;
  std::vector<std::string> words_;
  Pasted out_;
};

std::string unquoted(std::string_view value) {
  const bool quotes =
      value.size() >= 2 && (value.front() == '"' || value.front() == '\'') && value.back() == value.front();
  return std::string(quotes ? value.substr(1, value.size() - 2) : value);
}

}  // namespace

Result<Pasted> split_pasted(std::string_view text, std::string_view where) {
  if (text.size() > kLongestPaste) {
    return fail({std::string(where),
                 fmt::format("{} bytes are more than a command line has", with_commas(double(text.size()))),
                 "paste the one command that starts the engine"});
  }
  return Splitter(text, where).run();
}

std::vector<std::pair<std::string, std::string>> option_lines(std::string_view document) {
  struct Level {
    std::size_t indent;
    std::string prefix;
  };
  constexpr std::size_t kDeepest = 16;
  std::vector<std::pair<std::string, std::string>> out;
  std::vector<Level> around;
  for (const std::string& line : split(document, '\n')) {
    const std::size_t indent = line.find_first_not_of(' ');
    const std::size_t colon = line.find(':');
    if (indent == std::string::npos || colon == std::string::npos || line[indent] == '#' || line[indent] == '-')
      continue;
    while (!around.empty() && around.back().indent >= indent) around.pop_back();
    const std::string key = (around.empty() ? "" : around.back().prefix + ".") +
                            unquoted(trimmed(std::string_view(line).substr(indent, colon - indent)));
    std::string_view value = trimmed(std::string_view(line).substr(colon + 1));
    if (const auto comment = value.find(" #"); comment != std::string_view::npos)
      value = trimmed(value.substr(0, comment));
    if (value.empty() || value.starts_with('#')) {
      if (around.size() < kDeepest) around.push_back({indent, key});
    } else {
      out.emplace_back(key, unquoted(value));
    }
  }
  return out;
}

}  // namespace ridge::catalog
