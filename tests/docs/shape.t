#!/bin/sh
# tests/shape: what it counts in made-up files, and what it refuses.
LC_ALL=C
export LC_ALL
. "$(dirname "$0")/../tap.sh"
scratch
mkdir -p tests one two
cp "$root/tests/shape" tests/

cat >one/a.c <<'END'
/* A comment
 * of two lines. */
#include <assert.h>
static int used_once(int a);
static int used_twice(int a)
{
    assert(a); // "a comment"
    return a;
}

static int used_once(int a)
{
    return a;
}
__attribute__((format(printf, 1, 2))) void print_all(const char *format,
                                                     ...)
{
    puts("used_twice() /* not a comment { */");
    used_twice(used_once('"') + used_twice(1));
}

static const struct pair pairs[] =
{
    {used_twice},
};

int main(void)
{
}
END
cat >two/b.c <<'END'
void other(void)
{
    /* 1 */ /* 2 */
}

int main(void)
{
    other();
}
END
tests/shape one two >out
is "$? $(sed -n 1p out)" '0 6 functions in 38 lines of 2 files' 'functions, lines and files are counted'
is "$(sed -n 2p out)" 'lines of a function: 100 % have at most 8, median 1, 95th percentile 2, longest 2' '  and the lines of functions'
is "$(sed -n 3p out)" 'static functions: 2, 50 % of them called once' '  and static functions that are called once, whose declarations are no calls'
is "$(sed -n 4p out)" 'repeated names: 0 functions, 0.0 %' '  and no repeated name: every program has a main'
is "$(sed -n 5p out)" 'comment lines: 10.5 %; asserts: 1' '  and comments, outside of texts, and asserts'

# function NAME LINES: a function with so many lines
function() {
    printf 'void %s(void)\n{\n' "$1"
    awk -v n="$2" 'BEGIN { for (i = 0; i < n; i++) print "    f();" }'
    printf '}\n\n'
}
function long 60 >one/long.c
tests/shape one >out
is "$?" 0 'a function of 60 lines passes'
function longer 61 >>one/long.c
tests/shape one >out
is "$? $(sed -n 1p out)" '1 one/long.c:65: longer has 61 lines, more than 60' 'a function of 61 lines fails, and its place is shown'
rm one/long.c

awk 'BEGIN { for (i = 0; i < 61; i++) print "void f" i "(void)\n{\n}\n" }' >two/many.c
function other 1 >one/c.c
tests/shape one two >out
is "$? $(grep '^repeated' out)" '0 repeated names: 2 functions, 2.9 % (other)' 'two of 68 functions with one name pass'
function f1 1 >one/d.c
tests/shape one two >out
is "$? $(grep '^repeated' out | sed 's/ (.*//')" '1 repeated names: 4 functions, 5.8 %' 'four of 69 do not'
like out '^more than 3 % of the functions share their names$' '  one line says why'
tests/shape tests >out
is "$? $(sed -n 1p out)" '1 no functions found' 'folders without functions fail'
done_testing
