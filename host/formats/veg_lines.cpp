#include "host/formats/veg_lines.h"

#include <fmt/format.h>

#include "host/formats/file_bytes.h"
#include "shared/error.h"
#include "shared/files/regular_file.h"

namespace haptic {
namespace {

constexpr int kMaxIncludeDepth = 16;
constexpr std::string_view kInclude = "*INCLUDE";
constexpr std::size_t kMaxBytes = std::size_t{1}
                                  << 32;  // limits a file that includes itself repeatedly

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kWhite = " \t\r\v\f";
  const std::size_t begin = text.find_first_not_of(kWhite);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kWhite) - begin + 1);
}

}  // namespace

VegLines::VegLines(const std::filesystem::path& path) {
  append(path, 0);
}

void VegLines::append(const std::filesystem::path& path, int depth) {
  // A file that is included may be empty, e.g. a set without elements.
  const std::string bytes =
      depth == 0 ? read_file_bytes(path, "a VegaFEM text mesh (.veg)")
                 : read_regular_file(path, "a part of a VegaFEM text mesh", kMaxMeshBytes);
  bytes_ += bytes.size();
  if (bytes.find('\0') != std::string::npos) {
    throw InputError(path.string(), "", "not a text file", "a VegaFEM text mesh (.veg)");
  }
  if (bytes_ > kMaxBytes) throw InputError(path.string(), "", "files larger than 4 GiB");
  const std::size_t file = files_.size();
  files_.push_back(path);
  std::size_t number = 0;
  for (std::size_t begin = 0; begin < bytes.size();) {
    const std::size_t end = std::min(bytes.find('\n', begin), bytes.size());
    ++number;
    const std::string_view text = trimmed(std::string_view(bytes).substr(begin, end - begin));
    begin = end + 1;
    if (text.empty() || text.front() == '#') continue;
    if (text.starts_with(kInclude)) {
      const std::string_view name = trimmed(text.substr(kInclude.size()));
      const std::string key = fmt::format("line {}", number);
      if (name.empty()) throw InputError(path.string(), key, "*INCLUDE without a file name");
      if (depth == kMaxIncludeDepth) {
        throw InputError(path.string(), key, fmt::format("includes nest deeper than {}", depth));
      }
      append(files_.front().parent_path() / name, depth + 1);
      continue;
    }
    lines_.push_back({std::string(text), number, file});
  }
}

std::string VegLines::place() const {
  if (next_ == 0) return "";
  const Line& line = lines_[next_ - 1];
  if (line.file == 0) return fmt::format("line {}", line.number);
  return fmt::format("{} line {}", files_[line.file].filename().string(), line.number);
}

}  // namespace haptic
