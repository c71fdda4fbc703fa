#pragma once
// What may end the process before its time: signals, limits of the system, no more memory. The only globals of the program.

#include <string>

namespace ridge::cli {

/// And the signal's number: an exit code as shells have it.
inline constexpr int kSignalled = 128;

/// Called first. A file that grows over a limit is an error of its write; without memory there is a message and an exit
/// code; closed standard streams are not taken by the files that we open.
void prepare_for_early_end();

/// From now on the first SIGINT, SIGTERM, SIGHUP or SIGXCPU only asks to stop; the second ends the process at once, as the first
/// does everywhere else. A closed pipe is an error of its write.
void stop_when_asked();
/// The signal that asked to stop; 0: none did.
int asked_to_stop();
/// The same, and forgotten: what is written after it is waited for, until the next one asks.
int take_stop();

/// A file that must not stay behind should the process end early, as long as this lives.
class Temporary {
 public:
  explicit Temporary(const std::string& path);
  Temporary(Temporary&& other) noexcept;
  Temporary& operator=(Temporary&&) = delete;
  ~Temporary();

 private:
  int slot_;
};

}  // namespace ridge::cli
