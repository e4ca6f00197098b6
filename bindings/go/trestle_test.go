// SPDX-License-Identifier: Apache-2.0

package trestle

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
)

func must[T any](t *testing.T) func(T, error) T {
	return func(value T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

func newCluster(t *testing.T) *Cluster {
	return must[*Cluster](t)(NewCluster(NodeText, "(2s16c2t mem=512G gpu:a100:4)"))
}

func newRequest(t *testing.T) *Request {
	return must[*Request](t)(NewRequest(Srun, "--gres=gpu:a100:2 -c 8 --mem=32G"))
}

func TestVersion(t *testing.T) {
	if err := CheckVersion(); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(Version(), "0.") {
		t.Fatal(Version())
	}
}

func TestPlaceUntilRefused(t *testing.T) {
	cluster, request := newCluster(t), newRequest(t)
	defer cluster.Close()
	defer request.Close()
	jobs := uint64(0)
	for {
		placement, err := cluster.Place(request)
		if errors.Is(err, Refused) {
			if !strings.HasPrefix(err.Error(), "devices: ") {
				t.Fatal(err)
			}
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		jobs++
		if err := cluster.Commit(jobs, request, placement); err != nil {
			t.Fatal(err)
		}
		placement.Close()
	}
	if jobs != 2 {
		t.Fatalf("%d jobs, expected 2", jobs)
	}
	why := must[string](t)(cluster.Explain(request, Text))
	if !strings.Contains(why, "owner 1 ends") {
		t.Fatal(why)
	}
	if err := cluster.Release(7); !errors.Is(err, NotFound) {
		t.Fatal(err)
	}
}

func TestPartsOfAPlacement(t *testing.T) {
	cluster, request := newCluster(t), newRequest(t)
	placement := must[*Placement](t)(cluster.Place(request))
	parts := must[[]Part](t)(placement.Parts())
	if fmt.Sprint(parts) != "[{0 1 34359738368 [0 1 2 3] [0 1]}]" {
		t.Fatal(parts)
	}
	text := must[string](t)(placement.Text(cluster))
	if text != "n0 cores=0-3 memory=0:32GiB devices=gpu:0,gpu:1" {
		t.Fatal(text)
	}
}

func TestTrialsAndSnapshots(t *testing.T) {
	cluster, request := newCluster(t), newRequest(t)
	placement := must[*Placement](t)(cluster.Place(request))
	before := must[[]byte](t)(cluster.Bytes())
	err := cluster.Try(func() bool {
		if err := cluster.Commit(1, request, placement); err != nil {
			t.Fatal(err)
		}
		return false
	})
	if err != nil {
		t.Fatal(err)
	}
	after := must[[]byte](t)(cluster.Bytes())
	if string(before) != string(after) {
		t.Fatal("the trial was not undone")
	}
	must[*Cluster](t)(ClusterFromBytes(after)).Close()
	if _, err := ClusterFromBytes(after[:10]); !errors.Is(err, Invalid) {
		t.Fatal(err)
	}
}

// A body may end without returning in two ways; after either the trial is closed and undone.
func TestTrialThatDoesNotReturn(t *testing.T) {
	cluster, request := newCluster(t), newRequest(t)
	defer cluster.Close()
	placement := must[*Placement](t)(cluster.Place(request))
	before := must[[]byte](t)(cluster.Bytes())
	ends := map[string]func(){
		"panic":  func() { panic("in the body") },
		"goexit": runtime.Goexit,
	}
	for name, end := range ends {
		done := make(chan any)
		go func() {
			defer func() { done <- recover() }()
			cluster.Try(func() bool {
				if err := cluster.Commit(1, request, placement); err != nil {
					t.Error(err)
				}
				end()
				return true
			})
		}()
		if said := <-done; name == "panic" && said != "in the body" {
			t.Fatal(said)
		}
		if after := must[[]byte](t)(cluster.Bytes()); string(before) != string(after) {
			t.Fatal(name, ": the trial was not undone")
		}
		if err := cluster.endTrial(false); !errors.Is(err, Conflict) {
			t.Fatal(name, ": a trial is open: ", err)
		}
	}
}

func TestEnforceInMemory(t *testing.T) {
	cluster, request := newCluster(t), newRequest(t)
	placement := must[*Placement](t)(cluster.Place(request))
	plan := must[*Plan](t)(NewPlan(cluster, 0, placement, request, 1, "job_1"))
	enforcer := must[*Enforcer](t)(NewMemoryEnforcer())
	if text := must[string](t)(plan.Text()); !strings.Contains(text, "memory.max") {
		t.Fatal(text)
	}
	if shortfalls := must[string](t)(enforcer.Apply(plan)); shortfalls != "" {
		t.Fatal(shortfalls)
	}
	if _, err := enforcer.Apply(plan); !errors.Is(err, Conflict) {
		t.Fatal(err)
	}
	if err := enforcer.Remove("job_1"); err != nil {
		t.Fatal(err)
	}
}

func TestClosedAndBad(t *testing.T) {
	request := newRequest(t)
	cluster := newCluster(t)
	cluster.Close()
	cluster.Close()
	if _, err := cluster.Place(request); !errors.Is(err, BadHandle) {
		t.Fatal(err)
	}
	if _, err := NewCluster(NodeText, "3 x ("); !errors.Is(err, Invalid) {
		t.Fatal(err)
	}
	if _, err := NewRequest(Srun, "-n 1\x00--bogus"); !errors.Is(err, Invalid) {
		t.Fatal(err)
	}
	if _, err := OpenCgroup("/no/such/folder"); err == nil {
		t.Fatal("opened")
	}
}
