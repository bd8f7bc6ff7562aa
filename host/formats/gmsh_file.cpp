#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <sstream>
#include <unordered_map>
#include <utility>

#include "host/formats/file_bytes.h"
#include "host/formats/gmsh_numbers.h"
#include "host/formats/number_lines.h"
#include "host/formats/tetrahedral_mesh_parts.h"
#include "shared/files/regular_file.h"

namespace haptic {
namespace {

constexpr std::int64_t kTetrahedron = 4;

struct ElementType {
  std::int64_t type;
  int dimension, nodes;
};
/// Tetrahedra, and the points, lines, triangles and quadrangles of orders 1 to 3 beside them, which
/// count as the places of named groups only.
constexpr ElementType kTypes[] = {
    {kTetrahedron, 3, 4}, {15, 0, 1},  {1, 1, 2}, {8, 1, 3},  {26, 1, 4}, {2, 2, 3},  {9, 2, 6},
    {20, 2, 9},           {21, 2, 10}, {3, 2, 4}, {10, 2, 9}, {16, 2, 8}, {36, 2, 16}};

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
/// @tparam Numbers GmshText or GmshBinary
template <class Numbers>
class GmshReader {
 public:
  /// @param in after the section $MeshFormat
  GmshReader(Numbers&& in, bool is_old) : in_(std::move(in)), is_old_(is_old) {}

  TetrahedralMesh read() {
    for (std::string_view line = in_.next_line(); !line.empty(); line = in_.next_line()) {
      const std::string section(line);
      if (section == "$Nodes") {
        is_old_ ? read_nodes_2() : read_nodes_4();
      } else if (section == "$Elements") {
        is_old_ ? read_elements_2() : read_elements_4();
      } else if (section == "$Entities" && !is_old_) {
        read_entities();
      } else if (section == "$PhysicalNames") {
        read_names();
      } else if (section.starts_with('$') && !section.starts_with("$End")) {
        skip_section(section);
        continue;
      } else {
        in_.refuse(fmt::format("found \"{}\"", section.substr(0, 40)), "the next section");
      }
      expect_end(section);
    }
    if (mesh_.tetrahedra.empty()) in_.refuse("found no tetrahedron", "at least one");
    drop_repeated();
    for (NamedGroup& group : mesh_.groups) {
      for (auto* list : {&group.vertices, &group.tetrahedra}) {
        std::ranges::sort(*list);
        list->erase(std::unique(list->begin(), list->end()), list->end());
      }
    }
    // Nodes of points, lines and faces that belong to no volume are not part of the body.
    leave_out_unused_vertices(mesh_, tags_);
    return std::move(mesh_);
  }

 private:
  void expect_end(const std::string& section) {
    const std::string end = "$End" + section.substr(1);
    const std::string line(in_.next_line());
    if (line.empty()) in_.refuse("found the end of the file", end);
    if (line != end) in_.refuse(fmt::format("found \"{}\"", line.substr(0, 40)), end);
  }

  void skip_section(const std::string& section) {
    const std::string end = "$End" + section.substr(1);
    if constexpr (Numbers::kIsBinary) {
      if (!in_.skip_to(end)) in_.refuse("found the end of the file", end);
    } else {
      do in_.row(end);
      while (in_.line() != end);
    }
  }

  std::size_t count_line(std::string_view what) {
    if constexpr (Numbers::kIsBinary) return in_.written_count();
    in_.row(what);
    return in_.count();
  }

  void add_node(std::int64_t tag) {
    if (!vertex_of_node_.emplace(tag, static_cast<std::uint32_t>(mesh_.vertices.size())).second) {
      in_.refuse(fmt::format("found node {} twice", tag));
    }
    tags_.push_back(tag);
    const double x = in_.real(), y = in_.real();
    mesh_.vertices.emplace_back(x, y, in_.real());
  }

