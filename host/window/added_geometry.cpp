#include "host/window/added_geometry.h"

#include <algorithm>

#include "shared/error.h"

namespace haptic {

void AddedGeometry::forget() {
  geometry_.forget();
  contacts_.reset();
  contacts_failed_.clear();
  tree_failed_.clear();
}

std::string AddedGeometry::add_to(SceneFrame& frame, const std::filesystem::path& scene,
                                  const ViewChoices& choices, ViewStatus& status) {
  add_contacts(frame, scene, choices, status);
  add_spheres(frame, choices, status);
  return contacts_failed_.empty() ? tree_failed_ : contacts_failed_;
}

void AddedGeometry::add_contacts(SceneFrame& frame, const std::filesystem::path& scene,
                                 const ViewChoices& choices, ViewStatus& status) {
  status.contacts_known = false;
  if (!choices.contacts) {
    contacts_failed_.clear();
    return;
  }
  if (!contacts_failed_.empty()) return;
  try {
    if (!contacts_) contacts_ = std::make_unique<ContactDisplay>(scene);
    status.contacts = contacts_->add_to(frame);
    status.contacts_known = true;
  } catch (const std::runtime_error& error) {
    contacts_failed_ = error.what();
  }
}

void AddedGeometry::add_spheres(SceneFrame& frame, const ViewChoices& choices, ViewStatus& status) {
  if (!choices.show_tree) {
    tree_failed_.clear();
    return;
  }
  if (!tree_failed_.empty() && choices.tree == failed_tree_) return;
  tree_failed_.clear();
  try {
    status.tree_bodies.clear();
    status.tree_levels = 0;
    for (const FrameBody& body : frame.bodies) {
      const std::uint32_t levels = geometry_.tree_levels(body);
      if (levels == 0) continue;
      status.tree_bodies.push_back(body.name);
      if (!choices.tree.body.empty() && choices.tree.body != body.name) continue;
      status.tree_levels = std::max(status.tree_levels, levels);
    }
    geometry_.add_spheres(frame, choices.tree);
  } catch (const std::runtime_error& error) {
    tree_failed_ = error.what();
    failed_tree_ = choices.tree;
  }
}

}  // namespace haptic
