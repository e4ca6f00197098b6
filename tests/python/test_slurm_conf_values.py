# SPDX-License-Identifier: Apache-2.0
"""Values of slurm.conf, each put alone to the slurmctld of three releases, which started or did not."""

import collections

import pytest
from data_folders import DATA
from trestle import slurm

REST = "\nNodeName=n1 CPUs=1\nPartitionName=p Nodes=n1 Default=yes\n"

# Keys of plugins that sites write, of files, and of values that need another key.
UNCHECKED = {
    "AccountingStorageTRES", "AcctGatherEnergyType", "AcctGatherFilesystemType",
    "AcctGatherInfinibandType", "AcctGatherInterconnectType", "AcctGatherProfileType",
    "AuthAltTypes", "AuthType", "BcastExclude", "BurstBufferType", "CertmgrType",
    "CommunicationParameters", "CredType", "ExtSensorsFreq", "ExtSensorsType", "FirstJobId",
    "GetEnvTimeout", "HashPlugin", "JobCompType", "JobContainerType", "JobSubmitPlugins",
    "MCSParameters", "MaxJobId", "MaxNodeCount", "MetricsType", "NamespaceType",
    "NodeFeaturesPlugins", "PowerAction", "PowerPlugin", "PrepPlugins", "PriorityDecayHalfLife",
    "PrioritySiteFactorPlugin", "PriorityWeightTRES", "SlurmSchedLogLevel",
    "SlurmctldHttpAuthParameters", "SuspendTime", "TLSType",
}
# Combinations with the rest of the file that was asked, or a plugin that was not installed there.
NOT_ALONE = {"PrologFlags=X11", "TaskPluginParam=OOMKillStep", "TaskPluginParam=SlurmdSpecOverride",
             "SwitchType=switch/hpe_slingshot",
             "AccountingStorageType=accounting_storage/none AccountingStorageTRES=gres/gpu"}
# Refused though slurmctld takes something for it.
STRICTER = {
    "DefMemPerCPU=0x10", "Licenses=:3", "Licenses=a:", "Licenses=f:99999999999",
    "MCSPlugin=99999999999", "MCSPlugin=zzz", "MaxArraySize=k", "MinJobAge=k",
    "PreemptExemptTime=-2", "PreemptExemptTime=99999999999", "PriorityMaxAge=1-",
    "PriorityType=99999999999", "PriorityWeightAge=k",
    "SchedulerParameters=max_switch_wait=-1", "SchedulerParameters=max_switch_wait=zzz",
}


def rows():
    for row in (DATA / "slurm_conf_values.tsv").read_text().splitlines():
        line, starts = row.split("\t")
        yield line, [one == "+" for one in starts]


def starts(line, release):
    try:
        slurm.Controller(line.replace(" ", "\n") + REST, release=release)
    except ValueError as error:
        assert line.split("=")[0] in str(error) or "line 1" in str(error) or "line 2" in str(error)
        return False
    return True


@pytest.mark.parametrize("column, release", [
    (0, slurm.Release.v22_05), (1, slurm.Release.v24_11), (2, slurm.Release.v26_05)])
def test_a_value_is_refused_exactly_where_slurmctld_does_not_start(column, release):
    wrong = collections.defaultdict(list)
    count = 0
    for line, started in rows():
        if line in NOT_ALONE:
            continue
        ours = starts(line, release)
        if line in STRICTER:
            continue
        if ours and not started[column] and line.split("=")[0] in UNCHECKED:
            continue
        count += 1
        if ours != started[column]:
            wrong["starts" if ours else "refused"].append(line)
    assert not wrong
    assert count > 1200
