#include "shared/artifact/model_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <fstream>
#include <functional>
#include <limits>
#include <sstream>
#include <thread>
#include <vector>

#include "host/artifact/model_attributes.h"
#include "host/artifact/model_writer.h"
#include "shared/artifact/user_block.h"
#include "shared/error.h"
#include "tests/host/artifact/sample_model.h"

namespace haptic {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

std::string read_bytes(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void write_bytes(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

/// The refusal of a file, one line; empty if it was accepted.
std::string refusal(const fs::path& path) {
  try {
    ModelFile model(path);
    return {};
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    EXPECT_THAT(error.what(), HasSubstr(path.string()));
    return error.what();
  }
}

class ModelFileTest : public testing::Test {
 protected:
  ModelFileTest() : folder(fresh_folder("model")), path(folder / "sample.h5") {
    write_sample_model(path);
    good = read_bytes(path);
  }
  ~ModelFileTest() override { fs::remove_all(folder); }

  /// Writes the sample with a changed header or index whose hashes are right again, as a wrong but
  /// consistent writer would.
  void write_with(
      const std::function<void(UserBlockHeader&, std::vector<UserBlockEntry>&)>& change) {
    std::string bytes = good;
    UserBlockHeader header;
    std::memcpy(&header, bytes.data(), sizeof header);
    std::vector<UserBlockEntry> entries(header.section_count);
    std::memcpy(entries.data(), bytes.data() + sizeof header, header.index_length);
    std::fill_n(bytes.begin(), kUserBlockSize, '\0');
    change(header, entries);
    std::memcpy(bytes.data() + sizeof header, entries.data(), entries.size() * sizeof entries[0]);
    header.index_hash = XXH3_64bits(bytes.data() + sizeof header, header.index_length);
    header.header_hash = XXH3_64bits(&header, offsetof(UserBlockHeader, header_hash));
    std::memcpy(bytes.data(), &header, sizeof header);
    write_bytes(path, bytes);
  }

  fs::path folder, path;
  std::string good;
};

UserBlockEntry& named(std::vector<UserBlockEntry>& entries, std::string_view name) {
  return *std::find_if(entries.begin(), entries.end(),
                       [&](const UserBlockEntry& e) { return name == e.name.data(); });
}

TEST_F(ModelFileTest, a_sealed_copy_is_the_map_and_no_change_of_the_file_reaches_it) {
  const ModelFile copy(path, ModelFile::Hashes::kCheck, ModelFile::Memory::kSealed);
  {
    const ModelFile map(path);
    ASSERT_EQ(copy.sections().size(), map.sections().size());
    EXPECT_EQ(copy.content_hash(), map.content_hash());
    for (std::size_t i = 0; i < copy.sections().size(); ++i) {
      EXPECT_EQ(copy.sections()[i].name, map.sections()[i].name);
      // What the daemon relies on for its vector loads, and the file's own layout.
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(copy.sections()[i].bytes.data()) % 4096, 0u);
      EXPECT_EQ(copy.sections()[i].bytes.data() - copy.sections()[0].bytes.data(),
                map.sections()[i].bytes.data() - map.sections()[0].bytes.data());
    }
  }
  const auto changed = [&] {
    return std::count_if(copy.sections().begin(), copy.sections().end(), [](const Section& s) {
      return XXH3_64bits(s.bytes.data(), s.bytes.size()) != s.hash;
    });
  };
  EXPECT_EQ(changed(), 0);
  {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(kUserBlockSize));
    file << std::string(good.size() - kUserBlockSize, '\xff');
  }
  EXPECT_EQ(changed(), 0) << "written in place";
  fs::resize_file(path, 0);
  EXPECT_EQ(changed(), 0) << "truncated";
  fs::remove(path);
  EXPECT_EQ(changed(), 0) << "removed";
}

// Somebody writes while the copy is made: it is the file as it was, or it is refused.
TEST_F(ModelFileTest, a_file_that_changes_while_it_is_read_is_the_old_one_or_refused) {
  std::string other = good;
  other.back() = static_cast<char>(other.back() ^ 1);
  UserBlockHeader header;
  std::memcpy(&header, good.data(), sizeof header);
  std::vector<UserBlockEntry> entries(header.section_count);
  std::memcpy(entries.data(), good.data() + sizeof header, header.index_length);
  for (const UserBlockEntry& entry : entries) {
    if (entry.length > 0) other[entry.offset] = static_cast<char>(other[entry.offset] ^ 1);
  }
  std::atomic<bool> done = false;
  std::thread writer([&] {
    const int file = open(path.c_str(), O_WRONLY | O_CLOEXEC);
    for (bool bad = true; !done; bad = !bad) {
      const std::string& bytes = bad ? other : good;
      const ssize_t written = pwrite(file, bytes.data(), bytes.size(), 0);
      EXPECT_EQ(written, static_cast<ssize_t>(bytes.size()));
    }
    close(file);
  });
  int accepted = 0, refused = 0;
  for (int trial = 0; trial < 300; ++trial) {
    try {
      const ModelFile copy(path, ModelFile::Hashes::kCheck, ModelFile::Memory::kSealed);
      ++accepted;
      for (const Section& section : copy.sections()) {
        EXPECT_EQ(XXH3_64bits(section.bytes.data(), section.bytes.size()), section.hash);
      }
    } catch (const InputError& error) {
      ++refused;
      EXPECT_THAT(error.what(), HasSubstr("changes while it is read"));
    }
  }
  done = true;
  writer.join();
  EXPECT_EQ(accepted + refused, 300);
  write_bytes(path, other);
  EXPECT_THROW(ModelFile(path, ModelFile::Hashes::kCheck, ModelFile::Memory::kSealed), InputError);
}

TEST_F(ModelFileTest, a_written_file_is_mapped_unchanged) {
  const ModelFile model(path);
  EXPECT_EQ(model.sections().size(),
            kSections.size() - 4);  // one kind of element, layout of the field, precision
  EXPECT_EQ(model.reduced_dimension(), 3u);
  const auto basis = model.doubles("/reduced/basis");
  ASSERT_EQ(basis.size(), 72u);
  EXPECT_DOUBLE_EQ(basis[71], 0.071);
  EXPECT_EQ(model.floats("/shell/points")[14], 0.28f);
  EXPECT_EQ(model.indices("/mesh/elements")[7], 7u);
  EXPECT_TRUE(model.doubles("/rigid/mass").size() == 1);
  EXPECT_TRUE(model.indices("/mesh/fixed").empty());
  for (const Section& section : model.sections()) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(section.bytes.data()) % kSectionAlignment, 0u);
  }
  EXPECT_THROW((void)model.floats("/reduced/basis"), InputError);
  EXPECT_THROW((void)model.doubles("/no/such"), InputError);
}

