#include "host/reduction/snapshots.h"

#include <fmt/format.h>

#include <array>
#include <string>

#include "host/artifact/hdf5_handle.h"
#include "shared/error.h"

namespace haptic {
namespace {

/// A two-dimensional dataset of doubles as columns x rows: HDF5's rows become columns.
Eigen::MatrixXd read_rows(hid_t file, const std::filesystem::path& path, const std::string& name) {
  if (H5Lexists(file, name.substr(0, name.rfind('/')).c_str(), H5P_DEFAULT) <= 0 ||
      H5Lexists(file, name.c_str(), H5P_DEFAULT) <= 0) {
    throw InputError(path.string(), name, "missing",
                     "a log of haptic simulate --unreduced with --save-every");
  }
  const Hdf5Handle dataset(H5Dopen2(file, name.c_str(), H5P_DEFAULT), H5Dclose, "open " + name);
  const Hdf5Handle space(H5Dget_space(dataset.get()), H5Sclose, "read " + name);
  std::array<hsize_t, 2> extent{};
  if (H5Sget_simple_extent_ndims(space.get()) != 2) {
    throw InputError(path.string(), name, "found another rank", "rows x columns");
  }
  H5Sget_simple_extent_dims(space.get(), extent.data(), nullptr);
  Eigen::MatrixXd rows(static_cast<Eigen::Index>(extent[1]), static_cast<Eigen::Index>(extent[0]));
  if (rows.size() > 0) {
    require_hdf5(
        H5Dread(dataset.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows.data()),
        "read " + name);
  }
  return rows;
}

}  // namespace

Eigen::MatrixXd read_snapshots(const std::filesystem::path& path, const SolidMesh& mesh) {
  silence_hdf5();
  const hid_t id = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  if (id < 0) {
    throw InputError(path.string(), "", "cannot be read as HDF5",
                     "a log of haptic simulate --unreduced");
  }
  const Hdf5Handle file(id, H5Fclose, "open");
  const Eigen::MatrixXd vertices = read_rows(file.get(), path, "/mesh/vertices");
  const Eigen::Map<const Eigen::MatrixXd> own(mesh.vertices().data(), 3, mesh.vertex_count());
  const double size = (mesh.upper() - mesh.lower()).maxCoeff();
  if (vertices.cols() != own.cols() || vertices.rows() != 3 ||
      !((vertices - own).cwiseAbs().maxCoeff() <= 1e-9 * size)) {
    throw InputError(path.string(), "/mesh/vertices",
                     fmt::format("found another mesh, of {} vertices", vertices.cols()),
                     fmt::format("the {} vertices of this body", mesh.vertex_count()));
  }
  Eigen::MatrixXd snapshots = read_rows(file.get(), path, "/snapshots/displacement_m");
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
