#include "host/view/scene_renderer.h"

#include <epoxy/gl.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "host/view/body_colours.h"
#include "host/view/deformed_surface.h"
#include "host/view/display_basis.h"
#include "host/view/gl_objects.h"
#include "host/view/scene_shapes.h"
#include "host/view/shaders.h"
#include "host/view/shape_surface.h"
#include "shared/error.h"

namespace haptic {
namespace {

/// Room for motion around the first image of a film, by the diagonal of its box.
constexpr double kRoom = 0.08;

bool is_shape(const FrameBody& body) {
  return std::holds_alternative<AnalyticShape>(body.model);
}

constexpr int kShadowSize = 2048;
constexpr int kSamples = 4;
constexpr int kMaxSize = 8192;
constexpr double kForceArrowMetresPerDiagonalNewton = 0.06;  // arrow length: 6 % of the scene per N

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

GLuint renderbuffer(GLenum format, int samples, int width, int height, GLenum attachment) {
  GLuint buffer = 0;
  glGenRenderbuffers(1, &buffer);
  glBindRenderbuffer(GL_RENDERBUFFER, buffer);
  glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, format, width, height);
  glFramebufferRenderbuffer(GL_FRAMEBUFFER, attachment, GL_RENDERBUFFER, buffer);
  return buffer;
}

void demand_complete_framebuffer() {
  if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) {
    throw OperationError("the OpenGL driver refused an off-screen framebuffer");
  }
}

void require_size(std::string_view key, int value) {
  if (value < 16 || value > kMaxSize) {
    throw InputError(key, "", fmt::format("found {} pixels", value),
                     fmt::format("16 to {}", kMaxSize));
  }
}

}  // namespace

SceneRenderer::SceneRenderer(const RenderSettings& settings) : settings_(settings) {
  require_size("image width", settings.width);
  require_size("image height", settings.height);
  body_program_ = link_program(shaders::kBodyVertex, shaders::kBodyFragment);
  shadow_program_ = link_program(shaders::kShadowVertex, shaders::kShadowFragment);
  background_program_ = link_program(shaders::kBackgroundVertex, shaders::kBackgroundFragment);

  glGenFramebuffers(1, &color_framebuffer_);
  glBindFramebuffer(GL_FRAMEBUFFER, color_framebuffer_);
  renderbuffer(GL_RGBA8, kSamples, settings.width, settings.height, GL_COLOR_ATTACHMENT0);
  renderbuffer(GL_DEPTH_COMPONENT24, kSamples, settings.width, settings.height,
               GL_DEPTH_ATTACHMENT);
  demand_complete_framebuffer();

  glGenFramebuffers(1, &resolve_framebuffer_);
  glBindFramebuffer(GL_FRAMEBUFFER, resolve_framebuffer_);
  renderbuffer(GL_RGBA8, 0, settings.width, settings.height, GL_COLOR_ATTACHMENT0);
  demand_complete_framebuffer();

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
  demand_complete_framebuffer();
}

SceneRenderer::~SceneRenderer() {
  context_.make_current();  // first: the other members free objects of this context
}

const ModelFile& SceneRenderer::model(const BodySource& source) {
  const auto& path = std::get<std::filesystem::path>(source);
  const auto found = models_.find(path.string());
  if (found != models_.end()) return found->second;
  return models_.emplace(path.string(), ModelFile(path)).first->second;
}

GlReducedSurface* SceneRenderer::reduced_surface(std::size_t index, const FrameBody& body) {
  if (settings_.deform_on_cpu || is_shape(body) || !body.surface.empty()) return nullptr;
  const auto key = std::pair(index, text_of(body.model));
  const auto found = surfaces_.find(key);
  if (found != surfaces_.end()) return found->second.get();
  std::unique_ptr<GlReducedSurface> surface;
  if (has_display_basis(model(body.model))) {
    const DisplayBasis basis = make_display_basis(model(body.model));
    if (GlReducedSurface::fits(basis)) {
      surface = std::make_unique<GlReducedSurface>(basis, settings_.precision);
    }
  }
  return surfaces_.emplace(key, std::move(surface)).first->second.get();
}

