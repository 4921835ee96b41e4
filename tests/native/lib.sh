# lib.sh - for the native agent's tests in sh: victims and the agent without a recorder.
# Sourced; changes to an empty directory that is removed at exit.
. "$(dirname "$0")/../tap.sh"
agent=$build/lib/assay/libassay-native.so
resolve=$build/libexec/assay/assay-resolve
unset LD_PRELOAD ASSAY_RECORD ASSAY_RECORDED DEBUGINFOD_URLS

# compile NAME [OPTION...]: compiles a victim to ./NAME
compile() {
    name=$1
    shift
    "${CC:-gcc}" -std=c17 -D_GNU_SOURCE -pthread -o "$name" "$root/tests/victims/$name.c" "$@"
}

# sampled DIRECTORY COMMAND...: runs it under the agent, with $config among the settings; traces go to DIRECTORY.d, the
# stolen_ms() of that time to DIRECTORY.stolen. With INSIDE=yes the program's own processes write them, as they do if no
# other process can.
config=''
meter=env
sampled() {
    directory=$scratch/$1.d
    before=$(stolen_ms)
    shift
    mkdir -p "$directory"
    chmod 777 "$directory"
    settings="{\"directory\":\"$directory\",\"prefix\":\"run\",\"seed\":1$config}"
    if [ -n "${INSIDE:-}" ]; then
        $meter ASSAY_RECORD="$settings" LD_PRELOAD=$agent "$@"
    else
        "$build/tests/sample/kept" "$settings" $meter LD_PRELOAD=$agent "$@"
    fi
    status=$?
    echo $(($(stolen_ms) - before)) >"${directory%.d}.stolen"
    return $status
}

# metered DIRECTORY COMMAND...: the same; DIRECTORY.used gets the CPU time in ms of all its processes and threads,
# including the agent's, and DIRECTORY.burns what victims with burn.h print
metered() {
    meter="./usage $1.used env BURNS=$scratch/$1.burns"
    sampled "$@"
    status=$?
    meter=env
    return $status
}

# lines DIRECTORY REGEXP: the matching lines of trace_text for all traces in it
lines() {
    ./trace_text "$1".d/*.trace | grep -E -- "$2"
}

# lost DIRECTORY CAUSE: how many ticks were lost by this cause
lost() {
    ./trace_text "$1".d/*.trace | awk -v cause="$2" '/^lost/ {n = $NF; sub(/^lost /, ""); sub(/ [0-9]+$/, "");
        if ($0 == cause) sum += n} END {print sum + 0}'
}

# wait_for FILE: waits until it has contents, half a minute at most; without them a later check fails
wait_for() {
    wait_until 30 test -s "$1"
}

# wait_sampled DIRECTORY PROGRAM: waits until the trace has two samples, a minute at most; prints the program's process
# id
wait_sampled() {
    tries=0
    until [ "$(samples "$1" 2>/dev/null)" -ge 2 ] || [ $tries -ge 300 ]; do
        sleep 0.2
        tries=$((tries + 1))
    done
    lines "$1" '^thread' | awk -v program="$2" '$0 ~ program {print $3}'
}

# stolen_ms: for how long the host has run something else than this machine so far: an upper limit for any thread
stolen_ms() {
    awk -v hz="$(getconf CLK_TCK)" '/^cpu / {printf "%.0f", $9 * 1000 / hz}' /proc/stat
}

# traces DIRECTORY: their number
traces() {
    find "$1".d -name '*.trace' | wc -l
}

# cpu_ms DIRECTORY: the CPU time of all threads while they were observed
cpu_ms() {
    lines "$1" '^thread' | awk '{sum += $NF - $(NF - 2)} END {printf "%.3f", sum / 1e6}'
}

# burnt_ms DIRECTORY: the CPU time that a metered program meant to use
burnt_ms() {
    awk '/^burnt/ {sum += $2} END {printf "%.3f", sum}' "$1.burns"
}

# While the machine stands still, CPU time may go on, but no clock ticks. For a metered program and a clock of PERIOD ms
# ± 30 %, whose intervals count as two from 1.8 periods on, where everything outside the program's burns is unknown:
# hidden DIRECTORY PERIOD: how many ticks at most could not give a sample because of that
hidden() {
    awk -v period="$2" -v cpu="$(cpu_ms "$1")" '/^burnt/ {cpu -= $2}
        /^jump/ && $2 > period / 2 {sum += int($2 / period + 1.8) - 1} END {print sum + int(cpu / period + 0.8)}' "$1.burns"
}
# merged DIRECTORY PERIOD: how many at most were not counted, because an interval was longer, but not by enough
merged() {
    awk -v period="$2" -v cpu="$(cpu_ms "$1")" '/^burnt/ {cpu -= $2}
        /^jump/ {n = $2 / period; sum += n < 0.8 ? n : 0.8} END {print sum + cpu / period}' "$1.burns"
}

# late_ticks DIRECTORY: the ticks of `late attach` according to the times of a process's threads: CPU time before a
# thread was seen, minus what the earlier program's trace has of the thread (its last one) that became this program
late_ticks() {
    find "$1".d -name '*.trace' | sort -r | xargs ./trace_text | awk '
        function settle() {sum += int(late / 1e7); late = 0; had = has}
        /^meta/ {settle()}
        /^thread/ {late += $(NF - 2) - had; had = 0; has = $NF}
        END {settle(); print sum}'
}

# samples DIRECTORY: their number
samples() {
    lines "$1" '^sample' | wc -l
}

# ticks DIRECTORY: the number of those that gave a sample and those that could not
ticks() {
    echo $(($(samples "$1") + $(lost "$1" 'not delivered')))
}

# waited DIRECTORY: how many more ticks may have come than its CPU time allows: any number where ticks come in wall
# time, because then they also come to a thread that waits for a processor
waited() {
    lines "$1" '^meta' | awk '/"interval_clock": "wall"/ {wall = 1} END {print wall ? 1000000 : 0}'
}

# spread DIRECTORY: five sd of the number of ticks of a clock of 10 ms ± 30 %, of a few threads, and 6 at least. The
# variance of an interval is 0.3²/3 = 0.03 squared periods, so that of n ticks is 0.03 n. In wall time those are chosen
# at random, besides, that come to a thread that waits for a processor.
spread() {
    lines "$1" '^thread' | awk -v wall_clock="$(waited "$1")" '
        {cpu += $NF - $(NF - 2); wall += $(NF - 1) - $(NF - 3)}
        END {
            free = wall_clock && wall > cpu ? 1 - cpu / wall : 0
            n = cpu / 1e7
            printf "%.3f", 5 * sqrt((0.03 * n > 1.44 ? 0.03 * n : 1.44) + free * n)
        }'
}

# most_ticks DIRECTORY: the greatest number of ticks of a clock of 10 ms: in CPU time, and in stolen time
most_ticks() {
    awk -v cpu="$(cpu_ms "$1")" -v stolen="$(cat "$1.stolen")" -v waited="$(waited "$1")" -v spread="$(spread "$1")" \
        'BEGIN {print (cpu + stolen) / 10 + spread + waited}'
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
