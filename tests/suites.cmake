# SPDX-License-Identifier: Apache-2.0
# Read by ctest itself: enters the tests of one Catch2 program by tag. A tag that no test carries
# gets no entry, so that nothing passes by being empty.
#   folder          the fast tests: everything without one of the tags below    label fast
#   folder.slow     [slow]                                                     label slow
#   folder.threads  [threads], what ThreadSanitizer has to see                  label threads
#   folder.long     [long], hours; only with TRESTLE_LONG in the environment    label long
#   folder.kernel   [privileged], on cgroup v2 here or in a VM                  label kernel
if(NOT EXISTS "${program}")
    add_test(${folder} "${program}")  # fails: not built
    return()
endif()

macro(suite name label seconds)
    add_test(${name} ${ARGN})
    set_tests_properties(${name} PROPERTIES LABELS ${label} TIMEOUT ${seconds} SKIP_RETURN_CODE 77)
endmacro()

suite(${folder} fast 1800 "${program}" "~[slow]~[threads]~[long]~[privileged]")
execute_process(COMMAND "${program}" --list-tags OUTPUT_VARIABLE tags)
if(tags MATCHES "\\[slow\\]")
    suite(${folder}.slow slow 1800 "${program}" "[slow]~[long]~[privileged]")
endif()
if(tags MATCHES "\\[threads\\]")
    suite(${folder}.threads threads 900 "${program}" "[threads]~[long]~[privileged]")
endif()
if(tags MATCHES "\\[long\\]" AND DEFINED ENV{TRESTLE_LONG})
    suite(${folder}.long long 86400 "${program}" "[long]~[privileged]")
endif()
if(tags MATCHES "\\[privileged\\]")
    suite(${folder}.kernel kernel 900 sh "${in_vm}" "${program}" "[privileged]")
endif()
