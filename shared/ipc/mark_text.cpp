#include "shared/ipc/mark_text.h"

#include <optional>

#include "shared/printable.h"

namespace haptic {

bool is_mark_text(std::string_view text) {
  if (text.empty() || text.size() > kMaxMarkLength) return false;
  while (!text.empty()) {
    const std::optional<char32_t> character = take_character(text);
    if (!character || is_control(*character)) return false;
  }
  return true;
}

}  // namespace haptic
