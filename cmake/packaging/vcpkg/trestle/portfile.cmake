# SPDX-License-Identifier: Apache-2.0
# An overlay port of the source tree that this file lies in; docs/install.md has the commands.
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../../.." ABSOLUTE)

vcpkg_check_features(OUT_FEATURE_OPTIONS features
    FEATURES
        c       TRESTLE_BUILD_C
        dialect TRESTLE_BUILD_DIALECT
        os      TRESTLE_BUILD_OS
)
if("c" IN_LIST FEATURES)
    # libtrestle has the static libraries inside, so the C++ libraries are not shared with it.
    list(APPEND features -DBUILD_SHARED_LIBS=OFF)
endif()

vcpkg_cmake_configure(SOURCE_PATH "${SOURCE_PATH}" OPTIONS ${features})
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(PACKAGE_NAME trestle CONFIG_PATH lib/cmake/trestle)
if("c" IN_LIST FEATURES)
    vcpkg_fixup_pkgconfig()
endif()

file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
