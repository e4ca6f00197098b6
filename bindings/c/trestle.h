/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trestle for C and every language that can call C: libtrestle.so.0, one header, C99.
 *
 * A handle is a value of the library: a cluster, request, placement, timeline, plan, enforcer,
 * controller or catalog. A call gives a new handle by its parameter `result`, a scheduling pass in
 * its turns; trestle_X_free() ends the handle's life and accepts NULL.
 *
 * Every function that can fail returns a trestle_code. TRESTLE_OK is 0. Where `error` is not NULL,
 * it receives the code and one line that says what is wrong, where, and what was expected. After
 * an error nothing has changed, save what TRESTLE_INTERNAL and TRESTLE_NO_MEMORY say. Each handle,
 * text and number of the results is NULL or 0 then, and a struct is as it was.
 *
 * NULL in place of a handle, a handle of another kind, a freed one and a pointer to anything else
 * are TRESTLE_BAD_HANDLE. A debug build recognises every freed handle. A release build does so
 * until its memory serves another handle, which is after 4096 more were freed. NULL in place of a
 * text is TRESTLE_INVALID, unless the function says what NULL means.
 *
 * Texts end in a zero byte and are UTF-8. A text that the library makes is freed by trestle_free().
 * Structs belong to the caller. One that begins with `struct_size` may grow in a later version: set
 * the member to sizeof before the call. All others stay as they are.
 *
 * The library keeps no argument: what a call is given may be freed or changed after it.
 *
 * Threads: one thread at a time uses a handle, except that several may use one request or placement.
 * Different handles are independent. The library starts no thread, handles no signal, prints
 * nothing, and lets no C++ exception out.
 *
 * Constants of a kind have a name for int: trestle_format, trestle_code. An unknown one is an error.
 *
 * Pitfall: amounts and moments are int64_t and never negative; a negative one is TRESTLE_INVALID.
 * Memory counts in bytes, time in seconds since a moment of the caller's choice.
 */
#ifndef TRESTLE_H
#define TRESTLE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- The library ---- */

/* The version of this header: major * 1000000 + minor * 1000 + patch. */
#define TRESTLE_HEADER_VERSION UINT32_C(2000)

/* The number in the name of the shared library. It rises when a program has to be compiled again. */
#define TRESTLE_SOVERSION 0

/* A moment that never comes: the end of what has none. */
#define TRESTLE_NEVER INT64_MAX
/* In results: not known. */
#define TRESTLE_UNKNOWN (-1)

enum {
    TRESTLE_OK = 0,
    TRESTLE_REFUSED = 1,     /* "does not fit": the message begins with the constraint */
    TRESTLE_GAVE_UP = 2,     /* the search ended before an answer, which is not a no */
    TRESTLE_INVALID = 3,     /* bad text, a bad argument, bytes of another version */
    TRESTLE_NOT_FOUND = 4,   /* no such owner, node, group, program, file */
    TRESTLE_CONFLICT = 5,    /* the state does not allow it: already taken, still in use */
    TRESTLE_DENIED = 6,      /* the system does not permit it */
    TRESTLE_TIMEOUT = 7,     /* the machine did not do it in time */
    TRESTLE_UNSUPPORTED = 8, /* not offered here */
    TRESTLE_TOO_SMALL = 9,   /* a buffer is too small; the count says what is needed */
    TRESTLE_SYSTEM = 10,     /* any other error of the system */
    TRESTLE_NO_MEMORY = 11,  /* no memory for the call. A handle that it was changing is broken */
    TRESTLE_BAD_HANDLE = 12, /* NULL, freed, of another kind, no handle at all, or broken */
    TRESTLE_OLD_LIBRARY = 13, /* the program was compiled with a later header */
    TRESTLE_INTERNAL = 14    /* a bug in the library. A handle that the call was changing is broken:
                                it can only be freed */
};
typedef int trestle_code;

