// `haptic simulate MODEL.h5 --loads` and `haptic sketch` through the built executable: a model
// under a load script, reduced and unreduced; what a basis is made from.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <nlohmann/json.hpp>

#include "host/reduction/basis_builder.h"
#include "host/unreduced/baked_body.h"
#include "shared/error.h"
#include "tests/host/bake/baking_folder.h"

namespace haptic {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;

constexpr const char* kLoads = R"(dt_s = 0.010
steps = 40
[[load]]
near = [1.0, 0.0, 0.0]
force_N = [0.0, 0.0, -0.02]
to_s = 0.2
[[probe]]
near = [1.0, 0.0, 0.0]
)";

class OfflineCommands : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder = new BakingFolder("offline");
    folder->bake("beam.toml", "beam.h5");
    folder->bake("ball.toml", "ball.h5");
    folder->write("loads.toml", kLoads);
    folder->write("hand.csv",
                  "time_s,x_m,y_m,z_m,qw,qx,qy,qz\n"
                  "0,0,0,0,1,0,0,0\n"
                  "0.5,0,0,-0.08,1,0,0,0\n"
                  "1.0,0,0.06,0.0,1,0,0,0\n");
  }
  static void TearDownTestSuite() { delete folder; }

  static Finished run(const std::string& arguments) {
    return folder->shell(HAPTIC_EXECUTABLE " " + arguments);
  }
  static nlohmann::json json_of(const std::string& arguments) {
    const Finished result = run(arguments + " --json");
    EXPECT_EQ(result.code, 0) << arguments << ": " << result.error;
    return result.code == 0 ? nlohmann::json::parse(result.out) : nlohmann::json();
  }
  static double largest_probe(const std::string& arguments) {
    return json_of(arguments).value("largest_probe_m", 0.0);
  }

  static inline BakingFolder* folder = nullptr;
};

TEST_F(OfflineCommands, one_script_moves_the_reduced_and_the_full_beam) {
  const double reduced = largest_probe("simulate beam.h5 --loads loads.toml -o reduced.h5");
  const double full = largest_probe("simulate beam.h5 --loads loads.toml --unreduced -o full.h5");
  EXPECT_GT(full, 0.02);  // of 0.2 m
  // The load is one vertex's: its dimple is not in the subspace.
  EXPECT_NEAR(reduced, full, 0.05 * full);
  const double linear =
      largest_probe("simulate beam.h5 --loads loads.toml --unreduced --solver linear -o linear.h5");
  EXPECT_NE(linear, full);
  EXPECT_NEAR(linear, full, 0.1 * full);
  const auto json = json_of("simulate beam.h5 --loads loads.toml --unreduced --newton 6 -o n.h5");
  EXPECT_LE(json["largest_residual"].get<double>(), 1e-6);
  EXPECT_EQ(json["steps"], 40);
  EXPECT_EQ(json["kind"], "unreduced");
}

TEST_F(OfflineCommands, matrix_free_steps_move_like_direct_ones) {
  const std::string loads = kLoads;
  folder->write("brief.toml", "dt_s = 0.002\nsteps = 10\n" + loads.substr(loads.find("[[load]]")));
  const double direct = largest_probe("simulate beam.h5 --loads brief.toml --unreduced -o d.h5");
  const auto free =
      json_of("simulate beam.h5 --loads brief.toml --unreduced --solver matrix-free -o m.h5");
  EXPECT_GT(free["cg_iterations"], 0);
  // Each system is solved to 1e-10.
  EXPECT_NEAR(free["largest_probe_m"].get<double>(), direct, 1e-6 * direct);
}

TEST_F(OfflineCommands, the_full_beam_is_run_with_other_materials) {
  const double stvk = largest_probe("simulate beam.h5 --loads loads.toml --unreduced -o a.h5");
  for (const std::string material : {"corotational", "neo-hookean"}) {
    const auto json = json_of("simulate beam.h5 --loads loads.toml --unreduced --newton 6 -o " +
                              material + ".h5 --material " + material);
    EXPECT_EQ(json["material"], material);
    EXPECT_EQ(json["unconverged_steps"], 0);
    // Bends of a tenth of the length with small strains: near, but not the same.
    EXPECT_NE(json["largest_probe_m"].get<double>(), stvk);
    EXPECT_NEAR(json["largest_probe_m"].get<double>(), stvk, 0.1 * stvk);
  }
  // A push through the beam within one explicit step.
  folder->write("blow.toml",
                "dt_s = 0.00004\nsteps = 100\n[[load]]\nnear = [1, 0, 0]\nforce_N = [-1e6, 0, 0]\n"
                "[[probe]]\nnear = [1, 0, 0]\n");
  const Finished blown =
      run("simulate beam.h5 --loads blow.toml --unreduced --solver explicit --material "
          "neo-hookean "
          "-o blow.h5");
  EXPECT_EQ(blown.code, 1) << blown.out;
  EXPECT_THAT(blown.error, ContainsRegex("step [0-9]+ of 100: .*element [0-9]+ is inverted"));
  EXPECT_FALSE(std::filesystem::exists(folder->file("blow.h5")));
}

