# Installation folders, and the four Debian packages (./dev package).
#
# `hapticd`: the daemon, its guard, units, rules, accounts, device manifests.
# `haptic-tools`: the host tool, its manual, completion and the documentation.
# `haptic-bake`: the helper of the host tool for commands that need MPI, OpenVDB, Embree or TBB.
# `python3-hapticd`: the Python package (host/python), for the Python of the release that it is built on.
# A lab PC takes the first two, a workstation that bakes the last two.

set(HAPTIC_PACKAGING ${CMAKE_SOURCE_DIR}/packaging)
set(HAPTIC_PACKAGING_OUT ${CMAKE_BINARY_DIR}/packaging)
# Programs to build before packaging; the packages consist of these and of files in the tree.
set(packaged_programs hapticd haptic haptic-bake)
install(TARGETS hapticd RUNTIME DESTINATION bin COMPONENT hapticd)
install(TARGETS haptic RUNTIME DESTINATION bin COMPONENT tools)
# The folder in which `haptic` looks for it: host/cli/helper_program.h.
install(TARGETS haptic-bake RUNTIME DESTINATION libexec/hapticd COMPONENT bake)
# For adapters of external devices: headers of the link, and the reference adapter with its source.
install(FILES ${CMAKE_SOURCE_DIR}/shared/ipc/external_link.h ${CMAKE_SOURCE_DIR}/shared/ipc/external_link_open.h
        DESTINATION include/hapticd COMPONENT hapticd)
install(TARGETS hapticd-reference-adapter RUNTIME DESTINATION libexec/hapticd COMPONENT hapticd)
install(FILES ${CMAKE_SOURCE_DIR}/adapters/reference.c DESTINATION share/doc/hapticd/examples COMPONENT hapticd)
install(TARGETS haptic-haply RUNTIME DESTINATION bin COMPONENT hapticd)
list(APPEND packaged_programs hapticd-reference-adapter haptic-haply)
if(TARGET hapticd-guard)
  install(TARGETS hapticd-guard RUNTIME DESTINATION bin COMPONENT hapticd)
  list(APPEND packaged_programs hapticd-guard)
endif()

if(TARGET haptic_python)
  list(APPEND packaged_programs haptic_python)
endif()

# Manual page and completion of the commands, generated from the commands.
add_custom_command(
  OUTPUT ${HAPTIC_PACKAGING_OUT}/haptic.1 ${HAPTIC_PACKAGING_OUT}/haptic.bash
  COMMAND haptic_reference manual ${CMAKE_SOURCE_DIR}/docs/man/haptic.1.in ${HAPTIC_PACKAGING_OUT}/haptic.1
  COMMAND haptic_reference completion ${HAPTIC_PACKAGING_OUT}/haptic.bash
  DEPENDS haptic_reference ${CMAKE_SOURCE_DIR}/docs/man/haptic.1.in)

# gzip_file(OUTPUT INPUT): without name and time stamp, so that equal input gives an equal package.
function(gzip_file output input)
  add_custom_command(OUTPUT ${output} COMMAND gzip -9nc ${input} > ${output} DEPENDS ${input})
endfunction()
gzip_file(${HAPTIC_PACKAGING_OUT}/haptic.1.gz ${HAPTIC_PACKAGING_OUT}/haptic.1)
gzip_file(${HAPTIC_PACKAGING_OUT}/hapticd.8.gz ${CMAKE_SOURCE_DIR}/docs/man/hapticd.8)
gzip_file(${HAPTIC_PACKAGING_OUT}/hapticd-guard.8.gz ${CMAKE_SOURCE_DIR}/docs/man/hapticd-guard.8)
gzip_file(${HAPTIC_PACKAGING_OUT}/haptic-haply.1.gz ${CMAKE_SOURCE_DIR}/docs/man/haptic-haply.1)
gzip_file(${HAPTIC_PACKAGING_OUT}/changelog.Debian.gz ${HAPTIC_PACKAGING}/changelog)
set(packaged_files haptic.1 haptic.bash haptic.1.gz hapticd.8.gz hapticd-guard.8.gz haptic-haply.1.gz
    changelog.Debian.gz)
