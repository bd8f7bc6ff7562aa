#include <fmt/format.h>

#include <array>

#include "host/fem/solid_mesh.h"
#include "shared/error.h"

namespace haptic {
namespace {

struct BoxCells {
  std::vector<double> vertices;                       // n x 3 [m]
  std::vector<std::array<std::uint32_t, 8>> corners;  // per cube, corner bits x + 2 y + 4 z
};

BoxCells box_cells(int nx, int ny, int nz, double h) {
  if (nx < 1 || ny < 1 || nz < 1 || !(h > 0.0)) {
    throw InputError("box mesh", "size", fmt::format("found {} x {} x {} of {} m", nx, ny, nz, h),
                     "counts >= 1 and an edge > 0");
  }
  BoxCells box;
  for (int k = 0; k <= nz; ++k) {
    for (int j = 0; j <= ny; ++j) {
      for (int i = 0; i <= nx; ++i) box.vertices.insert(box.vertices.end(), {i * h, j * h, k * h});
    }
  }
  for (int k = 0; k < nz; ++k) {
    for (int j = 0; j < ny; ++j) {
      for (int i = 0; i < nx; ++i) {
        auto& corners = box.corners.emplace_back();
        for (int bits = 0; bits < 8; ++bits) {
          const int x = i + (bits & 1), y = j + (bits >> 1 & 1), z = k + (bits >> 2);
          corners[static_cast<std::size_t>(bits)] =
              static_cast<std::uint32_t>(x + (nx + 1) * (y + (ny + 1) * z));
        }
      }
    }
  }
  return box;
}

}  // namespace

SolidMesh make_box_mesh(int nx, int ny, int nz, double h, const SolidMaterial& material) {
  const BoxCells box = box_cells(nx, ny, nz, h);
  constexpr std::array<std::size_t, 8> kVtkOrder = {0, 1, 3, 2, 4, 5, 7, 6};
  std::vector<std::uint32_t> elements;
  for (const auto& corners : box.corners) {
    for (const std::size_t bits : kVtkOrder) elements.push_back(corners[bits]);
  }
  return {box.vertices, elements, material};
}

SolidMesh make_tetrahedral_box_mesh(int nx, int ny, int nz, double h,
                                    const SolidMaterial& material) {
  const BoxCells box = box_cells(nx, ny, nz, h);
  // From corner 0 to corner 7 along the three axes in each order; odd orders turn the other way.
  constexpr std::array<std::array<std::size_t, 4>, 6> kPaths = {
      {{0, 1, 3, 7}, {0, 2, 6, 7}, {0, 4, 5, 7}, {0, 3, 2, 7}, {0, 6, 4, 7}, {0, 5, 1, 7}}};
  std::vector<std::uint32_t> elements;
  for (const auto& corners : box.corners) {
    for (const auto& path : kPaths) {
      for (const std::size_t bits : path) elements.push_back(corners[bits]);
    }
  }
  return {ElementKind::kTetrahedron, box.vertices, elements, material};
}

}  // namespace haptic
