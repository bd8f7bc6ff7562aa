#include "host/report/html.h"

#include <fmt/format.h>

#include <cstdint>

#include "shared/printable.h"

namespace haptic {
std::string html_text(std::string_view text) {
  std::string result;
  EscapeBuffer escape{};
  while (!text.empty()) {
    switch (const char first = text[0]) {
      case '\n':
      case '\t':
        result += first;
        break;
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      default:
        result += take_printable(text, escape);
        continue;
    }
    text.remove_prefix(1);
  }
  return result;
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string result;
  result.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t word = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      word = word << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      result += i + k <= bytes.size() ? kDigits[word >> (18 - 6 * k) & 63] : '=';
    }
  }
  return result;
}

std::string html_image(std::string_view type, std::string_view bytes,
                       std::string_view alternative) {
  return fmt::format("<img alt=\"{}\" src=\"data:{};base64,{}\">\n", html_text(alternative), type,
                     base64(bytes));
}

}  // namespace haptic