TEST_F(ModelFileTest, moving_keeps_spans_and_content_hash) {
  ModelFile model(path);
  const std::uint64_t hash = model.content_hash();
  const double* data = model.doubles("/rigid/centre").data();
  const ModelFile moved(std::move(model));
  EXPECT_EQ(moved.doubles("/rigid/centre").data(), data);
  EXPECT_EQ(moved.content_hash(), hash);
}

TEST_F(ModelFileTest, the_same_content_gives_the_same_bytes) {
  usleep(1'100'000);  // HDF5 object times count seconds
  write_sample_model(path);
  EXPECT_TRUE(read_bytes(path) == good);
}

TEST_F(ModelFileTest, attributes_are_read_back) {
  const ModelAttributes attributes = read_model_attributes(path);
  EXPECT_EQ(number_attribute(attributes, path, "/mesh.youngs_modulus_Pa"), 5e4);
  EXPECT_EQ(std::get<std::string>(attributes.at("/provenance.recipe")),
            "[source]\nmesh = \"a.obj\"\n");
  EXPECT_THROW(number_attribute(attributes, path, "/mesh.density_kg_m3"), InputError);
}

TEST_F(ModelFileTest, every_truncation_is_refused) {
  for (std::size_t length = 0; length < good.size(); length += length < 20'000 ? 97 : 3'001) {
    ASSERT_EQ(truncate(path.c_str(), static_cast<off_t>(length)), 0);
    EXPECT_NE(refusal(path), "") << length;
    write_bytes(path, good);
  }
}

TEST_F(ModelFileTest, a_longer_file_is_refused) {
  write_bytes(path, good + "x");
  EXPECT_THAT(refusal(path), HasSubstr("too long"));
}

