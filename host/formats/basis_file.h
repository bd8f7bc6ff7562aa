#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

namespace haptic {

/// A matrix of displacements, column per basis vector.
struct BasisMatrix {
  std::size_t rows = 0;        ///< 3n, (x,y,z) per vertex
  std::size_t columns = 0;     ///< r
  std::vector<double> values;  ///< rows x columns, row-major as in /reduced/basis
};

/// Reads VegaFEM's matrix file (.U, .Ulin, .modalDeriv): int32 m, int32 n, then m n numbers column
/// by column, double or, told by the length of the file, float.
/// @throws InputError if the length fits neither, a size is < 1 or a number is not finite
BasisMatrix read_basis(const std::filesystem::path& path);

enum class BasisPrecision { kDouble, kFloat };

/// @param values rows x columns, row-major
void write_basis(const std::filesystem::path& path, std::size_t rows, std::size_t columns,
                 std::span<const double> values,
                 BasisPrecision precision = BasisPrecision::kDouble);

}  // namespace haptic
