#include "host/record/gnuplot.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <system_error>

#include "shared/error.h"

namespace haptic {

void draw_with_gnuplot(const std::filesystem::path& picture,
                       const std::function<std::string(const std::filesystem::path&)>& script) {
  std::filesystem::path temporary = picture;
  temporary += fmt::format(".tmp{}", ::getpid());
  const std::string text = script(temporary);
  FILE* gnuplot = ::popen("gnuplot", "w");
  if (gnuplot == nullptr) throw OperationError("cannot start gnuplot");
  const bool sent = std::fwrite(text.data(), 1, text.size(), gnuplot) == text.size();
  const int status = ::pclose(gnuplot);
  std::error_code error;
  if (!sent || status != 0 || !std::filesystem::exists(temporary)) {
    std::filesystem::remove(temporary, error);
    throw OperationError(
        fmt::format("{}: gnuplot failed (Debian's gnuplot-nox is needed)", picture.string()));
  }
  std::filesystem::rename(temporary, picture, error);
  if (error) throw OperationError(fmt::format("{}: {}", picture.string(), error.message()));
}

}  // namespace haptic
