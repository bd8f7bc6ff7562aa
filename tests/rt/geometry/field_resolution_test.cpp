#include "rt/geometry/field_resolution.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "rt/geometry/analytic_field.h"
#include "rt/geometry/distance_field.h"

namespace haptic {
namespace {

/// The faces z = +-half.z() of a box as four triangles each, and its four sides as two each.
struct BoxSurface {
  explicit BoxSurface(const Vector3& half) {
    for (int axis = 0; axis < 3; ++axis) {
      for (const double sign : {-1.0, 1.0}) {
        const auto first = static_cast<std::uint32_t>(vertices.size() / 3);
        for (const auto& [u, v] : {std::pair(-1.0, -1.0), {1.0, -1.0}, {1.0, 1.0}, {-1.0, 1.0}}) {
          Vector3 p;
          p[axis] = sign * half[axis];
          p[(axis + 1) % 3] = u * half[(axis + 1) % 3];
          p[(axis + 2) % 3] = sign * v * half[(axis + 2) % 3];
          vertices.insert(vertices.end(), p.data(), p.data() + 3);
        }
        for (const std::uint32_t i : {0u, 1u, 2u, 0u, 2u, 3u}) triangles.push_back(first + i);
      }
    }
  }
  std::vector<double> vertices;
  std::vector<std::uint32_t> triangles;
};

/// A field of 1 mm voxels of a plate, its middle off the corners of the grid by `offset` voxels.
struct Plate {
  Plate(double thickness, double offset)
      : half(0.012, 0.012, 0.5 * thickness), surface(half), field(values(offset), frame(offset)) {}

  static constexpr std::uint64_t kVoxels = 32;
  std::vector<float> samples;
  std::vector<double> box;
  std::span<const float> values(double offset) {
    const double low = -0.016;
    for (std::uint64_t k = 0; k <= kVoxels; ++k) {
      for (std::uint64_t j = 0; j <= kVoxels; ++j) {
        for (std::uint64_t i = 0; i <= kVoxels; ++i) {
          const Vector3 p(low + 1e-3 * static_cast<double>(i), low + 1e-3 * static_cast<double>(j),
                          low + 1e-3 * (static_cast<double>(k) + offset));
          const Vector3 beyond = p.cwiseAbs() - half;
          samples.push_back(
              static_cast<float>(beyond.cwiseMax(0.0).norm() + std::min(beyond.maxCoeff(), 0.0)));
        }
      }
    }
    return samples;
  }
  std::span<const double> frame(double offset) {
    box = {-0.016, -0.016, -0.016 + 1e-3 * offset, 1e-3, 0.004 - 1e-3 * offset};
    return box;
  }
  double fraction() const {
    return unresolved_fraction(field, surface.vertices, surface.triangles);
  }

  Vector3 half;
  BoxSurface surface;
  DistanceField field;
};

TEST(FieldSight, plates_down_to_a_voxel_are_seen_and_thinner_ones_are_not) {
  // Fraction of the two large faces in the surface of the plate: at least 0.8.
  for (const double offset : {0.0, 0.3, 0.5}) {
    for (const double thickness : {3.0, 2.0, 1.5}) {
      EXPECT_EQ(Plate(1e-3 * thickness, offset).fraction(), 0.0) << thickness << " " << offset;
    }
    for (const double thickness : {0.15, 0.1}) {
      EXPECT_GT(Plate(1e-3 * thickness, offset).fraction(), 0.8) << thickness << " " << offset;
    }
  }
  // Between corners nothing of half a voxel is left; about a layer of corners, half of it.
  EXPECT_GT(Plate(0.5e-3, 0.5).fraction(), 0.8);
  EXPECT_EQ(Plate(0.5e-3, 0.0).fraction(), 0.0);
}

TEST(FieldSight, an_exact_field_sees_what_is_thicker_than_a_fifth_of_its_resolution) {
  const BoxSurface surface({0.1, 0.1, 0.02});
  const AnalyticField field({ShapeKind::kBox, {0.2, 0.2, 0.04}});
  EXPECT_EQ(unresolved_fraction(field, surface.vertices, surface.triangles), 0.0);
}

TEST(FieldSight, a_surface_turned_inside_out_has_no_inside_and_an_empty_one_nothing) {
  Plate plate(3e-3, 0.0);
  for (std::size_t t = 0; t < plate.surface.triangles.size(); t += 3) {
    std::swap(plate.surface.triangles[t], plate.surface.triangles[t + 1]);
  }
  EXPECT_EQ(plate.fraction(), 1.0);
  EXPECT_EQ(unresolved_fraction(plate.field, {}, {}), 0.0);
}

TEST(FieldResolution, the_thin_walls_are_those_thinner_than_asked) {
  const Plate plate(0.005, 0.3);
  const auto thin = [&](double thickness) {
    return thin_fraction(plate.field, plate.surface.vertices, plate.surface.triangles, thickness);
  };
  // Across the faces the plate is 5 mm thick, across its sides 24 mm.
  const double faces = 2.0 * 0.024 * 0.024, sides = 4.0 * 0.024 * 0.005;
  EXPECT_EQ(thin(0.0045), 0.0);
  EXPECT_NEAR(thin(0.006), faces / (faces + sides), 1e-12);
  EXPECT_NEAR(thin(0.03), 1.0, 1e-12);
  EXPECT_EQ(thin(0.0), 0.0);
  EXPECT_EQ(thin_fraction(plate.field, {}, {}, 0.01), 0.0);
}

TEST(FieldResolution, the_spacing_of_points_is_the_root_of_the_area_of_one) {
  const BoxSurface box({0.01, 0.01, 0.01});
  EXPECT_NEAR(mean_spacing(box.vertices, box.triangles, 150), std::sqrt(6.0 * 4e-4 / 150), 1e-15);
  EXPECT_EQ(mean_spacing(box.vertices, box.triangles, 0), 0.0);
}

}  // namespace
}  // namespace haptic
