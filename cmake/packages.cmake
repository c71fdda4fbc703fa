# What a package has beside the program: completions and manual pages, which the program writes itself when it is installed;
# and the Debian package (make deb). The tarball of the static program is tools/packages/make_tarball.sh (make tarball).

set(WRITTEN ${CMAKE_BINARY_DIR}/written)
install(CODE "
  file(MAKE_DIRECTORY \"${WRITTEN}\")
  foreach(shell bash zsh fish)
    execute_process(COMMAND \"$<TARGET_FILE:ridge>\" completions \${shell} OUTPUT_FILE \"${WRITTEN}/ridge.\${shell}\"
                    COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
  file(REMOVE_RECURSE \"${WRITTEN}/man1\")
  execute_process(COMMAND \"$<TARGET_FILE:ridge>\" man --out \"${WRITTEN}/man1\" ERROR_QUIET COMMAND_ERROR_IS_FATAL ANY)
")
install(FILES ${WRITTEN}/ridge.bash DESTINATION share/bash-completion/completions RENAME ridge)
install(FILES ${WRITTEN}/ridge.zsh DESTINATION share/zsh/site-functions RENAME _ridge)
install(FILES ${WRITTEN}/ridge.fish DESTINATION share/fish/vendor_completions.d)
install(DIRECTORY ${WRITTEN}/man1/ DESTINATION share/man/man1)

set(CPACK_PACKAGE_NAME ridgeline)
set(CPACK_PACKAGE_VENDOR "Ridgeline")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "the math of how large language models are trained and served")
set(CPACK_PACKAGE_DESCRIPTION
    "How long a step takes, on which machine, for how much money, and why:\\nexact bounds, calibrated answers, and every number with its source.")
set(CPACK_PACKAGE_CONTACT "Ridgeline maintainers <ridgeline@localhost>")
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/packages)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON) # the libraries it needs, as dpkg-shlibdeps finds them
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
# ridge-mpi is a package of its own: Open MPI brings more along than all the rest.
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL program)
if(TARGET ridge-mpi)
  list(APPEND CPACK_COMPONENTS_ALL mpi)
endif()
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME ridgeline)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS ridgeline-mpi)
set(CPACK_DEBIAN_MPI_PACKAGE_NAME ridgeline-mpi)
set(CPACK_DEBIAN_MPI_PACKAGE_DEPENDS "ridgeline (= ${PROJECT_VERSION}), openmpi-bin")
set(CPACK_COMPONENT_MPI_DESCRIPTION "ridge sweep over many machines: mpirun ridge sweep")
include(CPack)

# The same program with every library inside, for Linux systems that have others or none: linked from the same objects.
find_library(RE2_ARCHIVE libre2.a)
find_library(GSL_ARCHIVE libgsl.a)
find_library(GSL_BLAS_ARCHIVE libgslcblas.a)
find_library(SQLITE_ARCHIVE libsqlite3.a)
if(RE2_ARCHIVE AND GSL_ARCHIVE AND GSL_BLAS_ARCHIVE AND SQLITE_ARCHIVE AND NOT SANITIZED)
  # {fmt} has no archive in Debian: compiled here, as for the browser
  add_executable(ridge-static apps/world/alone.cpp apps/world/no_loading.cpp apps/wasm/fmt.cpp
                 $<TARGET_OBJECTS:ridge_cli> $<TARGET_OBJECTS:ridge_commands> $<TARGET_OBJECTS:ridge_options>)
  target_include_directories(ridge-static PRIVATE ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/apps)
  target_link_libraries(ridge-static PRIVATE -static -Wl,--start-group $<TARGET_FILE:ridge_catalog> $<TARGET_FILE:ridge_core>
                        $<TARGET_FILE:ridge_probe_loops> -Wl,--end-group ${RE2_ARCHIVE} ${GSL_ARCHIVE} ${GSL_BLAS_ARCHIVE}
                        ${SQLITE_ARCHIVE} pthread m)
  add_dependencies(ridge-static ridge)
  if(NOT RIDGE_TESTS)
    set_target_properties(ridge-static PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
endif()
