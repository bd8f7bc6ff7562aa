#include "shared/config/toml_bounds.h"

#include <fmt/format.h>

#include <algorithm>

#include "shared/error.h"
#include "shared/files/regular_file.h"

namespace haptic {
namespace {

/// Where the string that begins at `begin` ends: after its closing quotes, or where the parser
/// refuses it, at the end of the line or of the text.
std::size_t end_of_string(std::string_view text, std::size_t begin) {
  const char quote = text[begin];
  const bool escapes = quote == '"';
  const bool multi_line = text.substr(begin, 3) == std::string(3, quote);
  const std::string quotes(multi_line ? 3 : 1, quote);
  std::size_t at = begin + quotes.size();
  while (at < text.size()) {
    if (escapes && text[at] == '\\') {
      at += 2;
    } else if (!multi_line && text[at] == '\n') {
      return at;
    } else if (text.substr(at, quotes.size()) != quotes) {
      ++at;
    } else {
      at += quotes.size();
      // Up to two quotes before the closing three belong to the string.
      for (int i = 0; multi_line && i < 2 && at < text.size() && text[at] == quote; ++i) ++at;
      return at;
    }
  }
  return text.size();
}

}  // namespace

void demand_toml_bounds(std::string_view text, std::string_view source) {
  if (text.size() > kMaxTomlBytes) {
    throw InputError(source, "", fmt::format("found {}", size_text(text.size())),
                     fmt::format("a TOML text of at most {}", size_text(kMaxTomlBytes)));
  }
  const auto refuse = [&](std::size_t at, std::string_view found, const std::string& expected) {
    const auto line = 1 + std::count(text.begin(), text.begin() + at, '\n');
    throw InputError(fmt::format("{}:{}", source, line), "", found, expected);
  };
  std::size_t parts = 1, nesting = 0;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '"' || c == '\'') {
      at = end_of_string(text, at);
      continue;
    }
    if (c == '#') {
      at = std::min(text.find('\n', at), text.size());
      continue;
    }
    if (c == '.') {
      if (++parts > kMaxKeyParts) {
        refuse(at, "found a longer key", fmt::format("a key of at most {} parts", kMaxKeyParts));
      }
    } else if (c == '[' || c == '{') {
      if (++nesting > kMaxNesting) {
        refuse(at, "found deeper nesting",
               fmt::format("arrays and inline tables in at most {} levels", kMaxNesting));
      }
      parts = 1;
    } else if (c == ']' || c == '}') {
      if (nesting > 0) --nesting;
      parts = 1;
    } else if (c == '=' || c == ',' || c == '\n') {
      parts = 1;
    }
    ++at;
  }
}

}  // namespace haptic
