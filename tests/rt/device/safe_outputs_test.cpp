#include "rt/device/safe_outputs.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "rt/device/device_manifest.h"
#include "shared/error.h"

namespace haptic {
namespace {

DeviceManifest manifest(const std::string& text) {
  return parse_manifest(text, "/nowhere/test.toml");
}

TEST(SafeOutputs, a_simulated_device_has_none_and_reports_it) {
  const auto outputs = safe_outputs_of(manifest("kind = \"simulated\"\nname = \"hand\"\n"));
  EXPECT_TRUE(outputs->reach(getpid()).proven);
  EXPECT_TRUE(make_safe_within(*outputs, 0.0));
  EXPECT_NE(outputs->describe().find("nothing to make safe"), std::string::npos);
}

TEST(SafeOutputs, a_missing_board_is_reported_as_not_safe_without_an_error) {
  const auto outputs = safe_outputs_of(manifest(R"(
kind = "comedi-arm"
name = "arm"
[board]
file = "/dev/comedi-that-is-not-there"
driver = "s626"
counters = [0]
outputs = [0]
)"));
  const OutputReach reach = outputs->reach(getpid());
  EXPECT_FALSE(reach.proven);
  EXPECT_NE(reach.words.find("/dev/comedi-that-is-not-there"), std::string::npos) << reach.words;
  EXPECT_FALSE(make_safe_within(*outputs, 0.0));
  EXPECT_NE(outputs->describe().find("/dev/comedi-that-is-not-there"), std::string::npos);
}

TEST(SafeOutputs, an_unknown_kind_is_refused) {
  EXPECT_THROW(safe_outputs_of(manifest("kind = \"lever\"\nname = \"hand\"\n")), InputError);
}

}  // namespace
}  // namespace haptic
