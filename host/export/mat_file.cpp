#include "host/export/mat_file.h"

#include <fmt/format.h>
#include <hdf5.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstring>
#include <set>

#include "host/artifact/growing_dataset.h"
#include "host/artifact/hdf5_output.h"
#include "shared/assert.h"
#include "shared/error.h"

namespace haptic {
namespace {

constexpr hsize_t kUserBlock = 512;
constexpr hsize_t kChunkRows = 4096;
constexpr unsigned kDeflateLevel = 4;

/// The attribute that names the class, with the type that MATLAB gives it: ASCII, as long as the
/// name.
void write_class(hid_t object, std::string_view name) {
  const Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose, "MATLAB_class");
  require_hdf5(H5Tset_size(type.get(), name.size()), "MATLAB_class");
  const Hdf5Handle scalar(H5Screate(H5S_SCALAR), H5Sclose, "MATLAB_class");
  const Hdf5Handle attribute(
      H5Acreate2(object, "MATLAB_class", type.get(), scalar.get(), H5P_DEFAULT, H5P_DEFAULT),
      H5Aclose, "MATLAB_class");
  require_hdf5(H5Awrite(attribute.get(), type.get(), name.data()), "MATLAB_class");
}

/// An array of char with a row for each text, filled up with spaces.
void write_texts(hid_t group, const std::string& name, const std::vector<std::string>& texts) {
  // MATLAB has no array of length 0 without further attributes.
  std::size_t width = 1;
  for (const std::string& text : texts) width = std::max(width, text.size());
  std::vector<std::uint16_t> letters(width * texts.size(), ' ');
  for (std::size_t row = 0; row < texts.size(); ++row) {
    for (std::size_t i = 0; i < texts[row].size(); ++i) {
      const auto letter = static_cast<unsigned char>(texts[row][i]);
      letters[i * texts.size() + row] = letter < 0x80 ? letter : '?';
    }
  }
  const std::array<hsize_t, 2> extent = {width, texts.size()};
  const Hdf5Handle space(H5Screate_simple(2, extent.data(), nullptr), H5Sclose, name);
  const Hdf5Handle settings = hdf5_dataset_settings(name);
  const Hdf5Handle dataset(H5Dcreate2(group, name.c_str(), H5T_STD_U16LE, space.get(), H5P_DEFAULT,
                                      settings.get(), H5P_DEFAULT),
                           H5Dclose, "create " + name);
  require_hdf5(
      H5Dwrite(dataset.get(), H5T_NATIVE_UINT16, H5S_ALL, H5S_ALL, H5P_DEFAULT, letters.data()),
      "write " + name);
  write_class(dataset.get(), "char");
  const std::int32_t characters = 2;  // bytes of a letter
  const Hdf5Handle scalar(H5Screate(H5S_SCALAR), H5Sclose, name);
  const Hdf5Handle attribute(H5Acreate2(dataset.get(), "MATLAB_int_decode", H5T_STD_I32LE,
                                        scalar.get(), H5P_DEFAULT, H5P_DEFAULT),
                             H5Aclose, name);
  require_hdf5(H5Awrite(attribute.get(), H5T_NATIVE_INT32, &characters), name);
}

void write_text(hid_t group, const std::string& name, const std::string& text) {
  write_texts(group, name, {text});
}

/// A struct with these fields. MATLAB keeps their order in an attribute of texts of single letters.
Hdf5Handle make_struct(hid_t file, const std::string& name,
                       const std::vector<std::string>& fields) {
  Hdf5Handle group = make_hdf5_group(file, name);
  write_class(group.get(), "struct");
  const Hdf5Handle letter(H5Tcopy(H5T_C_S1), H5Tclose, name);
  const Hdf5Handle text(H5Tvlen_create(letter.get()), H5Tclose, name);
  std::vector<hvl_t> texts;
  for (const std::string& field : fields) {
    texts.push_back({field.size(), const_cast<char*>(field.data())});
  }
  const hsize_t count = texts.size();
  const Hdf5Handle space(H5Screate_simple(1, &count, nullptr), H5Sclose, name);
  // Of many fields the attribute is too long for the object's header: then it stays away, which
  // MATLAB permits.
  constexpr std::size_t kMaxBytes = 60000, kBytesEach = 16;
  if (kBytesEach * fields.size() > kMaxBytes) return group;
  const Hdf5Handle attribute(
      H5Acreate2(group.get(), "MATLAB_fields", text.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT),
      H5Aclose, name);
  require_hdf5(H5Awrite(attribute.get(), text.get(), texts.data()), name);
  return group;
}

/// An array of rows x width numbers. HDF5 has its extents in the opposite order, so that a column
/// is contiguous, as in MATLAB.
class MatArray {
 public:
  MatArray(hid_t group, const std::string& name, hsize_t rows, hsize_t width, bool is_integer)
      : name_(name), type_(is_integer ? H5T_NATIVE_INT64 : H5T_NATIVE_DOUBLE) {
    const std::array<hsize_t, 2> extent = {width, rows};
    const std::array<hsize_t, 2> chunk = {1, std::min(rows, kChunkRows)};
    const Hdf5Handle space(H5Screate_simple(2, extent.data(), nullptr), H5Sclose, name);
    const Hdf5Handle settings = hdf5_dataset_settings(name);
    require_hdf5(H5Pset_chunk(settings.get(), 2, chunk.data()), name);
    require_hdf5(H5Pset_shuffle(settings.get()), name);
    require_hdf5(H5Pset_deflate(settings.get(), kDeflateLevel), name);
    dataset_ =
        Hdf5Handle(H5Dcreate2(group, name.c_str(), is_integer ? H5T_STD_I64LE : H5T_IEEE_F64LE,
                              space.get(), H5P_DEFAULT, settings.get(), H5P_DEFAULT),
                   H5Dclose, "create " + name);
    write_class(dataset_.get(), is_integer ? "int64" : "double");
  }

