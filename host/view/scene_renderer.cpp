#include "host/view/scene_renderer.h"

#include <epoxy/gl.h>
#include <fmt/format.h>

#include <array>
#include <utility>

#include "host/view/gl_objects.h"
#include "host/view/scene_shapes.h"
#include "host/view/shaders.h"
#include "shared/error.h"

namespace haptic {
namespace {

/// Room for motion around the first image of a film, by the diagonal of its box.
constexpr double kRoom = 0.08;
constexpr int kShadowSize = 2048;
/// The half-space of a drawing that is not cut.
constexpr std::array<float, 4> kAll = {0.0F, 0.0F, 0.0F, 1.0F};

void set_matrix(GLuint program, const char* name, const Eigen::Matrix4d& m) {
  const Eigen::Matrix4f f = m.cast<float>();
  glUniformMatrix4fv(glGetUniformLocation(program, name), 1, GL_FALSE, f.data());
}

void set_vector(GLuint program, const char* name, const Eigen::Vector3d& v) {
  const Eigen::Vector3f f = v.cast<float>();
  glUniform3fv(glGetUniformLocation(program, name), 1, f.data());
}

void set_number(GLuint program, const char* name, float value) {
  glUniform1f(glGetUniformLocation(program, name), value);
}

Eigen::Matrix4d light_matrix(const Eigen::AlignedBox3d& box, const Eigen::Vector3d& key) {
  Eigen::Matrix4d projection = Eigen::Matrix4d::Identity();
  const double reach = 0.9 * box.diagonal().norm();
  projection.diagonal().head<3>() = Eigen::Vector3d(1.0, 1.0, -0.5) / reach;
  projection(2, 3) = -1.0;
  return projection *
         look_at(box.center() + 2.0 * reach * key, box.center(), Eigen::Vector3d::UnitX());
}

}  // namespace

SceneRenderer::SceneRenderer(const RenderSettings& settings, Context context)
    : settings_(settings) {
  if (context == Context::kOffScreen) context_ = std::make_unique<GlContext>();
  body_program_ = link_program(shaders::kBodyVertex, shaders::kBodyFragment);
  shadow_program_ = link_program(shaders::kShadowVertex, shaders::kShadowFragment);
  background_program_ = link_program(shaders::kBackgroundVertex, shaders::kBackgroundFragment);
  target_ = std::make_unique<RenderTarget>(settings.width, settings.height);
  surfaces_ = std::make_unique<SceneSurfaces>();
  make_shadow_map();
}

void SceneRenderer::make_shadow_map() {
  glGenTextures(1, &shadow_texture_);
  glBindTexture(GL_TEXTURE_2D, shadow_texture_);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_DEPTH_COMPONENT24, kShadowSize, kShadowSize, 0,
               GL_DEPTH_COMPONENT, GL_FLOAT, nullptr);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
  glGenFramebuffers(1, &shadow_framebuffer_);
  glBindFramebuffer(GL_FRAMEBUFFER, shadow_framebuffer_);
  glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, shadow_texture_, 0);
  glDrawBuffer(GL_NONE);
  glReadBuffer(GL_NONE);
  if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) {
    throw OperationError("the OpenGL driver refused an off-screen framebuffer");
  }
}

SceneRenderer::~SceneRenderer() {
  if (context_) context_->make_current();  // first: the other members free objects of this context
  glDeleteFramebuffers(1, &shadow_framebuffer_);
  glDeleteTextures(1, &shadow_texture_);
  for (const unsigned program : {body_program_, shadow_program_, background_program_}) {
    glDeleteProgram(program);
  }
}

void SceneRenderer::resize(int width, int height) {
  if (width == target_->width() && height == target_->height()) return;
  target_ = std::make_unique<RenderTarget>(width, height);
}

void SceneRenderer::prepare(const SceneFrame& frame) {
  if (context_) context_->make_current();
  // The box of a film is that of its first image: no surface is read back after it.
  const bool kept = settings_.steady && !first_.isEmpty();
  Eigen::AlignedBox3d box;
  drawables_ = surfaces_->bodies(frame, settings_, kept ? nullptr : &box);
  if (!kept) {
    for (const Vector3& point : frame.points) box.extend(point);
    for (const Pose& pose : frame.frames) box.extend(pose.position);
    if (box.isEmpty()) {
      throw OperationError(
          "there is nothing to draw: no body has a surface, and there are no points");
    }
    if (settings_.steady) {
      const Eigen::Vector3d room = Eigen::Vector3d::Constant(kRoom * box.diagonal().norm());
      first_ = {box.min() - room, box.max() + room};
    }
  }
  box_ = settings_.steady ? first_ : box;
  shown_ = box_;
  const double diagonal = box_.diagonal().norm();
  if (frame.force && frame.force->norm() > 1e-3 && !settings_.steady) {
    shown_.extend(arrow_tip(frame.force_origin, *frame.force, diagonal));
  }
  for (Drawable& drawable : overlays(frame, diagonal)) drawables_.push_back(std::move(drawable));
}

