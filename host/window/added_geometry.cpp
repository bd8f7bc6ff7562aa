#include "host/window/added_geometry.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "shared/error.h"

namespace haptic {
namespace {

constexpr std::size_t kMaxArrows = 400;  // of a frame

std::vector<FrameContact> strongest(std::vector<FrameContact> contacts, std::size_t most) {
  if (contacts.size() > most) {
    std::ranges::nth_element(contacts, contacts.begin() + static_cast<std::ptrdiff_t>(most),
                             std::greater<>{},
                             [](const FrameContact& c) { return c.force.squaredNorm(); });
    contacts.resize(most);
  }
  return contacts;
}

}  // namespace

void AddedGeometry::forget() {
  geometry_.forget();
  contacts_.reset();
  contacts_failed_.clear();
  contacts_missing_.clear();
  tree_failed_.clear();
  slice_failed_.clear();
}

std::string AddedGeometry::add_to(SceneFrame& frame, MomentSource& source,
                                  const ViewChoices& choices, ViewStatus& status) {
  add_contacts(frame, source, choices, status);
  add_spheres(frame, choices, status);
  add_slice(frame, choices, status);
  for (const std::string* const failed :
       {&contacts_missing_, &contacts_failed_, &tree_failed_, &slice_failed_}) {
    if (!failed->empty()) return *failed;
  }
  return {};
}

void AddedGeometry::add_contacts(SceneFrame& frame, MomentSource& source,
                                 const ViewChoices& choices, ViewStatus& status) {
  status.contacts_known = false;
  contacts_missing_.clear();
  if (!choices.contacts) {
    contacts_failed_.clear();
    return;
  }
  if (!contacts_failed_.empty()) return;
  try {
    std::vector<FrameContact> points;
    if (std::optional<ReportedContacts> told = source.contacts()) {
      contacts_missing_ = std::move(told->missing);
      points = std::move(told->points);
    } else {
      if (!contacts_) contacts_ = std::make_unique<EvaluatedContacts>(source.scene());
      points = contacts_->at(frame);
    }
    status.contacts = points.size();
    status.contacts_known = contacts_missing_.empty();
    frame.contacts = strongest(std::move(points), kMaxArrows);
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

void AddedGeometry::add_slice(SceneFrame& frame, const ViewChoices& choices, ViewStatus& status) {
  status.slice_range = 0.0;
  if (!choices.show_slice) {
    slice_failed_.clear();
    return;
  }
  if (!slice_failed_.empty() && choices.slice == failed_slice_) return;
  slice_failed_.clear();
  try {
    status.slice_bodies.clear();
    status.slice_box.setEmpty();
    for (const FrameBody& body : frame.bodies) {
      const auto room = geometry_.slice_room(body);
      if (!room) continue;
      status.slice_bodies.push_back(body.name);
      if (body.name == choices.slice.body) status.slice_box = room->box;
    }
    geometry_.add_slice(frame, choices.slice);
    if (frame.slice) status.slice_range = frame.slice->range;
  } catch (const std::runtime_error& error) {
    // A body that was just chosen is shown once its offset is in the middle of it.
    if (choices.centre_slice) return;
    slice_failed_ = error.what();
    failed_slice_ = choices.slice;
  }
}

}  // namespace haptic
