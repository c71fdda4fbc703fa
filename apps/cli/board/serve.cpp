#include "cli/board/serve.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/board/http.hpp"
#include "cli/output/early_end.hpp"
#include "cli/program.hpp"

namespace ridge::cli {

namespace {

constexpr std::size_t kLongestHead = 16384;

/// What a client sends, up to the blank line; a slow or endless one gets no answer.
std::string read_head(int client) {
  const timeval patience{2, 0};
  setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  setsockopt(client, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  std::string head;
  char piece[4096];
  while (head.size() < kLongestHead && head.find("\r\n\r\n") == std::string::npos) {
    const ssize_t count = recv(client, piece, sizeof piece, 0);
    if (count <= 0) break;
    head.append(piece, static_cast<std::size_t>(count));
  }
  return head;
}

void send_all(int client, std::string_view text) {
  while (!text.empty()) {
    const ssize_t sent = send(client, text.data(), text.size(), MSG_NOSIGNAL);
    if (sent <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(sent));
  }
}

}  // namespace

Result<Listening> listen_here(int port) {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const auto refused = [&](const char* what) {
    const std::string why = std::strerror(errno);
    if (listener >= 0) close(listener);
    return fail({"port", fmt::format("{}: {}", what, why), "another one, or none for any that is free"});
  };
  if (listener < 0) return refused("no socket");
  const int yes = 1;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) return refused("is taken");
  socklen_t size = sizeof address;
  if (getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size) != 0) return refused("has no address");
  if (listen(listener, 16) != 0) return refused("cannot be listened to");
  return Listening{listener, ntohs(address.sin_port)};
}

int serve_page(const Listening& here, const std::string& page) {
  stop_when_asked();
  while (asked_to_stop() == 0) {
    pollfd waiting{here.socket, POLLIN, 0};
    if (poll(&waiting, 1, 500) <= 0) continue;
    const int client = accept4(here.socket, nullptr, nullptr, SOCK_CLOEXEC);
    if (client < 0) continue;
    const std::string head = read_head(client);
    if (!head.empty()) send_all(client, answer_request(read_request(head), here.port, page));
    shutdown(client, SHUT_WR);
    close(client);
  }
  close(here.socket);
  return kAnswered;
}

bool open_browser(const std::string& address) {
  const auto said = [](const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr && *value != '\0';
  };
  if (!said("DISPLAY") && !said("WAYLAND_DISPLAY")) return false;
  const pid_t child = fork();
  if (child < 0) return false;
  if (child == 0) {
    const int nowhere = open("/dev/null", O_RDWR);
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(nowhere, stream);
    if (fork() != 0) _exit(0);  // the grandchild is nobody's to wait for
    execlp("xdg-open", "xdg-open", address.c_str(), nullptr);
    _exit(127);
  }
  waitpid(child, nullptr, 0);
  return true;
}

}  // namespace ridge::cli
