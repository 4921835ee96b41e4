# lib.sh - for the native agent's tests in sh: victims and the agent without a recorder.
# Sourced; leaves the shell in an empty directory that is removed at exit.
. "$(dirname "$0")/../tap.sh"
agent=$build/lib/assay/libassay-native.so
resolve=$build/libexec/assay/assay-resolve
unset LD_PRELOAD ASSAY_RECORD ASSAY_RECORDED DEBUGINFOD_URLS

# compile NAME [OPTION...]: a victim, as ./NAME
compile() {
    name=$1
    shift
    "${CC:-gcc}" -std=c17 -D_GNU_SOURCE -pthread -o "$name" "$root/tests/victims/$name.c" "$@"
}

# sampled DIRECTORY COMMAND...: runs it under the agent, with $config among the settings; traces go to DIRECTORY.d, what
# stolen_ms() says of the time to DIRECTORY.stolen
config=''
meter=env
sampled() {
    directory=$scratch/$1.d
    before=$(stolen_ms)
    shift
    mkdir -p "$directory"
    chmod 777 "$directory"
    $meter ASSAY_RECORD="{\"directory\":\"$directory\",\"prefix\":\"run\",\"seed\":1$config}" LD_PRELOAD=$agent "$@"
    status=$?
    echo $(($(stolen_ms) - before)) >"${directory%.d}.stolen"
    return $status
}

# metered DIRECTORY COMMAND...: the same; DIRECTORY.used tells the CPU time in ms of all its processes and threads, the
# agent's too, and DIRECTORY.burns what victims with burn.h say
metered() {
    meter="./usage $1.used env BURNS=$scratch/$1.burns"
    sampled "$@"
    status=$?
    meter=env
    return $status
}

# lines DIRECTORY REGEXP: of the text of all traces in it
lines() {
    ./trace_text "$1".d/*.trace | grep -E -- "$2"
}

# lost DIRECTORY CAUSE
lost() {
    ./trace_text "$1".d/*.trace | awk -v cause="$2" '/^lost/ {n = $NF; sub(/^lost /, ""); sub(/ [0-9]+$/, "");
        if ($0 == cause) sum += n} END {print sum + 0}'
}

# wait_for FILE: until there is something in it (half a minute at most, then the test fails by what it finds)
wait_for() {
    wait_until 30 test -s "$1"
}

# wait_sampled DIRECTORY PROGRAM: until two samples of it are in the file (a minute at most); then its process id
wait_sampled() {
    tries=0
    until [ "$(samples "$1" 2>/dev/null)" -ge 2 ] || [ $tries -ge 300 ]; do
        sleep 0.2
        tries=$((tries + 1))
    done
    lines "$1" '^thread' | awk -v program="$2" '$0 ~ program {print $3}'
}

# stolen_ms: time so far in which the host has run something else than this machine, which can't be more for a thread
stolen_ms() {
    awk -v hz="$(getconf CLK_TCK)" '/^cpu / {printf "%.0f", $9 * 1000 / hz}' /proc/stat
}

# traces DIRECTORY: how many
traces() {
    find "$1".d -name '*.trace' | wc -l
}

# cpu_ms DIRECTORY: CPU time of all threads while they were looked at
cpu_ms() {
    lines "$1" '^thread' | awk '{sum += $NF - $(NF - 2)} END {printf "%.3f", sum / 1e6}'
}

# burnt_ms DIRECTORY: the CPU time that a metered program wanted to use
burnt_ms() {
    awk '/^burnt/ {sum += $2} END {printf "%.3f", sum}' "$1.burns"
}

# While the machine stands still and yet CPU time goes on, no clock ticks. Of a metered program and a clock of PERIOD ms
# ± 30 %, whose intervals count as two from 1.8 periods on, and whatever happens outside of its burns, which nobody sees:
# hidden DIRECTORY PERIOD: ticks at most that could not give a sample therefore
hidden() {
    awk -v period="$2" -v cpu="$(cpu_ms "$1")" '/^burnt/ {cpu -= $2}
        /^jump/ && $2 > period / 2 {sum += int($2 / period + 1.8) - 1} END {print sum + int(cpu / period + 0.8)}' "$1.burns"
}
# merged DIRECTORY PERIOD: how many at most were not counted, an interval having been longer, but not by enough
merged() {
    awk -v period="$2" -v cpu="$(cpu_ms "$1")" '/^burnt/ {cpu -= $2}
        /^jump/ {n = $2 / period; sum += n < 0.8 ? n : 0.8} END {print sum + cpu / period}' "$1.burns"
}

# late_ticks DIRECTORY: what the times of a process's threads say about `late attach`: CPU time before a thread was seen,
# less what the trace of the program before says about the thread (the last one it has) that became this program
late_ticks() {
    find "$1".d -name '*.trace' | sort -r | xargs ./trace_text | awk '
        function settle() {sum += int(late / 1e7); late = 0; had = has}
        /^meta/ {settle()}
        /^thread/ {late += $(NF - 2) - had; had = 0; has = $NF}
        END {settle(); print sum}'
}

# samples DIRECTORY
samples() {
    lines "$1" '^sample' | wc -l
}

# ticks DIRECTORY: those that gave a sample and those that could not
ticks() {
    echo $(($(samples "$1") + $(lost "$1" 'not delivered')))
}

# waited DIRECTORY: how many ticks may have come more than its CPU time makes: as many as one likes where they come in
# wall time, for there they come to a thread that waits for a processor, too
waited() {
    lines "$1" '^meta' | awk '/"interval_clock": "wall"/ {wall = 1} END {print wall ? 1000000 : 0}'
}

# most_ticks DIRECTORY: of the clock of 10 ms, at most: by CPU time, and as many more as were stolen
most_ticks() {
    awk -v cpu="$(cpu_ms "$1")" -v stolen="$(cat "$1.stolen")" -v waited="$(waited "$1")" \
        'BEGIN {print (cpu + stolen) / 10 + 6 + waited}'
}

# say_enough N COMMAND...: makes the file `enough` as soon as the command prints N or more, or after a minute
say_enough() {
    least=$1
    shift
    tries=0
    until [ "$("$@" 2>/dev/null)" -ge "$least" ] || [ $tries -ge 300 ]; do
        sleep 0.2
        tries=$((tries + 1))
    done 2>/dev/null
    : >enough
}

scratch
needs tests/sample/trace_text
cp "$build/tests/sample/trace_text" .
