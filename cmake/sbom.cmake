# SPDX-License-Identifier: Apache-2.0
# Writes, at the end of each installation, what it installed and what that is linked with: an SPDX 2.3
# document, share/trestle/sbom/trestle.spdx.json. The installation of one component writes
# trestle-COMPONENT.spdx.json. Equal files give equal bytes when SOURCE_DATE_EPOCH is set.
# sbom_install.cmake.in does the work and has to run last, so this file is included last.

# sbom_part(NAME VERSION LICENSE): one library that is linked, as a JSON object of its facts.
set(sbom_parts)
macro(sbom_part name version license)
    set(part_version "${version}")
    if(part_version STREQUAL "")
        set(part_version NOASSERTION)
    endif()
    list(APPEND sbom_parts "${name}|${part_version}|${license}")
endmacro()
sbom_part(abseil "${absl_VERSION}" Apache-2.0)
sbom_part(CRoaring "${roaring_VERSION}" Apache-2.0)
sbom_part(fmt "${fmt_VERSION}" MIT)
if(TARGET trestle_dialect)
    sbom_part(yaml-cpp "${yaml-cpp_VERSION}" MIT)
    sbom_part(nlohmann-json "${nlohmann_json_VERSION}" MIT)
endif()
if(TARGET trestle_os)
    sbom_part(hwloc "${Hwloc_VERSION}" BSD-3-Clause)
endif()
configure_file(${PROJECT_SOURCE_DIR}/cmake/sbom_install.cmake.in
               ${PROJECT_BINARY_DIR}/sbom_install.cmake @ONLY)
install(SCRIPT ${PROJECT_BINARY_DIR}/sbom_install.cmake ALL_COMPONENTS)
