#include "host/artifact/hdf5_input.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <span>

#include "host/artifact/hdf5_guard.h"
#include "shared/error.h"
#include "shared/memory/file_descriptor.h"

namespace haptic {
namespace {

constexpr std::string_view kOneNumber = "one number", kOneText = "one text of a fixed length";

/// Of a part that its writer may be about to replace. HDF5 waits 1, 2, 4, ... ns between them, in
/// sum 1 ms; by default it tries 100 times, and a file that was cut off would take for ever.
constexpr unsigned kReadAttempts = 20;

FileDescriptor open_regular(const std::filesystem::path& path, const std::string& expected,
                            std::uint64_t& size) {
  // O_NONBLOCK: a FIFO under the file's name must not hang the opener.
  FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) {
    throw InputError(path.string(), "", errno == ENOENT ? "no such file" : std::strerror(errno),
                     expected);
  }
  struct stat status {};
  if (fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) {
    throw InputError(path.string(), "", "not a regular file", expected);
  }
  size = static_cast<std::uint64_t>(status.st_size);
  return file;
}

/// HDF5 opens the file that was checked, and not what its name has become since.
std::string name_of(const FileDescriptor& file) {
  return fmt::format("/proc/self/fd/{}", file.get());
}

/// Bytes that the file has by its superblock, of the versions that HDF5 writes; else 0.
/// Source: HDF5 File Format Specification, "Disk Format: Level 0A - Format Signature and
/// Superblock"
std::uint64_t stated_length(const FileDescriptor& file) {
  constexpr std::string_view kSignature = "\x89HDF\r\n\x1a\n";
  constexpr std::size_t kVersion = 8, kEndOfVersion0 = 40, kEndOfVersion2 = 28;
  std::array<unsigned char, kEndOfVersion0 + 8> bytes{};
  std::uint64_t length = 0;
  if (::pread(file.get(), bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()) ||
      std::memcmp(bytes.data(), kSignature.data(), kSignature.size()) != 0 ||
      bytes[kVersion] == 1 || bytes[kVersion] > 3) {
    return length;
  }
  std::memcpy(&length, &bytes[bytes[kVersion] == 0 ? kEndOfVersion0 : kEndOfVersion2], 8);
  return length;
}

Hdf5Handle access_of_readers(bool unfinished) {
  Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "make access properties");
  require_hdf5(H5Pset_file_locking(access.get(), false, true), "file locking");
  if (unfinished) {
    require_hdf5(H5Pset_metadata_read_attempts(access.get(), kReadAttempts), "read attempts");
    // As h5clear does: a file that was finished and cut off later is shorter than it says.
    const hbool_t skips = true;
    static_cast<void>(H5Pset(access.get(), "skip_eof_check", &skips));
  }
  return access;
}

/// @returns no value for another kind of attribute, or one that cannot be read
std::optional<Hdf5Input::Attribute> read_attribute(hid_t object, const char* name) {
  const hid_t id = H5Aopen(object, name, H5P_DEFAULT);
  if (id < 0) return std::nullopt;
  const Hdf5Handle attribute(id, H5Aclose, name);
  const hid_t type_id = H5Aget_type(id);
  if (type_id < 0) return std::nullopt;
  const Hdf5Handle type(type_id, H5Tclose, name);
  const hid_t space_id = H5Aget_space(id);
  if (space_id < 0) return std::nullopt;
  const Hdf5Handle space(space_id, H5Sclose, name);
  if (H5Sget_simple_extent_npoints(space_id) != 1) return std::nullopt;
  const std::size_t size = H5Tget_size(type_id);
  if (H5Tget_class(type_id) == H5T_STRING) {
    if (H5Tis_variable_str(type_id) != 0 || size > Hdf5Input::kMaxAttributeLength) {
      return std::nullopt;
    }
    std::string text(size, '\0');
    if (H5Aread(id, type_id, text.data()) < 0) return std::nullopt;
    text.resize(std::strlen(text.c_str()));
    return text;
  }
  if (!is_plain_number(type_id)) return std::nullopt;
  double number = 0.0;
  if (H5Aread(id, H5T_NATIVE_DOUBLE, &number) < 0) return std::nullopt;
  return number;
}

}  // namespace

void Hdf5Input::open_file(bool unfinished) {
  const Hdf5Guard guarded(damage_line_);
  silence_hdf5();
  const FileDescriptor file = open_regular(path_, expected_, size_);
  const std::string name = name_of(file);
  if (H5Fis_hdf5(name.c_str()) <= 0) {
    throw InputError(path_.string(), "", "not an HDF5 file", expected_);
  }
  hid_t id = H5Fopen(name.c_str(), H5F_ACC_RDONLY, access_of_readers(false).get());
  if (id < 0 && unfinished) {
    is_whole_ = false;
    const std::uint64_t length = stated_length(file);
    if (length > size_) missing_bytes_ = length - size_;
    id = H5Fopen(name.c_str(), H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, access_of_readers(true).get());
  }
  if (id < 0) {
    throw InputError(path_.string(), "", "damaged or cut off: " + last_hdf5_error(), expected_);
  }
  file_ = Hdf5Handle(id, H5Fclose, path_.string());
}

