#pragma once
// Who uses the program, and what each types first. docs/roles has a walk of ten minutes for each; tests hold both together.

#include <array>
#include <string_view>

namespace ridge::cli {

struct Role {
  std::string_view name, line;  // docs/roles/NAME.md, blanks as hyphens
};

inline constexpr std::array kRoles = {
    Role{"operator", "ridge why --from 'vllm serve Qwen/Qwen3-32B -tp 2' --on h100"},
    Role{"architect", "ridge plan llama-3.1-70b --on hgx-h100 --tpot 20ms"},
    Role{"analyst", "ridge infer google/gemini-3-pro-preview"},
    Role{"student", "ridge lecture"},
    Role{"training lead", "ridge train llama-3.1-70b --on hgx-h100 --chips 1024"},
    Role{"chip engineer", "ridge chips --vendor nvidia"},
};

}  // namespace ridge::cli
