#include "host/export/vtk_surface.h"

#include <fmt/format.h>

#include "host/export/output_stream.h"
#include "shared/printable.h"

namespace haptic {
namespace {

/// The data section: each array is its length in bytes and its values.
class AppendedData {
 public:
  /// @returns the array's XML element
  template <class Value>
  std::string add(std::string_view name, std::string_view type, std::size_t components,
                  const std::vector<Value>& values) {
    const std::uint64_t length = values.size() * sizeof(Value);
    const std::string element = fmt::format(
        "<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" format=\"appended\" "
        "offset=\"{}\"/>\n",
        type, xml_text(name), components, bytes_.size());
    bytes_.append(reinterpret_cast<const char*>(&length), sizeof length);
    bytes_.append(reinterpret_cast<const char*>(values.data()), length);
    return element;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

std::string arrays_of(const std::vector<VtkSurface::Array>& arrays, AppendedData& data) {
  std::string xml;
  for (const VtkSurface::Array& array : arrays) {
    xml += data.add(array.name, "Float32", array.components, array.values);
  }
  return xml;
}

}  // namespace

std::string xml_text(std::string_view text) {
  std::string result;
  for (const char c : printable(text)) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

void write_vtp(const VtkSurface& surface, const std::filesystem::path& path) {
  const bool as_points = surface.triangles.empty();
  const std::size_t points = surface.points.size() / 3, cells = surface.cells();
  std::vector<std::int64_t> connectivity = surface.triangles, ends;
  for (std::size_t i = 0; as_points && i < points; ++i) {
    connectivity.push_back(static_cast<std::int64_t>(i));
  }
  for (std::size_t i = 1; i <= cells; ++i) {
    ends.push_back(static_cast<std::int64_t>(as_points ? i : 3 * i));
  }
  AppendedData data;
  std::string xml = fmt::format(
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" "
      "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<PolyData>\n<Piece "
      "NumberOfPoints=\"{}\" NumberOfVerts=\"{}\" NumberOfLines=\"0\" NumberOfStrips=\"0\" "
      "NumberOfPolys=\"{}\">\n",
      points, as_points ? cells : 0, as_points ? 0 : cells);
  xml += "<PointData>\n" + arrays_of(surface.point_arrays, data) + "</PointData>\n<CellData>\n" +
         arrays_of(surface.cell_arrays, data) + "</CellData>\n<Points>\n" +
         data.add("Points", "Float32", 3, surface.points) + "</Points>\n";
  const char* const kind = as_points ? "Verts" : "Polys";
  xml += fmt::format("<{}>\n", kind) + data.add("connectivity", "Int64", 1, connectivity) +
         data.add("offsets", "Int64", 1, ends) + fmt::format("</{}>\n", kind);
  xml += "</Piece>\n</PolyData>\n<AppendedData encoding=\"raw\">\n_";
  OutputStream out(path);
  out.write(xml);
  out.write(data.bytes());
  out.write("\n</AppendedData>\n</VTKFile>\n");
  out.commit();
}

}  // namespace haptic
