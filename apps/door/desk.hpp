#pragma once
// What a request brings and what its answer takes along: texts in memory, in place of a terminal and a disk.

#include <cstdint>
#include <map>
#include <string>

namespace ridge::door {

struct Desk {
  std::map<std::string, std::string> files;    // that the command may open, by name
  std::map<std::string, std::uint64_t> sizes;  // of those whose start alone is there: a checkpoint's header is enough
  std::string out, said;                       // what it would have printed, and said beside it
  std::map<std::string, std::string> written;  // files it would have written
};

/// While this lives, what runs on this thread reads from the desk and writes to it.
class AtDesk {
 public:
  explicit AtDesk(Desk& desk);
  AtDesk(const AtDesk&) = delete;
  AtDesk& operator=(const AtDesk&) = delete;
  ~AtDesk();

 private:
  Desk* before_;
};

}  // namespace ridge::door
