#include "rt/geometry/sparse_grid_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "shared/error.h"

namespace haptic {
namespace {

using Root = nanovdb::NanoRoot<float>;
static_assert(sizeof(SparseLeaf) % 32 == 0 && sizeof(SparseLower) % 32 == 0 &&
              sizeof(SparseUpper) % 32 == 0);

class Check {
 public:
  Check(std::span<const std::uint8_t> bytes, const GridView& grid, std::string_view source)
      : bytes_(bytes), grid_(grid), source_(source) {}

  CheckedSparseGrid run() {
    require(reinterpret_cast<std::uintptr_t>(bytes_.data()) % 32 == 0, "bytes out of alignment",
            "an alignment of 32");
    require(bytes_.size() >= sizeof(nanovdb::GridData) + sizeof(nanovdb::TreeData<3>),
            fmt::format("found {} bytes", bytes_.size()), "a NanoVDB grid");
    check_header();
    check_nodes();
    CheckedSparseGrid result;
    result.upper = check_root();
    check_samples(*result.upper);
    result.inner_depth = -minimum_;
    result.reach = reach2_ < 0.0 ? 0.0 : std::sqrt(reach2_) + 1.001 * std::sqrt(3.0) * grid_.edge;
    return result;
  }

 private:
  [[noreturn]] void refuse(std::string_view found, std::string_view expected) const {
    throw InputError(source_, "/field/sparse", found, expected);
  }
  void require(bool valid, std::string_view found, std::string_view expected) const {
    if (!valid) refuse(found, expected);
  }

  /// `count` nodes at byte `at` of the tree. @throws InputError if they are not inside the bytes
  template <typename Node>
  std::span<const Node> nodes_at(std::uint64_t at, std::uint64_t count, const char* name) const {
    if (count == 0) return {};
    const std::uint64_t room = bytes_.size() - sizeof(nanovdb::GridData);
    require(at % 32 == 0 && at <= room && count <= (room - at) / sizeof(Node),
            fmt::format("found {} {} at byte {} of {}", count, name, at, room),
            "nodes inside the section");
    return {reinterpret_cast<const Node*>(bytes_.data() + sizeof(nanovdb::GridData) + at), count};
  }

  void check_header() {
    const auto& header = *reinterpret_cast<const nanovdb::GridData*>(bytes_.data());
    require(header.mMagic == NANOVDB_MAGIC_NUMBER, "found another magic number", "a NanoVDB grid");
    require(header.mVersion.getMajor() == NANOVDB_MAJOR_VERSION_NUMBER,
            fmt::format("found version {}", header.mVersion.getMajor()),
            fmt::format("version {}", NANOVDB_MAJOR_VERSION_NUMBER));
    require(header.mGridType == nanovdb::GridType::Float, "found another type of grid", "floats");
    require(header.mGridSize == bytes_.size() && header.mGridCount == 1,
            fmt::format("found a grid of {} bytes", header.mGridSize),
            fmt::format("one grid of {} bytes", bytes_.size()));
    tree_ = reinterpret_cast<const nanovdb::TreeData<3>*>(bytes_.data() + sizeof(header));
    leaves_ = nodes_at<SparseLeaf>(tree_->mNodeOffset[0], tree_->mNodeCount[0], "leaves");
    lowers_ = nodes_at<SparseLower>(tree_->mNodeOffset[1], tree_->mNodeCount[1], "lower nodes");
    uppers_ = nodes_at<SparseUpper>(tree_->mNodeOffset[2], tree_->mNodeCount[2], "upper nodes");
  }

  /// Checks that the child `offset` bytes from `node` is one of `children`.
  template <typename Node, typename Child>
  void check_child(const Node& node, std::int64_t offset, std::span<const Child> children) const {
    const auto base = reinterpret_cast<std::uintptr_t>(children.data());
    const std::uintptr_t at =
        reinterpret_cast<std::uintptr_t>(&node) + static_cast<std::uintptr_t>(offset);
    require(!children.empty() && at >= base && at - base < children.size_bytes() &&
                (at - base) % sizeof(Child) == 0,
            fmt::format("found a node whose child is {} bytes from it", offset),
            "a child among the nodes of the next level");
  }

