// A NanoVDB grid as the daemon reads it from /field/sparse: a good one with numbers changed in its
// header, its tree and its nodes. Every query of an accepted grid must read only its bytes.
//
// Input: [resolution][edits of 14 bytes: where, how, offset (4), value (8)]...
#include <nanovdb/util/Primitives.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <string_view>
#include <vector>

#include "rt/geometry/sparse_field.h"
#include "shared/error.h"
#include "tests/fuzz/fuzz_target.h"

namespace haptic {
namespace {

using Tree = nanovdb::TreeData<3>;
using Root = nanovdb::NanoRoot<float>;
using Upper = nanovdb::NanoUpper<float>;
using Lower = nanovdb::NanoLower<float>;
using Leaf = nanovdb::NanoLeaf<float>;

constexpr std::uint32_t kSide = 32;
constexpr std::array<double, 5> kFrame = {-1.0, -1.0, -1.0, 1.0 / 16.0, 0.5};

/// Bytes on the heap, aligned as a section is; the sanitizer watches their ends.
class Bytes {
 public:
  explicit Bytes(std::size_t size)
      : data_(static_cast<std::uint8_t*>(::operator new(size, kPage))), size_(size) {}
  Bytes(const Bytes&) = delete;
  Bytes& operator=(const Bytes&) = delete;
  ~Bytes() { ::operator delete(data_, kPage); }
  std::span<std::uint8_t> all() const { return {data_, size_}; }