TEST_F(OfflineCommands, the_mass_of_a_run_is_that_of_the_model_or_of_the_option) {
  folder->write("lumped.toml",
                beam_recipe("resolution = 24", "resolution = 24\nmass = \"lumped\""));
  folder->bake("lumped.toml", "lumped.h5");
  EXPECT_EQ(run("verify lumped.h5").code, 0);
  const StvkModel lumped = read_baked_body(ModelFile(folder->file("lumped.h5")));
  const StvkModel consistent = read_baked_body(ModelFile(folder->file("beam.h5")));
  EXPECT_EQ(lumped.mass_kind(), MassKind::kLumped);
  EXPECT_EQ(consistent.mass_kind(), MassKind::kConsistent);
  EXPECT_EQ(lumped.mesh().mass(), consistent.mesh().mass());
  const std::string script = " --loads loads.toml --unreduced --newton 4 -o mass.h5";
  const double of_model = largest_probe("simulate lumped.h5" + script + " --mass lumped");
  const double other = largest_probe("simulate beam.h5" + script);
  EXPECT_EQ(largest_probe("simulate beam.h5" + script + " --mass consistent"), other);
  EXPECT_NE(of_model, other);
  EXPECT_NEAR(of_model, other, 0.02 * other);
  // The two models differ in the damping that their modes set as well; the script's is the same.
  folder->write("undamped.toml", "damping = [0.1, 0.0001]\n" + std::string(kLoads));
  const std::string same = " --loads undamped.toml --unreduced --newton 4 -o mass.h5";
  EXPECT_EQ(largest_probe("simulate lumped.h5" + same),
            largest_probe("simulate beam.h5" + same + " --mass lumped"));
}

TEST_F(OfflineCommands, static_runs_find_the_equilibrium) {
  folder->write("static.toml",
                "dt_s = 1.0\nsteps = 3\n[[load]]\nnear = [1, 0, 0]\nforce_N = [0, 0, -0.01]\n"
                "[[load]]\nnear = [1, 0, 0]\nforce_N = [0, 0, -0.01]\nfrom_s = 2.0\n"
                "[[probe]]\nnear = [1, 0, 0]\n");
  const auto full =
      json_of("simulate beam.h5 --loads static.toml --unreduced --solver static -o s.h5");
  const auto reduced = json_of("simulate beam.h5 --loads static.toml --solver static -o r.h5");
  EXPECT_LE(full["largest_residual"].get<double>(), 1e-8);
  EXPECT_LE(reduced["largest_residual"].get<double>(), 1e-8);
  EXPECT_GT(full["largest_probe_m"].get<double>(), 0.005);
  // The full beam dimples under its load, the reduced one cannot.
  EXPECT_LE(reduced["largest_probe_m"], full["largest_probe_m"]);
  EXPECT_GT(reduced["largest_probe_m"].get<double>(), 0.5 * full["largest_probe_m"].get<double>());
}

TEST_F(OfflineCommands, a_run_that_diverges_fails_and_writes_no_log) {
  // Below 2/w_max at rest, which the body stiffened by this load is not.
  const std::string loads =
      "steps = 20000\n[[load]]\nnear = [1, 0, 0]\nforce_N = [0, 0, -1e3]\n[[probe]]\nnear = [1, 0, "
      "0]\n";
  const std::pair<const char*, const char*> kinds[] = {{"", "dt_s = 0.0024\n"},
                                                       {" --unreduced", "dt_s = 0.00004\n"}};
  for (const auto& [kind, dt] : kinds) {
    folder->write("hard.toml", dt + loads);
    const Finished result =
        run(std::string("simulate beam.h5 --loads hard.toml --solver explicit -o hard.h5") + kind);
    EXPECT_EQ(result.code, 1) << kind << result.out;
    EXPECT_THAT(result.error, HasSubstr("the run diverged: energy")) << kind;
    EXPECT_FALSE(std::filesystem::exists(folder->file("hard.h5")));
  }
}

