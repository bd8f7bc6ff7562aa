#include "host/files/output_path.h"

#include <unistd.h>

#include <system_error>

#include "host/files/temporary_file.h"
#include "shared/error.h"

namespace haptic {

void check_output(const std::filesystem::path& target,
                  std::span<const std::filesystem::path> inputs) {
  constexpr const char* kExpected = "the name of a file to write";
  if (target.empty()) throw InputError("output", "", "found an empty name", kExpected);
  std::error_code ignored;
  const auto status = std::filesystem::status(target, ignored);
  if (std::filesystem::is_directory(status)) {
    throw InputError(target.string(), "", "found a folder", kExpected);
  }
  // Renaming would replace a device or a pipe by a file.
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    throw InputError(target.string(), "", "found something that is not a regular file", kExpected);
  }
  const std::filesystem::path folder =
      target.has_parent_path() ? target.parent_path() : std::filesystem::path(".");
  if (!target.has_filename() || !std::filesystem::is_directory(folder, ignored) ||
      ::access(folder.c_str(), W_OK) != 0) {
    throw InputError(target.string(), "", "found no folder that can be written",
                     "an existing folder, writable by you");
  }
  if (is_being_written(target)) {
    throw InputError(target.string(), "", "found a file that another process is writing",
                     "another name, or the end of that process");
  }
  for (const std::filesystem::path& input : inputs) {
    if (std::filesystem::equivalent(target, input, ignored)) {
      throw InputError(target.string(), "", "found one of this command's inputs",
                       "another name for the output");
    }
  }
}

void check_picture(const std::filesystem::path& target,
                   std::span<const std::filesystem::path> inputs) {
  if (target.extension() != ".png") {
    throw InputError(target.string(), "", "output must end in .png");
  }
  check_output(target, inputs);
}

}  // namespace haptic