 private:
  static constexpr std::align_val_t kPage{4096};
  std::uint8_t* data_;
  std::size_t size_;
};

/// A ball of 9 voxels in the middle of 32^3.
const Bytes& good_grid() {
  static const nanovdb::GridHandle<> handle = nanovdb::createLevelSetSphere<float>(
      9.0f, nanovdb::Vec3<float>(16.0f), 1.0, 3.0, nanovdb::Vec3d(0.0), "ball",
      nanovdb::StatsMode::Disable, nanovdb::ChecksumMode::Disable);
  static const Bytes bytes(handle.size());
  static const bool copied = [] {
    std::copy_n(handle.data(), handle.size(), bytes.all().begin());
    return true;
  }();
  demand(copied, "a grid");
  return bytes;
}

struct Region {
  std::size_t begin, size;
};

/// Offsets of the data that the check reads, nodes on the search path first.
std::vector<Region> regions(std::span<const std::uint8_t> grid) {
  const std::size_t tree = sizeof(nanovdb::GridData);
  const auto& nodes = *reinterpret_cast<const Tree*>(grid.data() + tree);
  const auto at = [&](std::size_t level) {
    return tree + static_cast<std::size_t>(nodes.mNodeOffset[level]);
  };
  const auto& upper = *reinterpret_cast<const Upper*>(grid.data() + at(2));
  const auto& lower = *reinterpret_cast<const Lower*>(grid.data() + at(1));
  const auto place_of = [&](const void* p) {
    return static_cast<std::size_t>(static_cast<const std::uint8_t*>(p) - grid.data());
  };
  return {{0, sizeof(nanovdb::GridData)},
          {tree, sizeof(Tree)},
          {at(3), sizeof(Root::DataType) + sizeof(Root::DataType::Tile)},
          {at(2), sizeof(Upper)},
          {place_of(upper.data()->mTable), 64},
          {place_of(&upper.data()->mChildMask), sizeof upper.data()->mChildMask},
          {at(1), sizeof(Lower)},
          {place_of(lower.data()->mTable), 2048},
          {place_of(&lower.data()->mChildMask), sizeof lower.data()->mChildMask},
          {at(0), 4 * sizeof(Leaf)},
          {0, grid.size()}};
}

struct Edit {
  std::uint8_t where, how;
  std::uint32_t offset;
  std::uint64_t value;
};

Edit read_edit(const std::uint8_t* data) {
  Edit edit{data[0], data[1], 0, 0};
  std::memcpy(&edit.offset, data + 2, 4);
  std::memcpy(&edit.value, data + 6, 8);
  return edit;
}

/// The number in place at an offset that its width divides: set, added to, one bit of it turned.
void apply(const Edit& edit, std::span<std::uint8_t> grid, const std::vector<Region>& all) {
  const Region region = all[edit.where % all.size()];
  const std::size_t width = std::size_t{1} << (edit.how & 3);
  const std::size_t at = region.begin + edit.offset % region.size / width * width;
  if (at + width > grid.size()) return;
  std::uint64_t number = 0;
  std::memcpy(&number, grid.data() + at, width);
  switch (edit.how >> 2 & 3) {
    case 0:
      number = edit.value;
      break;
    case 1:
      number += edit.value;
      break;
    case 2:
      number ^= std::uint64_t{1} << (edit.value & 63);
      break;
    default:
      number += sizeof(Leaf) * static_cast<std::uint64_t>(static_cast<std::int8_t>(edit.value));
  }
  std::memcpy(grid.data() + at, &number, width);
}

void ask(const SparseField& field) {
  FieldPoints points;
  for (std::uint32_t i = 0; i < kFieldBatch; ++i) {
    const double t = 2.2 * i / kFieldBatch - 1.1;
    points.x[i] = t, points.y[i] = 0.9 * t, points.z[i] = i % 2 == 0 ? 0.99 * t : -0.4;
  }
  field.prefetch(points, kFieldBatch);
  FieldSamples samples;
  field.evaluate(points, kFieldBatch, Culling::kSafe, samples);
  for (std::uint32_t i = 0; i < kFieldBatch; ++i) {
    const Vector3 p(points.x[i], points.y[i], points.z[i]);
    const SignedField::Sample sample = field.distance_and_gradient(p);
    demand(std::isfinite(samples.distance[i]) && samples.free_radius[i] >= 0.0,
           "a distance is finite");
    demand(
        std::abs(sample.distance - samples.distance[i]) <= 1e-9 * (1.0 + std::abs(sample.distance)),
        "a batch and a point agree");
  }
  const std::uint32_t n = field.resolution();
  double sum = 0.0;
  for (std::uint32_t i = 0; i <= n; i += 3) {
    sum += field.value(i, n - i, i / 2);
    sum += field.is_stored(i, i, n) ? 1.0 : 0.0;
  }
  demand(std::isfinite(sum) && std::isfinite(field.reach()), "every sample is finite");
}

struct Tally {
  long inputs = 0, fields = 0;
  ~Tally() { std::fprintf(stderr, "%ld of %ld inputs made a field\n", fields, inputs); }
};

}  // namespace
}  // namespace haptic

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace haptic;
  static Tally tally;
  static const Bytes& good = good_grid();
  static const std::vector<Region> all = regions(good.all());
  static const Bytes changed(good.all().size());
  constexpr std::size_t kEdit = 14;
  if (size < 1) return 0;
  ++tally.inputs;
  std::memcpy(changed.all().data(), good.all().data(), changed.all().size());
  for (std::size_t at = 1; at + kEdit <= size; at += kEdit) {
    apply(read_edit(data + at), changed.all(), all);
  }
  // Up to 64, and one in sixteen unchanged.
  const std::uint8_t chosen = data[0];
  const std::uint32_t resolution = chosen < 240 ? kSide >> chosen % 4 << (chosen / 4 % 2)
                                                : std::uint32_t{1} << (chosen & 15) / 2;  // to 128
  try {
    // The section may end anywhere: the sanitizer then detects reads beyond its end.
    if (size > 15 && (size - 1) % kEdit == 1) {
      const Bytes cut(good.all().size() / 256 * data[size - 1] + 1);
      std::memcpy(cut.all().data(), changed.all().data(),
                  std::min(cut.all().size(), changed.all().size()));
      if (cut.all().size() >= sizeof(nanovdb::GridData)) {
        reinterpret_cast<nanovdb::GridData*>(cut.all().data())->mGridSize = cut.all().size();
      }
      ask(SparseField(cut.all(), resolution, kFrame, "grid"));
    } else {
      ask(SparseField(changed.all(), resolution, kFrame, "grid"));
    }
    ++tally.fields;
  } catch (const InputError& error) {
    demand(std::string_view(error.what()).starts_with("grid: /field/"),
           "a refusal names the section");
  }
  return 0;
}
