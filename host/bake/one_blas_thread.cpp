#include "host/bake/one_blas_thread.h"

#include <dlfcn.h>

namespace haptic {
namespace {

/// The system chooses the BLAS at run time (alternatives), so its extensions are looked up, not
/// linked.
template <typename Function>
Function* find(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}

}  // namespace

OneBlasThread::OneBlasThread() {
  const auto get = find<int()>("openblas_get_num_threads");
  const auto set = find<void(int)>("openblas_set_num_threads");
  if (!get || !set) return;
  before_ = get();
  set(1);
}

OneBlasThread::~OneBlasThread() {
  const auto set = find<void(int)>("openblas_set_num_threads");
  if (before_ > 0 && set) set(before_);
}

}  // namespace haptic
