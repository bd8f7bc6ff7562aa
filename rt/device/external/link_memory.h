#pragma once

#include <string>

#include "shared/ipc/external_link.h"

namespace haptic {

/// The shared memory of a link (shared/ipc/external_link.h), from the daemon's side: a memfd that
/// is sealed against every change of its size before anybody else sees it, so that no process that
/// gets its descriptor can make an access of the loop a SIGBUS. It has no name.
class LinkMemory {
 public:
  /// Maps and fills it; its pages are present. @param wrench_max_age_ns  for the adapter, > 0
  /// @throws OperationError naming the system's reason
  LinkMemory(const std::string& name, std::int64_t wrench_max_age_ns);
  LinkMemory(const LinkMemory&) = delete;
  LinkMemory& operator=(const LinkMemory&) = delete;
  ~LinkMemory();

  /// Writes what an adapter checks first, which the adapter before may have overwritten.
  void identify();

  haptic_link_memory& shared() const { return *memory_; }
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_ = -1;
  haptic_link_memory* memory_ = nullptr;
  std::int64_t wrench_max_age_ns_;
};

}  // namespace haptic
