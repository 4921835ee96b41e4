#!/bin/sh
# Engine exact, the recorder's part: what it refuses and with which advice, Valgrind's arguments, and what it makes of
# the tool's files. Valgrind is a script here.
. "$(dirname "$0")/lib.sh"
install_fake_valgrind
real_path=$PATH
PATH=$scratch/bin:$PATH
info=$build/libexec/assay/assay-info
dump=$build/libexec/assay/assay-dump

# the command line
# refused STATUS REGEXP ARGUMENT...: STATUS, and a message that matches
refused() {
    status=$1
    pattern=$2
    shift 2
    rm -rf assay-out ran
    "$record" "$@" >out 2>err
    is $? "$status" "status $status: $*"
    like err "$pattern" "  and tells why"
    is "$(grep -vc '^Try ' err)" 1 '  in one line'
    is "$(count assay-out/*.trace ran)" 0 "  the command was not run"
}
refused 2 'engine pmu takes samples: mode waste needs engine exact' -m waste -E pmu -- touch ran
refused 2 'engine soft takes samples' -m spatial-load -E soft -- touch ran
refused 2 'engine exact sees every access; it needs one of the modes' -E exact -- touch ran
refused 2 '--clock is for sampling: mode waste sees every access' -m waste -c fixed -- touch ran
refused 2 '--period is for sampling' -p 1ms -m waste -- touch ran
refused 2 '--spread is for sampling' --spread 1ms -m waste -- touch ran
refused 2 '--burst is for the engines exact and rewrite' --burst 1M:99M -- touch ran
refused 2 '--fp-tolerance is for wasted accesses' --fp-tolerance 1% -- touch ran
for wrong in 1M 1M: :1M 0:1M 1M:0 1M:1M:1M 1T:1M -1:5 '1 M:2' 99999999999G:1; do
    refused 2 'must be two numbers of instructions' -m waste --burst "$wrong" -- touch ran
done
for wrong in x 1 100% -1% nan 0x1p-7 1%% ''; do
    refused 2 'must be a share below 1' -m waste --fp-tolerance "$wrong" -- touch ran
done
refused 2 '--values is for --mode memory' -m waste --values -- touch ran
refused 2 '--fetches is for --mode memory of native programs' -m waste --fetches -- touch ran
refused 2 '--fetches is for --mode memory of native programs' --fetches -- touch ran
refused 2 '--fetches is for --mode memory of native programs' -m memory --engine rewrite --fetches -- touch ran
refused 2 '--burst auto is for modes that compare accesses' -m memory --burst auto -- touch ran

# what is installed
(PATH=$real_path:/nowhere; exec env PATH="$scratch/empty" "$record" -m waste --no-profile -- touch ran) >out 2>err
is $? 1 'no Valgrind: status 1'
is "$(cat err)" 'assay-record: engine exact: valgrind is not installed; run: apt-get install valgrind' \
    '  one line tells why'
FAKE_VERSION=3.20.1 refused 1 'bin/valgrind is version 3\.20\.1, and the tool was built for 3\.19\.0; build assay again' \
    -m waste -- touch ran
mv i/lib/assay/valgrind/assay-amd64-linux tool
refused 1 'this build has no Valgrind tool, but valgrind is installed now: .*build assay again \(make\)' -m waste -- touch ran
env PATH="$scratch/empty" "$record" -m waste --no-profile -- touch ran 2>err
like err 'valgrind is not installed; run: apt-get install valgrind, then build assay again' \
    'neither Valgrind nor the tool: the message tells how to get both'
mv tool i/lib/assay/valgrind/assay-amd64-linux

# the program
mkdir -p jdk/bin jdk/lib
cp /bin/true jdk/bin/java
cp /bin/true jdk/bin/jshell
: >jdk/lib/libjli.so
ln -s "$scratch/jdk/bin/java" bin/java
refused 1 'jdk/bin/java is a Java virtual machine, and mode waste with this engine is for native programs; record it with --engine rewrite' \
    -m waste -E exact -- java -jar x.jar