// Long steps under a load that bends the beam double.
TEST_F(OfflineCommands, heavy_loads_in_long_steps_leave_no_more_than_their_work) {
  const auto under = [&](const char* force) {
    folder->write("heavy.toml",
                  std::string("dt_s = 0.05\nsteps = 2\n[[load]]\nnear = [1, 0, 0]\n") +
                      "force_N = [0, 0, " + force + "]\n[[probe]]\nnear = [1, 0, 0]\n");
    return std::string("simulate beam.h5 --loads heavy.toml -o heavy.h5 --newton ");
  };
  // Without a line search, 20 iterations left 92 J in the beam.
  for (const char* iterations : {"2", "3", "6", "20"}) {
    const auto json = json_of(under("-5") + iterations);
    EXPECT_LE(json["final_energy_J"].get<double>(), 5.0 * json["largest_probe_m"].get<double>());
    EXPECT_GT(json["backtracks"].get<int>(), 0) << iterations;
  }
  // One iteration has none; the run does not pass as a result.
  std::filesystem::remove(folder->file("heavy.h5"));
  const Finished once = run(under("-10") + "1");
  EXPECT_EQ(once.code, 1) << once.out;
  EXPECT_THAT(once.error, HasSubstr("step 1: the run diverged: energy"));
  EXPECT_FALSE(std::filesystem::exists(folder->file("heavy.h5")));
}

TEST_F(OfflineCommands, steps_that_do_not_converge_are_counted) {
  folder->write("jerk.toml",
                "dt_s = 0.01\nsteps = 10\n[[load]]\nnear = [1, 0, 0]\nforce_N = [0, 0, -0.5]\n"
                "[[probe]]\nnear = [1, 0, 0]\n");
  for (const std::string kind : {"", " --unreduced"}) {
    const std::string command = "simulate beam.h5 --loads jerk.toml -o jerk.h5" + kind;
    const auto few = json_of(command + " --newton 2"), many = json_of(command + " --newton 40");
    EXPECT_GT(few["unconverged_steps"].get<int>(), 0) << kind;
    EXPECT_GT(few["largest_residual"].get<double>(), 1e-6) << kind;
    EXPECT_EQ(many["unconverged_steps"], 0) << kind;
    EXPECT_LE(many["largest_residual"].get<double>(), 1e-6) << kind;
    EXPECT_THAT(run(command + " --newton 2").out, HasSubstr("NOT CONVERGED")) << kind;
  }
}

TEST_F(OfflineCommands, two_runs_give_the_same_bytes) {
  for (const std::string kind : {"", "--unreduced --save-every 5"}) {
    const std::string command = "simulate beam.h5 --loads loads.toml " + kind;
    ASSERT_EQ(run(command + " -o one.h5").code, 0);
    ASSERT_EQ(run(command + " -o two.h5").code, 0);
    EXPECT_EQ(folder->read("one.h5"), folder->read("two.h5"));
  }
}

TEST_F(OfflineCommands, explicit_steps_beyond_the_limit_are_refused_with_the_limit) {
  for (const std::string kind : {"", "--unreduced"}) {
    const std::string command = "simulate beam.h5 --loads explicit.toml --solver explicit " + kind;
    folder->write("explicit.toml", std::string(kLoads).replace(0, 12, "dt_s = 1.000"));
    const Finished refused = run(command + " -o e.h5");
    EXPECT_EQ(refused.code, 2);
    EXPECT_THAT(refused.error, HasSubstr("dt_s: found 1 s, expected at most"));
    EXPECT_FALSE(std::filesystem::exists(folder->file("e.h5")));
    folder->write("explicit.toml", std::string(kLoads).replace(0, 12, "dt_s = 1e-5 "));
    const auto json = json_of(command + " -o e.h5");
    EXPECT_GT(json["largest_stable_step_s"].get<double>(), 1e-5);
    std::filesystem::remove(folder->file("e.h5"));
  }
}

TEST_F(OfflineCommands, snapshots_of_a_full_run_make_a_basis) {
  const auto json =
      json_of("simulate beam.h5 --loads loads.toml --unreduced --save-every 2 -o snapshots.h5");
  EXPECT_EQ(json["snapshots"], 20);
  const StvkModel body = read_baked_body(ModelFile(folder->file("beam.h5")));
  BasisRequest request;
  request.kind = BasisKind::kSnapshots;
  request.modes = 2;
  request.dimension = 4;
  request.snapshots = {folder->file("snapshots.h5")};
  EXPECT_EQ(build_basis(body, request).basis.cols(), 4);
  request.snapshots = {folder->file("reduced_only.h5")};
  ASSERT_EQ(run("simulate beam.h5 --loads loads.toml -o reduced_only.h5").code, 0);
  EXPECT_THROW(build_basis(body, request), InputError);
}

