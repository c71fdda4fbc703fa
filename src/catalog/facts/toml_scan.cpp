#include "catalog/facts/toml_scan.hpp"

#include <fmt/format.h>

#include "base/text/text.hpp"

namespace ridge::catalog {

namespace {

constexpr int kMostDotsInALine = 1000;

class Scanner {
 public:
  Scanner(std::string_view text, std::string_view place) : text_(text), place_(place) {
    if (text_.starts_with("\xEF\xBB\xBF")) text_.remove_prefix(3);  // a byte order mark is allowed
  }

  Result<bool> run() {
    if (!line_is_utf8()) return refuse_bytes();
    while (at_ < text_.size()) {
      const char c = text_[at_];
      const auto byte = static_cast<unsigned char>(c);
      if (c == '\n') {
        end_line();
        if (!line_is_utf8()) return refuse_bytes();
      }
      if ((byte < 0x20 && c != '\n' && c != '\t' && c != '\r') || byte == 0x7F) {
        return refuse("a control character", "TOML allows tabs and line ends only; retype the line");
      }
      if (c == '\r' && !text_.substr(at_ + 1).starts_with('\n'))
        return refuse("a carriage return without a line end", "TOML allows them together only; retype the line");
      if (byte >= 0x80 && quote_.empty() && !comment_) {
        return refuse("a letter beyond ASCII outside quotes", "put keys and values that need it into quotes");
      }
      if (c == '\\' && skips_to_letter())
        return refuse("a letter beyond ASCII after a backslash", "no backslash, or two, or begin with another letter");
      if (c == '.' && ++dots_ > kMostDotsInALine)
        return refuse("more than 1,000 dots in a line", "nest keys less deeply");
      step(c);
    }
    return true;
  }

 private:
  // A backslash in a long string skips the blanks and line ends after it; where they end beyond ASCII the parser is lost.
  bool skips_to_letter() const {
    if (!quote_.starts_with('"')) return false;
    const std::size_t next = quote_.size() == 3 ? text_.find_first_not_of(" \t\r\n", at_ + 1) : at_ + 1;
    return next < text_.size() && static_cast<unsigned char>(text_[next]) >= 0x80;
  }

  void end_line() {
    ++line_;
    dots_ = 0;
    comment_ = false;
    if (quote_.size() == 1) quote_ = {};  // a one-line string ends with its line, closed or not
  }

  // Moves over one character, or over the quotes that open or close a string.
  void step(char c) {
    const std::string_view rest = text_.substr(at_);
    ++at_;
    if (comment_) return;
    if (quote_.empty()) {
      if (c == '#') comment_ = true;
      for (const std::string_view opening : {"\"\"\"", "'''", "\"", "'"}) {
        if (!rest.starts_with(opening)) continue;
        quote_ = opening;
        at_ += opening.size() - 1;
        return;
      }
    } else if (c == '\\' && quote_[0] == '"') {
      if (at_ < text_.size() && (text_[at_] == '"' || text_[at_] == '\\')) ++at_;  // the rest is looked at as ever
    } else if (rest.starts_with(quote_)) {
      at_ += quote_.size() - 1;
      quote_ = {};
    }
  }

  // The line that begins here, or with the line end that is here.
  bool line_is_utf8() const { return is_utf8(text_.substr(at_, text_.find('\n', at_ + 1) - at_)); }
  Result<bool> refuse_bytes() const { return refuse("bytes that are no UTF-8", "save the file as UTF-8"); }

  Result<bool> refuse(std::string_view what, std::string_view remedy) const {
    return fail({fmt::format("{}:{}", place_, line_), std::string(what), std::string(remedy)});
  }

  std::string_view text_, place_;
  std::string_view quote_;  // of the string we are in
  std::size_t at_ = 0;
  int line_ = 1;
  int dots_ = 0;
  bool comment_ = false;
};

}  // namespace

Result<bool> scan_toml(std::string_view text, std::string_view place) { return Scanner(text, place).run(); }

}  // namespace ridge::catalog