  std::uint32_t vertex_of(std::int64_t node) {
    const auto vertex = vertex_of_node_.find(node);
    if (vertex == vertex_of_node_.end()) {
      in_.refuse(fmt::format("found node {}", node), "a node of the section before");
    }
    return vertex->second;
  }

  /// @param region of a tetrahedron @param named groups that have the element
  /// @param next_node tag of each corner in turn
  template <typename NextNode>
  void add_element(const ElementType& type, std::int64_t region,
                   const std::vector<std::size_t>& named, NextNode next_node) {
    if (type.dimension < 3 && named.empty()) {
      if constexpr (Numbers::kIsBinary) {
        for (int n = 0; n < type.nodes; ++n) next_node();
      }
      return;
    }
    std::array<std::uint32_t, 16> corners{};
    const auto nodes = static_cast<std::size_t>(type.nodes);
    for (std::size_t n = 0; n < nodes; ++n) corners[n] = vertex_of(next_node());
    for (const std::size_t g : named) {
      auto& vertices = mesh_.groups[g].vertices;
      vertices.insert(vertices.end(), corners.begin(),
                      corners.begin() + static_cast<std::ptrdiff_t>(nodes));
    }
    if (type.dimension < 3) return;
    for (const std::size_t g : named) {
      mesh_.groups[g].tetrahedra.push_back(static_cast<std::uint32_t>(mesh_.tetrahedra.size()));
    }
    mesh_.tetrahedra.push_back({corners[0], corners[1], corners[2], corners[3]});
    mesh_.regions.push_back(region);
  }

  const ElementType& require_known(std::int64_t type) {
    const auto* known = std::ranges::find(kTypes, type, &ElementType::type);
    if (known == std::end(kTypes)) {
      in_.refuse("found " + name_of(type), "4-node tetrahedra (type 4)");
    }
    return *known;
  }

  /// Lines of dimension, number and name, also in binary files.
  void read_names() {
    const std::size_t count = count_line("the number of names");
    for (std::size_t i = 0; i < count; ++i) {
      const std::string line(in_.next_line());
      const std::size_t open = line.find('"'), close = line.rfind('"');
      std::istringstream words(line.substr(0, open));
      std::int64_t dimension = -1, number = 0;
      if (open == std::string::npos || close == open || !(words >> dimension >> number)) {
        in_.refuse(fmt::format("found \"{}\"", line.substr(0, 40)),
                   "a dimension, a number and a name in quotes");
      }
      named_[{dimension, number}] = mesh_.groups.size();
      mesh_.groups.push_back({line.substr(open + 1, close - open - 1), {}, {}});
    }
  }

  /// The named one of the physical groups, if it is.
  std::vector<std::size_t> named_of(int dimension, std::span<const std::int64_t> groups) const {
    std::vector<std::size_t> named;
    for (const std::int64_t group : groups) {
      // A face that counts against its direction has a minus.
      const auto found = named_.find({dimension, std::abs(group)});
      if (found != named_.end()) named.push_back(found->second);
    }
    return named;
  }

  void read_nodes_2() {
    const std::size_t count = count_line("the number of nodes");
    for (std::size_t i = 0; i < count; ++i) {
      in_.row(fmt::format("{} nodes", count));
      add_node(in_.integer());
    }
  }

  void read_elements_2() {
    const std::size_t count = count_line("the number of elements");
    for (std::size_t done = 0; done < count;) {
      in_.row(fmt::format("{} elements", count));
      // As text each element has its own header: number, type, number of tags.
      if constexpr (!Numbers::kIsBinary) in_.integer();
      const ElementType& type = require_known(in_.integer());
      const std::size_t elements = Numbers::kIsBinary ? block_size(count - done) : 1;
      const std::int64_t tags = in_.integer();
      if (tags < 0 || tags > kMaxTags) in_.refuse(fmt::format("found {} tags", tags), "a few");
      for (std::size_t e = 0; e < elements; ++e) {
        if constexpr (Numbers::kIsBinary) in_.integer();  // the element's number
        read_element_2(type, tags);
      }
      done += elements;
    }
  }

