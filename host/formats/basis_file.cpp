#include "host/formats/basis_file.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "host/files/replace_file.h"
#include "host/formats/file_bytes.h"
#include "shared/assert.h"
#include "shared/error.h"

namespace haptic {
namespace {

constexpr std::size_t kBasisHeader = 2 * sizeof(std::int32_t);

template <typename Scalar>
void unpack(const std::filesystem::path& path, std::string_view bytes, BasisMatrix& matrix) {
  matrix.values.resize(matrix.rows * matrix.columns);
  std::size_t offset = kBasisHeader;
  for (std::size_t j = 0; j < matrix.columns; ++j) {
    for (std::size_t i = 0; i < matrix.rows; ++i, offset += sizeof(Scalar)) {
      const auto value = static_cast<double>(value_at<Scalar>(bytes, offset));
      if (!std::isfinite(value)) {
        throw InputError(path.string(), fmt::format("row {}, column {}", i, j),
                         fmt::format("found {}", value), "a finite number");
      }
      matrix.values[i * matrix.columns + j] = value;
    }
  }
}

}  // namespace

BasisMatrix read_basis(const std::filesystem::path& path) {
  const std::string bytes = read_file_bytes(path, "a VegaFEM matrix (.U)");
  if (bytes.size() < kBasisHeader) {
    throw InputError(path.string(), "", fmt::format("{} bytes", bytes.size()),
                     "a header of 8 bytes");
  }
  const auto m = value_at<std::int32_t>(bytes, 0), n = value_at<std::int32_t>(bytes, 4);
  // The product of two int32 fits 64 bits; it is checked against the length of the file before any
  // allocation.
  const std::uint64_t count =
      m > 0 && n > 0 ? static_cast<std::uint64_t>(m) * static_cast<std::uint64_t>(n) : 0;
  const std::uint64_t body = bytes.size() - kBasisHeader;
  if (count == 0 || (body / 8 != count && body / 4 != count) ||
      (body != 8 * count && body != 4 * count)) {
    throw InputError(path.string(), "",
                     fmt::format("a header of {} x {} in a file of {} bytes", m, n, bytes.size()),
                     "8 bytes and m x n doubles or floats");
  }
  BasisMatrix matrix{static_cast<std::size_t>(m), static_cast<std::size_t>(n), {}};
  if (body == 8 * count) {
    unpack<double>(path, bytes, matrix);
  } else {
    unpack<float>(path, bytes, matrix);
  }
  return matrix;
}

void write_basis(const std::filesystem::path& path, std::size_t rows, std::size_t columns,
                 std::span<const double> values, BasisPrecision precision) {
  constexpr std::size_t kMax = std::numeric_limits<std::int32_t>::max();
  HAPTIC_DEMAND(values.size() == rows * columns && rows <= kMax && columns <= kMax);
  std::string bytes;
  append_value(bytes, static_cast<std::int32_t>(rows));
  append_value(bytes, static_cast<std::int32_t>(columns));
  for (std::size_t j = 0; j < columns; ++j) {
    for (std::size_t i = 0; i < rows; ++i) {
      const double value = values[i * columns + j];
      if (precision == BasisPrecision::kDouble) {
        append_value(bytes, value);
      } else {
        append_value(bytes, static_cast<float>(value));
      }
    }
  }
  replace_file(path, {bytes});
}

}  // namespace haptic
