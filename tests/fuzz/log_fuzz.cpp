// A log as every command opens it: a good one in the format of `haptic record` or of `haptic
// simulate`, whose attributes, datasets and links are replaced with HDF5's own functions, so that
// only the checks of the readers can refuse them; then bytes are changed, and it is cut off. It is
// refused in one line, or everything in it can be read.
//
// Input: [which log][edits of 16 bytes: kind, how, where (2), number (4), value (8)]...
#include <hdf5.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/export/event_table.h"
#include "host/export/row_choice.h"
#include "host/log/log_completeness.h"
#include "host/log/log_difference.h"
#include "host/log/log_quantity.h"
#include "host/log/log_writer.h"
#include "host/report/log_facts.h"
#include "shared/error.h"
#include "tests/fuzz/fuzz_target.h"

namespace haptic {
namespace {

using Bytes = std::vector<std::uint8_t>;

struct Edit {
  std::uint8_t kind, how;
  std::uint16_t where;
  std::uint32_t number;
  std::uint64_t value;
};
static_assert(sizeof(Edit) == 16);
constexpr std::size_t kMaxEdits = 12;

constexpr std::uint64_t kRows = 60;

LogDescription description(bool of_daemon) {
  LogDescription description;
  description.source = of_daemon ? "hapticd" : "simulate";
  description.scene_path = "/nowhere/scene.toml";
  description.rate_hz = 100.0;
  description.timing = of_daemon;
  description.bodies = {{"wall", "sphere radius 0.05"},
                        {"tool", "/nowhere/tool.h5", 7, 0, 2, true}};
  description.state = StateLayout(
      {{.name = "bodies/pose", .unit = "m and 1", .shape = {2, 7}, .display = StateDisplay::kPose},
       {.name = "bodies/coordinates",
        .unit = "m kg^1/2",
        .shape = {2},
        .display = StateDisplay::kReducedCoordinates},
       {.name = "chain/energy", .unit = "J"},
       {.name = "chain/position", .unit = "m", .shape = {4, 3}, .rate = StateRate::kDisplay}});
  if (of_daemon) {
    description.session.emplace();
    description.session->scene_text = "rate_hz = 100\n";
    description.session->parameters = {{"limits.force", 5.0, 0.0, 8.0}};
  }
  return description;
}

Bytes written(bool of_daemon) {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("fuzz-log-" + std::to_string(getpid()) + ".h5");
  LogWriter writer(
      path, description(of_daemon),
      of_daemon ? LogWriter::Readable::kWhileWritten : LogWriter::Readable::kWhenFinished);
  for (std::uint64_t i = 0; i < kRows; ++i) {
    SampleRecord sample{};
    sample.cycle = i + (i > 40 ? 3 : 0);
    sample.device_wrench.force_N[1] = 0.01 * static_cast<double>(i);
    writer.append(sample, std::vector<double>(17, 0.1 * static_cast<double>(i)));
    if (i % 4 == 0) writer.append_display({i, i, std::vector<float>(12, 1.0f)});
    EventRecord event{};
    event.number = i / 20;
    event.cycle = i;
    std::strcpy(event.text, "trial");
    if (i % 20 == 0) writer.append_event(event);
  }
  writer.finish();
  std::ifstream file(path, std::ios::binary);
  Bytes bytes((std::istreambuf_iterator<char>(file)), {});
  std::filesystem::remove(path);
  return bytes;
}

/// Names of the objects of a log.
struct Names {
  std::vector<std::string> datasets, others, attributes;
};

#if H5_VERSION_GE(1, 12, 0)
using ObjectInfo = H5O_info2_t;
#else
using ObjectInfo = H5O_info_t;
#endif

herr_t add_object(hid_t, const char* name, const ObjectInfo* info, void* names) {
  auto& all = *static_cast<Names*>(names);
  std::string path = "/";
  if (std::string_view(name) != ".") path += name;
  (info->type == H5O_TYPE_DATASET ? all.datasets : all.others).push_back(path);
  return 0;
}

void visit(hid_t file, Names& names) {
#if H5_VERSION_GE(1, 12, 0)
  H5Ovisit3(file, H5_INDEX_NAME, H5_ITER_INC, add_object, &names, H5O_INFO_BASIC);
#else
  H5Ovisit1(file, H5_INDEX_NAME, H5_ITER_INC, add_object, &names);
#endif
}

herr_t add_attribute(hid_t, const char* name, const H5A_info_t*, void* names) {
  static_cast<std::vector<std::string>*>(names)->emplace_back(name);
  return 0;
}

Hdf5Handle open_image(const Bytes& bytes) {
  const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "access");
  H5Pset_fapl_core(access.get(), std::size_t{1} << 16, false);
  H5Pset_file_image(access.get(), const_cast<std::uint8_t*>(bytes.data()), bytes.size());
  return {H5Fopen("fuzz.h5", H5F_ACC_RDWR, access.get()), H5Fclose, "open an image"};
}

const Names& names_of(const Bytes& bytes, bool of_daemon) {
  static std::array<Names, 2> all;
  Names& names = all[of_daemon ? 1 : 0];
  if (names.datasets.empty()) {
    const Hdf5Handle file = open_image(bytes);
    visit(file.get(), names);
  }
  return names;
}

const std::string& one_of(const std::vector<std::string>& names, std::size_t number) {
  return names[number % names.size()];
}

constexpr std::array<hsize_t, 10> kExtents = {kRows, 0,        1,          2,          7,
                                              1024,  1u << 24, 1ull << 31, 1ull << 40, ~0ull >> 2};

/// An attribute of the object replaced by `count` numbers or texts, or by another one.
void replace_attribute(hid_t file, const std::string& object, const Edit& edit) {
  const Hdf5Handle owner(H5Oopen(file, object.c_str(), H5P_DEFAULT), H5Oclose, object);
  std::vector<std::string> attributes;
  hsize_t start = 0;
  H5Aiterate2(owner.get(), H5_INDEX_NAME, H5_ITER_INC, &start, add_attribute, &attributes);
  if (attributes.empty()) return;
  const std::string name = one_of(attributes, edit.number);
  H5Adelete(owner.get(), name.c_str());
  if (edit.how == 0) return;
  const hsize_t counts[] = {1, 1, 1, 0, 2, 4000};
  const hsize_t count = counts[edit.how % std::size(counts)];
  const bool is_text = (edit.how & 8) != 0;
  const Hdf5Handle type(H5Tcopy(is_text ? H5T_C_S1 : H5T_IEEE_F64LE), H5Tclose, name);
  if (is_text) H5Tset_size(type.get(), (edit.how & 16) != 0 ? H5T_VARIABLE : 8);
  const Hdf5Handle space(
      (edit.how & 32) != 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &count, nullptr), H5Sclose,
      name);
  const Hdf5Handle attribute(
      H5Acreate2(owner.get(), name.c_str(), type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT),
      H5Aclose, name);
  if (is_text && (edit.how & 16) != 0) return;  // no text at all
  std::vector<std::uint64_t> values(std::max<hsize_t>(count, 1), edit.value);
  H5Awrite(attribute.get(), type.get(), values.data());
}

