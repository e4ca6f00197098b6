# SPDX-License-Identifier: Apache-2.0
"""What trestle.flux is made of, without Flux: R documents, resource requests, nodes of a Cluster."""
