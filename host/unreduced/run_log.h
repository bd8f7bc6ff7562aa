#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace haptic {

/// One row of a run's log.
struct RunRow {
  double time = 0.0;            ///< s
  double strain_energy = 0.0;   ///< J
  double kinetic_energy = 0.0;  ///< J
  double residual = 0.0;        ///< of the equation of motion, relative; 0 where not computed
  int newton_iterations = 0;
  std::vector<double> probes;       ///< 3 x probes [m]
  std::vector<double> coordinates;  ///< r, reduced runs
};

/// Sizes and attributes of the log of a run.
struct RunLogLayout {
  std::vector<std::uint32_t> probes;        ///< vertex ids
  std::size_t coordinates = 0;              ///< r; 0: an unreduced run
  std::size_t snapshot_values = 0;          ///< 3n; 0: no snapshots
  std::span<const double> vertices;         ///< n x 3 [m], written where there are snapshots
  std::map<std::string, std::string> text;  ///< attributes of the file
  std::map<std::string, double> numbers;    ///< attributes of the file
};

/// Log of an offline run of one body (docs/physics.md): HDF5 with /run/*, /probes/*, and
/// /snapshots/displacement_m (S x 3n) with /mesh/vertices, from which a basis can be made. Written
/// under a temporary name until `finish`; the same rows give the same bytes.
class RunLog {
 public:
  /// @throws OperationError if the file cannot be created
  RunLog(const std::filesystem::path& path, const RunLogLayout& layout);
  /// Removes the temporary file unless finished.
  ~RunLog();
  RunLog(const RunLog&) = delete;
  RunLog& operator=(const RunLog&) = delete;

  /// @throws OperationError if writing fails
  void append(const RunRow& row);
  /// @param displacement snapshot_values numbers [m]
  void append_snapshot(double time, std::span<const double> displacement);
  void finish();

 private:
  struct File;
  std::unique_ptr<File> file_;
};

}  // namespace haptic
