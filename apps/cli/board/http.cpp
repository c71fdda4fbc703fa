#include "cli/board/http.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/text/text.hpp"

namespace ridge::cli {

namespace {

std::string_view trimmed_value(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

std::string http_answer(std::string_view status, std::string_view type, std::string_view body, bool with_body) {
  return fmt::format(
             "HTTP/1.1 {}\r\nContent-Type: {}; charset=utf-8\r\nContent-Length: {}\r\nConnection: close\r\n"
             "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n"
             "Cross-Origin-Resource-Policy: same-origin\r\nContent-Security-Policy: frame-ancestors 'none'\r\n\r\n",
             status, type, body.size()) +
         std::string(with_body ? body : "");
}

std::string http_refusal(std::string_view status, std::string_view why) {
  return http_answer(status, "text/plain", fmt::format("{}\n", why), true);
}

}  // namespace

HttpRequest read_request(std::string_view head) {
  HttpRequest request;
  const std::size_t line_end = head.find("\r\n");
  if (line_end == std::string_view::npos) return request;
  const std::string_view line = head.substr(0, line_end);
  const std::size_t first = line.find(' '), last = line.rfind(' ');
  if (first == std::string_view::npos || first == last || !line.substr(last + 1).starts_with("HTTP/1.")) return request;
  request.method = line.substr(0, first);
  request.path = line.substr(first + 1, last - first - 1);
  request.sound = true;
  for (std::size_t at = line_end + 2; at < head.size();) {
    const std::size_t end = std::min(head.find("\r\n", at), head.size());
    const std::string_view header = head.substr(at, end - at);
    at = end + 2;
    if (header.empty()) break;
    const std::size_t colon = header.find(':');
    if (colon == std::string_view::npos) {
      request.sound = false;
      break;
    }
    const std::string name = lower_case(std::string(header.substr(0, colon)));
    std::string* field = name == "host" ? &request.host : name == "origin" ? &request.origin : nullptr;
    if (field == nullptr) continue;
    request.twice = request.twice || !field->empty();
    *field = trimmed_value(header.substr(colon + 1));
  }
  return request;
}

std::string answer_request(const HttpRequest& request, int port, std::string_view page) {
  const std::string address = fmt::format("127.0.0.1:{}", port), name = fmt::format("localhost:{}", port);
  if (!request.sound || request.twice) return http_refusal("400 Bad Request", "this is no request");
  if (request.host != address && request.host != name)
    return http_refusal("403 Forbidden", "the board answers to its own address alone");
  if (!request.origin.empty() && request.origin != "http://" + address && request.origin != "http://" + name)
    return http_refusal("403 Forbidden", "the board answers to its own page alone");
  if (request.method != "GET" && request.method != "HEAD")
    return http_refusal("405 Method Not Allowed", "there is nothing to write here");
  if (request.path != "/" && !request.path.starts_with("/?"))
    return http_refusal("404 Not Found", "there is one page: /");
  return http_answer("200 OK", "text/html", page, request.method == "GET");
}

}  // namespace ridge::cli