TEST_F(OfflineCommands, snapshots_of_a_free_body_that_turns_keep_its_frequency) {
  std::string recipe =
      beam_recipe("[constraints]\nplanes = [{ axis = \"x\", below = 0.01 }]\n", "");
  const std::string dimension = "dimension = 6";
  recipe.insert(recipe.find(dimension) + dimension.size(), "\nfree = true");
  folder->write("free.toml", recipe);
  folder->bake("free.toml", "free.h5");
  // A push at one end: the beam flies away, turns and swings.
  folder->write("push.toml",
                "dt_s = 0.005\nsteps = 400\n[[load]]\nnear = [1, 0, 0]\nforce_N = [0, 0.04, 0]\n"
                "to_s = 0.1\n[[probe]]\nnear = [1, 0, 0]\n");
  json_of("simulate free.h5 --loads push.toml --unreduced --save-every 4 -o flight.h5");
  const StvkModel body = read_baked_body(ModelFile(folder->file("free.h5")));
  BasisRequest request;
  request.kind = BasisKind::kSnapshots;
  request.free = true;
  request.modes = 1;
  request.dimension = 3;
  request.snapshots = {folder->file("flight.h5")};
  const Eigen::MatrixXd U = body.restrict_to_free(build_basis(body, request).basis);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> reduced(U.transpose() *
                                                               (body.stiffness_at_rest() * U));
  const double exact = free_linear_modes(body, 7).eigenvalues[6];  // 3.5 Hz
  // A subspace stiffens: three vectors have the mode to 0.6 %.
  EXPECT_NEAR(std::sqrt(reduced.eigenvalues()[0] / exact), 1.0, 0.02);
}

TEST_F(OfflineCommands, a_sketch_makes_a_basis) {
  const auto json = json_of("sketch beam.h5 --trajectory hand.csv --grab 1,0,0 -o forces.csv");
  EXPECT_EQ(json["samples"], 101);
  EXPECT_GT(json["largest_force_N"].get<double>(), 0.0);
  // The spring is ten times as stiff as the body: the vertex follows nearly all of 0.08 m.
  EXPECT_NEAR(json["largest_displacement_m"].get<double>(), 0.08, 0.016);
  const StvkModel body = read_baked_body(ModelFile(folder->file("beam.h5")));
  BasisRequest request;
  request.kind = BasisKind::kSketch;
  request.modes = 2;
  request.dimension = 3;
  request.forces = {folder->file("forces.csv"), folder->file("forces.csv")};
  request.force_separation = 0.3;
  const ReducedBasis basis = build_basis(body, request);
  EXPECT_EQ(basis.basis.cols(), 3);
  EXPECT_THAT(basis.notes.front(), HasSubstr("202 force samples"));
}

// The model file is not needed: a basis can be sketched before the first bake.
TEST_F(OfflineCommands, a_recipe_is_sketched_and_then_baked_with_its_sketch) {
  folder->write("sketched.toml", beam_recipe("linear_modes = 4\ndimension = 6",
                                             "linear_modes = 4\ndimension = 3\nbasis = \"sketch\"\n"
                                             "forces = \"own.csv\"\nforce_separation = 0.3"));
  const auto json = json_of("sketch sketched.toml --trajectory hand.csv --grab 1,0,0 -o own.csv");
  const auto of_model = json_of("sketch beam.h5 --trajectory hand.csv --grab 1,0,0 -o forces.csv");
  EXPECT_EQ(json["vertex"], of_model["vertex"]);
  EXPECT_EQ(folder->read("own.csv"), folder->read("forces.csv"));
  EXPECT_EQ(json_of("bake sketched.toml -o sketched.h5 --no-cache")["dimension"], 3);
  EXPECT_EQ(run("verify sketched.h5").code, 0);
  // All zero: refused before any solve, nothing written.
  folder->write("own.csv", "time_s,vertex,fx_N,fy_N,fz_N\n0,5,0,0,0\n");
  const Finished refused = run("bake sketched.toml -o zero.h5 --no-cache");
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.error, HasSubstr("own.csv: found only zero forces"));
  EXPECT_FALSE(std::filesystem::exists(folder->file("zero.h5")));
}

