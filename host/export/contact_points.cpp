#include "host/export/contact_points.h"

#include <stdexcept>
#include <vector>

#include "rt/worlds/scene.h"
#include "rt/worlds/world_kind.h"

namespace haptic {

ContactPoints::ContactPoints(const LogReader& log) {
  const LogDescription& description = log.description();
  try {
    const Scene scene = load_scene(description.scene_path);
    bool same = scene.bodies.size() == description.bodies.size();
    for (std::size_t b = 0; same && b < scene.bodies.size(); ++b) {
      same = scene.bodies[b].name == description.bodies[b].name &&
             text_of(scene.bodies[b].model) == description.bodies[b].model_path;
    }
    if (!same) {
      missing_ = "the scene's file has other bodies now";
    } else if (scene.kind->make_contact_probe == nullptr) {
      missing_ = "this kind of world has no contacts at given states";
    } else {
      probe_ = scene.kind->make_contact_probe(scene);
    }
  } catch (const std::runtime_error& error) {
    missing_ = error.what();
  }
}

VtkSurface ContactPoints::at(const SceneFrame& frame) {
  VtkSurface::Array force{"force", 3, {}}, depth{"depth", 1, {}}, total{"total", 1, {}};
  VtkSurface points;
  const auto add = [&](const Vector3& position, const Vector3& f, double d, bool sum) {
    for (int axis = 0; axis < 3; ++axis) {
      points.points.push_back(static_cast<float>(position[axis]));
      force.values.push_back(static_cast<float>(f[axis]));
    }
    depth.values.push_back(static_cast<float>(d));
    total.values.push_back(sum ? 1.0F : 0.0F);
  };
  add(frame.force_origin, frame.force.value_or(Vector3::Zero()), 0.0, true);
  if (probe_) {
    std::vector<ProbedBody> bodies;
    for (std::size_t b = 0; b < frame.bodies.size(); ++b) {
      bodies.push_back({frame.bodies[b].pose, frame.bodies[b].coordinates});
      bodies.back().q.resize(probe_->dimension(b), 0.0);
    }
    for (const ProbedContact& contact : probe_->touch(bodies, false).contacts) {
      add(contact.position, contact.force, contact.depth, false);
    }
  }
  points.point_arrays = {std::move(force), std::move(depth), std::move(total)};
  return points;
}

}  // namespace haptic
