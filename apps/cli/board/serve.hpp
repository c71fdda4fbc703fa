#pragma once
// The board's server: one page on this machine's own address, until somebody ends it.

#include <string>

#include "base/result.hpp"

namespace ridge::cli {

struct Listening {
  int socket = -1;
  int port = 0;
};

/// On 127.0.0.1 alone; port 0 takes any that is free.
Result<Listening> listen_here(int port);

/// Answers one request after another until a signal asks to stop; the exit code.
int serve_page(const Listening& here, const std::string& page);

/// Asks the desktop to show an address; false where there is none to ask.
bool open_browser(const std::string& address);

}  // namespace ridge::cli