  template <typename Node, typename Child>
  void check_level(std::span<const Node> nodes, std::span<const Child> children) const {
    constexpr std::uint32_t kEntries = Node::SIZE;
    for (const Node& node : nodes) {
      for (std::uint32_t n = 0; n < kEntries; ++n) {
        if (node.data()->mChildMask.isOn(n)) {
          check_child(node, node.data()->mTable[n].child, children);
        }
      }
    }
  }

  void check_nodes() const {
    check_level(uppers_, lowers_);
    check_level(lowers_, leaves_);
  }

  /// The upper node at the origin.
  const SparseUpper* check_root() const {
    const auto roots = nodes_at<Root>(tree_->mNodeOffset[3], 1, "root");
    const auto& root = *roots.front().data();
    using Tile = Root::DataType::Tile;
    const std::uint64_t behind = tree_->mNodeOffset[3] + sizeof(Root::DataType);
    const auto tiles = nodes_at<Tile>(behind, root.mTableSize, "tiles");
    for (const Tile& tile : tiles) {
      if (tile.key != Root::DataType::CoordToKey(nanovdb::Coord(0, 0, 0))) continue;
      require(tile.isChild(), "found no node at the origin", "the node of the samples");
      check_child(root, tile.child, uppers_);
      return reinterpret_cast<const SparseUpper*>(reinterpret_cast<const std::uint8_t*>(&root) +
                                                  tile.child);
    }
    refuse("found no node at the origin", "the node of the samples");
  }

  void look_at(double value, std::uint32_t i, std::uint32_t j, std::uint32_t k) {
    const auto n = static_cast<std::uint32_t>(grid_.cells);
    if (!std::isfinite(value)) {
      refuse(fmt::format("found {} at ({}, {}, {})", value, i, j, k), "finite distances [m]");
    }
    const bool face = i == 0 || i == n || j == 0 || j == n || k == 0 || k == n;
    if (face && !(value > 0.0)) {
      refuse(fmt::format("found {} m at ({}, {}, {}) on the box", value, i, j, k),
             "a value > 0 (an object that does not touch its box)");
    }
    if (value >= 0.0) return;
    const Vector3 p = Vector3(grid_.lower) + grid_.edge * Vector3(i, j, k);
    reach2_ = std::max(reach2_, p.squaredNorm());
    minimum_ = std::min(minimum_, value);
  }

  /// Checks every sample that a query can read, block by block.
  void check_samples(const SparseUpper& upper) {
    const auto n = static_cast<std::uint32_t>(grid_.cells);
    for (std::uint32_t k = 0; k <= n; k += 8) {
      for (std::uint32_t j = 0; j <= n; j += 8) {
        for (std::uint32_t i = 0; i <= n; i += 8) check_block(upper, i, j, k, n);
      }
    }
  }

  void check_block(const SparseUpper& upper, std::uint32_t i, std::uint32_t j, std::uint32_t k,
                   std::uint32_t n) {
    const nanovdb::Coord at(static_cast<int>(i), static_cast<int>(j), static_cast<int>(k));
    const SparseLeaf* leaf = upper.probeLeaf(at);
    if (leaf == nullptr) {  // one value for the whole block: checked at the block's corners
      const double value = upper.getValue(at);
      for (std::uint32_t corner = 0; corner < 8; ++corner) {
        const auto end = [&](std::uint32_t low, std::uint32_t bit) {
          return corner & bit ? std::min(low + 7, n) : low;
        };
        look_at(value, end(i, 1), end(j, 2), end(k, 4));
      }
      return;
    }
    for (std::uint32_t s = 0; s < 512; ++s) {
      const std::uint32_t x = i + (s >> 6), y = j + (s >> 3 & 7), z = k + (s & 7);
      if (x <= n && y <= n && z <= n) look_at(leaf->data()->mValues[s], x, y, z);
    }
  }

  std::span<const std::uint8_t> bytes_;
  const GridView& grid_;
  std::string_view source_;
  const nanovdb::TreeData<3>* tree_ = nullptr;
  std::span<const SparseLeaf> leaves_;
  std::span<const SparseLower> lowers_;
  std::span<const SparseUpper> uppers_;
  double reach2_ = -1.0, minimum_ = 0.0;
};

}  // namespace

CheckedSparseGrid checked_sparse_grid(std::span<const std::uint8_t> bytes, const GridView& grid,
                                      std::string_view source) {
  return Check(bytes, grid, source).run();
}

}  // namespace haptic
