// Scenes stepped in the process of the interpreter, with the cycle of `haptic simulate`.
#include <fmt/format.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "host/offline/given_hand.h"
#include "host/offline/offline_cycle.h"
#include "host/python/record_types.h"
#include "rt/device/hand_script.h"
#include "rt/worlds/scene_device.h"
#include "shared/config/toml_reader.h"
#include "shared/error.h"
#include "shared/printable.h"

namespace haptic {
namespace py = pybind11;
namespace {

/// Longest time until a signal such as that of Ctrl-C ends a run of many cycles.
constexpr std::chrono::milliseconds kSignalPatience{50};

using Rows = py::array_t<double, py::array::c_style | py::array::forcecast>;
using ButtonRows = py::array_t<std::uint32_t, py::array::c_style | py::array::forcecast>;

/// A scene's world and its hand.
class OfflineWorld {
 public:
  /// @param scripted  the scene's own simulated hand instead of a given one
  OfflineWorld(const std::filesystem::path& scene_path, bool scripted)
      : OfflineWorld(load_scene(scene_path), scripted) {}

  /// Cycles with these hands. @param poses n x 7 (x, y, z [m], w, x, y, z), @param twists n x 6
  /// (m/s, rad/s), @param buttons n
  py::tuple step(const Rows& poses, const Rows& twists, const ButtonRows& buttons) {
    if (given_ == nullptr) throw InputError("world", "", "the hand is the scene's", "advance(n)");
    const auto rows = static_cast<std::size_t>(poses.ndim() == 2 ? poses.shape(0) : 0);
    if (poses.ndim() != 2 || poses.shape(1) != 7 || twists.ndim() != 2 || twists.shape(1) != 6 ||
        twists.shape(0) != poses.shape(0) || buttons.size() != poses.shape(0)) {
      throw InputError("hand", "", "found arrays of other shapes", "n x 7, n x 6 and n");
    }
    return run(rows, [&](std::size_t i) {
      const double* p = poses.data() + 7 * i;
      const double* v = twists.data() + 6 * i;
      given_->put({{p[0], p[1], p[2]}, {p[3], p[4], p[5], p[6]}},
                  {{v[0], v[1], v[2]}, {v[3], v[4], v[5]}}, buttons.data()[i]);
    });
  }

  /// Cycles with the scene's own hand.
  py::tuple advance(std::size_t cycles) {
    if (given_ != nullptr) throw InputError("world", "", "the hand is given", "step(poses)");
    return run(cycles, [](std::size_t) {});
  }

  py::object block(const std::string& name) {
    const Use use(in_use_);
    const World& world = cycle_->world();
    const std::optional<std::size_t> index = world.state_layout().find(name);
    if (!index) {
      throw InputError(file_, name, "found no block of this name", "one of World.blocks");
    }
    const std::span<const double> values = world.state(*index);
    const StateBlock& block = world.state_layout().blocks()[*index];
    std::vector<py::ssize_t> shape(block.shape.begin(), block.shape.end());
    return py::array_t<double>(shape, values.data());
  }

  py::list blocks() const { return describe_blocks(cycle_->world().state_layout()); }

  py::list bodies() const {
    py::list list;
    for (const BodyInfo& info : cycle_->world().bodies()) {
      py::dict body;
      body["name"] = printable(info.name);
      body["model_path"] = py::reinterpret_steal<py::str>(PyUnicode_DecodeFSDefaultAndSize(
          info.model_path.data(), static_cast<py::ssize_t>(info.model_path.size())));
      body["first_coordinate"] = info.first_coordinate;
      body["coordinate_count"] = info.coordinate_count;
      body["held"] = info.held;
      list.append(body);
    }
    return list;
  }

  py::dict parameters() {
    const Use use(in_use_);
    py::dict found;
    const auto& entries = cycle_->parameters().entries();
    for (std::size_t i = 0; i < entries.size(); ++i) {
      found[py::str(std::string(entries[i].name))] =
          py::make_tuple(cycle_->parameter(i), entries[i].minimum, entries[i].maximum);
    }
    return found;
  }