list(TRANSFORM packaged_files PREPEND ${HAPTIC_PACKAGING_OUT}/)
add_custom_target(packaged DEPENDS ${packaged_files})
# The examples have the hand scripts of scenes/.
add_dependencies(packaged scene_hands ${packaged_programs})

# The licence as Debian writes it: indented, empty lines as dots.
file(READ ${CMAKE_SOURCE_DIR}/LICENSE HAPTIC_LICENSE_TEXT)
string(REGEX REPLACE "\n+$" "" HAPTIC_LICENSE_TEXT "${HAPTIC_LICENSE_TEXT}")
string(REPLACE "\n\n" "\n.\n" HAPTIC_LICENSE_TEXT "${HAPTIC_LICENSE_TEXT}")
string(REPLACE "\n" "\n " HAPTIC_LICENSE_TEXT " ${HAPTIC_LICENSE_TEXT}")
configure_file(${HAPTIC_PACKAGING}/copyright.in ${HAPTIC_PACKAGING_OUT}/copyright @ONLY)

# install_at(COMPONENT FOLDER FILE [NAME]): absolute folders are for packages alone; a plain
# `cmake --install` writes nothing outside its prefix.
function(install_at component folder file)
  if(ARGC GREATER 3)
    set(rename RENAME ${ARGV3})
  endif()
  install(FILES ${file} DESTINATION ${folder} ${rename} COMPONENT ${component} EXCLUDE_FROM_ALL)
endfunction()

install_at(hapticd /etc/hapticd ${HAPTIC_PACKAGING}/hapticd.env)
install_at(hapticd /etc/hapticd ${HAPTIC_PACKAGING}/scene.toml)
install(DIRECTORY DESTINATION /etc/hapticd/devices COMPONENT hapticd EXCLUDE_FROM_ALL)
install_at(hapticd /usr/lib/systemd/system ${CMAKE_SOURCE_DIR}/systemd/hapticd.service)
install_at(hapticd /usr/lib/systemd/system ${CMAKE_SOURCE_DIR}/systemd/hapticd-guard.service)
install_at(hapticd /usr/lib/sysusers.d ${CMAKE_SOURCE_DIR}/systemd/sysusers.conf hapticd.conf)
install_at(hapticd /usr/lib/tmpfiles.d ${CMAKE_SOURCE_DIR}/systemd/tmpfiles.conf hapticd.conf)
install_at(hapticd /usr/lib/modules-load.d ${CMAKE_SOURCE_DIR}/systemd/modules-load.conf hapticd.conf)
install_at(hapticd /usr/lib/udev/rules.d ${CMAKE_SOURCE_DIR}/udev/60-hapticd.rules)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/firmware-config OPTIONAL DESTINATION /usr/share/hapticd COMPONENT hapticd
        EXCLUDE_FROM_ALL FILES_MATCHING PATTERN "*.toml")
install_at(hapticd /usr/share/man/man8 ${HAPTIC_PACKAGING_OUT}/hapticd.8.gz)
install_at(hapticd /usr/share/man/man8 ${HAPTIC_PACKAGING_OUT}/hapticd-guard.8.gz)
install_at(hapticd /usr/share/man/man1 ${HAPTIC_PACKAGING_OUT}/haptic-haply.1.gz)
install_at(tools /usr/share/man/man1 ${HAPTIC_PACKAGING_OUT}/haptic.1.gz)
install_at(tools /usr/share/bash-completion/completions ${HAPTIC_PACKAGING_OUT}/haptic.bash haptic)
set(haptic_components hapticd tools bake)
set(package_of_hapticd hapticd)
set(package_of_tools haptic-tools)
set(package_of_bake haptic-bake)
if(TARGET haptic_python)
  list(APPEND haptic_components python)
  set(package_of_python python3-hapticd)
  install(TARGETS haptic_python LIBRARY DESTINATION /usr/lib/python3/dist-packages/hapticd COMPONENT python
          EXCLUDE_FROM_ALL)
  install(DIRECTORY ${CMAKE_SOURCE_DIR}/host/python/hapticd DESTINATION /usr/lib/python3/dist-packages COMPONENT python
          EXCLUDE_FROM_ALL FILES_MATCHING PATTERN "*.py" PATTERN "*.pyi" PATTERN "py.typed"
          PATTERN "__pycache__" EXCLUDE)
  install(FILES ${CMAKE_SOURCE_DIR}/docs/python.md DESTINATION /usr/share/doc/python3-hapticd COMPONENT python
          EXCLUDE_FROM_ALL)
