#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace haptic {

/// Lines of a text file with its includes in place: comments (`#`) and blank lines left out, white
/// space trimmed, `*INCLUDE name` replaced by that file, looked up in the folder of the first file.
class VegLines {
 public:
  /// @throws InputError if a file is missing, contains a zero byte, or includes nest deeper than 16
  explicit VegLines(const std::filesystem::path& path);

  bool at_end() const { return next_ == lines_.size(); }
  std::string_view peek() const { return lines_[next_].text; }
  std::string_view take() { return lines_[next_++].text; }
  /// "line 12" or "part.veg line 12" of the line last taken, for messages.
  std::string place() const;
  /// The file and those it includes, in the order of reading.
  const std::vector<std::filesystem::path>& files() const { return files_; }
  /// Bytes of all files together: an upper bound for every count in them.
  std::size_t byte_count() const { return bytes_; }

 private:
  struct Line {
    std::string text;
    std::size_t number;
    std::size_t file;  ///< index into files_
  };
  void append(const std::filesystem::path& path, int depth);

  std::vector<std::filesystem::path> files_;
  std::vector<Line> lines_;
  std::size_t next_ = 0, bytes_ = 0;
};

}  // namespace haptic
