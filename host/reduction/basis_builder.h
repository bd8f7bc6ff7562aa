#pragma once

#include <Eigen/Core>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "host/reduction/free_derivatives.h"
#include "host/reduction/linear_modes.h"
#include "host/reduction/modal_derivatives.h"

namespace haptic {

enum class BasisKind {
  kDerivatives,      ///< mass-PCA of scaled modes and derivatives (Barbic 2007, eq 2.52)
  kModes,            ///< linear modes alone (locks; Barbic 2007, section 2.13.2)
  kFullDerivatives,  ///< mass-Gram-Schmidt of all modes and derivatives, r = k + k(k+1)/2
  kSketch,           ///< mass-PCA of static shapes under recorded forces (Barbic 2007, 2.8.2)
  kSnapshots,        ///< mass-PCA of a full simulation (re-simulation; Barbic 2007, 2.13.1)
};

/// Requested basis of a body.
struct BasisRequest {
  BasisKind kind = BasisKind::kDerivatives;
  int modes = 10;  ///< k >= 1: modes that are kept (they set the damping) and, where used, derived
  int dimension = 20;  ///< r >= 1; kFullDerivatives: 0 takes all
  bool free = false;   ///< unconstrained body: elastic modes and derivatives with inertia
  std::string where = "reduction";               ///< file to name in messages
  std::vector<std::filesystem::path> forces;     ///< kSketch: CSV files, one after the other
  std::vector<std::filesystem::path> snapshots;  ///< kSnapshots: logs with snapshots
  double force_separation = 0.05;                ///< kSketch: SketchSettings
  double shape_separation = 0.02;                ///< kSketch: SketchSettings
  std::function<void(double)> progress = {};     ///< fraction of the slow part; may be empty
};

constexpr bool uses_derivatives(BasisKind kind) {
  return kind == BasisKind::kDerivatives || kind == BasisKind::kFullDerivatives;
}

/// Modes of a body, including auxiliary modes of the solver: rigid modes before the kept ones, a
/// few after.
struct BasisModes {
  LinearModes all;
  int first = 0;  ///< of the kept modes: 6 for a free body, 0 for an anchored one
  int count = 0;  ///< k

  LinearModes kept() const;
};

/// Stage 1. @throws InputError naming request.where if k does not fit, or `free` and the fixed
/// vertices disagree
BasisModes basis_modes(const StvkModel& model, const BasisRequest& request);

/// Stage 2 in independent blocks: the same bits for any process and order of the blocks. Stores one
/// factor.
class DerivativeBlocks {
 public:
  /// @param model, modes outlive it
  DerivativeBlocks(const StvkModel& model, const BasisModes& modes, bool free);
  ~DerivativeBlocks();

  int count() const;
  /// Un-normalised derivatives of one block on the free dofs: 3 n_free x (columns of the block).
  Eigen::MatrixXd solve(int block) const;

 private:
  struct State;
  std::unique_ptr<const State> state_;
};

/// @param blocks all of DerivativeBlocks, in order
ModalDerivatives assemble_derivatives(const StvkModel& model, const BasisModes& modes,
                                      std::span<const Eigen::MatrixXd> blocks, bool free);

struct ReducedBasis {
  Eigen::MatrixXd basis;           ///< 3n x r, mass-orthonormal, zero at fixed vertices
  std::vector<std::string> notes;  ///< notes for the user, one line each
};

/// Stage 3. Sketch and snapshot bases are read, solved and thinned here. The basis of a free body
/// is made M-orthogonal to its rigid motions, which are integrated separately; otherwise the
/// rotation in a derivative would count twice.
/// @param derivatives empty where the kind uses none
/// @throws InputError if the body is not StVK; naming request.where if r is 0 or above the rank, a
/// force or snapshot file
///         does not fit the body; OperationError if a static solve fails
ReducedBasis assemble_basis(const StvkModel& model, const BasisRequest& request,
                            const BasisModes& modes, const ModalDerivatives& derivatives);

/// All stages.
ReducedBasis build_basis(const StvkModel& model, const BasisRequest& request);

}  // namespace haptic
