#pragma once

#include <hdf5.h>

#include <string>
#include <string_view>
#include <utility>

namespace haptic {

/// Owner of one HDF5 identifier; closes it with the function for its type.
class Hdf5Handle {
 public:
  using Closer = herr_t (*)(hid_t);

  Hdf5Handle() = default;
  /// @param what  what was attempted, for the message, e.g. "create dataset /mesh/vertices"
  /// @throws OperationError if `id` is the HDF5 failure value
  Hdf5Handle(hid_t id, Closer closer, std::string_view what);
  Hdf5Handle(Hdf5Handle&& other) noexcept
      : id_(std::exchange(other.id_, H5I_INVALID_HID)), closer_(other.closer_) {}
  Hdf5Handle& operator=(Hdf5Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(closer_, other.closer_);
    return *this;
  }
  ~Hdf5Handle() { close(); }

  hid_t get() const { return id_; }
  void close();

 private:
  hid_t id_ = H5I_INVALID_HID;
  Closer closer_ = nullptr;
};

/// The deepest message of HDF5's last failure, which is then forgotten.
std::string last_hdf5_error();

/// @throws OperationError "<what> failed: <deepest HDF5 message>" if `status` is negative
void require_hdf5(herr_t status, std::string_view what);

/// Keeps HDF5 from printing its error stack (our exceptions carry the message) and from closing
/// files at exit. Call before the first HDF5 call of a thread.
void silence_hdf5();

/// Name of the file that contains an open object.
std::string file_of(hid_t object);

/// Writes attributes of a group, dataset or file.
void write_attribute(hid_t object, const std::string& name, const std::string& text);
void write_attribute(hid_t object, const std::string& name, double value);

}  // namespace haptic
