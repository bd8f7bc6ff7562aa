#pragma once

#include <memory>
#include <string>

#include "host/view/contact_geometry.h"
#include "host/view/evaluated_contacts.h"
#include "host/window/view_panels.h"

namespace haptic {

/// What the panels ask for beside the moments of a source: contact points, spheres of point
/// trees and slices of fields. What fails is not tried again in every image, but when the choice
/// changes.
class AddedGeometry {
 public:
  /// Adds what is chosen to the frame and tells the panels what there is to choose.
  /// @param source  of the frame, for the contact points
  /// @returns why something is missing; empty if nothing is
  std::string add_to(SceneFrame& frame, MomentSource& source, const ViewChoices& choices,
                     ViewStatus& status);

  /// Reads scene and models again, as after a change of scene.
  void forget();

 private:
  void add_contacts(SceneFrame& frame, MomentSource& source, const ViewChoices& choices,
                    ViewStatus& status);
  void add_spheres(SceneFrame& frame, const ViewChoices& choices, ViewStatus& status);

  void add_slice(SceneFrame& frame, const ViewChoices& choices, ViewStatus& status);

  ContactGeometry geometry_;
  std::unique_ptr<EvaluatedContacts> contacts_;
  std::string contacts_failed_, tree_failed_, slice_failed_;  ///< empty: not
  std::string contacts_missing_;                              ///< now, of a source that tells them
  TreeChoice failed_tree_;                                    ///< the choice of tree_failed_
  SliceChoice failed_slice_;
};

}  // namespace haptic
