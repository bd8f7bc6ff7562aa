#pragma once

namespace haptic {

/// While it lives, OpenBLAS works with one thread: its sums depend on the number of threads, and a
/// bake shall give the same bits on any machine and on any number of ranks. The bake's own loops
/// stay parallel. Does nothing with another BLAS.
class OneBlasThread {
 public:
  OneBlasThread();
  OneBlasThread(const OneBlasThread&) = delete;
  OneBlasThread& operator=(const OneBlasThread&) = delete;
  ~OneBlasThread();

 private:
  int before_ = 0;  ///< 0: left alone
};

}  // namespace haptic
