#pragma once
// The lecture's blackboard, figure by figure: what was drawn, in two sentences, and the command that draws it again.

#include <string>
#include <vector>

namespace ridge {

struct LectureStep {
  std::string name;                 // "02-cost", by which they are ordered
  std::string chapter;              // of the recording
  std::string title;                // what is drawn
  std::string at;                   // when in the recording; empty where nobody wrote it down
  std::string text;                 // two sentences
  std::string command;              // "ridge curve batch ..."
  std::vector<std::string> claims;  // ids of the statements it is about
};

}  // namespace ridge
