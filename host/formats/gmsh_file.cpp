#include <fmt/format.h>

#include <array>
#include <limits>
#include <map>
#include <unordered_map>
#include <utility>

#include "host/formats/number_lines.h"
#include "host/formats/tetrahedral_mesh_parts.h"

namespace haptic {
namespace {

constexpr std::int64_t kTetrahedron = 4;

/// Points, lines, triangles and quadrangles of orders 1 to 3: the boundary elements, which are
/// skipped.
bool is_below_a_volume(std::int64_t type) {
  switch (type) {
    case 15:  // point
    case 1:
    case 8:
    case 26:  // line
    case 2:
    case 9:
    case 20:
    case 21:  // triangle
    case 3:
    case 10:
    case 16:
    case 36:  // quadrangle
      return true;
    default:
      return false;
  }
}

std::string name_of(std::int64_t type) {
  switch (type) {
    case 5:
      return "hexahedra (type 5)";
    case 6:
      return "prisms (type 6)";
    case 7:
      return "pyramids (type 7)";
    case 11:
      return "10-node tetrahedra (type 11)";
    default:
      return fmt::format("elements of type {}", type);
  }
}

/// One pass over the sections of a file.
class GmshReader {
 public:
  explicit GmshReader(const std::filesystem::path& path) : lines_(path, 0) {}

  TetrahedralMesh read() {
    lines_.require_next("$MeshFormat");
    if (lines_.line() != "$MeshFormat") {
      lines_.refuse(fmt::format("found \"{}\"", lines_.line().substr(0, 40)), "$MeshFormat");
    }
    read_format();
    while (lines_.next()) {
      const std::string section(lines_.line());
      if (section == "$Nodes") {
        is_old_ ? read_nodes_2() : read_nodes_4();
      } else if (section == "$Elements") {
        is_old_ ? read_elements_2() : read_elements_4();
      } else if (section == "$Entities" && !is_old_) {
        read_entities();
      } else if (section.starts_with('$') && !section.starts_with("$End")) {
        skip_section(section);
        continue;
      } else {
        lines_.refuse(fmt::format("found \"{}\"", section.substr(0, 40)), "the next section");
      }
      expect_end(section);
    }
    return used_vertices_only();
  }

 private:
  void read_format() {
    lines_.require_next("the format's version");
    const double version = lines_.real(0);
    is_old_ = version >= 2.0 && version < 3.0;
    if (!is_old_ && version != 4.1) {
      lines_.refuse(fmt::format("found Gmsh format {}", version), "2.2 or 4.1");
    }
    if (lines_.integer(1) != 0) {
      lines_.refuse("found a binary file", "ASCII (gmsh -save with Mesh.Binary = 0)");
    }
    expect_end("$MeshFormat");
  }

  void expect_end(const std::string& section) {
    const std::string end = "$End" + section.substr(1);
    lines_.require_next(end);
    if (lines_.line() != end) {
      lines_.refuse(fmt::format("found \"{}\"", lines_.line().substr(0, 40)), end);
    }
  }

  void skip_section(const std::string& section) {
    const std::string end = "$End" + section.substr(1);
    do lines_.require_next(end);
    while (lines_.line() != end);
  }

  void add_node(std::int64_t tag, std::size_t first_word) {
    if (!vertex_of_node_.emplace(tag, static_cast<std::uint32_t>(mesh_.vertices.size())).second) {
      lines_.refuse(fmt::format("found node {} twice", tag));
    }
    tags_.push_back(tag);
    mesh_.vertices.emplace_back(lines_.real(first_word), lines_.real(first_word + 1),
                                lines_.real(first_word + 2));
  }

  /// The line's words from `first_word` on are the corners.
  void add_tetrahedron(std::size_t first_word, std::int64_t region) {
    auto& corners = mesh_.tetrahedra.emplace_back();
    for (std::size_t a = 0; a < 4; ++a) {
      const auto vertex = vertex_of_node_.find(lines_.integer(first_word + a));
      if (vertex == vertex_of_node_.end()) {
        lines_.refuse(fmt::format("found node {}", lines_.integer(first_word + a)),
                      "a node of the section before");
      }
      corners[a] = vertex->second;
    }
    mesh_.regions.push_back(region);
  }

  void require_known(std::int64_t type) {
    if (type != kTetrahedron && !is_below_a_volume(type)) {
      lines_.refuse("found " + name_of(type), "4-node tetrahedra (type 4)");
    }
  }

