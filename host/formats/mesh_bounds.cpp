#include "host/formats/mesh_bounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "host/formats/file_bytes.h"
#include "shared/error.h"

namespace haptic {
namespace {

constexpr std::string_view kBlanks = " \t\r";

/// The next line without its end; removed from `rest`.
std::string_view take_line(std::string_view& rest) {
  const std::string_view line = rest.substr(0, rest.find('\n'));
  rest.remove_prefix(std::min(line.size() + 1, rest.size()));
  return line;
}

/// The next word; removed from `line`. Empty at the end.
std::string_view take_word(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(kBlanks), line.size()));
  const std::string_view word = line.substr(0, line.find_first_of(kBlanks));
  line.remove_prefix(word.size());
  return word;
}

// ---- STL

constexpr std::size_t kStlHeader = 84;  // title, number of triangles
constexpr std::size_t kStlTriangle = 50;

bool contains_word(std::string_view text, std::string_view word) {
  return std::search(text.begin(), text.end(), word.begin(), word.end(), [](char a, char b) {
           return std::tolower(static_cast<unsigned char>(a)) == b;
         }) != text.end();
}

void check_stl(const std::string& file, std::string_view bytes) {
  // The title of a binary file may begin with "solid", too; it has zeros in its numbers.
  const std::string_view begin = bytes.substr(0, 512);
  const bool is_text = begin.find('\0') == begin.npos && contains_word(begin, "solid");
  if (bytes.size() >= kStlHeader) {
    const auto triangles = value_at<std::uint32_t>(bytes, kStlHeader - sizeof(std::uint32_t));
    const std::uint64_t size = kStlHeader + std::uint64_t{kStlTriangle} * triangles;
    if (size == bytes.size()) return;
    if (!is_text && size > bytes.size()) {
      throw InputError(file, "", fmt::format("found {} bytes (is it cut off?)", bytes.size()),
                       fmt::format("the {} of its {} triangles", size, triangles));
    }
  } else if (!is_text) {
    throw InputError(file, "", fmt::format("found {} bytes (is it cut off?)", bytes.size()),
                     fmt::format("an STL mesh: text, or at least {} bytes", kStlHeader));
  }
  if (is_text && !contains_word(bytes, "endsolid")) {
    throw InputError(file, "", "found no \"endsolid\" (is it cut off?)", "a whole STL mesh");
  }
}

// ---- PLY

constexpr std::size_t kMaxPlyHeader = 256 * 1024;
constexpr std::size_t kMaxPlyElements = 100;
constexpr std::size_t kMaxPlyProperties = 1000;

std::size_t ply_size(std::string_view type) {
  constexpr std::array<std::pair<std::string_view, std::size_t>, 16> kTypes = {{{"char", 1},
                                                                                {"uchar", 1},
                                                                                {"int8", 1},
                                                                                {"uint8", 1},
                                                                                {"short", 2},
                                                                                {"ushort", 2},
                                                                                {"int16", 2},
                                                                                {"uint16", 2},
                                                                                {"int", 4},
                                                                                {"uint", 4},
                                                                                {"int32", 4},
                                                                                {"uint32", 4},
                                                                                {"float", 4},
                                                                                {"float32", 4},
                                                                                {"double", 8},
                                                                                {"float64", 8}}};
  const auto found = std::find_if(kTypes.begin(), kTypes.end(),
                                  [&](const auto& entry) { return entry.first == type; });
  return found == kTypes.end() ? 1 : found->second;
}

struct PlyElement {
  std::string_view name;
  std::uint64_t count = 0;
  std::size_t least_row = 0;  // bytes
};

