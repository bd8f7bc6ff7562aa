#pragma once

#include <string_view>

namespace haptic::shaders {

inline constexpr std::string_view kShadowVertex = R"(#version 330 core
layout(location = 0) in vec3 position;
uniform mat4 light;
void main() { gl_Position = light * vec4(position, 1.0); })";

inline constexpr std::string_view kShadowFragment = R"(#version 330 core
void main() {})";

inline constexpr std::string_view kBackgroundVertex = R"(#version 330 core
out float height;
void main() {
  vec2 corner = vec2(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0);
  height = 0.5 * (corner.y + 1.0);
  gl_Position = vec4(corner, 0.0, 1.0);
})";

inline constexpr std::string_view kBackgroundFragment = R"(#version 330 core
in float height;
out vec4 color;
void main() { color = vec4(mix(vec3(0.80, 0.82, 0.85), vec3(0.95, 0.96, 0.98), height), 1.0); })";

/// u = U q and n = normalise(N + DN q), then the pose; captured by transform feedback. A vertex has
/// six rows of `groups` texels: U and DN by axis, four reduced coordinates a texel.
inline constexpr std::string_view kDeformVertex = R"(#version 330 core
layout(location = 0) in vec3 rest;
layout(location = 1) in vec3 rest_normal;
uniform samplerBuffer blocks;
uniform int groups;
uniform vec4 q_displacement[16];
uniform vec4 q_normal[16];
uniform mat4 pose;
out vec3 p_world;
out vec3 n_world;
void main() {
  vec3 u = vec3(0.0), d = vec3(0.0);
  int at = 6 * groups * gl_VertexID;
  for (int k = 0; k < groups; ++k) {
    vec4 q = q_displacement[k];
    u += vec3(dot(texelFetch(blocks, at + k), q), dot(texelFetch(blocks, at + groups + k), q),
              dot(texelFetch(blocks, at + 2 * groups + k), q));
    q = q_normal[k];
    d += vec3(dot(texelFetch(blocks, at + 3 * groups + k), q),
              dot(texelFetch(blocks, at + 4 * groups + k), q),
              dot(texelFetch(blocks, at + 5 * groups + k), q));
  }
  vec3 n = rest_normal + d;
  n = length(n) > 1e-6 ? normalize(n) : rest_normal;  // undefined under extreme compression
  p_world = (pose * vec4(rest + u, 1.0)).xyz;
  n_world = normalize(mat3(pose) * n);
})";

inline constexpr std::string_view kBodyVertex = R"(#version 330 core
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec4 tint;  // colour and its weight; (0, 0, 0, 0) if no buffer is bound
uniform mat4 view, projection, light;
uniform vec4 kept;  // half-space, where clipping is on
out vec4 tint_here;
out vec3 p_world;
out vec3 n_world;
out vec4 p_light;
void main() {
  tint_here = tint;
  p_world = position;
  n_world = normal;
  p_light = light * vec4(position, 1.0);
  gl_ClipDistance[0] = dot(kept, vec4(position, 1.0));
  gl_Position = projection * view * vec4(position, 1.0);
})";

/// Two lights (the key light with a percentage-closer filtered shadow), a sky term and a highlight.
inline constexpr std::string_view kBodyFragment = R"(#version 330 core
in vec3 p_world;
in vec3 n_world;
in vec4 p_light;
in vec4 tint_here;
uniform vec3 eye, key, base_color, fade_centre;
uniform float shininess, fade_radius;
uniform sampler2DShadow shadow;
out vec4 color;
float lit() {
  vec3 p = 0.5 * p_light.xyz / p_light.w + 0.5;
  if (any(lessThan(p, vec3(0.0))) || any(greaterThan(p, vec3(1.0)))) return 1.0;
  float sum = 0.0;
  vec2 texel = 1.5 / vec2(textureSize(shadow, 0));
  for (int i = -2; i <= 2; ++i)
    for (int j = -2; j <= 2; ++j)
      sum += texture(shadow, vec3(p.xy + vec2(i, j) * texel, p.z - 0.0015));
  return sum / 25.0;
}
void main() {
  vec3 n = normalize(n_world);
  vec3 v = normalize(eye - p_world);
  if (dot(n, v) < 0.0) n = -n;
  vec3 h = normalize(key + v);
  vec3 fill = normalize(vec3(-0.6, 0.3, 0.4));
  float s = lit();
  float diffuse = 0.75 * s * max(dot(n, key), 0.0) + 0.18 * max(dot(n, fill), 0.0);
  float sky = 0.22 + 0.10 * n.y;
  vec3 c = mix(base_color, tint_here.rgb, tint_here.a) * (diffuse + sky) + shininess * s * vec3(pow(max(dot(n, h), 0.0), 60.0));
  float alpha = fade_radius > 0.0 ? 1.0 - smoothstep(0.35, 1.0, length(p_world - fade_centre) / fade_radius) : 1.0;
  color = vec4(pow(clamp(c, 0.0, 1.0), vec3(1.0 / 1.4)), alpha);
})";