/* What went wrong. Never grows. A message that is too long ends in "...". */
typedef struct trestle_error {
    int32_t code; /* a trestle_code */
    char message[1020];
} trestle_error;

typedef struct trestle_cluster trestle_cluster;
typedef struct trestle_request trestle_request;
typedef struct trestle_placement trestle_placement;
typedef struct trestle_timeline trestle_timeline;
typedef struct trestle_plan trestle_plan;
typedef struct trestle_enforcer trestle_enforcer;
typedef struct trestle_controller trestle_controller;
typedef struct trestle_catalog trestle_catalog;

/* The languages of texts that go in and come out. */
enum {
    TRESTLE_TEXT = 0,      /* lines for people */
    TRESTLE_JSON = 1,      /* the library's own documents; equal values have equal text */
    TRESTLE_NODE_TEXT = 2, /* "64 x (2s16c2t mem=512G gpu:a100:4) 4 per switch" */
    TRESTLE_HWLOC_XML = 3, /* the path of a file of lstopo; "" is this machine */
    TRESTLE_SRUN = 4,      /* options of srun, sbatch and salloc: "-N 2 --gres=gpu:4" */
    TRESTLE_DSTACK = 5     /* the YAML of a dstack run */
};
typedef int trestle_format;

/* The version of the library as text, "0.2.0". */
const char *trestle_version(void);

/* TRESTLE_OK when the library is not older than the header with this version and both have one
 * SOVERSION: pass TRESTLE_HEADER_VERSION. Errors: TRESTLE_OLD_LIBRARY for a later header,
 * TRESTLE_UNSUPPORTED for one before the first of this SOVERSION, with both versions. */
int trestle_check_version(uint32_t header_version, trestle_error *error);

/* Frees a text or bytes that the library made. NULL is nothing. */
void trestle_free(void *memory);

/* The handle's value as text. TRESTLE_JSON: of any; a controller gives its cluster, a catalog its
 * offers, an enforcer the groups below its root. TRESTLE_TEXT: of a request, placement or plan.
 * Errors: TRESTLE_UNSUPPORTED for another format. */
int trestle_write(const void *handle, trestle_format format, char **text, trestle_error *error);

/* A cluster or timeline as bytes, without its options; equal values give equal bytes. */
int trestle_to_bytes(const void *handle, unsigned char **bytes, size_t *size, trestle_error *error);

/* ---- Clusters: nodes and allocations ---- */

enum { TRESTLE_UP = 0, TRESTLE_DRAINED = 1, TRESTLE_DOWN = 2 };
typedef int trestle_node_state;

typedef struct trestle_node {
    size_t struct_size;
    char name[256];   /* empty: the node was removed */
    int32_t state;    /* a trestle_node_state; TRESTLE_UNKNOWN: removed */
    uint32_t cores;   /* without those of the system */
    uint32_t free_cores;
    uint32_t cpus;    /* hardware threads of all cores */
    uint32_t devices;
    uint32_t free_devices; /* of which no share is taken */
    int64_t memory;
    int64_t free_memory;
} trestle_node;

/* An idle cluster from TRESTLE_NODE_TEXT, TRESTLE_HWLOC_XML (one node) or TRESTLE_JSON (with what
 * is allocated). Errors: TRESTLE_INVALID with the offset or path in the text. */
int trestle_cluster_create(trestle_format format, const char *text, trestle_cluster **result,
                           trestle_error *error);

/* An idle cluster from the texts of slurm.conf, gres.conf and topology.conf; the last two may be
 * NULL. Errors: TRESTLE_INVALID with file and line. */
int trestle_cluster_from_slurm(const char *slurm_conf, const char *gres_conf,
                               const char *topology_conf, trestle_cluster **result,
                               trestle_error *error);

/* What trestle_to_bytes() made. Errors: TRESTLE_INVALID for damage and another version. */
int trestle_cluster_from_bytes(const void *bytes, size_t size, trestle_cluster **result,
                               trestle_error *error);

