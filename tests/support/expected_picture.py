"""What a picture of `haptic view` must show, computed another way: a camera and a rasteriser in numpy.

Bodies are told apart by hue: the first is blue, the second orange, the third green (host/view/body_colours.h).
"""
import itertools
import math

import numpy

HALF_ANGLE = 0.3  # of the vertical view angle [rad]
NOTHING = -1


class Camera:
    """Looks at a box from the azimuth and elevation of the command line's defaults, and holds it."""

    def __init__(self, points, width, height, room=0.08, also=()):
        """
        @param points  what is shown, n x 3 [m]
        @param room    around their box, in diagonals: 0.08 in a window, 0 in one picture
        @param also    points that the camera holds besides, as the tip of the arrow of the force
        """
        self.width, self.height = width, height
        low, high = points.min(axis=0), points.max(axis=0)
        self.diagonal = numpy.linalg.norm(high - low)
        low, high = low - room * self.diagonal, high + room * self.diagonal
        self.diagonal = numpy.linalg.norm(high - low)
        if len(also):
            low, high = numpy.minimum(low, numpy.min(also, axis=0)), numpy.maximum(high, numpy.max(also, axis=0))
        azimuth, elevation = math.radians(35), math.radians(22)
        back = numpy.array([math.sin(azimuth) * math.cos(elevation), math.sin(elevation),
                            math.cos(azimuth) * math.cos(elevation)])
        right = numpy.array([math.cos(azimuth), 0, -math.sin(azimuth)])
        self.axes = numpy.array([right, numpy.cross(back, right), back])
        self.target = (low + high) / 2
        aspect, tangent = width / height, math.tan(HALF_ANGLE)
        narrow = min(HALF_ANGLE, math.atan(tangent * aspect))
        self.distance = 0.88 * 0.5 * numpy.linalg.norm(high - low) / math.sin(narrow)
        for corner in itertools.product(*zip(low, high)):
            x, y, z = self.axes @ (numpy.array(corner) - self.target)
            self.distance = max(self.distance, 1.05 * (z + max(abs(x) / aspect, abs(y)) / tangent))
        self.scale = 0.5 * height / tangent  # pixels, at 1 m

    def pixels(self, points):
        """@returns x and y from the upper left corner, and the distance along the view [m]; n x 3"""
        p = (numpy.atleast_2d(points) - self.target) @ self.axes.T
        depth = self.distance - p[:, 2]
        return numpy.stack([0.5 * self.width + self.scale * p[:, 0] / depth,
                            0.5 * self.height - self.scale * p[:, 1] / depth, depth], axis=1)

    def through(self, x, y, point):
        """@returns where a pixel is in the plane parallel to the image through `point` [m]"""
        depth = self.pixels(point)[0, 2]
        p = [(x - 0.5 * self.width) * depth / self.scale, (0.5 * self.height - y) * depth / self.scale,
             self.distance - depth]
        return self.target + self.axes.T @ numpy.array(p)


def rasterise(surfaces, camera):
    """@param surfaces  of the bodies: vertices, n x 3, and triangles, m x 3
    @returns the nearest body of each pixel, height x width; NOTHING where there is none"""
    label = numpy.full((camera.height, camera.width), NOTHING)
    nearest = numpy.zeros(label.shape)  # 1 / depth
    for body, (vertices, triangles) in enumerate(surfaces):
        pixel = camera.pixels(vertices)
        for a, b, c in pixel[triangles]:
            low = numpy.maximum(numpy.floor(numpy.min([a, b, c], axis=0)[:2]).astype(int), 0)
            high = numpy.ceil(numpy.max([a, b, c], axis=0)[:2]).astype(int)
            high = numpy.minimum(high, [camera.width, camera.height])
            area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
            if abs(area) < 1e-9 or (low >= high).any():
                continue
            x, y = numpy.meshgrid(numpy.arange(low[0], high[0]) + 0.5, numpy.arange(low[1], high[1]) + 0.5)
            v = ((x - a[0]) * (c[1] - a[1]) - (y - a[1]) * (c[0] - a[0])) / area
            w = ((b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0])) / area
            near = (1 - v - w) / a[2] + v / b[2] + w / c[2]
            part = (slice(low[1], high[1]), slice(low[0], high[0]))
            hit = (v >= 0) & (w >= 0) & (v + w <= 1) & (near > nearest[part])
            label[part][hit] = body
            nearest[part][hit] = near[hit]
    return label


def sphere(centre, radius, around=48):
    """@returns vertices and triangles"""
    angle = 2 * numpy.pi * numpy.arange(around) / around
    height = numpy.linspace(0, numpy.pi, around // 2 + 1)
    vertices = numpy.stack([numpy.outer(numpy.sin(height), numpy.cos(angle)).ravel(),
                            numpy.repeat(numpy.cos(height), around),
                            numpy.outer(numpy.sin(height), numpy.sin(angle)).ravel()], axis=1)
    triangles = [t for i in range(around // 2) for j in range(around)
                 for k in [(j + 1) % around]
                 for t in ((i * around + j, i * around + k, (i + 1) * around + j),
                           ((i + 1) * around + j, i * around + k, (i + 1) * around + k))]
    return numpy.asarray(centre) + radius * vertices, numpy.array(triangles)


def box(centre, size):
    """@returns vertices and triangles"""
    corners = numpy.array(list(itertools.product((-0.5, 0.5), repeat=3)))
    faces = ((0, 1, 3, 2), (4, 5, 7, 6), (0, 1, 5, 4), (2, 3, 7, 6), (0, 2, 6, 4), (1, 3, 7, 5))
    triangles = [t for a, b, c, d in faces for t in ((a, b, c), (a, c, d))]
    return numpy.asarray(centre) + corners * size, numpy.array(triangles)


def bodies_by_hue(picture):
    """@param picture  height x width x 3, 0 to 255 @returns the body whose hue a pixel has, or NOTHING"""
    red, green, blue = (picture[..., i].astype(float) for i in range(3))
    seen = numpy.full(picture.shape[:2], NOTHING)
    seen[(blue > 1.35 * red) & (blue > 1.1 * green) & (red > 0.35 * blue)] = 0
    seen[(red > 1.35 * blue) & (red > 1.1 * green) & (green > 0.5 * red)] = 1
    seen[(green > 1.12 * red) & (green > 1.12 * blue) & (red > 0.4 * green)] = 2
    return seen


def grown(mask, pixels):
    """The mask and what is within so many pixels of it, along rows and columns."""
    for _ in range(pixels):
        mask = numpy.pad(mask, 1)
        mask = mask[1:-1, 1:-1] | mask[:-2, 1:-1] | mask[2:, 1:-1] | mask[1:-1, :-2] | mask[1:-1, 2:]
    return mask


def agreement(picture, label, body):
    """@returns pixels inside of the body's outline, the part of them that has its hue, and how many pixels of its
    hue are far from it, as a part of it"""
    expected, seen = label == body, bodies_by_hue(picture) == body
    inside = ~grown(~expected, 2)  # the edge is blended with what is behind
    stray = seen & ~grown(expected, 2)
    return inside.sum(), seen[inside].sum() / max(inside.sum(), 1), stray.sum() / max(expected.sum(), 1)
