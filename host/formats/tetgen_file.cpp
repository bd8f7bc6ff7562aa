#include <fmt/format.h>

#include "host/formats/number_lines.h"
#include "host/formats/tetrahedral_mesh_parts.h"

namespace haptic {

TetrahedralMesh read_tetgen(const std::filesystem::path& path) {
  std::filesystem::path node_path = path, element_path = path;
  node_path.replace_extension(".node");
  element_path.replace_extension(".ele");
  TetrahedralMesh mesh;

  NumberLines nodes(node_path, '#');
  nodes.require_next("the number of points");
  const std::size_t points = nodes.count(0);
  if (points == 0 || nodes.integer(1) != 3) {
    nodes.refuse(fmt::format("found {} points of {} dimensions", points, nodes.integer(1)),
                 "points of 3 dimensions");
  }
  std::int64_t first = 0;
  for (std::size_t i = 0; i < points; ++i) {
    nodes.require_next(fmt::format("{} points", points));
    if (i == 0) {
      first = nodes.integer(0);
      if (first != 0 && first != 1) {
        nodes.refuse(fmt::format("found point {} first", first), "numbers from 0 or 1");
      }
    }
    if (nodes.integer(0) != first + static_cast<std::int64_t>(i)) {
      nodes.refuse(fmt::format("found point {}", nodes.integer(0)),
                   fmt::format("point {}", first + static_cast<std::int64_t>(i)));
    }
    mesh.vertices.emplace_back(nodes.real(1), nodes.real(2), nodes.real(3));
  }

  NumberLines elements(element_path, '#');
  elements.require_next("the number of tetrahedra");
  const std::size_t count = elements.count(0);
  if (elements.integer(1) != 4) {
    elements.refuse(fmt::format("found {} nodes a tetrahedron", elements.integer(1)), "4");
  }
  const bool has_regions = elements.word_count() > 2 && elements.integer(2) > 0;
  for (std::size_t e = 0; e < count; ++e) {
    elements.require_next(fmt::format("{} tetrahedra", count));
    auto& corners = mesh.tetrahedra.emplace_back();
    for (std::size_t a = 0; a < 4; ++a) {
      const std::int64_t id = elements.integer(a + 1) - first;
      if (id < 0 || id >= static_cast<std::int64_t>(points)) {
        elements.refuse(fmt::format("found point {}", elements.integer(a + 1)),
                        fmt::format("a point of {}", node_path.filename().string()));
      }
      corners[a] = static_cast<std::uint32_t>(id);
    }
    // Attributes are written as reals by some programs.
    if (has_regions) mesh.regions.push_back(static_cast<std::int64_t>(elements.real(5)));
  }
  if (count == 0) elements.refuse("found no tetrahedron", "at least one");
  return mesh;
}

}  // namespace haptic
