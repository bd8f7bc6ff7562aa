#include "host/artifact/hdf5_output.h"

#include <cstdint>
#include <fstream>
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

/// A file whose last write failed is shorter than its superblock (version 3) says.
void extend_to_stated_length(const std::filesystem::path& path) {
  constexpr std::streamoff kStatedLength = 28;
  std::uint64_t stated = 0;
  std::ifstream file(path, std::ios::binary);
  file.seekg(kStatedLength);
  file.read(reinterpret_cast<char*>(&stated), sizeof stated);
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  constexpr std::uint64_t kMostMissing = std::uint64_t{1} << 30;
  if (!file || error || stated <= size || stated - size > kMostMissing) return;
  std::filesystem::resize_file(path, stated, error);  // a limit of the file's size may refuse it
}

}  // namespace

Hdf5Output::Hdf5Output(const std::filesystem::path& target) : Hdf5Output(target, Properties()) {}

Hdf5Output::Hdf5Output(const std::filesystem::path& target, const Properties& properties)
    : temporary_(checked(target)),
      file_(H5Fcreate(temporary_.path().c_str(), H5F_ACC_EXCL, properties.creation,
                      properties.access),
            H5Fclose, target.string() + ": create") {}

Hdf5Output::~Hdf5Output() {
  if (!published_ || !failed_) return;
  file_.close();
  extend_to_stated_length(temporary_.target());
}

void Hdf5Output::publish() {
  require_hdf5(H5Fstart_swmr_write(file_.get()), temporary_.target().string() + ": publish");
  temporary_.publish();
  published_ = true;
}

void Hdf5Output::flush() {
  failed_ = true;  // until it is done
  require_hdf5(H5Fflush(file_.get(), H5F_SCOPE_GLOBAL), temporary_.target().string() + ": write");
  failed_ = false;
}

void Hdf5Output::close() {
  if (file_.get() < 0) return;
  flush();
  file_.close();
}

void Hdf5Output::commit() {
  close();
  if (!published_) temporary_.commit();
}

}  // namespace haptic