/// The dataset replaced by one of another type, rank, extent, layout, with other filters.
void replace_dataset(hid_t file, const std::string& name, const Edit& edit) {
  const hid_t types[] = {H5T_IEEE_F64LE, H5T_IEEE_F32LE, H5T_STD_U8LE,    H5T_STD_I64LE,
                         H5T_STD_U32BE,  H5T_C_S1,       H5T_STD_REF_OBJ, H5T_STD_U64LE};
  const auto extent_at = [&](unsigned bit) {
    return kExtents[(edit.number >> bit & 15u) % kExtents.size()];
  };
  const std::array<hsize_t, 3> extent = {extent_at(0), extent_at(4), extent_at(8)};
  const std::array<hsize_t, 3> chunk = {std::max<hsize_t>(1, extent_at(12)),
                                        std::max<hsize_t>(1, extent_at(16)), 1};
  const int rank = static_cast<int>(edit.number >> 20 & 3u);
  const unsigned layout = edit.number >> 22 & 3u;
  const Hdf5Handle settings(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, name);
  const Hdf5Handle space(
      rank == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(rank, extent.data(), nullptr), H5Sclose,
      name);
  if (layout == 1 && rank > 0) {
    H5Pset_chunk(settings.get(), rank, chunk.data());
    if ((edit.number >> 24 & 1u) != 0) H5Pset_shuffle(settings.get());
    if ((edit.number >> 25 & 1u) != 0) H5Pset_deflate(settings.get(), 1);
    if ((edit.number >> 26 & 1u) != 0) H5Pset_fletcher32(settings.get());
    if ((edit.number >> 27 & 1u) != 0) H5Pset_alloc_time(settings.get(), H5D_ALLOC_TIME_INCR);
  }
  if (layout == 2 && rank > 0)
    H5Pset_virtual(settings.get(), space.get(), ".", name.c_str(), space.get());
  if (layout == 3) H5Pset_external(settings.get(), "/proc/self/exe", 0, H5F_UNLIMITED);
  H5Ldelete(file, name.c_str(), H5P_DEFAULT);
  const hid_t id = H5Dcreate2(file, name.c_str(), types[edit.how % std::size(types)], space.get(),
                              H5P_DEFAULT, settings.get(), H5P_DEFAULT);
  if (id < 0) return;
  const Hdf5Handle dataset(id, H5Dclose, name);
  // A stream of any length in the place of the first chunk. With it HDF5 makes the whole index.
  if (layout != 1 || edit.value == 0 || H5Sget_simple_extent_npoints(space.get()) <= 0) return;
  double chunks = 1.0;
  for (int d = 0; d < rank; ++d) {
    chunks *= std::ceil(static_cast<double>(extent[d]) / static_cast<double>(chunk[d]));
  }
  constexpr double kMaxChunks = 1e5;
  if (chunks > kMaxChunks) return;
  const std::array<hsize_t, 3> at{};
  const std::vector<std::uint8_t> stream(1 + edit.value % 8192,
                                         static_cast<std::uint8_t>(edit.how));
  H5Dwrite_chunk(dataset.get(), H5P_DEFAULT, static_cast<std::uint32_t>(edit.value >> 32 & 3u),
                 at.data(), stream.size(), stream.data());
}

