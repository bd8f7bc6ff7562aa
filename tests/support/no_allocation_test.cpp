#include "tests/support/no_allocation.h"

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace haptic {
namespace {

/// Keeps the optimiser from removing an allocation whose result is unused.
void keep(void* pointer) {
  asm volatile("" : : "g"(pointer) : "memory");
}

TEST(NoAllocation, counts_malloc_new_and_locks) {
  if (!NoAllocation::interposed()) GTEST_SKIP() << "the sanitizer owns the allocator";
  std::mutex mutex;
  ForbiddenCalls seen;
  {
    NoAllocation guard;
    void* raw = std::malloc(24);
    keep(raw);
    auto owned = std::make_unique<std::vector<double>>(100);
    keep(owned.get());
    std::free(raw);
    owned.reset();
    { std::scoped_lock lock(mutex); }
    seen = guard.take_calls();
  }
  EXPECT_EQ(seen.allocations, 3u);
  EXPECT_EQ(seen.frees, 3u);
  EXPECT_EQ(seen.locks, 1u);
}

void allocate_under_guard() {
  NoAllocation guard;
  keep(std::make_unique<int>(1).get());
}

TEST(NoAllocation, an_allocation_fails_the_test) {
  if (!NoAllocation::interposed()) GTEST_SKIP() << "the sanitizer owns the allocator";
  EXPECT_NONFATAL_FAILURE(allocate_under_guard(), "1 allocations");
}

TEST(NoAllocation, other_threads_and_code_outside_the_scope_are_not_checked) {
  bool go = false, done = false;
  std::thread other([&] {
    while (!__atomic_load_n(&go, __ATOMIC_ACQUIRE)) {
    }
    keep(std::make_unique<int>(2).get());
    __atomic_store_n(&done, true, __ATOMIC_RELEASE);
  });
  keep(std::make_unique<int>(3).get());
  {
    NoAllocation guard;
    __atomic_store_n(&go, true, __ATOMIC_RELEASE);
    while (!__atomic_load_n(&done, __ATOMIC_ACQUIRE)) {
    }
  }
  other.join();
}

}  // namespace
}  // namespace haptic
