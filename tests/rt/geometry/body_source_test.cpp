#include "rt/geometry/body_source.h"

#include <gtest/gtest.h>

#include "shared/error.h"

namespace haptic {
namespace {

TEST(BodySource, text_and_source_convert_both_ways) {
  for (const BodySource& source :
       {BodySource("/models/ball.h5"), BodySource(AnalyticShape{ShapeKind::kTorus, {0.05, 0.01}}),
        BodySource(AnalyticShape{ShapeKind::kPlane, {1.0 / 3.0}})}) {
    EXPECT_EQ(parse_source(text_of(source)), source) << text_of(source);
  }
  EXPECT_EQ(text_of("/models/ball.h5"), "/models/ball.h5");
  EXPECT_EQ(parse_source("shapes/ball.h5"), BodySource("shapes/ball.h5"));
}

TEST(BodySource, an_invalid_shape_is_refused) {
  EXPECT_THROW((void)parse_source("shape:cone radius=1"), InputError);
  EXPECT_THROW((void)parse_source("shape:"), InputError);
}

}  // namespace
}  // namespace haptic