/* The cluster of a cluster, timeline or controller as it is now. A copy shares what neither
 * changes, so it is cheap. It has no open trial. */
int trestle_cluster_copy(const void *handle, trestle_cluster **result, trestle_error *error);

void trestle_cluster_free(trestle_cluster *cluster);

/* How a cluster or timeline chooses places from now on, as JSON: {"policy": "best_fit"}, or a
 * scoring expression, {"policy": "-devices_after"}. The names are those of PlaceOptions. At first
 * {}, which is first_fit. A timeline has its cluster's. */
int trestle_set_options(void *handle, const char *json, trestle_error *error);

/* Nodes have the numbers below *count; those of removed nodes stay. */
int trestle_node_count(const trestle_cluster *cluster, uint32_t *count, trestle_error *error);

/* Errors: TRESTLE_NOT_FOUND; TRESTLE_TOO_SMALL for a name of more than 255 bytes. */
int trestle_node_info(const trestle_cluster *cluster, uint32_t node, trestle_node *info,
                      trestle_error *error);
int trestle_find_node(const trestle_cluster *cluster, const char *name, uint32_t *node,
                      trestle_error *error);

/* The best placement of the request; the cluster does not change. Errors: TRESTLE_REFUSED,
 * TRESTLE_GAVE_UP. Asked again about one request, only what changed since is looked at. */
int trestle_place(trestle_cluster *cluster, const trestle_request *request,
                  trestle_placement **result, trestle_error *error);

/* Gives the placement to `owner`, a number of the caller's. Errors: TRESTLE_CONFLICT for an owner
 * that has something already, or a unit that is taken: the message names node, unit and owner. */
int trestle_commit(trestle_cluster *cluster, uint64_t owner, const trestle_request *request,
                   const trestle_placement *placement, trestle_error *error);

/* Enters what runs already, without a request: after a restart, or by another's decision. */
int trestle_adopt(trestle_cluster *cluster, uint64_t owner, const trestle_placement *placement,
                  trestle_error *error);

/* Gives the owner more. Errors: TRESTLE_NOT_FOUND for one that has nothing; those of commit. */
int trestle_extend(trestle_cluster *cluster, uint64_t owner, const trestle_placement *more,
                   trestle_error *error);

/* Takes everything back, in a cluster, timeline or controller; in a timeline also what has not
 * begun. Errors: TRESTLE_NOT_FOUND, as after a first release. */
int trestle_release(void *handle, uint64_t owner, trestle_error *error);

/* What the owner has. Errors: TRESTLE_NOT_FOUND. */
int trestle_allocation(const trestle_cluster *cluster, uint64_t owner, trestle_placement **result,
                       trestle_error *error);

/* Lets a node of a cluster or timeline take work, or not (drain); what runs there stays. */
int trestle_set_node_state(void *handle, uint32_t node, trestle_node_state state,
                           trestle_error *error);

/* Why the request does not fit now, and what would: TRESTLE_TEXT or TRESTLE_JSON. Of a timeline
 * the last relaxation is the earliest start. */
int trestle_explain(void *handle, const trestle_request *request, trestle_format format,
                    char **text, trestle_error *error);

/* Until the trial ends changes are noted. Trials nest. */
int trestle_trial_begin(trestle_cluster *cluster, trestle_error *error);

/* Ends the innermost trial: `keeps` 0 undoes all since its begin. Errors: TRESTLE_CONFLICT when
 * none is open. */
int trestle_trial_end(trestle_cluster *cluster, int keeps, trestle_error *error);

/* ---- Requests ---- */

/* From TRESTLE_SRUN, TRESTLE_DSTACK or TRESTLE_JSON. Errors: TRESTLE_INVALID with option, key or
 * path, and for --mem=0, all memory of a node, which only a controller can grant. */
