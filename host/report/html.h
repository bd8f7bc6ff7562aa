#pragma once

#include <string>
#include <string_view>

namespace haptic {

/// Text for HTML, between tags or in a quoted attribute: nothing of it is markup. Line
/// breaks and tabs stay; what else is not printable is escaped (shared/printable.h).
std::string html_text(std::string_view text);

/// RFC 4648, with padding.
std::string base64(std::string_view bytes);

/// An image inside the page. @param type  "image/png", "image/svg+xml" @param alternative  its text
std::string html_image(std::string_view type, std::string_view bytes, std::string_view alternative);

}  // namespace haptic
