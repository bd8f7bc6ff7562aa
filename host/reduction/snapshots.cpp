#include "host/reduction/snapshots.h"

#include <fmt/format.h>

#include <string>

#include "host/artifact/hdf5_input.h"
#include "shared/error.h"

namespace haptic {
namespace {

/// A two-dimensional dataset of numbers as columns x rows: HDF5's rows become columns.
Eigen::MatrixXd read_rows(const Hdf5Input& file, const std::string& name) {
  const Hdf5Dataset& dataset = file.dataset(name);
  Eigen::MatrixXd rows(static_cast<Eigen::Index>(dataset.width()),
                       static_cast<Eigen::Index>(dataset.rows()));
  dataset.read(0, dataset.rows(), H5T_NATIVE_DOUBLE, rows.data());
  return rows;
}

}  // namespace

Eigen::MatrixXd read_snapshots(const std::filesystem::path& path, const SolidMesh& mesh) {
  const Hdf5Input file =
      Hdf5Input::open(path, "a log of haptic simulate --unreduced with --save-every");
  const Eigen::MatrixXd vertices = read_rows(file, "/mesh/vertices");
  const Eigen::Map<const Eigen::MatrixXd> own(mesh.vertices().data(), 3, mesh.vertex_count());
  const double size = (mesh.upper() - mesh.lower()).maxCoeff();
  if (vertices.cols() != own.cols() || vertices.rows() != 3 ||
      !((vertices - own).cwiseAbs().maxCoeff() <= 1e-9 * size)) {
    throw InputError(path.string(), "/mesh/vertices",
                     fmt::format("found another mesh, of {} vertices", vertices.cols()),
                     fmt::format("the {} vertices of this body", mesh.vertex_count()));
  }
  Eigen::MatrixXd snapshots = read_rows(file, "/snapshots/displacement_m");
  if (snapshots.rows() != 3 * own.cols() || !snapshots.allFinite()) {
    throw InputError(
        path.string(), "/snapshots/displacement_m",
        fmt::format("found {} numbers a row, or values that are not finite", snapshots.rows()),
        fmt::format("{} finite ones", 3 * own.cols()));
  }
  if (snapshots.cols() == 0 || snapshots.isZero(0.0)) {
    throw InputError(path.string(), "/snapshots/displacement_m",
                     snapshots.cols() == 0 ? "found no row" : "found only zeros",
                     "at least one deformed snapshot");
  }
  return snapshots;
}

}  // namespace haptic
