#include "host/artifact/hdf5_dataset.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <span>

#include "host/artifact/hdf5_guard.h"
#include "shared/error.h"

namespace haptic {
namespace {

/// Bytes of a band of data that are not in chunks; a band that is kept for the next read.
constexpr std::uint64_t kUsualBand = std::uint64_t{1} << 20;
/// Chunks that may be missing at the end: HDF5 states the extent before it stores the last chunk.
constexpr std::uint64_t kUnstoredBands = 2;

/// a x b, or the largest number.
std::uint64_t product(std::uint64_t a, std::uint64_t b) {
  std::uint64_t result = 0;
  return __builtin_mul_overflow(a, b, &result) ? ~std::uint64_t{0} : result;
}

}  // namespace

bool is_plain_number(hid_t type) {
  for (const hid_t known :
       {H5T_IEEE_F64LE, H5T_IEEE_F32LE, H5T_STD_U64LE, H5T_STD_I64LE, H5T_STD_U32LE, H5T_STD_I32LE,
        H5T_STD_U16LE, H5T_STD_I16LE, H5T_STD_U8LE, H5T_STD_I8LE}) {
    if (H5Tequal(type, known) > 0) return true;
  }
  return false;
}

Hdf5Dataset::Hdf5Dataset(const std::filesystem::path& path, hid_t file, const std::string& name,
                         std::uint64_t file_size)
    : path_(path), name_(name), damage_line_(line_of_damage(path.string(), name, "a dataset")) {
  const Hdf5Guard guarded(damage_line_);
  const hid_t id = H5Dopen2(file, name.c_str(), H5P_DEFAULT);
  if (id < 0) refuse("found no dataset that can be opened", "a dataset");
  dataset_ = Hdf5Handle(id, H5Dclose, name);
  check_layout();
  check_type();
  check_extent(file_size);
}

void Hdf5Dataset::check_layout() {
  constexpr const char* kFilters = "shuffle, then deflate";
  const hid_t id = H5Dget_create_plist(dataset_.get());
  if (id < 0) refuse("found no readable layout", "data in this file");
  const Hdf5Handle settings(id, H5Pclose, name_);
  const H5D_layout_t layout = H5Pget_layout(settings.get());
  if (layout == H5D_VIRTUAL) refuse("found a virtual dataset", "data in this file");
  if (layout != H5D_COMPACT && layout != H5D_CONTIGUOUS && layout != H5D_CHUNKED) {
    refuse("found an unknown layout", "compact, contiguous or chunked");
  }
  if (H5Pget_external_count(settings.get()) != 0) {
    refuse("found data in another file", "data in this file");
  }
  const int filters = H5Pget_nfilters(settings.get());
  if (filters < 0 || filters > 2) refuse(fmt::format("found {} filters", filters), kFilters);
  for (unsigned i = 0; i < static_cast<unsigned>(filters); ++i) {
    unsigned flags = 0, config = 0;
    std::size_t values = 0;
    filters_.push_back(
        H5Pget_filter2(settings.get(), i, &flags, &values, nullptr, 0, nullptr, &config));
    const bool is_known =
        filters_.back() == H5Z_FILTER_DEFLATE || filters_.back() == H5Z_FILTER_SHUFFLE;
    if (!is_known || (i == 1 && filters_[0] != H5Z_FILTER_SHUFFLE) ||
        (i == 1 && filters_[1] != H5Z_FILTER_DEFLATE)) {
      refuse(fmt::format("found filter {}", filters_.back()), kFilters);
    }
  }
  if (layout != H5D_CHUNKED) return;
  layout_ = Layout::kChunked;
  std::array<hsize_t, 2> chunk = {1, 1};
  chunk_rank_ = H5Pget_chunk(settings.get(), 2, chunk.data());
  if (chunk_rank_ != 1 && chunk_rank_ != 2) {
    refuse(fmt::format("found chunks of {} dimensions", chunk_rank_), "1 or 2");
  }
  if (chunk[0] == 0 || chunk[1] == 0) refuse("found chunks without elements", "at least one");
  chunk_ = chunk;
}

void Hdf5Dataset::check_type() {
  const hid_t id = H5Dget_type(dataset_.get());
  if (id < 0) refuse("found no readable type", "numbers or texts");
  type_ = Hdf5Handle(id, H5Tclose, name_);
  element_size_ = H5Tget_size(type_.get());
  is_text_ = H5Tget_class(type_.get()) == H5T_STRING && H5Tis_variable_str(type_.get()) == 0;
  if (!is_text_ && !is_plain_number(type_.get())) {
    refuse("found elements of another type", "little-endian numbers, or texts of a fixed length");
  }
  if (element_size_ == 0 || element_size_ > kMaxTextLength) {
    refuse(fmt::format("found texts of {} bytes", element_size_),
           fmt::format("1 to {}", kMaxTextLength));
  }
}

void Hdf5Dataset::check_extent(std::uint64_t file_size) {
  const hid_t id = H5Dget_space(dataset_.get());
  if (id < 0) refuse("found no readable extent", "0 to 2 dimensions");
  space_ = Hdf5Handle(id, H5Sclose, name_);
  const H5S_class_t kind = H5Sget_simple_extent_type(space_.get());
  rank_ = H5Sget_simple_extent_ndims(space_.get());
  if ((kind != H5S_SCALAR && kind != H5S_SIMPLE) || rank_ < 0 || rank_ > 2) {
    refuse(fmt::format("found {} dimensions", rank_), "0 to 2");
  }
  if (rank_ > 0 && H5Sget_simple_extent_dims(space_.get(), extent_.data(), nullptr) < 0) {
    refuse("found no readable extent", "0 to 2 dimensions");
  }
  if (layout_ == Layout::kChunked && chunk_rank_ != rank_) {
    refuse(fmt::format("found chunks of {} dimensions", chunk_rank_), fmt::format("{}", rank_));
  }
  const std::uint64_t row = product(extent_[1], element_size_);
  if (row == 0) refuse("found rows without elements", "at least one");
  if (layout_ == Layout::kInOrder) chunk_ = {std::max<hsize_t>(1, kUsualBand / row), extent_[1]};
  const std::uint64_t across = (extent_[1] - 1) / chunk_[1] + 1;
  const std::uint64_t band = product(product(chunk_[0], element_size_), product(across, chunk_[1]));
  if (band > kMaxBand) {
    refuse(fmt::format("found chunks of {} x {} elements of {} bytes", chunk_[0], chunk_[1],
                       element_size_),
           fmt::format("at most {} bytes for each row of chunks", kMaxBand));
  }
  const std::uint64_t stored = stored_bytes(file_size);
  is_stored_ = stored > 0;
  const std::uint64_t largest =
      layout_ == Layout::kInOrder ? stored : product(stored, kMaxPacking) + kUnstoredBands * band;
  if (product(extent_[0], row) > largest) {
    refuse(fmt::format("found {} x {} elements in {} bytes", extent_[0], extent_[1], stored),
           fmt::format("at most {} bytes of them", largest));
  }
}

std::uint64_t Hdf5Dataset::stored_bytes(std::uint64_t file_size) const {
  H5Eclear2(H5E_DEFAULT);
  const hsize_t size = H5Dget_storage_size(dataset_.get());
  const bool is_known = H5Eget_num(H5E_DEFAULT) <= 0;
  H5Eclear2(H5E_DEFAULT);
  return is_known ? std::min<std::uint64_t>(size, file_size) : file_size;
}

void Hdf5Dataset::read(std::uint64_t first, std::uint64_t count, hid_t type, void* target) const {
  if (first > extent_[0] || count > extent_[0] - first) {
    refuse(fmt::format("found {} rows", extent_[0]), fmt::format("row {}", first + count - 1));
  }
  if ((H5Tget_class(type) == H5T_STRING) != is_text_) {
    refuse(is_text_ ? "found texts" : "found numbers", is_text_ ? "numbers" : "texts");
  }
  const std::size_t size = H5Tget_size(type);
  const bool is_converted = H5Tequal(type_.get(), type) <= 0;
  auto* out = static_cast<unsigned char*>(target);
  std::vector<unsigned char> converted;
  while (count > 0) {
    const std::uint64_t band = first / chunk_[0], within = first % chunk_[0];
    const std::uint64_t rows = std::min<std::uint64_t>(count, chunk_[0] - within);
    if (!load(band)) {
      forget_large_band();
      refuse(fmt::format("row {} cannot be read", first), "a log or file that is whole");
    }
    const std::size_t elements = rows * extent_[1];
    const unsigned char* from = band_.data() + within * extent_[1] * element_size_;
    if (is_converted) {
      converted.assign(elements * std::max(size, element_size_), 0);
      std::memcpy(converted.data(), from, elements * element_size_);
      require_hdf5(H5Tconvert(type_.get(), type, elements, converted.data(), nullptr, H5P_DEFAULT),
                   path_.string() + ": " + name_ + ": convert");
      from = converted.data();
    }
    std::memcpy(out, from, elements * size);
    out += elements * size;
    first += rows;
    count -= rows;
  }
  forget_large_band();
}

void Hdf5Dataset::forget_large_band() const {
  if (band_.size() <= kUsualBand) return;
  band_ = {};
  band_number_ = ~std::uint64_t{0};
}

std::vector<double> Hdf5Dataset::numbers() const {
  std::vector<double> values(extent_[0] * extent_[1]);
  read(0, extent_[0], H5T_NATIVE_DOUBLE, values.data());
  return values;
}

std::vector<std::string> Hdf5Dataset::texts() const {
  if (!is_text_) refuse("found numbers", "texts");
  std::string all(extent_[0] * extent_[1] * element_size_, '\0');
  read(0, extent_[0], type_.get(), all.data());
  std::vector<std::string> texts;
  for (std::size_t at = 0; at < all.size(); at += element_size_) {
    texts.push_back(all.substr(at, element_size_));
    texts.back().resize(std::strlen(texts.back().c_str()));
  }
  return texts;
}

std::string Hdf5Dataset::text() const {
  if (extent_[0] != 1 || extent_[1] != 1) {
    refuse(fmt::format("found {} x {} elements", extent_[0], extent_[1]), "one text");
  }
  return texts().front();
}

bool Hdf5Dataset::has_data(std::uint64_t row) const {
  const bool has = row < extent_[0] && load(row / chunk_[0]);
  forget_large_band();
  return has;
}

bool Hdf5Dataset::load(std::uint64_t band) const {
  if (band == band_number_) return true;
  const Hdf5Guard guarded(damage_line_);
  band_number_ = ~std::uint64_t{0};
  const std::uint64_t first = band * chunk_[0];
  const std::uint64_t rows = std::min<std::uint64_t>(chunk_[0], extent_[0] - first);
  band_.resize(rows * extent_[1] * element_size_);
  if (layout_ == Layout::kChunked) {
    if (!is_stored_) return false;
    for (std::uint64_t column = 0; column < extent_[1]; column += chunk_[1]) {
      if (!load_chunk(first, column)) return false;
    }
  } else {
    const std::array<hsize_t, 2> start = {first, 0}, count = {rows, extent_[1]};
    const Hdf5Handle memory(
        rank_ == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(rank_, count.data(), nullptr),
        H5Sclose, name_);
    const bool is_chosen =
        rank_ == 0 || H5Sselect_hyperslab(space_.get(), H5S_SELECT_SET, start.data(), nullptr,
                                          count.data(), nullptr) >= 0;
    const bool is_read = is_chosen && H5Dread(dataset_.get(), type_.get(), memory.get(),
                                              space_.get(), H5P_DEFAULT, band_.data()) >= 0;
    H5Eclear2(H5E_DEFAULT);
    if (!is_read) return false;
  }
  band_number_ = band;
  return true;
}

bool Hdf5Dataset::load_chunk(std::uint64_t row, std::uint64_t column) const {
  const std::array<hsize_t, 2> at = {row, column};
  const std::size_t chunk_size = chunk_[0] * chunk_[1] * element_size_;
  hsize_t stored = 0;
  haddr_t address = HADDR_UNDEF;
  std::uint32_t skipped = 0;
  const std::size_t most = chunk_size + chunk_size / 1000 + 13;  // H5Z_DEFLATE_SIZE_ADJUST
  // H5Dread_chunk reads as many bytes as the index says, where H5Dget_chunk_storage_size of a chunk
  // without filters says those of its elements.
  const bool is_stored =
      H5Dget_chunk_info_by_coord(dataset_.get(), at.data(), &skipped, &address, &stored) >= 0 &&
      address != HADDR_UNDEF && stored > 0 && stored <= most &&
      (!filters_.empty() || stored == chunk_size);
  std::vector<unsigned char> packed(is_stored ? most : 0);
  const bool is_read = is_stored && H5Dread_chunk(dataset_.get(), H5P_DEFAULT, at.data(), &skipped,
                                                  packed.data()) >= 0;
  H5Eclear2(H5E_DEFAULT);
  if (!is_read) return false;
  const std::vector<unsigned char> chunk = unpacked(std::span(packed).first(stored), skipped);
  if (chunk.empty()) return false;
  const std::size_t rows = std::min<std::uint64_t>(chunk_[0], extent_[0] - row);
  const std::size_t line = std::min<std::uint64_t>(chunk_[1], extent_[1] - column) * element_size_;
  for (std::size_t i = 0; i < rows; ++i) {
    std::memcpy(band_.data() + (i * extent_[1] + column) * element_size_,
                chunk.data() + i * chunk_[1] * element_size_, line);
  }
  return true;
}

std::vector<unsigned char> Hdf5Dataset::unpacked(std::span<const unsigned char> stored,
                                                 std::uint32_t skipped_filters) const {
  const std::size_t size = chunk_[0] * chunk_[1] * element_size_;
  bool is_deflated = false, is_shuffled = false;
  for (std::size_t i = 0; i < filters_.size(); ++i) {
    if ((skipped_filters >> i & 1u) != 0) continue;
    (filters_[i] == H5Z_FILTER_DEFLATE ? is_deflated : is_shuffled) = true;
  }
  std::vector<unsigned char> bytes(size);
  if (is_deflated) {
    uLongf length = size;
    const int status = uncompress(bytes.data(), &length, stored.data(), stored.size());
    if (status != Z_OK || length != size) return {};
  } else {
    if (stored.size() != size) return {};
    std::ranges::copy(stored, bytes.begin());
  }
  if (!is_shuffled || element_size_ == 1) return bytes;
  // Byte b of every element lies together.
  std::vector<unsigned char> elements(size);
  const std::size_t count = size / element_size_;
  for (std::size_t b = 0; b < element_size_; ++b) {
    const unsigned char* from = bytes.data() + b * count;
    for (std::size_t i = 0; i < count; ++i) elements[i * element_size_ + b] = from[i];
  }
  return elements;
}

void Hdf5Dataset::refuse(const std::string& found, const std::string& expected) const {
  throw InputError(path_.string(), name_, found, expected);
}

}  // namespace haptic
