#include "host/artifact/model_writer.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "host/artifact/growing_dataset.h"
#include "host/artifact/hdf5_output.h"
#include "host/files/output_path.h"
#include "shared/artifact/attributes.h"
#include "shared/artifact/section_shapes.h"
#include "shared/artifact/user_block.h"
#include "shared/assert.h"
#include "shared/error.h"
#include "shared/files/regular_file.h"

namespace haptic {
namespace {

static_assert(std::endian::native == std::endian::little,
              "sections are written in the byte order of memory");

[[noreturn]] void fail(const std::filesystem::path& path, std::string_view what) {
  throw OperationError(fmt::format("{}: {}: {}", path.string(), what, std::strerror(errno)));
}

hid_t hdf5_type(ElementType type) {
  switch (type) {
    case ElementType::kFloat32:
      return H5T_IEEE_F32LE;
    case ElementType::kFloat64:
      return H5T_IEEE_F64LE;
    case ElementType::kUint32:
      return H5T_STD_U32LE;
    case ElementType::kUint8:
      return H5T_STD_U8LE;
  }
  HAPTIC_DEMAND(false);
}

/// @throws InputError as check_output(), and if the file exists, is not empty and is no model
void require_model(const std::filesystem::path& target) {
  check_output(target);
  const std::string first = first_bytes(target, kModelMagic.size());
  if (first.empty() || std::ranges::equal(first, kModelMagic)) return;
  throw InputError(target.string(), "", "found an existing file that is not a model",
                   "a new name, or a model to replace");
}

/// An HDF5 file with room for the index; datasets start at multiples of 4096.
Hdf5Output create_file(const std::filesystem::path& target) {
  require_model(target);
  silence_hdf5();
  const Hdf5Handle creation(H5Pcreate(H5P_FILE_CREATE), H5Pclose, "prepare HDF5 file");
  require_hdf5(H5Pset_userblock(creation.get(), kUserBlockSize), "set user block");
  const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "prepare HDF5 file");
  require_hdf5(H5Pset_alignment(access.get(), 1, kSectionAlignment), "set alignment");
  // Raw data must not be packed into shared blocks, which would undo the alignment.
  require_hdf5(H5Pset_small_data_block_size(access.get(), 0), "set small data block size");
  return {target, {.creation = creation.get(), .access = access.get()}};
}

}  // namespace

struct ModelWriter::State {
  explicit State(const std::filesystem::path& path) : target(path), file(create_file(path)) {}

  std::filesystem::path target;
  Hdf5Output file;
  std::vector<UserBlockEntry> entries;

  Hdf5Handle group(const std::string& name) const {
    if (H5Lexists(file.id(), name.c_str(), H5P_DEFAULT) > 0) {
      return {H5Gopen2(file.id(), name.c_str(), H5P_DEFAULT), H5Gclose, "open group " + name};
    }
    const Hdf5Handle creation(H5Pcreate(H5P_GROUP_CREATE), H5Pclose, "prepare group " + name);
    require_hdf5(H5Pset_obj_track_times(creation.get(), false), "prepare group " + name);
    return {H5Gcreate2(file.id(), name.c_str(), H5P_DEFAULT, creation.get(), H5P_DEFAULT), H5Gclose,
            "create group " + name};
  }

  void make_groups_above(const std::string& path) const {
    for (std::size_t slash = path.find('/', 1); slash != std::string::npos;
         slash = path.find('/', slash + 1)) {
      group(path.substr(0, slash));
    }
  }

  Hdf5Handle group_of_attribute(const std::string& path, const std::string& name) const {
    if (std::ranges::count(model_attribute_names(path), name) == 0) {
      throw std::logic_error(fmt::format("{}@{}: no attribute of a model", path, name));
    }
    make_groups_above(path);
    return group(path);
  }

  void add(std::string_view name, ElementType type, const void* data, std::uint64_t count,
           Shape shape);
  void write_user_block(int fd) const;
};