TEST_F(ModelFileTest, every_changed_byte_of_the_user_block_is_refused) {
  const int fd = open(path.c_str(), O_RDWR);
  ASSERT_GE(fd, 0);
  for (std::uint64_t i = 0; i < kUserBlockSize; i += i < 4096 ? 1 : 61) {
    const char flipped = static_cast<char>(good[i] ^ (1 << (i % 8)));
    ASSERT_EQ(pwrite(fd, &flipped, 1, static_cast<off_t>(i)), 1);
    EXPECT_NE(refusal(path), "") << i;
    ASSERT_EQ(pwrite(fd, &good[i], 1, static_cast<off_t>(i)), 1);
  }
  close(fd);
  EXPECT_EQ(refusal(path), "");
}

TEST_F(ModelFileTest, any_flipped_bit_of_a_section_is_refused_by_its_name) {
  const bool held = rc::check("flip one bit of a section", [&] {
    const ModelFile model(path);
    const std::size_t s = *rc::gen::inRange<std::size_t>(0, model.sections().size());
    const Section& section = model.sections()[s];
    RC_PRE(!section.bytes.empty());
    const std::size_t byte = *rc::gen::inRange<std::size_t>(0, section.bytes.size());
    const int bit = *rc::gen::inRange(0, 8);
    const std::string_view start(reinterpret_cast<const char*>(section.bytes.data()),
                                 section.bytes.size());
    UserBlockEntry entry;
    std::memcpy(&entry, good.data() + sizeof(UserBlockHeader) + s * sizeof entry, sizeof entry);
    std::string bytes = good;
    bytes[entry.offset + byte] = static_cast<char>(bytes[entry.offset + byte] ^ (1 << bit));
    const fs::path damaged = folder / "damaged.h5";
    write_bytes(damaged, bytes);
    RC_ASSERT(refusal(damaged).find(section.name) != std::string::npos);
  });
  EXPECT_TRUE(held);
}

// Two threads hash a file of more than 1 MiB.
TEST_F(ModelFileTest, a_flipped_bit_of_a_large_file_is_refused_by_its_section) {
  ModelWriter writer(path);
  writer.add("/surface/vertices", std::vector<double>(150'000, 0.5), {50'000, 3});
  writer.add("/surface/triangles", std::vector<std::uint32_t>{0, 1, 2}, {1, 3});
  writer.add("/mesh/vertices", std::vector<double>(24, 0.25), {8, 3});
  writer.add("/material/density", std::vector<double>{1e3}, {1});
  writer.commit();
  const std::string large = read_bytes(path);
  ASSERT_GT(large.size(), std::size_t{1} << 20);
  std::vector<Section> sections;
  {
    const ModelFile model(path);
    sections = model.sections();
    for (Section& section : sections) section.bytes = {};
  }
  ASSERT_EQ(sections.size(), 4u);
  for (std::size_t s = 0; s < sections.size(); ++s) {
    UserBlockEntry entry;
    std::memcpy(&entry, large.data() + sizeof(UserBlockHeader) + s * sizeof entry, sizeof entry);
    for (const std::uint64_t byte : {std::uint64_t{0}, entry.length / 2, entry.length - 1}) {
      std::string bytes = large;
      bytes[entry.offset + byte] = static_cast<char>(bytes[entry.offset + byte] ^ 1);
      write_bytes(path, bytes);
      EXPECT_THAT(refusal(path), HasSubstr(sections[s].name + ": found hash")) << byte;
    }
  }
  write_bytes(path, large);
  EXPECT_EQ(refusal(path), "");
}

TEST_F(ModelFileTest, random_user_blocks_never_crash) {
  const bool held = rc::check("random bytes over header and index, hashes made right", [&] {
    const auto edits = *rc::gen::container<std::vector<std::pair<std::uint32_t, std::uint8_t>>>(
        rc::gen::arbitrary<std::pair<std::uint32_t, std::uint8_t>>());
    bool harmless = true;
    write_with([&](UserBlockHeader&, std::vector<UserBlockEntry>& entries) {
      auto* raw = reinterpret_cast<std::uint8_t*>(entries.data());
      const std::size_t size = entries.size() * sizeof entries[0];
      const std::vector<std::uint8_t> before(raw, raw + size);
      for (const auto& [position, value] : edits) raw[position % size] = value;
      harmless =
          std::equal(before.begin(), before.end(), raw);  // a later edit may undo an earlier one
    });
    RC_ASSERT((refusal(path) == "") == harmless);
  });
  EXPECT_TRUE(held);
}

