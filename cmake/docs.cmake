# SPDX-License-Identifier: Apache-2.0
# Target docs: the documentation as a site, in the folder site of the build. With TRESTLE_BUILD_PYTHON it
# has the reference of the Python package.
find_package(Python COMPONENTS Interpreter)
if(NOT Python_FOUND)
    message(STATUS "No Python: the target docs is left out")
    return()
endif()
set(package "")
if(TARGET trestle_python)
    set(package $<TARGET_FILE_DIR:trestle_python>)
endif()
add_custom_target(docs
    COMMAND Python::Interpreter ${PROJECT_SOURCE_DIR}/docs/build.py ${PROJECT_BINARY_DIR} ${package}
    USES_TERMINAL VERBATIM)
if(TARGET trestle_python)
    add_dependencies(docs trestle_python_stubs)
endif()
