#!/bin/sh
# assay inject in native programs: calls of static functions, inlined copies, libraries, C++ and child processes are
# counted, and the program behaves as before; a profile has the work in its function; all errors.
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
"${CC:-gcc}" -std=c17 -O1 $hooks -fsanitize=address -o sanitized "$root/tests/victims/injected.c" || exit 1
inject -q --method find --amount 50 --runs 1 -o sanitized.csv -- ./sanitized 1000 >out
is "$? $(wc -l <err) $(wc -c <out)" '1 1 0' 'a program with a sanitizer: status 1, one line, and it is not run'
like err '^assay-inject: ./sanitized: it was compiled with a sanitizer' '  which says why'
done_testing