void ModelWriter::State::add(std::string_view name, ElementType type, const void* data,
                             std::uint64_t count, Shape shape) {
  const SectionInfo* info = find_section(name);
  HAPTIC_DEMAND(info && info->type == type && info->rank == shape.size());
  std::uint64_t product = 1;
  for (std::uint64_t extent : shape) product *= extent;
  HAPTIC_DEMAND(product == count);
  HAPTIC_DEMAND(name.size() < kSectionNameSize);
  const std::string path(name);
  for (const UserBlockEntry& entry : entries) {
    if (path == entry.name.data()) throw OperationError(path + ": written twice");
  }

  const std::string what = fmt::format("{}: write {}", target.string(), path);
  make_groups_above(path);
  const std::vector<hsize_t> extents(shape.begin(), shape.end());
  const Hdf5Handle space(
      H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr), H5Sclose, what);
  const Hdf5Handle creation = hdf5_dataset_settings(what);
  require_hdf5(H5Pset_layout(creation.get(), H5D_CONTIGUOUS), what);
  require_hdf5(H5Pset_alloc_time(creation.get(), H5D_ALLOC_TIME_EARLY), what);
  require_hdf5(H5Pset_fill_time(creation.get(), H5D_FILL_TIME_NEVER), what);
  const Hdf5Handle dataset(H5Dcreate2(file.id(), path.c_str(), hdf5_type(type), space.get(),
                                      H5P_DEFAULT, creation.get(), H5P_DEFAULT),
                           H5Dclose, what);
  UserBlockEntry entry = {};
  std::copy(path.begin(), path.end(), entry.name.begin());
  entry.type = static_cast<std::uint32_t>(type);
  entry.rank = info->rank;
  std::copy(shape.begin(), shape.end(), entry.shape.begin());
  entry.length = count * element_size(type);
  entry.hash = XXH3_64bits(data, entry.length);
  if (count > 0) {
    require_hdf5(H5Dwrite(dataset.get(), hdf5_type(type), H5S_ALL, H5S_ALL, H5P_DEFAULT, data),
                 what);
    const haddr_t offset = H5Dget_offset(dataset.get());
    HAPTIC_DEMAND(offset != HADDR_UNDEF && offset % kSectionAlignment == 0);
    entry.offset = offset;
  } else {
    entry.offset = kUserBlockSize;
  }
  write_attribute(dataset.get(), "unit", std::string(info->unit));
  write_attribute(dataset.get(), "shape", std::string(info->shape));
  write_attribute(dataset.get(), "meaning", std::string(info->meaning));
  entries.push_back(entry);
}

void ModelWriter::State::write_user_block(int fd) const {
  struct stat status = {};
  if (fstat(fd, &status) != 0) fail(target, "cannot be examined");
  std::vector<std::byte> block(kUserBlockSize);
  UserBlockHeader header = {};
  header.magic = kModelMagic;
  header.byte_order = kByteOrderMark;
  header.version = kModelFormatVersion;
  header.file_length = static_cast<std::uint64_t>(status.st_size);
  header.section_count = static_cast<std::uint32_t>(entries.size());
  header.entry_size = sizeof(UserBlockEntry);
  header.index_offset = sizeof(UserBlockHeader);
  header.index_length = entries.size() * sizeof(UserBlockEntry);
  if (!entries.empty()) {
    std::memcpy(block.data() + header.index_offset, entries.data(), header.index_length);
  }
  header.index_hash = XXH3_64bits(block.data() + header.index_offset, header.index_length);
  header.header_hash = XXH3_64bits(&header, offsetof(UserBlockHeader, header_hash));
  std::memcpy(block.data(), &header, sizeof header);
  if (pwrite(fd, block.data(), block.size(), 0) != static_cast<ssize_t>(block.size())) {
    fail(target, "cannot be written");
  }
}

ModelWriter::ModelWriter(const std::filesystem::path& target)
    : state_(std::make_unique<State>(target)) {}

ModelWriter::~ModelWriter() = default;

namespace {

template <typename T>
void require_finite(std::string_view name, std::span<const T> values) {
  const auto bad =
      std::find_if(values.begin(), values.end(), [](T value) { return !std::isfinite(value); });
  if (bad != values.end()) {
    throw OperationError(
        fmt::format("{}: value {} is not finite", name, std::distance(values.begin(), bad)));
  }
}

}  // namespace

void ModelWriter::add(std::string_view name, std::span<const double> values, Shape shape) {
  require_finite(name, values);
  state_->add(name, ElementType::kFloat64, values.data(), values.size(), shape);
}

void ModelWriter::add(std::string_view name, std::span<const float> values, Shape shape) {
  require_finite(name, values);
  state_->add(name, ElementType::kFloat32, values.data(), values.size(), shape);
}

void ModelWriter::add(std::string_view name, std::span<const std::uint32_t> values, Shape shape) {
  state_->add(name, ElementType::kUint32, values.data(), values.size(), shape);
}

void ModelWriter::add(std::string_view name, std::span<const std::uint8_t> values, Shape shape) {
  state_->add(name, ElementType::kUint8, values.data(), values.size(), shape);
}

void ModelWriter::set_attribute(const std::string& group, const std::string& name,
                                const std::string& text) {
  write_attribute(state_->group_of_attribute(group, name).get(), name, text);
}

void ModelWriter::set_attribute(const std::string& group, const std::string& name, double value) {
  write_attribute(state_->group_of_attribute(group, name).get(), name, value);
}

void ModelWriter::commit() {
  std::vector<NamedShape> shapes;
  for (const UserBlockEntry& entry : state_->entries) {
    const SectionInfo* info = find_section(entry.name.data());
    shapes.push_back({info->name, std::span(entry.shape).first(entry.rank)});
  }
  if (const std::string line = disagreement_of_shapes(shapes); !line.empty()) {
    throw OperationError(line);
  }
  state_->file.close();
  // The sections are on the disk before the index with their hashes.
  const int fd = state_->file.descriptor();
  if (fsync(fd) != 0) fail(state_->target, "cannot be synced");
  state_->write_user_block(fd);
  state_->file.commit();
}

}  // namespace haptic
