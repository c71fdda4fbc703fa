#pragma once
// What a path leads to that somebody wants written: a plain file may be replaced, anything else is written through.

#include <string>

#include "base/result.hpp"

namespace ridge::cli {

struct OutputTarget {
  std::string path;      // behind all links
  bool is_plain = true;  // a regular file, or nothing yet; otherwise a device, a pipe, a stream that is open
  int descriptor = -1;   // of a stream that this process has open: /dev/stdout, /dev/fd/3, "-"
  bool is_pipe = false;
};

Result<OutputTarget> output_target(const std::string& named);

/// A text takes no database's place: tables are kept that nobody may have elsewhere. An error where a plain file is one.
Result<bool> may_hold_text(const OutputTarget& target, const std::string& named);

/// Opens what is not plain, for writing behind what is there. A named pipe that nobody reads is an error after a while.
Result<int> open_stream(const OutputTarget& target);

/// Writes everything: 0, or the number of the error. Where the process was asked to stop, a reader that takes nothing is no
/// longer waited for: EINTR.
int write_all(int descriptor, std::string_view text);

/// On the disk, not only on its way there: 0, or the number of the error. A file system that cannot say so is believed.
int sync_all(int descriptor);

/// What to tell those whose disk is full, whose quota or limit is reached.
std::string remedy_of(int error);

}  // namespace ridge::cli