Camera SceneRenderer::camera_of_box() const {
  return Camera::framing(shown_, static_cast<double>(target_->width()) / target_->height(),
                         settings_.azimuth, settings_.elevation);
}

Camera SceneRenderer::framing(const SceneFrame& frame) {
  prepare(frame);
  return camera_of_box();
}

Image SceneRenderer::draw(const SceneFrame& frame) {
  prepare(frame);
  draw_passes(frame, camera_of_box());
  return target_->read();
}

void SceneRenderer::render(const SceneFrame& frame, const Camera& camera) {
  prepare(frame);
  draw_passes(frame, camera);
}

/// Draws bodies and overlays, but of a sliced body only the part behind the slice.
void SceneRenderer::draw_bodies(const SceneFrame& frame, const Camera& camera) {
  const GLint kept = glGetUniformLocation(body_program_, "kept");
  // Left on between the bodies: Mesa's llvmpipe may go on clipping after it is turned off.
  if (frame.slice) glEnable(GL_CLIP_DISTANCE0);
  for (std::size_t i = 0; i < drawables_.size(); ++i) {
    const Drawable& drawable = drawables_[i];
    set_vector(body_program_, "base_color", drawable.color);
    set_number(body_program_, "shininess", drawable.shininess);
    const bool cut = frame.slice && frame.slice->body == i;  // the bodies come first, in order
    glUniform4fv(kept, 1, cut ? behind(*frame.slice, camera).data() : kAll.data());
    drawable.draw();
  }
  glDisable(GL_CLIP_DISTANCE0);
}

void SceneRenderer::draw_passes(const SceneFrame& frame, const Camera& camera) {
  const double diagonal = box_.diagonal().norm();
  const Eigen::Vector3d floor_centre(box_.center().x(), box_.min().y() - 0.02 * diagonal,
                                     box_.center().z());
  const double floor_half = 3.0 * diagonal;
  const GlSurface floor(quad(floor_centre, floor_half));
  const Eigen::Vector3d key = Eigen::Vector3d(0.45, 1.0, 0.5).normalized();
  const Eigen::Matrix4d light = light_matrix(box_, key);

  glVertexAttrib4f(2, 0.0F, 0.0F, 0.0F, 0.0F);  // no tint for a surface without colours
  glEnable(GL_DEPTH_TEST);
  glBindFramebuffer(GL_FRAMEBUFFER, shadow_framebuffer_);
  glViewport(0, 0, kShadowSize, kShadowSize);
  glClear(GL_DEPTH_BUFFER_BIT);
  glUseProgram(shadow_program_);
  set_matrix(shadow_program_, "light", light);
  for (const Drawable& drawable : drawables_) drawable.draw();

  target_->bind();
  glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
  glDepthMask(GL_FALSE);
  glUseProgram(background_program_);
  glDrawArrays(GL_TRIANGLES, 0, 3);

  glUseProgram(body_program_);
  set_matrix(body_program_, "view", camera.view());
  set_matrix(body_program_, "projection", camera.projection());
  set_matrix(body_program_, "light", light);
  set_vector(body_program_, "eye", camera.eye());
  set_vector(body_program_, "key", key);
  set_vector(body_program_, "fade_centre", floor_centre);
  glBindTexture(GL_TEXTURE_2D, shadow_texture_);
  // The floor fades into the background, so it blends with it. It hides nothing: it is below the
  // bodies of the first image, and a body may move under it.
  glUniform4fv(glGetUniformLocation(body_program_, "kept"), 1, kAll.data());
  glEnable(GL_BLEND);
  glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
  set_vector(body_program_, "base_color", {0.86, 0.87, 0.88});
  set_number(body_program_, "shininess", 0.0F);
  set_number(body_program_, "fade_radius", static_cast<float>(floor_half));
  floor.draw();
  glDisable(GL_BLEND);
  glDepthMask(GL_TRUE);
  set_number(body_program_, "fade_radius", 0.0F);
  draw_bodies(frame, camera);
  if (frame.slice) {
    if (!slice_) slice_ = std::make_unique<SlicePass>();
    slice_->draw(*frame.slice, camera);
  }
  if (!frame.spheres.empty()) {
    if (!spheres_) spheres_ = std::make_unique<SpherePass>();
    spheres_->draw(frame.spheres, camera, target_->height());
  }
  target_->resolve();
}

}  // namespace haptic
