#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>

namespace haptic {

/// Words of a line separated by white space and commas, taken from the left.
class NumberList {
 public:
  explicit NumberList(std::string_view text) : rest_(text) { skip(); }

  bool empty() const { return rest_.empty(); }

  /// The next word; empty at the end.
  std::string_view word() {
    const std::size_t end = std::min(rest_.find_first_of(kSeparators), rest_.size());
    const std::string_view result = rest_.substr(0, end);
    rest_.remove_prefix(end);
    skip();
    return result;
  }
  /// The next word as a number; nothing if there is none or it is not a finite number.
  std::optional<double> real() {
    std::string_view text = word();
    if (text.starts_with('+')) text.remove_prefix(1);
    double value = 0.0;
    const auto [after, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || after != text.data() + text.size() || !std::isfinite(value)) {
      return std::nullopt;
    }
    return value;
  }
  std::optional<std::int64_t> integer() {
    const std::string_view text = word();
    std::int64_t value = 0;
    const auto [after, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || after != text.data() + text.size()) return std::nullopt;
    return value;
  }

 private:
  static constexpr std::string_view kSeparators = " \t\r\v\f,";
  void skip() {
    const std::size_t begin = rest_.find_first_not_of(kSeparators);
    rest_.remove_prefix(begin == std::string_view::npos ? rest_.size() : begin);
  }
  std::string_view rest_;
};

}  // namespace haptic
