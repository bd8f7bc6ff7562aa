#pragma once

#include <filesystem>
#include <optional>

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
    bool in_memory = false;              ///< release() instead of commit(); `access` is not used
    bool may_replace_recording = false;  ///< of a daemon
    bool is_claimed = false;             ///< the caller has an OutputClaim on `target`
  };

  /// @throws InputError as check_output(), and if `target` exists and is not HDF5 or is the
  ///         recording of a daemon; OperationError if the file cannot be created
  explicit Hdf5Output(const std::filesystem::path& target);
  /// After a failure of a published file: makes it as long as it says, without using space, because
  /// HDF5 refuses a shorter file.
  ~Hdf5Output();
  Hdf5Output(const std::filesystem::path& target, const Properties& properties);

  hid_t id() const { return file_.get(); }
  const std::filesystem::path& target() const { return target_; }
  /// The file on the disk, which is not in memory; call close() before writing to it.
  int descriptor() const { return temporary_->descriptor(); }
  /// Opens the file again after close(), for changes by HDF5. @throws OperationError if it fails
  Hdf5Handle reopen() const;

  /// Gives the file its final name while it is written: HDF5's single writer, multiple readers. It
  /// is locked for writing (TemporaryFile) as long as this object lives.
  /// From now on groups, datasets and attributes cannot be added, and what flush() has written can
  /// be read by others, also if this process is killed. `access` must ask for the format 1.10.
  /// @throws OperationError if HDF5 or the renaming fails
  void publish();
  /// Call before data are written into its objects: until the next flush() has succeeded, a failure
  /// is assumed.
  void expect_failure() { failed_ = true; }
  /// Writes all data. @throws OperationError if the disk is full
  void flush();
  /// Writes all data and closes the file. Close the objects opened in it before.
  /// @throws OperationError if the disk is full
  void close();
  /// Closes the file if it is open and gives it its final name, unless publish() did.
  /// @throws OperationError if the disk is full or the file cannot be renamed
  void commit();
  /// The open file in memory, which ends with the handle. @throws OperationError if HDF5 fails
  Hdf5Handle release();

 private:
  std::filesystem::path target_;
  std::optional<TemporaryFile> temporary_;  ///< absent in memory
  Hdf5Handle access_;
  Hdf5Handle file_;
  bool published_ = false;
  bool failed_ = false;
};

}  // namespace haptic
