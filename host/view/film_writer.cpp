#include "host/view/film_writer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "shared/error.h"

namespace haptic {
namespace {

using Arguments = std::vector<std::string>;

/// MP4 needs even extents for the colours at half resolution, which every player shows.
Arguments encoder_arguments(const std::filesystem::path& path, const std::string& target, int width,
                            int height, double images_a_second) {
  Arguments words = {"ffmpeg",
                     "-nostdin",
                     "-loglevel",
                     "error",
                     "-y",
                     "-f",
                     "rawvideo",
                     "-pix_fmt",
                     "rgb24",
                     "-s",
                     fmt::format("{}x{}", width, height),
                     "-r",
                     fmt::format("{:g}", images_a_second),
                     "-i",
                     "pipe:0",
                     "-vf",
                     "pad=ceil(iw/2)*2:ceil(ih/2)*2",
                     "-pix_fmt",
                     "yuv420p"};
  const Arguments codec =
      path.extension() == ".mp4"
          ? Arguments{"-c:v", "libx264", "-crf", "18", "-movflags", "+faststart", "-f", "mp4"}
          : Arguments{"-c:v", "libvpx-vp9", "-crf", "30", "-b:v",
                      "0",    "-row-mt",    "1",    "-f", "webm"};
  words.insert(words.end(), codec.begin(), codec.end());
  words.push_back("file:" + target);
  return words;
}

}  // namespace

void check_film(const std::filesystem::path& path) {
  if (path.extension() != ".mp4" && path.extension() != ".webm") {
    throw InputError("", "--film", fmt::format("found {}", path.string()),
                     "a name that ends in .mp4 or .webm");
  }
}

FilmWriter::FilmWriter(const std::filesystem::path& path, int width, int height,
                       double images_a_second)
    : width_(width), height_(height) {
  check_film(path);
  file_ = std::make_unique<TemporaryFile>(path);
  // A socket for the images: its writes can be told not to raise SIGPIPE.
  std::array<int, 2> images{}, messages{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, images.data()) != 0) {
    throw OperationError(fmt::format("ffmpeg: no pipe: {}", std::strerror(errno)));
  }
  if (::pipe2(messages.data(), O_CLOEXEC) != 0) {
    ::close(images[0]);
    ::close(images[1]);
    throw OperationError(fmt::format("ffmpeg: no pipe: {}", std::strerror(errno)));
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, images[1], STDIN_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, messages[1], STDERR_FILENO);
  Arguments words = encoder_arguments(path, file_->open_name(), width, height, images_a_second);
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  const int error =
      ::posix_spawnp(&encoder_, "ffmpeg", &actions, nullptr, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(images[1]);
  ::close(messages[1]);
  images_ = images[0];
  messages_ = messages[0];
  if (error == 0) return;
  ::close(images_);
  ::close(messages_);
  throw OperationError(
      fmt::format("cannot run ffmpeg, which encodes films: {} (Debian's package "
                  "ffmpeg; --frames writes images without it)",
                  std::strerror(error)));
}

FilmWriter::~FilmWriter() {
  if (encoder_ > 0) {
    ::kill(encoder_, SIGKILL);
    wait();
  }
  if (images_ >= 0) ::close(images_);
  if (messages_ >= 0) ::close(messages_);
}

int FilmWriter::wait() {
  int status = 0;
  while (::waitpid(encoder_, &status, 0) < 0 && errno == EINTR) {
  }
  encoder_ = -1;
  return status;
}

std::string FilmWriter::end() {
  ::close(std::exchange(images_, -1));
  std::string text;
  std::array<char, 4096> part{};
  for (ssize_t got = 0; (got = ::read(messages_, part.data(), part.size())) > 0;) {
    text.append(part.data(), static_cast<std::size_t>(got));
  }
  const int status = wait();
  if (status == 0) return {};
  if (WIFSIGNALED(status)) return fmt::format("ended by signal {}", WTERMSIG(status));
  if (text.empty()) return fmt::format("ended with code {}", WEXITSTATUS(status));
  return text.substr(0, text.find('\n'));
}

void FilmWriter::fail(const std::string& why) const {
  throw OperationError(fmt::format("{}: ffmpeg: {}", file_->target().string(), why));
}

void FilmWriter::append(const Image& image) {
  if (image.width != width_ || image.height != height_) {
    throw InputError("film", "", fmt::format("found an image of {}x{}", image.width, image.height),
                     fmt::format("{}x{} as the first", width_, height_));
  }
  for (std::size_t sent = 0; sent < image.rgb.size();) {
    const ssize_t now =
        ::send(images_, image.rgb.data() + sent, image.rgb.size() - sent, MSG_NOSIGNAL);
    if (now < 0 && errno == EINTR) continue;
    if (now < 0) {
      const std::string why = end();
      fail(why.empty() ? "ended before the last image" : why);
    }
    sent += static_cast<std::size_t>(now);
  }
}

void FilmWriter::finish() {
  if (const std::string why = end(); !why.empty()) fail(why);
  file_->commit();
}

}  // namespace haptic
