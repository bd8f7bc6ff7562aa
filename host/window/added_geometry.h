#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "host/view/contact_geometry.h"
#include "host/window/contact_display.h"
#include "host/window/view_panels.h"

namespace haptic {

/// What the panels ask for beside the moments of a source: contact points, spheres of point
/// trees and slices of fields. What fails is not tried again in every image, but when the choice
/// changes.
class AddedGeometry {
 public:
  /// Adds what is chosen to the frame and tells the panels what there is to choose.
  /// @param scene file of the source, for the contact points
  /// @returns why something is missing; empty if nothing is
  std::string add_to(SceneFrame& frame, const std::filesystem::path& scene,
                     const ViewChoices& choices, ViewStatus& status);

  /// Reads scene and models again, as after a change of scene.
  void forget();

 private:
  void add_contacts(SceneFrame& frame, const std::filesystem::path& scene,
                    const ViewChoices& choices, ViewStatus& status);
  void add_spheres(SceneFrame& frame, const ViewChoices& choices, ViewStatus& status);

  void add_slice(SceneFrame& frame, const ViewChoices& choices, ViewStatus& status);

  ContactGeometry geometry_;
  std::unique_ptr<ContactDisplay> contacts_;
  std::string contacts_failed_, tree_failed_, slice_failed_;  ///< empty: not
  TreeChoice failed_tree_;                                    ///< the choice of tree_failed_
  SliceChoice failed_slice_;
};

}  // namespace haptic
