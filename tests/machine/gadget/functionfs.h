#pragma once

#include <linux/usb/ch9.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace haptic::machine {

/// A USB function with one interface and two end points, one IN and one OUT, served by this process
/// through FunctionFS (Linux documentation, usb/functionfs). IN is declared first, so that the
/// addresses become 0x81 and 0x02, as those of an FT232R.
class FunctionFs {
 public:
  enum class Transfer : std::uint8_t { kBulk, kInterrupt };

  /// Writes descriptors and strings; the end points' files exist from then on. The caller then
  /// binds the gadget to a controller.
  /// @param folder   where FunctionFS is mounted
  /// @param packet   largest packet [bytes]
  FunctionFs(const std::string& folder, Transfer transfer, std::uint16_t packet);
  ~FunctionFs();
  FunctionFs(const FunctionFs&) = delete;
  FunctionFs& operator=(const FunctionFs&) = delete;

  using Control =
      std::function<bool(const usb_ctrlrequest&, std::uint8_t* answer, std::size_t& length)>;

  /// Serves end point 0 until the function is unbound for good (never, as long as the gadget
  /// lives).
  /// @param control  answers a request; false: stall. IN requests fill `answer` (64 bytes at most)
  /// @param enabled  called with true when the host configures the device, false when it is gone
  void serve(const Control& control, const std::function<void(bool)>& enabled);

  int in() const { return in_; }
  int out() const { return out_; }

 private:
  int control_ = -1;
  int in_ = -1;
  int out_ = -1;
};

}  // namespace haptic::machine
