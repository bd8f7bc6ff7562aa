#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "rt/contact/contact_workspace.h"
#include "shared/realtime.h"

namespace haptic::solids {

/// Workspaces for the contact pairs of one kind, of which few are close at a time: their number is
/// fixed at construction. Source: docs/methods/multibody.md, "Close pairs".
class WorkspacePool {
 public:
  /// @param make  makes a workspace; called capacity + 1 times
  WorkspacePool(std::uint32_t capacity,
                const std::function<std::unique_ptr<ContactWorkspace>()>& make)
      : idle_(make()) {
    for (std::uint32_t i = 0; i < capacity; ++i) {
      spaces_.push_back(make());
      free_.push_back(spaces_.back().get());
    }
  }

  /// What pairs without a workspace have instead of one.
  ContactWorkspace& idle() { return *idle_; }
  /// @returns nullptr if all are in use
  ContactWorkspace* take() HAPTIC_REALTIME {
    return used_ == free_.size() ? nullptr : free_[used_++];
  }
  /// @param space  that take() gave
  void put(ContactWorkspace& space) HAPTIC_REALTIME { free_[--used_] = &space; }
  /// How many are in use.
  std::size_t used() const HAPTIC_REALTIME { return used_; }

 private:
  std::unique_ptr<ContactWorkspace> idle_;
  std::vector<std::unique_ptr<ContactWorkspace>> spaces_;
  std::vector<ContactWorkspace*> free_;  // from used_ on
  std::size_t used_ = 0;
};

}  // namespace haptic::solids
