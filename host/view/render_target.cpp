#include "host/view/render_target.h"

#include <epoxy/gl.h>
#include <fmt/format.h>

#include <string_view>

#include "shared/error.h"

namespace haptic {
namespace {

constexpr int kSamples = 4;

void require_size(std::string_view key, int value) {
  if (value < RenderTarget::kMin || value > RenderTarget::kMax) {
    throw InputError(key, "", fmt::format("found {} pixels", value),
                     fmt::format("{} to {}", RenderTarget::kMin, RenderTarget::kMax));
  }
}

void attach(GLuint buffer, GLenum format, int samples, int width, int height, GLenum attachment) {
  glBindRenderbuffer(GL_RENDERBUFFER, buffer);
  glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, format, width, height);
  glFramebufferRenderbuffer(GL_FRAMEBUFFER, attachment, GL_RENDERBUFFER, buffer);
}

void demand_complete() {
  if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) {
    throw OperationError("the OpenGL driver refused an off-screen framebuffer");
  }
}

}  // namespace

RenderTarget::RenderTarget(int width, int height) : width_(width), height_(height) {
  require_size("image width", width);
  require_size("image height", height);
  glGenFramebuffers(2, framebuffers_);
  glGenRenderbuffers(3, buffers_);
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffers_[0]);
  attach(buffers_[0], GL_RGBA8, kSamples, width, height, GL_COLOR_ATTACHMENT0);
  attach(buffers_[1], GL_DEPTH_COMPONENT24, kSamples, width, height, GL_DEPTH_ATTACHMENT);
  demand_complete();
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffers_[1]);
  attach(buffers_[2], GL_RGBA8, 0, width, height, GL_COLOR_ATTACHMENT0);
  demand_complete();
}

RenderTarget::~RenderTarget() {
  glDeleteFramebuffers(2, framebuffers_);
  glDeleteRenderbuffers(3, buffers_);
}

void RenderTarget::bind() const {
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffers_[0]);
  glViewport(0, 0, width_, height_);
}

void RenderTarget::resolve() const {
  glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffers_[0]);
  glBindFramebuffer(GL_DRAW_FRAMEBUFFER, framebuffers_[1]);
  glBlitFramebuffer(0, 0, width_, height_, 0, 0, width_, height_, GL_COLOR_BUFFER_BIT, GL_NEAREST);
}

void RenderTarget::copy_to_window() const {
  glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffers_[1]);
  glBindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
  glBlitFramebuffer(0, 0, width_, height_, 0, 0, width_, height_, GL_COLOR_BUFFER_BIT, GL_NEAREST);
  glBindFramebuffer(GL_FRAMEBUFFER, 0);
}

Image RenderTarget::read() const {
  glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffers_[1]);
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  const std::size_t row = 3 * static_cast<std::size_t>(width_);
  std::vector<std::uint8_t> upside_down(row * static_cast<std::size_t>(height_));
  glReadPixels(0, 0, width_, height_, GL_RGB, GL_UNSIGNED_BYTE, upside_down.data());
  if (const GLenum error = glGetError(); error != GL_NO_ERROR) {
    throw OperationError(fmt::format("OpenGL error 0x{:x} while drawing", error));
  }
  Image image{width_, height_, {}};
  image.rgb.reserve(upside_down.size());
  for (int y = height_ - 1; y >= 0; --y) {
    const auto begin = upside_down.begin() + static_cast<std::ptrdiff_t>(row) * y;
    image.rgb.insert(image.rgb.end(), begin, begin + static_cast<std::ptrdiff_t>(row));
  }
  return image;
}

}  // namespace haptic
