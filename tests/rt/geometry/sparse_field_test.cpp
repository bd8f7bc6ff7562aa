#include "rt/geometry/sparse_field.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <random>
#include <vector>

#include "host/field/sparse_field_builder.h"
#include "lab/samples/field_shapes.h"
#include "rt/geometry/distance_field.h"
#include "shared/error.h"

namespace haptic {
namespace {

/// Aligned bytes for a grid.
struct alignas(32) Word {
  std::uint8_t bytes[32];
};

struct Owned {
  explicit Owned(const SparseGrid& grid)
      : words((grid.bytes.size() + 31) / 32), size(grid.bytes.size()) {
    std::memcpy(words.data(), grid.bytes.data(), size);
  }
  std::span<const std::uint8_t> view() const {
    return {reinterpret_cast<const std::uint8_t*>(words.data()), size};
  }
  std::uint8_t* data() { return reinterpret_cast<std::uint8_t*>(words.data()); }
  std::vector<Word> words;
  std::size_t size;
};

const SurfaceDistance& ball() {
  static const SurfaceDistance surface(sphere_mesh(0.4, 4));
  return surface;
}

struct Both {
  explicit Both(std::uint32_t n)
      : grid(build_distance_field(ball(), {n, 1.5})),
        sparse_grid(build_sparse_field(ball(), {n, 1.5, 3.0})),
        owned(sparse_grid),
        frame(grid.frame()),
        dense(grid.values, frame),
        sparse(owned.view(), n, sparse_grid.frame) {}
  DistanceGrid grid;
  SparseGrid sparse_grid;
  Owned owned;
  std::array<double, 5> frame;
  DistanceField dense;
  SparseField sparse;
};

TEST(SparseField, samples_are_the_dense_ones_or_bound_them) {
  const Both both(64);
  EXPECT_LT(both.sparse_grid.stored_samples, both.grid.values.size() / 2);
  const double band = 3.0 * both.dense.edge();
  std::size_t stored = 0;
  for (std::uint32_t k = 0; k <= 64; ++k) {
    for (std::uint32_t j = 0; j <= 64; ++j) {
      for (std::uint32_t i = 0; i <= 64; ++i) {
        const float exact = both.grid.values[both.grid.index(i, j, k)];
        const float value = both.sparse.value(i, j, k);
        if (both.sparse.is_stored(i, j, k)) {
          ASSERT_EQ(value, exact);
          ++stored;
        } else {
          ASSERT_EQ(std::signbit(value), std::signbit(exact));
          ASSERT_LE(std::abs(value), std::abs(exact) * (1.0f + 1e-6f));
          ASSERT_GE(std::abs(value), band * (1.0 - 1e-6));
          ASSERT_GE(std::abs(value), std::abs(exact) - 13.0 * both.dense.edge());
        }
      }
    }
  }
  EXPECT_GT(stored, 1000u);
}

TEST(SparseField, touches_where_the_dense_field_does_with_the_same_bits_and_never_overstates_room) {
  const Both both(64);
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  int inside = 0, equal = 0;
  for (int round = 0; round < 8000; ++round) {
    FieldPoints points;
    for (std::uint32_t i = 0; i < kFieldBatch; ++i) {
      const double size = round % 4 == 0 ? 0.8 : 0.45;
      points.x[i] = size * unit(random);
      points.y[i] = size * unit(random);
      points.z[i] = (round % 2 == 0 ? 0.15 : size) * unit(random);
    }
    FieldSamples dense, sparse;
    both.dense.evaluate(points, kFieldBatch, Culling::kSafe, dense);
    both.sparse.evaluate(points, kFieldBatch, Culling::kSafe, sparse);
    for (std::uint32_t i = 0; i < kFieldBatch; ++i) {
      ASSERT_EQ(sparse.distance[i] < 0.0, dense.distance[i] < 0.0);
      if (std::abs(dense.distance[i]) < 2.0 * both.dense.edge()) {
        const Vector3 p(points.x[i], points.y[i], points.z[i]);
        ASSERT_EQ(sparse.distance[i], dense.distance[i]);
        ASSERT_EQ(both.sparse.distance_and_gradient(p).gradient,
                  both.dense.distance_and_gradient(p).gradient);
        ++equal;
      }
      if (dense.distance[i] < 0.0) {
        ++inside;
        ASSERT_GE(sparse.distance[i], dense.distance[i] - 1e-12);
      } else {
        // Outside the box the bound of the sparse one is a millionth lower.
        ASSERT_LE(sparse.free_radius[i], dense.free_radius[i] + 1e-12);
      }
    }
  }
  EXPECT_GT(inside, 1000);
  EXPECT_GT(equal, 1000);
  EXPECT_DOUBLE_EQ(both.sparse.reach(), both.dense.reach());
  // Its samples are a band along the surface.
  EXPECT_GT(both.sparse.inner_depth(), both.sparse.edge());
  EXPECT_LE(both.sparse.inner_depth(), both.dense.inner_depth());
}

TEST(SparseField, the_same_input_gives_the_same_bytes) {
  EXPECT_EQ(build_sparse_field(ball(), {32, 1.5, 3.0}).bytes,
            build_sparse_field(ball(), {32, 1.5, 3.0}).bytes);
}

TEST(SparseField, memory_is_proportional_to_the_surface) {
  std::size_t before = 0;
  for (const std::uint32_t n : {64u, 128u, 256u}) {
    const SparseGrid grid = build_sparse_field(ball(), {n, 1.5, 3.0});
    RecordProperty("bytes_" + std::to_string(n), std::to_string(grid.bytes.size()));
    // Twice the resolution: four times the surface (and eight times the volume).
    if (before > 0) {
      EXPECT_LT(static_cast<double>(grid.stored_samples), 5.0 * static_cast<double>(before));
    }
    before = grid.stored_samples;
  }
}

TEST(SparseField, every_damaged_word_is_refused_or_harmless) {
  const SparseGrid grid = build_sparse_field(ball(), {16, 1.5, 3.0});
  Owned owned(grid);
  const auto opened = [&] { return SparseField(owned.view(), 16, grid.frame); };
  EXPECT_NO_THROW((void)opened());
  std::mt19937_64 random(2);
  int refused = 0;
  // All of the headers, and words anywhere else: offsets, masks, samples.
  for (std::size_t trial = 0; trial < 6000; ++trial) {
    const std::size_t at = trial < 200 ? 4 * trial : random() % (owned.size / 4) * 4;
    std::uint32_t kept = 0;
    std::memcpy(&kept, owned.data() + at, 4);
    const std::uint32_t bad = trial % 2 == 0 ? static_cast<std::uint32_t>(random()) : ~kept;
    std::memcpy(owned.data() + at, &bad, 4);
    try {
      const SparseField field = opened();
      // What is not refused is read without leaving the bytes (the sanitizers watch).
      std::uniform_real_distribution<double> unit(-0.6, 0.6);
      for (int i = 0; i < 20; ++i) {
        (void)field.distance({unit(random), unit(random), unit(random)});
      }
    } catch (const InputError&) {
      ++refused;
    }
    std::memcpy(owned.data() + at, &kept, 4);
  }
  EXPECT_GT(refused, 50);
  for (const std::size_t length :
       {std::size_t{0}, std::size_t{64}, owned.size / 2, owned.size - 32}) {
    EXPECT_THROW(SparseField(owned.view().first(length), 16, grid.frame), InputError);
  }
  EXPECT_THROW(SparseField(owned.view(), 17, grid.frame), InputError);
}

}  // namespace
}  // namespace haptic
