#pragma once

#include <memory>
#include <vector>

#include "host/view/scene_frame.h"
#include "rt/worlds/contact_probe.h"
#include "rt/worlds/scene.h"

namespace haptic {

/// Contacts of a frame, computed from its poses and coordinates by the contact code of the loop
/// (`haptic probe contact`). Friction is absent, since it depends on the past.
class EvaluatedContacts {
 public:
  /// @throws InputError if the scene's kind of world has no contacts that follow from poses alone,
  ///         or a model is refused
  explicit EvaluatedContacts(Scene scene);

  /// @throws InputError if the frame is not of this scene
  std::vector<FrameContact> at(const SceneFrame& frame);

 private:
  Scene scene_;
  std::unique_ptr<ContactProbe> probe_;
};

}  // namespace haptic
