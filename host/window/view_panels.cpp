#include "host/window/view_panels.h"

#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "host/view/distance_colours.h"
#include "shared/printable.h"

namespace haptic {
namespace {

/// "warning: force_limited, 1.2 s", with all of it under the mouse.
void warning_line(const WarningFinding& finding) {
  constexpr float kTextWidth = 400.0F;
  ImGui::TextColored({0.8F, 0.5F, 0.0F, 1.0F}, "warning: %s, %.3g s",
                     std::string(finding.warning->name).c_str(), finding.held_s());
  if (!ImGui::IsItemHovered()) return;
  ImGui::BeginTooltip();
  ImGui::PushTextWrapPos(kTextWidth);
  ImGui::TextUnformatted(finding.text().c_str());
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
}

void state_panel(const MomentSource& source, const Moment& moment, const ViewStatus& status) {
  const SampleRecord& record = moment.record;
  ImGui::Text("%.3f s   %.0f Hz   %s", moment.time_s, source.rate_hz(),
              std::string(name(record.state)).c_str());
  if (record.fault != FaultKind::kNone) {
    ImGui::TextColored({0.8F, 0.1F, 0.1F, 1.0F}, "fault: %s",
                       std::string(name(record.fault)).c_str());
  }
  for (const WarningFinding& finding : moment.warnings) warning_line(finding);
  const double* f = record.device_wrench.force_N;
  ImGui::Text("force on the hand %.2f N", std::hypot(f[0], f[1], f[2]));
  if (moment.frame.force) ImGui::Text("contact force %.2f N", moment.frame.force->norm());
  if (status.contacts_known) ImGui::Text("contacts %zu", status.contacts);
  for (const auto& [label, value] : moment.numbers) ImGui::Text("%s %.4g", label.c_str(), value);
  ImGui::Separator();
  ImGui::Text("%.0f images/s", status.images_a_second);
}

/// A bar of equal steps of colour. @param colours 3 numbers each
void draw_bar(std::span<const float> colours) {
  constexpr float kWidth = 180.0F, kHeight = 12.0F;
  const std::size_t steps = colours.size() / 3;
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const float width = kWidth / static_cast<float>(steps);
  for (std::size_t i = 0; i < steps; ++i) {
    const float* c = &colours[3 * i];
    const float left = corner.x + width * static_cast<float>(i);
    ImGui::GetWindowDrawList()->AddRectFilled(
        {left, corner.y}, {left + width, corner.y + kHeight},
        ImGui::ColorConvertFloat4ToU32({c[0], c[1], c[2], 1.0F}));
  }
  ImGui::Dummy({kWidth, kHeight});
}

/// Steps of the colours of colours_of, with the values at their ends.
void colour_bar(SurfaceColour colour, double brightest) {
  constexpr int kSteps = 32;
  std::array<double, kSteps> values{};
  for (int i = 0; i < kSteps; ++i) values[static_cast<std::size_t>(i)] = i + 0.5;
  draw_bar(colours_of(values, kSteps));
  ImGui::Text("0 to %.4g%s", brightest, colour == SurfaceColour::kStress ? " Pa" : "");
}

/// Combo of names with an entry for no name before them. @returns the chosen name
std::string choose_name(const char* label, const char* none, const std::vector<std::string>& names,
                        std::string chosen) {
  ImGui::SetNextItemWidth(120.0F);
  if (!ImGui::BeginCombo(label, chosen.empty() ? none : printable(chosen).c_str())) return chosen;
  if (ImGui::Selectable(none, chosen.empty())) chosen.clear();
  for (const std::string& name : names) {
    if (ImGui::Selectable(printable(name).c_str(), chosen == name)) chosen = name;
  }
  ImGui::EndCombo();
  return chosen;
}

void tree_choice(const ViewStatus& status, ViewChoices& choices) {
  ImGui::Checkbox("point tree", &choices.show_tree);
  if (!choices.show_tree) return;
  choices.tree.body = choose_name("of", "all bodies", status.tree_bodies, choices.tree.body);
  if (status.tree_levels == 0) return;
  int level = static_cast<int>(choices.tree.level);
  ImGui::SetNextItemWidth(120.0F);
  if (ImGui::SliderInt("level", &level, 1, static_cast<int>(status.tree_levels))) {
    choices.tree.level =
        static_cast<std::uint32_t>(std::clamp(level, 1, static_cast<int>(status.tree_levels)));
  }
}

void slice_choice(const ViewStatus& status, ViewChoices& choices) {
  ImGui::Checkbox("distance field", &choices.show_slice);
  if (!choices.show_slice) return;
  SliceChoice& slice = choices.slice;
  ImGui::PushID("slice");
  const std::string before = slice.body;
  slice.body = choose_name("of", "no body", status.slice_bodies, slice.body);
  ImGui::SetNextItemWidth(120.0F);
  const bool turned = ImGui::Combo("axis", &slice.axis, "x\0y\0z\0");
  if (slice.body == before && !status.slice_box.isEmpty()) {
    const double lowest = status.slice_box.min()[slice.axis];
    const double highest = status.slice_box.max()[slice.axis];
    if (turned || choices.centre_slice) slice.offset = 0.5 * (lowest + highest);
    choices.centre_slice = false;
    auto offset = static_cast<float>(slice.offset);
    ImGui::SetNextItemWidth(120.0F);
    if (ImGui::SliderFloat("m", &offset, static_cast<float>(lowest), static_cast<float>(highest),
                           "%.4f")) {
      slice.offset = std::clamp<double>(offset, lowest, highest);
    }
  } else if (slice.body != before) {
    choices.centre_slice = true;
  }
  if (status.slice_range > 0.0) {
    std::vector<float> colours;
    for (int i = 0; i < 64; ++i) {
      const std::array<float, 3> c = distance_colour((static_cast<float>(i) + 0.5F) / 32.0F - 1.0F);
      colours.insert(colours.end(), c.begin(), c.end());
    }
    draw_bar(colours);
    ImGui::Text("%.4g to %.4g m, a line each %.4g m", -status.slice_range, status.slice_range,
                kIsoLineFraction * status.slice_range);
  }
  ImGui::PopID();
}

void choice_panel(const MomentSource& source, const ViewStatus& status, ViewChoices& choices) {
  int colour = static_cast<int>(choices.colour);
  ImGui::SetNextItemWidth(120.0F);
  ImGui::Combo("colour", &colour, "bodies\0strain\0stress\0");
  choices.colour = static_cast<SurfaceColour>(colour);
  if (choices.colour != SurfaceColour::kBody) colour_bar(choices.colour, status.brightest);
  ImGui::Checkbox("contact force", &choices.force);
  ImGui::Checkbox("hand and its object", &choices.hand);
  ImGui::Checkbox("contact points", &choices.contacts);
  ImGui::Checkbox("trail", &choices.trail);
  tree_choice(status, choices);
  slice_choice(status, choices);
  if (!source.daemon().empty()) {
    ImGui::Separator();
    if (source.is_steered()) ImGui::TextUnformatted("Ctrl and drag: move the hand");
    ImGui::TextUnformatted("Shift and drag a body: pull it");
    ImGui::SetNextItemWidth(120.0F);
    ImGui::SliderFloat("N/m", &choices.pull_stiffness, 1.0F, 2000.0F, "%.0f");
    ImGui::SetNextItemWidth(120.0F);
    ImGui::SliderFloat("N at most", &choices.pull_force, 0.1F, 50.0F, "%.1f");
  }
  ImGui::Separator();
  choices.frame_all = ImGui::Button("Whole scene (Home)") || choices.frame_all;
  choices.save_picture = ImGui::Button("Save picture (F12)") || choices.save_picture;
  if (!status.saved.empty()) ImGui::TextUnformatted(printable(status.saved).c_str());
}

void time_panel(Timeline& time) {
  if (ImGui::Button(time.playing ? "Pause" : "Play")) time.playing = !time.playing;
  ImGui::SameLine();
  if (ImGui::Button("<")) time.steps = -1;
  ImGui::SameLine();
  if (ImGui::Button(">")) time.steps = 1;
  if (time.steps != 0) time.playing = false;
  ImGui::SameLine();
  auto speed = static_cast<float>(time.speed);
  ImGui::SetNextItemWidth(120.0F);
  if (ImGui::SliderFloat("speed", &speed, 0.01F, 4.0F, "%.2f", ImGuiSliderFlags_Logarithmic)) {
    time.speed = speed;
  }
  if (time.simulates) {
    ImGui::SameLine();
    ImGui::Checkbox("as fast as possible", &time.unlimited);
  }
  auto now = static_cast<float>(time.now_s);
  ImGui::SetNextItemWidth(-1.0F);
  if (ImGui::SliderFloat("##time", &now, static_cast<float>(time.first_s),
                         static_cast<float>(time.last_s), "%.3f s")) {
    time.now_s = now;
    time.playing = false;
  }
}

}  // namespace

void draw_panels(MomentSource& source, const Moment& moment, const ViewStatus& status,
                 ViewChoices& choices) {
  const ImVec2 window = ImGui::GetIO().DisplaySize;
  constexpr ImGuiWindowFlags kFlags =
      ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoFocusOnAppearing;
  // Where the user has dragged it, moved inside if the window has shrunk.
  const bool may_be_dragged = ImGui::IsMouseDown(ImGuiMouseButton_Left);
  const auto inside = [&](std::size_t axis, float extent) {
    return std::max(0.0F, std::min(choices.state_corner[axis], extent - choices.state_size[axis]));
  };
  if (!may_be_dragged) ImGui::SetNextWindowPos({inside(0, window.x), inside(1, window.y)});
  ImGui::Begin("State", nullptr, kFlags);
  state_panel(source, moment, status);
  if (may_be_dragged) choices.state_corner = {ImGui::GetWindowPos().x, ImGui::GetWindowPos().y};
  choices.state_size = {ImGui::GetWindowWidth(), ImGui::GetWindowHeight()};
  ImGui::End();

  ImGui::SetNextWindowPos({window.x - 8.0F, 8.0F}, ImGuiCond_Always, {1.0F, 0.0F});
  ImGui::Begin("Shown", nullptr, kFlags);
  choice_panel(source, status, choices);
  ImGui::End();

  if (Timeline* const time = source.timeline()) {
    ImGui::SetNextWindowPos({8.0F, window.y - 8.0F}, ImGuiCond_Always, {0.0F, 1.0F});
    ImGui::SetNextWindowSize({std::max(window.x - 16.0F, 64.0F), 0.0F});
    ImGui::Begin("Time", nullptr, ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoTitleBar);
    time_panel(*time);
    ImGui::End();
  }
  if (!status.message.empty()) {
    ImGui::SetNextWindowPos({0.5F * window.x, 0.5F * window.y}, ImGuiCond_Always, {0.5F, 0.5F});
    ImGui::Begin("##message", nullptr, kFlags | ImGuiWindowFlags_NoTitleBar);
    ImGui::PushTextWrapPos(480.0F);
    ImGui::TextUnformatted(printable(status.message).c_str());
    ImGui::PopTextWrapPos();
    ImGui::End();
  }
}

}  // namespace haptic
