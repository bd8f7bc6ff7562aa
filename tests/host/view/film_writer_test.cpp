#include "host/view/film_writer.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "shared/error.h"

namespace haptic {
namespace {

namespace fs = std::filesystem;

/// Puts a script in place of ffmpeg, so that the pipe and its ends are tested on any machine.
class FilmWriterTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("haptic-film-" + std::to_string(::getpid()));
    fs::create_directories(folder_);
    path_ = std::getenv("PATH");
    ::setenv("PATH", (folder_.string() + ":" + path_).c_str(), 1);
  }
  void TearDown() override {
    ::setenv("PATH", path_.c_str(), 1);
    fs::remove_all(folder_);
  }
  void encoder(const std::string& lines) const {
    std::ofstream(folder_ / "ffmpeg") << "#!/bin/bash\n"
                                         "out=\"${@: -1}\"; out=\"${out#file:}\"\n"
                                      << lines << "\n";
    fs::permissions(folder_ / "ffmpeg", fs::perms::owner_all);
  }
  std::string message_of_a_film(int images) const {
    try {
      FilmWriter film(folder_ / "film.mp4", 64, 48, 25.0);
      for (int i = 0; i < images; ++i) film.append(image());
      film.finish();
    } catch (const OperationError& error) {
      return error.what();
    }
    return "";
  }
  static Image image() { return {64, 48, std::vector<std::uint8_t>(3 * 64 * 48, 7)}; }

  fs::path folder_;
  std::string path_;
};

TEST_F(FilmWriterTest, the_encoder_gets_every_byte_and_the_file_its_name_at_the_end) {
  encoder("cat > \"$out\"");
  FilmWriter film(folder_ / "film.mp4", 64, 48, 25.0);
  for (int i = 0; i < 30; ++i) film.append(image());
  EXPECT_FALSE(fs::exists(folder_ / "film.mp4"));
  film.finish();
  EXPECT_EQ(fs::file_size(folder_ / "film.mp4"), 30u * 3 * 64 * 48);
}

TEST_F(FilmWriterTest, an_encoder_that_fails_is_told_by_its_own_first_line) {
  encoder("head -c 1000 >/dev/null; echo 'no codec here' >&2; echo second >&2; exit 3");
  // More images than any socket's buffer holds: the writer sees the end while it writes.
  const std::string message = message_of_a_film(500);
  EXPECT_NE(message.find("film.mp4: ffmpeg: no codec here"), std::string::npos) << message;
  EXPECT_EQ(message.find("second"), std::string::npos);
  EXPECT_FALSE(fs::exists(folder_ / "film.mp4"));
}

TEST_F(FilmWriterTest, an_encoder_that_is_killed_is_told_and_leaves_no_file) {
  encoder("echo part > \"$out\"; kill -9 $$");
  EXPECT_NE(message_of_a_film(500).find("ended by signal 9"), std::string::npos);
  EXPECT_NE(message_of_a_film(0).find("ended by signal 9"), std::string::npos);
  for (const auto& entry : fs::directory_iterator(folder_)) {
    EXPECT_EQ(entry.path().filename(), "ffmpeg");  // nothing else is left
  }
}

TEST_F(FilmWriterTest, without_ffmpeg_the_message_names_the_package) {
  ::setenv("PATH", "/nowhere", 1);
  EXPECT_NE(message_of_a_film(1).find("Debian's package ffmpeg"), std::string::npos);
}

TEST_F(FilmWriterTest, a_writer_that_is_dropped_leaves_no_film) {
  encoder("cat > \"$out\"");
  { FilmWriter(folder_ / "film.webm", 64, 48, 25.0).append(image()); }
  EXPECT_FALSE(fs::exists(folder_ / "film.webm"));
}

TEST_F(FilmWriterTest, other_names_and_sizes_are_refused) {
  encoder("cat > \"$out\"");
  EXPECT_THROW(FilmWriter(folder_ / "film.avi", 64, 48, 25.0), InputError);
  FilmWriter film(folder_ / "film.mp4", 64, 48, 25.0);
  EXPECT_THROW(film.append({32, 48, std::vector<std::uint8_t>(3 * 32 * 48)}), InputError);
}

}  // namespace
}  // namespace haptic
