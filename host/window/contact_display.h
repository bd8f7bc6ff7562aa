#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "host/view/scene_frame.h"
#include "rt/worlds/contact_probe.h"
#include "rt/worlds/scene.h"

namespace haptic {

/// Contacts of a shown frame, computed from its poses and coordinates by the contact code of the
/// loop (`haptic probe contact`): telemetry and logs only have their number. Friction is absent,
/// since it depends on the past.
class ContactDisplay {
 public:
  /// Most arrows of a frame; of more contacts the strongest are shown.
  static constexpr std::size_t kMostArrows = 400;

  /// @throws InputError if the scene is invalid or its kind of world has no contacts to evaluate
  explicit ContactDisplay(const std::filesystem::path& scene);

  /// Adds the arrows to the frame. @returns number of contacts
  /// @throws InputError if the frame is not of this scene
  std::size_t add_to(SceneFrame& frame);

 private:
  Scene scene_;
  std::unique_ptr<ContactProbe> probe_;
};

}  // namespace haptic
