#pragma once

#include <filesystem>

#include "host/artifact/hdf5_handle.h"
#include "host/files/temporary_file.h"

namespace haptic {

/// An HDF5 file in the making: the old one stays until the new one is whole (TemporaryFile).
class Hdf5Output {
 public:
  /// Property lists of the file; H5P_DEFAULT for HDF5's own.
  struct Properties {
    hid_t creation = H5P_DEFAULT;
    hid_t access = H5P_DEFAULT;
  };

  /// @throws InputError as check_output(), and if `target` is a file that is not HDF5: it would be
  ///         lost; OperationError if the file cannot be made
  explicit Hdf5Output(const std::filesystem::path& target);
  Hdf5Output(const std::filesystem::path& target, const Properties& properties);

  hid_t id() const { return file_.get(); }
  const std::filesystem::path& temporary() const { return temporary_.path(); }

  /// Everything in it goes to the file, which is closed. Close what was opened in it before.
  /// @throws OperationError if the disk is full
  void close();
  /// Closes what is still open and puts the file under its final name.
  /// @throws OperationError if the disk is full or the name cannot be had
  void commit();

 private:
  TemporaryFile temporary_;
  Hdf5Handle file_;
};

}  // namespace haptic