refused 1 'jdk/bin/java is a Java virtual machine, and mode memory with this engine is for native programs; record it with --engine rewrite' \
    -m memory -E exact -- java -jar x.jar
refused 1 'is a Java virtual machine' -m spatial-load -- jdk/bin/jshell
refused 1 'engine rewrite: this build has no agent for JVMs; install a JDK .17 or later. and libasm-java' -m waste -- java -jar x.jar
refused 1 'engine rewrite: this build has no agent for JVMs' -m memory -- java -jar x.jar
refused 2 'engine rewrite sees the accesses of JVMs; it needs one of the modes' -m spatial-load -E rewrite -- java -jar x.jar
refused 2 '--burst auto is for modes that compare accesses' -m memory -E rewrite --burst auto -- java -jar x.jar
printf '#!%s/bin/java --source 11\n' "$scratch" >script.java
printf '#!/usr/bin/env -S A=1 java --source 11\n' >env.java
chmod +x script.java env.java
refused 1 'is a Java virtual machine' -m waste -E exact -- ./script.java
refused 1 'is a Java virtual machine' -m waste -E exact -- ./env.java

# unmeasured WHY PROGRAM: it runs without Valgrind, and a line tells why
unmeasured() {
    rm -f words
    "$record" -q -m waste --no-profile -o unmeasured --overwrite -- "./$2" >out 2>err
    is "$(cat out)" "$(./"$2")" "$2 does what it does alone"
    is "$(count words)" 0 '  without Valgrind'
    is "$(grep -c "$2 is not recorded: $1" err)" 1 '  one line tells why'
}
printf '#include <stdio.h>\n#include <unistd.h>\nint main(void) { return printf("user %%d\\n", geteuid()) < 0; }\n' >user.c
"${CC:-gcc}" -o suid user.c
if [ "$(id -u)" = 0 ]; then
    chown 12345 suid
