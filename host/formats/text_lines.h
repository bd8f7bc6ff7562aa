#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace haptic {

/// The lines of a text and their words, which blanks separate. A line ends with \n, \r\n or \r; a
/// byte-order mark at the beginning is left out.
class TextLines {
 public:
  explicit TextLines(std::string_view text);

  /// Moves to the next line. @returns false at the end
  bool next();
  std::size_t number() const { return number_; }  ///< of the line, from 1; 0 before the first
  /// What is left of the line, without blanks at its beginning.
  std::string_view rest() const { return line_; }
  /// The next word, removed from the line; empty at its end.
  std::string_view word();
  /// The next word of this line or a later one; empty at the end of the text.
  std::string_view word_across_lines();
  void skip_line() { line_ = {}; }
  /// The bytes after this line.
  std::string_view following() const { return text_; }

 private:
  void skip_blanks();

  std::string_view text_, line_;
  std::size_t number_ = 0;
};

/// A whole word as a number, which may be infinite or not a number; nothing if it is none. A number
/// too small for a double is zero.
std::optional<double> parse_number(std::string_view word);

/// How finely the numbers of a text distinguish coordinates: the place of the last digit that a
/// number as large as the largest one would have.
class WrittenDigits {
 public:
  void add(std::string_view word, double value);
  /// In the unit of the numbers. Zero if no number has four significant digits: such texts hold
  /// exact values.
  double last_digit() const;

 private:
  double largest_ = 0.0;
  std::size_t significant_ = 0;
};

}  // namespace haptic
