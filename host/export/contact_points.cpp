#include "host/export/contact_points.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "rt/worlds/pressing_contacts.h"
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
    } else if (scene.kind->make_contact_probe != nullptr) {
      probe_ = scene.kind->make_contact_probe(scene);
    } else {
      replay_ = std::make_unique<LogReplay>(log);
      if (dynamic_cast<const PressingContacts*>(&replay_->simulated()) == nullptr) {
        missing_ = "this kind of world has no contacts to tell";
        replay_.reset();
      }
    }
  } catch (const std::runtime_error& error) {
    missing_ = error.what();
  }
}

std::vector<ContactPoints::Point> ContactPoints::evaluated(const SceneFrame& frame) {
  std::vector<ProbedBody> bodies;
  for (std::size_t b = 0; b < frame.bodies.size(); ++b) {
    bodies.push_back({frame.bodies[b].pose, frame.bodies[b].coordinates});
    bodies.back().q.resize(probe_->dimension(b), 0.0);
  }
  std::vector<Point> points;
  for (const ProbedContact& contact : probe_->touch(bodies, false).contacts) {
    points.push_back({contact.position, contact.force, contact.depth});
  }
  return points;
}

std::vector<ContactPoints::Point> ContactPoints::replayed(const SceneFrame& frame,
                                                          std::uint64_t row) {
  // Of the same instructions the force is the same; of others, and of a motion that amplifies their
  // rounding, it may differ.
  constexpr double kAgreement = 1e-6;
  if (row >= replay_->rows()) {
    missing_ = "the log has a gap before the frame";
  } else {
    WorldOutput output;
    try {
      while (replay_->row() <= row) output = replay_->step();
    } catch (const std::runtime_error& error) {
      missing_ = error.what();
      replay_.reset();
      return {};
    }
    const Vector3 logged = frame.force.value_or(Vector3::Zero());
    const Vector3 now = output.contact_wrench.force;
    if ((now - logged).norm() <= kAgreement * std::max(1.0, logged.norm())) {
      const auto& world = dynamic_cast<const PressingContacts&>(replay_->simulated());
      std::vector<Point> points;
      for (const PressingContact& contact : world.pressing_contacts()) {
        points.push_back({contact.position, contact.force, contact.depth});
      }
      return points;
    }
    missing_ = "the replay does not agree with the log";
  }
  replay_.reset();
  return {};
}

VtkSurface ContactPoints::at(const SceneFrame& frame, std::uint64_t row) {
  VtkSurface::Array force{"force", 3, {}}, depth{"depth", 1, {}}, total{"total", 1, {}};
  VtkSurface points;
  const auto add = [&](const Point& point, bool sum) {
    for (int axis = 0; axis < 3; ++axis) {
      points.points.push_back(static_cast<float>(point.position[axis]));
      force.values.push_back(static_cast<float>(point.force[axis]));
    }
    depth.values.push_back(static_cast<float>(point.depth));
    total.values.push_back(sum ? 1.0F : 0.0F);
  };
  add({frame.force_origin, frame.force.value_or(Vector3::Zero()), 0.0}, true);
  if (probe_) {
    for (const Point& point : evaluated(frame)) add(point, false);
  } else if (replay_) {
    for (const Point& point : replayed(frame, row)) add(point, false);
  }
  points.point_arrays = {std::move(force), std::move(depth), std::move(total)};
  return points;
}

}  // namespace haptic