  /// As `haptic set`: limits and the world's parameters.
  void set(const std::string& key, double value) {
    const Use use(in_use_);
    const std::optional<std::uint32_t> index = cycle_->parameters().find(key);
    if (!index) {
      std::vector<std::string> names;
      for (const World::Parameter& p : cycle_->parameters().entries()) names.emplace_back(p.name);
      const std::string why = cycle_->world().why_absent(key);
      const std::string_view near = nearest_word(key, names);
      throw InputError(file_, key, why.empty() ? "found no such parameter" : why,
                       near.empty() ? "one of World.parameters" : std::string(near));
    }
    const World::Parameter& parameter = cycle_->parameters().entries()[*index];
    if (parameter.whole && std::floor(value) != value) {
      throw InputError(file_, key, fmt::format("found {:g}", value), "a whole number");
    }
    const CommandReply reply = cycle_->set(*index, value);
    if (reply.answer == CommandAnswer::kApplied) return;
    if (reply.answer == CommandAnswer::kOutOfRange) {
      throw InputError(file_, key, fmt::format("found {:g}", value),
                       fmt::format("{:g} to {:g}", reply.minimum, reply.maximum));
    }
    throw InputError(file_, key, fmt::format("found {:g}, which the hand already exceeds", value),
                     "a limit that the present motion keeps");
  }

  double rate_hz() const { return cycle_->scene().servo_rate(); }
  /// Also while another thread steps.
  std::uint64_t cycles() const { return cycles_.load(std::memory_order_relaxed); }
  py::list physical_warnings() {
    const Use use(in_use_);
    return describe_warnings(cycle_->physical_warnings());
  }
  std::vector<std::string> warnings() const {
    std::vector<std::string> lines = cycle_->warnings();
    for (std::string& line : lines) line = printable(line);
    return lines;
  }

 private:
  /// A world belongs to one thread at a time, since a step runs without the interpreter's lock.
  class Use {
   public:
    explicit Use(std::atomic<bool>& in_use) : in_use_(in_use) {
      if (in_use.exchange(true)) throw OperationError("world: another thread is stepping it");
    }
    ~Use() { in_use_.store(false); }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

   private:
    std::atomic<bool>& in_use_;
  };

  OfflineWorld(const Scene& scene, bool scripted) : file_(scene.file.string()) {
    SceneDevice hand = simulated_hand(scene);
    if (scripted && hand.script.empty()) {
      throw InputError(file_, "device.script", "no hand trajectory", "a script in the scene");
    }
    device_ = make_device(hand, scene.servo_rate());
    if (!scripted) {
      auto given = std::make_unique<GivenHand>(device_->capabilities());
      given_ = given.get();
      device_ = std::move(given);
    }
    cycle_ = std::make_unique<OfflineCycle>(scene, *device_);
  }

  /// Records (n) and states (n x v) of the cycles; before each, `place` puts the hand. Where a
  /// fault ends the run, its text is the third; the last record is then that of the fault. Where a
  /// signal's handler has raised an exception, such as KeyboardInterrupt, it is the fourth.
  template <class Place>
  py::tuple run(std::size_t count, Place place) {
    const Use use(in_use_);
    const auto width = static_cast<std::size_t>(cycle_->world().state_layout().cycle_values());
    py::array_t<SampleRecord> records(static_cast<py::ssize_t>(count));
    py::array_t<double> values({count, width});
    SampleRecord* record = records.mutable_data();
    double* value = values.mutable_data();
    std::size_t done = 0;
    std::string fault;
    py::object interruption = py::none();
    {
      const py::gil_scoped_release unlocked;
      auto next_look = std::chrono::steady_clock::now() + kSignalPatience;
      for (; done < count && fault.empty(); ++done) {
        if (std::chrono::steady_clock::now() > next_look) {
          const py::gil_scoped_acquire locked;
          if (PyErr_CheckSignals() != 0) {
            interruption = py::error_already_set().value();
            break;
          }
          next_look = std::chrono::steady_clock::now() + kSignalPatience;
        }
        place(done);
        try {
          cycle_->run();
        } catch (const OperationError& error) {
          fault = error.what();
        }
        cycles_.store(cycle_->cycles(), std::memory_order_relaxed);
        record[done] = cycle_->sample();
        std::ranges::copy(cycle_->state(), value + done * width);
      }
    }
    const py::slice kept(0, static_cast<py::ssize_t>(done), 1);
    return py::make_tuple(records[kept], values[kept], printable(fault), interruption);
  }

