#include "host/artifact/hdf5_output.h"

#include <system_error>

#include "host/files/output_path.h"
#include "shared/error.h"

namespace haptic {
namespace {

const std::filesystem::path& checked(const std::filesystem::path& target) {
  silence_hdf5();
  check_output(target);
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(target, error);
  if (!error && size > 0 && H5Fis_hdf5(target.c_str()) <= 0) {
    throw InputError(target.string(), "", "found an existing file that is not HDF5",
                     "a new name, or an HDF5 file to replace");
  }
  return target;
}

}  // namespace

Hdf5Output::Hdf5Output(const std::filesystem::path& target) : Hdf5Output(target, Properties()) {}

Hdf5Output::Hdf5Output(const std::filesystem::path& target, const Properties& properties)
    : temporary_(checked(target)),
      file_(H5Fcreate(temporary_.path().c_str(), H5F_ACC_EXCL, properties.creation,
                      properties.access),
            H5Fclose, target.string() + ": create") {}

void Hdf5Output::close() {
  if (file_.get() < 0) return;
  require_hdf5(H5Fflush(file_.get(), H5F_SCOPE_GLOBAL), temporary_.target().string() + ": write");
  file_.close();
}

void Hdf5Output::commit() {
  close();
  temporary_.commit();
}

}  // namespace haptic
