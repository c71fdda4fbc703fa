// ridge board: the blackboard in a browser, with the same engine, served to this machine alone or written as one file.

#include <fmt/format.h>

#include "cli/board/page.hpp"
#include "cli/board/serve.hpp"
#include "cli/options/option_groups.hpp"
#include "cli/program.hpp"
#include "report/board/board_json.hpp"

namespace ridge::cli {

namespace {

Result<int> run_board(const Arguments& arguments, Program&) {
  const auto state = board_state(arguments.text("state"));
  if (!state) return fail(state.error());
  const auto page = board_page(arguments.text("page"));
  if (!page) return fail(page.error());
  if (arguments.has("out")) {
    const auto wrote = write(arguments.text("out"), opened_in(*page, *state));
    if (!wrote || *wrote != kAnswered || !arguments.json()) return wrote;
    return print(report::board_json("file", arguments.text("out"), *state));
  }
  const auto here = listen_here(arguments.whole("port", 0));
  if (!here) return fail(here.error());
  const std::string address = fmt::format("http://127.0.0.1:{}/{}", here->port, state->empty() ? "" : "#" + *state);
  const int said = print(arguments.json() ? report::board_json("address", address, *state)
                                          : fmt::format("The board: {}\n", address));
  if (said != kAnswered) return said;
  if (!arguments.has("no_open")) open_browser(address);
  say("Ctrl-C ends it. It answers to this machine alone.\n");
  return serve_page(*here, *page);
}

}  // namespace

Command board_command() {
  return {.name = "board",
          .purpose = Purpose::answer,
          .place = 20,
          .summary = "the blackboard in your browser: drag a number, all of it follows",
          .groups = {{kUsual,
                      {{"STATE", "state", "STATE", "a link of the board, or what stands behind its #"},
                       {"--out", "out", "FILE", "write the page as one file with everything inside, to mail around"},
                       {"--no-open", "no_open", "", "do not open a browser"},
                       {"--port", "port", "N", "port to listen on", "any that is free", Reads::command, false, false, 1,
                        65535}}},
                     {"Output", {kJson.saying("its address, or the file, as JSON (docs/json.md)"), kPlain}},
                     rare_options({{"--page", "page", "FILE", "the page to show",
                                    "the installed one; in a source tree built on first use"}})},
          .examples = {"ridge board", "ridge board 'batch=4096&machine=hgx-b200'",
                       "ridge board --out board.html 'model=llama-3.1-70b&machine=hgx-h100'"},
          .notes =
              "It listens on 127.0.0.1 alone, answers to its own address alone, and has nothing to write to. The "
              "page computes by itself: no number leaves it.",
          .run = run_board};
}

}  // namespace ridge::cli
