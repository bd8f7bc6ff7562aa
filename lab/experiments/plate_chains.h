#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "rt/worlds/scene.h"
#include "shared/math/pose.h"

namespace haptic {

/// Perforated plates on hinges, above a plane: in each row of each layer a chain of two and one of
/// three plates, end to end. Bodies of the scene: the hand, far away, the ground, then the plates.
class PlateChains {
 public:
  static constexpr std::size_t kFirst = 2;  ///< index of the first plate among the bodies

  /// Bakes the plate. @param points  of a plate
  PlateChains(const std::filesystem::path& folder, int layers, int rows, int points);

  Scene scene() const { return parse_scene(text_, folder_ / "scene.toml"); }
  int plates() const { return static_cast<int>(places_.size()); }
  int hinges() const { return static_cast<int>(hinges_.size()); }
  const std::filesystem::path& folder() const { return folder_; }
  /// Largest distance of the two points of a hinge, over the length of a plate.
  double largest_gap(std::span<const Pose> poses) const;
  /// Largest horizontal distance of a plate from its start [m].
  double largest_drift(std::span<const Pose> poses) const;
  /// Up to this drift, plates whose contact is not searched cannot touch [m].
  static double allowed_drift();
  static double thickness();  ///< of a plate [m]

 private:
  struct Place {
    Vector3 position;
    int row;
  };
  struct Hinge {
    std::size_t first;  // body; the second is the next one
  };
  void add_chain(int plates, const Vector3& first, int row);
  void add_contacts();

  std::filesystem::path folder_;
  std::string text_;
  std::vector<Place> places_;
  std::vector<Hinge> hinges_;
};

}  // namespace haptic