TEST_F(ModelFileTest, an_unknown_name_is_shown_on_one_line) {
  write_with([](UserBlockHeader&, auto& entries) { entries[0].name[0] = '\n'; });
  EXPECT_THAT(refusal(path), HasSubstr("found the unknown name \"\\x0a"));
}

TEST_F(ModelFileTest, a_newer_version_is_refused_as_newer) {
  write_with([](UserBlockHeader& header, auto&) { header.version = kModelFormatVersion + 1; });
  EXPECT_THAT(refusal(path), HasSubstr("newer than this program"));
}

TEST_F(ModelFileTest, foreign_files_are_refused) {
  write_bytes(path, std::string(100'000, 'x'));
  EXPECT_THAT(refusal(path), HasSubstr("no model file mark"));
  write_bytes(path, "");
  EXPECT_THAT(refusal(path), HasSubstr("empty"));
  EXPECT_THAT(refusal(folder), HasSubstr("found a folder, expected a model file"));
  EXPECT_THAT(refusal(folder / "none.h5"), HasSubstr("no such file"));
  write_bytes(folder / "recipe.toml", "[source]\n");
  EXPECT_THAT(refusal(folder / "recipe.toml"),
              HasSubstr("found a TOML file (a recipe or a scene), expected a model file"));
}

TEST_F(ModelFileTest, a_consistent_but_wrong_index_is_refused) {
  using Change = std::function<void(UserBlockHeader&, std::vector<UserBlockEntry>&)>;
  const std::vector<std::pair<std::string, Change>> cases = {
      {"unknown name", [](auto&, auto& e) { e[0].name[1] = 'X'; }},
      {"does not end", [](auto&, auto& e) { e[0].name.fill('a'); }},
      {"element type", [](auto&, auto& e) { e[0].type = 1; }},
      {"rank", [](auto&, auto& e) { e[0].rank = 1; }},
      {"beyond the rank", [](auto&, auto& e) { e[0].shape[2] = 1; }},
      {"overflows",
       [](auto&, auto& e) { e[0].shape[0] = std::numeric_limits<std::uint64_t>::max() / 2; }},
      {"bytes by its shape", [](auto&, auto& e) { e[0].shape[0] += 1; }},
      {"multiple of 4096", [](auto&, auto& e) { e[0].offset += 8; }},
      {"a range from", [](auto&, auto& e) { e[0].offset = 0; }},
      {"a range from", [](auto&, auto& e) { e[0].offset = std::uint64_t{1} << 62; }},
      {"found twice", [](auto&, auto& e) { e[1] = e[0]; }},
      {"bytes shared with",
       [](auto&, auto& e) {
         named(e, "/rigid/mass").offset = named(e, "/reduced/damping").offset;
       }},
      {"found hash", [](auto&, auto& e) { e[0].hash ^= 1; }},
      {"C(r+3,4)",
       [](auto&, auto& e) {
         UserBlockEntry& quartic = named(e, "/reduced/quartic");
         quartic.shape[0] = 14;
         quartic.length = 14 * 8;
       }},
      {"C(C(r+1,2)+1,2)",
       [](auto&, auto& e) {
         UserBlockEntry& quadratic = named(e, "/reduced/viscous/quadratic");
         quadratic.shape[0] = 20;
         quadratic.length = 20 * 8;
       }},
      {"2G of 2G x C(r+1,2), expected 4",
       [](auto&, auto& e) {
         named(e, "/reduced/groups/quadratic").shape = {3, 6, 0};
         named(e, "/reduced/groups/quadratic").length = 18 * 8;
       }},
      {"at most 4294967295",
       [](auto&, auto& e) {
         UserBlockEntry& fixed = named(e, "/material/names");
         fixed.shape = {std::uint64_t{1} << 32, 0, 0};
         fixed.length = 0;
       }},
      {"found 3 slices, expected 6",
       [](auto&, auto& e) {
         UserBlockEntry& values = named(e, "/field/domains/values");
         values.shape = {3, 3, 3};
         values.length = 27 * 4;
         values.hash = 0;
       }},
      {"n = 8 in /mesh/vertices",
       [](auto&, auto& e) {
         UserBlockEntry& basis = named(e, "/reduced/basis");
         basis.shape[0] = 21;
         basis.length = 21 * 3 * 8;
       }},
  };
  for (const auto& [expected, change] : cases) {
    write_with(change);
    EXPECT_THAT(refusal(path), HasSubstr(expected));
  }
}

// Content that another writer could produce: the hash is right, the number is not.
TEST_F(ModelFileTest, a_number_that_no_consumer_could_use_is_refused) {
  const auto with = [&](std::string_view section, std::size_t at, auto value) {
    write_with([&](auto&, std::vector<UserBlockEntry>& entries) {
      UserBlockEntry& entry = named(entries, section);
      std::memcpy(good.data() + entry.offset + at * sizeof value, &value, sizeof value);
      entry.hash = XXH3_64bits(good.data() + entry.offset, entry.length);
    });
    // write_with copies `good` before the change: its data again, with the change.
    std::string bytes = read_bytes(path);
    std::copy(good.begin() + kUserBlockSize, good.end(), bytes.begin() + kUserBlockSize);
    write_bytes(path, bytes);
    std::string line = refusal(path);
    write_sample_model(path);
    good = read_bytes(path);
    return line;
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const float infinite = -std::numeric_limits<float>::infinity();
  EXPECT_THAT(with("/reduced/quartic", 14, nan),
              HasSubstr("/reduced/quartic: found nan at number 14, expected finite numbers"));
  EXPECT_THAT(with("/rigid/mass", 0, nan), HasSubstr("/rigid/mass: found nan at number 0"));
  EXPECT_THAT(with("/shell/points", 7, infinite),
              HasSubstr("/shell/points: found -inf at number 7"));
  EXPECT_THAT(with("/surface/triangles", 3, 4u),
              HasSubstr("/surface/triangles: found 4 at number 3, expected indices below 4"));
  EXPECT_THAT(with("/mesh/elements", 0, 8u), HasSubstr("/mesh/elements: found 8 at number 0"));
  EXPECT_THAT(with("/material/group", 0, 0xffffffffu), HasSubstr("indices below 2"));
  EXPECT_THAT(with("/shell/tree/point", 0, 5u), HasSubstr("/shell/tree/point: found 5"));
  EXPECT_THAT(with("/field/proxies/domain", 3, 2u), HasSubstr("indices below 2, as many as "
                                                              "/field/domains/frame has"));
  EXPECT_THAT(with("/material/names", 40, std::uint8_t{0x1b}),
              HasSubstr("/material/names: found byte 1b in the name of group 1"));
  EXPECT_EQ(with("/reduced/quartic", 14, -std::numeric_limits<double>::max()), "");
  EXPECT_EQ(with("/reduced/quartic", 14, std::numeric_limits<double>::denorm_min()), "");
}

TEST_F(ModelFileTest, a_writer_killed_midway_leaves_the_old_file) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ModelWriter writer(path);
    const std::vector<double> mass = {9.0};
    writer.add("/rigid/mass", mass, {1});
    kill(getpid(), SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_TRUE(read_bytes(path) == good);
  const auto files = [&] {
    return std::distance(fs::directory_iterator(folder), fs::directory_iterator());
  };
  EXPECT_EQ(files(), 2);  // the dead writer's, half written
  write_bytes(folder / "sample.h5.tmp", "not one of ours");
  write_bytes(folder / "sample.h5.tmp0123456789abcdex", "nor this");
  { ModelWriter next(path); }
  EXPECT_EQ(files(), 3);  // it is gone, the others are not
}

TEST_F(ModelFileTest, a_writer_that_gives_up_leaves_nothing_behind) {
  { ModelWriter writer(path); }
  const std::vector<double> mass = {std::numeric_limits<double>::quiet_NaN()};
  EXPECT_THROW(ModelWriter(path).add("/rigid/mass", mass, {1}), OperationError);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), fs::directory_iterator()), 1);
  EXPECT_TRUE(read_bytes(path) == good);
}

