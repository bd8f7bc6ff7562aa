#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <limits>

#include "host/formats/file_bytes.h"
#include "host/formats/polygon_soup.h"
#include "host/formats/text_lines.h"
#include "shared/error.h"

namespace haptic {
namespace {

constexpr std::size_t kTitle = 80;
constexpr std::size_t kHeader = kTitle + sizeof(std::uint32_t);  // title, number of triangles
constexpr std::size_t kNormal = 12;
constexpr std::size_t kTriangle = 50;  // normal, three corners, two bytes of no meaning

bool is_word(std::string_view text, std::string_view lower_case) {
  return std::equal(
      text.begin(), text.end(), lower_case.begin(), lower_case.end(),
      [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; });
}

void end_face(PolygonSoup& soup) {
  soup.face_ends.push_back(static_cast<std::uint32_t>(soup.corners.size()));
}

void add_corner(PolygonSoup& soup, const Vector3& vertex) {
  soup.corners.push_back(static_cast<std::uint32_t>(soup.vertices.size()));
  soup.vertices.push_back(vertex);
}

class TextStl {
 public:
  TextStl(std::string_view bytes, const std::string& file) : lines_(bytes), file_(file) {}

  PolygonSoup read() {
    expect("solid");
    lines_.skip_line();  // the title
    for (bool inside = true;;) {
      const std::string_view word = lines_.word_across_lines();
      if (inside && is_word(word, "facet")) {
        read_facet();
      } else if (inside && is_word(word, "endsolid")) {
        lines_.skip_line();
        inside = false;
      } else if (!inside && is_word(word, "solid")) {
        lines_.skip_line();
        inside = true;
      } else if (!inside && (word.empty() || word == kEndOfFile)) {
        break;
      } else {
        refuse(word, inside ? "\"facet\" or \"endsolid\"" : "\"solid\" or the end of the file");
      }
    }
    soup_.last_digit = digits_.last_digit();
    return std::move(soup_);
  }

 private:
  [[noreturn]] void refuse(std::string_view found, std::string_view expected) const {
    if (found.empty()) {
      throw InputError(file_, "", "found its end (is it cut off?)", expected);
    }
    throw InputError(file_, fmt::format("line {}", lines_.number()),
                     fmt::format("found \"{}\"", found), expected);
  }

  void expect(std::string_view keyword) {
    const std::string_view word = lines_.word_across_lines();
    if (!is_word(word, keyword)) refuse(word, fmt::format("\"{}\"", keyword));
  }

  void read_facet() {
    constexpr int kMaxNormalWords = 4;  // "normal" and three numbers, which nobody needs
    int words = 0;
    std::string_view word = lines_.word_across_lines();
    for (; !is_word(word, "outer"); word = lines_.word_across_lines()) {
      if (word.empty() || ++words > kMaxNormalWords) refuse(word, "\"outer loop\"");
    }
    expect("loop");
    const std::size_t begin = soup_.corners.size();
    for (word = lines_.word_across_lines(); is_word(word, "vertex");
         word = lines_.word_across_lines()) {
      if (soup_.corners.size() - begin == kMaxFaceCorners) {
        refuse("a facet with more corners", fmt::format("at most {}", kMaxFaceCorners));
      }
      read_vertex();
    }
    if (!is_word(word, "endloop")) refuse(word, "\"vertex\" or \"endloop\"");
    if (soup_.corners.size() - begin < 3) {
      refuse(fmt::format("{} after {} vertices", word, soup_.corners.size() - begin),
             "three vertices");
    }
    expect("endfacet");
    end_face(soup_);
  }

  void read_vertex() {
    Vector3 v;
    for (int axis = 0; axis < 3; ++axis) {
      const std::string_view word = lines_.word_across_lines();
      const std::optional<double> value = parse_number(word);
      if (!value || !(std::abs(*value) <= kMaxCoordinate)) refuse(word, "a finite coordinate");
      digits_.add(word, *value);
      v[axis] = *value;
    }
    add_corner(soup_, v);
  }

  static constexpr std::string_view kEndOfFile = "\x1a";  // of CP/M, DOS

  TextLines lines_;
  const std::string& file_;
  PolygonSoup soup_;
  WrittenDigits digits_;
};

PolygonSoup read_binary(std::string_view bytes, const std::string& file, std::size_t triangles) {
  PolygonSoup soup;
  soup.vertices.reserve(3 * triangles);
  soup.corners.reserve(3 * triangles);
  soup.face_ends.reserve(triangles);
  double largest = 0.0;
  for (std::size_t t = 0; t < triangles; ++t) {
    const std::size_t begin = kHeader + t * kTriangle + kNormal;
    for (std::size_t c = 0; c < 3; ++c) {
      const auto at = value_at<std::array<float, 3>>(bytes, begin + c * sizeof(float) * 3);
      const Vector3 v(at[0], at[1], at[2]);
      const double size = v.cwiseAbs().maxCoeff();
      if (!v.allFinite() || size > kMaxCoordinate) {
        throw InputError(file, fmt::format("triangle {}", t + 1),
                         fmt::format("coordinates {}, {}, {}", at[0], at[1], at[2]),
                         fmt::format("finite numbers up to {:g}", kMaxCoordinate));
      }
      largest = std::max(largest, size);
      add_corner(soup, v);
    }
    end_face(soup);
  }
  soup.last_digit = largest * std::numeric_limits<float>::epsilon();
  return soup;
}

/// The title of a binary file may begin with "solid", too; it has zeros in its numbers.
bool is_text(std::string_view bytes) {
  TextLines lines(bytes.substr(0, 512));
  return is_word(lines.word_across_lines(), "solid") &&
         bytes.substr(0, 512).find('\0') == bytes.npos;
}

}  // namespace

PolygonSoup read_stl(std::string_view bytes, const std::string& file) {
  const bool text = is_text(bytes);
  if (bytes.size() < kHeader) {
    if (text) return TextStl(bytes, file).read();
    throw InputError(file, "", fmt::format("found {} bytes (is it cut off?)", bytes.size()),
                     fmt::format("an STL mesh: text, or at least {} bytes", kHeader));
  }
  const std::size_t triangles = value_at<std::uint32_t>(bytes, kTitle);
  const std::uint64_t size = kHeader + std::uint64_t{kTriangle} * triangles;
  if (text && size != bytes.size()) return TextStl(bytes, file).read();
  if (size > bytes.size()) {
    throw InputError(
        file, "", fmt::format("found {} bytes (is it cut off?)", bytes.size()),
        fmt::format("the {} of the {} triangles that its header counts", size, triangles));
  }
  if (bytes.size() - size >= kTriangle) {
    throw InputError(file, "",
                     fmt::format("found {} bytes, {} triangles more than its header counts",
                                 bytes.size(), (bytes.size() - size) / kTriangle),
                     fmt::format("the {} bytes of {} triangles", size, triangles));
  }
  return read_binary(bytes, file, triangles);
}

}  // namespace haptic
