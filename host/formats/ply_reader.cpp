#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

#include "host/formats/ply_header.h"
#include "host/formats/polygon_soup.h"
#include "host/formats/text_lines.h"
#include "shared/error.h"

namespace haptic {
namespace {

/// The values of the rows as text.
class TextValues {
 public:
  TextValues(std::string_view bytes, const PlyHeader& header)
      : lines_(bytes.substr(header.size)), header_lines_(header.lines) {}

  /// Nothing at the end, or if it is no number of this type.
  std::optional<double> next(const PlyType& type) {
    word_ = lines_.word_across_lines();
    const std::optional<double> value = parse_number(word_);
    if (!value || type.is_real) return value;
    const bool is_whole = std::trunc(*value) == *value && std::abs(*value) < 0x1p32;
    return is_whole ? value : std::nullopt;
  }
  /// A row ends with its line: some programs write more there than the header declares.
  void end_row() { lines_.skip_line(); }
  /// The value that was read last is a coordinate.
  void note_coordinate(double value, const PlyType&) { digits_.add(word_, value); }
  std::size_t bytes_left() const { return lines_.rest().size() + lines_.following().size(); }
  /// Nothing but blanks follows.
  bool at_end() { return lines_.word_across_lines().empty(); }
  std::string place() const { return fmt::format(" (line {})", header_lines_ + lines_.number()); }
  double last_digit() const { return digits_.last_digit(); }

 private:
  TextLines lines_;
  std::string_view word_;
  std::size_t header_lines_;
  WrittenDigits digits_;
};

/// The values of the rows as bytes.
class BinaryValues {
 public:
  BinaryValues(std::string_view bytes, const PlyHeader& header)
      : rest_(bytes.substr(header.size)),
        swapped_((header.encoding == PlyEncoding::kBigEndian) !=
                 (std::endian::native == std::endian::big)) {}

  std::optional<double> next(const PlyType& type) {
    if (rest_.size() < type.size) return std::nullopt;
    char bytes[8] = {};
    std::copy_n(rest_.begin(), type.size, bytes);
    if (swapped_) std::reverse(bytes, bytes + type.size);
    rest_.remove_prefix(type.size);
    if (type.is_real) return type.size == 4 ? from<float>(bytes) : from<double>(bytes);
    switch (type.size) {
      case 1:
        return type.is_signed ? from<std::int8_t>(bytes) : from<std::uint8_t>(bytes);
      case 2:
        return type.is_signed ? from<std::int16_t>(bytes) : from<std::uint16_t>(bytes);
      default:
        return type.is_signed ? from<std::int32_t>(bytes) : from<std::uint32_t>(bytes);
    }
  }
  void end_row() {}
  void note_coordinate(double value, const PlyType& type) {
    if (!type.is_real) return;  // exact
    constexpr double kSingle = std::numeric_limits<float>::epsilon();
    constexpr double kDouble = std::numeric_limits<double>::epsilon();
    last_digit_ = std::max(last_digit_, std::abs(value) * (type.size == 4 ? kSingle : kDouble));
  }
  std::size_t bytes_left() const { return rest_.size(); }
  /// Fewer bytes follow than any triangle has.
  bool at_end() const { return rest_.size() < 4; }
  std::string place() const { return {}; }
  double last_digit() const { return last_digit_; }

 private:
  template <typename T>
  static double from(const char* bytes) {
    T value;
    std::memcpy(&value, bytes, sizeof value);
    return static_cast<double>(value);
  }

  std::string_view rest_;
  bool swapped_;
  double last_digit_ = 0.0;
};

/// What a value or list of a row is to the surface.
enum class Meaning { kNone, kX, kY, kZ, kFace, kStrip };

Meaning meaning_of(const PlyElement& element, const PlyProperty& property) {
  if (property.is_list()) {
    if (property.name != "vertex_indices" && property.name != "vertex_index") return Meaning::kNone;
    if (element.name == "face") return Meaning::kFace;
    return element.name == "tristrips" ? Meaning::kStrip : Meaning::kNone;
  }
  if (element.name != "vertex" || property.name.size() != 1) return Meaning::kNone;
  switch (property.name.front()) {
    case 'x':
      return Meaning::kX;
    case 'y':
      return Meaning::kY;
    case 'z':
      return Meaning::kZ;
    default:
      return Meaning::kNone;
  }
}

template <typename Values>
class RowReader {
 public:
  RowReader(std::string_view bytes, const PlyHeader& header, const std::string& file)
      : header_(header), values_(bytes, header), file_(file), file_size_(bytes.size()) {}

  PolygonSoup read() {
    for (const PlyElement& element : header_.elements) read_element(element);
    if (!values_.at_end()) {
      throw InputError(file_, "",
                       fmt::format("found more{} than its header counts", values_.place()),
                       "the end of the file");
    }
    if (highest_ >= static_cast<std::int64_t>(soup_.vertices.size())) {
      throw InputError(file_, fmt::format("face {}", highest_row_ + 1),
                       fmt::format("found vertex {}", highest_),
                       fmt::format("an index below {}", soup_.vertices.size()));
    }
    soup_.last_digit = values_.last_digit();
    return std::move(soup_);
  }

 private:
  std::string key() const {
    return fmt::format("{} {}{}", element_->name, row_ + 1, values_.place());
  }

  [[noreturn]] void refuse(std::string_view found, std::string_view expected) const {
    throw InputError(file_, key(), found, expected);
  }

