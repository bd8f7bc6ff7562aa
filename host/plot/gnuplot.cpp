#include "host/plot/gnuplot.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <string>
#include <string_view>

#include "host/files/temporary_file.h"
#include "shared/error.h"
#include "shared/files/regular_file.h"

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

/// Whether the picture has its end: gnuplot reports success for one that a full disk has cut off.
bool is_complete(const std::filesystem::path& picture) {
  const std::string tail = last_bytes(picture, 32);
  constexpr std::string_view kEndings[] = {"IEND", "</svg>", "%%EOF"};
  for (const std::string_view ending : kEndings) {
    if (tail.find(ending) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

void draw_with_gnuplot(const std::filesystem::path& picture,
                       const std::function<std::string(const std::filesystem::path&)>& script) {
  TemporaryFile temporary(picture);
  const std::string text = script(temporary.open_name());
  const BrokenPipeIsAnError pipe;
  FILE* gnuplot =
      ::popen("command -v gnuplot >/dev/null || exit 127; exec gnuplot 2>/dev/null", "w");
  if (gnuplot == nullptr) throw OperationError("cannot start gnuplot");
  const bool sent = std::fwrite(text.data(), 1, text.size(), gnuplot) == text.size();
  const int status = ::pclose(gnuplot);
  if (WIFEXITED(status) && WEXITSTATUS(status) == kNotThere) {
    throw OperationError(
        fmt::format("{}: gnuplot is not installed (Debian's gnuplot-nox)", picture.string()));
  }
  if (!sent || status != 0) {
    throw OperationError(fmt::format("{}: gnuplot failed", picture.string()));
  }
  if (!is_complete(temporary.open_name())) {
    throw OperationError(
        fmt::format("{}: gnuplot wrote no complete picture: is the disk full?", picture.string()));
  }
  temporary.commit();
}

}  // namespace haptic
