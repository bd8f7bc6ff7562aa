#include "host/multigrid/block_rows.h"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <unordered_map>

#include "host/parallel/parallel_ranges.h"

namespace haptic {

template <typename T>
std::array<LaneVector<T>, 3> BlockRows<T>::row_product(std::uint32_t row, const Lanes<T>& X) const {
  using Vector = LaneVector<T>;
  using Values = Eigen::Map<const Vector>;
  Vector x = Vector::Zero(), y = Vector::Zero(), z = Vector::Zero();
  const Block* blocks = block.data() + first[row];
  for (std::uint32_t e = begin[row]; e < begin[row + 1]; ++e) {
    const Block& a = *blocks++;
    const T* values = X.data() + std::size_t{3 * kLanes} * column[e];
    const Vector u = Values(values), v = Values(values + kLanes), w = Values(values + 2 * kLanes);
    x += a[0] * u + a[1] * v + a[2] * w;
    y += a[3] * u + a[4] * v + a[5] * w;
    z += a[6] * u + a[7] * v + a[8] * w;
  }
  return {x, y, z};
}

template <typename T>
void BlockRows<T>::multiply(const Lanes<T>& X, Lanes<T>& AX) const {
  parallel_ranges(rows(), kRowGrain, [&](std::size_t from, std::size_t to) {
    for (std::size_t row = from; row != to; ++row) {
      T* at = AX.data() + 3 * kLanes * row;
      for (const LaneVector<T>& image : row_product(static_cast<std::uint32_t>(row), X)) {
        Eigen::Map<LaneVector<T>>{at} = image;
        at += kLanes;
      }
    }
  });
}

template struct BlockRows<float>;
template struct BlockRows<double>;

BlockRows<float> single_precision(const BlockRows<double>& A) {
  BlockRows<float> result;
  result.begin = A.begin;
  result.column = A.column;
  result.first = A.first;
  result.block.resize(A.block.size());
  for (std::size_t e = 0; e < A.block.size(); ++e) {
    for (std::size_t i = 0; i < 9; ++i) result.block[e][i] = static_cast<float>(A.block[e][i]);
  }
  return result;
}

BlockRows<double> make_rows(
    std::uint32_t rows,
    const std::function<void(std::uint32_t row, std::vector<RowEntry>& entries)>& make_row) {
  constexpr std::uint32_t kBatch = 1 << 15;
  BlockRows<double> result;
  // Rows with blocks of their own, by the hash of their bytes.
  std::unordered_multimap<std::size_t, std::uint32_t> known;
  std::vector<BlockRows<double>::Block> blocks;
  const auto hash = [&] {
    return std::hash<std::string_view>{}(
        {reinterpret_cast<const char*>(blocks.data()), blocks.size() * sizeof(blocks[0])});
  };
  const auto first_of_equal = [&](std::size_t key) {
    const auto [from, to] = known.equal_range(key);
    for (auto entry = from; entry != to; ++entry) {
      const std::uint32_t other = entry->second;
      if (result.length(other) == blocks.size() &&
          std::memcmp(&result.block[result.first[other]], blocks.data(),
                      blocks.size() * sizeof(blocks[0])) == 0) {
        return result.first[other];
      }
    }
    known.emplace(key, result.rows());
    const auto added = static_cast<std::uint32_t>(result.block.size());
    result.block.insert(result.block.end(), blocks.begin(), blocks.end());
    return added;
  };
  std::vector<std::vector<RowEntry>> batch(std::min(kBatch, rows));
  for (std::uint32_t start = 0; start < rows; start += kBatch) {
    const std::uint32_t count = std::min(kBatch, rows - start);
    parallel_ranges(count, 16, [&](std::size_t from, std::size_t to) {
      for (std::size_t r = from; r != to; ++r) {
        batch[r].clear();
        make_row(start + static_cast<std::uint32_t>(r), batch[r]);
      }
    });
    for (std::uint32_t r = 0; r < count; ++r) {
      blocks.clear();
      for (const RowEntry& entry : batch[r]) {
        result.column.push_back(entry.column);
        blocks.push_back(entry.block);
      }
      result.begin.push_back(static_cast<std::uint32_t>(result.column.size()));
      result.first.push_back(first_of_equal(hash()));
    }
  }
  return result;
}

BlockRows<double> galerkin(const BlockRows<double>& A, const GridInterpolation& P,
                           const GridInterpolation& children) {
  return make_rows(children.rows(), [&](std::uint32_t row, std::vector<RowEntry>& entries) {
    for (std::uint32_t c = children.begin[row]; c < children.begin[row + 1]; ++c) {
      const std::uint32_t i = children.node[c];
      const BlockRows<double>::Block* block = &A.block[A.first[i]];
      for (std::uint32_t e = A.begin[i]; e < A.begin[i + 1]; ++e, ++block) {
        const std::uint32_t j = A.column[e];
        for (std::uint32_t p = P.begin[j]; p < P.begin[j + 1]; ++p) {
          auto entry = std::ranges::find(entries, P.node[p], &RowEntry::column);
          if (entry == entries.end()) {
            entries.push_back({P.node[p], {}});
            entry = entries.end() - 1;
          }
          const double weight = double{children.weight[c]} * double{P.weight[p]};
          for (std::size_t k = 0; k < 9; ++k) entry->block[k] += weight * (*block)[k];
        }
      }
    }
    std::ranges::sort(entries, {}, &RowEntry::column);
  });
}

SparseMatrix sparse_matrix(const BlockRows<double>& A) {
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(9 * A.column.size());
  for (std::uint32_t row = 0; row < A.rows(); ++row) {
    const BlockRows<double>::Block* block = &A.block[A.first[row]];
    for (std::uint32_t e = A.begin[row]; e < A.begin[row + 1]; ++e, ++block) {
      for (std::size_t k = 0; k < 9; ++k) {
        entries.emplace_back(static_cast<int>(3 * row + k / 3),
                             static_cast<int>(3 * A.column[e] + k % 3), (*block)[k]);
      }
    }
  }
  const auto size = static_cast<int>(3 * A.rows());
  SparseMatrix result(size, size);
  result.setFromTriplets(entries.begin(), entries.end());
  return result;
}

std::vector<std::vector<std::uint32_t>> colour_rows(const BlockRows<double>& A) {
  constexpr std::uint32_t kNone = 0xffffffff;
  std::vector<std::vector<std::uint32_t>> colours;
  std::vector<std::uint32_t> colour(A.rows(), kNone);
  std::vector<std::uint32_t>
      taken;  // for each colour, the last row with a neighbour of that colour
  for (std::uint32_t row = 0; row < A.rows(); ++row) {
    for (std::uint32_t e = A.begin[row]; e < A.begin[row + 1]; ++e) {
      const std::uint32_t other = colour[A.column[e]];
      if (other != kNone) taken[other] = row;
    }
    const auto free = static_cast<std::size_t>(
        std::ranges::find_if(taken, [&](std::uint32_t by) { return by != row; }) - taken.begin());
    if (free == taken.size()) {
      taken.push_back(kNone);
      colours.emplace_back();
    }
    colour[row] = static_cast<std::uint32_t>(free);
    colours[free].push_back(row);
  }
  return colours;
}

}  // namespace haptic
