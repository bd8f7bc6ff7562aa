#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "host/formats/file_bytes.h"
#include "host/formats/tetrahedral_mesh_parts.h"
#include "host/formats/text_lines.h"
#include "shared/error.h"

namespace haptic {
namespace {

/// Keywords whose rows are skipped, with the numbers of a row; surfaces and marks of the mesh.
constexpr std::array<std::pair<std::string_view, int>, 15> kSkipped = {
    {{"Edges", 3},
     {"Triangles", 4},
     {"Quadrilaterals", 5},
     {"Corners", 1},
     {"Ridges", 1},
     {"RequiredVertices", 1},
     {"RequiredEdges", 1},
     {"RequiredTriangles", 1},
     {"RequiredQuadrilaterals", 1},
     {"Normals", 3},
     {"NormalAtVertices", 2},
     {"Tangents", 3},
     {"TangentAtVertices", 2},
     {"TangentAtEdges", 3},
     {"SubDomainFromMesh", 4}}};

class MeditReader {
 public:
  MeditReader(std::string_view bytes, const std::string& file) : lines_(bytes), file_(file) {}

  TetrahedralMesh read() {
    if (word() != "MeshVersionFormatted")
      refuse("found no \"MeshVersionFormatted\"", "a MEDIT mesh");
    integer();
    for (std::string_view key = word(); key != "End"; key = word()) {
      if (key.empty()) break;  // some programs leave it out
      if (key == "Dimension") {
        if (const std::int64_t dimension = integer(); dimension != 3) {
          refuse(fmt::format("found the dimension {}", dimension), "3");
        }
      } else if (key == "Vertices") {
        read_vertices();
      } else if (key == "Tetrahedra") {
        read_tetrahedra();
      } else {
        skip(key);
      }
    }
    if (mesh_.tetrahedra.empty()) {
      throw InputError(file_, "", "found no tetrahedron", "at least one");
    }
    for (const auto& corners : mesh_.tetrahedra) {
      for (const std::uint32_t v : corners) {
        if (v < mesh_.vertices.size()) continue;
        throw InputError(file_, "", fmt::format("found a tetrahedron with vertex {}", v + 1),
                         fmt::format("1 to {}", mesh_.vertices.size()));
      }
    }
    std::vector<std::int64_t> numbers(mesh_.vertices.size());
    std::iota(numbers.begin(), numbers.end(), std::int64_t{1});
    leave_out_unused_vertices(mesh_, numbers);
    return std::move(mesh_);
  }

 private:
  [[noreturn]] void refuse(std::string_view found, std::string_view expected) const {
    throw InputError(file_, fmt::format("line {}", lines_.number()), found, expected);
  }

  /// The next word; '#' starts a comment.
  std::string_view word() {
    std::string_view word = lines_.word_across_lines();
    while (word.starts_with('#')) {
      lines_.skip_line();
      word = lines_.word_across_lines();
    }
    return word;
  }

  double real() {
    const std::string_view text = word();
    if (text.empty()) throw InputError(file_, "", "found the end of the file", "more numbers");
    const std::optional<double> value = parse_number(text);
    if (!value || !std::isfinite(*value)) {
      refuse(fmt::format("found \"{}\"", text), "a finite number");
    }
    return *value;
  }

  std::int64_t integer() {
    const double value = real();
    if (std::trunc(value) != value || !(std::abs(value) < 0x1p31)) {
      refuse(fmt::format("found {}", value), "an integer");
    }
    return static_cast<std::int64_t>(value);
  }

  std::int64_t count() {
    const std::int64_t value = integer();
    if (value < 0) refuse(fmt::format("found {}", value), "a count");
    return value;
  }

  void read_vertices() {
    const std::int64_t rows = count();
    for (std::int64_t i = 0; i < rows; ++i) {
      const double x = real(), y = real();
      mesh_.vertices.emplace_back(x, y, real());
      integer();  // a mark
    }
  }

  void read_tetrahedra() {
    const std::int64_t rows = count();
    for (std::int64_t i = 0; i < rows; ++i) {
      auto& corners = mesh_.tetrahedra.emplace_back();
      for (std::uint32_t& corner : corners) {
        const std::int64_t vertex = integer();
        if (vertex < 1) refuse(fmt::format("found vertex {}", vertex), "a number from 1");
        corner = static_cast<std::uint32_t>(vertex - 1);
      }
      mesh_.regions.push_back(integer());
    }
  }

  void skip(std::string_view key) {
    const auto found = std::find_if(kSkipped.begin(), kSkipped.end(),
                                    [&](const auto& known) { return known.first == key; });
    if (found == kSkipped.end()) {
      refuse(fmt::format("found \"{}\"", key), "vertices, tetrahedra and their boundary");
    }
    const std::int64_t rows = count();
    for (std::int64_t i = 0; i < rows * found->second; ++i) real();
  }

  TextLines lines_;
  const std::string& file_;
  TetrahedralMesh mesh_;
};

}  // namespace

TetrahedralMesh read_medit(const std::filesystem::path& path) {
  const std::string bytes = read_file_bytes(path, "a MEDIT mesh");
  return MeditReader(bytes, path.string()).read();
}

}  // namespace haptic
