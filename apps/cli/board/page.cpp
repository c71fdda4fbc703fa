#include "cli/board/page.hpp"

#include <cerrno>
#include <filesystem>

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text/text.hpp"
#include "catalog/facts/files.hpp"
#include "cli/program.hpp"

namespace ridge::cli {

namespace {

namespace fs = std::filesystem;

/// The folder that this program's file lies in.
fs::path own_folder() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error).parent_path();
}

/// The source tree around a program that lies in build/NAME; empty where there is none.
fs::path source_tree() {
  std::error_code error;
  const fs::path root = own_folder().parent_path().parent_path();
  return fs::exists(root / "web" / "build.sh", error) ? root : fs::path();
}

/// Runs the tree's own script, which does nothing where the page is newer than what it is made of. Its words go to standard error.
Result<bool> build_page(const fs::path& root) {
  const std::string script = (root / "web" / "build.sh").string();
  const pid_t child = fork();
  if (child < 0) return fail({"board", "no process to build the page with", "make web"});
  if (child == 0) {
    dup2(STDERR_FILENO, STDOUT_FILENO);
    execl("/bin/sh", "sh", script.c_str(), own_folder().c_str(), nullptr);
    _exit(127);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return true;
  return fail({"board", "the page could not be built", "make web says why"});
}

}  // namespace

Result<std::string> board_page(const std::string& given) {
  if (!given.empty()) return catalog::read_file(given);
  std::error_code error;
  const fs::path root = source_tree();
  if (!root.empty()) {
    if (const auto built = build_page(root); !built) return fail(built.error());
    return catalog::read_file((own_folder() / "board.html").string());
  }
  const fs::path installed = own_folder().parent_path() / "share" / "ridgeline" / "board.html";
  if (fs::exists(installed, error)) return catalog::read_file(installed.string());
  return fail({"board", "this installation has no page", "build ridge from its source tree, or name one with --page"});
}

Result<std::string> board_state(const std::string& text) {
  const std::size_t mark = text.find('#');
  const std::string state = mark == std::string::npos ? text : text.substr(mark + 1);
  constexpr std::string_view kSigns = "-_.~%&=+:/@,*";
  for (const char sign : state) {
    const bool plain = (sign >= '0' && sign <= '9') || (sign >= 'a' && sign <= 'z') || (sign >= 'A' && sign <= 'Z');
    if (!plain && kSigns.find(sign) == std::string_view::npos)
      return fail({"state", fmt::format("\"{}\" is no link of the board", shortened(text)),
                   "what stands behind its #, such as 'batch=4096&model=llama-3.1-70b'"});
  }
  if (state.size() > 4000)
    return fail({"state", "is longer than a link of the board gets", "what stands behind its #"});
  return state;
}

std::string opened_in(std::string page, const std::string& state) {
  if (state.empty()) return page;
  std::string escaped;
  for (const char sign : state) escaped += sign == '&' ? std::string("&amp;") : std::string(1, sign);
  const std::string_view where = "<html lang=\"en\"";
  if (const std::size_t at = page.find(where); at != std::string::npos)
    page.insert(at + where.size(), fmt::format(" data-state=\"{}\"", escaped));
  return page;
}

Result<std::string> page_of_answer(const std::string& state, const std::string& figure) {
  auto page = board_page("");
  if (!page) return page;
  std::string report = opened_in(std::move(*page), state);
  const std::string_view where = "<html lang=\"en\"";
  if (const std::size_t at = report.find(where); at != std::string::npos)
    report.insert(at + where.size(), fmt::format(" data-report=\"{}\"", figure));  // a figure's name is letters and _
  return report;
}

}  // namespace ridge::cli
