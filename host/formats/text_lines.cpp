#include "host/formats/text_lines.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>

namespace haptic {
namespace {

constexpr std::string_view kBlanks = " \t\v\f";
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
// A file whose numbers are shorter holds exact ones, such as the corners of a unit cube.
constexpr std::size_t kMinRoundedDigits = 4;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

}  // namespace

TextLines::TextLines(std::string_view text) : text_(text) {
  if (text_.starts_with(kByteOrderMark)) text_.remove_prefix(kByteOrderMark.size());
}

bool TextLines::next() {
  line_ = {};
  if (text_.empty()) return false;
  const std::size_t end = std::min(text_.find_first_of("\r\n"), text_.size());
  line_ = text_.substr(0, end);
  text_.remove_prefix(end);
  text_.remove_prefix(text_.starts_with("\r\n") ? 2 : std::min<std::size_t>(text_.size(), 1));
  ++number_;
  skip_blanks();
  return true;
}

std::string_view TextLines::word() {
  const std::string_view result = line_.substr(0, line_.find_first_of(kBlanks));
  line_.remove_prefix(result.size());
  skip_blanks();
  return result;
}

std::string_view TextLines::word_across_lines() {
  while (line_.empty()) {
    if (!next()) return {};
  }
  return word();
}

void TextLines::skip_blanks() {
  line_.remove_prefix(std::min(line_.find_first_not_of(kBlanks), line_.size()));
}

std::optional<double> parse_number(std::string_view word) {
  if (word.starts_with('+') && !word.starts_with("+-")) word.remove_prefix(1);
  double value = 0.0;
  const char* const end = word.data() + word.size();
  const auto [after, error] = std::from_chars(word.data(), end, value);
  if (after != end || error == std::errc::invalid_argument) return std::nullopt;
  // from_chars does not say whether the number is too large or too small.
  if (error == std::errc::result_out_of_range)
    value = std::strtod(std::string(word).c_str(), nullptr);
  return value;
}

void WrittenDigits::add(std::string_view word, double value) {
  largest_ = std::max(largest_, std::abs(value));
  std::size_t digits = 0;
  for (const char c : word) {
    if (c == 'e' || c == 'E') break;
    if (is_digit(c) && (digits > 0 || c != '0')) ++digits;
  }
  significant_ = std::max(significant_, digits);
}

double WrittenDigits::last_digit() const {
  if (significant_ < kMinRoundedDigits || !(largest_ > 0.0)) return 0.0;
  const double leading = std::floor(std::log10(largest_));
  return std::pow(10.0, leading + 1.0 - static_cast<double>(significant_));
}

}  // namespace haptic
