#!/bin/sh
# assay inject in native programs: calls of static functions, inlined copies, libraries, C++ and child processes are
# counted, and the program behaves as before; a profile has the work in its function; all errors.
# alone: it measures slopes of times.
. "$(dirname "$0")/../native/lib.sh"
unset ASSAY_INJECT
programs=$build/libexec/assay
inject() {
    "$programs/assay-inject" "$@" 2>err
}
# field COLUMN ROW: of table.csv, whose quoted cells have a comma only in the last column here
field() {
    awk -F, -v name="$1" -v row="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i } NR == row + 1 { print $at }' "${table:-table.csv}"
}
# worked METHOD AMOUNT COMMAND...: injects work; the table is in table.csv, the output in out
worked() {
    method=$1 amount=$2
    shift 2
    rm -f table.csv
    inject -q --method "$method" --amount "$amount" --runs 1 -o table.csv -- "$@" >out
}
hooks=-finstrument-functions
compile injected -O2 -g $hooks || exit 1
truth=$(./injected 1000)

# --- what is counted ---
for method in find injected:find injected.c:find sort; do
    worked $method 50 ./injected 1000
    calls=1000
    [ "$method" != sort ] || calls=500
    is "$? $(tr '\n' ' ' <out)$(field calls 1)|$(field calls 2)|$(field inlined 2)|$(field status 2)" \
        "0 $truth $truth |$calls|no|ok" "$method: its calls are counted, and the program behaves as before"
done
ok "$(awk -v jvm="$(field jvm_cpu_ms 2)" -v all="$(field cpu_ms 2)" 'BEGIN { print !(jvm > 0 && jvm <= all + 10) }')" \
    'jvm_cpu_ms is the CPU time of the process with hooks, at most that of the command'
is "$(field compiled 1) $(field guard 2) $(field bytes 1)" "native ok $(nm -S injected | awk '$4 == "sort" { print "0x" $2 }' | xargs printf '%d')" \
    'the size of its code is that of nm'
inject --method tiny --amount 50 --runs 1 -o tiny.csv -- ./injected 1000 >out
is "$(table=tiny.csv field calls 2) $(table=tiny.csv field inlined 2)" '500 yes' \
    'calls of an inlined function are counted'
like err 'tiny runs in inlined copies' '  a note says what that means for profilers'
worked find 3 ./injected 1000
worked find 20 ./injected 1000 --never
is "$? $(field calls 2)" '0 1000' 'a command with arguments'
rm -f table.csv
inject -q --method find --work alloc --amount 5 --runs 1 -o table.csv -- ./injected 1000 >out
is "$? $(field calls 2) $(field injected_ms 2)" '0 1000 ' '--work alloc: the injected time is not known'
rm -f table.csv
inject -q --method find --work array --amount 5 --runs 1 -o table.csv -- ./injected 1000 >out
is "$? $(tr '\n' ' ' <out)$(field calls 2) $(field work 2) $(field injected_ms 2)" "0 $truth $truth 1000 array " \
    '--work array: the calls are counted, and the program behaves as before'

# --- libraries, one of them loaded later; static functions of the same name; child processes; C++ ---
cat >part.c <<'END'
static __attribute__((noinline)) int find(int x) { __asm__ volatile("" : "+r"(x)); return x + 1; }
int part(int x) { return find(x); }
END
cat >late.c <<'END'
int late(int x) { __asm__ volatile("" : "+r"(x)); return x + 2; }
END
cat >whole.c <<'END'
#include <dlfcn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
int part(int x);
static __attribute__((noinline)) int find(int x) { __asm__ volatile("" : "+r"(x)); return x + 3; }
int main(void)
{
    int sum = 0;
    for (int i = 0; i < 100; i++)
        sum += find(i) + part(i);
    void *library = dlopen("./late.so", RTLD_NOW);
    int (*late)(int) = library ? (int (*)(int))dlsym(library, "late") : 0;
    for (int i = 0; late && i < 70; i++)
        sum += late(i);
    if (fork() == 0) {
        for (int i = 0; i < 30; i++)
            sum += find(i);
        _exit(0);
    }
    wait(NULL);
    printf("%d\n", sum);
    return 0;
}
END
gcc -O1 $hooks -fPIC -shared -o libpart.so part.c && gcc -O1 $hooks -fPIC -shared -o late.so late.c &&
    gcc -O1 $hooks -o whole whole.c -L. -lpart -Wl,-rpath,"$scratch" -ldl || exit 1
