# SPDX-License-Identifier: Apache-2.0
"""Which header of the standard library declares a name, and which files use a name without it.

The units of trestle_headers_alone share a precompiled header of the standard library, so a compiler does not
see that an include is missing. A file has what it includes itself, and what our headers that it includes have.
"""
import posixpath
import re

# A header, and the names that it is included for. Any header of a name will do. Not listed are names that are
# declared with a type that their user has by necessity (begin, hash, move): whatever brings the type brings them.
DECLARES = {
    'algorithm': '''adjacent_find all_of any_of binary_search clamp copy copy_if copy_n count count_if equal
        equal_range fill fill_n find find_if find_if_not for_each includes inplace_merge is_sorted
        lexicographical_compare lexicographical_compare_three_way lower_bound make_heap max max_element merge min
        min_element minmax minmax_element mismatch next_permutation none_of nth_element partial_sort partition
        partition_point pop_heap prev_permutation push_heap remove_if replace replace_if reverse rotate
        rotate_copy set_difference set_intersection set_union sort stable_partition stable_sort transform unique
        upper_bound''',
    'array': 'array to_array',
    'atomic': 'atomic memory_order_acq_rel memory_order_acquire memory_order_relaxed memory_order_release',
    'bit': '''bit_cast bit_ceil bit_floor bit_width countl_one countl_zero countr_one countr_zero endian
        has_single_bit popcount rotl rotr''',
    'bitset': 'bitset',
    'charconv': 'from_chars to_chars',
    'cmath': 'ceil exp exp2 fabs floor isfinite isinf isnan llround log log2 lround pow round sqrt trunc',
    'compare': '''compare_three_way_result_t partial_ordering strong_ordering weak_ordering''',
    'concepts': 'convertible_to floating_point integral invocable same_as signed_integral unsigned_integral',
    'cstddef': 'byte max_align_t nullptr_t ptrdiff_t size_t',
    'cstdint': 'int16_t int32_t int64_t int8_t intptr_t uint16_t uint32_t uint64_t uint8_t uintptr_t',
    'cstdio': 'fclose ferror fopen fprintf fread fwrite',
    'cstdlib': 'abort getenv',
    'cstring': 'memcmp memcpy memmove memset strlen',
    'deque': 'deque',
    'filesystem': 'filesystem',
    'fstream': 'ifstream ofstream',
    'functional': 'function greater greater_equal identity less',
    'initializer_list': 'initializer_list',
    'istream': 'istream',
    'iterator': '''back_inserter bidirectional_iterator_tag forward_iterator_tag input_iterator_tag
        make_move_iterator random_access_iterator_tag reverse_iterator''',
    'limits': 'numeric_limits',
    'map': 'map',
    'memory': '''allocator construct_at destroy destroy_at make_shared make_unique shared_ptr uninitialized_copy_n
        unique_ptr weak_ptr''',
    'numeric': 'accumulate exclusive_scan gcd inclusive_scan iota lcm partial_sum reduce',
    'optional': 'nullopt nullopt_t optional',
    'ostream': 'ostream',
    'queue': 'priority_queue queue',
    'random': 'mt19937 mt19937_64',
    'set': 'set',
    'span': 'as_bytes as_writable_bytes span',
    'sstream': 'istringstream ostringstream stringstream',
    'string': 'char_traits getline stod stoi string to_string',
    'string_view': 'string_view',
    'system_error': 'errc generic_category',
    'tuple': 'apply forward_as_tuple ignore make_tuple tie tuple tuple_size_v',
    'type_traits': '''add_const_t conditional_t decay_t enable_if_t false_type invoke_result_t is_aggregate_v
        is_arithmetic_v is_class_v is_convertible_v is_empty_v is_enum_v is_function_v is_integral_v
        is_same_v is_signed_v is_trivially_copyable_v is_unsigned_v remove_const_t remove_cvref_t
        remove_reference_t true_type type_identity type_identity_t underlying_type_t''',
    'unordered_map': 'unordered_map',
    'unordered_set': 'unordered_set',
    'utility': '''as_const exchange in_place index_sequence integer_sequence make_index_sequence make_pair
        swap''',
    'variant': 'get_if holds_alternative monostate variant variant_size_v visit',
    'vector': 'vector',
}
HOMES = {}
for header, names in DECLARES.items():
    for name in names.split():
        HOMES.setdefault(name, set()).add(header)
USE = re.compile(r'\bstd::(\w+)')
PATH = re.compile('^(include|src)/')


def missing(files):
    """(file, line, what) of each first use, in a file of the library, of a name whose header it lacks."""
    own = {PATH.sub('', f.name): f for f in files if f.ours}
    known = {}

    def headers_of(name):
        """The standard headers that our header `name` brings along."""
        if name not in known:
            known[name] = set()  # a circle ends here
            found = set()
            for _, target in own[name].includes():
                beside = posixpath.normpath(posixpath.join(posixpath.dirname(name), target))
                ours = beside if beside in own else target
                found |= headers_of(ours) if ours in own else {target}
            known[name] = found
        return known[name]
    for name, f in own.items():
        has, told = headers_of(name), set()
        for m in USE.finditer(f.code):
            homes = HOMES.get(m[1])
            if homes and m[1] not in told and not homes & has:
                told.add(m[1])
                wanted = ' or '.join(f'<{home}>' for home in sorted(homes))
                yield f.name, f.line_of(m.start()), f'std::{m[1]} without {wanted}'
