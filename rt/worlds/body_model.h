#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "rt/contact/point_shell.h"
#include "rt/contact/point_tree.h"
#include "rt/contact/signed_field.h"
#include "rt/dynamics/rayleigh_damping.h"
#include "rt/dynamics/reduced_energy.h"
#include "rt/dynamics/viscous_damping.h"
#include "shared/artifact/model_file.h"

namespace haptic {

/// A mapped model with the views that its sections allow. Constant after construction; the views
/// point into the map, so the object stays where it was made.
struct BodyModel {
  /// @param dimension  take part: the first so many basis vectors; absent: all
  /// @throws InputError if the file is damaged, a group of sections is incomplete or the model has
  ///         fewer basis vectors
  explicit BodyModel(const std::filesystem::path& path,
                     std::optional<std::uint32_t> dimension = {});
  BodyModel(const BodyModel&) = delete;
  BodyModel& operator=(const BodyModel&) = delete;

  ModelFile file;
  std::optional<PointShell> shell;  ///< with `tree`
  std::optional<PointTree> tree;
  std::unique_ptr<SignedField> field;
  std::optional<ReducedEnergy> energy;  ///< absent: the body is rigid
  std::optional<ViscousDamping> viscosity;
  RayleighDamping damping;
  double bounding_radius = 0.0;  ///< of surface, shell and field box about the model origin [m]

  std::uint32_t dimension() const { return energy ? energy->dimension() : 0; }

 private:
  void add_shell(std::uint32_t kept);
  void add_energy(std::uint32_t kept);

  /// Columns that take part, where that is not all: shell and tree view them.
  std::vector<float> displacement_, normal_correction_, modal_radius_;
};

}  // namespace haptic
