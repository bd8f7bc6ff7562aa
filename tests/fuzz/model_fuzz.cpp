// A model from its file to a running world, as in the daemon. Hashes and index are correct for any
// content of the sections, so that only the checks of the numbers can refuse a model. An accepted
// model must run: a world with a value that is not finite must report it.
//
// Input: ModelInput
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "rt/bodies/cloth_model.h"
#include "rt/worlds/make_world.h"
#include "rt/worlds/scene.h"
#include "shared/error.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/model_input.h"

namespace haptic {
namespace {

constexpr int kSteps = 12;
/// The scenes of solids are the first of the list; an input chooses another from this number on.
constexpr std::size_t kSolids = 8;
constexpr std::size_t kCondensed = 4;
constexpr std::uint8_t kFirstCondensed = 192, kFirstCloth = 240;

std::string path_of(int file) {
  return "/proc/self/fd/" + std::to_string(file);
}

/// A file in memory under a name that stays.
int made(const char* name) {
  const int file = memfd_create(name, MFD_CLOEXEC);
  demand(file >= 0, "a file in memory");
  return file;
}

void fill(int file, const std::vector<std::uint8_t>& bytes) {
  demand(ftruncate(file, static_cast<off_t>(bytes.size())) == 0, "a file in memory");
  demand(pwrite(file, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()),
         "a file in memory");
}

std::string body(const char* name, const char* role, const std::string& what) {
  return std::string("[[body]]\nname = \"") + name + "\"\nrole = \"" + role + "\"\n" + what + "\n";
}

/// The uses of a model in a daemon: its points or its field, held or not, with every
/// integrator and contact law; as a condensed body, under a stylus or a ball; and as a cloth.
std::vector<Scene> scenes(const std::string& model) {
  const std::string of_model = "model = \"" + model + "\"";
  const std::string ball = "shape = \"sphere\"\nradius = 0.02";
  const std::string coupling = "[coupling]\nstiffness = 300.0\n";
  const std::string soft = body("soft", "anchored", of_model) + body("tool", "held", ball);
  const std::string pair = "[[contact]]\npoints = \"soft\"\nfield = \"tool\"\n";
  const std::string texts[kSolids] = {
      soft + pair + coupling,
      soft + pair + "continuous = true\nscaling = \"smooth\"\n" + coupling + "mode = \"dynamic\"\n",
      soft + pair + "scaling = \"per-site\"\nfriction = { static = 0.5, dynamic = 0.3 }\n" +
          coupling + "[dynamics]\nintegrator = \"modal\"\n",
      soft + pair + "area_weights = true\ntemporal_coherence = true\nnode_budget = 5\n" + coupling +
          "[dynamics]\nintegrator = \"central-differences\"\n",
      soft + pair + coupling + "[dynamics]\ncontact = \"explicit\"\n",
      body("tool", "held", of_model) +
          body("wall", "anchored", "shape = \"box\"\nx = 0.1\ny = 0.02\nz = 0.1") +
          "[[contact]]\npoints = \"tool\"\nfield = \"wall\"\ncontinuous = true\n" + coupling,
      body("soft", "anchored", of_model) + body("tool", "held", of_model) +
          "[[contact]]\npoints = \"soft\"\nfield = \"tool\"\n" + coupling,
      body("wall", "anchored", of_model) + body("tool", "held", of_model) +
          "[[contact]]\npoints = \"tool\"\nfield = \"wall\"\ncontinuous = true\n" + coupling,
  };
  const std::string condensed = "world = \"condensed\"\n" + soft + coupling;
  const std::string stylus = "points = [0.0, 0.0, 0.0, 0.005, 0.0, 0.0]\n";
  const std::string of_condensed[kCondensed] = {
      condensed + "[contact]\n" + stylus,
      condensed + "[contact]\nfriction = 0.0\ncapacity = 5\n[condensed]\nrelease_s = 0.01\n",
      condensed + "[contact]\nviscosity = 2.0\n[condensed]\ncoupling = \"statics\"\nmodes = 1\n",
      condensed + "mode = \"dynamic\"\n[contact]\nstick = true\n" + stylus,
  };
  const std::string cloth = "world = \"cloth\"\n" +
                            body("soft", "anchored",
                                 of_model +
                                     "\nposition = [-0.5, 0.0, 0.5]\n"
                                     "orientation = [0.70710678, -0.70710678, 0.0, 0.0]") +
                            body("tool", "held", ball) + coupling;
  const std::string point = "[touch]\nhand = \"point\"\n";
  const std::string of_cloth[] = {
      cloth + point +
          "grab_force = 1.0\ngrab_s = 0.01\ngrab_reach = 1.0\n[cloth]\nwind = [3.0, 2.0, 0.0]\n"
          "gust = [0.0, 5.0, 0.0]\nstrain_limit = 0.1\nstrain_order = \"most-stretched-first\"\n",
      cloth +
          body("ground", "anchored",
               "shape = \"sphere\"\nradius = 0.3\nposition = [0.0, -0.301, 0.0]") +
          "[cloth]\nbody = \"soft\"\n[[constraint]]\nparticles = [0]\n",
      cloth + point + "[cloth]\nintegrator = \"velocity-verlet\"\nsubsteps = 4\n",
      cloth + point +
          "shading = \"sub-proxy\"\n[cloth]\nintegrator = \"bdf2\"\n"
          "[[constraint]]\nset = \"corners\"\nkind = \"line\"\ndirection = [0.0, 1.0, 0.0]\n",
      cloth + point +
          "[cloth]\nintegrator = \"imex-euler\"\n"
          "[[constraint]]\nparticles = [1]\nkind = \"sphere\"\ncentre = [0.0, 1.0, 0.0]\n",
      cloth + point + "[cloth]\nintegrator = \"filtered-forces\"\nself_contact = false\n",
  };
  std::vector<Scene> parsed;
  for (const std::string& text : texts) {
    parsed.push_back(parse_scene("rate_hz = 1000\n" + text, "/nowhere/scene.toml"));
  }
  for (const std::string& text : of_condensed) {
    parsed.push_back(parse_scene("rate_hz = 1000\n" + text, "/nowhere/scene.toml"));
  }
  for (const std::string& text : of_cloth) {
    parsed.push_back(parse_scene("rate_hz = 1000\n" + text, "/nowhere/scene.toml"));
  }
  return parsed;
}

/// Numbers below kFirstCondensed, and those from there to kFirstCloth, have the scenes that they
/// had before there were other ones.
std::size_t chosen(std::uint8_t number, std::size_t scenes) {
  if (number < kFirstCondensed) return number % kSolids;
  if (number < kFirstCloth) return kSolids + number % kCondensed;
  return kSolids + kCondensed + (number - kFirstCloth) % (scenes - kSolids - kCondensed);
}

void run(World& world) {
  DeviceState hand;
  for (int i = 0; i < kSteps; ++i) {
    const double t = static_cast<double>(i) / kSteps;
    hand.pose.position = {0.002 * t, 0.03 - 0.06 * t, 0.001};
    WorldOutput output;
    const WorldStatus status = world.step(hand, output);
    if (status != WorldStatus::kOk) return world.reset();
    demand(is_finite(output.device_wrench) && is_finite(output.contact_wrench),
           "what a step calls good is finite");
    demand(is_finite(output.held_pose), "the pose of the held body is finite");
  }
}

/// What read_cloth_model promises, whatever the file.
void check(const ClothModel& cloth) {
  const std::size_t particles = cloth.mesh.vertices.size();
  const Springs& springs = cloth.springs;
  demand(cloth.masses.size() == particles, "a particle has a mass");
  for (const double mass : cloth.masses) demand(std::isfinite(mass) && mass > 0.0, "masses");
  for (std::size_t s = 0; s < springs.size(); ++s) {
    demand(springs.first[s] < springs.second[s] && springs.second[s] < particles, "particles");
    demand(static_cast<std::size_t>(springs.kind[s]) < kSpringKinds, "kinds");
    demand(std::isfinite(springs.rest[s]) && springs.rest[s] > 0.0, "rest lengths");
    demand(springs.stiffness[s] >= 0.0 && springs.damping[s] >= 0.0 && springs.bending[s] >= 0.0,
           "constants");
  }
}

struct Tally {
  long inputs = 0, worlds = 0, cloths = 0;
  ~Tally() {
    std::fprintf(stderr, "%ld of %ld inputs made a world, %ld a cloth\n", worlds, inputs, cloths);
  }
};

}  // namespace
}  // namespace haptic

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  using namespace haptic;
  if (seed % 8 == 0) return LLVMFuzzerMutate(data, size, most);
  ModelInput input = ModelInput::parse({data, size});
  if (seed % 8 == 1 && !input.parts.empty()) {
    std::vector<std::uint8_t>& bytes = input.parts[seed / 8 % input.parts.size()].data;
    const std::size_t used = bytes.size();
    bytes.resize(used + 16);
    bytes.resize(LLVMFuzzerMutate(bytes.data(), used, bytes.size()));
  } else {
    mutate(input, seed);
  }
  const std::vector<std::uint8_t> out = input.bytes();
  if (out.size() > most) return LLVMFuzzerMutate(data, size, most);
  std::copy(out.begin(), out.end(), data);
  return out.size();
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace haptic;
  static Tally tally;
  static const int file = made("model");
  static const std::vector<Scene> all = scenes(path_of(file));
  const ModelInput input = ModelInput::parse({data, size});
  static std::vector<std::uint8_t> bytes;
  input.write_file(bytes);
  fill(file, bytes);
  ++tally.inputs;
  const Scene& scene = all[chosen(input.scene, all.size())];
  try {
    const ModelFile model(path_of(file));
    if (model.has("/cloth/masses")) {
      check(read_cloth_model(model));
      ++tally.cloths;
    }
    const std::unique_ptr<World> world = make_world(scene, nullptr);
    ++tally.worlds;
    run(*world);
  } catch (const InputError& error) {
    const std::string_view line = error.what();
    demand(line.starts_with(path_of(file)) || line.starts_with("/nowhere/scene.toml"),
           "a refusal names a file");
    demand(line.find('\n') == std::string_view::npos, "a refusal is one line");
  }
  return 0;
}
