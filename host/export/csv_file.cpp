#include "host/export/csv_file.h"

#include <fmt/format.h>

#include <iterator>
#include <string>

#include "host/export/output_stream.h"
#include "shared/state/state_layout.h"

namespace haptic {
namespace {

/// A field with quotes where RFC 4180 requires them.
std::string field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"') result += '"';
    result += c;
  }
  return result + "\"";
}

}  // namespace

void write_csv(const ExportTable& table, const std::filesystem::path& path) {
  OutputStream out(path);
  std::string text;
  for (const TableColumn& column : table.columns()) {
    text += (text.empty() ? "" : ",") + field(axis_label(column.name, column.unit));
  }
  out.write(text + "\r\n");
  table.for_each_block([&](const ExportTable::Block& block) {
    text.clear();
    const std::size_t rows = size_of(block.front());
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t c = 0; c < block.size(); ++c) {
        if (c > 0) text += ',';
        if (const auto* texts = std::get_if<std::vector<std::string>>(&block[c])) {
          text += field((*texts)[row]);
          continue;
        }
        std::visit([&](const auto& v) { fmt::format_to(std::back_inserter(text), "{}", v[row]); },
                   block[c]);
      }
      text += "\r\n";
      if (text.size() > (std::size_t{1} << 20)) {
        out.write(text);
        text.clear();
      }
    }
    out.write(text);
  });
  out.commit();
}

}  // namespace haptic
