#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <vector>

#include "host/fem/stvk_model.h"
#include "host/unreduced/mesh_place.h"

namespace haptic {

/// A place named by vertex id or by a point, of which the nearest one of the mesh is meant.
struct PlaceChoice {
  std::optional<std::uint32_t> vertex;
  Vector3 near = Vector3::Zero();  ///< model frame [m], where `vertex` is absent

  /// @throws InputError naming `where` if the id is out of range
  MeshPlace resolve(const SolidMesh& mesh, const std::string& where) const;
};

/// A force at one place over a span of time.
struct ScriptedLoad {
  PlaceChoice place;
  Vector3 force = Vector3::Zero();  ///< N
  double from = 0.0;                ///< s
  /// s; acts in the steps whose middle lies in [from, to)
  double to = std::numeric_limits<double>::infinity();
};

/// Loads on a body in an offline run. Reduced and unreduced runs read the same file, so that they
/// differ only by the subspace:
///
///   dt_s = 0.001
///   steps = 600
///   gravity = [0.0, 0.0, 0.0]      # m/s^2, optional
///   damping = [0.5, 0.0003]        # alpha [1/s], beta [s]; optional, else the model's
///   [[load]]
///   vertex = 12                    # or near = [x, y, z]
///   force_N = [0.0, 0.0, -2.0]
///   from_s = 0.0                   # optional
///   to_s = 0.05                    # optional: to the end
///   [[probe]]                      # places whose displacement is logged
///   near = [0.2, 0.0, 0.0]
struct LoadScript {
  std::filesystem::path file;
  double dt = 0.0;  ///< s
  int steps = 0;
  Vector3 gravity = Vector3::Zero();
  std::optional<std::array<double, 2>> damping;  ///< alpha [1/s], beta [s]
  std::vector<ScriptedLoad> loads;
  std::vector<PlaceChoice> probes;
};

/// @throws InputError: file and line, key, what was found, what was expected; also if no load and
///         no gravity is different from zero
LoadScript load_script(const std::filesystem::path& path);

/// The loads of a script on a mesh.
class LoadSequence {
 public:
  /// @throws InputError if a vertex is out of range
  LoadSequence(const LoadScript& script, const SolidMesh& mesh);

  struct PointForce {
    std::uint32_t vertex;
    Vector3 force;  ///< N
  };
  /// The point forces that act in step s = 1..steps, from (s - 1) dt to s dt; gravity apart.
  std::vector<PointForce> in_step(int step) const;
  const std::vector<MeshPlace>& probes() const { return probes_; }

 private:
  LoadScript script_;
  std::vector<MeshPlace> places_;  // of the loads
  std::vector<MeshPlace> probes_;
};

}  // namespace haptic
