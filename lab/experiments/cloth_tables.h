#pragma once

#include <cstdint>

#include "lab/experiments/experiment.h"
#include "lab/samples/cloth_samples.h"
#include "rt/worlds/cloth/verlet.h"

namespace haptic {

/// A cloth of 1 m that falls from the horizontal plane, held at two corners: structural springs of
/// 200 N/m, 0.2 kg/m^2, steps of 0.01 s / side, within the limit of velocity Verlet.
class FallingCloth {
 public:
  explicit FallingCloth(std::uint32_t side);
  FallingCloth(const FallingCloth&) = delete;
  FallingCloth& operator=(const FallingCloth&) = delete;

  /// @throws OperationError if it diverges
  void step();
  double dt() const { return verlet_.dt(); }  ///< s
  const ClothMesh& mesh() const { return cloth_.mesh; }
  const cloth::ParticleVectors& x() const { return cloth_.state.x; }  ///< m

 private:
  cloth::SampleCloth cloth_;
  cloth::VelocityVerlet verlet_;
};

/// Tables 9.1 to 9.3 of Vanacken 2005: bringing the structures up to date.
void report_updates(Experiment& experiment);

/// Table 9.4: a frame of the god-object with each structure.
void report_queries(Experiment& experiment);

}  // namespace haptic