worked whole.c:find 10 ./whole
is "$? $(field calls 2)" '0 130' 'FILE:NAME is one of two static functions, also in a forked child'
worked libpart.so:find 10 ./whole
is "$? $(field calls 2)" '0 100' '  LIBRARY:NAME is the other one'
worked late 10 ./whole
is "$? $(field calls 2)" '0 70' 'a function of a library that is loaded with dlopen'
cat >names.cc <<'END'
#include <cstdio>
namespace shop {
template <typename T> struct Till { __attribute__((noinline)) T add(T x) { asm volatile("" : "+m"(x)); return x; } };
__attribute__((noinline)) int sell(int x) { asm volatile("" : "+r"(x)); return x; }
__attribute__((noinline)) int sell(long x, char) { asm volatile("" : "+r"(x)); return (int)x; }
}
int main()
{
    shop::Till<int> till;
    int s = 0;
    for (int i = 0; i < 40; i++)
        s += shop::sell(i) + (i % 2 ? shop::sell(1L, 'x') : till.add(i));
    printf("%d\n", s);
}
END
g++ -O1 $hooks -o names names.cc || exit 1
for case in 'shop::sell(int) 40' 'shop::sell(long, char) 20' 'shop::Till<int>::add 20' _ZN4shop4sellEi\ 40; do
    worked "${case% *}" 10 ./names
    is "$? $(grep -c ',ok,ok,' table.csv)" '0 2' "C++: ${case% *}: the points are valid"
    grep -q ",fib,10,1,[0-9.]*,[0-9.]*,${case##* }," table.csv
    ok $? "  its ${case##* } calls are counted" || sed 's/^/# /' table.csv
done

# --- in a profile ---
# Without work the program is long enough for a sample, also of a clock in wall time
"$programs/assay-inject" -q --method find --amount 30000 --runs 1 -o recorded.csv -- \
    "$programs/assay-record" -q -p 1ms -o 'out-{amount}' -- ./injected 40000 >out 2>err
is "$? $(table=recorded.csv field calls 2)" '0 40000' 'work and a recorder run in the same process'
"$programs/assay-hot" -q --inclusive --format csv out-30000/*.trace >hot
# 30000 rounds of work to 300 of anything else
between 0.9 "$(awk -F, '$2 == "find" { print $3 }' hot)" 1 \
    "with much work, at least 90 % of the samples are the function's"
"$programs/assay-causality" -q --injected recorded.csv --format csv out-*/*.trace >slopes
is "$(tail -n +2 slopes | cut -d, -f1-3)" random,fib,find 'assay causality accepts the traces'
between 0.7 "$(tail -n +2 slopes | cut -d, -f4)" 1.3 \
    "  the slope is close to 1: the hook counts as the function's own time" || sed 's/^/# /' slopes
# find takes two thirds of the time
"$programs/assay-record" -q -p 1ms -o long -- ./injected 1000000 >out 2>err
"$programs/assay-inject" -q --hot 1 --from "$(echo long/*.trace)" --amount 20 --runs 1 -o hot.csv -- ./injected 1000 >out 2>err
is "$? $(tail -n 1 hot.csv | cut -d, -f1,7)" '0 find,1000' '--hot 1 --from: the hottest function of a trace'
cp hot.csv before.csv
inject --hot 1 --from "$(echo long/*.trace)" --amount 20 --runs 1 -o hot.csv -- ./injected 1000 >out
is "$? $(wc -l <out) $(grep -c '2 of 2 runs; 0 to go' err) $(cmp hot.csv before.csv)" '0 0 1 ' '  again: nothing is run'
inject --hot 2 --from "$(echo long/*.trace)" --amount 20 --runs 1 -o hot.csv -- ./injected 1000 >out
is "$? $(wc -l <out) $(grep -c '2 of 4 runs; 2 to go' err) $(tail -n 1 hot.csv | cut -d, -f1,7)" '0 2 1 sort,500' \
    '  --hot 2: another method is added'