  void write(hsize_t column, hsize_t first, const ColumnValues& values) {
    const std::string what = file_of(dataset_.get()) + ": write " + name_;
    const std::array<hsize_t, 2> start = {column, first}, count = {1, size_of(values)};
    const Hdf5Handle space(H5Dget_space(dataset_.get()), H5Sclose, what);
    require_hdf5(H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start.data(), nullptr,
                                     count.data(), nullptr),
                 what);
    const Hdf5Handle memory(H5Screate_simple(2, count.data(), nullptr), H5Sclose, what);
    HAPTIC_DEMAND(!std::holds_alternative<std::vector<std::string>>(values));
    const void* data = std::visit([](const auto& v) -> const void* { return v.data(); }, values);
    require_hdf5(H5Dwrite(dataset_.get(), type_, memory.get(), space.get(), H5P_DEFAULT, data),
                 what);
  }

 private:
  std::string name_;
  hid_t type_;
  Hdf5Handle dataset_;
};

/// Text, version and byte order in the user block, by which MATLAB knows the file.
void write_header(int file, const std::filesystem::path& path) {
  std::array<char, 128> header;
  header.fill(' ');
  constexpr std::string_view kText =
      "MATLAB 7.3 MAT-file, Platform: GLNXA64, Created by: hapticd HDF5 schema 1.00 .";
  std::memcpy(header.data(), kText.data(), kText.size());
  std::memset(&header[116], 0, 8);
  std::memcpy(&header[124], "\x00\x02IM", 4);
  if (pwrite(file, header.data(), header.size(), 0) != static_cast<ssize_t>(header.size())) {
    throw OperationError(fmt::format("{}: cannot write the header", path.string()));
  }
}

void write_data(hid_t file, const LogTable& table) {
  const std::vector<std::string> names = matlab_names(table.quantities());
  const Hdf5Handle log = make_struct(file, "/log", names);
  const Hdf5Handle units = make_struct(file, "/units", names);
  std::vector<MatArray> arrays;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const LogQuantity& quantity = table.quantities()[i];
    arrays.emplace_back(log.get(), names[i], table.rows(), quantity.components.size(),
                        quantity.is_integer);
    write_text(units.get(), names[i], quantity.components.front().unit);
  }
  hsize_t first = 0;
  table.for_each_block([&](const LogTable::Block& block) {
    std::size_t column = 0;
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      for (hsize_t c = 0; c < table.quantities()[i].components.size(); ++c) {
        arrays[i].write(c, first, block[column++]);
      }
    }
    first += size_of(block.front());
  });
  const Hdf5Handle info =
      make_struct(file, "/info", {"source", "scene", "rate_hz", "lost_samples"});
  const LogDescription& description = table.log().description();
  write_text(info.get(), "source", description.source);
  write_text(info.get(), "scene", description.scene_path);
  const std::optional<std::uint64_t> lost = table.log().lost_samples();
  for (const auto& [name, value] :
       {std::pair{"rate_hz", description.rate_hz},
        std::pair{"lost_samples", lost ? static_cast<double>(*lost) : NAN}}) {
    MatArray(info.get(), name, 1, 1, false).write(0, 0, std::vector<double>{value});
  }
}

void write_events(hid_t file, const EventTable& events) {
  if (events.rows() == 0) return;
  std::vector<std::string> names;
  for (const TableColumn& column : events.columns()) names.push_back(column.name);
  const Hdf5Handle group = make_struct(file, "/events", names);
  for (std::size_t c = 0; c < names.size(); ++c) {
    const ColumnValues& values = events.values()[c];
    if (const auto* texts = std::get_if<std::vector<std::string>>(&values)) {
      write_texts(group.get(), names[c], *texts);
      continue;
    }
    MatArray(group.get(), names[c], events.rows(), 1,
             events.columns()[c].kind == ColumnKind::kInteger)
        .write(0, 0, values);
  }
}

}  // namespace

std::vector<std::string> matlab_names(const std::vector<LogQuantity>& quantities) {
  constexpr std::size_t kMaxLength = 63, kRoomForNumber = 6;
  std::vector<std::string> names;
  std::set<std::string> used;
  for (const LogQuantity& quantity : quantities) {
    std::string name;
    for (const char c : quantity.name) {
      if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
        name += c;
      } else if (!name.empty() && name.back() != '_') {
        name += '_';
      }
    }
    while (name.ends_with('_')) name.pop_back();
    if (name.empty() || std::isalpha(static_cast<unsigned char>(name[0])) == 0) name.insert(0, "x");
    name.resize(std::min(name.size(), kMaxLength - kRoomForNumber));
    std::string free = name;
    for (int n = 2; !used.insert(free).second; ++n) free = fmt::format("{}_{}", name, n);
    names.push_back(std::move(free));
  }
  return names;
}

void write_mat(const LogTable& table, const EventTable& events, const std::filesystem::path& path) {
  silence_hdf5();
  const Hdf5Handle creation(H5Pcreate(H5P_FILE_CREATE), H5Pclose, "create a file");
  require_hdf5(H5Pset_userblock(creation.get(), kUserBlock), "set the user block");
  Hdf5Output output(path, {.creation = creation.get()});
  write_data(output.id(), table);
  write_events(output.id(), events);
  output.close();
  write_header(output.descriptor(), path);
  output.commit();
}

}  // namespace haptic
