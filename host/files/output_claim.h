#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "shared/memory/file_descriptor.h"

namespace haptic {

/// What is to become of a file that has the name of an output already.
enum class Existing : std::uint8_t { kRefused, kReplaced };

/// The name of an output, taken before the output is complete: until the claim ends, no other claim
/// of this name succeeds, nor does check_output(). A new name gets an empty file, which is removed
/// with the claim unless it was replaced.
class OutputClaim {
 public:
  /// @throws InputError if the file exists and is refused, or another process is writing it;
  ///         OperationError if the file cannot be created
  OutputClaim(const std::filesystem::path& target, Existing existing);
  /// @returns nothing if the file exists. @throws OperationError as above
  static std::optional<OutputClaim> of_new_name(const std::filesystem::path& target);
  /// The first free name of TARGET.h5, TARGET-2.h5, TARGET-3.h5, ... @throws as above
  static OutputClaim of_free_name(const std::filesystem::path& target);
  OutputClaim(OutputClaim&&) noexcept = default;
  OutputClaim& operator=(OutputClaim&&) = delete;
  ~OutputClaim();

  const std::filesystem::path& target() const { return target_; }

 private:
  OutputClaim(std::filesystem::path target, FileDescriptor file, bool is_new);

  std::filesystem::path target_;
  FileDescriptor file_;
  bool is_new_;
};

}  // namespace haptic
