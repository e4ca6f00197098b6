# SPDX-License-Identifier: Apache-2.0
# The core's headers precompiled once for every program of a developer's build, the code of their
# inline functions included, which clang then leaves out of all other objects: a quarter of the time.
# Hides a missing include: trestle_headers_alone (tests/tidy) finds it.
#   trestle_precompile(DIRECTORY)  after the last target: applies to all targets below DIRECTORY
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "TRESTLE_PRECOMPILE needs clang: g++ cannot keep code beside a header")
endif()

get_target_property(names trestle_core HEADER_SET)
list(TRANSFORM names REPLACE ".*/include/(trestle/.*)" "#include \"\\1\"")
list(JOIN names "\n" text)
set(all_headers ${PROJECT_BINARY_DIR}/all_headers.hpp)
file(CONFIGURE OUTPUT ${all_headers} CONTENT "${text}\n" @ONLY)
file(CONFIGURE OUTPUT precompiled.cpp CONTENT "" @ONLY)

add_library(trestle_precompiled OBJECT ${PROJECT_BINARY_DIR}/precompiled.cpp)
set_target_properties(trestle_precompiled PROPERTIES UNITY_BUILD OFF)
target_link_libraries(trestle_precompiled PRIVATE trestle_core)
target_precompile_headers(trestle_precompiled PRIVATE ${all_headers})
target_compile_options(trestle_precompiled PRIVATE -fpch-codegen "SHELL:-Xclang -fno-pch-timestamp")

# The code, optimised also where its callers are not: the slow tests spend their time in it.
set(precompiled ${PROJECT_BINARY_DIR}/CMakeFiles/trestle_precompiled.dir/cmake_pch.hxx.pch)
set(precompiled_code ${PROJECT_BINARY_DIR}/all_headers.o)
separate_arguments(flags UNIX_COMMAND "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_DEBUG} ${TRESTLE_PRECOMPILE}")
add_custom_command(OUTPUT ${precompiled_code}
    COMMAND ${CMAKE_CXX_COMPILER} -std=c++20 ${flags} -w -c ${precompiled} -o ${precompiled_code}
    DEPENDS ${precompiled}
    COMMENT "Compiling the code of all headers" VERBATIM)
add_custom_target(trestle_precompiled_code DEPENDS ${precompiled_code})

function(trestle_precompile directory)
    get_property(targets DIRECTORY ${directory} PROPERTY BUILDSYSTEM_TARGETS)
    foreach(target IN LISTS targets)
        get_target_property(type ${target} TYPE)
        if(NOT type MATCHES "^(EXECUTABLE|STATIC_LIBRARY)$")
            continue()
        endif()
        target_precompile_headers(${target} REUSE_FROM trestle_precompiled)
        set_target_properties(${target} PROPERTIES  # as the header was compiled
            CXX_VISIBILITY_PRESET default VISIBILITY_INLINES_HIDDEN OFF)
        if(type STREQUAL "EXECUTABLE")
            add_dependencies(${target} trestle_precompiled_code)
            target_link_libraries(${target} PRIVATE ${precompiled_code})
            set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${precompiled_code})
        endif()
    endforeach()
    get_property(folders DIRECTORY ${directory} PROPERTY SUBDIRECTORIES)
    foreach(folder IN LISTS folders)
        trestle_precompile(${folder})
    endforeach()
endfunction()