/// One number or byte of the dataset's values.
void change_value(hid_t file, const std::string& name, const Edit& edit) {
  const Hdf5Handle dataset(H5Dopen2(file, name.c_str(), H5P_DEFAULT), H5Dclose, name);
  const Hdf5Handle space(H5Dget_space(dataset.get()), H5Sclose, name);
  const Hdf5Handle type(H5Dget_type(dataset.get()), H5Tclose, name);
  const hssize_t count = H5Sget_simple_extent_npoints(space.get());
  constexpr hssize_t kMax = 10000;
  if (count <= 0 || count > kMax || H5Tis_variable_str(type.get()) != 0) return;
  const std::size_t size = H5Tget_size(type.get());
  std::vector<std::uint8_t> values(static_cast<std::size_t>(count) * size);
  if (H5Dread(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0) return;
  const std::size_t at = edit.number % static_cast<std::size_t>(count) * size;
  std::memcpy(&values[at], &edit.value, std::min<std::size_t>(size, 8));
  H5Dwrite(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
}

void replace_link(hid_t file, const std::string& name, const std::string& other, const Edit& edit) {
  if (name == "/" || H5Ldelete(file, name.c_str(), H5P_DEFAULT) < 0) return;
  switch (edit.how % 5) {
    case 0:
      return;
    case 1:
      H5Lcreate_soft(other.c_str(), file, name.c_str(), H5P_DEFAULT, H5P_DEFAULT);
      return;
    case 2:
      H5Lcreate_external("/proc/self/exe", "/", file, name.c_str(), H5P_DEFAULT, H5P_DEFAULT);
      return;
    case 3:
      H5Lcreate_hard(file, other.c_str(), file, name.c_str(), H5P_DEFAULT, H5P_DEFAULT);
      return;
    default:
      H5Lcreate_hard(file, "/", file, name.c_str(), H5P_DEFAULT, H5P_DEFAULT);
  }
}

void apply(const Edit& edit, const Names& names, hid_t file) {
  switch (edit.kind % 6) {
    case 0:
      return replace_attribute(file, one_of(names.others, edit.where), edit);
    case 1:
      return replace_dataset(file, one_of(names.datasets, edit.where), edit);
    case 2:
      return change_value(file, one_of(names.datasets, edit.where), edit);
    case 3:
      return replace_link(file, one_of(names.datasets, edit.where),
                          one_of(names.datasets, edit.number), edit);
    case 4:
      return replace_link(file, one_of(names.others, edit.where), one_of(names.others, edit.number),
                          edit);
    default:  // of the bytes
      return;
  }
}

/// Of the file: a number changed in place, or its end cut off.
void change_bytes(const Edit& edit, Bytes& bytes) {
  if (bytes.empty()) return;
  if (edit.how % 8 == 7) {
    bytes.resize(edit.number % bytes.size());
    return;
  }
  const std::size_t width = std::size_t{1} << (edit.how & 3);
  const std::size_t at = edit.number % bytes.size();
  if (at + width > bytes.size()) return;
  if ((edit.how & 4) != 0) {
    std::memcpy(&bytes[at], &edit.value, width);
  } else {
    bytes[at] = static_cast<std::uint8_t>(bytes[at] ^ (1u << (edit.value & 7)));
  }
}

Bytes damaged(bool of_daemon, std::span<const Edit> edits) {
  static const std::array<Bytes, 2> good = {written(false), written(true)};
  Bytes bytes = good[of_daemon ? 1 : 0];
  bool is_changed = false;
  for (const Edit& edit : edits) is_changed = is_changed || edit.kind % 6 != 5;
  if (is_changed) {
    const Names& names = names_of(bytes, of_daemon);
    const Hdf5Handle file = open_image(bytes);
    // Values first: HDF5 itself reads a virtual dataset that refers to itself without end, and past
    // the end of a chunk that is stored with fewer bytes than it has.
    for (const bool of_values : {true, false}) {
      for (const Edit& edit : edits) {
        if ((edit.kind % 6 == 2) != of_values) continue;
        try {
          apply(edit, names, file.get());
        } catch (const OperationError&) {
          // What the edit refers to is no longer there.
        }
      }
    }
    H5Fflush(file.get(), H5F_SCOPE_GLOBAL);
    const ssize_t size = H5Fget_file_image(file.get(), nullptr, 0);
    constexpr ssize_t kMax = ssize_t{1} << 22;
    if (size > 0 && size < kMax) {
      bytes.resize(static_cast<std::size_t>(size));
      H5Fget_file_image(file.get(), bytes.data(), bytes.size());
    }
  }
  for (const Edit& edit : edits) {
    if (edit.kind % 6 == 5) change_bytes(edit, bytes);
  }
  H5Eclear2(H5E_DEFAULT);
  return bytes;
}

void read_all(const std::filesystem::path& path) {
  const LogReader log(path);
  demand(log.rows() <= log.stated_rows(), "no row is read that no column states");
  static_cast<void>(completeness(log));
  const LogFacts facts = read_log_facts(log);
  static_cast<void>(log.scene_text());
  static_cast<void>(EventTable(log, {}));
  for (const LogQuantity& quantity : log_quantities(log)) {
    static_cast<void>(read_quantity(log, quantity, 0, log.rows()));
  }
  for (const std::string& name : log.cycle_columns()) {
    demand(log.column(name).size() == log.rows() * log.width(name), "a column has every row");
  }
  if (log.rows() == 0) return;
  for (const std::uint64_t row : {std::uint64_t{0}, log.rows() - 1}) {
    const LogSample sample = log.sample(row);
    static_cast<void>(log.display(sample.record.cycle));
  }
  demand(chosen_rows(log, {.fps = 25.0}).size() <= log.rows(), "each row once");
  demand(compare_logs(log, log, true).differing == 0, "a log is equal to itself");
}

}  // namespace
}  // namespace haptic

