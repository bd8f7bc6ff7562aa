#pragma once

#include "shared/memory/file_descriptor.h"

namespace haptic {

/// The signals of the guard. Every signal that can be blocked is, so that none of them, sent to it
/// alone or to its whole terminal, ends the guard before it has made the outputs safe. SIGTERM,
/// SIGINT, SIGHUP and SIGQUIT ask it to end; the others have no effect.
class GuardSignals {
 public:
  /// Call it before any thread exists. @throws OperationError
  GuardSignals();

  int descriptor() const { return descriptor_.get(); }  ///< readable if a signal has come
  /// The first signal since the start that asks the guard to end; 0: none.
  int asked_to_end();

 private:
  FileDescriptor descriptor_{-1};
  int asked_ = 0;
};

}  // namespace haptic
