# SPDX-License-Identifier: Apache-2.0
# Installs the targets, their headers and a package config for find_package(trestle), in components:
# runtime (shared libraries), development (headers, static libraries, CMake and pkg-config files),
# tools (programs) and python (the module, bindings/python).
include(CMakePackageConfigHelpers)

set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/trestle)
install(TARGETS ${targets} EXPORT trestle_targets
        RUNTIME COMPONENT runtime
        LIBRARY COMPONENT runtime NAMELINK_COMPONENT development
        ARCHIVE COMPONENT development
        PUBLIC_HEADER COMPONENT development
        FILE_SET HEADERS COMPONENT development)
install(EXPORT trestle_targets NAMESPACE trestle:: DESTINATION ${config_dir} COMPONENT development)

# What a consumer has to find again: the private dependencies of a static library are still linked.
set(find_yaml_cpp FALSE)
set(find_hwloc FALSE)
if(TARGET trestle_dialect)
    set(find_yaml_cpp TRUE)
endif()
if(TARGET trestle_os)
    set(find_hwloc TRUE)
endif()
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/trestle-config.cmake.in
    ${PROJECT_BINARY_DIR}/trestle-config.cmake INSTALL_DESTINATION ${config_dir})
# Before 1.0 a minor version may break: 0.2.x serves 0.2 only.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/trestle-config-version.cmake
    COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/trestle-config.cmake
              ${PROJECT_BINARY_DIR}/trestle-config-version.cmake
              ${PROJECT_SOURCE_DIR}/cmake/FindHwloc.cmake
        DESTINATION ${config_dir} COMPONENT development)
