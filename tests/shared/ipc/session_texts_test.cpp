#include "shared/ipc/session_texts.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <optional>
#include <string>

#include "shared/ipc/run_folder.h"
#include "shared/ipc/telemetry_reader.h"
#include "shared/ipc/telemetry_writer.h"
#include "tests/shared/ipc/test_name.h"

namespace haptic {
namespace {

TelemetryDescription description(const std::string& scene, const std::string& manifest) {
  TelemetryDescription d;
  d.texts = {scene, manifest};
  return d;
}

TEST(SessionTexts, readers_get_the_texts_that_the_daemon_read) {
  const std::string name = test_name("texts");
  const std::string scene("rate_hz = 1000\n\0# \xff", 19), manifest(3 << 20, 'm');
  std::optional<TelemetryWriter> first(std::in_place, name, description(scene, manifest));
  const TelemetryReader of_first(name);
  const std::optional<SessionTexts> texts = of_first.texts();
  ASSERT_TRUE(texts);
  EXPECT_EQ(texts->scene, scene);
  EXPECT_EQ(texts->manifest, manifest);

  // The device is opened once: its manifest is that of the first scene.
  std::optional<TelemetryWriter> next(std::in_place, name, description("next", "changed"),
                                      first->session());
  EXPECT_EQ(of_first.texts()->scene, scene);
  next->take_over(*first);
  EXPECT_FALSE(of_first.texts());
  first.reset();
  const TelemetryReader of_next(name);
  ASSERT_TRUE(of_next.texts());
  EXPECT_EQ(of_next.texts()->scene, "next");
  EXPECT_EQ(of_next.texts()->manifest, manifest);
  next.reset();
  EXPECT_FALSE(of_next.texts());
  EXPECT_NE(access(own_run_file(name, "texts").c_str(), F_OK), 0);
}

TEST(SessionTexts, what_the_daemon_did_not_write_is_not_read) {
  const std::string name = test_name("texts");
  const TelemetryWriter writer(name, description("scene", ""));
  const TelemetryReader reader(name);
  const std::string path = own_run_file(name, "texts").string();
  ASSERT_EQ(rename(path.c_str(), (path + ".kept").c_str()), 0);
  EXPECT_FALSE(reader.texts());
  ASSERT_EQ(symlink((path + ".kept").c_str(), path.c_str()), 0);
  EXPECT_FALSE(reader.texts());
  ASSERT_EQ(unlink(path.c_str()), 0);
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_FALSE(reader.texts());
  ASSERT_EQ(rename((path + ".kept").c_str(), path.c_str()), 0);
  EXPECT_EQ(reader.texts()->scene, "scene");
  ASSERT_EQ(chmod(path.c_str(), 0666), 0);
  EXPECT_FALSE(reader.texts());
}

TEST(SessionTexts, texts_of_another_telemetry_or_of_wrong_sizes_are_refused) {
  const std::string name = test_name("texts");
  const std::filesystem::path telemetry = own_run_file(name, "telemetry");
  SharedSegment segment =
      share_session_texts(own_run_file(name, "texts"), 7, {"scene", "manifest"});
  EXPECT_EQ(read_session_texts(telemetry, 7)->manifest, "manifest");
  EXPECT_FALSE(read_session_texts(telemetry, 8));
  auto* const words = reinterpret_cast<std::uint64_t*>(segment.data());
  for (const std::size_t size : {2, 3}) {
    const std::uint64_t before = words[size];
    for (const std::uint64_t wrong : {before + 1, before - 1, ~std::uint64_t{0}}) {
      words[size] = wrong;
      EXPECT_FALSE(read_session_texts(telemetry, 7)) << size << ' ' << wrong;
    }
    words[size] = before;
  }
  EXPECT_TRUE(read_session_texts(telemetry, 7));
  segment.unlink();
}

}  // namespace
}  // namespace haptic
