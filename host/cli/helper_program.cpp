#include "host/cli/helper_program.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "host/cli/helper_commands.h"
#include "shared/error.h"

namespace haptic {

void become_helper(std::string_view command, const char* const* argv) {
  std::error_code no_proc;
  const std::filesystem::path own = std::filesystem::read_symlink("/proc/self/exe", no_proc);
  if (no_proc) throw OperationError("/proc/self/exe: " + no_proc.message());
  const std::filesystem::path folder = own.parent_path();
  for (const std::filesystem::path& place :
       {folder / kHelperProgram, folder / "../libexec/hapticd" / kHelperProgram}) {
    // exec does not write to the arguments; its type is older than const.
    execv(place.c_str(), const_cast<char* const*>(argv));
    if (errno != ENOENT && errno != ENOTDIR) {
      throw OperationError(place.lexically_normal().string() + ": " +
                           std::generic_category().message(errno));
    }
  }
  throw InputError("", "",
                   fmt::format("{}: the program {} is missing; install the Debian package {}",
                               command, kHelperProgram, kHelperProgram));
}

}  // namespace haptic
