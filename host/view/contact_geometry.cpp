#include "host/view/contact_geometry.h"

#include <fmt/format.h>

#include <algorithm>

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
    if (frame.spheres.size() + tree.nodes(choice.level) > kMostSpheres) {
      throw InputError(
          "", "--tree",
          fmt::format("level {} of {} has {} spheres", choice.level, shown.name,
                      tree.nodes(choice.level)),
          fmt::format("at most {} in a picture: a coarser level, or --tree-body", kMostSpheres));
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

}  // namespace haptic
