#pragma once

#include <string>
#include <string_view>

#include "host/formats/polygon_soup.h"
#include "shared/error.h"

namespace haptic {

/// Why a reader refuses bytes of a file "a"; "N vertices, M faces" of those that it reads.
inline std::string outcome(PolygonSoup (*read)(std::string_view, const std::string&),
                           std::string_view bytes) {
  try {
    const PolygonSoup soup = read(bytes, "a");
    return std::to_string(soup.vertices.size()) + " vertices, " +
           std::to_string(soup.face_count()) + " faces";
  } catch (const InputError& error) {
    return error.what();
  }
}

/// Bytes of a value, little-endian.
template <typename T>
std::string bytes_of(T value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

inline std::string repeated(const std::string& text, std::size_t count) {
  std::string all;
  for (std::size_t i = 0; i < count; ++i) all += text;
  return all;
}

}  // namespace haptic