TEST_F(OfflineCommands, bad_input_ends_with_code_2_and_one_line) {
  folder->write("none.toml", "dt_s = 0.001\nsteps = 5\n");
  folder->write("far.toml",
                "dt_s = 0.001\nsteps = 5\n[[load]]\nvertex = 99999\nforce_N = [1, 0, 0]\n");
  folder->write("typo.toml", "dt_s = 0.001\nsteps = 5\nstep = 5\ngravity = [0, 0, -9.81]\n");
  folder->write("still.csv", "time_s,x_m,y_m,z_m,qw,qx,qy,qz\n0,0,0,0,1,0,0,0\n1,0,0,0,1,0,0,0\n");
  const std::pair<const char*, const char*> cases[] = {
      {"simulate beam.h5 --loads none.toml -o x.h5",
       "none.toml:1: load: found no load and no gravity"},
      {"simulate beam.h5 --loads far.toml -o x.h5", "far.toml: load[0]: vertex: found 99999"},
      {"simulate beam.h5 --loads typo.toml -o x.h5", "typo.toml:3: step"},
      {"simulate beam.h5 --loads missing.toml -o x.h5", "missing.toml"},
      {"simulate ball.h5 --loads loads.toml --unreduced -o x.h5", "/mesh: missing"},
      {"simulate beam.h5 --loads loads.toml --solver matrix-free -o x.h5", "reduced run"},
      {"simulate beam.h5 --loads loads.toml --save-every 3 -o x.h5", "reduced run"},
      {"simulate beam.h5 --loads loads.toml --newton 0 -o x.h5", "--newton"},
      {"simulate beam.h5 --loads loads.toml --solver explicit --newton 3 -o x.h5",
       "--newton: found with --solver explicit"},
      {"simulate beam.h5 --loads loads.toml --solver static --newton 1 -o x.h5",
       "--newton: found with --solver static"},
      {"simulate beam.h5 --loads loads.toml --unreduced --solver static --newton 3 -o x.h5",
       "--newton: found with --solver static"},
      {"simulate beam.h5 --unreduced -o x.h5", "--unreduced"},
      {"simulate beam.h5 --loads loads.toml --material corotational -o x.h5",
       "--material: found corotational for a reduced run, expected stvk"},
      {"simulate beam.h5 --loads loads.toml --unreduced --solver linear --material neo-hookean -o "
       "x.h5",
       "--material: found neo-hookean with --solver linear"},
      {"simulate beam.h5 --loads loads.toml --mass lumped -o x.h5",
       "--mass: found lumped for a reduced run"},
      {"simulate beam.h5 --loads loads.toml --unreduced --solver explicit --mass consistent -o "
       "x.h5",
       "--mass: found consistent with --solver explicit"},
      {"simulate beam.h5 --loads loads.toml --unreduced --solver static --mass lumped -o x.h5",
       "--mass: found with --solver static"},
      {"simulate beam.h5 --loads loads.toml --unreduced --material rubber -o x.h5", "--material"},
      {"simulate beam.h5 --loads loads.toml --trajectory hand.csv -o x.h5", "excludes"},
      {"sketch beam.h5 --grab 1,0,0 -o x.csv", "found no hand"},
      {"sketch beam.h5 --trajectory hand.csv --live --grab 1,0,0 -o x.csv", "found both"},
      {"sketch beam.h5 --trajectory still.csv --grab 1,0,0 -o x.csv", "the hand did not move"},
      {"sketch beam.h5 --trajectory hand.csv --grab -1,0,0 -o x.csv", "fixed or does not exist"},
      {"sketch ball.h5 --trajectory hand.csv --grab 1,0,0 -o x.csv", "/mesh: missing"},
      {"sketch beam.h5 --trajectory hand.csv --grab 1,0,0 --stiffness 0 -o x.csv", "stiffness"},
  };
  for (const auto& [arguments, expected] : cases) {
    const Finished result = run(arguments);
    EXPECT_EQ(result.code, 2) << arguments << "\n" << result.error;
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(result.error.find('\n'), result.error.size() - 1) << result.error;
    EXPECT_THAT(result.error, HasSubstr(expected)) << arguments;
  }
  EXPECT_FALSE(std::filesystem::exists(folder->file("x.h5")));
  EXPECT_FALSE(std::filesystem::exists(folder->file("x.csv")));
  EXPECT_EQ(run("sketch beam.h5 --live --name no_such_daemon --grab 1,0,0 -o x.csv").code, 1);
}

}  // namespace
}  // namespace haptic
