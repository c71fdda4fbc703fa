#pragma once
// Work in a process of its own: whatever becomes of it, this one lives.

#include <functional>
#include <string>
#include <vector>

namespace ridge::cli {

struct ChildOutput {
  std::string text;   // what it wrote to its standard output
  std::string wrong;  // in words, where it did not end well: "ended by signal 4", "took longer than 60 s"
};

/// A program by its name and arguments; its standard error goes nowhere.
ChildOutput run_program(const std::vector<std::string>& arguments, double seconds);
/// A function in a copy of this process, which must have no other threads; what it returns is the text.
ChildOutput run_apart(const std::function<std::string()>& work, double seconds);

}  // namespace ridge::cli
