#pragma once

#include <sys/types.h>

#include <filesystem>
#include <memory>
#include <string>

#include "host/files/temporary_file.h"
#include "host/view/image.h"

namespace haptic {

/// Whether the name ends in .mp4 or .webm. @throws InputError if not
void check_film(const std::filesystem::path& path);

/// A film of images of one size, encoded by the program ffmpeg as a child process: raw images go
/// through a pipe, H.264 to an .mp4, VP9 to a .webm. The file has its final name when it is
/// complete.
class FilmWriter {
 public:
  /// Starts ffmpeg. @param images_a_second > 0
  /// @throws InputError as check_film, OperationError if ffmpeg is not installed
  FilmWriter(const std::filesystem::path& path, int width, int height, double images_a_second);
  /// Without finish(): ends ffmpeg and removes the file.
  ~FilmWriter();
  FilmWriter(const FilmWriter&) = delete;
  FilmWriter& operator=(const FilmWriter&) = delete;

  /// @throws OperationError with ffmpeg's first line if it has ended, InputError for another size
  void append(const Image& image);
  /// Waits for ffmpeg. @throws OperationError as append
  void finish();

 private:
  int wait();
  /// Closes the images' pipe and waits. @returns why ffmpeg failed, empty if it has not
  std::string end();
  [[noreturn]] void fail(const std::string& why) const;

  int width_, height_;
  std::unique_ptr<TemporaryFile> file_;
  pid_t encoder_ = -1;
  int images_ = -1, messages_ = -1;  ///< ends of pipes
};

}  // namespace haptic