int trestle_request_create(trestle_format format, const char *text, trestle_request **result,
                           trestle_error *error);
void trestle_request_free(trestle_request *request);

/* ---- Placements ---- */

/* What one node gives. */
typedef struct trestle_part {
    size_t struct_size;
    uint32_t node;
    uint32_t component; /* of a heterogeneous job; 0 else */
    int64_t tasks;
    int64_t milli_cpus; /* thousandths of CPUs beside the cores */
    int64_t memory;
    uint32_t cores;
    uint32_t devices; /* entries of trestle_part_devices() */
} trestle_part;

/* Never grows. */
typedef struct trestle_device_share {
    uint32_t device;     /* position on its node */
    uint32_t is_slice;   /* 1: an instance (MIG), which the JSON describes */
    int64_t shares;
} trestle_device_share;

int trestle_placement_from_json(const char *json, trestle_placement **result,
                                trestle_error *error);
void trestle_placement_free(trestle_placement *placement);

/* One line a node, with the names of nodes and devices. Errors: TRESTLE_INVALID when the
 * placement is none of this cluster. */
int trestle_placement_text(const trestle_placement *placement, const trestle_cluster *cluster,
                           char **text, trestle_error *error);

/* How many parts there are, one for each node, or for each component that a node serves. They have
 * the numbers below, by node, then component. */
int trestle_part_count(const trestle_placement *placement, size_t *count, trestle_error *error);
int trestle_part_info(const trestle_placement *placement, size_t part, trestle_part *info,
                      trestle_error *error);

/* The cores of a part, rising. *count is how many there are. Errors: TRESTLE_TOO_SMALL when
 * `capacity` is less, with the first in the array. With `capacity` 0, which only counts, the array
 * may be NULL. Likewise the devices. */
int trestle_part_cores(const trestle_placement *placement, size_t part, uint32_t *cores,
                       size_t capacity, size_t *count, trestle_error *error);
int trestle_part_devices(const trestle_placement *placement, size_t part,
                         trestle_device_share *devices, size_t capacity, size_t *count,
                         trestle_error *error);

/* ---- Timelines: a cluster, now and later ---- */

typedef struct trestle_start {
    size_t struct_size;
    int64_t start;
    int64_t end;         /* TRESTLE_NEVER: no end */
    int32_t is_earliest; /* 0: the search gave up on an earlier moment */
    int32_t unused;      /* 0 */
} trestle_start;

/* Never grows. */
typedef struct trestle_queued_job {
    uint64_t owner;
    const trestle_request *request;
    int64_t duration; /* TRESTLE_UNKNOWN: the request's time limit, else no end */
    int64_t priority; /* higher first */
} trestle_queued_job;

enum {
    TRESTLE_STRICT = 0,      /* the first job that waits ends the pass */
    TRESTLE_EASY = 1,        /* one reservation: EASY backfill */
    TRESTLE_CONSERVATIVE = 2 /* a reservation for each job that waits */
};
typedef int trestle_discipline;

enum {
    TRESTLE_STARTS = 1,    /* now */
    TRESTLE_RESERVED = 2,  /* later, at `start` */
    TRESTLE_WAITS = 3,     /* no reservation was made */
    TRESTLE_CANNOT_START = 4 /* at no time, as the cluster is described */
};
typedef int trestle_turn_kind;

/* What a pass says of one job. Never grows. */
typedef struct trestle_turn {
    uint64_t owner;
    int32_t kind;   /* a trestle_turn_kind */
    int32_t unused; /* 0 */
    int64_t start;  /* TRESTLE_UNKNOWN: none */
    int64_t end;
    trestle_placement *placement; /* of a start or reservation, for the caller to free; else NULL */
} trestle_turn;

/* A copy of the cluster from `now` on. What its owners have has no end until trestle_set_end(). */
int trestle_timeline_create(const trestle_cluster *cluster, int64_t now,
                            trestle_timeline **result, trestle_error *error);
