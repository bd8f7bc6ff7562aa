#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace haptic {

/// A text file of numbers, read line by line; the caller checks the content of each line.
class NumberLines {
 public:
  /// @param comment character that starts a comment, or 0
  /// @throws InputError if the file is missing or cannot be read
  NumberLines(const std::filesystem::path& path, char comment);
  /// The same of text in memory. @param file what messages name
  NumberLines(std::string text, std::string file, char comment);

  /// Moves to the next line that is not empty. @returns false at the end
  bool next();
  std::string_view line() const { return line_; }  ///< trimmed
  std::size_t word_count() const { return words_.size(); }

  /// @throws InputError naming the line if there is no such word or it is not such a number
  std::int64_t integer(std::size_t word) const;
  double real(std::size_t word) const;  ///< finite
  /// A count in [0, 2^31); word as above.
  std::size_t count(std::size_t word) const;
  /// next(), which must succeed. @param expected what the next line should be
  void require_next(std::string_view expected);

  [[noreturn]] void refuse(const std::string& found, std::string_view expected = {}) const;
  const std::string& file() const { return file_; }

 private:
  std::string_view word(std::size_t i) const;

  std::string file_;
  std::string text_;
  std::size_t at_ = 0, number_ = 0;
  char comment_;
  std::string_view line_;
  std::vector<std::string_view> words_;
};

}  // namespace haptic
