#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace haptic {

/// The processes that bake together; a single one by default. Rank 0 reads, decides and writes. All
/// members but rank() and size() are collective: every rank calls them in the same order.
/// Work is split into parts independently of the number of ranks, and results are combined in the
/// order of the parts, so that a bake gives the same bits on any number of ranks.
class Ranks {
 public:
  using Bytes = std::vector<std::byte>;

  Ranks() = default;
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;
  virtual ~Ranks() = default;

  virtual int rank() const { return 0; }
  virtual int size() const { return 1; }
  bool first() const { return rank() == 0; }

  /// The bytes of rank 0, on every rank.
  virtual void broadcast(Bytes&) const {}
  /// On rank 0 the bytes of every rank, in order; elsewhere nothing.
  virtual std::vector<Bytes> gather(Bytes mine) const;

  /// Half-open range of `parts` that a rank works on.
  struct Range {
    std::size_t begin = 0, end = 0;
  };
  Range range_of(int rank, std::size_t parts) const;

  /// How a rank processes its parts.
  enum class Parts {
    kInTurn,  ///< one after the other; each is parallel inside
    kAtOnce,  ///< spread over the threads of this process
  };
  /// Runs `work(part)` for the parts of this rank. On rank 0 the results of all parts in order;
  /// elsewhere nothing.
  std::vector<Bytes> run_parts(std::size_t parts, Parts how,
                               const std::function<Bytes(std::size_t)>& work) const;
};

}  // namespace haptic