  std::string file_;
  std::unique_ptr<Device> device_;
  GivenHand* given_ = nullptr;
  std::unique_ptr<OfflineCycle> cycle_;
  std::atomic<bool> in_use_{false};
  std::atomic<std::uint64_t> cycles_{0};
};

/// A hand script at the cycles of a rate: times [s], poses n x 7, twists n x 6, buttons n.
py::tuple sampled_script(const std::filesystem::path& path, double rate_hz) {
  if (!(rate_hz > 0.0 && std::isfinite(rate_hz))) {
    throw InputError("script", "rate_hz", fmt::format("found {:g}", rate_hz), "a number > 0 [Hz]");
  }
  const HandScript script = HandScript::load(path);
  const auto rows = static_cast<std::size_t>(std::floor(script.end_time() * rate_hz + 0.5)) + 1;
  py::array_t<double> times(static_cast<py::ssize_t>(rows));
  py::array_t<double> poses({rows, std::size_t{7}}), twists({rows, std::size_t{6}});
  py::array_t<std::uint32_t> buttons(static_cast<py::ssize_t>(rows));
  for (std::size_t i = 0; i < rows; ++i) {
    const double time = static_cast<double>(i) / rate_hz;
    const Pose pose = script.pose(time);
    const Twist twist = script.twist(time);
    times.mutable_at(i) = time;
    const double row[] = {pose.position.x(),    pose.position.y(),    pose.position.z(),
                          pose.orientation.w(), pose.orientation.x(), pose.orientation.y(),
                          pose.orientation.z()};
    std::ranges::copy(row, poses.mutable_data() + 7 * i);
    std::copy_n(twist.linear.data(), 3, twists.mutable_data() + 6 * i);
    std::copy_n(twist.angular.data(), 3, twists.mutable_data() + 6 * i + 3);
    buttons.mutable_at(i) = script.buttons(time);
  }
  return py::make_tuple(times, poses, twists, buttons);
}

}  // namespace

void bind_offline(py::module_& module) {
  module.def("check_scene", [](const std::filesystem::path& path) {
    const Scene scene = load_scene(path);
    return py::make_tuple(scene.servo_rate(), scene.device.script.string(), scene.length_scale);
  });
  module.def("sampled_script", &sampled_script, py::arg("path"), py::arg("rate_hz"));
  py::class_<OfflineWorld>(module, "OfflineWorld")
      .def(py::init<const std::filesystem::path&, bool>(), py::arg("scene"), py::arg("scripted"))
      .def("step", &OfflineWorld::step, py::arg("poses"), py::arg("twists"), py::arg("buttons"))
      .def("advance", &OfflineWorld::advance, py::arg("cycles"))
      .def("block", &OfflineWorld::block, py::arg("name"))
      .def("set", &OfflineWorld::set, py::arg("key"), py::arg("value"))
      .def("parameters", &OfflineWorld::parameters)
      .def("physical_warnings", &OfflineWorld::physical_warnings)
      .def_property_readonly("blocks", &OfflineWorld::blocks)
      .def_property_readonly("bodies", &OfflineWorld::bodies)
      .def_property_readonly("rate_hz", &OfflineWorld::rate_hz)
      .def_property_readonly("cycles", &OfflineWorld::cycles)
      .def_property_readonly("warnings", &OfflineWorld::warnings);
}

}  // namespace haptic
