#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "host/formats/number_lines.h"

namespace haptic {

/// What follows the header of a Gmsh file, as text: a row of numbers is a line.
class GmshText {
 public:
  static constexpr bool kIsBinary = false;

  /// @param lines after the section $MeshFormat
  explicit GmshText(NumberLines&& lines) : lines_(std::move(lines)) {}

  /// The next line that is not empty; empty at the end.
  std::string_view next_line();
  std::string_view line() const { return lines_.line(); }
  /// Begins a row. @param expected what it should be
  void row(std::string_view expected);
  std::int64_t integer() { return lines_.integer(word_++); }  ///< of four bytes in binary files
  std::int64_t index() { return lines_.integer(word_++); }    ///< of eight bytes
  double real() { return lines_.real(word_++); }
  std::size_t count() { return lines_.count(word_++); }  ///< an index in [0, 2^31)
  [[noreturn]] void refuse(const std::string& found, std::string_view expected = {}) const {
    lines_.refuse(found, expected);
  }

 private:
  NumberLines lines_;
  std::size_t word_ = 0;
};

/// The same of a binary file: names of sections, and the counts of format 2.2, are lines of text.
class GmshBinary {
 public:
  static constexpr bool kIsBinary = true;

  /// @param bytes of the file; outlive this. @param at  after the section $MeshFormat
  GmshBinary(std::string_view bytes, std::size_t at, std::string file)
      : bytes_(bytes), at_(at), file_(std::move(file)) {}

  std::string_view next_line();
  void row(std::string_view) {}
  std::int64_t integer();
  std::int64_t index();
  double real();
  std::size_t count();
  /// A count in a line of text.
  std::size_t written_count();
  /// Moves to the line "$End...". @returns false if it is missing
  bool skip_to(std::string_view line);
  [[noreturn]] void refuse(const std::string& found, std::string_view expected = {}) const;

 private:
  template <typename T>
  T take();

  std::string_view bytes_;
  std::size_t at_;
  std::string file_;
};

}  // namespace haptic
