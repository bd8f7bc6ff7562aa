#include "host/view/scene_surfaces.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>

#include "host/view/body_colours.h"
#include "host/view/deformed_surface.h"
#include "host/view/display_basis.h"
#include "host/view/scene_shapes.h"
#include "host/view/shape_surface.h"
#include "shared/error.h"

namespace haptic {
namespace {

constexpr double kForceArrowMetresPerDiagonalNewton = 0.06;

bool is_shape(const FrameBody& body) {
  return std::holds_alternative<AnalyticShape>(body.model);
}

void extend(Eigen::AlignedBox3d& box, const SurfacePoints& positions) {
  for (Eigen::Index i = 0; i < positions.rows(); ++i) {
    box.extend(positions.row(i).transpose().cast<double>());
  }
}

}  // namespace

void SceneSurfaces::forget() {
  surfaces_.clear();
  strains_.clear();  // first: they refer to the models
  models_.clear();
}

const ModelFile& SceneSurfaces::model(const BodySource& source) {
  const auto& path = std::get<std::filesystem::path>(source);
  const auto found = models_.find(path.string());
  if (found != models_.end()) return found->second;
  return models_.emplace(path.string(), ModelFile(path)).first->second;
}

GlReducedSurface* SceneSurfaces::reduced_surface(std::size_t index, const FrameBody& body,
                                                 const RenderSettings& settings) {
  if (settings.deform_on_cpu || is_shape(body) || !body.surface.empty()) return nullptr;
  const auto key = std::pair(index, text_of(body.model));
  const auto found = surfaces_.find(key);
  if (found != surfaces_.end()) return found->second.get();
  std::unique_ptr<GlReducedSurface> surface;
  if (has_display_basis(model(body.model))) {
    const DisplayBasis basis = make_display_basis(model(body.model));
    if (GlReducedSurface::fits(basis)) {
      surface = std::make_unique<GlReducedSurface>(basis, settings.precision);
    }
  }
  return surfaces_.emplace(key, std::move(surface)).first->second.get();
}

void SceneSurfaces::colour(const SceneFrame& frame, const RenderSettings& settings) {
  brightest_value_ = 0.0;
  if (settings.colour == SurfaceColour::kBody) {
    if (std::exchange(coloured_, false)) surfaces_.clear();  // without their colours
    return;
  }
  coloured_ = true;
  std::vector<std::pair<GlReducedSurface*, std::vector<double>>> coloured;
  for (std::size_t b = 0; b < frame.bodies.size(); ++b) {
    const FrameBody& body = frame.bodies[b];
    if (is_shape(body)) continue;
    const ModelFile& file = model(body.model);
    if (file.reduced_dimension() == 0) continue;
    GlReducedSurface* const surface = reduced_surface(b, body, settings);
    if (surface == nullptr) {
      throw InputError(text_of(body.model), "",
                       "its surface is deformed on the CPU, which computes no strain",
                       "a model with /mesh, drawn by the shader");
    }
    const auto key = std::pair(text_of(body.model), settings.colour);
    auto strain = strains_.find(key);
    if (strain == strains_.end()) {
      strain = strains_.try_emplace(key, file, make_display_basis(file), settings.colour).first;
    }
    coloured.emplace_back(surface, strain->second.largest_eigenvalues(body.coordinates));
    const std::vector<double>& values = coloured.back().second;
    brightest_value_ = std::max(brightest_value_, *std::max_element(values.begin(), values.end()));
  }
  for (const auto& [surface, values] : coloured) {
    surface->set_colours(colours_of(values, brightest_value_ > 0.0 ? brightest_value_ : 1.0));
  }
}

std::vector<Drawable> SceneSurfaces::bodies(const SceneFrame& frame, const RenderSettings& settings,
                                            Eigen::AlignedBox3d* box) {
  colour(frame, settings);
  std::vector<Drawable> drawables;
  for (std::size_t b = 0; b < frame.bodies.size(); ++b) {
    const FrameBody& body = frame.bodies[b];
    const auto& c = body_colour(b);
    Drawable drawable{std::nullopt, reduced_surface(b, body, settings), {c[0], c[1], c[2]}, 0.25F};
    if (GlReducedSurface* const surface = reduced_surface(b, body, settings)) {
      surface->deform(body.coordinates, body.pose);
      if (box != nullptr) extend(*box, surface->positions());
    } else {
      const DisplaySurface made =
          is_shape(body) ? shape_surface(std::get<AnalyticShape>(body.model), body.pose)
                         : deformed_surface(model(body.model), body);
      if (box != nullptr) extend(*box, made.positions);
      drawable.made.emplace(made);
    }
    drawables.push_back(std::move(drawable));
  }
  return drawables;
}

Eigen::Vector3d arrow_tip(const Eigen::Vector3d& from, const Eigen::Vector3d& force,
                          double diagonal) {
  return from + kForceArrowMetresPerDiagonalNewton * diagonal * force;
}

std::vector<Drawable> overlays(const SceneFrame& frame, double diagonal) {
  std::vector<Drawable> drawables;
  const auto add = [&](const DisplaySurface& surface, const Eigen::Vector3d& color) {
    drawables.push_back({std::optional<GlSurface>(std::in_place, surface), nullptr, color, 0.1F});
  };
  if (!frame.points.empty()) add(markers(frame.points, 0.006 * diagonal), {0.30, 0.32, 0.36});
  for (int axis = 0; axis < 3 && !frame.frames.empty(); ++axis) {
    add(axes(frame.frames, axis, 0.04 * diagonal), 0.75 * Eigen::Vector3d::Unit(axis));
  }
  if (frame.force && frame.force->norm() > 1e-3) {
    add(arrow(frame.force_origin, arrow_tip(frame.force_origin, *frame.force, diagonal),
              0.006 * diagonal),
        {0.80, 0.15, 0.15});
  }
  if (!frame.contacts.empty()) {
    std::vector<std::pair<Vector3, Vector3>> shafts;
    std::vector<Vector3> places;
    double strongest = 1e-9;
    for (const FrameContact& c : frame.contacts) strongest = std::max(strongest, c.force.norm());
    for (const FrameContact& c : frame.contacts) {
      places.push_back(c.position);
      if (c.force.norm() < 1e-3 * strongest) continue;  // too short to be seen
      // By the strongest of the frame: forces of single points span decades.
      shafts.emplace_back(c.position, c.position + 0.1 * diagonal / strongest * c.force);
    }
    add(markers(places, 0.004 * diagonal), {0.10, 0.10, 0.10});
    add(arrows(shafts, 0.0015 * diagonal), {0.85, 0.65, 0.10});
  }
  if (!frame.trail.empty()) add(markers(frame.trail, 0.0025 * diagonal), {0.55, 0.15, 0.55});
  return drawables;
}

}  // namespace haptic
