#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

namespace haptic {

/// Bad usage or bad input. Thrown outside the loop only, printed once, in `main`; exit code 2.
///
/// The message is one line: `<source>: <key>: <what was found>, expected <what was expected>`;
/// empty parts are left out. A key or finding of more than 500 bytes is shortened in the middle: it
/// may quote a file without line breaks.
class InputError : public std::runtime_error {
 public:
  /// @param source   file (or option) that holds the bad input
  /// @param key      key, section, line or element inside it; may be empty
  /// @param found    what the input contains, e.g. "found -5 Pa"; never empty
  /// @param expected what would be right, e.g. "a number > 0 [Pa]"; may be empty
  InputError(std::string_view source, std::string_view key, std::string_view found,
             std::string_view expected = {})
      : std::runtime_error(join(source, key, found, expected)) {}

 private:
  static std::string join(std::string_view source, std::string_view key, std::string_view found,
                          std::string_view expected) {
    std::string line;
    if (!source.empty()) line.append(source).append(": ");
    if (!key.empty()) line.append(abridged(key)).append(": ");
    line.append(abridged(found));
    if (!expected.empty()) line.append(", expected ").append(expected);
    return line;
  }

  static std::string abridged(std::string_view part) {
    constexpr std::size_t kFirst = 400, kLast = 100;
    std::string text(part.substr(0, kFirst));
    if (part.size() <= kFirst + kLast) return text.append(part.substr(text.size()));
    return text.append(" [...] ").append(part.substr(part.size() - kLast));
  }
};

/// The input was fine but the operation failed (disk full, no convergence, daemon gone); exit
/// code 1.
class OperationError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Process exit codes of all programs (docs/architecture.md, "Errors and exit codes").
enum ExitCode : int { kExitDone = 0, kExitFailed = 1, kExitBadInput = 2 };

}  // namespace haptic