// HDF5 asks for as much memory as a damaged file says. A request for more than the machine has is
// refused, as malloc() does.
extern "C" const char* __asan_default_options() {  // NOLINT(bugprone-reserved-identifier)
  return "allocator_may_return_null=1:max_allocation_size_mb=1024";
}

// HDF5 1.10.8 itself loses memory when it gives up a damaged file.
extern "C" const char* __lsan_default_suppressions() {  // NOLINT(bugprone-reserved-identifier)
  return "leak:libhdf5\n";
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace haptic;
  silence_hdf5();
  if (size == 0) return 0;
  std::vector<Edit> edits(std::min((size - 1) / sizeof(Edit), kMaxEdits));
  if (!edits.empty()) std::memcpy(edits.data(), data + 1, edits.size() * sizeof(Edit));
  const Bytes bytes = damaged(data[0] % 2 == 1, edits);
  // A new one each time: HDF5 takes an old one for the file that it has closed just before.
  const int file = memfd_create("log", MFD_CLOEXEC);
  demand(file >= 0 && write(file, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()),
         "a file in memory");
  const std::string path = "/proc/self/fd/" + std::to_string(file);
  try {
    read_all(path);
  } catch (const InputError& error) {
    const std::string_view line = error.what();
    demand(line.find('\n') == std::string_view::npos, "a refusal is one line");
  }
  close(file);
  return 0;
}
