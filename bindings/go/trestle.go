// SPDX-License-Identifier: Apache-2.0

// Package trestle allocates machines to jobs: it is libtrestle for Go.
//
// A handle (Cluster, Request, Placement, Plan, Enforcer) is freed by Close and by nothing else. One
// goroutine at a time uses it. "Does not fit" is an error with the code Refused:
//
//	placement, err := cluster.Place(request)
//	if errors.Is(err, trestle.Refused) { ... }
//
// The package needs libtrestle and its trestle.pc (PKG_CONFIG_PATH).
package trestle

/*
#cgo pkg-config: trestle
#include <stdlib.h>
#include <trestle.h>
*/
import "C"

import (
	"strings"
	"unsafe"
)

// Code says what kind of error it is. It is an error itself, for errors.Is.
type Code int

// The codes of trestle.h.
const (
	Refused     Code = C.TRESTLE_REFUSED
	GaveUp      Code = C.TRESTLE_GAVE_UP
	Invalid     Code = C.TRESTLE_INVALID
	NotFound    Code = C.TRESTLE_NOT_FOUND
	Conflict    Code = C.TRESTLE_CONFLICT
	Denied      Code = C.TRESTLE_DENIED
	Timeout     Code = C.TRESTLE_TIMEOUT
	Unsupported Code = C.TRESTLE_UNSUPPORTED
	TooSmall    Code = C.TRESTLE_TOO_SMALL
	System      Code = C.TRESTLE_SYSTEM
	NoMemory    Code = C.TRESTLE_NO_MEMORY
	BadHandle   Code = C.TRESTLE_BAD_HANDLE
	OldLibrary  Code = C.TRESTLE_OLD_LIBRARY
	Internal    Code = C.TRESTLE_INTERNAL
)

func (code Code) Error() string { return (&Error{code, "error of libtrestle"}).Error() }

// Error is what a call of libtrestle reported.
type Error struct {
	Code    Code
	Message string
}

func (e *Error) Error() string { return e.Message }

// Is makes errors.Is(err, trestle.Refused) true for an Error with that code.
func (e *Error) Is(target error) bool {
	code, ok := target.(Code)
	return ok && code == e.Code
}

// Format is the language of a text.
type Format int

// The formats of trestle.h.
const (
	Text     Format = C.TRESTLE_TEXT
	JSON     Format = C.TRESTLE_JSON
	NodeText Format = C.TRESTLE_NODE_TEXT
	HwlocXML Format = C.TRESTLE_HWLOC_XML
	Srun     Format = C.TRESTLE_SRUN
	Dstack   Format = C.TRESTLE_DSTACK
)

// Unknown and Never are moments and durations: "as the request says", and "no end".
const (
	Unknown int64 = C.TRESTLE_UNKNOWN
	Never   int64 = C.TRESTLE_NEVER
)

// Version is that of the library.
func Version() string { return C.GoString(C.trestle_version()) }

// call runs a function of C with a place for its error.
func call(body func(*C.trestle_error) C.int) error {
	var failure C.trestle_error
	if code := body(&failure); code != C.TRESTLE_OK {
		return &Error{Code(code), C.GoString(&failure.message[0])}
	}
	return nil
}

// withText is call with a text that is lent to C.
func withText(text string, body func(*C.char, *C.trestle_error) C.int) error {
	if strings.IndexByte(text, 0) >= 0 {
		return &Error{Invalid, "a zero byte in the text, expected none"}
	}
	lent := C.CString(text)
	defer C.free(unsafe.Pointer(lent))
	return call(func(failure *C.trestle_error) C.int { return body(lent, failure) })
}

// written runs a function that makes a text.
func written(body func(**C.char, *C.trestle_error) C.int) (string, error) {
	var text *C.char
	err := call(func(failure *C.trestle_error) C.int { return body(&text, failure) })
	if err != nil {
		return "", err
	}
	defer C.trestle_free(unsafe.Pointer(text))
	return C.GoString(text), nil
}

// CheckVersion is nil when the library is as new as the header that this package was compiled with.
func CheckVersion() error {
	return call(func(failure *C.trestle_error) C.int {
		return C.trestle_check_version(C.TRESTLE_HEADER_VERSION, failure)
	})
}

// Cluster is nodes and allocations.
type Cluster struct{ handle *C.trestle_cluster }

