#include "host/view/evaluated_contacts.h"

#include <fmt/format.h>

#include <utility>

#include "rt/worlds/world_kind.h"
#include "shared/error.h"

namespace haptic {

EvaluatedContacts::EvaluatedContacts(Scene scene) : scene_(std::move(scene)) {
  if (scene_.kind->make_contact_probe == nullptr) {
    throw InputError(scene_.file.string(), "world", fmt::format("found \"{}\"", scene_.kind->name),
                     "a kind of world whose contacts can be computed from poses");
  }
  probe_ = scene_.kind->make_contact_probe(scene_);
}

std::vector<FrameContact> EvaluatedContacts::at(const SceneFrame& frame) {
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
  std::vector<FrameContact> contacts;
  for (const ProbedContact& contact : probe_->touch(bodies, false).contacts) {
    contacts.push_back({contact.position, contact.force, contact.depth});
  }
  return contacts;
}

}  // namespace haptic
