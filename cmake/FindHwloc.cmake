# SPDX-License-Identifier: Apache-2.0
# Finds hwloc, which ships no CMake config. Defines the imported target Hwloc::hwloc.
find_path(Hwloc_INCLUDE_DIR hwloc.h)
find_library(Hwloc_LIBRARY hwloc)
if(Hwloc_INCLUDE_DIR AND EXISTS ${Hwloc_INCLUDE_DIR}/hwloc/autogen/config.h)
    file(STRINGS ${Hwloc_INCLUDE_DIR}/hwloc/autogen/config.h Hwloc_VERSION
         REGEX "^#define HWLOC_VERSION \"")
    string(REGEX REPLACE ".*\"([0-9.]+).*" "\\1" Hwloc_VERSION "${Hwloc_VERSION}")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Hwloc REQUIRED_VARS Hwloc_LIBRARY Hwloc_INCLUDE_DIR
                                  VERSION_VAR Hwloc_VERSION)
mark_as_advanced(Hwloc_INCLUDE_DIR Hwloc_LIBRARY)

if(Hwloc_FOUND AND NOT TARGET Hwloc::hwloc)
    add_library(Hwloc::hwloc UNKNOWN IMPORTED)
    set_target_properties(Hwloc::hwloc PROPERTIES
        IMPORTED_LOCATION ${Hwloc_LIBRARY}
        INTERFACE_INCLUDE_DIRECTORIES ${Hwloc_INCLUDE_DIR})
endif()