int trestle_timeline_from_bytes(const void *bytes, size_t size, trestle_timeline **result,
                                trestle_error *error);
void trestle_timeline_free(trestle_timeline *timeline);

/* Gives the placement to `owner` from `start` to before `end`. Errors: TRESTLE_CONFLICT, naming
 * node, moment, unit and owner. */
int trestle_reserve(trestle_timeline *timeline, uint64_t owner, const trestle_request *request,
                    const trestle_placement *placement, int64_t start, int64_t end,
                    trestle_error *error);

/* Moves the end, earlier or later. Errors: TRESTLE_NOT_FOUND; TRESTLE_INVALID for an end that is
 * not after now and the start; TRESTLE_CONFLICT for units that others have by then. */
int trestle_set_end(trestle_timeline *timeline, uint64_t owner, int64_t end, trestle_error *error);

/* Goes to a later moment: what ends is given back, what begins runs. `next`, if not NULL, is the
 * first moment after it at which something begins or ends, or TRESTLE_NEVER. */
int trestle_advance(trestle_timeline *timeline, int64_t to, int64_t *next, trestle_error *error);

/* The earliest start at `after` or later (TRESTLE_UNKNOWN: now) for `duration` seconds
 * (TRESTLE_UNKNOWN: the request's time limit, else no end), and the place. `result` may be NULL. */
int trestle_earliest_start(trestle_timeline *timeline, const trestle_request *request,
                           int64_t after, int64_t duration, trestle_start *start,
                           trestle_placement **result, trestle_error *error);

/* One pass over a queue, by priority and then as it stands; nothing is reserved in the timeline.
 * `turns` has `count` elements, in the order of `jobs`. `json`, if not NULL, receives all of the
 * result, with the reasons. Errors: TRESTLE_CONFLICT for an owner that stands twice or has
 * something already. After an error all members of `turns` are 0. */
int trestle_schedule_pass(trestle_timeline *timeline, const trestle_queued_job *jobs, size_t count,
                          trestle_discipline discipline, trestle_turn *turns, char **json,
                          trestle_error *error);

/* ---- Plans and enforcers: make it hold on a machine ---- */

typedef struct trestle_outcome {
    size_t struct_size;
    int32_t is_running;    /* 1: the rest is 0 */
    int32_t exit_code;     /* when it exited */
    int32_t signal_number; /* when a signal ended it; else 0 */
    int32_t is_out_of_memory;
} trestle_outcome;

/* TRESTLE_UNKNOWN where the machine does not tell. */
typedef struct trestle_usage {
    size_t struct_size;
    int64_t memory;
    int64_t memory_peak;
    int64_t cpu_microseconds;
    int64_t processes; /* threads count */
    int64_t oom_kills;
} trestle_usage;

/* What is to be done on one node of the placement: limits, device filter, environment. `group` is a
 * name below the enforcer's root, as "job_42". `settings` is NULL or JSON: {"policy": LimitPolicy,
 * "options": PlanOptions}, as {"policy": {"pids_max": 512}, "options": {"nice": 5}}. Errors:
 * TRESTLE_NOT_FOUND when the placement has no part on the node. */
int trestle_plan_create(const trestle_cluster *cluster, uint32_t node,
                        const trestle_placement *placement, const trestle_request *request,
                        uint64_t owner, const char *group, const char *settings,
                        trestle_plan **result, trestle_error *error);
int trestle_plan_from_json(const char *json, trestle_plan **result, trestle_error *error);
void trestle_plan_free(trestle_plan *plan);

/* An enforcer without a machine, for tests: a tree of groups and processes in memory. */
int trestle_enforcer_memory(trestle_enforcer **result, trestle_error *error);

/* Below a directory of cgroup v2 that was delegated to the caller. */
int trestle_enforcer_cgroup(const char *directory, trestle_enforcer **result,
                            trestle_error *error);

