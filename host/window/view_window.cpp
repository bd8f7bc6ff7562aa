#include "host/window/view_window.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <deque>
#include <filesystem>
#include <string>

#include "host/view/colour_bar.h"
#include "host/view/image.h"
#include "host/view/scene_renderer.h"
#include "host/window/added_geometry.h"
#include "host/window/camera_control.h"
#include "host/window/display_window.h"
#include "host/window/mouse_hand.h"
#include "host/window/mouse_pull.h"
#include "host/window/picking.h"
#include "host/window/view_panels.h"
#include "shared/error.h"

namespace haptic {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kTrailPlaces = 500;
constexpr double kMaxFrame_s = 0.25;  // a window that was stopped does not jump on in a log

std::atomic<bool> ended = false;

void end_window(int) {
  ended = true;
}

double seconds_between(Clock::time_point a, Clock::time_point b) {
  return std::chrono::duration<double>(b - a).count();
}

Pose pose_of(const PoseRecord& record) {
  const double* const p = record.position_m;
  const double* const q = record.orientation_wxyz;
  return {Vector3(p[0], p[1], p[2]), Quaternion(q[0], q[1], q[2], q[3])};
}

/// The state of a window between its frames.
class ViewWindow {
 public:
  ViewWindow(MomentSource& source, const WindowSettings& settings)
      : source_(source),
        settings_(settings),
        window_("haptic view", settings.render.width, settings.render.height),
        renderer_(steady(settings.render), SceneRenderer::Context::kCurrent) {
    choices_.colour = settings.render.colour;
    choices_.show_tree = settings.tree.level > 0;
    if (choices_.show_tree) choices_.tree = settings.tree;
    choices_.show_slice = !settings.slice.body.empty();
    choices_.slice = settings.slice;
    if (!source.daemon().empty()) {
      pull_.emplace(source.daemon());
      hand_.emplace(source.daemon());
    }
    window_.on_lost_display([this] { pull_.reset(); });  // lets go
  }

  std::uint64_t run() {
    const Clock::time_point start = Clock::now();
    Clock::time_point before = start;
    while (!window_.should_close() && !ended) {
      const Clock::time_point now = Clock::now();
      if (settings_.seconds && seconds_between(start, now) >= *settings_.seconds) break;
      const double frame = seconds_between(before, now);
      const double elapsed = std::min(frame, kMaxFrame_s);
      before = now;
      if (images_ > 0) {
        mean_frame_s_ += (mean_frame_s_ == 0.0 ? 1.0 : 0.1) * (frame - mean_frame_s_);
        status_.images_a_second = 1.0 / std::max(mean_frame_s_, 1e-6);
      }
      read(elapsed);
      if (window_.pixels().width == 0) {  // not seen: nothing is drawn
        end_drag();
        window_.wait(0.1);
        continue;
      }
      window_.begin_frame();
      handle_input();
      draw_scene();
      draw_panels(source_, moment_, status_, choices_);
      window_.end_frame();
      ++images_;
      if (choices_.save_picture) save_picture();
    }
    return images_;
  }

 private:
  static RenderSettings steady(RenderSettings settings) {
    settings.steady = true;
    return settings;
  }

  void read(double elapsed) {
    const bool has_read = source_.read(moment_, elapsed);
    status_.message = source_.message();
    if (source_.generation() != generation_) {
      if (!has_read) moment_ = {};  // it was of the scene before
      has_moment_ = false;
      generation_ = source_.generation();
      renderer_.forget_models();
      added_.forget();
      trail_.clear();
      framed_ = false;
    }
    has_moment_ = has_read || has_moment_;
    if (pull_ && status_.message.empty()) status_.message = pull_->message();
    if (hand_ && status_.message.empty()) status_.message = hand_->message();
  }

  /// Moments of a source carry no choices; these are added for every image.
  SceneFrame chosen_frame() {
    SceneFrame frame = moment_.frame;
    const SampleRecord& record = moment_.record;
    if (!choices_.force) frame.force.reset();
    const Pose held = pose_of(record.held_pose);
    if (choices_.hand) {
      frame.frames.push_back(pose_of(record.manipulandum_pose));
      frame.frames.push_back(held);
    }
    if (trail_.empty() || trail_.back() != held.position) trail_.push_back(held.position);
    if (trail_.size() > kTrailPlaces) trail_.pop_front();
    if (choices_.trail) frame.trail.assign(trail_.begin(), trail_.end());
    const std::string missing = added_.add_to(frame, source_, choices_, status_);
    if (status_.message.empty()) status_.message = missing;
    return frame;
  }

  void draw_scene() {
    const DisplayWindow::Size size = window_.pixels();
    if (!has_moment_ || size.width < RenderTarget::kMin || size.height < RenderTarget::kMin) {
      return;
    }
    try {
      renderer_.resize(std::min(size.width, RenderTarget::kMax),
                       std::min(size.height, RenderTarget::kMax));
      renderer_.set_colour(choices_.colour);
      const SceneFrame frame = chosen_frame();
      if (!framed_ || choices_.frame_all) {
        renderer_.reframe();
        camera_ = renderer_.framing(frame);
        framed_ = true;
        choices_.frame_all = false;
      }
      camera_.aspect = static_cast<double>(size.width) / size.height;
      renderer_.render(frame, camera_);
      renderer_.target().copy_to_window();
      status_.brightest = renderer_.brightest_value();
      drawn_ = true;
    } catch (const std::runtime_error& error) {
      choices_.colour = SurfaceColour::kBody;  // of a body that has no strain
      status_.message = error.what();
    }
  }