// NewCluster makes an idle cluster from NodeText, HwlocXML or JSON.
func NewCluster(format Format, text string) (*Cluster, error) {
	cluster := &Cluster{}
	err := withText(text, func(lent *C.char, failure *C.trestle_error) C.int {
		return C.trestle_cluster_create(C.trestle_format(format), lent, &cluster.handle, failure)
	})
	return made(cluster, err)
}

// Close frees the handle. The second time it does nothing.
func (c *Cluster) Close() {
	C.trestle_cluster_free(c.handle)
	c.handle = nil
}

// Place returns the best placement of the request. The cluster does not change.
func (c *Cluster) Place(request *Request) (*Placement, error) {
	placement := &Placement{}
	err := call(func(failure *C.trestle_error) C.int {
		return C.trestle_place(c.handle, request.handle, &placement.handle, failure)
	})
	return made(placement, err)
}

// Commit gives the placement to an owner, a number of the caller's.
func (c *Cluster) Commit(owner uint64, request *Request, placement *Placement) error {
	return call(func(failure *C.trestle_error) C.int {
		return C.trestle_commit(c.handle, C.uint64_t(owner), request.handle, placement.handle, failure)
	})
}

// Release takes everything back.
func (c *Cluster) Release(owner uint64) error {
	return call(func(failure *C.trestle_error) C.int {
		return C.trestle_release(unsafe.Pointer(c.handle), C.uint64_t(owner), failure)
	})
}

// Explain says why a request does not fit, and what would: as Text or JSON.
func (c *Cluster) Explain(request *Request, format Format) (string, error) {
	return written(func(text **C.char, failure *C.trestle_error) C.int {
		return C.trestle_explain(unsafe.Pointer(c.handle), request.handle, C.trestle_format(format), text, failure)
	})
}

// Try runs the body and undoes what it changed, unless it returns true. A body that panics or ends its
// goroutine is undone, too.
func (c *Cluster) Try(body func() bool) error {
	err := call(func(failure *C.trestle_error) C.int { return C.trestle_trial_begin(c.handle, failure) })
	if err != nil {
		return err
	}
	hasReturned := false
	defer func() {
		if !hasReturned {
			c.endTrial(false)
		}
	}()
	keeps := body()
	hasReturned = true
	return c.endTrial(keeps)
}

// endTrial ends the innermost trial.
func (c *Cluster) endTrial(keeps bool) error {
	number := C.int(0)
	if keeps {
		number = 1
	}
	return call(func(failure *C.trestle_error) C.int { return C.trestle_trial_end(c.handle, number, failure) })
}

// Bytes is a snapshot; equal clusters give equal bytes.
func (c *Cluster) Bytes() ([]byte, error) {
	var bytes *C.uchar
	var size C.size_t
	err := call(func(failure *C.trestle_error) C.int {
		return C.trestle_to_bytes(unsafe.Pointer(c.handle), &bytes, &size, failure)
	})
	if err != nil {
		return nil, err
	}
	defer C.trestle_free(unsafe.Pointer(bytes))
	return C.GoBytes(unsafe.Pointer(bytes), C.int(size)), nil
}

// ClusterFromBytes reads what Bytes made.
func ClusterFromBytes(bytes []byte) (*Cluster, error) {
	cluster := &Cluster{}
	lent := C.CBytes(bytes)
	defer C.free(lent)
	err := call(func(failure *C.trestle_error) C.int {
		return C.trestle_cluster_from_bytes(lent, C.size_t(len(bytes)), &cluster.handle, failure)
	})
	return made(cluster, err)
}

// Request is what a job asks for.
type Request struct{ handle *C.trestle_request }

// NewRequest reads Srun, Dstack or JSON.
func NewRequest(format Format, text string) (*Request, error) {
	request := &Request{}
	err := withText(text, func(lent *C.char, failure *C.trestle_error) C.int {
		return C.trestle_request_create(C.trestle_format(format), lent, &request.handle, failure)
	})
	return made(request, err)
}

// Close frees the handle. The second time it does nothing.
func (r *Request) Close() {
	C.trestle_request_free(r.handle)
	r.handle = nil
}

// Placement is what each node gives to a job.
type Placement struct{ handle *C.trestle_placement }

// Close frees the handle. The second time it does nothing.
func (p *Placement) Close() {
	C.trestle_placement_free(p.handle)
	p.handle = nil
}

// Text has one line a node, with the names of nodes and devices.
func (p *Placement) Text(cluster *Cluster) (string, error) {
	return written(func(text **C.char, failure *C.trestle_error) C.int {
		return C.trestle_placement_text(p.handle, cluster.handle, text, failure)
	})
}

