// The index of a model file, as the daemon reads it. Hashes are corrected after each mutation, so
// that the code after their check is reached; the length of the file and its data are from the
// input.
//
// Input: [flags][data pages, 0..31][header, 64 bytes][entries of 120 bytes]...
#include <sys/mman.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "shared/artifact/model_file.h"
#include "shared/artifact/user_block.h"
#include "shared/error.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/support/model_hashes.h"

namespace haptic {
namespace {

enum Flag : std::uint8_t { kKeepHashes = 1, kKeepLength = 2 };

std::vector<std::uint8_t> file_of(const std::uint8_t* data, std::size_t size) {
  const std::uint8_t flags = data[0];
  const std::size_t pages = data[1] % 32;
  std::vector<std::uint8_t> file(kUserBlockSize + pages * kSectionAlignment, 0x11);
  std::fill_n(file.begin(), kUserBlockSize, std::uint8_t{0});
  std::copy_n(data + 2, std::min(size - 2, kUserBlockSize), file.begin());
  UserBlockHeader header;
  std::memcpy(&header, file.data(), sizeof header);
  const std::uint64_t length = header.file_length;
  if (!(flags & kKeepHashes)) rebuild_model_hashes(file);
  std::memcpy(&header, file.data(), sizeof header);
  header.file_length = flags & kKeepLength ? length : file.size();
  if (!(flags & kKeepHashes)) {
    header.header_hash = XXH3_64bits(&header, offsetof(UserBlockHeader, header_hash));
  }
  std::memcpy(file.data(), &header, sizeof header);
  return file;
}

// Every byte that a view promises can be read.
void walk(const ModelFile& model) {
  std::size_t sum = 0;
  for (const Section& section : model.sections()) {
    for (const std::byte byte : section.bytes) sum += static_cast<std::size_t>(byte);
    demand(model.has(section.name), "a listed section is found by its name");
    try {
      switch (section.type) {
        case ElementType::kFloat32:
          sum += model.floats(section.name).size();
          break;
        case ElementType::kFloat64:
          sum += model.doubles(section.name).size();
          break;
        case ElementType::kUint32:
          sum += model.indices(section.name).size();
          break;
        default:
          sum += model.bytes(section.name).size();
      }
    } catch (const InputError&) {
    }
  }
  try {
    sum += model.reduced_dimension() + model.material_groups() + model.coefficient_size();
  } catch (const InputError&) {
  }
  asm volatile("" : : "r"(sum));
}

}  // namespace
}  // namespace haptic

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace haptic;
  if (size < 2) return 0;
  const std::vector<std::uint8_t> file = file_of(data, size);
  static const int descriptor = memfd_create("model", 0);
  demand(ftruncate(descriptor, 0) == 0, "a file in memory");
  demand(pwrite(descriptor, file.data(), file.size(), 0) == static_cast<ssize_t>(file.size()),
         "a file in memory");
  try {
    walk(ModelFile("/proc/self/fd/" + std::to_string(descriptor)));
    walk(ModelFile("/proc/self/fd/" + std::to_string(descriptor), ModelFile::Hashes::kSkip,
                   ModelFile::Memory::kSealed));
  } catch (const InputError&) {
  }
  return 0;
}
