#pragma once
// What the board's server says to a request: the page to its own address, and nothing to anybody else. Pure, so that every refusal
// can be tested without a socket.

#include <string>
#include <string_view>

namespace ridge::cli {

struct HttpRequest {
  std::string method, path, host, origin;  // empty where it was not said
  bool sound = false;                      // a request line and headers, as HTTP/1 has them
  bool twice = false;                      // two Hosts or Origins: whom would one believe
};

/// The head of a request, up to its blank line.
HttpRequest read_request(std::string_view head);

/// The whole answer, head and body. Host must be this address (a name of somebody else's that points here is refused), Origin
/// this or none, the method GET or HEAD, the path "/".
std::string answer_request(const HttpRequest& request, int port, std::string_view page);

}  // namespace ridge::cli
