#include "host/artifact/hdf5_handle.h"

#include <fmt/format.h>

#include "shared/error.h"

namespace haptic {
namespace {

std::string deepest_message() {
  std::string message;
  H5Ewalk2(
      H5E_DEFAULT, H5E_WALK_UPWARD,
      [](unsigned index, const H5E_error2_t* error, void* target) -> herr_t {
        if (index == 0 && error->desc) *static_cast<std::string*>(target) = error->desc;
        return 0;
      },
      &message);
  H5Eclear2(H5E_DEFAULT);
  return message.empty() ? "unknown HDF5 error" : message;
}

}  // namespace

void silence_hdf5() {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

void require_hdf5(herr_t status, std::string_view what) {
  if (status < 0) throw OperationError(fmt::format("{} failed: {}", what, deepest_message()));
}

Hdf5Handle::Hdf5Handle(hid_t id, Closer closer, std::string_view what) : id_(id), closer_(closer) {
  if (id < 0) throw OperationError(fmt::format("{} failed: {}", what, deepest_message()));
}

void Hdf5Handle::close() {
  if (id_ >= 0 && closer_) closer_(id_);
  id_ = H5I_INVALID_HID;
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
