#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "host/artifact/hdf5_handle.h"

namespace haptic {

/// Whether it is a little-endian integer or IEEE number of the usual sizes.
bool is_plain_number(hid_t type);

/// A dataset of a file that anybody may have written. It is checked before a byte of it is read or
/// memory is allocated for it:
///
///   layout    compact, contiguous or chunked, in the file itself: no external and no virtual data
///   filters   shuffle, then deflate; none, one or both
///   type      little-endian integers and IEEE numbers, or texts of a fixed length <= 16 MiB
///   rank      0 (one element) to 2; a row of chunks has 64 MiB at most
///   elements  no more than the stored bytes can be: deflate packs 1032 to 1 at most
///
/// Chunks are unpacked here and not by HDF5, which takes the length that a deflated stream has for
/// that of its chunk, whether longer or shorter. Unlike HDF5, a chunk that is not stored is
/// missing, and not zeros.
class Hdf5Dataset {
 public:
  static constexpr std::uint64_t kMaxBand = std::uint64_t{64} << 20;        ///< bytes
  static constexpr std::uint64_t kMaxTextLength = std::uint64_t{16} << 20;  ///< bytes
  static constexpr std::uint64_t kMaxPacking = 1032;  ///< zlib's manual, "Maximum Compression"

  /// @param file_size  bytes of the file, which no dataset's storage exceeds
  /// @throws InputError if there is no such dataset or it is not as above
  Hdf5Dataset(const std::filesystem::path& path, hid_t file, const std::string& name,
              std::uint64_t file_size);

  const std::string& name() const { return name_; }
  int rank() const { return rank_; }
  std::uint64_t rows() const { return extent_[0]; }   ///< 1 of rank 0
  std::uint64_t width() const { return extent_[1]; }  ///< elements per row; 1 below rank 2
  bool is_text() const { return is_text_; }
  std::size_t element_size() const { return element_size_; }  ///< bytes in the file

  /// Rows [first, first + count), converted to the memory type `type`.
  /// @throws InputError if there are fewer rows, `type` is a text and the elements are not, or the
  ///         other way round, or data are damaged or missing
  void read(std::uint64_t first, std::uint64_t count, hid_t type, void* target) const;
  /// All elements as numbers, row-major. @throws InputError as read()
  std::vector<double> numbers() const;
  /// All elements, each to its first zero byte. @throws InputError as read()
  std::vector<std::string> texts() const;
  /// The one text that it is. @throws InputError as read(), or if there are more or none
  std::string text() const;
  /// Whether the data of a row can be read.
  bool has_data(std::uint64_t row) const;

 private:
  enum class Layout : unsigned char { kInOrder, kChunked };

  void check_layout();
  void check_type();
  void check_extent(std::uint64_t file_size);
  /// Bytes that the file has for it; `file_size` where HDF5 cannot say it, as of a file cut off.
  std::uint64_t stored_bytes(std::uint64_t file_size) const;
  /// Reads the rows of band number `band` into band_. @returns false if they cannot be read
  bool load(std::uint64_t band) const;
  bool load_chunk(std::uint64_t row, std::uint64_t column) const;
  /// The chunk's elements; nothing if they are not as many.
  std::vector<unsigned char> unpacked(std::span<const unsigned char> stored,
                                      std::uint32_t skipped_filters) const;
  /// Of many datasets large bands would take all memory.
  void forget_large_band() const;
  [[noreturn]] void refuse(const std::string& found, const std::string& expected) const;

  std::filesystem::path path_;
  std::string name_, damage_line_;
  Hdf5Handle dataset_, space_, type_;
  int rank_ = 0, chunk_rank_ = 0;
  std::array<hsize_t, 2> extent_ = {1, 1};
  std::array<hsize_t, 2> chunk_ = {1, 1};  ///< of kInOrder: a band
  Layout layout_ = Layout::kInOrder;
  bool is_text_ = false;
  /// Any of it; HDF5 crashes on the search for a chunk where there is none.
  bool is_stored_ = false;
  std::size_t element_size_ = 0;
  std::vector<H5Z_filter_t> filters_;

  // The rows that were read last, in the file's type: readers take one row after the other.
  mutable std::vector<unsigned char> band_;
  mutable std::uint64_t band_number_ = ~std::uint64_t{0};
};

}  // namespace haptic
