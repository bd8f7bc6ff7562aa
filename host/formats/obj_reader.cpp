#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "host/formats/polygon_soup.h"
#include "host/formats/text_lines.h"
#include "shared/error.h"

namespace haptic {
namespace {

class ObjReader {
 public:
  ObjReader(std::string_view bytes, const std::string& file) : lines_(bytes), file_(file) {}

  PolygonSoup read() {
    while (lines_.next()) {
      const std::string_view key = lines_.word();
      if (key == "v") read_vertex();
      if (key == "f") read_face();
    }
    if (highest_ > soup_.vertices.size()) {
      refuse(highest_line_, fmt::format("found vertex {}", highest_),
             fmt::format("one of the {} of the file", soup_.vertices.size()));
    }
    soup_.last_digit = digits_.last_digit();
    return std::move(soup_);
  }

 private:
  [[noreturn]] void refuse(std::size_t line, std::string_view found, std::string_view expected) {
    throw InputError(file_, fmt::format("line {}", line), found, expected);
  }

  /// The next word of a statement; empty at its end.
  std::string_view word() {
    for (;;) {
      std::string_view word = lines_.word();
      if (const std::size_t comment = word.find('#'); comment != word.npos) {
        lines_.skip_line();
        return word.substr(0, comment);
      }
      if (!word.ends_with('\\') || !lines_.rest().empty()) return word;
      word.remove_suffix(1);
      if (!lines_.next() || !word.empty()) return word;
    }
  }

  void read_vertex() {
    const std::size_t line = lines_.number();
    Vector3 v;
    for (int axis = 0; axis < 3; ++axis) {
      const std::string_view text = word();
      const auto key = [&] {
        return fmt::format("vertex {} (line {})", soup_.vertices.size() + 1, line);
      };
      if (text.empty()) throw InputError(file_, key(), "fewer than three coordinates");
      const std::optional<double> value = parse_number(text);
      if (!value || !(std::abs(*value) <= kMaxCoordinate)) {
        throw InputError(file_, key(), fmt::format("coordinate {}", text),
                         fmt::format("a finite number up to {:g}", kMaxCoordinate));
      }
      digits_.add(text, *value);
      v[axis] = *value;
    }
    soup_.vertices.push_back(v);
  }

  void read_face() {
    const std::size_t line = lines_.number(), begin = soup_.corners.size();
    for (std::string_view text = word(); !text.empty(); text = word()) {
      read_corner(text);
      if (soup_.corners.size() - begin > kMaxFaceCorners) {
        refuse(lines_.number(), "found a face with more corners",
               fmt::format("at most {}", kMaxFaceCorners));
      }
    }
    if (const std::size_t count = soup_.corners.size() - begin; count < 3) {
      refuse(line, fmt::format("found a face with {} corners", count), "three or more");
    }
    soup_.face_ends.push_back(static_cast<std::uint32_t>(soup_.corners.size()));
  }

  /// v, v/t, v//n or v/t/n
  void read_corner(std::string_view text) {
    const std::string_view number = text.substr(0, text.find('/'));
    const auto count = static_cast<std::int64_t>(soup_.vertices.size());
    std::int64_t id = 0;
    const char* const end = number.data() + number.size();
    const auto [after, error] = std::from_chars(number.data(), end, id);
    const bool is_number = error == std::errc() && after == end;
    if (is_number && id < 0) id += count + 1;
    if (!is_number || id < 1 || id > kMaxVertices) {
      refuse(lines_.number(), fmt::format("found a face with vertex {}", text),
             "a number of a vertex from 1, or from -1 backwards");
    }
    if (static_cast<std::size_t>(id) > highest_) {
      highest_ = static_cast<std::size_t>(id);
      highest_line_ = lines_.number();
    }
    soup_.corners.push_back(static_cast<std::uint32_t>(id - 1));
  }

  static constexpr std::int64_t kMaxVertices = std::int64_t{1} << 31;

  TextLines lines_;
  const std::string& file_;
  PolygonSoup soup_;
  WrittenDigits digits_;
  std::size_t highest_ = 0, highest_line_ = 0;  ///< vertex that a face names, from 1; where
};

}  // namespace

PolygonSoup read_obj(std::string_view bytes, const std::string& file) {
  if (const std::size_t zero = bytes.find('\0'); zero != bytes.npos) {
    throw InputError(file, "", fmt::format("found a zero at byte {}", zero), "an OBJ mesh (text)");
  }
  return ObjReader(bytes, file).read();
}

}  // namespace haptic
