# SPDX-License-Identifier: Apache-2.0
# Read by ctest itself: enters the tests of one Catch2 program by tag. A tag that no test carries
# gets no entry, so that nothing passes by being empty.
#   folder          the fast tests: everything without one of the tags below    label fast
#                   Under a sanitizer not [unsanitized] either: what goes through every case of a
#                   small world, or through a large one, or a second way to say the same, where
#                   other cases show the sanitizer the same code; with TRESTLE_LONG all of them
#   folder.slow     [slow]                                                     label slow
#   folder.threads  [threads], what ThreadSanitizer has to see                  label threads
#   folder.long     [long], hours; only with TRESTLE_LONG in the environment    label long
#   folder.kernel   [privileged], on cgroup v2 here or in a VM                  label kernel
#   folder.kernel-G [privileged] and [guest-G], in a VM that vm/privileged.sh makes for G: numa,
#                   user, systemd or lacking                                    label guests
#   folder.kernel.long  [privileged] and [long], only with TRESTLE_LONG         label long
if(NOT EXISTS "${program}")
    add_test(${folder} "${program}")  # fails: not built
    return()
endif()

macro(suite name label seconds)
    add_test(${name} ${ARGN})
    set_tests_properties(${name} PROPERTIES LABELS ${label} TIMEOUT ${seconds} SKIP_RETURN_CODE 77)
endmacro()

# As suite, in guest `guest` and only where tests match `tests`. One VM at a time: an emulated one
# needs a CPU for itself, or its clock runs away from it. They take longest, so they begin first.
macro(kernel_suite name label seconds guest tests)
    execute_process(COMMAND "${program}" "${tests}" --list-test-names-only OUTPUT_VARIABLE names)
    if(names)
        suite(${name} ${label} ${seconds} sh "${in_vm}" ${guest} "${program}" "${tests}")
        set_tests_properties(${name} PROPERTIES RESOURCE_LOCK vm COST 1000)
    endif()
endmacro()

if(DEFINED ENV{TRESTLE_LONG})
    set(left_out "")
endif()
suite(${folder} fast 1800 "${program}" "~[slow]~[threads]~[long]~[privileged]~[real_gpu]${left_out}")
set(longest dialect laws alloc)  # those begin before the others, or one core waits for them in the end
list(FIND longest ${folder} cost)
if(NOT cost EQUAL -1)
    math(EXPR cost "400 + 100 * ${cost}")
    set_tests_properties(${folder} PROPERTIES COST ${cost})
endif()
execute_process(COMMAND "${program}" --list-tags OUTPUT_VARIABLE tags)
if(tags MATCHES "\\[slow\\]")
    suite(${folder}.slow slow 1800 "${program}" "[slow]~[long]~[privileged]")
endif()
if(tags MATCHES "\\[threads\\]")
    suite(${folder}.threads threads 900 "${program}" "[threads]~[long]~[privileged]")
endif()
execute_process(COMMAND "${program}" "[long]~[privileged]" --list-test-names-only OUTPUT_VARIABLE names)
if(names AND DEFINED ENV{TRESTLE_LONG})
    suite(${folder}.long long 86400 "${program}" "[long]~[privileged]")
endif()
if(tags MATCHES "\\[privileged\\]")
    set(ordinary "[privileged]")
    foreach(guest IN ITEMS numa user systemd lacking)
        string(APPEND ordinary "~[guest-${guest}]")
        kernel_suite(${folder}.kernel-${guest} guests 900 ${guest}
            "[privileged][guest-${guest}]~[long]")
    endforeach()
    kernel_suite(${folder}.kernel kernel 1500 default "${ordinary}~[long]")
    if(DEFINED ENV{TRESTLE_LONG})
        kernel_suite(${folder}.kernel.long long 86400 default "${ordinary}[long]")
    endif()
endif()
