#include "host/plot/gnuplot.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <system_error>

#include "shared/error.h"

namespace haptic {
namespace {

/// During its lifetime a closed pipe makes writes fail and raises no SIGPIPE.
class BrokenPipeIsAnError {
 public:
  BrokenPipeIsAnError() : before_(std::signal(SIGPIPE, SIG_IGN)) {}
  ~BrokenPipeIsAnError() { std::signal(SIGPIPE, before_); }
  BrokenPipeIsAnError(const BrokenPipeIsAnError&) = delete;
  BrokenPipeIsAnError& operator=(const BrokenPipeIsAnError&) = delete;

 private:
  void (*before_)(int);
};

constexpr int kNotThere = 127;  // of a command, as the shell says it

}  // namespace

void draw_with_gnuplot(const std::filesystem::path& picture,
                       const std::function<std::string(const std::filesystem::path&)>& script) {
  std::filesystem::path temporary = picture;
  temporary += fmt::format(".tmp{}", ::getpid());
  const std::string text = script(temporary);
  const BrokenPipeIsAnError pipe;
  FILE* gnuplot = ::popen("command -v gnuplot >/dev/null || exit 127; exec gnuplot", "w");
  if (gnuplot == nullptr) throw OperationError("cannot start gnuplot");
  const bool sent = std::fwrite(text.data(), 1, text.size(), gnuplot) == text.size();
  const int status = ::pclose(gnuplot);
  if (WIFEXITED(status) && WEXITSTATUS(status) == kNotThere) {
    throw OperationError(
        fmt::format("{}: gnuplot is not installed (Debian's gnuplot-nox)", picture.string()));
  }
  std::error_code error;
  if (!sent || status != 0 || !std::filesystem::exists(temporary)) {
    std::filesystem::remove(temporary, error);
    throw OperationError(fmt::format("{}: gnuplot failed", picture.string()));
  }
  std::filesystem::rename(temporary, picture, error);
  if (error) throw OperationError(fmt::format("{}: {}", picture.string(), error.message()));
}

}  // namespace haptic
