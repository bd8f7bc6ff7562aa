#include "host/artifact/growing_dataset.h"

namespace haptic {
namespace {

constexpr unsigned kDeflateLevel = 4;

}  // namespace

Hdf5Handle hdf5_dataset_settings(std::string_view what) {
  Hdf5Handle settings(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, what);
  require_hdf5(H5Pset_obj_track_times(settings.get(), false), what);
  return settings;
}

Hdf5Handle make_hdf5_group(hid_t file, const std::string& name) {
  const Hdf5Handle settings(H5Pcreate(H5P_GROUP_CREATE), H5Pclose, name);
  require_hdf5(H5Pset_obj_track_times(settings.get(), false), name);
  return {H5Gcreate2(file, name.c_str(), H5P_DEFAULT, settings.get(), H5P_DEFAULT), H5Gclose,
          "create " + name};
}

GrowingDataset::GrowingDataset(hid_t file, const std::string& name, std::string_view unit,
                               std::string_view meaning, std::size_t width,
                               std::size_t rows_per_chunk, hid_t type)
    : name_(name),
      width_(width),
      chunk_rows_(rows_per_chunk),
      type_(type),
      row_bytes_(width * H5Tget_size(type)) {
  const int rank = width == 1 ? 1 : 2;
  const std::array<hsize_t, 2> none = {0, width};
  const std::array<hsize_t, 2> unlimited = {H5S_UNLIMITED, width};
  const std::array<hsize_t, 2> chunk = {rows_per_chunk, width};
  const Hdf5Handle space(H5Screate_simple(rank, none.data(), unlimited.data()), H5Sclose, name);
  const Hdf5Handle settings = hdf5_dataset_settings(name);
  require_hdf5(H5Pset_chunk(settings.get(), rank, chunk.data()), name);
  require_hdf5(H5Pset_shuffle(settings.get()), name);
  require_hdf5(H5Pset_deflate(settings.get(), kDeflateLevel), name);
  dataset_ = Hdf5Handle(
      H5Dcreate2(file, name.c_str(), type_, space.get(), H5P_DEFAULT, settings.get(), H5P_DEFAULT),
      H5Dclose, "create " + name);
  write_attribute(dataset_.get(), "unit", std::string(unit));
  write_attribute(dataset_.get(), "description", std::string(meaning));
  pending_.reserve(row_bytes_ * rows_per_chunk);
}

void GrowingDataset::append(const void* row) {
  const auto* bytes = static_cast<const std::byte*>(row);
  pending_.insert(pending_.end(), bytes, bytes + row_bytes_);
  if (pending_.size() == chunk_rows_ * row_bytes_) flush();
}

void GrowingDataset::flush() {
  if (pending_.empty()) return;
  const std::string what = file_of(dataset_.get()) + ": write " + name_;
  const hsize_t rows = pending_.size() / row_bytes_;
  const int rank = width_ == 1 ? 1 : 2;
  const std::array<hsize_t, 2> extent = {written_ + rows, width_};
  const std::array<hsize_t, 2> start = {written_, 0};
  const std::array<hsize_t, 2> count = {rows, width_};
  require_hdf5(H5Dset_extent(dataset_.get(), extent.data()), what);
  const Hdf5Handle space(H5Dget_space(dataset_.get()), H5Sclose, what);
  require_hdf5(H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start.data(), nullptr, count.data(),
                                   nullptr),
               what);
  const Hdf5Handle memory(H5Screate_simple(rank, count.data(), nullptr), H5Sclose, what);
  require_hdf5(
      H5Dwrite(dataset_.get(), type_, memory.get(), space.get(), H5P_DEFAULT, pending_.data()),
      what);
  written_ += rows;
  pending_.clear();
}

}  // namespace haptic
