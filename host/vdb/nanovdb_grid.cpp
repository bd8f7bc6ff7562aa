#include "host/vdb/nanovdb_grid.h"

#include <nanovdb/util/OpenToNanoVDB.h>
#include <openvdb/openvdb.h>

namespace haptic {
namespace {

/// Zero-initialised memory for a NanoVDB grid, so that equal grids have equal bytes.
class ZeroedBuffer {
 public:
  static ZeroedBuffer create(std::uint64_t size, const ZeroedBuffer* = nullptr) {
    ZeroedBuffer buffer;
    buffer.words_.resize((size + 31) / 32);
    buffer.size_ = size;
    return buffer;
  }
  std::uint8_t* data() { return reinterpret_cast<std::uint8_t*>(words_.data()); }
  const std::uint8_t* data() const { return reinterpret_cast<const std::uint8_t*>(words_.data()); }
  std::uint64_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  void clear() { *this = {}; }

 private:
  struct alignas(32) Word {
    std::array<std::uint8_t, 32> bytes = {};
  };
  std::vector<Word> words_;
  std::uint64_t size_ = 0;
};

}  // namespace

std::vector<std::uint8_t> nanovdb_grid(std::span<const GridBlock> blocks, std::size_t across,
                                       float background) {
  openvdb::initialize();
  const auto tree = std::make_shared<openvdb::FloatTree>(background);
  using Leaf = openvdb::FloatTree::LeafNodeType;
  for (std::size_t n = 0; n < blocks.size(); ++n) {
    const auto at = [](std::size_t block) { return static_cast<int>(GridBlock::kSide * block); };
    const openvdb::Coord origin(at(n / across / across), at(n / across % across), at(n % across));
    if (!blocks[n].samples) {
      tree->addTile(1, origin, blocks[n].bound, true);
      continue;
    }
    auto leaf = std::make_unique<Leaf>(origin, 0.0f, true);
    for (openvdb::Index s = 0; s < GridBlock::kSamples; ++s) {
      leaf->setValueOnly(s, (*blocks[n].samples)[s]);
    }
    tree->addLeaf(leaf.release());
  }
  const openvdb::FloatGrid grid(tree);
  const auto handle = nanovdb::openToNanoVDB<ZeroedBuffer>(grid, nanovdb::StatsMode::Disable,
                                                           nanovdb::ChecksumMode::Disable);
  return {handle.data(), handle.data() + handle.size()};
}

}  // namespace haptic
