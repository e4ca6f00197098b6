// SPDX-License-Identifier: Apache-2.0

package trestle_test

import (
	"errors"
	"fmt"
	"log"

	"trestle"
)

// Jobs are placed until one is refused.
func Example() {
	cluster, err := trestle.NewCluster(trestle.NodeText, "(2s16c2t mem=512G gpu:a100:4)")
	if err != nil {
		log.Fatal(err)
	}
	request, err := trestle.NewRequest(trestle.Srun, "--gres=gpu:a100:2 -c 8 --mem=32G")
	if err != nil {
		log.Fatal(err)
	}
	for job := uint64(1); ; job++ {
		placement, err := cluster.Place(request)
		if errors.Is(err, trestle.Refused) {
			fmt.Printf("job %d: %v\n", job, err)
			return
		}
		if err == nil {
			err = cluster.Commit(job, request, placement)
		}
		if err != nil {
			log.Fatal(err)
		}
		text, _ := placement.Text(cluster)
		fmt.Printf("job %d: %s\n", job, text)
	}
	// Output:
	// job 1: n0 cores=0-3 memory=0:32GiB devices=gpu:0,gpu:1
	// job 2: n0 cores=16-19 memory=1:32GiB devices=gpu:2,gpu:3
	// job 3: devices: asked 2 gpu:a100, 0 of 4 are free on the node
}
