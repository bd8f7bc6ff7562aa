#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "shared/error.h"
#include "shared/math/pose.h"

namespace haptic {

/// Types that are copied byte by byte.
template <typename T>
inline constexpr bool kPlainBytes = std::is_arithmetic_v<T> || std::is_enum_v<T>;
template <typename T, std::size_t N>
inline constexpr bool kPlainBytes<std::array<T, N>> = kPlainBytes<T>;

/// Turns the result of a stage into bytes and back. A type takes part by a function
/// `template <class Archive> void archive(Archive& a, T& value) { a(value.x, value.y); }`
/// in its namespace (host/bake/stage_results.h); numbers, enums, strings, vectors, arrays,
/// optionals and Eigen matrices are supported. The bytes have the layout of this machine: they
/// serve a cache, not a file format.
template <typename Derived>
class StageArchive {
 public:
  template <typename... T>
  void operator()(T&... values) {
    (one(values), ...);
  }

 private:
  Derived& self() { return static_cast<Derived&>(*this); }

  template <typename T>
  void one(T& value) {
    if constexpr (kPlainBytes<T>) {
      self().raw(&value, sizeof value);
    } else {
      archive(self(), value);
    }
  }
  void one(std::string& text) {
    self().resize(text);
    self().raw(text.data(), text.size());
  }
  template <typename T>
  void one(std::vector<T>& values) {
    self().resize(values);
    all(values.data(), values.size());
  }
  template <typename T, std::size_t N>
  void one(std::array<T, N>& values) {
    all(values.data(), N);
  }
  template <typename T>
  void one(std::optional<T>& value) {
    std::uint8_t present = value.has_value();
    one(present);
    if (present > 1) throw OperationError("a stage result that does not decode");
    if (present && !value) value.emplace();
    if (!present) value.reset();
    if (value) one(*value);
  }
  template <typename Scalar, int Rows, int Columns, int Options, int MaxRows, int MaxColumns>
  void one(Eigen::Matrix<Scalar, Rows, Columns, Options, MaxRows, MaxColumns>& matrix) {
    if constexpr (Rows == Eigen::Dynamic || Columns == Eigen::Dynamic) self().resize_matrix(matrix);
    self().raw(matrix.data(), sizeof(Scalar) * static_cast<std::size_t>(matrix.size()));
  }

  /// Numbers, and arrays and small fixed matrices of numbers, go as one run of bytes.
  template <typename T>
  void all(T* values, std::size_t count) {
    if constexpr (kPlainBytes<T>) {
      self().raw(values, sizeof(T) * count);
    } else if constexpr (std::is_same_v<T, Vector3>) {
      static_assert(sizeof(Vector3) == 3 * sizeof(double));
      self().raw(values, sizeof(T) * count);
    } else {
      for (std::size_t i = 0; i < count; ++i) one(values[i]);
    }
  }
};

/// Appends to bytes.
class StageWriter : public StageArchive<StageWriter> {
 public:
  std::vector<std::byte> take() { return std::move(bytes_); }

  void raw(const void* data, std::size_t size) {
    if (size == 0) return;
    const std::size_t at = bytes_.size();
    if (bytes_.capacity() < at + size) bytes_.reserve(std::max(at + size, 2 * at));
    bytes_.resize(at + size);
    std::memcpy(bytes_.data() + at, data, size);
  }
  template <typename Container>
  void resize(const Container& values) {
    const std::uint64_t count = values.size();
    raw(&count, sizeof count);
  }
  template <typename Matrix>
  void resize_matrix(const Matrix& matrix) {
    const std::array<std::int64_t, 2> size = {matrix.rows(), matrix.cols()};
    raw(size.data(), sizeof size);
  }

 private:
  std::vector<std::byte> bytes_;
};

/// Reads what StageWriter wrote; never beyond the end. @throws OperationError if it does not fit
class StageReader : public StageArchive<StageReader> {
 public:
  explicit StageReader(std::span<const std::byte> bytes) : at_(bytes.data()), left_(bytes.size()) {}

  bool finished() const { return left_ == 0; }

  void raw(void* data, std::size_t size) {
    require(size);
    if (size > 0) std::memcpy(data, at_, size);
    at_ += size;
    left_ -= size;
  }
  template <typename Container>
  void resize(Container& values) {
    std::uint64_t count = 0;
    raw(&count, sizeof count);
    require(count);  // an element takes a byte at least
    values.resize(count);
  }
  template <typename Matrix>
  void resize_matrix(Matrix& matrix) {
    std::array<std::int64_t, 2> size = {};
    raw(size.data(), sizeof size);
    if (size[0] < 0 || size[1] < 0) throw OperationError("a stage result that does not decode");
    std::uint64_t bytes = sizeof(typename Matrix::Scalar);
    if (__builtin_mul_overflow(bytes, static_cast<std::uint64_t>(size[0]), &bytes) ||
        __builtin_mul_overflow(bytes, static_cast<std::uint64_t>(size[1]), &bytes)) {
      bytes = ~std::uint64_t{0};
    }
    require(bytes);
    matrix.resize(size[0], size[1]);
  }

 private:
  void require(std::uint64_t size) const {
    if (size > left_) throw OperationError("a stage result that does not decode");
  }

  const std::byte* at_;
  std::size_t left_;
};

template <typename T>
std::vector<std::byte> encode_stage(const T& value) {
  StageWriter writer;
  writer(const_cast<T&>(value));  // a writer only reads
  return writer.take();
}

/// @throws OperationError if the bytes are not those of a T
template <typename T>
T decode_stage(std::span<const std::byte> bytes) {
  T value{};
  StageReader reader(bytes);
  reader(value);
  if (!reader.finished()) throw OperationError("a stage result that does not decode");
  return value;
}

}  // namespace haptic