/* Groups and processes stay as they are. */
void trestle_enforcer_free(trestle_enforcer *enforcer);

/* Runs all steps; when a required one fails, takes back what was done. `shortfalls`, if not NULL,
 * receives one line of what best-effort steps did not do; empty: all holds. */
int trestle_apply(trestle_enforcer *enforcer, const trestle_plan *plan, char **shortfalls,
                  trestle_error *error);

/* Starts a program inside the plan's group. `arguments` begins with the program; `environment` is
 * "NAME=value" each and may be NULL; both end in NULL. A plan from JSON has no secret values. */
int trestle_spawn(trestle_enforcer *enforcer, const trestle_plan *plan,
                  const char *const *arguments, const char *const *environment, int64_t *pid,
                  trestle_error *error);

/* How the process ended. With `waits` 0 it does not wait; else the calling thread blocks until the
 * process has ended, and the enforcer is in use until then. A process is reaped once. */
int trestle_wait(trestle_enforcer *enforcer, const trestle_plan *plan, int64_t pid, int waits,
                 trestle_outcome *outcome, trestle_error *error);

/* Ends a process of an enforcer in memory. Errors: TRESTLE_UNSUPPORTED for another enforcer. */
int trestle_end_process(trestle_enforcer *enforcer, int64_t pid, int exit_code,
                        trestle_error *error);

/* What a group uses. Errors: TRESTLE_NOT_FOUND. */
int trestle_observe(trestle_enforcer *enforcer, const char *group, trestle_usage *usage,
                    trestle_error *error);

/* Kills all that runs in the group and removes it. TRESTLE_OK when there is none. */
int trestle_remove(trestle_enforcer *enforcer, const char *group, trestle_error *error);

/* ---- A Slurm controller: decisions as slurmctld makes them ---- */

/* The texts are as for trestle_cluster_from_slurm(). */
int trestle_controller_create(const char *slurm_conf, const char *gres_conf,
                              const char *topology_conf, trestle_controller **result,
                              trestle_error *error);
void trestle_controller_free(trestle_controller *controller);

/* Submits a job by its options. TRESTLE_OK: allocated, to *owner. TRESTLE_REFUSED: it would wait,
 * and is forgotten. TRESTLE_INVALID: it was rejected. `result` and `json` (the decision with
 * reason and warnings, in all three cases) may be NULL. */
int trestle_submit(trestle_controller *controller, const char *options, uint64_t *owner,
                   trestle_placement **result, char **json, trestle_error *error);

/* ---- A catalog of offers ---- */

/* An instance that meets a request. Never grows. */
typedef struct trestle_offer {
    uint32_t offer;  /* position in the catalog */
    uint32_t blocks; /* the fewest that meet the request */
    int64_t cpus;    /* of the whole instance, as are the others */
    int64_t memory;
    int64_t devices;
    int64_t price; /* an hour, in millionths of a dollar */
} trestle_offer;

/* A price list as CSV; docs/guides/dstack.md has the columns. `backend`, of lists without that
 * column, may be NULL. Errors: TRESTLE_INVALID with line and column of the first bad row. */
int trestle_catalog_create(const char *csv, const char *backend, trestle_catalog **result,
                           trestle_error *error);
void trestle_catalog_free(trestle_catalog *catalog);

/* The offers that meet the request, cheapest first: `capacity` of them at most; *count is how many
 * there are. A request of TRESTLE_DSTACK brings its run's regions, spot policy and the like. */
int trestle_match(const trestle_catalog *catalog, const trestle_request *request,
                  trestle_offer *offers, size_t capacity, size_t *count, trestle_error *error);

/* One offer as JSON. Errors: TRESTLE_NOT_FOUND. */
int trestle_catalog_offer(const trestle_catalog *catalog, uint32_t offer, char **json,
                          trestle_error *error);

#ifdef __cplusplus
}
#endif

#endif /* TRESTLE_H */
