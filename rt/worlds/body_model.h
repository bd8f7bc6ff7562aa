#pragma once

#include <filesystem>
#include <optional>

#include "rt/contact/distance_field.h"
#include "rt/contact/point_shell.h"
#include "rt/contact/point_tree.h"
#include "rt/dynamics/newmark_integrator.h"
#include "rt/dynamics/reduced_energy.h"
#include "shared/artifact/model_file.h"

namespace haptic {

/// A mapped model with the views that its sections allow. Constant after construction; the views
/// point into the map, so the object stays where it was made.
struct BodyModel {
  /// @throws InputError if the file is damaged or a group of sections is incomplete
  explicit BodyModel(const std::filesystem::path& path);
  BodyModel(const BodyModel&) = delete;
  BodyModel& operator=(const BodyModel&) = delete;

  ModelFile file;
  std::optional<PointShell> shell;  ///< with `tree`
  std::optional<PointTree> tree;
  std::optional<DistanceField> field;
  std::optional<ReducedEnergy> energy;  ///< absent: the body is rigid
  RayleighDamping damping;
  double bounding_radius = 0.0;  ///< of surface, shell and field box about the model origin [m]

  std::uint32_t dimension() const { return energy ? energy->dimension() : 0; }
};

}  // namespace haptic
