#include "train/command/trainer.hpp"

#include <algorithm>

#include "base/text/text.hpp"

namespace ridge {

std::string trainer_key(std::string_view flag) {
  flag.remove_prefix(std::min(flag.find_first_not_of("-/+"), flag.size()));
  if (flag.ends_with('=')) flag.remove_suffix(1);
  std::string key(flag);
  std::replace(key.begin(), key.end(), '_', '-');
  std::replace(key.begin(), key.end(), '/', '.');
  return key;
}

std::vector<TrainerSetting> trainer_settings(std::string_view text) {
  std::vector<TrainerSetting> out;
  for (const std::string& word : split(text, ' ')) {
    if (word.empty()) continue;
    const std::size_t equals = word.find('=');
    if (word.starts_with('-') || word.starts_with('/')) {
      out.push_back({word, ""});
    } else if (equals != std::string::npos) {
      out.push_back({word.substr(0, equals + 1), word.substr(equals + 1)});
    } else if (!out.empty()) {
      out.back().value += (out.back().value.empty() ? "" : " ") + word;
    }
  }
  return out;
}

const std::string* flag_of(const Trainer& trainer, TrainerNumber number) {
  for (const auto& [which, flags] : trainer.numbers) {
    if (which == number && !flags.empty()) return &flags.front();
  }
  return nullptr;
}

}  // namespace ridge
