#!/bin/sh
# Programs whose calls are chosen at random by engines watch and trampoline do what they do alone, however they leave a call;
# which engine is taken, and what is refused. None of this depends on time: calls.t has what calls take.
. "$(dirname "$0")/calls.sh"
"${CXX:-g++}" -O1 -g -pthread -fno-optimize-sibling-calls -o rough "$victims/rough.cc" || exit 1
"${CXX:-g++}" -std=c++17 -O1 -g -pthread -fno-stack-protector -o hard "$victims/hard.cc" || exit 1
"${CXX:-g++}" -std=c++17 -O1 -g -pthread -c -o seen.o "$victims/seen.cc" && "${CXX:-g++}" -pthread -o seen seen.o &&
    "${CXX:-g++}" -pthread -static-libgcc -static-libstdc++ -o seen-static seen.o || exit 1

check_engine() {
    rm -rf rough-* hard-* seen-[0-9] seen-static-* killed
    # Programs that leave calls in other ways than by a return
    ./rough 40 >alone
    for period in 3ms 500us; do
        chosen "rough-$period" -p $period -- ./rough 40
        is "$? $(cat "rough-$period.out")" "0 $(cat alone)" "every $period: jumps, exceptions, other stacks, threads: the program does the same"
        for trace in "rough-$period"/*.trace; do "$dump" --kind instance "$trace" 2>>err | sed 1d; done | cut -d, -f 3 >whats
        # a process may end in a call that was chosen
        is "$(awk -v processes="$(ls "rough-$period" | wc -l)" '{ n[$1]++ } END { open = n["call"] - n["return"] - n["left"] - n["given-up"]
            print (n["call"] > 20), (open >= 0 && open <= n["unfinished"] + processes) }' whats)" \
            '1 1' '  every chosen call has an end' || sort whats | uniq -c | sed 's/^/# /'
    done
    ./hard >alone
    for seed in 1 2 3; do
        timeout -k 1 600 "$record" -q -m calls -E $engine -p 500us --max-cost 100% --seed $seed -o hard-$seed -- ./hard >out 2>err
        is "$? $(cat out)" "7 $(cat alone)" "frames of every size, code that can't be read, threads at the end: seed $seed does the same" || cat err
    done
    for program in seen seen-static; do
        ./$program >alone
        for seed in 1 2 3; do
            timeout -k 1 600 "$record" -q -m calls -E $engine -p 500us --max-cost 100% --seed $seed -o $program-$seed -- ./$program >out 2>err
            is "$? $(cat out)" "3 $(cat alone)" "$program, made code, exceptions, backtraces, traps of inexact results: seed $seed does the same" || cat err
        done
    done
    # after a second of CPU time, however long it takes
    # shellcheck disable=SC2016
    "$record" -q -m calls -E $engine -p 1ms --max-cost 100% -o killed -- sh -c './known 100000 & known=$!
        while [ "$(awk "{ print \$14 + \$15 < 100 }" /proc/$known/stat)" = 1 ]; do sleep 0.1; done
        kill -9 $known; wait' >out 2>err
    is $? 0 'a program that is killed'
    "$variance" --format csv killed/*.trace >out 2>err
    is "$(awk -F, '$1 == "constant" && $3 > 4 { n++ } END { print n + 0 }' out)" 2 '  its calls so far are in the trace'
}
for engine in $engines; do
    echo "# engine $engine"
    check_engine
done

# Which engine is taken
"${CC:-gcc}" -std=gnu17 -D_GNU_SOURCE -O1 -o machine "$root/tests/machines/machine.c" || exit 1
# on MACHINE ENGINE: records there; skips it where machines can't be imitated
on() {
    ./machine "$1" "$record" -m calls -E "$2" -p 3ms -o "on-$1" -- ./known 100 >out 2>err
    status=$?
    [ $status != 77 ]
}
case $engines in *trampoline*)
    if on no-traps auto; then
        is $status 0 'where debug registers do not trap: the program is recorded'
        like err 'engine trampoline finds the calls: .*no watchpoints: ' '  by steps and stubs, and one line says why'
        "$variance" --format csv on-no-traps/*.trace 2>err | grep -q '^work,'
        ok $? '  and its calls are found'
        "$variance" on-no-traps/*.trace 2>err | grep -q 'found by steps (engine trampoline), which miss'
        ok $? '  which the table says'
        on no-traps watch
        is $status 1 '  but not by debug registers'
        on shadow-stacks trampoline
        is $status 1 'where the processor checks return addresses, stubs are refused'
        like err 'shadow stacks' '  and one line says why'
    fi
    ;;
esac

# What does not go
"$record" -q -m calls --counters wall-time -o no -- true 2>err
is $? 2 'a counter of mode methods: status 2'
like err 'is for --mode methods; --mode calls has cpu-time' '  one line says which there are'
"$record" -q -m calls --engine exact -o no -- true 2>err
is $? 2 'engine exact: status 2'
"$record" -q -m cpu --arguments -o no -- true 2>err
is $? 2 '--arguments in another mode: status 2'
"$record" -q -m calls --registers 2 -o no -- true 2>err
is $? 2 'an option of another mode: status 2'
done_testing
