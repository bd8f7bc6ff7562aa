#include "host/files/json_text.h"

#include <fmt/format.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string_view>

#include "shared/printable.h"

namespace haptic {

std::string json_text(const nlohmann::json& value, int indent) {
  const std::string dumped =
      value.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace);
  std::string result;
  std::string_view rest = dumped;
  while (!rest.empty()) {
    const std::string_view before = rest;
    const char32_t c = *take_character(rest);
    // Below U+0020 there are only the line breaks of the indentation; dump() escapes the others.
    if (c < 0x20 || is_printable(c)) {
      result += before.substr(0, before.size() - rest.size());
    } else {
      result += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(c));
    }
  }
  return result;
}

}  // namespace haptic