void SceneRenderer::colour_bodies(const SceneFrame& frame) {
  brightest_value_ = 0.0;
  if (settings_.colour == SurfaceColour::kBody) return;
  std::vector<std::pair<GlReducedSurface*, std::vector<double>>> coloured;
  for (std::size_t b = 0; b < frame.bodies.size(); ++b) {
    const FrameBody& body = frame.bodies[b];
    if (is_shape(body)) continue;
    const ModelFile& file = model(body.model);
    if (file.reduced_dimension() == 0) continue;
    GlReducedSurface* const surface = reduced_surface(b, body);
    if (surface == nullptr) {
      throw InputError(text_of(body.model), "",
                       "its surface is deformed on the CPU, which computes no strain",
                       "a model with /mesh, drawn by the shader");
    }
    coloured.emplace_back(surface, largest_eigenvalues(file, make_display_basis(file),
                                                       body.coordinates, settings_.colour));
    const std::vector<double>& values = coloured.back().second;
    brightest_value_ = std::max(brightest_value_, *std::max_element(values.begin(), values.end()));
  }
  for (const auto& [surface, values] : coloured) {
    surface->set_colours(colours_of(values, brightest_value_ > 0.0 ? brightest_value_ : 1.0));
  }
}

Image SceneRenderer::draw(const SceneFrame& frame) {
  context_.make_current();
  struct Drawable {
    std::optional<GlSurface> made;  // on the CPU, for this frame
    const GlReducedSurface* kept;   // or by the shader
    Eigen::Vector3d color;
    float shininess;

    void draw() const { made ? made->draw() : kept->draw(); }
  };
  std::vector<Drawable> drawables;
  Eigen::AlignedBox3d box;
  for (std::size_t b = 0; b < frame.bodies.size(); ++b) {
    const FrameBody& body = frame.bodies[b];
    const auto& c = body_colour(b);
    Drawable drawable{std::nullopt, reduced_surface(b, body), {c[0], c[1], c[2]}, 0.25F};
    SurfacePoints positions;  // for the camera only: their bounding box fills the image
    if (GlReducedSurface* const surface = reduced_surface(b, body)) {
      surface->deform(body.coordinates, body.pose);
      positions = surface->positions();
    } else {
      const DisplaySurface made =
          is_shape(body) ? shape_surface(std::get<AnalyticShape>(body.model), body.pose)
                         : deformed_surface(model(body.model), body);
      positions = made.positions;
      drawable.made.emplace(made);
    }
    for (Eigen::Index i = 0; i < positions.rows(); ++i) {
      box.extend(positions.row(i).transpose().cast<double>());
    }
    drawables.push_back(std::move(drawable));
  }
  for (const Vector3& point : frame.points) box.extend(point);
  for (const Pose& pose : frame.frames) box.extend(pose.position);
  if (box.isEmpty()) {
    throw OperationError(
        "there is nothing to draw: no body has a surface, and there are no points");
  }

  if (settings_.steady) {
    if (first_.isEmpty()) {
      const Eigen::Vector3d room = Eigen::Vector3d::Constant(kRoom * box.diagonal().norm());
      first_ = {box.min() - room, box.max() + room};
    }
    box = first_;
  }
  const double diagonal = box.diagonal().norm();
  const auto draw_too = [&](const DisplaySurface& surface, const Eigen::Vector3d& color) {
    drawables.push_back({GlSurface(surface), nullptr, color, 0.1F});
  };
  if (!frame.points.empty()) {
    draw_too(markers(frame.points, 0.006 * diagonal), {0.30, 0.32, 0.36});
  }
  for (int axis = 0; axis < 3 && !frame.frames.empty(); ++axis) {
    draw_too(axes(frame.frames, axis, 0.04 * diagonal), 0.75 * Eigen::Vector3d::Unit(axis));
  }
  if (frame.force && frame.force->norm() > 1e-3) {
    const Eigen::Vector3d tip =
        frame.force_origin + kForceArrowMetresPerDiagonalNewton * diagonal * *frame.force;
    drawables.push_back({GlSurface(arrow(frame.force_origin, tip, 0.006 * diagonal)),
                         nullptr,
                         {0.80, 0.15, 0.15},
                         0.1F});
    if (!settings_.steady) box.extend(tip);
  }

  const Camera camera =
      Camera::framing(box, static_cast<double>(settings_.width) / settings_.height,
                      settings_.azimuth, settings_.elevation);
  const Eigen::Vector3d floor_centre(box.center().x(), box.min().y() - 0.02 * diagonal,
                                     box.center().z());
  const double floor_half = 3.0 * diagonal;
  const GlSurface floor(quad(floor_centre, floor_half));

  const Eigen::Vector3d key = Eigen::Vector3d(0.45, 1.0, 0.5).normalized();
  Eigen::Matrix4d light_projection = Eigen::Matrix4d::Identity();
  const double reach = 0.9 * diagonal;
  light_projection.diagonal().head<3>() = Eigen::Vector3d(1.0, 1.0, -0.5) / reach;
  light_projection(2, 3) = -1.0;
  const Eigen::Matrix4d light = light_projection * look_at(box.center() + 2.0 * reach * key,
                                                           box.center(), Eigen::Vector3d::UnitX());

  colour_bodies(frame);
  glVertexAttrib4f(2, 0.0F, 0.0F, 0.0F, 0.0F);  // no tint for a surface without colours
  glEnable(GL_DEPTH_TEST);
  glBindFramebuffer(GL_FRAMEBUFFER, shadow_framebuffer_);
  glViewport(0, 0, kShadowSize, kShadowSize);
  glClear(GL_DEPTH_BUFFER_BIT);
  glUseProgram(shadow_program_);
  set_matrix(shadow_program_, "light", light);
  for (const Drawable& drawable : drawables) drawable.draw();

  glBindFramebuffer(GL_FRAMEBUFFER, color_framebuffer_);
  glViewport(0, 0, settings_.width, settings_.height);
  glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
  glDepthMask(GL_FALSE);
  glUseProgram(background_program_);
  glDrawArrays(GL_TRIANGLES, 0, 3);
  glDepthMask(GL_TRUE);

  glUseProgram(body_program_);
  set_matrix(body_program_, "view", camera.view());
  set_matrix(body_program_, "projection", camera.projection());
  set_matrix(body_program_, "light", light);
  set_vector(body_program_, "eye", camera.eye());
  set_vector(body_program_, "key", key);
  set_vector(body_program_, "fade_centre", floor_centre);
  glBindTexture(GL_TEXTURE_2D, shadow_texture_);
  set_number(body_program_, "fade_radius", 0.0F);
  for (const Drawable& drawable : drawables) {
    set_vector(body_program_, "base_color", drawable.color);
    set_number(body_program_, "shininess", drawable.shininess);
    drawable.draw();
  }
  // The floor fades into the background, so it blends and comes last.
  glEnable(GL_BLEND);
  glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
  set_vector(body_program_, "base_color", {0.86, 0.87, 0.88});
  set_number(body_program_, "shininess", 0.0F);
  set_number(body_program_, "fade_radius", static_cast<float>(floor_half));
  floor.draw();
  glDisable(GL_BLEND);

  glBindFramebuffer(GL_READ_FRAMEBUFFER, color_framebuffer_);
  glBindFramebuffer(GL_DRAW_FRAMEBUFFER, resolve_framebuffer_);
  glBlitFramebuffer(0, 0, settings_.width, settings_.height, 0, 0, settings_.width,
                    settings_.height, GL_COLOR_BUFFER_BIT, GL_NEAREST);
  glBindFramebuffer(GL_READ_FRAMEBUFFER, resolve_framebuffer_);
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  const std::size_t row = 3 * static_cast<std::size_t>(settings_.width);
  std::vector<std::uint8_t> upside_down(row * static_cast<std::size_t>(settings_.height));
  glReadPixels(0, 0, settings_.width, settings_.height, GL_RGB, GL_UNSIGNED_BYTE,
               upside_down.data());
  if (const GLenum error = glGetError(); error != GL_NO_ERROR) {
    throw OperationError(fmt::format("OpenGL error 0x{:x} while drawing", error));
  }

  Image image{settings_.width, settings_.height, {}};
  image.rgb.reserve(upside_down.size());
  for (int y = settings_.height - 1; y >= 0; --y) {
    const auto begin = upside_down.begin() + static_cast<std::ptrdiff_t>(row) * y;
    image.rgb.insert(image.rgb.end(), begin, begin + static_cast<std::ptrdiff_t>(row));
  }
  return image;
}

}  // namespace haptic
