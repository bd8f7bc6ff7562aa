#pragma once

namespace haptic {

/// Limits OpenBLAS to one thread during its lifetime. The sums of OpenBLAS depend on the number of
/// threads, but a bake gives the same bits on any machine and with any number of ranks. The
/// parallel loops of the bake are not affected. Does nothing with another BLAS.
class OneBlasThread {
 public:
  OneBlasThread();
  OneBlasThread(const OneBlasThread&) = delete;
  OneBlasThread& operator=(const OneBlasThread&) = delete;
  ~OneBlasThread();

 private:
  int before_ = 0;  ///< 0: not changed
};

}  // namespace haptic