  void read_nodes_2() {
    lines_.require_next("the number of nodes");
    const std::size_t count = lines_.count(0);
    for (std::size_t i = 0; i < count; ++i) {
      lines_.require_next(fmt::format("{} nodes", count));
      add_node(lines_.integer(0), 1);
    }
  }

  void read_elements_2() {
    lines_.require_next("the number of elements");
    const std::size_t count = lines_.count(0);
    for (std::size_t i = 0; i < count; ++i) {
      lines_.require_next(fmt::format("{} elements", count));
      const std::int64_t type = lines_.integer(1);
      require_known(type);
      if (type != kTetrahedron) continue;
      const std::size_t tags = lines_.count(2);
      // The physical group, 0 for none, then the geometrical volume.
      std::int64_t region = tags > 0 ? lines_.integer(3) : 0;
      if (region == 0 && tags > 1) region = lines_.integer(4);
      add_tetrahedron(3 + tags, region);
    }
  }

  void read_entities() {
    lines_.require_next("the numbers of entities");
    std::array<std::size_t, 4> counts{};
    for (std::size_t d = 0; d < 4; ++d) counts[d] = lines_.count(d);
    for (std::size_t d = 0; d < 4; ++d) {
      for (std::size_t i = 0; i < counts[d]; ++i) {
        lines_.require_next("the entities");
        if (d < 3) continue;
        // tag, bounding box, number of physical groups, groups.
        if (lines_.count(7) > 0) group_of_volume_[lines_.integer(0)] = lines_.integer(8);
      }
    }
  }

  void read_nodes_4() {
    lines_.require_next("the number of nodes");
    const std::size_t blocks = lines_.count(0);
    for (std::size_t b = 0; b < blocks; ++b) {
      lines_.require_next(fmt::format("{} blocks of nodes", blocks));
      const std::size_t count = lines_.count(3);
      std::vector<std::int64_t> tags;
      for (std::size_t i = 0; i < count; ++i) {
        lines_.require_next("the tags of the block");
        tags.push_back(lines_.integer(0));
      }
      for (const std::int64_t tag : tags) {
        lines_.require_next("the coordinates of the block");
        add_node(tag, 0);
      }
    }
  }

  void read_elements_4() {
    lines_.require_next("the number of elements");
    const std::size_t blocks = lines_.count(0);
    for (std::size_t b = 0; b < blocks; ++b) {
      lines_.require_next(fmt::format("{} blocks of elements", blocks));
      const std::int64_t volume = lines_.integer(1), type = lines_.integer(2);
      const std::size_t count = lines_.count(3);
      require_known(type);
      const auto group = group_of_volume_.find(volume);
      for (std::size_t i = 0; i < count; ++i) {
        lines_.require_next("the elements of the block");
        if (type != kTetrahedron) continue;
        add_tetrahedron(1, group == group_of_volume_.end() ? volume : group->second);
      }
    }
  }

  /// Nodes of points, lines and faces that belong to no volume are not part of the body.
  TetrahedralMesh used_vertices_only() {
    if (mesh_.tetrahedra.empty()) lines_.refuse("found no tetrahedron", "at least one");
    constexpr auto kUnused = std::numeric_limits<std::uint32_t>::max();
    std::vector<std::uint32_t> renumbered(mesh_.vertices.size(), kUnused);
    for (const auto& corners : mesh_.tetrahedra) {
      for (const std::uint32_t v : corners) renumbered[v] = 0;
    }
    std::uint32_t next = 0;
    for (std::size_t v = 0; v < renumbered.size(); ++v) {
      if (renumbered[v] == kUnused) {
        if (mesh_.left_out.count++ == 0) mesh_.left_out.first_tag = tags_[v];
        continue;
      }
      mesh_.left_out.renumbers = next != v;
      mesh_.vertices[next] = mesh_.vertices[v];
      renumbered[v] = next++;
    }
    mesh_.vertices.resize(next);
    for (auto& corners : mesh_.tetrahedra) {
      for (std::uint32_t& v : corners) v = renumbered[v];
    }
    return std::move(mesh_);
  }

  NumberLines lines_;
  bool is_old_ = false;
  TetrahedralMesh mesh_;
  std::vector<std::int64_t> tags_;  // of the vertices
  std::unordered_map<std::int64_t, std::uint32_t> vertex_of_node_;
  std::map<std::int64_t, std::int64_t> group_of_volume_;
};

}  // namespace

TetrahedralMesh read_gmsh(const std::filesystem::path& path) {
  return GmshReader(path).read();
}

}  // namespace haptic