Hdf5Input::Hdf5Input(std::filesystem::path path, std::string expected)
    : path_(std::move(path)),
      expected_(std::move(expected)),
      damage_line_(line_of_damage(path_.string(), "", expected_)) {}

Hdf5Input Hdf5Input::open(const std::filesystem::path& path, std::string expected) {
  Hdf5Input input(path, std::move(expected));
  input.open_file(false);
  return input;
}

Hdf5Input Hdf5Input::open_unfinished(const std::filesystem::path& path, std::string expected) {
  Hdf5Input input(path, std::move(expected));
  input.open_file(true);
  return input;
}

Hdf5Input Hdf5Input::in_memory(Hdf5Handle file, const std::filesystem::path& path,
                               std::string expected) {
  Hdf5Input input(path, std::move(expected));
  input.file_ = std::move(file);
  hsize_t size = 0;
  require_hdf5(H5Fget_filesize(input.file_.get(), &size), path.string());
  input.size_ = size;
  return input;
}

bool Hdf5Input::has(const std::string& name) const {
  const Hdf5Guard guarded(damage_line_);
  for (std::size_t end = 0; end != std::string::npos;) {
    end = name.find('/', end + 1);
    const std::string part = name.substr(0, end);
    if (part == "/") return true;  // the root
    const htri_t exists = H5Lexists(file_.get(), part.c_str(), H5P_DEFAULT);
    if (exists == 0) return false;
    H5L_info_t link{};
    if (exists < 0 || H5Lget_info(file_.get(), part.c_str(), &link, H5P_DEFAULT) < 0) {
      refuse_damaged(part);
    }
    if (link.type != H5L_TYPE_HARD) {
      throw InputError(path_.string(), part, "found a link to somewhere else",
                       "the data in this file");
    }
  }
  return true;
}

void Hdf5Input::refuse_damaged(const std::string& name) const {
  throw InputError(path_.string(), name, "damaged: " + last_hdf5_error(), expected_);
}

Hdf5Handle Hdf5Input::object(const std::string& name) const {
  const Hdf5Guard guarded(damage_line_);
  if (!has(name)) throw InputError(path_.string(), name, "no such object", expected_);
  const hid_t id = H5Oopen(file_.get(), name.c_str(), H5P_DEFAULT);
  if (id < 0) refuse_damaged(name);
  return {id, H5Oclose, name};
}

std::uint64_t Hdf5Input::entries(const std::string& group) const {
  const Hdf5Guard guarded(damage_line_);
  H5G_info_t info{};
  const Hdf5Handle owner = object(group);  // open: closing it would forget the reason
  if (H5Gget_info(owner.get(), &info) < 0) refuse_damaged(group);
  return info.nlinks;
}

bool Hdf5Input::has_attribute(const std::string& object_name, const std::string& name) const {
  const Hdf5Guard guarded(damage_line_);
  const Hdf5Handle owner = object(object_name);
  const htri_t exists = H5Aexists(owner.get(), name.c_str());
  if (exists < 0) refuse_damaged(object_name);
  return exists > 0;
}

Hdf5Input::Attribute Hdf5Input::attribute(const std::string& object_name, const std::string& name,
                                          std::string_view kind) const {
  const Hdf5Guard guarded(damage_line_);
  const Hdf5Handle owner = object(object_name);
  const std::string where = object_name == "/" ? "" : object_name;
  if (H5Aexists(owner.get(), name.c_str()) <= 0) {
    throw InputError(path_.string(), where, fmt::format("no attribute '{}'", name), expected_);
  }
  std::optional<Attribute> value = read_attribute(owner.get(), name.c_str());
  if (!value || std::holds_alternative<double>(*value) != (kind == kOneNumber)) {
    throw InputError(path_.string(), where, fmt::format("attribute '{}' of another kind", name),
                     std::string(kind));
  }
  return *std::move(value);
}

double Hdf5Input::number(const std::string& object, const std::string& name) const {
  return std::get<double>(attribute(object, name, kOneNumber));
}

std::string Hdf5Input::text(const std::string& object, const std::string& name) const {
  return std::get<std::string>(attribute(object, name, kOneText));
}

std::vector<std::pair<std::string, Hdf5Input::Attribute>> Hdf5Input::attributes(
    const std::string& object_name, std::span<const std::string> names) const {
  const Hdf5Guard guarded(damage_line_);
  const Hdf5Handle owner = object(object_name);
  std::vector<std::pair<std::string, Attribute>> known;
  for (const std::string& name : names) {
    const htri_t exists = H5Aexists(owner.get(), name.c_str());
    if (exists < 0) refuse_damaged(object_name);
    if (exists == 0) continue;
    if (std::optional<Attribute> value = read_attribute(owner.get(), name.c_str())) {
      known.emplace_back(name, *std::move(value));
    }
  }
  return known;
}

const Hdf5Dataset& Hdf5Input::dataset(const std::string& name) const {
  const auto known = datasets_.find(name);
  if (known != datasets_.end()) return known->second;
  const Hdf5Guard guarded(damage_line_);
  if (!has(name)) throw InputError(path_.string(), name, "no such dataset", expected_);
  return datasets_.try_emplace(name, path_, file_.get(), name, size_).first->second;
}

}  // namespace haptic
