#pragma once

#include <memory>
#include <string>
#include <vector>

#include "host/monitor/subspace_residual.h"
#include "shared/ipc/telemetry_reader.h"

namespace haptic {

/// The error indicator of one deformable body of a running daemon.
struct BodySubspaceError {
  std::string body;
  bool known = false;
  double ratio = 0.0;   ///< SubspaceResidual::at its present q
  std::string why_not;  ///< reason if the ratio is unknown
};

/// Error indicators of a daemon's deformable bodies from their model files and the telemetry, with
/// the basis vectors and materials in use; the files are read once, and again when an operator
/// changed a group's material or the number of basis vectors.
class SubspaceMonitor {
 public:
  explicit SubspaceMonitor(const TelemetryReader& telemetry);

  /// @param parameters of the daemon, @param newest cycle of the daemon
  std::vector<BodySubspaceError> read(const std::vector<ParameterRecord>& parameters,
                                      const TelemetrySample& newest);

 private:
  struct Body {
    std::string name, path;
    std::uint64_t hash;
    std::uint32_t first_coordinate, coordinate_count;
    std::unique_ptr<ModelFile> model;
    std::vector<MaterialRows::Group> groups;  ///< materials of `residual`
    std::uint32_t dimension = 0;              ///< basis vectors of `residual`
    std::unique_ptr<SubspaceResidual> residual;
    std::string why_not;
  };
  static void open(Body& body);
  /// Brings the residual to the present materials and number of basis vectors.
  static void follow(Body& body, const std::vector<ParameterRecord>& parameters);

  StateLayout state_;
  std::vector<Body> bodies_;
};

}  // namespace haptic