endif()
foreach(component IN LISTS haptic_components)
  set(package ${package_of_${component}})
  install_at(${component} /usr/share/doc/${package} ${HAPTIC_PACKAGING_OUT}/copyright)
  install_at(${component} /usr/share/doc/${package} ${HAPTIC_PACKAGING_OUT}/changelog.Debian.gz)
  configure_file(${HAPTIC_PACKAGING}/preinst.in ${HAPTIC_PACKAGING_OUT}/${component}/preinst @ONLY)
  install_at(${component} /usr/share/lintian/overrides ${HAPTIC_PACKAGING}/lintian-overrides ${package})
endforeach()
install(DIRECTORY ${CMAKE_SOURCE_DIR}/docs/ DESTINATION /usr/share/doc/haptic-tools COMPONENT tools
        EXCLUDE_FROM_ALL PATTERN "man" EXCLUDE)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/scenes DESTINATION /usr/share/doc/haptic-tools/examples COMPONENT tools
        EXCLUDE_FROM_ALL FILES_MATCHING PATTERN "*.toml" PATTERN "*.csv" PATTERN "README.md" PATTERN "*.bake" EXCLUDE)
install(PROGRAMS ${CMAKE_SOURCE_DIR}/scenes/bake.sh DESTINATION /usr/share/doc/haptic-tools/examples/scenes
        COMPONENT tools EXCLUDE_FROM_ALL)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME hapticd)
set(CPACK_PACKAGE_VENDOR "the hapticd developers")
set(CPACK_PACKAGE_CONTACT "the hapticd developers <maintainers@users.noreply.github.com>")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_SOURCE_DIR}/out/packages)
set(CPACK_STRIP_FILES ON)
# Files under /etc and /usr/lib go where they are said to, below the staging folder.
set(CPACK_SET_DESTDIR ON)
set(CPACK_INSTALL_PREFIX /usr)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL ${haptic_components})
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
if(NOT CPACK_DEBIAN_PACKAGE_RELEASE)
  set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
endif()
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)

