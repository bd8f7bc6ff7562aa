#include "host/artifact/hdf5_handle.h"

#include <fmt/format.h>

#include <filesystem>
#include <string_view>
#include <system_error>

#include "host/files/temporary_file.h"
#include "shared/error.h"

namespace haptic {

std::string last_hdf5_error() {
  std::string message;
  H5Ewalk2(
      H5E_DEFAULT, H5E_WALK_UPWARD,
      [](unsigned index, const H5E_error2_t* error, void* target) -> herr_t {
        if (index == 0 && error->desc) *static_cast<std::string*>(target) = error->desc;
        return 0;
      },
      &message);
  H5Eclear2(H5E_DEFAULT);
  // HDF5 puts the system's error message, if there is one, between file descriptors and addresses.
  constexpr std::string_view kReason = "error message = '";
  if (const std::size_t at = message.find(kReason); at != std::string::npos) {
    const std::size_t begin = at + kReason.size();
    return message.substr(begin, message.find('\'', begin) - begin);
  }
  return message.empty() ? "unknown HDF5 error" : message;
}

void silence_hdf5() {
  // At exit HDF5 would try to close the data that it could not write to a full disk, and crash. Our
  // handles close every object.
  static const bool no_exit_handler = H5dont_atexit() >= 0;
  static_cast<void>(no_exit_handler);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

void require_hdf5(herr_t status, std::string_view what) {
  if (status < 0) throw OperationError(fmt::format("{} failed: {}", what, last_hdf5_error()));
}

Hdf5Handle::Hdf5Handle(hid_t id, Closer closer, std::string_view what) : id_(id), closer_(closer) {
  if (id < 0) throw OperationError(fmt::format("{} failed: {}", what, last_hdf5_error()));
}

void Hdf5Handle::close() {
  if (id_ >= 0 && closer_) closer_(id_);
  id_ = H5I_INVALID_HID;
}

std::string file_of(hid_t object) {
  const ssize_t size = H5Fget_name(object, nullptr, 0);
  std::string name(size > 0 ? static_cast<std::size_t>(size) : 0, '\0');
  if (size > 0) H5Fget_name(object, name.data(), name.size() + 1);
  // An output is open by its descriptor, which is a link to its present name.
  std::error_code is_no_link;
  const std::string present = std::filesystem::read_symlink(name, is_no_link).string();
  if (!name.starts_with("/proc/") || is_no_link) return name;
  const std::string_view target = without_temporary_ending(present);
  return target.empty() ? present : std::string(target);
}

void write_attribute(hid_t object, const std::string& name, const std::string& text) {
  const std::string what = "write attribute " + name;
  const Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose, what);
  require_hdf5(H5Tset_size(type.get(), text.empty() ? 1 : text.size()), what);
  require_hdf5(H5Tset_cset(type.get(), H5T_CSET_UTF8), what);
  require_hdf5(H5Tset_strpad(type.get(), H5T_STR_NULLPAD), what);
  const Hdf5Handle space(H5Screate(H5S_SCALAR), H5Sclose, what);
  const Hdf5Handle attribute(
      H5Acreate2(object, name.c_str(), type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose,
      what);
  require_hdf5(H5Awrite(attribute.get(), type.get(), text.c_str()), what);
}

void write_attribute(hid_t object, const std::string& name, double value) {
  const std::string what = "write attribute " + name;
  const Hdf5Handle space(H5Screate(H5S_SCALAR), H5Sclose, what);
  const Hdf5Handle attribute(
      H5Acreate2(object, name.c_str(), H5T_IEEE_F64LE, space.get(), H5P_DEFAULT, H5P_DEFAULT),
      H5Aclose, what);
  require_hdf5(H5Awrite(attribute.get(), H5T_NATIVE_DOUBLE, &value), what);
}

}  // namespace haptic