void check_ply(const std::string& file, std::string_view bytes) {
  std::string_view rest = bytes.substr(0, kMaxPlyHeader);
  const std::size_t whole = rest.size();
  std::vector<PlyElement> elements;
  std::size_t properties = 0;
  bool is_text = true, ended = false;
  while (!ended && !rest.empty()) {
    std::string_view line = take_line(rest);
    const std::string_view key = take_word(line);
    if (key == "format") {
      is_text = take_word(line) == "ascii";
    } else if (key == "element") {
      PlyElement element{take_word(line)};
      const std::string_view count = take_word(line);
      const char* const end = count.data() + count.size();
      const auto [after, error] = std::from_chars(count.data(), end, element.count);
      if (error != std::errc() || after != end) {
        throw InputError(file, fmt::format("element {}", element.name),
                         fmt::format("found {}", count.empty() ? "no count" : count), "a count");
      }
      elements.push_back(element);
    } else if (key == "property" && !elements.empty()) {
      ++properties;
      const std::string_view type = take_word(line);
      // A list without entries has its length only. As text, a value has a digit and a blank.
      elements.back().least_row += is_text ? 2 : ply_size(type == "list" ? take_word(line) : type);
    }
    ended = key == "end_header";
    if (elements.size() > kMaxPlyElements || properties > kMaxPlyProperties) {
      throw InputError(file, "",
                       fmt::format("found {} elements with {} properties in the header",
                                   elements.size(), properties),
                       fmt::format("at most {} with {}", kMaxPlyElements, kMaxPlyProperties));
    }
  }
  if (!ended) {
    if (bytes.size() <= kMaxPlyHeader) return;  // not a PLY file, or cut off: assimp says so
    throw InputError(file, "", "found no end of the header in the first 256 KiB", "a PLY mesh");
  }
  std::uint64_t left = bytes.size() - (whole - rest.size()) + 1;  // the last blank may lack
  for (const PlyElement& element : elements) {
    const std::uint64_t row = std::max<std::size_t>(element.least_row, 1);
    if (element.count > left / row) {
      throw InputError(
          file, fmt::format("element {}", element.name),
          fmt::format("found a count of {} in a file of {} bytes", element.count, bytes.size()),
          "a count that the file has the bytes for");
    }
    left -= element.count * row;
  }
}

// ---- OBJ

// Triangulating a face takes the square of its corners.
constexpr std::size_t kMaxFaceCorners = 10'000;

void prepare_obj(const std::string& file, std::string& bytes) {
  if (const std::size_t zero = bytes.find('\0'); zero != std::string::npos) {
    throw InputError(file, "", fmt::format("found a zero at byte {}", zero), "an OBJ mesh (text)");
  }
  bool continued = false, kept = false;
  std::size_t number = 0, corners = 0;
  for (std::size_t begin = 0; begin < bytes.size(); ++number) {
    const std::size_t end = std::min(bytes.find('\n', begin), bytes.size());
    std::string_view line(bytes.data() + begin, end - begin);
    const std::size_t last = line.find_last_not_of(kBlanks);
    bool continues = last != std::string_view::npos && line[last] == '\\';
    if (continues) line = line.substr(0, last);
    if (!continued) {
      const std::string_view key = take_word(line);
      kept = key == "v" || key == "vt" || key == "vn" || key == "f";
      corners = 0;
      if (key.starts_with('#')) continues = false;
      if (key != "f") line = {};
    } else if (!kept) {
      line = {};
    }
    while (!take_word(line).empty()) ++corners;
    if (corners > kMaxFaceCorners) {
      throw InputError(file, fmt::format("line {}", number + 1), "found a face with more corners",
                       fmt::format("at most {}", kMaxFaceCorners));
    }
    if (!kept) std::fill(bytes.begin() + begin, bytes.begin() + end, ' ');
    continued = continues;
    begin = end + 1;
  }
}

}  // namespace

void demand_mesh_bounds(const std::filesystem::path& path, const std::string& extension,
                        std::string& bytes) {
  if (extension == ".stl") check_stl(path.string(), bytes);
  if (extension == ".ply") check_ply(path.string(), bytes);
  if (extension == ".obj") prepare_obj(path.string(), bytes);
}

}  // namespace haptic
