# SPDX-License-Identifier: Apache-2.0
# Target single_file: writes trestle.hpp and trestle.cpp, the core in two files, into the folder
# single_file of the build.
find_package(Python COMPONENTS Interpreter)
if(NOT Python_FOUND)
    message(STATUS "No Python: the target single_file is left out")
    return()
endif()
set(single_file ${PROJECT_BINARY_DIR}/single_file)
set(script ${PROJECT_SOURCE_DIR}/cmake/single_file.py)
trestle_glob(private_headers ${PROJECT_SOURCE_DIR}/src/*.hpp)
add_custom_command(
    OUTPUT ${single_file}/trestle.hpp ${single_file}/trestle.cpp
    COMMAND Python::Interpreter ${script} ${PROJECT_SOURCE_DIR} ${single_file}
    DEPENDS ${script} ${model_headers} ${core_headers} ${private_headers} ${core_sources}
    COMMENT "Writing the core in two files" VERBATIM)
add_custom_target(single_file DEPENDS ${single_file}/trestle.hpp ${single_file}/trestle.cpp)