TEST_F(ModelFileTest, a_writer_refuses_shapes_that_disagree_and_missing_folders) {
  ModelWriter writer(path);
  const std::vector<double> vertices(6), basis(18);
  writer.add("/mesh/vertices", vertices, {2, 3});
  writer.add("/reduced/basis", basis, {9, 2});
  EXPECT_THROW(writer.commit(), OperationError);
  EXPECT_TRUE(read_bytes(path) == good);
  EXPECT_THROW(ModelWriter(folder / "none" / "a.h5"), InputError);
  EXPECT_THROW(ModelWriter{folder}, InputError);
}

TEST_F(ModelFileTest, two_kinds_of_elements_are_refused) {
  ModelWriter writer(path);
  writer.add("/mesh/elements", std::vector<std::uint32_t>(8), {1, 8});
  writer.add("/mesh/tetrahedra", std::vector<std::uint32_t>(4), {1, 4});
  EXPECT_THROW(writer.commit(), OperationError);
}

TEST_F(ModelFileTest, two_layouts_of_a_field_are_refused) {
  ModelWriter writer(path);
  writer.add("/field/values", std::vector<float>(27), {3, 3, 3});
  writer.add("/field/sparse", std::vector<std::uint8_t>(32), {32});
  EXPECT_THROW(writer.commit(), OperationError);
}

