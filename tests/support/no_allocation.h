#pragma once

#include <cstdint>

namespace haptic {

/// What one thread did inside a NoAllocation scope.
struct ForbiddenCalls {
  std::uint64_t allocations =
      0;                    ///< malloc, calloc, realloc, aligned forms; operator new ends in malloc
  std::uint64_t frees = 0;  ///< free of a non-null pointer; operator delete ends in free
  std::uint64_t locks = 0;  ///< pthread_mutex_lock; std::mutex ends there

  std::uint64_t total() const { return allocations + frees + locks; }
};

/// Fails the running GoogleTest if this thread allocates, frees or locks while the guard lives.
///
///   { NoAllocation guard;  integrator.step(f); }
///
/// Works by interposing the C functions in the test program itself (target haptic_test_support),
/// for every library the program links. The sanitizers bring their own allocator, so under them the
/// guard counts nothing: `interposed()` is false.
class NoAllocation {
 public:
  NoAllocation();
  ~NoAllocation();
  NoAllocation(const NoAllocation&) = delete;
  NoAllocation& operator=(const NoAllocation&) = delete;

  static bool interposed();

  /// Forbidden calls since construction.
  ForbiddenCalls calls() const;
  /// The same, and clears them (for tests that expect a violation).
  ForbiddenCalls take_calls();

 private:
  ForbiddenCalls outer_;  ///< counts of the enclosing guard
  bool outer_armed_;
};

}  // namespace haptic
