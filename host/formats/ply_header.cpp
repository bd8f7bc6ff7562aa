#include "host/formats/ply_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "host/formats/text_lines.h"
#include "shared/error.h"

namespace haptic {
namespace {

constexpr std::size_t kMaxHeader = 256 * 1024;
constexpr std::size_t kMaxElements = 100;
constexpr std::size_t kMaxProperties = 1000;

constexpr std::array<std::pair<std::string_view, PlyType>, 16> kTypes = {{
    {"char", {1, false, true}},
    {"uchar", {1, false, false}},
    {"int8", {1, false, true}},
    {"uint8", {1, false, false}},
    {"short", {2, false, true}},
    {"ushort", {2, false, false}},
    {"int16", {2, false, true}},
    {"uint16", {2, false, false}},
    {"int", {4, false, true}},
    {"uint", {4, false, false}},
    {"int32", {4, false, true}},
    {"uint32", {4, false, false}},
    {"float", {4, true, true}},
    {"float32", {4, true, true}},
    {"double", {8, true, true}},
    {"float64", {8, true, true}},
}};

class HeaderReader {
 public:
  HeaderReader(std::string_view bytes, const std::string& file)
      : bytes_(bytes), lines_(bytes.substr(0, kMaxHeader)), file_(file) {}

  PlyHeader read() {
    if (!lines_.next() || lines_.rest().substr(0, 3) != "ply" || lines_.word() != "ply") {
      throw InputError(file_, "", "found no \"ply\" in its first line", "a PLY mesh");
    }
    bool has_format = false;
    for (;;) {
      const bool at_end = !lines_.next();
      const std::string_view key = lines_.word();
      if (key == "end_header") break;
      if (at_end || lines_.following().empty()) refuse_end();
      if (key == "format") {
        read_format();
        has_format = true;
      } else if (key == "element") {
        read_element();
      } else if (key == "property") {
        read_property();
      } else if (key != "comment" && key != "obj_info" && !key.empty()) {
        refuse(fmt::format("found \"{}\"", key),
               "format, element, property, comment, obj_info or end_header");
      }
    }
    if (!has_format) throw InputError(file_, "", "found no \"format\" in its header", "a PLY mesh");
    header_.size = static_cast<std::size_t>(lines_.following().data() - bytes_.data());
    // Lines that end with \r alone leave a first byte \n to the data.
    const std::string_view first = bytes_.substr(bytes_.find_first_of("\r\n"), 2);
    if (first != "\r\n" && bytes_.substr(0, header_.size).ends_with("\r\n")) --header_.size;
    header_.lines = lines_.number();
    return std::move(header_);
  }

 private:
  [[noreturn]] void refuse(std::string_view found, std::string_view expected) const {
    throw InputError(file_, fmt::format("line {}", lines_.number()), found, expected);
  }

  [[noreturn]] void refuse_end() const {
    if (bytes_.size() > kMaxHeader) {
      throw InputError(file_, "", "found no end of the header in the first 256 KiB", "a PLY mesh");
    }
    throw InputError(file_, "", "found its end in the header (is it cut off?)", "end_header");
  }

  void read_format() {
    const std::string_view name = lines_.word();
    if (name == "ascii") {
      header_.encoding = PlyEncoding::kText;
    } else if (name == "binary_little_endian") {
      header_.encoding = PlyEncoding::kLittleEndian;
    } else if (name == "binary_big_endian") {
      header_.encoding = PlyEncoding::kBigEndian;
    } else {
      refuse(fmt::format("found the format \"{}\"", name),
             "ascii, binary_little_endian or binary_big_endian");
    }
  }

  void read_element() {
    PlyElement element{lines_.word(), 0, {}};
    const std::string_view count = lines_.word();
    const char* const end = count.data() + count.size();
    const auto [after, error] = std::from_chars(count.data(), end, element.count);
    if (error != std::errc() || after != end || count.empty()) {
      refuse(fmt::format("found {} as the count of element {}",
                         count.empty() ? std::string_view("nothing") : count, element.name),
             "a count");
    }
    if (header_.elements.size() == kMaxElements) {
      refuse("found one more element", fmt::format("at most {}", kMaxElements));
    }
    header_.elements.push_back(std::move(element));
  }

  PlyType read_type() {
    const std::string_view name = lines_.word();
    const auto found = std::find_if(kTypes.begin(), kTypes.end(),
                                    [&](const auto& entry) { return entry.first == name; });
    if (found == kTypes.end()) {
      refuse(fmt::format("found the type \"{}\"", name),
             "char, uchar, short, ushort, int, uint, float or double");
    }
    return found->second;
  }

  void read_property() {
    if (header_.elements.empty()) refuse("found a property before any element", "an element");
    if (properties_++ == kMaxProperties) {
      refuse("found one more property", fmt::format("at most {}", kMaxProperties));
    }
    PlyProperty property;
    if (lines_.rest().starts_with("list") && lines_.rest().substr(4, 1).find_first_of(" \t") == 0) {
      lines_.word();
      property.count = read_type();
      if (property.count.is_real) refuse("found a list whose length is not whole", "uchar or int");
    }
    property.type = read_type();
    property.name = lines_.word();
    if (property.name.empty()) refuse("found a property without a name", "a name");
    header_.elements.back().properties.push_back(property);
  }

  std::string_view bytes_;
  TextLines lines_;
  const std::string& file_;
  PlyHeader header_;
  std::size_t properties_ = 0;
};

}  // namespace

std::size_t PlyElement::least_row(PlyEncoding encoding) const {
  std::size_t bytes = 0;
  for (const PlyProperty& property : properties) {
    const PlyType& first = property.is_list() ? property.count : property.type;
    bytes += encoding == PlyEncoding::kText ? 2 : first.size;
  }
  return bytes;
}

PlyHeader read_ply_header(std::string_view bytes, const std::string& file) {
  return HeaderReader(bytes, file).read();
}

}  // namespace haptic
