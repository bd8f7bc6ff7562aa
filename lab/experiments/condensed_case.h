#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "host/condensation/surface_compliance.h"
#include "lab/linear_reference/linear_body.h"
#include "lab/linear_reference/small_system.h"
#include "rt/bodies/condensed_model.h"
#include "rt/worlds/condensed/condensed_dynamics.h"
#include "rt/worlds/condensed/constraint_solver.h"
#include "rt/worlds/condensed/contact_row.h"
#include "shared/artifact/model_file.h"

namespace haptic {

/// A body of scenes/condensed, baked here, and its unreduced reference on the same mesh.
class CondensedCase {
 public:
  struct Variant {
    int modes = 10;
    CompliancePrecision precision = CompliancePrecision::kSingle;
  };

  /// Bakes scenes/condensed/`name`.toml to `folder`/`file`.h5 without stored results.
  /// @param name  "cube" or "hand"
  /// @throws InputError, OperationError as bake()
  CondensedCase(const std::string& name, const std::filesystem::path& folder,
                const std::string& file, const Variant& variant);

  const std::string& name() const { return name_; }
  const std::filesystem::path& path() const { return file_.path(); }
  double bake_seconds() const { return bake_seconds_; }  ///< of the whole bake, wall time
  const CondensedModel& model() const { return model_; }
  const lab::LinearBody& body() const { return body_; }
  Eigen::Index dof() const { return static_cast<Eigen::Index>(dofs_.size()); }  ///< s

  Vector3 place(std::uint32_t node) const;     ///< of a condensed node at rest [m]
  Vector3 vertex(std::uint32_t vertex) const;  ///< of the surface at rest [m]
  std::uint32_t node_near(const Vector3& place) const;
  /// A contact on one node.
  condensed::ContactRow row(std::uint32_t node) const;
  /// Condensed nodes within `distance` [m] of a node, itself among them; or all others.
  std::vector<std::uint32_t> nodes_near(std::uint32_t node, double distance) const;
  std::vector<std::uint32_t> nodes_beyond(std::uint32_t node, double distance) const;

  /// H over the free degrees of freedom of the whole mesh: 3c x n.
  lab::ContactRows full_rows(std::span<const condensed::ContactRow> rows) const;
  /// Condensed degrees of freedom (s) of displacements of the free ones (n), and of all (3v).
  Eigen::VectorXd condensed(const Eigen::VectorXd& free) const;
  Eigen::VectorXd condensed_of_all(const Eigen::VectorXd& all) const;
  Eigen::VectorXd mode_rows(std::size_t mode) const;  ///< column of U1: s values

 private:
  std::string name_;
  double bake_seconds_;
  ModelFile file_;
  CondensedModel model_;
  lab::LinearBody body_;
  std::span<const std::uint32_t> nodes_;  // mesh vertex of each condensed node
  std::vector<int> dofs_;                 // free degree of freedom of each condensed one
};

/// |a - b| / |b| over the given nodes.
double relative_difference(const Eigen::VectorXd& a, const Eigen::VectorXd& b,
                           std::span<const std::uint32_t> nodes);

/// Steps of a condensed body whose contacts are held at given displacements.
class HeldContacts {
 public:
  /// @throws InputError as CondensedDynamics
  HeldContacts(const CondensedModel& model, const condensed::CondensedDynamicsSettings& settings,
               std::span<const condensed::ContactRow> rows);

  /// One step that ends, by the coupling's pairing, with H u = u*.
  /// @param target  u*, 3c values [m] @returns false if a value is not finite
  [[nodiscard]] bool try_step(const Eigen::VectorXd& target);
  /// @throws OperationError if a value is not finite
  void step(const Eigen::VectorXd& target);
  /// Displacements of the condensed nodes in the displayed pose: s values [m].
  const Eigen::VectorXd& pose();
  const Eigen::VectorXd& force() const { return force_; }  ///< on the body, 3c values [N]
  Eigen::VectorXd q() const;
  Eigen::VectorXd velocity() const;

  condensed::CondensedDynamics dynamics;

 private:
  condensed::ConstraintSolver solver_;
  Eigen::VectorXd force_, u_;
};

}  // namespace haptic
