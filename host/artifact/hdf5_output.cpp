#include "host/artifact/hdf5_output.h"

#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <system_error>
#include <utility>

#include "host/artifact/hdf5_input.h"
#include "host/files/output_path.h"
#include "shared/error.h"

namespace haptic {
namespace {

/// Whether the file is the log of a daemon. It alone has timing, and none can be made again.
bool is_recording(const std::filesystem::path& path) {
  try {
    return Hdf5Input::open_unfinished(path, "a log").has("/timing");
  } catch (const InputError&) {
    return false;
  }
}

const std::filesystem::path& checked(const std::filesystem::path& target,
                                     const Hdf5Output::Properties& properties) {
  silence_hdf5();
  if (properties.is_claimed) return target;
  check_output(target);
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(target, error);
  if (!error && size > 0 && H5Fis_hdf5(target.c_str()) <= 0) {
    throw InputError(target.string(), "", "found an existing file that is not HDF5",
                     "a new name, or an HDF5 file to replace");
  }
  if (!error && size > 0 && !properties.may_replace_recording && is_recording(target)) {
    throw InputError(target.string(), "", "found the recording of a daemon", "a new name");
  }
  return target;
}

Hdf5Handle create_in_memory(const std::filesystem::path& target, hid_t creation) {
  constexpr std::size_t kIncrement = std::size_t{1} << 20;  // bytes
  static std::atomic<unsigned> count{0};
  silence_hdf5();
  const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "make access properties");
  require_hdf5(H5Pset_fapl_core(access.get(), kIncrement, false), "file in memory");
  // HDF5 opens no two files of one name.
  const std::string name = target.string() + " #" + std::to_string(++count);
  return {H5Fcreate(name.c_str(), H5F_ACC_TRUNC, creation, access.get()), H5Fclose,
          target.string() + ": create in memory"};
}

/// The file has our own lock, also where the file system has none that HDF5 could take.
Hdf5Handle without_hdf5_locks(hid_t access) {
  Hdf5Handle copy(access == H5P_DEFAULT ? H5Pcreate(H5P_FILE_ACCESS) : H5Pcopy(access), H5Pclose,
                  "make access properties");
  require_hdf5(H5Pset_file_locking(copy.get(), false, true), "switch file locking off");
  return copy;
}

/// A file whose last write failed is shorter than its superblock (version 3) says.
void extend_to_stated_length(int file) {
  constexpr off_t kStatedLength = 28;
  constexpr std::uint64_t kMaxMissing = std::uint64_t{1} << 30;
  std::uint64_t stated = 0;
  struct stat status = {};
  if (pread(file, &stated, sizeof stated, kStatedLength) != sizeof stated) return;
  if (fstat(file, &status) != 0) return;
  const auto size = static_cast<std::uint64_t>(status.st_size);
  if (stated <= size || stated - size > kMaxMissing) return;
  // A limit of the file's size may refuse it.
  static_cast<void>(!ftruncate(file, static_cast<off_t>(stated)));
}

}  // namespace

Hdf5Output::Hdf5Output(const std::filesystem::path& target) : Hdf5Output(target, Properties()) {}

Hdf5Output::Hdf5Output(const std::filesystem::path& target, const Properties& properties)
    : target_(target) {
  if (properties.in_memory) {
    file_ = create_in_memory(target, properties.creation);
    return;
  }
  temporary_.emplace(checked(target, properties));
  access_ = without_hdf5_locks(properties.access);
  file_ = Hdf5Handle(
      H5Fcreate(temporary_->open_name().c_str(), H5F_ACC_TRUNC, properties.creation, access_.get()),
      H5Fclose, target.string() + ": create");
}

Hdf5Output::~Hdf5Output() {
  if (!published_ || !failed_) return;
  file_.close();
  extend_to_stated_length(temporary_->descriptor());
}

void Hdf5Output::publish() {
  require_hdf5(H5Fstart_swmr_write(file_.get()), target_.string() + ": publish");
  temporary_->publish();
  published_ = true;
}

void Hdf5Output::flush() {
  failed_ = true;  // until it is done
  require_hdf5(H5Fflush(file_.get(), H5F_SCOPE_GLOBAL), target_.string() + ": write");
  failed_ = false;
}

void Hdf5Output::close() {
  if (file_.get() < 0) return;
  flush();
  file_.close();
}

void Hdf5Output::commit() {
  close();
  if (!published_) temporary_->commit();
}

Hdf5Handle Hdf5Output::reopen() const {
  return {H5Fopen(temporary_->open_name().c_str(), H5F_ACC_RDWR, access_.get()), H5Fclose,
          target_.string() + ": finish"};
}

Hdf5Handle Hdf5Output::release() {
  flush();
  return std::move(file_);
}

}  // namespace haptic
