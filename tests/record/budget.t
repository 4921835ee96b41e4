#!/bin/sh
# The limits that the recorder is started with are the command's: the command gets them unchanged, and the recorder's own
# files, descriptors and stack are not bound by them.
. "$(dirname "$0")/lib.sh"
record=$build/libexec/assay/assay-record
compile spin.c spin -g || exit 1

# under LIMIT: runs the program in this folder that prints its limits, alone and recorded, under this limit
under() {
    ulimit='ulimit '$1
    bash -c "$ulimit; exec sh -c 'ulimit -a; ulimit -Ha; ./spin 0.2; echo \$?'" >alone 2>&1
    rm -rf traces
    bash -c "$ulimit; exec '$record' -q -o traces -- sh -c 'ulimit -a; ulimit -Ha; ./spin 0.2; echo \$?'" 2>err | cat >recorded
    is "$(cat recorded)" "$(cat alone)" "ulimit $1: the command has the same limits"
    is "$(messages err)" '' '  the recorder has nothing to say'
    like traces/series.json '"status": 0' '  and completes the series'
    between 1 "$(programs traces | wc -l)" 2 '  with a trace'
}

under '-s 64'
under '-S -f 1'
under '-S -n 20'
under '-S -v 400000'
under '-n 20'
under '-t 2'

# A limit of files that kills the command leaves the recorder whole.
bash -c "ulimit -S -f 1; exec '$record' -q -o large -- sh -c './spin 0.1; head -c 5000 /dev/zero >file'" 2>err
is "$(wc -c <file) $(grep -c 'exit status 153' err)" '1024 1' 'a command that writes more than it may: its status, as alone'
is "$(find large -name '*.tmp') $(grep -c '"status": 153' large/series.json)" ' 1' '  the series is written'
bash -c "trap '' XFSZ; ulimit -S -f 1; exec '$record' -q -o ignored -- sh -c 'head -c 5000 /dev/zero >file'" 2>err
is "$? $(wc -c <file)" '1 1024' 'SIGXFSZ that is ignored stays so'

# What can't be had is told.
bash -c "ulimit -f 0; exec '$record' -q -o none -- ./spin 0.1" 2>&1 | cat >err
is "$(cat err)" "assay-record: $PWD/none/series.json: File too large" 'no file at all: one line'
is "$(find none -type f)" '' '  and nothing is left behind'
if [ "$(id -u)" = 0 ]; then
    skip 'processes of root are not limited'
else
    bash -c "ulimit -u 12; exec '$record' -q -o few -- true" 2>err
    like err '^assay-record: the user may have 12 processes .ulimit -u., of which [0-9]+ are left now' 'few processes are told'
fi
done_testing
