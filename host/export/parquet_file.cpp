#include "host/export/parquet_file.h"

#include <fmt/format.h>
#include <zlib.h>

#include <bit>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "host/export/output_stream.h"
#include "host/export/thrift_compact.h"
#include "shared/error.h"

namespace haptic {
namespace {

static_assert(std::endian::native == std::endian::little);  // as PLAIN values are

constexpr std::string_view kMagic = "PAR1";
// Numbers of parquet.thrift.
constexpr std::int32_t kInt64 = 2, kDouble = 5, kByteArray = 6;   // Type
constexpr std::int32_t kRequired = 0;                             // FieldRepetitionType
constexpr std::int32_t kConvertedUtf8 = 0, kConvertedInt64 = 18;  // ConvertedType
constexpr std::int32_t kPlain = 0, kRle = 3;                      // Encoding
constexpr std::int32_t kGzip = 2;                                 // CompressionCodec
constexpr std::int32_t kDataPage = 0;                             // PageType
using Type = ThriftWriter::Type;

/// Where a column lies in a row group.
struct Chunk {
  std::uint64_t offset, bytes, uncompressed, values;
};
using RowGroup = std::vector<Chunk>;

std::int32_t type_of(ColumnKind kind) {
  if (kind == ColumnKind::kText) return kByteArray;
  return kind == ColumnKind::kInteger ? kInt64 : kDouble;
}

/// Encoding PLAIN: numbers one after the other; texts each behind its length.
template <class Number>
std::string plain(const std::vector<Number>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Number)};
}
std::string plain(const std::vector<std::string>& texts) {
  std::string bytes;
  for (const std::string& text : texts) {
    const auto length = static_cast<std::uint32_t>(text.size());
    bytes.append(reinterpret_cast<const char*>(&length), sizeof length).append(text);
  }
  return bytes;
}

std::string gzipped(std::string_view bytes) {
  constexpr int kLevel = 4, kGzipWindow = 15 + 16, kMemory = 8;
  z_stream stream;
  std::memset(&stream, 0, sizeof stream);
  if (deflateInit2(&stream, kLevel, Z_DEFLATED, kGzipWindow, kMemory, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw OperationError("zlib cannot start");
  }
  std::string result(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(result.data());
  stream.avail_out = static_cast<uInt>(result.size());
  const int status = deflate(&stream, Z_FINISH);
  result.resize(stream.total_out);
  deflateEnd(&stream);
  if (status != Z_STREAM_END) throw OperationError("zlib cannot compress");
  return result;
}

Chunk write_chunk(OutputStream& out, const ColumnValues& values) {
  const std::string bytes = std::visit([](const auto& v) { return plain(v); }, values);
  const std::string packed = gzipped(bytes);
  ThriftWriter header;
  header.i32(1, kDataPage);
  header.i32(2, static_cast<std::int32_t>(bytes.size()));
  header.i32(3, static_cast<std::int32_t>(packed.size()));
  header.begin_struct(5);
  header.i32(1, static_cast<std::int32_t>(size_of(values)));
  header.i32(2, kPlain);
  header.i32(3, kRle);
  header.i32(4, kRle);
  header.end_struct();
  header.end_struct();
  const Chunk chunk{out.size(), header.bytes().size() + packed.size(),
                    header.bytes().size() + bytes.size(), size_of(values)};
  out.write(header.bytes());
  out.write(packed);
  return chunk;
}

void write_schema(ThriftWriter& footer, const std::vector<TableColumn>& columns) {
  footer.begin_list(2, Type::kStruct, columns.size() + 1);
  footer.begin_element();
  footer.text(4, "log");
  footer.i32(5, static_cast<std::int32_t>(columns.size()));
  footer.end_struct();
  for (const TableColumn& column : columns) {
    footer.begin_element();
    footer.i32(1, type_of(column.kind));
    footer.i32(3, kRequired);
    footer.text(4, column.name);
    if (column.kind == ColumnKind::kText) footer.i32(6, kConvertedUtf8);
    if (column.kind == ColumnKind::kInteger) {
      footer.i32(6, kConvertedInt64);
      footer.begin_struct(10);  // LogicalType
      footer.begin_struct(10);  // INTEGER
      footer.i8(1, 64);
      footer.boolean(2, true);
      footer.end_struct();
      footer.end_struct();
    }
    footer.end_struct();
  }
}

void write_group(ThriftWriter& footer, const RowGroup& group,
                 const std::vector<TableColumn>& columns) {
  footer.begin_element();
  footer.begin_list(1, Type::kStruct, group.size());
  std::uint64_t bytes = 0;
  for (std::size_t c = 0; c < group.size(); ++c) {
    const Chunk& chunk = group[c];
    const auto number = [](std::uint64_t n) { return static_cast<std::int64_t>(n); };
    bytes += chunk.uncompressed;
    footer.begin_element();
    footer.i64(2, number(chunk.offset));
    footer.begin_struct(3);
    footer.i32(1, type_of(columns[c].kind));
    footer.begin_list(2, Type::kI32, 1);
    footer.element(kPlain);
    footer.begin_list(3, Type::kBinary, 1);
    footer.element(std::string_view(columns[c].name));
    footer.i32(4, kGzip);
    footer.i64(5, number(chunk.values));
    footer.i64(6, number(chunk.uncompressed));
    footer.i64(7, number(chunk.bytes));
    footer.i64(9, number(chunk.offset));
    footer.end_struct();
    footer.end_struct();
  }
  footer.i64(2, static_cast<std::int64_t>(bytes));
  footer.i64(3, static_cast<std::int64_t>(group.front().values));
  footer.end_struct();
}

void write_metadata(ThriftWriter& footer, const ExportTable& table) {
  const LogDescription& description = table.log().description();
  const std::optional<std::uint64_t> lost = table.log().lost_samples();
  std::vector<std::pair<std::string, std::string>> entries = {
      {"source", description.source},
      {"scene", description.scene_path},
      {"rate_hz", fmt::format("{}", description.rate_hz)},
      {"lost_samples", lost ? fmt::format("{}", *lost) : "nan"}};
  for (const TableColumn& column : table.columns()) {
    entries.emplace_back("unit." + column.name, column.unit);
    entries.emplace_back("meaning." + column.name, column.meaning);
  }
  footer.begin_list(5, Type::kStruct, entries.size());
  for (const auto& [key, value] : entries) {
    footer.begin_element();
    footer.text(1, key);
    footer.text(2, value);
    footer.end_struct();
  }
}

}  // namespace

void write_parquet(const ExportTable& table, const std::filesystem::path& path) {
  OutputStream out(path);
  out.write(kMagic);
  std::vector<RowGroup> groups;
  table.for_each_block([&](const ExportTable::Block& block) {
    RowGroup& group = groups.emplace_back();
    for (const ColumnValues& values : block) group.push_back(write_chunk(out, values));
  });
  ThriftWriter footer;
  footer.i32(1, 1);
  write_schema(footer, table.columns());
  footer.i64(3, static_cast<std::int64_t>(table.rows()));
  footer.begin_list(4, Type::kStruct, groups.size());
  for (const RowGroup& group : groups) write_group(footer, group, table.columns());
  write_metadata(footer, table);
  footer.text(6, "hapticd");
  footer.end_struct();
  out.write(footer.bytes());
  const auto length = static_cast<std::uint32_t>(footer.bytes().size());
  out.write({reinterpret_cast<const char*>(&length), sizeof length});
  out.write(kMagic);
  out.commit();
}

}  // namespace haptic