set(CPACK_DEBIAN_HAPTICD_PACKAGE_NAME hapticd)
set(CPACK_DEBIAN_HAPTICD_PACKAGE_SECTION science)
set(CPACK_COMPONENT_HAPTICD_DESCRIPTION
"real-time daemon for haptic rendering of deformable objects
Renders the contact of a tool in the user's hand with deformable and rigid
bodies, a thousand times a second and faster, from models baked by
haptic-bake, on a Novint Falcon, on arms at comedi boards or on a simulated
device.

Installs a service that starts with zero force, a guard that makes the
outputs safe when the daemon dies or hangs, rules for the devices, and
groups: haptic watches, haptic-operator commands.")
set(CPACK_DEBIAN_HAPTICD_PACKAGE_DEPENDS "systemd | systemd-standalone-sysusers, systemd | systemd-standalone-tmpfiles, udev")
set(CPACK_DEBIAN_HAPTICD_PACKAGE_RECOMMENDS "haptic-tools, linux-image-rt-amd64")
set(CPACK_DEBIAN_HAPTICD_PACKAGE_CONTROL_EXTRA ${HAPTIC_PACKAGING_OUT}/hapticd/preinst)
foreach(script postinst prerm postrm)
  configure_file(${HAPTIC_PACKAGING}/hapticd.${script} ${HAPTIC_PACKAGING_OUT}/hapticd/${script} COPYONLY)
  list(APPEND CPACK_DEBIAN_HAPTICD_PACKAGE_CONTROL_EXTRA ${HAPTIC_PACKAGING_OUT}/hapticd/${script})
endforeach()
file(WRITE ${HAPTIC_PACKAGING_OUT}/hapticd/conffiles "/etc/hapticd/hapticd.env\n/etc/hapticd/scene.toml\n")
list(APPEND CPACK_DEBIAN_HAPTICD_PACKAGE_CONTROL_EXTRA ${HAPTIC_PACKAGING_OUT}/hapticd/conffiles)

set(CPACK_DEBIAN_TOOLS_PACKAGE_NAME haptic-tools)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SECTION science)
set(CPACK_COMPONENT_TOOLS_DESCRIPTION
"watch, command and record what a hand feels
The host tool of hapticd: watches, commands, records and renders a running
daemon, lists the contents of models and simulates scenes offline. It also
checks whether a machine is fit for a real-time loop.

Its commands bake, convert, mesh, sketch and verify, and runs of models under
load scripts, need the package haptic-bake.")
# Opened by libepoxy for the first image, so no program links them.
set(CPACK_DEBIAN_TOOLS_PACKAGE_DEPENDS "libegl1, libgl1")
set(CPACK_DEBIAN_TOOLS_PACKAGE_RECOMMENDS "gnuplot-nox")
set(CPACK_DEBIAN_TOOLS_PACKAGE_SUGGESTS "hapticd, haptic-bake, bash-completion")
set(CPACK_DEBIAN_TOOLS_PACKAGE_CONTROL_EXTRA ${HAPTIC_PACKAGING_OUT}/tools/preinst)

set(CPACK_DEBIAN_BAKE_PACKAGE_NAME haptic-bake)
set(CPACK_DEBIAN_BAKE_PACKAGE_SECTION science)
set(CPACK_COMPONENT_BAKE_DESCRIPTION
"make and check models of deformable objects for haptic rendering
Runs the commands of haptic-tools that make models of meshes (modal
reduction, distance fields, point shells), convert and verify them, and
simulate the unreduced body. A machine that only runs hapticd does not need
it.")
set(CPACK_DEBIAN_BAKE_PACKAGE_DEPENDS "haptic-tools (= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})")
set(CPACK_DEBIAN_BAKE_PACKAGE_SUGGESTS "openmpi-bin")
set(CPACK_DEBIAN_BAKE_PACKAGE_CONTROL_EXTRA ${HAPTIC_PACKAGING_OUT}/bake/preinst)

if(TARGET haptic_python)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-hapticd)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
  set(CPACK_COMPONENT_PYTHON_DESCRIPTION
"hapticd in Python: telemetry, simulation, experiments
Reads the telemetry of a running hapticd as numpy arrays, sends it commands,
opens its logs and models, steps scenes in the process of the interpreter and
runs experiments with trial lists and adaptive procedures.

The examples also need haptic-tools, haptic-bake and hapticd.")
  # The module is for the interpreter that it was compiled with, as dh_python3 would say it.
  math(EXPR python_next "${Python3_VERSION_MINOR} + 1")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "python3 (<< 3.${python_next}), python3 (>= 3.${Python3_VERSION_MINOR}~), \
python3-h5py, python3-numpy")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS "haptic-tools, haptic-bake, hapticd, gnuplot-nox")
  file(WRITE ${HAPTIC_PACKAGING_OUT}/python/postinst "#!/bin/sh
set -e
if [ \"$1\" = configure ] && command -v py3compile >/dev/null; then
  py3compile -p python3-hapticd
fi
")
  file(WRITE ${HAPTIC_PACKAGING_OUT}/python/prerm "#!/bin/sh
set -e
if command -v py3clean >/dev/null; then
  py3clean -p python3-hapticd
fi
")
  file(CHMOD ${HAPTIC_PACKAGING_OUT}/python/postinst ${HAPTIC_PACKAGING_OUT}/python/prerm
    PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA ${HAPTIC_PACKAGING_OUT}/python/preinst
    ${HAPTIC_PACKAGING_OUT}/python/postinst ${HAPTIC_PACKAGING_OUT}/python/prerm)
endif()
include(CPack)
