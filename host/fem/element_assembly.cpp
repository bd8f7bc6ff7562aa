#include "host/fem/element_assembly.h"

#include <algorithm>

namespace haptic {

std::vector<std::vector<int>> colour_elements(const SolidMesh& mesh) {
  std::vector<std::vector<int>> colours;
  std::vector<int> colour_of_vertex(static_cast<std::size_t>(mesh.vertex_count()), -1);
  std::vector<int> waiting(static_cast<std::size_t>(mesh.element_count()));
  for (int e = 0; e < mesh.element_count(); ++e) waiting[static_cast<std::size_t>(e)] = e;
  while (!waiting.empty()) {
    const int colour = static_cast<int>(colours.size());
    std::vector<int> chosen, rest;
    for (const int e : waiting) {
      const auto ids = mesh.element(e);
      const bool is_free = std::none_of(
          ids.begin(), ids.end(), [&](std::uint32_t v) { return colour_of_vertex[v] == colour; });
      if (is_free) {
        for (const std::uint32_t v : ids) colour_of_vertex[v] = colour;
      }
      (is_free ? chosen : rest).push_back(e);
    }
    colours.push_back(std::move(chosen));
    waiting = std::move(rest);
  }
  return colours;
}

SparseMatrix scalar_pattern_of(const SolidMesh& mesh, const std::vector<int>& free_index,
                               int free_count) {
  std::vector<std::vector<int>> neighbours(static_cast<std::size_t>(free_count));
  for (int e = 0; e < mesh.element_count(); ++e) {
    for (const std::uint32_t v : mesh.element(e)) {
      const int column = free_index[v];
      if (column < 0) continue;
      for (const std::uint32_t w : mesh.element(e)) {
        if (free_index[w] >= 0)
          neighbours[static_cast<std::size_t>(column)].push_back(free_index[w]);
      }
    }
  }
  SparseMatrix pattern(free_count, free_count);
  Eigen::VectorXi sizes(free_count);
  for (int c = 0; c < free_count; ++c) {
    auto& list = neighbours[static_cast<std::size_t>(c)];
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    sizes[c] = static_cast<int>(list.size());
  }
  pattern.reserve(sizes);
  for (int c = 0; c < free_count; ++c) {
    for (const int r : neighbours[static_cast<std::size_t>(c)]) pattern.insert(r, c) = 0.0;
  }
  pattern.makeCompressed();
  return pattern;
}

SparseMatrix expand_blocks(const SparseMatrix& scalar, bool diagonal_only) {
  const int per_entry = diagonal_only ? 1 : 3;
  SparseMatrix blocks(3 * scalar.rows(), 3 * scalar.cols());
  blocks.resizeNonZeros(3 * per_entry * scalar.nonZeros());
  int next = 0;
  for (int c = 0; c < scalar.cols(); ++c) {
    for (int d = 0; d < 3; ++d) {
      blocks.outerIndexPtr()[3 * c + d] = next;
      for (SparseMatrix::InnerIterator it(scalar, c); it; ++it) {
        for (int p = 0; p < per_entry; ++p, ++next) {
          blocks.innerIndexPtr()[next] = 3 * static_cast<int>(it.row()) + (diagonal_only ? d : p);
          blocks.valuePtr()[next] = diagonal_only ? it.value() : 0.0;
        }
      }
    }
  }
  blocks.outerIndexPtr()[3 * scalar.cols()] = next;
  return blocks;
}

int rank_in_column(const SparseMatrix& matrix, int row, int column) {
  const int* begin = matrix.innerIndexPtr() + matrix.outerIndexPtr()[column];
  const int* end = matrix.innerIndexPtr() + matrix.outerIndexPtr()[column + 1];
  return static_cast<int>(std::lower_bound(begin, end, row) - begin);
}

}  // namespace haptic