  double value(const PlyProperty& property, const PlyType& type) {
    const std::optional<double> value = values_.next(type);
    if (!value) {
      refuse(fmt::format("found no value for {} (is the file cut off?)", property.name),
             "a number");
    }
    return *value;
  }

  void read_element(const PlyElement& element) {
    element_ = &element;
    if (element.properties.empty()) return;
    const std::size_t row_size = element.least_row(header_.encoding);
    // The last blank of a text may be missing.
    if (element.count > (values_.bytes_left() + 1) / row_size) {
      throw InputError(
          file_, fmt::format("element {}", element.name),
          fmt::format("found a count of {} in a file of {} bytes", element.count, file_size_),
          "a count that the file has the bytes for");
    }
    std::vector<Meaning> meanings;
    for (const PlyProperty& property : element.properties) {
      meanings.push_back(meaning_of(element, property));
    }
    const bool is_vertex = element.name == "vertex";
    if (is_vertex) {
      for (const auto& [meaning, name] :
           {std::pair{Meaning::kX, "x"}, {Meaning::kY, "y"}, {Meaning::kZ, "z"}}) {
        demand_one(meanings, meaning, name);
      }
      soup_.vertices.reserve(element.count);
    }
    if (element.name == "face") demand_one(meanings, Meaning::kFace, "vertex_indices");
    if (element.name == "tristrips") demand_one(meanings, Meaning::kStrip, "vertex_indices");
    for (row_ = 0; row_ < element.count; ++row_) {
      vertex_ = Vector3::Zero();
      for (std::size_t p = 0; p < meanings.size(); ++p) {
        const PlyProperty& property = element.properties[p];
        if (property.is_list()) {
          read_list(property, meanings[p]);
        } else {
          read_value(property, meanings[p]);
        }
      }
      values_.end_row();
      if (is_vertex) soup_.vertices.push_back(vertex_);
    }
  }

  void demand_one(const std::vector<Meaning>& meanings, Meaning meaning, const char* name) const {
    const auto count = std::count(meanings.begin(), meanings.end(), meaning);
    if (count == 1) return;
    throw InputError(file_, fmt::format("element {}", element_->name),
                     fmt::format("found {} properties {}", count, name), "one");
  }

  void read_value(const PlyProperty& property, Meaning meaning) {
    const double read = value(property, property.type);
    if (meaning == Meaning::kNone) return;
    if (!(std::abs(read) <= kMaxCoordinate)) {
      refuse(fmt::format("found {} = {}", property.name, read),
             fmt::format("a finite number up to {:g}", kMaxCoordinate));
    }
    values_.note_coordinate(read, property.type);
    vertex_[static_cast<int>(meaning) - static_cast<int>(Meaning::kX)] = read;
  }

  void read_list(const PlyProperty& property, Meaning meaning) {
    const double length = value(property, property.count);
    const std::size_t entry = header_.encoding == PlyEncoding::kText ? 2 : property.type.size;
    if (length < 0.0 || length > static_cast<double>((values_.bytes_left() + 1) / entry)) {
      refuse(fmt::format("found {} entries in {}", length, property.name),
             "a number that the file has the bytes for");
    }
    const auto count = static_cast<std::size_t>(length);
    if (meaning == Meaning::kFace && (count < 3 || count > kMaxFaceCorners)) {
      refuse(fmt::format("found a face with {} corners", count),
             fmt::format("3 to {}", kMaxFaceCorners));
    }
    strip_.clear();
    for (std::size_t i = 0; i < count; ++i) {
      const double read = value(property, property.type);
      if (meaning == Meaning::kFace) soup_.corners.push_back(index(read));
      if (meaning == Meaning::kStrip) add_to_strip(read);
    }
    if (meaning == Meaning::kFace) end_face();
  }

  std::uint32_t index(double read) {
    if (!(read >= 0.0 && read < 0x1p32) || std::trunc(read) != read) {
      refuse(fmt::format("found vertex {}", read), "an index from 0");
    }
    const auto vertex = static_cast<std::int64_t>(read);
    if (vertex > highest_) {
      highest_ = vertex;
      highest_row_ = row_;
    }
    return static_cast<std::uint32_t>(vertex);
  }

  /// Strips of triangles, every second of which is turned; -1 begins the next one.
  void add_to_strip(double read) {
    if (read == -1.0) return strip_.clear();
    strip_.push_back(index(read));
    const std::size_t n = strip_.size();
    if (n < 3) return;
    const bool turned = n % 2 == 0;
    soup_.corners.insert(soup_.corners.end(), {strip_[n - 3], strip_[n - (turned ? 1 : 2)],
                                               strip_[n - (turned ? 2 : 1)]});
    end_face();
  }

  void end_face() { soup_.face_ends.push_back(static_cast<std::uint32_t>(soup_.corners.size())); }

  const PlyHeader& header_;
  Values values_;
  const std::string& file_;
  std::size_t file_size_;
  PolygonSoup soup_;
  const PlyElement* element_ = nullptr;
  std::uint64_t row_ = 0;
  Vector3 vertex_ = Vector3::Zero();
  std::vector<std::uint32_t> strip_;
  std::int64_t highest_ = -1;  ///< vertex that a face names
  std::uint64_t highest_row_ = 0;
};

}  // namespace

PolygonSoup read_ply(std::string_view bytes, const std::string& file) {
  const PlyHeader header = read_ply_header(bytes, file);
  return header.encoding == PlyEncoding::kText
             ? RowReader<TextValues>(bytes, header, file).read()
             : RowReader<BinaryValues>(bytes, header, file).read();
}

}  // namespace haptic
