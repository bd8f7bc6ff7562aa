#include "host/formats/vertex_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string>

#include "host/files/replace_file.h"
#include "host/formats/file_bytes.h"
#include "shared/error.h"
#include "shared/files/regular_file.h"

namespace haptic {

std::vector<std::uint32_t> read_bou(const std::filesystem::path& path, std::size_t vertex_count) {
  const std::string bytes =
      read_regular_file(path, "a list of fixed vertices (.bou)", kMaxMeshBytes);
  std::vector<std::uint32_t> vertices;
  std::size_t line = 0;
  std::uint64_t last = 0;  // id before a ':', 0: none
  bool range = false;
  const char* at = bytes.data();
  const char* const end = at + bytes.size();
  const auto fail = [&](std::string_view found) {
    throw InputError(path.string(), fmt::format("line {}", line + 1), found,
                     fmt::format("vertex ids of 1 to {}", vertex_count));
  };
  for (bool line_begins = true; at < end;) {
    if (line_begins && *at == '#') at = std::find(at, end, '\n');
    if (at == end) break;
    line_begins = *at == '\n';
    if (*at >= '0' && *at <= '9') {
      std::uint64_t id = 0;
      const auto [after, error] = std::from_chars(at, end, id);
      if (error != std::errc() || id < 1 || id > vertex_count) {
        fail(fmt::format("found \"{}\"", std::string(at, std::min(after, at + 20))));
      }
      for (std::uint64_t i = range ? last + 1 : id; i <= id; ++i) {
        vertices.push_back(static_cast<std::uint32_t>(i - 1));
      }
      if (range && id < last) fail(fmt::format("found the range {} : {}", last, id));
      range = false;
      last = id;
      at = after;
      continue;
    }
    if (*at == ':' && last > 0 && !range) {
      range = true;
    } else if (*at == '\n') {
      ++line;
    } else if (*at != ',' && *at != ' ' && *at != '\t' && *at != '\r') {
      fail(fmt::format("found character 0x{:02x}", static_cast<unsigned char>(*at)));
    }
    ++at;
  }
  if (range) fail("a range without its end");
  std::sort(vertices.begin(), vertices.end());
  vertices.erase(std::unique(vertices.begin(), vertices.end()), vertices.end());
  return vertices;
}

void write_bou(const std::filesystem::path& path, std::span<const std::uint32_t> vertices) {
  std::string text;
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    text += fmt::format("{},{}", vertices[i] + 1, i % 8 == 7 ? "\n" : "");
  }
  text += "\n";
  replace_file(path, {text});
}

}  // namespace haptic