/// Spheres as squares that face the eye; the fragment shader meets the sphere.
inline constexpr std::string_view kSphereVertex = R"(#version 330 core
layout(location = 0) in vec4 sphere;
layout(location = 1) in vec3 colour;
uniform mat4 view_projection;
uniform vec3 eye, right;
uniform float pixel;  // at distance 1
flat out vec4 ball;
flat out vec3 ball_colour;
out vec3 p_world;
void main() {
  vec3 to = sphere.xyz - eye;
  float d = length(to);
  ball = vec4(sphere.xyz, max(sphere.w, 1.5 * pixel * d));
  ball_colour = colour;
  if (ball.w >= 0.999 * d) {  // around the eye
    gl_Position = vec4(0.0, 0.0, 2.0, 1.0);
    return;
  }
  // The square through the centre that the cone from the eye about the sphere fills.
  vec3 w = to / d;
  vec3 u = normalize(right - dot(right, w) * w);
  vec3 v = cross(w, u);
  float half_side = ball.w * d / sqrt(d * d - ball.w * ball.w) + pixel * d;
  vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
  p_world = sphere.xyz + half_side * (corner.x * u + corner.y * v);
  gl_Position = view_projection * vec4(p_world, 1.0);
})";

inline constexpr std::string_view kSphereFragment = R"(#version 330 core
flat in vec4 ball;
flat in vec3 ball_colour;
in vec3 p_world;
uniform mat4 view_projection;
uniform vec3 eye;
uniform float pixel;
out vec4 color;
void main() {
  vec3 ray = normalize(p_world - eye);
  vec3 to = ball.xyz - eye;
  float along = dot(ray, to);
  float miss = length(to - along * ray);  // from the centre to the ray
  float width = pixel * along;
  float cover = clamp((ball.w - miss) / width + 0.5, 0.0, 1.0);
  if (cover <= 0.0) discard;
  float half_chord = sqrt(max(ball.w * ball.w - miss * miss, 0.0));
  vec3 p = eye + (along - half_chord) * ray;
  vec4 clip = view_projection * vec4(p, 1.0);
  gl_FragDepth = 0.5 * clip.z / clip.w + 0.5;
  float outline = 1.0 - smoothstep(0.5, 2.0, (ball.w - miss) / width);
  float facing = half_chord / ball.w;
  color = vec4(ball_colour * (0.55 + 0.45 * facing), cover * mix(0.18, 0.75, outline));
})";

/// Colours and iso-lines of a rectangle of distances.
inline constexpr std::string_view kSliceVertex = R"(#version 330 core
uniform mat4 view_projection;
uniform vec3 corner, across, upwards;
uniform vec2 samples;  // columns, rows
out vec2 at;
void main() {
  vec2 f = vec2(gl_VertexID & 1, gl_VertexID >> 1);
  at = (0.5 + f * (samples - 1.0)) / samples;  // samples are in the middle of texels
  gl_Position = view_projection * vec4(corner + f.x * across + f.y * upwards, 1.0);
})";

inline constexpr std::string_view kSliceFragment = R"(#version 330 core
in vec2 at;
uniform sampler2D distances;
uniform float range, line;
uniform vec3 colours[5];
out vec4 color;
void main() {
  float d = texture(distances, at).r;
  if (!(d < range)) discard;  // not a number, too
  float where = 2.0 * clamp(d / range, -1.0, 1.0) + 2.0;
  int low = min(int(where), 3);
  vec3 c = mix(colours[low], colours[low + 1], where - float(low));
  float pixel = max(fwidth(d), 1e-9 * range);
  float x = d / line;
  float to_line = abs(fract(x - 0.5) - 0.5) * line / pixel;
  c = mix(c, vec3(0.25), 0.6 * (1.0 - smoothstep(0.5, 1.2, to_line)));
  c = mix(c, vec3(0.0), 1.0 - smoothstep(1.2, 2.0, abs(d) / pixel));
  color = vec4(c, 1.0 - smoothstep(0.7, 1.0, d / range));
})";

}  // namespace haptic::shaders
