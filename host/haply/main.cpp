// haptic-haply: the adapter of a Haply Inverse3 with a VerseGrip (docs/devices.md, "Haply
// Inverse3").
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <boost/asio/ip/address.hpp>
#include <cstdio>
#include <exception>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "host/haply/haply_adapter.h"
#include "shared/command_line/help_format.h"
#include "shared/command_line/number_checks.h"
#include "shared/error.h"
#include "shared/printable.h"
#include "shared/process_start.h"

namespace {

haptic::HaplyOptions checked(haptic::HaplyOptions options, const std::vector<double>& centre) {
  boost::system::error_code failure;
  boost::asio::ip::make_address(options.host, failure);
  if (failure) {
    throw haptic::InputError("--host", "", "found \"" + options.host + "\"", "an IP address");
  }
  if (!centre.empty()) options.centre = {centre[0], centre[1], centre[2]};
  return options;
}

int report_error(const std::exception& error, int code) {
  const std::string line = fmt::format("haptic-haply: {}\n", haptic::printable(error.what()));
  std::fputs(line.c_str(), stderr);
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  haptic::prepare_process();
  CLI::App app(
      "haptic-haply: drives a Haply Inverse3 for hapticd through the Haply Inverse Service");
  haptic::set_help_format(app);
  app.set_version_flag("--version", "haptic-haply " HAPTIC_VERSION, "print the version and exit");
  haptic::HaplyOptions options;
  std::vector<double> centre;
  bool no_grip = false;
  const std::map<std::string, haptic::HaplyForceKey> keys{
      {"values", haptic::HaplyForceKey::kValues}, {"vector", haptic::HaplyForceKey::kVector}};
  app.add_option("--link", options.link, "the manifest's link")->capture_default_str();
  app.add_option("--host", options.host, "address of the service")->capture_default_str();
  app.add_option("--port", options.port, "port of the service's simulation channel")
      ->check(CLI::Range(1, 65535))
      ->capture_default_str();
  app.add_option("--device-id", options.device_id, "which Inverse3; default: the first");
  app.add_option("--rate", options.rate_hz, "messages per second")
      ->check(haptic::number_in(10.0, 5000.0))
      ->capture_default_str();
  app.add_option("--silence", options.silence_s, "time without an answer [s], then reconnect")
      ->check(haptic::number_in(0.005, 10.0))
      ->capture_default_str();
  app.add_option("--centre", centre,
                 "origin of the device frame, from the base: x right, y up, z towards the user [m]")
      ->expected(3)
      ->check(haptic::number_in(-1.0, 1.0));
  app.add_option("--force-key", options.force_key,
                 "key of the force in a command: values or vector (docs/devices.md)")
      ->transform(CLI::CheckedTransformer(keys))
      ->default_str("values");
  app.add_flag("--no-grip", no_grip, "no VerseGrip: the orientation stays the identity");
  haptic::refuse_empty_numbers(app);
  try {
    app.parse(argc, argv);
    options.grip = !no_grip;
    haptic::HaplyAdapter(checked(options, centre)).run();
    return haptic::kExitDone;
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    const std::string unknown = haptic::unknown_word(app, argc, argv);
    if (!unknown.empty()) return report_error(std::runtime_error(unknown), haptic::kExitBadInput);
    return report_error(error, haptic::kExitBadInput);
  } catch (const haptic::InputError& error) {
    return report_error(error, haptic::kExitBadInput);
  } catch (const std::exception& error) {
    return report_error(error, haptic::kExitFailed);
  }
}
