#!/bin/sh
# assay experiment --one-round under Slurm, as docs/experiment.md has it: a controller and a node of their own, on this
# machine, in a scratch directory.
. "$(dirname "$0")/../tap.sh"
for program in slurmctld slurmd sbatch squeue; do
    PATH=$PATH:/usr/sbin command -v $program >/dev/null || skip_all "there is no $program"
done
[ "$(id -u)" -eq 0 ] || skip_all 'Slurm on one machine takes root'
scratch
PATH=$root:$PATH:/usr/sbin
SLURM_CONF=$scratch/slurm.conf
export PATH SLURM_CONF
host=$(hostname -s)
port=$((20000 + $$ % 20000))
cat >slurm.conf <<END
ClusterName=scratch
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
AuthType=auth/none
CredType=cred/none
StateSaveLocation=$scratch/state
SlurmdSpoolDir=$scratch/spool
SlurmctldPidFile=$scratch/slurmctld.pid
SlurmdPidFile=$scratch/slurmd.pid
SlurmctldPort=$port
SlurmdPort=$((port + 1))
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SchedulerType=sched/builtin
ReturnToService=2
NodeName=$host NodeAddr=127.0.0.1 CPUs=2
PartitionName=all Nodes=ALL Default=YES State=UP
END
mkdir state spool
slurmctld -D >controller.log 2>&1 &
controller=$!
slurmd -D >node.log 2>&1 &
node=$!
trap 'kill $node $controller 2>/dev/null; wait; rm -rf "$scratch"' EXIT
is_idle() {
    sinfo -h -o %t 2>/dev/null | grep -q idle
}
if ! wait_until 60 is_idle; then
    tail -n 3 controller.log node.log | sed 's/^/# /'
    skip_all 'Slurm does not start here'
fi
cat >one <<'END'
#!/bin/sh
i=0
while [ $i -lt 30000 ]; do i=$((i + 1)); done
END
chmod +x one
cat >hot.yaml <<'END'
rounds: 3
programs: {one: "./one {size}"}
factors: {size: [small, large]}
recordings: {cpu: record --engine soft --period 2ms}
results: {tables: {round.csv: ci --by size --value round}}
END
has_ended() {
    [ -z "$(squeue -h 2>/dev/null)" ]
}
# Two jobs of the array run at once.
job=$(sbatch --parsable --array=1-4%2 --wrap 'assay experiment --one-round hot.yaml')
sbatch --parsable --dependency="afterany:$job" --wrap 'assay experiment report hot.yaml' >report
wait_until 120 has_ended
is $? 0 'an array of four jobs and the job for the results end'
is "$(cat slurm-"$job"_*.out | grep -v waits | sort | uniq -c | sed 's/^ *//')" \
    '1 assay-experiment: all rounds are made
1 assay-experiment: round 1 is made; 2 rounds are left
1 assay-experiment: round 2 is made; 1 round is left
1 assay-experiment: round 3 is made; 0 rounds are left' '  three of them make a round each, and one has nothing to do'
is "$(sed 's/.*"round":\([0-9]*\),.*/\1/' hot.data/starts.jsonl | tr '\n' ' ')" '1 1 2 2 3 3 ' '  one round after the other'
is "$(cut -d , -f 1-3 round.csv | tr '\n' ' ')" 'size,n,mean small,3,2 large,3,2 ' '  the last job makes the results'
done_testing
