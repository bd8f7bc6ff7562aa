#include "shared/ipc/mark_text.h"

#include <cstdint>

namespace haptic {
namespace {

/// First bytes of a range, the payload they carry, and what follows them.
struct Form {
  unsigned char first, last;  ///< leading byte
  unsigned char mask;         ///< of its payload
  int following;              ///< bytes 80 to BF
  char32_t least;             ///< smaller characters are overlong
};

constexpr Form kForms[] = {
    {0x00, 0x7f, 0x7f, 0, 0x0},
    {0xc2, 0xdf, 0x1f, 1, 0x80},
    {0xe0, 0xef, 0x0f, 2, 0x800},
    {0xf0, 0xf4, 0x07, 3, 0x10000},
};

bool is_control(char32_t c) {
  return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x2028 || c == 0x2029;
}

/// The character at `at`, which moves behind it. @returns false if it is malformed
bool take_character(std::string_view text, std::size_t& at, char32_t& character) {
  const auto lead = static_cast<unsigned char>(text[at++]);
  for (const Form& form : kForms) {
    if (lead < form.first || lead > form.last) continue;
    character = lead & form.mask;
    for (int i = 0; i < form.following; ++i) {
      if (at == text.size()) return false;
      const auto next = static_cast<unsigned char>(text[at++]);
      if ((next & 0xc0) != 0x80) return false;
      character = character << 6 | (next & 0x3f);
    }
    const bool is_surrogate = character >= 0xd800 && character < 0xe000;
    return character >= form.least && character <= 0x10ffff && !is_surrogate;
  }
  return false;
}

}  // namespace

bool is_mark_text(std::string_view text) {
  if (text.empty() || text.size() > kLongestMark) return false;
  for (std::size_t at = 0; at < text.size();) {
    char32_t character = 0;
    if (!take_character(text, at, character) || is_control(character)) return false;
  }
  return true;
}

}  // namespace haptic