inject --hot 9 --from "$(echo long/*.trace)" --amount 20 --runs 1 -o all.csv -- ./injected 1000 >out
own='(methods_mark|probe_go_on|shadow_inside|__cyg_profile_func_[a-z]*)'
"$programs/assay-hot" -q --top 0 --format csv long/*.trace >hot
like hot "\"?$own\"?," 'a profile has samples in the hooks of the recorder'
unlike err "passed over: $own[a-z_]*:" '  --hot does not consider those'

# --- hot functions that can be measured ---
# With work, grows() has other code, as if the program had been recompiled.
cat >apart.c <<'END'
#include <stdio.h>
static volatile unsigned sink;
void grows(unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        sink += i;
#ifdef MORE
    sink *= n + 3;
#endif
}
void stays(unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        sink ^= i;
}
int main(void)
{
    for (int i = 0; i < 1000; i++) {
        grows(1000);
        stays(1000);
    }
    printf("%u\n", sink);
}
END
gcc -O1 -fno-inline $hooks -o apart-0 apart.c && gcc -O1 -fno-inline $hooks -DMORE -o apart-1 apart.c || exit 1
needs tests/make_trace
# profile FILE FUNCTION SAMPLES...
profile() {
    file=$1
    shift
    printf '%s\n' "$@" | awk 'NR % 2 { name = $1; next } { for (i = 0; i < $1; i++) { t += 1e7; printf "t %d %.0f %.0f main;%s\n", t / 1e7, t, t, name } }' |
        "$build/tests/make_trace" "$file" clock=random period_ns=10000000
}
profile apart.trace grows 60 stays 40
inject --hot 1 --from apart.trace --amount 20 --runs 2 -o apart.csv -- sh -c './apart-$(({amount} > 0))' >out
is "$? $(cut -d, -f1,3,4 apart.csv | tail -n +2 | tr '\n' ' ')" '0 grows,0,1 grows,20,1 stays,0,1 stays,20,1 stays,0,2 stays,20,2 ' \
    '--hot: a function whose guard is invalid is passed over after a trial'
like err '^assay-inject: note: grows is passed over: with work of 20 a call: invalid: [0-9]+ bytes of code' \
    '  a note says why'
inject --hot 2 --from apart.trace --amount 20 --runs 1 -o apart.csv -- sh -c './apart-$(({amount} > 0))' >out
is "$? $(grep -c '^assay-inject: only 1 of 2 methods can be made slower.*, of 2 that were tried$' err)" '1 1' \
    '  a line says that fewer can be made slower than requested'
inject --hot 1 --from apart.trace --slowdown 0.5 --steps 2 --plan plan -o plan.csv -- sh -c './apart-$(({amount} > 0))' >out
is "$? $(sed 's/[0-9]/9/g; s/9*,9*$/9,9/' plan) $(cut -d, -f1 plan.csv | tail -n +2 | uniq -c | tr -s ' \n' ' ')" '0 stays	9,9  2 grows 3 stays ' \
    '--plan: a function with its amounts, after a pilot and a trial of the largest'
between 0.49 "$(awk -v base="$(table=plan.csv field cpu_ms 3)" -v most="$(table=plan.csv field injected_ms 5)" 'BEGIN { print most / base }')" 0.51 \
    '  --slowdown 0.5: the largest amount takes half of the CPU time'
inject --hot 1 --from apart.trace --slowdown 0.5 --steps 2 --runs 1 -o plan.csv -- sh -c './apart-$(({amount} > 0))' >out
is "$? $(cut -f 2 plan) $(awk -F, '$1 == "stays" { print $3 }' plan.csv | sort -n | tail -n 2 | paste -s -d , -)" "0 $(cut -f 2 plan) $(cut -f 2 plan)" \
    '  without --plan these amounts are injected'
# From runs in a table: f takes 2 ms for an amount of 10, and 500 of 1000 ms are requested; h would need 2e8 rounds per
# call.
cat >fixed.csv <<'END'
method,work,amount,run,program_ms,cpu_ms,calls,injected_ms,compiled,inlined,size_class,guard,status,jvm_ms,jvm_cpu_ms,java_cpu_ms,bytes,start_java_ms,command
f,fib,0,1,2000,1900,,0,C2,no,<=35,ok,ok,1800,1500,1000,20,100,c
f,fib,10,1,2000,1900,9,2,C2,no,<=325,ok,ok,1800,1500,1000,20,100,c
f,fib,2500,1,2000,1900,9,500,C2,no,<=325,ok,ok,1800,1500,1000,20,100,c
g,fib,0,1,2000,1900,,0,C2,yes,<=35,ok,ok,1800,1500,1000,20,100,c
g,fib,10,1,2000,1900,9,2,C2,no,<=325,invalid: inlined no (without work: yes),ok,1800,1500,1000,20,100,c
h,fib,0,1,2000,1900,,0,C2,no,<=35,ok,ok,1800,1500,1000,20,100,c
h,fib,10,1,2000,1900,3,0.000025,C2,no,<=325,ok,ok,1800,1500,1000,20,100,c
i,fib,0,1,2000,1900,,0,C2,no,<=35,ok,ok,1800,1500,1000,20,100,c
i,fib,10,1,2000,1900,9,2,C2,no,<=325,ok,ok,1800,1500,,20,100,c
END
profile fixed.trace g 40 h 30 f 20 i 10
inject --hot 1 --from fixed.trace --slowdown 0.5 --steps 2 --plan fixed -o fixed.csv -- c >out
is "$? $(cat fixed)" '0 f	1250,2500' \
    'amounts follow from the CPU time of Java threads, the calls and the cost of a round'
like err 'h is passed over: its 3 calls would have to take 2e\+08 rounds of work each$' \
    '  a function that is rarely called is passed over'
like err 'g is passed over: with work of 10 a call: invalid: inlined no \(without work: yes\)$' \
    '  so is one that the JIT compilers treat differently'
is "$(grep -c 'passed over' err)" 2 '  no other is'
# A largest amount that the guard rejects is halved: 2500 and 1250 are invalid, 624 (two steps of 312) is not.
{
    sed '/^f,fib,2500/s/,ok,ok,/,invalid: compiled C1 (without work: C2),ok,/' fixed.csv
    echo 'f,fib,1250,1,2000,1900,9,250,C1,no,<=325,invalid: compiled C1 (without work: C2),ok,1800,1500,1000,20,100,c'
    echo 'f,fib,624,1,2000,1900,9,125,C2,no,<=325,ok,ok,1800,1500,1000,20,100,c'
} >halved.csv
inject --method f --slowdown 0.5 --steps 2 --plan halved -o halved.csv -- c >out
is "$? $(cat halved)" '0 f	312,624' '--method with --slowdown: amounts that the guard rejects are halved'
is "$(grep -c 'f: with work of .*invalid: compiled C1.*; half of it is tried$' err)" 2 '  a note each time'
sed '/^f/s/,ok,ok,/,invalid: compiled C1 (without work: C2),ok,/' fixed.csv >third.csv
inject --hot 1 --from fixed.trace --slowdown 0.5 --steps 2 --plan fixed -o third.csv -- c >out
is "$? $(cat fixed) $(grep -c 'passed over' err)" '1  3' 'three functions are tried for each that is requested'

# --- errors ---
# refused MESSAGE WHAT METHOD COMMAND...
refused() {
    message=$1 what=$2 method=$3
    shift 3
    worked "$method" 20 "$@"
    is "$? $(wc -l <err)" '1 1' "$what"
    like err "$message" "  $message" || sed 's/^/# /' err
}
refused 'several functions: write .*find or .*find' \
    'two static functions of the same name: status 1 and one line' find ./whole
refused 'several functions: write names:shop::sell(.*) or names:shop::sell(.*)' \
    'overloaded functions: status 1 and one line' shop::sell ./names
refused 'never: the function is not called in this command' \
    'a function that is never called: status 1 and one line' never ./injected 10
refused 'no program or library .* has a function of that name' \
    'an unknown function: status 1 and one line' none ./injected 10
refused 'no program or library .* has a function of that name' \
    'a function of another file: status 1 and one line' part.c:main ./whole
gcc -O1 -o plain "$root/tests/victims/injected.c" || exit 1
refused 'compile it with -finstrument-functions' 'a program without hooks: status 1 and one line' find ./plain 10
inject -q --method find --method none --method sort --amount 20 --runs 1 -o several.csv -- ./injected 100 >out
is "$? $(cut -d, -f1,3 several.csv | tail -n +2 | tr '\n' ' ')" '1 find,0 find,20 sort,0 sort,20 ' \
    'an unknown function among others: the others are measured'
inject --hot 2 --amount 20 -- true >out
is $? 2 '--hot without --from: status 2'
inject --method find --plan p -- true >out
is "$? $(grep -c -e '--plan is of --hot N or --slowdown S' err)" '2 1' '--plan without --slowdown: status 2'
inject --hot 1 --from apart.trace --slowdown 0.5 --amount 20 -- true >out
is "$? $(grep -c 'not both' err)" '2 1' '--slowdown with --amount: status 2'
inject --hot 1 --from apart.trace --slowdown 0 -- true >out
is "$? $(grep -c 'a number above 0' err)" '2 1' '--slowdown 0: status 2'
inject -q --hot 2 --from whole.c --amount 20 -- true >out
is "$? $(grep -c 'finds no method' err)" '1 1' '--from with a file that is not a trace: status 1'
inject -q --method find --amount 20 --runs 1 -o rebuilt.csv -- ./injected 100 >out
gcc -O0 $hooks -o injected "$root/tests/victims/injected.c" || exit 1
inject --method find --amount 20,40 --runs 1 -o rebuilt.csv -- ./injected 100 >out
is "$? $(table=rebuilt.csv field guard 2) $(table=rebuilt.csv field guard 3 | cut -d' ' -f1)" '0 ok invalid:' \
    'a program that was recompiled in between: the point is invalid'
# --- a program that takes no library is left alone ---
"${CC:-gcc}" -std=c17 -O1 $hooks -fsanitize=address -o sanitized "$root/tests/victims/injected.c" || exit 1
inject -q --method find --amount 50 --runs 1 -o sanitized.csv -- ./sanitized 1000 >out
is "$? $(wc -l <err) $(wc -c <out)" '1 1 0' 'a program with a sanitizer: status 1, one line, and it is not run'
like err '^assay-inject: ./sanitized: it was compiled with a sanitizer' '  which says why'
done_testing