// Part is what one node gives.
type Part struct {
	Node    uint32
	Tasks   int64
	Memory  int64 // bytes
	Cores   []uint32
	Devices []uint32
}

// Parts is the placement by node.
func (p *Placement) Parts() ([]Part, error) {
	var count C.size_t
	err := call(func(failure *C.trestle_error) C.int { return C.trestle_part_count(p.handle, &count, failure) })
	parts := make([]Part, count)
	for i := range parts {
		if err == nil {
			parts[i], err = p.part(C.size_t(i))
		}
	}
	return parts, err
}

func (p *Placement) part(at C.size_t) (Part, error) {
	var info C.trestle_part
	info.struct_size = C.size_t(unsafe.Sizeof(info))
	err := call(func(failure *C.trestle_error) C.int { return C.trestle_part_info(p.handle, at, &info, failure) })
	if err != nil {
		return Part{}, err
	}
	part := Part{Node: uint32(info.node), Tasks: int64(info.tasks), Memory: int64(info.memory)}
	cores := make([]C.uint32_t, info.cores+1) // one more, so that there is a first
	devices := make([]C.trestle_device_share, info.devices+1)
	var count C.size_t
	err = call(func(failure *C.trestle_error) C.int {
		return C.trestle_part_cores(p.handle, at, &cores[0], C.size_t(len(cores)), &count, failure)
	})
	for _, core := range cores[:count] {
		part.Cores = append(part.Cores, uint32(core))
	}
	if err != nil {
		return part, err
	}
	err = call(func(failure *C.trestle_error) C.int {
		return C.trestle_part_devices(p.handle, at, &devices[0], C.size_t(len(devices)), &count, failure)
	})
	for _, device := range devices[:count] {
		part.Devices = append(part.Devices, uint32(device.device))
	}
	return part, err
}

// Plan is what will be done to make a placement hold on one node.
type Plan struct{ handle *C.trestle_plan }

// NewPlan makes the plan of a group below an enforcer's root.
func NewPlan(cluster *Cluster, node uint32, placement *Placement, request *Request, owner uint64, group string) (*Plan, error) {
	plan := &Plan{}
	err := withText(group, func(lent *C.char, failure *C.trestle_error) C.int {
		return C.trestle_plan_create(cluster.handle, C.uint32_t(node), placement.handle, request.handle,
			C.uint64_t(owner), lent, nil, &plan.handle, failure)
	})
	return made(plan, err)
}

// Close frees the handle. The second time it does nothing.
func (p *Plan) Close() {
	C.trestle_plan_free(p.handle)
	p.handle = nil
}

// Text has one line a step.
func (p *Plan) Text() (string, error) {
	return written(func(text **C.char, failure *C.trestle_error) C.int {
		return C.trestle_write(unsafe.Pointer(p.handle), C.TRESTLE_TEXT, text, failure)
	})
}

// Enforcer makes plans hold.
type Enforcer struct{ handle *C.trestle_enforcer }

// NewMemoryEnforcer is one without a machine, for tests.
func NewMemoryEnforcer() (*Enforcer, error) {
	enforcer := &Enforcer{}
	err := call(func(failure *C.trestle_error) C.int { return C.trestle_enforcer_memory(&enforcer.handle, failure) })
	return made(enforcer, err)
}

// OpenCgroup enforces below a directory of cgroup v2 that was delegated to the caller.
func OpenCgroup(directory string) (*Enforcer, error) {
	enforcer := &Enforcer{}
	err := withText(directory, func(lent *C.char, failure *C.trestle_error) C.int {
		return C.trestle_enforcer_cgroup(lent, &enforcer.handle, failure)
	})
	return made(enforcer, err)
}

// Close frees the handle; groups and processes stay. The second time it does nothing.
func (e *Enforcer) Close() {
	C.trestle_enforcer_free(e.handle)
	e.handle = nil
}

// Apply runs all steps. It returns one line of what best-effort steps did not do.
func (e *Enforcer) Apply(plan *Plan) (string, error) {
	return written(func(text **C.char, failure *C.trestle_error) C.int {
		return C.trestle_apply(e.handle, plan.handle, text, failure)
	})
}

// Remove kills all that runs in the group and removes it.
func (e *Enforcer) Remove(group string) error {
	return withText(group, func(lent *C.char, failure *C.trestle_error) C.int {
		return C.trestle_remove(e.handle, lent, failure)
	})
}

// made is the handle, or nil beside an error.
func made[T any](handle *T, err error) (*T, error) {
	if err != nil {
		return nil, err
	}
	return handle, nil
}
