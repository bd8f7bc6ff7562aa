#include "host/bake/surface_inspection.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "host/bake/recipe_source.h"
#include "host/bake/volume_file.h"
#include "host/files/json_text.h"
#include "host/files/mesh_kind.h"
#include "host/formats/mesh_file.h"

namespace haptic {
namespace {

/// CAD programs write millimetres; a file whose longest side is at most this is in metres.
constexpr double kMaxSideInMetres = 2.0;

int resolution_for(const SurfaceInspection& surface) {
  constexpr double kCellsThroughWall = 3.0;
  constexpr int kMin = 16, kMax = 96;
  if (!surface.thinnest) return 32;
  const double cells =
      std::ceil(kCellsThroughWall * surface.box.longest_side() / surface.thinnest->thickness);
  return static_cast<int>(std::clamp(cells, double{kMin}, double{kMax}));
}

VolumeInspection inspect_volume(const SolidBody& body) {
  return {body.vertex_count(),    body.element_count(),     body.kind == ElementKind::kHexahedron,
          body.tetrahedra.groups, body.tetrahedra.repeated, body.tetrahedra.left_out.count};
}

}  // namespace

SurfaceInspection inspect_surface(const std::filesystem::path& path) {
  SurfaceInspection result;
  SurfaceFile surface;
  if (is_volume_file(path)) {
    const SolidBody body = read_volume_file(path).body;
    result.volume = inspect_volume(body);
    surface.mesh = boundary_of(body, path.string());
  } else {
    surface = read_surface_file(path);
  }
  result.box = bounding_box(surface.mesh);
  result.report = clean_mesh(surface.mesh, {.joining = joining_tolerance(surface),
                                            .close_holes = SourceRepair().close_holes});
  result.crossings = find_crossings(surface.mesh);
  if (result.report.closed_manifold() && result.crossings.between == 0) {
    result.thinnest = thinnest_place(surface.mesh);
  }
  return result;
}

std::string recipe_for(const std::filesystem::path& path, const SurfaceInspection& surface) {
  const bool metres = surface.box.longest_side() <= kMaxSideInMetres;
  const double unit = metres ? 1.0 : 1e-3;
  const Vector3 size = unit * surface.box.size();
  std::string text = "[source]\n";
  // A JSON string is a TOML string.
  const std::string name = json_text(nlohmann::json(path.filename().string()));
  if (!surface.volume) text += fmt::format("mesh = {}\n", name);
  text += fmt::format("unit = \"{}\"  # a guess: the longest side is then {:.4g} m\n",
                      metres ? "m" : "mm", size.maxCoeff());
  if (!surface.report.closed && !surface.volume) {
    const auto closing = closing_all_holes(surface.report, surface.box.longest_side());
    text += closing ? fmt::format("close_holes = {:.2g}\n", *closing) : "open = true\n";
  }
  if (surface.volume) {
    text += fmt::format("[mesh]\nfile = {}\n", name);
  } else {
    text += fmt::format("[mesh]\nresolution = {}\n", resolution_for(surface));
  }
  text += "[material]\nyoungs_modulus = 1e6\npoisson_ratio = 0.4\ndensity = 1000.0\n";
  text += fmt::format("[constraints]\nplanes = [{{ axis = \"y\", below = {:.3g} }}]\n",
                      0.05 * size.y());
  text +=
      "[reduction]\nlinear_modes = 8\ndimension = 15\n[shell]\npoints = 3000\n[field]\nresolution "
      "= 64\n";
  return text;
}

}  // namespace haptic