  std::size_t block_size(std::size_t most) {
    const std::int64_t size = in_.integer();
    if (size < 1 || size > static_cast<std::int64_t>(most)) {
      in_.refuse(fmt::format("found a block of {} elements", size), fmt::format("1 to {}", most));
    }
    return static_cast<std::size_t>(size);
  }

  void read_element_2(const ElementType& type, std::int64_t tags) {
    // The physical group, 0 for none, then the geometrical entity.
    std::int64_t group = 0, region = 0;
    for (std::int64_t t = 0; t < tags; ++t) {
      const std::int64_t tag = in_.integer();
      if (t == 0) group = region = tag;
      if (t == 1 && region == 0) region = tag;
    }
    add_element(type, region, named_of(type.dimension, {&group, 1}), [&] { return in_.integer(); });
  }

  void read_entities() {
    in_.row("the numbers of entities");
    std::array<std::size_t, 4> counts{};
    for (std::size_t& count : counts) count = in_.count();
    for (std::size_t d = 0; d < 4; ++d) {
      for (std::size_t i = 0; i < counts[d]; ++i) {
        in_.row("the entities");
        read_entity(d);
      }
    }
  }

  /// Tag, place (of a point) or bounding box, number of physical groups, groups, and the entities
  /// that bound it.
  void read_entity(std::size_t dimension) {
    const std::int64_t tag = in_.integer();
    for (int i = 0; i < (dimension == 0 ? 3 : 6); ++i) in_.real();
    const std::size_t groups = in_.count();
    std::vector<std::int64_t>& of_entity = groups_of_entity_[{dimension, tag}];
    for (std::size_t g = 0; g < groups; ++g) of_entity.push_back(in_.integer());
    if (!Numbers::kIsBinary || dimension == 0) return;
    const std::size_t boundary = in_.count();
    for (std::size_t b = 0; b < boundary; ++b) in_.integer();
  }

  void read_nodes_4() {
    in_.row("the number of nodes");
    const std::size_t blocks = in_.count();
    if constexpr (Numbers::kIsBinary) skip_indices(3);
    for (std::size_t b = 0; b < blocks; ++b) {
      in_.row(fmt::format("{} blocks of nodes", blocks));
      const std::int64_t dimension = in_.integer();
      in_.integer();  // the entity
      const std::int64_t parametric = in_.integer();
      const std::size_t count = in_.count();
      std::vector<std::int64_t> tags;
      for (std::size_t i = 0; i < count; ++i) {
        in_.row("the tags of the block");
        tags.push_back(in_.index());
      }
      for (const std::int64_t tag : tags) {
        in_.row("the coordinates of the block");
        add_node(tag);
        if (!Numbers::kIsBinary || parametric == 0) continue;
        for (std::int64_t u = 0; u < std::min<std::int64_t>(dimension, 3); ++u) in_.real();
      }
    }
  }

  void skip_indices(int count) {
    for (int i = 0; i < count; ++i) in_.index();
  }

  void read_elements_4() {
    in_.row("the number of elements");
    const std::size_t blocks = in_.count();
    if constexpr (Numbers::kIsBinary) skip_indices(3);
    for (std::size_t b = 0; b < blocks; ++b) {
      in_.row(fmt::format("{} blocks of elements", blocks));
      in_.integer();  // the dimension
      const std::int64_t entity = in_.integer();
      const ElementType& type = require_known(in_.integer());
      const std::size_t count = in_.count();
      const std::vector<std::int64_t>& groups =
          groups_of_entity_[{static_cast<std::size_t>(type.dimension), entity}];
      const std::int64_t region = groups.empty() ? entity : groups.front();
      const std::vector<std::size_t> named = named_of(type.dimension, groups);
      for (std::size_t i = 0; i < count; ++i) {
        in_.row("the elements of the block");
        in_.index();  // the element's number
        add_element(type, region, named, [&] { return in_.index(); });
      }
    }
  }

