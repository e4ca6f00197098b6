# SPDX-License-Identifier: Apache-2.0
# What cpack makes of the components of an installation: -G DEB and -G RPM, one package a component,
# named as Debian and Fedora name theirs. docs/install.md has the commands. The maintainer of a package
# is its builder: DEBFULLNAME and DEBEMAIL say who that is, as for Debian's tools.
set(CPACK_PACKAGE_NAME trestle)
set(CPACK_PACKAGE_VENDOR Trestle)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "allocator of machines to jobs, for schedulers")
set(CPACK_PACKAGE_DESCRIPTION "Trestle is a library for schedulers and their tests. It describes nodes,
decides which cores, memory and devices a job gets, says why a job
does not fit, and enforces the decision on Linux.")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_CONTACT "Trestle packager <packager@localhost>")
if(DEFINED ENV{DEBEMAIL})
    set(CPACK_PACKAGE_CONTACT "Trestle packager <$ENV{DEBEMAIL}>")
    if(DEFINED ENV{DEBFULLNAME})
        set(CPACK_PACKAGE_CONTACT "$ENV{DEBFULLNAME} <$ENV{DEBEMAIL}>")
    endif()
endif()
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_RPM_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_RPM_FILE_NAME RPM-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_THREADS 0)  # all cores
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_RPM_PACKAGE_LICENSE Apache-2.0)
set(CPACK_RPM_PACKAGE_GROUP Development/Libraries)
set(CPACK_RPM_PACKAGE_RELEASE 1)

# Debian's policy: each package has a copyright and a changelog. They are part of an installation by
# component only.
set(documents ${PROJECT_BINARY_DIR}/debian)
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(WRITE ${documents}/changelog "trestle (${PROJECT_VERSION}) unstable; urgency=medium

  * CHANGELOG.md of the sources lists the changes.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
file(WRITE ${documents}/copyright
"Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: trestle

Files: *
Copyright: 2026 The authors of Trestle
License: Apache-2.0

License: Apache-2.0
 Licensed under the Apache License, Version 2.0. On Debian systems, its full text is in
 /usr/share/common-licenses/Apache-2.0.
")
file(WRITE ${documents}/triggers "activate-noawait ldconfig\n")
find_program(GZIP gzip)
mark_as_advanced(GZIP)
if(GZIP)
    execute_process(COMMAND ${GZIP} -9nkf changelog WORKING_DIRECTORY ${documents})
endif()

# trestle_package(COMPONENT DEBIAN_NAME RPM_NAME SECTION SUMMARY [DEPENDS])
macro(trestle_package component debian rpm section summary)
    string(TOUPPER ${component} key)
    list(APPEND CPACK_COMPONENTS_ALL ${component})
    set(CPACK_COMPONENT_${key}_DESCRIPTION "${summary}")
    set(CPACK_DEBIAN_${key}_DESCRIPTION "${summary}\n${CPACK_PACKAGE_DESCRIPTION}")
    set(CPACK_DEBIAN_${key}_PACKAGE_NAME ${debian})
    set(CPACK_DEBIAN_${key}_PACKAGE_SECTION ${section})
    set(CPACK_DEBIAN_${key}_PACKAGE_SHLIBDEPS ON)
    set(CPACK_DEBIAN_${key}_PACKAGE_DEPENDS "${ARGN}")
    set(CPACK_RPM_${key}_PACKAGE_NAME ${rpm})
    set(CPACK_RPM_${key}_PACKAGE_SUMMARY "${summary}")
    install(FILES ${documents}/copyright ${documents}/changelog.gz OPTIONAL EXCLUDE_FROM_ALL
            DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/${debian} COMPONENT ${component})
endmacro()

set(CPACK_COMPONENTS_ALL)
set(needs "libabsl-dev, libfmt-dev, libroaring-dev, libyaml-cpp-dev, libhwloc-dev")
if(TRESTLE_BUILD_C OR BUILD_SHARED_LIBS)
    if(TRESTLE_BUILD_C)
        set(runtime libtrestle${TRESTLE_C_SOVERSION})
    else()
        set(runtime libtrestle-core${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
    endif()
    trestle_package(runtime ${runtime} ${runtime} libs "allocator of machines to jobs (shared library)")
    set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA ${documents}/triggers)
    string(PREPEND needs "${runtime} (= ${PROJECT_VERSION}), ")
    set(CPACK_RPM_DEVELOPMENT_PACKAGE_REQUIRES "${runtime} = ${PROJECT_VERSION}")
endif()
trestle_package(development libtrestle-dev trestle-devel libdevel
    "allocator of machines to jobs (headers and static libraries)" "${needs}")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SHLIBDEPS OFF)  # it has no program
get_cmake_property(components COMPONENTS)
if("python" IN_LIST components)
    get_directory_property(minor DIRECTORY ${PROJECT_SOURCE_DIR}/bindings/python DEFINITION Python_VERSION_MINOR)
    set(pythons "python3 (>= 3.${minor}~)")
    if(minor LESS 12)  # no stable ABI: the module is for this version alone
        math(EXPR next "${minor} + 1")
        string(APPEND pythons ", python3 (<< 3.${next}~)")
    endif()
    trestle_package(python python3-trestle python3-trestle python
        "allocator of machines to jobs (Python module)" "${pythons}")
endif()
if("tools" IN_LIST components)
    trestle_package(tools trestle trestle admin "allocator of machines to jobs (programs)")
endif()
include(CPack)
