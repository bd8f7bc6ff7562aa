#include "host/window/contact_display.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "rt/worlds/world_kind.h"
#include "shared/error.h"

namespace haptic {

ContactDisplay::ContactDisplay(const std::filesystem::path& scene) : scene_(load_scene(scene)) {
  if (scene_.kind->make_contact_probe == nullptr) {
    throw InputError(scene.string(), "world", fmt::format("found \"{}\"", scene_.kind->name),
                     "a kind of world whose contacts can be computed from poses");
  }
  probe_ = scene_.kind->make_contact_probe(scene_);
}

std::size_t ContactDisplay::add_to(SceneFrame& frame) {
  std::vector<ProbedBody> bodies;
  for (std::size_t b = 0; b < frame.bodies.size(); ++b) {
    const FrameBody& body = frame.bodies[b];
    if (b >= scene_.bodies.size() || body.name != scene_.bodies[b].name ||
        body.coordinates.size() != probe_->dimension(b)) {
      throw InputError(scene_.file.string(), "body", fmt::format("no such body as {}", body.name),
                       "the scene that is shown; it has changed since");
    }
    bodies.push_back({body.pose, body.coordinates});
  }
  if (bodies.size() != scene_.bodies.size()) {
    throw InputError(scene_.file.string(), "body", fmt::format("found {}", scene_.bodies.size()),
                     fmt::format("the {} bodies that are shown", bodies.size()));
  }
  std::vector<ProbedContact> contacts = probe_->touch(bodies, false).contacts;
  const std::size_t count = contacts.size();
  if (count > kMostArrows) {
    std::ranges::nth_element(contacts, contacts.begin() + kMostArrows, std::greater<>{},
                             [](const ProbedContact& c) { return c.force.squaredNorm(); });
    contacts.resize(kMostArrows);
  }
  for (const ProbedContact& contact : contacts) {
    frame.contacts.push_back({contact.position, contact.force});
  }
  return count;
}

}  // namespace haptic