  /// Format 2.2 lists an element once for each of its physical groups.
  void drop_repeated() {
    std::map<std::array<std::uint32_t, 4>, std::uint32_t> seen;
    std::vector<std::uint32_t> place(mesh_.tetrahedra.size());
    std::uint32_t kept = 0;
    for (std::size_t e = 0; e < mesh_.tetrahedra.size(); ++e) {
      std::array<std::uint32_t, 4> key = mesh_.tetrahedra[e];
      std::sort(key.begin(), key.end());
      const auto [first, is_new] = seen.emplace(key, kept);
      place[e] = first->second;
      if (!is_new) continue;
      mesh_.tetrahedra[kept] = mesh_.tetrahedra[e];
      mesh_.regions[kept++] = mesh_.regions[e];
    }
    for (NamedGroup& group : mesh_.groups) {
      for (std::uint32_t& e : group.tetrahedra) e = place[e];
    }
    mesh_.repeated = mesh_.tetrahedra.size() - kept;
    mesh_.tetrahedra.resize(kept);
    mesh_.regions.resize(kept);
  }

  static constexpr std::int64_t kMaxTags = 1000;

  Numbers in_;
  bool is_old_;
  TetrahedralMesh mesh_;
  std::vector<std::int64_t> tags_;  // of the vertices
  std::unordered_map<std::int64_t, std::uint32_t> vertex_of_node_;
  std::map<std::pair<std::size_t, std::int64_t>, std::vector<std::int64_t>> groups_of_entity_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::size_t> named_;  // in mesh_.groups
};

}  // namespace

TetrahedralMesh read_gmsh(const std::filesystem::path& path) {
  const std::string bytes = read_regular_file(path, "a Gmsh mesh", kMaxMeshBytes);
  // The header alone as text; a binary file goes on with numbers.
  constexpr std::size_t kHeader = 256;
  NumberLines header(bytes.substr(0, kHeader), path.string(), 0);
  header.require_next("$MeshFormat");
  if (header.line() == "$NOD") {
    header.refuse("found Gmsh format 1 ($NOD)", "2.2 or 4.1: gmsh -save -format msh41 FILE");
  }
  if (header.line() != "$MeshFormat") {
    header.refuse(fmt::format("found \"{}\"", header.line().substr(0, 40)), "$MeshFormat");
  }
  header.require_next("the format's version");
  const double version = header.real(0);
  const bool is_old = version >= 2.0 && version < 3.0;
  if (!is_old && version != 4.1) {
    header.refuse(fmt::format("found Gmsh format {}", version), "2.2 or 4.1");
  }
  if (header.integer(1) == 0) {
    NumberLines lines(bytes, path.string(), 0);
    for (int line = 0; line < 2; ++line) lines.require_next("$MeshFormat");
    lines.require_next("$EndMeshFormat");
    if (lines.line() != "$EndMeshFormat") {
      lines.refuse(fmt::format("found \"{}\"", lines.line().substr(0, 40)), "$EndMeshFormat");
    }
    return GmshReader<GmshText>(GmshText(std::move(lines)), is_old).read();
  }
  if (header.integer(2) != 8) {
    header.refuse(fmt::format("found numbers of {} bytes", header.integer(2)), "8");
  }
  GmshBinary in(bytes, 0, path.string());
  for (int line = 0; line < 2; ++line) in.next_line();
  if (in.integer() != 1) {
    in.refuse("found numbers whose bytes have the other order", "those of a little-endian machine");
  }
  if (const std::string_view end = in.next_line(); end != "$EndMeshFormat") {
    in.refuse(fmt::format("found \"{}\"", end.substr(0, 40)), "$EndMeshFormat");
  }
  return GmshReader<GmshBinary>(std::move(in), is_old).read();
}

}  // namespace haptic