fi
chmod u+s suid
unmeasured 'it is set-user-ID, set-group-ID or has file capabilities' suid
for kind in 'thirty-two -m32|it is a 32-bit program' 'asan -fsanitize=address|it was compiled with a sanitizer' \
    'tsan -fsanitize=thread|it was compiled with a sanitizer'; do
    how=${kind%|*}
    if "${CC:-gcc}" ${how#* } -o ${how%% *} user.c 2>cc.log && ./${how%% *} >out 2>&1; then
        unmeasured "${kind#*|}" ${how%% *}
    else
        skip "${how%% *}: such a program can't be made here"
    fi
done
printf '\177ELF\2\1\1%057d' 0 | tr 0 '\0' >foreign
printf '\267\0' | dd of=foreign bs=1 seek=18 conv=notrunc 2>/dev/null
chmod +x foreign
env ./foreign 2>/dev/null
alone=$?
"$record" -q -m waste --no-profile -o foreign.out -- ./foreign 2>err
is $? $alone 'a program for another processor: its status alone'
like err 'foreign is not recorded: it is not for x86-64' '  and a line tells why it is not recorded'
"$record" -q -m waste --no-profile -o none -- ./no-such-program 2>err
is $? 127 'no such command: status 127'
is "$(cat err)" 'assay-record: ./no-such-program: No such file or directory' '  one line tells why'
echo data >plain
"$record" -q -m waste --no-profile -o none -- ./plain 2>err
is $? 126 'a file that is not executable: status 126'
printf '#!/no/such/interpreter\n' >script
chmod +x script
"$record" -q -m waste --no-profile -o none -- ./script 2>err
is $? 127 'no such interpreter: status 127'
if compile static.c static -static 2>err; then
    "$record" -q -m waste --no-profile -o static.out -- ./static 2>err
    is "$?$(cat err)" 0 'a statically linked program is recorded'
    strip static
    "$record" -q -m waste --no-profile -o stripped.out -- ./static 2>err
    is $? 0 'a stripped one is recorded, too'
    like err "static is statically linked and stripped: its malloc and free can't be found, .*; use an unstripped or" \
        '  with a warning'
else
    skip 'no static libc here'
fi

# Valgrind's arguments
rm -f words
echo hello | "$record" -m waste --no-profile -o told -- cat >out 2>err
is $? 0 'a run: status 0'
is "$(cat out)" hello "  stdin and stdout are the command's"
is "$(cat err)" 'assay-record: engine exact (every load and store, under Valgrind 3.19.0)' '  auto reports its engine'
like words "^$scratch/i/lib/assay/valgrind --tool=assay .* -- cat\$" \
    "  Valgrind runs assay's tool from assay's directory"
like words " --assay-mode=waste --assay-out=$scratch/told/run-001 --assay-fp-tolerance=0\.01 -- " \
    '  it gets the mode and the file'
unlike words '--assay-burst' '  and no bursts'
like words ' --trace-children=yes ' '  it traces children, too'
"$record" -q -m dead-store -E exact --burst 1M:99M --fp-tolerance 2.5% -o 'told%2' -- cat </dev/null 2>err
is "$(cat err)" '' '-q: there is no message'
like words ' --assay-mode=dead-store .* --assay-fp-tolerance=0\.025 --assay-burst=1000000:99000000 -- ' \
    '  Valgrind gets bursts and tolerance'
"$record" -q -m waste --no-profile --only 'a*' --only b --skip c -o chosen -- true
like words ' --assay-only=a\* --assay-only=b --assay-skip=c ' '--only and --skip: the tool gets the names'
"$record" -q -m waste --no-profile --fp-tolerance 0 -o told3 -- true
like words '--assay-fp-tolerance=0 ' 'a tolerance of 0 is passed on'

# what the raw file becomes
is "$(ls -A told | sed 's/-[0-9]*\.trace/-PID.trace/')" "$(printf '%s\n' run-001-PID.trace series.json)" \
    'there are one trace and the state, nothing else'
"$info" --format json told/*.trace >info.json
is $? 0 'the trace can be read'
like info.json '"engine": "exact"' '  its metadata have the engine'
like info.json '"mode": "waste"' '  the mode'
like info.json '"fp_tolerance": 0\.01' '  the tolerance'
like info.json '"burst": null' '  that there were no bursts'
like info.json '"collector": "valgrind"' '  what the tool reported'
like info.json '"kernel": "Linux' '  the machine'
like info.json '"status": 0' '  how the command ended'
like info.json '"instructions": 12345' '  the number of instructions'
unlike info.json '"(clock|period_ns|seed|source)"' '  and no clock'
"$info" --format json told%2/*.trace >info.json
like info.json '"disable": 99000000' '  and bursts if there are any'
cat >named.c <<'END'
int place;
void stores_twice(void) { place = 1; place = 2; }
int main(void) { stores_twice(); return 0; }
END
"${CC:-gcc}" -g -O0 -o named named.c
FAKE_MODULE=$scratch/named FAKE_ADDRESS=$(nm named | awk '$3 == "stores_twice" { print $1 }') \
    "$record" -q -m waste --no-profile -o named.out -- ./named
"$dump" --kind method named.out/*.trace >methods
like methods 'stores_twice' 'places in the code are named'
"$dump" --kind pair named.out/*.trace >pairs
is "$(tail -n 1 pairs | cut -d, -f 3-)" 'dead-store,precise,1,2,0,0,10,4,80,32' 'the trace has the pair'
FAKE_HOW=unfinished "$record" -m waste --no-profile -o unfinished -- sh -c 'kill -9 $$' 2>err
is $? 137 'kill -9: status 137'
like err 'run 1: unfinished, .*\(it was killed, perhaps\): run-001-[0-9]+\.trace' '  the unfinished trace is named'
FAKE_HOW=damaged "$record" -m waste --no-profile -o damaged -- true 2>err
is $? 1 'a damaged raw file: status 1'
like err 'run 1: run-001-[0-9]+\.exact: is not a file of the exact tool' '  one line reports it'
FAKE_HOW=nothing "$record" -m waste --no-profile -o nothing -- true 2>err
is $? 1 'no raw file: status 1'
like err 'run 1: no trace: the tool recorded nothing of the command' '  one line reports it'
FAKE_HOW=exec "$record" -m waste --no-profile -o exec -- true 2>err
is $? 0 'a process that executed an unmeasured program: status 0'
like err 'run 1: run-001-[0-9]+\.trace: its process then executed a program that is not measured' \
    '  one line reports it'
"$record" -q -m waste --no-profile -o one.trace -- true
is $? 0 '-o FILE: status 0'
is "$(count one.trace one.trace.d)" 1 '  and nothing else'
like one.trace '"engine":"exact"' '  it is a trace'
"$record" -q -m waste --no-profile -o status -- sh -c 'exit 7' 2>err
is $? 7 "the exit status is the command's"

# Valgrind's messages
FAKE_SAYS='==1== assay: the file can'"'"'t be written (error 28)' "$record" -q -m waste --no-profile -o says -- true 2>err
is $? 1 'a failure of the tool: status 1'
like err "run 1: Valgrind failed in 1 process: assay: the file can't be written \(error 28\) \(.*run-001-[0-9]+\.valgrind\)" \
    "  the tool's line is passed on"
is "$(count says/*.valgrind)" 1 '  and its file is kept'
FAKE_SAYS='==1== Process terminating with default action of signal 11' "$record" -q -m waste --no-profile -o says2 -- true 2>err
is "$?$(cat err)$(count says2/*.valgrind)" 00 "Valgrind's messages about the program are neither passed on nor kept"

# a series
"$record" -q -m waste --no-profile --runs 3 --warmup 1 -o series -- true
is "$?$(count series/*.trace)" 03 'three runs after one to warm up'
is "$(ls -A series | grep -vc '\.trace$')" 1 '  and nothing else'
rm -f words
"$record" -m waste --no-profile --runs 3 --warmup 1 -o series -- true 2>err
is "$(count words)" 0 'the same command line again: nothing is run'
like err 'complete: 3 of 3 runs' '  one line reports that the series is complete'
"$record" -q -m waste --no-profile --runs 4 --warmup 1 --burst 1M:99M -o series -- true 2>err
is $? 1 'bursts make it another series: status 1'
like err 'holds another series: its burst is null, not' '  one line tells the difference'
"$record" -q -m dead-store -E exact --runs 4 --warmup 1 -o series -- true 2>err
like err 'holds another series: its mode is "waste", not "dead-store"' 'another mode makes it another series, too'

for stray in run-009-77.exact run-009-77.1.exact run-009-77.valgrind .run-009-77.trace.tmp; do
    : >"series/$stray"
done
"$record" -q -m waste --no-profile --runs 4 --warmup 1 -o series -- true
is "$?$(count series/*.trace)$(ls -A series | grep -vc '\.trace$')" 041 \
    'files that an interrupted run has left are removed'
"$record" -q -m waste --no-profile --runs 1 --overwrite -o series -- true
is "$?$(count series/*.trace)" 01 '--overwrite begins a new series'

# processes that outlive the command
FAKE_CHILD=1 "$record" -m waste --no-profile -o late -- true 2>err
is $? 0 'a child that outlives the command: no hang'
like err 'run 1: still being written, .* outlives the command: run-001-[0-9]+\.trace' '  one line reports it'
is "$(count late/*.trace late/*.exact)" 2 '  its raw file stays'
kill "$(cat child)"
wait_until 30 is_gone child
FAKE_CHILD=1 "$record" -q -m waste --no-profile -o late -- true
is "$?$(count late/*.trace)$(count late/*.exact)" 020 'the same command line converts its raw file'
unlike late/series.json '"running",' '  and it is no longer running'
"$info" --format json late/*-"$(cat child)".trace >info.json
like info.json '"status": 0' '  the trace has the exit status of its run'
done_testing