TEST_F(ModelFileTest, two_precisions_of_a_compliance_are_refused) {
  ModelWriter writer(path);
  writer.add("/condensed/compliance/single", std::vector<float>(9), {3, 3});
  writer.add("/condensed/compliance/double", std::vector<double>(9), {3, 3});
  EXPECT_THROW(writer.commit(), OperationError);
}

TEST_F(ModelFileTest, condensed_nodes_are_below_their_number_or_marked_as_fixed) {
  constexpr std::uint32_t kFixed = ~std::uint32_t{0};
  const auto with_nodes = [&](std::vector<std::uint32_t> nodes) {
    ModelWriter writer(path);
    writer.add("/mesh/vertices", std::vector<double>(24), {8, 3});
    writer.add("/condensed/nodes", std::vector<std::uint32_t>{1, 7}, {2});
    writer.add("/condensed/embedding/nodes", nodes, {1, 8});
    writer.commit();
    return ModelFile(path).indices("/condensed/embedding/nodes").size();
  };
  EXPECT_EQ(with_nodes({0, 1, kFixed, 1, 0, 0, kFixed, 1}), 8u);
  EXPECT_EQ(with_nodes(std::vector<std::uint32_t>(8, kFixed)), 8u);
  EXPECT_THROW(with_nodes({0, 1, kFixed, 2, 0, 0, kFixed, 1}), InputError);
  EXPECT_THROW(with_nodes({0, 1, kFixed - 1, 1, 0, 0, kFixed, 1}), InputError);
}

TEST_F(ModelFileTest, materials_and_storage_have_defaults_where_absent) {
  EXPECT_EQ(ModelFile(path).material_groups(), 2u);
  EXPECT_EQ(ModelFile(path).coefficient_size(), 4u);
  EXPECT_EQ(ModelFile(path).bytes("/material/names")[33], 33);
  ModelWriter writer(path);
  writer.add("/reduced/storage", std::vector<std::uint32_t>{5}, {1});
  writer.commit();
  EXPECT_EQ(ModelFile(path).material_groups(), 1u);
  EXPECT_THAT([&] { (void)ModelFile(path).coefficient_size(); },
              testing::ThrowsMessage<InputError>(HasSubstr("found 5, expected 8 or 4")));
}

TEST_F(ModelFileTest, h5py_reads_what_is_mapped) {
  const std::string command = "/usr/bin/python3 " HAPTIC_SOURCE_DIR
                              "/tests/host/artifact/h5py_agrees.py " +
                              path.string() + " 2>&1";
  if (std::system("/usr/bin/python3 -c 'import h5py' 2>/dev/null") != 0) {
    GTEST_SKIP() << "python3-h5py is not installed";
  }
  EXPECT_EQ(std::system(command.c_str()), 0);
}

}  // namespace
}  // namespace haptic
