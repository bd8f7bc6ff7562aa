#include "host/view/contact_geometry.h"

#include <fmt/format.h>

#include <algorithm>

#include "host/view/deformed_surface.h"
#include "host/view/shape_surface.h"
#include "shared/error.h"

namespace haptic {

std::size_t body_named(const SceneFrame& frame, const std::string& name, const char* option) {
  std::string names;
  for (std::size_t b = 0; b < frame.bodies.size(); ++b) {
    if (frame.bodies[b].name == name) return b;
    names += (b == 0 ? "" : ", ") + frame.bodies[b].name;
  }
  throw InputError("", option, fmt::format("found \"{}\"", name), "a body: " + names);
}

ContactGeometry::Body& ContactGeometry::body(const FrameBody& shown) {
  const auto key = std::pair(text_of(shown.model), shown.coordinates.size());
  const auto found = bodies_.find(key);
  if (found != bodies_.end()) return found->second;
  Body made;
  if (shown.surface.empty()) {  // else the model of another kind of world
    made.model = std::make_unique<BodyModel>(shown.model,
                                             static_cast<std::uint32_t>(shown.coordinates.size()));
    if (made.model->tree) {
      made.tree = std::make_unique<TreeSpheres>(*made.model->shell, *made.model->tree);
    }
  }
  return bodies_.emplace(key, std::move(made)).first->second;
}

std::uint32_t ContactGeometry::tree_levels(const FrameBody& shown) {
  const Body& found = body(shown);
  return found.tree ? found.tree->levels() : 0;
}

void ContactGeometry::add_spheres(SceneFrame& frame, const TreeChoice& choice) {
  if (choice.level == 0) return;
  std::size_t first = 0, last = frame.bodies.size();
  if (!choice.body.empty()) {
    first = body_named(frame, choice.body, "--tree-body");
    last = first + 1;
  }
  std::uint32_t deepest = 0;
  for (std::size_t b = first; b < last; ++b) {
    const FrameBody& shown = frame.bodies[b];
    const std::uint32_t levels = tree_levels(shown);
    deepest = std::max(deepest, levels);
    if (choice.level > levels) continue;
    TreeSpheres& tree = *body(shown).tree;
    if (frame.spheres.size() + tree.nodes(choice.level) > kMaxSpheres) {
      throw InputError(
          "", "--tree",
          fmt::format("level {} of {} has {} spheres", choice.level, shown.name,
                      tree.nodes(choice.level)),
          fmt::format("at most {} in a picture: a coarser level, or --tree-body", kMaxSpheres));
    }
    tree.append(choice.level, shown.pose, shown.coordinates, b, frame.spheres);
  }
  if (deepest == 0) {
    throw InputError("", "--tree",
                     choice.body.empty() ? "no body has a point tree"
                                         : fmt::format("{} has no point tree", choice.body),
                     "a model baked with [shell]");
  }
  if (choice.level > deepest) {
    throw InputError("", "--tree", fmt::format("found level {}", choice.level),
                     fmt::format("1 to {}", deepest));
  }
}

/// Of the surface at q in the body's own frame; without a surface, of the field's inside at rest.
Eigen::AlignedBox3d ContactGeometry::box_of(const FrameBody& shown, std::vector<double> q) {
  Eigen::AlignedBox3d box;
  const auto extend = [&](const SurfacePoints& points) {
    for (Eigen::Index i = 0; i < points.rows(); ++i) {
      box.extend(points.row(i).transpose().cast<double>());
    }
  };
  const BodyModel& model = *body(shown).model;
  if (const auto* const shape = std::get_if<AnalyticShape>(&shown.model)) {
    extend(shape_surface(*shape, Pose{}).positions);
  } else if (model.file->has("/surface/vertices")) {
    extend(deformed_vertices(*model.file, {shown.name, shown.model, Pose{}, std::move(q)}));
  }
  if (box.isEmpty()) {
    const Vector3 reach = Vector3::Constant(model.field->reach());
    box = {-reach, reach};
  }
  return box;
}

std::optional<ContactGeometry::SliceRoom> ContactGeometry::slice_room(const FrameBody& shown) {
  Body& found = body(shown);
  if (!found.model || !found.model->field) return std::nullopt;
  // Worlds refuse a field that does not deform with its body.
  if (found.model->field->dimension() != shown.coordinates.size()) return std::nullopt;
  if (!found.room) {
    const Eigen::AlignedBox3d rest =
        box_of(shown, std::vector<double>(shown.coordinates.size(), 0.0));
    const double range = slice_range(*found.model->field, rest);
    const Vector3 around = Vector3::Constant(range);
    found.room = SliceRoom{{rest.min() - around, rest.max() + around}, range};
  }
  return found.room;
}

void ContactGeometry::add_slice(SceneFrame& frame, const SliceChoice& choice) {
  if (choice.body.empty()) return;
  const std::size_t b = body_named(frame, choice.body, "--slice");
  const FrameBody& shown = frame.bodies[b];
  const std::optional<SliceRoom> room = slice_room(shown);
  if (!room) {
    throw InputError("", "--slice", fmt::format("{} has no distance field", choice.body),
                     shown.coordinates.empty()
                         ? "a model baked with [field], or a shape"
                         : "a model baked with a [field] that deforms with the body");
  }
  const double lowest = room->box.min()[choice.axis], highest = room->box.max()[choice.axis];
  if (!(choice.offset >= lowest && choice.offset <= highest)) {
    throw InputError("", "--slice",
                     fmt::format("found {} = {:g} m", "xyz"[choice.axis], choice.offset),
                     fmt::format("{:.4g} to {:.4g} m for {}", lowest, highest, choice.body));
  }
  SignedField& field = *body(shown).model->field;
  field.deform(shown.coordinates);
  frame.slice =
      sample_slice(field, choice, box_of(shown, shown.coordinates), room->range, shown.pose);
  frame.slice->body = b;
}

}  // namespace haptic
