# shellcheck shell=sh disable=SC2154
# mpi.sh - for tests of MPI jobs, sourced after tap.sh: skips the test where there is no MPI; enters an empty directory.
[ -e "$build/lib/assay/libassay-mpi.so" ] || skip_all 'built without MPI'
command -v mpirun >/dev/null || skip_all 'there is no mpirun'
scratch
programs=$build/libexec/assay
# When a rank has failed, mpirun ends the others by SIGTERM, waits for a second, whatever they do, and kills what is left.
OMPI_MCA_odls_base_sigkill_timeout=0
export OMPI_MCA_odls_base_sigkill_timeout
OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl_vader_single_copy_mechanism=none
export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM OMPI_MCA_btl_vader_single_copy_mechanism

# ranks N COMMAND...
ranks() {
    n=$1
    shift
    timeout -k 5 600 mpirun --oversubscribe -n "$n" "$@" </dev/null
}
ranks 2 true 2>err || skip_all "mpirun can't start two processes here: $(grep -m 1 '[a-z]' err)"

# same RANKS TITLE PROGRAM OPTION...: one process and each of these numbers of ranks give the same bytes and status
same() {
    numbers=$1 title=$2 program=$3
    shift 3
    "$programs/assay-$program" "$@" >one 2>err
    status=$?
    for n in $numbers; do
        ranks $n "$programs/assay-$program" "$@" >many 2>err
        is "$?" $status "$title, $n ranks: status"
        cmp -s one many
        is $? 0 '  the same bytes'
    done
}