  void handle_input() {
    const ImGuiIO& io = ImGui::GetIO();
    if (window_.pressed(DisplayWindow::Key::kHome)) choices_.frame_all = true;
    if (window_.pressed(DisplayWindow::Key::kF12)) choices_.save_picture = true;
    if (!ImGui::IsMouseDown(ImGuiMouseButton_Left)) end_drag();
    const bool dragging = picked_ || (hand_ && hand_->holds());
    if (io.WantCaptureMouse && !dragging) return;
    const double height = std::max(io.DisplaySize.y, 1.0F);
    const ViewRay ray = ray_through(camera_, io.MousePos.x, io.MousePos.y,
                                    std::max(io.DisplaySize.x, 1.0F), height);
    if (io.KeyShift && pull_ && ImGui::IsMouseClicked(ImGuiMouseButton_Left)) begin_pull(ray);
    if (io.KeyCtrl && !picked_ && source_.is_steered() && has_moment_ &&
        ImGui::IsMouseClicked(ImGuiMouseButton_Left)) {
      hand_->take(moment_.record, source_.length_scale());
      hand_goal_ = hand_->taken_at();
    }
    if (hand_ && hand_->holds()) {
      move_hand(ray, io.MouseWheel);
      return;
    }
    if (picked_) {
      go_on_pulling(ray);
    } else if (ImGui::IsMouseDown(ImGuiMouseButton_Left) && !io.KeyShift && !io.KeyCtrl) {
      orbit(camera_, io.MouseDelta.x, io.MouseDelta.y, height);
    } else if (ImGui::IsMouseDown(ImGuiMouseButton_Right) ||
               ImGui::IsMouseDown(ImGuiMouseButton_Middle)) {
      pan(camera_, io.MouseDelta.x, io.MouseDelta.y, height);
    }
    if (io.MouseWheel != 0.0F) zoom(camera_, io.MouseWheel);
  }

  void begin_pull(const ViewRay& ray) {
    try {
      picked_ = pick(moment_.frame, ray);
    } catch (const std::runtime_error& error) {
      status_.message = error.what();
    }
  }

  void go_on_pulling(const ViewRay& ray) {
    const Vector3 target = on_image_plane(camera_, ray, picked_->world);
    if (picked_->body >= moment_.frame.bodies.size() || !target.allFinite()) return;
    if (pulled_to_ && *pulled_to_ == target) return;
    pulled_to_ = target;
    PullRequest request{};
    for (int i = 0; i < 3; ++i) {
      request.point[i] = picked_->rest[i];
      request.target[i] = target[i];
    }
    request.stiffness = choices_.pull_stiffness;
    request.limit = choices_.pull_force;
    pull_->pull(moment_.frame.bodies[picked_->body].name, request);
  }

  /// In the plane of the image through the hand; the wheel moves it away and nearer.
  void move_hand(const ViewRay& ray, float wheel) {
    constexpr double kWheelStep = 0.02;  // of the distance from the eye
    const Vector3 away = hand_goal_ - camera_.eye();
    hand_goal_ += (kWheelStep * wheel) * away;
    const Vector3 goal = on_image_plane(camera_, ray, hand_goal_);
    if (!goal.allFinite() || goal == hand_sent_) return;
    hand_goal_ = hand_sent_ = goal;
    hand_->move_to(goal);
  }

  void end_drag() {
    if (hand_) hand_->let_go();
    if (picked_ && pull_) pull_->let_go();
    picked_.reset();
    pulled_to_.reset();
  }

  void save_picture() {
    choices_.save_picture = false;
    if (!drawn_) return;
    std::string file;
    do {  // pictures of earlier windows are not overwritten
      file = fmt::format("view-{:03}.png", ++pictures_);
    } while (std::filesystem::exists(file));
    try {
      Image image = renderer_.target().read();
      if (status_.slice_range > 0.0) {
        draw_distance_bar(image, status_.slice_range, choices_.slice);
      }
      write_png(image, file);
      status_.saved = file;
    } catch (const OperationError& error) {
      status_.saved = error.what();
    }
  }

  MomentSource& source_;
  const WindowSettings& settings_;
  DisplayWindow window_;
  SceneRenderer renderer_;
  std::optional<MousePull> pull_;
  std::optional<MouseHand> hand_;
  Vector3 hand_goal_ = Vector3::Zero(), hand_sent_ = Vector3::Zero();  ///< world [m]
  AddedGeometry added_;
  Moment moment_;
  Camera camera_;
  ViewChoices choices_;
  ViewStatus status_;
  std::deque<Vector3> trail_;
  std::optional<PickedPoint> picked_;
  std::optional<Vector3> pulled_to_;
  std::uint64_t images_ = 0;
  double mean_frame_s_ = 0.0;
  int generation_ = 0, pictures_ = 0;
  bool has_moment_ = false, framed_ = false, drawn_ = false;
};

}  // namespace

WindowOutcome run_view_window(MomentSource& source, const WindowSettings& settings) {
  ended = false;
  std::signal(SIGINT, end_window);
  std::signal(SIGTERM, end_window);
  ViewWindow window(source, settings);
  return {window.run()};
}

}  // namespace haptic
