#!/bin/sh
# assay inject in native programs: calls of static functions, inlined copies, libraries, C++ and child processes are
# counted, and the program does what it did; the work is the function's in a profile; every way to go wrong.
. "$(dirname "$0")/../native/lib.sh"
unset ASSAY_INJECT
programs=$build/libexec/assay
inject() {
    "$programs/assay-inject" "$@" 2>err
}
# field COLUMN ROW: of table.csv, whose quoted cells have no comma here but in the last column
field() {
    awk -F, -v name="$1" -v row="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i } NR == row + 1 { print $at }' "${table:-table.csv}"
}
# worked METHOD AMOUNT COMMAND...: into table.csv, output in out
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
        "0 $truth $truth |$calls|no|ok" "$method: its calls, and the program does what it did"
done
ok "$(awk -v jvm="$(field jvm_cpu_ms 2)" -v all="$(field cpu_ms 2)" 'BEGIN { print !(jvm > 0 && jvm <= all + 10) }')" \
    'the CPU time of the process with hooks, without what runs it'
is "$(field compiled 1) $(field guard 2) $(field bytes 1)" "native ok $(nm -S injected | awk '$4 == "sort" { print "0x" $2 }' | xargs printf '%d')" \
    'the size of its code, as nm has it'
inject --method tiny --amount 50 --runs 1 -o tiny.csv -- ./injected 1000 >out
is "$(table=tiny.csv field calls 2) $(table=tiny.csv field inlined 2)" '500 yes' 'calls of a function that is inlined'
like err 'tiny runs in inlined copies' '  and what that means for profilers is told'
worked find 3 ./injected 1000
worked find 20 ./injected 1000 --never
is "$? $(field calls 2)" '0 1000' 'a small odd amount and arguments of the command'
rm -f table.csv
inject -q --method find --work alloc --amount 5 --runs 1 -o table.csv -- ./injected 1000 >out
is "$? $(field calls 2) $(field injected_ms 2)" '0 1000 ' 'objects, whose time is not known'

# --- libraries, one of them loaded later; static functions of one name; children; C++ ---
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
is "$? $(field calls 2)" '0 130' 'one of two static functions of a name, in the child of a fork, too'
worked libpart.so:find 10 ./whole
is "$? $(field calls 2)" '0 100' 'the other one, which is in a library'
worked late 10 ./whole
is "$? $(field calls 2)" '0 70' 'a function of a library that is loaded later'
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
    is "$? $(grep -c ',ok,ok,' table.csv)" '0 2' "C++: ${case% *}"
    grep -q ",fib,10,1,[0-9.]*,[0-9.]*,${case##* }," table.csv
    ok $? "  is called ${case##* } times" || sed 's/^/# /' table.csv
done

# --- in a profile ---
# Without work it is long enough for a sample, where these come in wall time, too
"$programs/assay-inject" -q --method find --amount 30000 --runs 1 -o recorded.csv -- \
    "$programs/assay-record" -q -p 1ms -o 'out-{amount}' -- ./injected 40000 >out 2>err
is "$? $(table=recorded.csv field calls 2)" '0 40000' 'work and a recorder in one process'
"$programs/assay-hot" -q --inclusive --format csv out-30000/*.trace >hot
# 30000 rounds of work to 300 of anything else
between 0.9 "$(awk -F, '$2 == "find" { print $3 }' hot)" 1 'with much work, all time is the function'"'"'s'
"$programs/assay-causality" -q --injected recorded.csv --format csv out-*/*.trace >slopes
is "$(tail -n +2 slopes | cut -d, -f1-3)" random,fib,find 'assay causality takes the traces'
between 0.7 "$(tail -n +2 slopes | cut -d, -f4)" 1.3 '  and counts the hook as the function'"'"'s own' || sed 's/^/# /' slopes
# find does two thirds of it
"$programs/assay-record" -q -p 1ms -o long -- ./injected 1000000 >out 2>err
"$programs/assay-inject" -q --hot 1 --from "$(echo long/*.trace)" --amount 20 --runs 1 -o hot.csv -- ./injected 1000 >out 2>err
is "$? $(tail -n 1 hot.csv | cut -d, -f1,7)" '0 find,1000' 'the hottest one of a trace'
cp hot.csv before.csv
inject --hot 1 --from "$(echo long/*.trace)" --amount 20 --runs 1 -o hot.csv -- ./injected 1000 >out
is "$? $(wc -l <out) $(grep -c '2 of 2 runs; 0 to go' err) $(cmp hot.csv before.csv)" '0 0 1 ' 'what is done is not done again'
inject --hot 2 --from "$(echo long/*.trace)" --amount 20 --runs 1 -o hot.csv -- ./injected 1000 >out
is "$? $(wc -l <out) $(grep -c '2 of 4 runs; 2 to go' err) $(tail -n 1 hot.csv | cut -d, -f1,7)" '0 2 1 sort,500' \
    'and more methods are added'
inject --hot 9 --from "$(echo long/*.trace)" --amount 20 --runs 1 -o all.csv -- ./injected 1000 >out
own='(methods_mark|probe_go_on|shadow_inside|__cyg_profile_func_[a-z]*)'
"$programs/assay-hot" -q --top 0 --format csv long/*.trace >hot
like hot "\"?$own\"?," 'a profile has samples in the hooks of the recorder, too'
unlike err "left out: $own[a-z_]*:" '  nothing is injected into those'

# --- what can't be ---
# refused MESSAGE WHAT METHOD COMMAND...
refused() {
    message=$1 what=$2 method=$3
    shift 3
    worked "$method" 20 "$@"
    is "$? $(wc -l <err)" '1 1' "$what"
    like err "$message" "  $message" || sed 's/^/# /' err
}
refused 'several functions: write .*find or .*find' 'two static functions of a name' find ./whole
refused 'several functions: write names:shop::sell(.*) or names:shop::sell(.*)' 'overloads' shop::sell ./names
refused 'never: the function is not called in this command' 'a function that never runs' never ./injected 10
refused 'no program or library .* has a function of that name' 'no such function' none ./injected 10
refused 'no program or library .* has a function of that name' 'not in that file' part.c:main ./whole
gcc -O1 -o plain "$root/tests/victims/injected.c" || exit 1
refused 'compile it with -finstrument-functions' 'a program without hooks' find ./plain 10
inject -q --method find --method none --method sort --amount 20 --runs 1 -o several.csv -- ./injected 100 >out
is "$? $(cut -d, -f1,3 several.csv | tail -n +2 | tr '\n' ' ')" '1 find,0 find,20 sort,0 sort,20 ' 'several: the others are done'
inject --hot 2 --amount 20 -- true >out
is $? 2 'the hottest of nothing'
inject -q --hot 2 --from whole.c --amount 20 -- true >out
is "$? $(grep -c 'finds no method' err)" '1 1' 'the hottest of what is no trace'
inject -q --method find --amount 20 --runs 1 -o rebuilt.csv -- ./injected 100 >out
gcc -O0 $hooks -o injected "$root/tests/victims/injected.c" || exit 1
inject --method find --amount 20,40 --runs 1 -o rebuilt.csv -- ./injected 100 >out
is "$? $(table=rebuilt.csv field guard 2) $(table=rebuilt.csv field guard 3 | cut -d' ' -f1)" '0 ok invalid:' \
    'a program that was compiled anew meanwhile: the point is invalid'
done_testing
