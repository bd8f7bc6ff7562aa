#include "host/report/log_facts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/host/log/written_log.h"

namespace haptic {
namespace {

using testing::Contains;
using testing::Pair;

class LogFactsTest : public WrittenLogTest {};

TEST_F(LogFactsTest, attributes_of_the_file_are_read_and_what_it_lacks_is_empty) {
  Content content;
  content.description.source = "simulate";
  content.description.scene_path = "/a <b>.toml";
  content.description.rate_hz = 4000.0;
  const LogReader log = written(content);
  const LogFacts facts = read_log_facts(log);
  EXPECT_THAT(facts.attributes, Contains(Pair("scene", "/a <b>.toml")));
  EXPECT_THAT(facts.attributes, Contains(Pair("rate_hz", "4000")));
  EXPECT_TRUE(facts.scene_text.empty());
  EXPECT_TRUE(facts.parameters.empty());
}

}  // namespace
}  // namespace haptic
