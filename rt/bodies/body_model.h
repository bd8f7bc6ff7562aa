#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "rt/dynamics/rayleigh_damping.h"
#include "rt/dynamics/reduced_energy.h"
#include "rt/dynamics/viscous_damping.h"
#include "rt/geometry/body_source.h"
#include "rt/geometry/point_shell.h"
#include "rt/geometry/point_tree.h"
#include "rt/geometry/signed_field.h"
#include "shared/artifact/model_file.h"

namespace haptic {

/// A model file in sealed memory with views on the sections that it has, or an analytic shape.
/// Immutable after construction, except a deforming field. The views point into that memory, so the
/// object can be neither copied nor moved.
struct BodyModel {
  /// @param source     an analytic shape gives a rigid body with a field only
  /// @param dimension  number of leading basis vectors to use; absent: all
  /// @param opened     file of `source`, if another body has opened it; the bodies share its memory
  /// @throws InputError if the file is damaged, a group of sections is incomplete or the model has
  ///         fewer basis vectors than `dimension`
  explicit BodyModel(const BodySource& source, std::optional<std::uint32_t> dimension = {},
                     std::shared_ptr<const ModelFile> opened = nullptr);
  BodyModel(const BodyModel&) = delete;
  BodyModel& operator=(const BodyModel&) = delete;

  std::shared_ptr<const ModelFile> file;  ///< absent for an analytic shape
  std::optional<PointShell> shell;        ///< with `tree`
  std::optional<PointTree> tree;
  std::unique_ptr<SignedField> field;   ///< deforms if the body does and has /field/proxies
  std::optional<ReducedEnergy> energy;  ///< absent: the body is rigid
  std::optional<ViscousDamping> viscosity;
  RayleighDamping damping;
  std::uint64_t content_hash = 0;  ///< identity of the file's content, or of the shape
  double bounding_radius = 0.0;  ///< about the model origin [m]; of surface, else shell, else field
  /// The same about a point of the model's frame; of a shape, which has only a field, a bound.
  double bounding_radius_about(const Vector3& point) const;
  /// Centre and half the diagonal of the box about the same points [m].
  struct Extent {
    Vector3 centre{0.0, 0.0, 0.0};
    double radius = 0.0;
  };
  Extent extent() const;

  std::uint32_t dimension() const { return energy ? energy->dimension() : 0; }

 private:
  void add_sections(const ModelFile& model, std::optional<std::uint32_t> dimension);
  void add_shell(const ModelFile& model, std::uint32_t kept);
  void add_energy(const ModelFile& model, std::uint32_t kept);

  /// Leading columns, if not all are used; shell and tree view them.
  std::vector<float> displacement_, normal_correction_, modal_radius_;
};

}  // namespace haptic
