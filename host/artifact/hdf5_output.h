#pragma once

#include <filesystem>

#include "host/artifact/hdf5_handle.h"
#include "host/files/temporary_file.h"

namespace haptic {

/// An HDF5 file that is being written: the old file stays until the new one is complete
/// (TemporaryFile).
class Hdf5Output {
 public:
  /// Property lists of the file; H5P_DEFAULT for the defaults.
  struct Properties {
    hid_t creation = H5P_DEFAULT;
    hid_t access = H5P_DEFAULT;
  };

  /// @throws InputError as check_output(), and if `target` exists and is not HDF5; OperationError
  ///         if the file cannot be created
  explicit Hdf5Output(const std::filesystem::path& target);
  Hdf5Output(const std::filesystem::path& target, const Properties& properties);

  hid_t id() const { return file_.get(); }
  const std::filesystem::path& temporary() const { return temporary_.path(); }

  /// Writes all data and closes the file. Close the objects opened in it before.
  /// @throws OperationError if the disk is full
  void close();
  /// Closes the file if it is open and gives it its final name.
  /// @throws OperationError if the disk is full or the file cannot be renamed
  void commit();

 private:
  TemporaryFile temporary_;
  Hdf5Handle file_;
};

}  // namespace haptic
