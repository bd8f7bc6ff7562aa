#pragma once

#include <array>
#include <string>
#include <vector>

#include "host/view/contact_geometry.h"
#include "host/view/strain_colour.h"
#include "host/window/moment_source.h"

namespace haptic {

/// What is shown, as the panels set it.
struct ViewChoices {
  SurfaceColour colour = SurfaceColour::kBody;
  bool force = true;       ///< arrow of the contact force on the hand's object
  bool hand = true;        ///< axes of manipulandum and simulated object
  bool contacts = false;   ///< points with arrows, computed anew
  bool trail = false;      ///< places of the object in the last seconds
  bool show_tree = false;  ///< spheres of point trees
  TreeChoice tree{1, {}};  ///< which
  bool show_slice = false;
  SliceChoice slice;
  bool centre_slice = false;      ///< once: to the middle of a body that was just chosen
  float pull_stiffness = 200.0F;  ///< N/m
  float pull_force = 5.0F;        ///< N
  bool frame_all = false;         ///< once: the camera of the whole scene
  bool save_picture = false;      ///< once
  /// Where the user has put the panel "State": pixels from the upper left corner; and its size.
  std::array<float, 2> state_corner{8.0F, 8.0F}, state_size{};
};

/// What the panels tell.
struct ViewStatus {
  std::string message;       ///< why there is nothing new, or why something is missing
  std::string saved;         ///< last picture
  std::size_t contacts = 0;  ///< computed
  bool contacts_known = false;
  std::vector<std::string> tree_bodies;   ///< with a point tree
  std::uint32_t tree_levels = 0;          ///< of the chosen ones
  std::vector<std::string> slice_bodies;  ///< with a distance field
  Eigen::AlignedBox3d slice_box;          ///< where the chosen one's slices are; empty: none
  double slice_range = 0.0;               ///< of its colours [m]; 0: none is shown
  double brightest = 0.0;                 ///< value of the brightest colour
  double images_a_second = 0.0;
};

/// Draws the panels of a frame with Dear ImGui, between begin_frame and end_frame of the window.
void draw_panels(MomentSource& source, const Moment& moment, const ViewStatus& status,
                 ViewChoices& choices);

}  // namespace haptic
