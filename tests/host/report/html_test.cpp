#include "host/report/html.h"

#include <gtest/gtest.h>

#include <string>

namespace haptic {
namespace {

TEST(Html, no_text_becomes_markup) {
  EXPECT_EQ(html_text("<script>a & b</script> \"'"),
            "&lt;script&gt;a &amp; b&lt;/script&gt; &quot;&#39;");
  EXPECT_EQ(html_text("line\nbreak\tä€😀"), "line\nbreak\tä€😀");
}

TEST(Html, what_is_not_utf8_or_not_printable_is_escaped) {
  EXPECT_EQ(html_text(std::string("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(html_text("\x1B[31m"), "\\x1b[31m");
  EXPECT_EQ(html_text("\xC0\xBC"), "\\xc0\\xbc");  // '<' in two bytes
  EXPECT_EQ(html_text("x\xE2\x82"), "x\\xe2\\x82");
  EXPECT_EQ(html_text("a\u202Eb<"), "a\\u{202e}b&lt;");
}

TEST(Html, base64_is_that_of_rfc_4648) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("\xFF\xFE\xFD\xFC"), "//79/A==");
}

}  // namespace
}  // namespace haptic
