#!/bin/sh
# tests/words: what it finds in made-up files, what it leaves alone, and its baseline.
LC_ALL=C.UTF-8
export LC_ALL
. "$(dirname "$0")/../tap.sh"
command -v python3 >/dev/null || skip_all 'no python3 here'
scratch
mkdir -p tests docs/man collect
cp "$root/tests/words" "$root/tests/words.list" tests/

# found [FILE...]: the hits in the files, without what to use instead
found() {
    tests/words "$@" | sed -n "s/^\([^ ]*:[0-9]*: '[^']*'\).*/\1/p"
}

cat >docs/page.md <<'END'
# That of a tool

Of course the crew is `hire`d. A value
is no
number, but there is no room, and it is no longer than 3.

    Of code blocks: settle

```sh
# Of fences: settle
```

- An item that is *settled*, at `settle()` and [a link](settle.md).

| table | cell |
|---|---|
| `crew` | the crew |

Of 5 runs, 3 are late. Of late runs none.
END
is "$(found docs/page.md)" "docs/page.md:1: 'That of a tool'
docs/page.md:3: 'crew'
docs/page.md:4: 'is no number'
docs/page.md:13: 'settled'
docs/page.md:17: 'crew'
docs/page.md:19: 'Of late runs none'" 'Markdown: over the ends of lines, in headings, items and cells; not in code'

sed 's/^ //' >docs/man/assay-made.1 <<'END'
 .TH ASSAY\-MADE 1
 .SH NAME
 assay\-made \- tells nothing
 .SH OPTIONS
 .TP
 .BR \-\-settle ,\ crew
 A \fBcrew\fP is settled
 .B settle
 and told apart by
 .IR grain ,
 and told
 to stop.
 .nf
     settle
 .fi
 .EX
 settle
 .EE
 .PP
 So does this.
END
is "$(found docs/man/assay-made.1)" "docs/man/assay-made.1:3: 'tells'
docs/man/assay-made.1:6: 'crew'
docs/man/assay-made.1:7: 'settled'
docs/man/assay-made.1:20: 'So does this'" 'manuals: not in examples, nor what is bold or italic'

cat >collect/made.c <<'END'
#include "collect/crew.h"
/*
 * made.c - what a crew
 * does: settle() and room_settle are names.
 *
 * Of the rest. By means of threads; the mean of means means little.
 */
static int crew_size; // settled
static void settle(struct sheet *sheet)
{
    int keep = run_means + in_place, end;
    print("%s: '%s' is "
          "no number: %" PRIu64 " of the crew", "settle");
    settle(sheet), keptOpen(HIRED), end = '"'; /* Of "it */
}
static void put(void) { take(end); }
END
is "$(found collect/made.c)" "collect/made.c:3: 'crew'
collect/made.c:6: 'Of the rest'
collect/made.c:8: 'crew_size'
collect/made.c:8: 'settled'
collect/made.c:9: 'settle'
collect/made.c:9: 'sheet'
collect/made.c:12: 'is no number'
collect/made.c:13: 'crew'
collect/made.c:14: 'HIRED'
collect/made.c:14: 'keptOpen'
collect/made.c:14: 'Of \"it'
collect/made.c:16: 'put'
collect/made.c:16: 'take'" 'C: comments, messages of several literals, names, functions without an object'
sed 's/"%s/"/' collect/made.c >tests/made.c
is "$(found tests/made.c | grep -c ':1[23]:')" 0 '  no literals in tests'

cat >collect/Made.java <<'END'
/** A crew. */
class Crew { void tellAll(Map map) { map.settle(this.people, "of a crew"); } }
END
is "$(found collect/Made.java)" "collect/Made.java:1: 'crew'
collect/Made.java:2: 'Crew'
collect/Made.java:2: 'people'
collect/Made.java:2: 'tellAll'" 'Java: comments and names, but not the members of other objects'

printf '%s\n' '#!/bin/sh' '# A crew that is' '# no number' 'echo "a # crew" # settle it' 'crew=1' >collect/run
sed 1d collect/run >collect/notes
is "$(found collect/run collect/notes)" "collect/run:2: 'crew'
collect/run:2: 'is no number'
collect/run:4: 'settle'" 'scripts: comments; a file that is none is left alone'

awk 'BEGIN { for (i = 1; i <= 32; i++) printf "word "; print "`a b`, e.g. 3." ; print "Next."; print ""
    for (i = 1; i <= 35; i++) printf "| word "; print ""; print ""
    for (i = 1; i <= 36; i++) printf "word "; print "." }' >README.md
is "$(found README.md)" "README.md:6: 'word word word word … (36 words)'" 'sentences of more than 35 words, but not tables'
sed -i 's/^word/more word/' README.md
is "$(found README.md | wc -l)" 2 '  counted over abbreviations, code as one word'

# --- the list ---
cp tests/words.list list
printf '%s\n' 'bee  prose  bees?  honey bees?  @docs/man  use "fly"' >>tests/words.list
echo 'Bees, honey bees' >docs/bees.md
echo 'Bees' >docs/man/bees.1
is "$(tests/words docs/bees.md docs/man/bees.1 | grep '^docs')" "docs/bees.md:1: 'Bees': use \"fly\"" 'a line more in the list: pattern, exception, folder'
printf '%s\n' 'wasp  prose  wasps' >>tests/words.list
tests/words >out 2>err
is "$?: $(cat err)" "1: tests/words.list:$(wc -l <tests/words.list): expected NAME  KIND  PATTERN  EXCEPT  INSTEAD, separated by two spaces" \
    '  a line without all columns is refused'
cp list tests/words.list
rm docs/bees.md docs/man/bees.1

# --- the baseline ---
tests/words >out
is $? 1 'without a baseline all hits are new'
like out '^ +[0-9]+ settle$' '  and counted'
tests/words --update >out
is "$?: $(grep -v '^#' tests/words.baseline | grep -e README -e page)" "0: README.md long-sentence=2
docs/page.md crew=2 is-no=1 of-opening=1 settle=1 what-of=1" '--update writes them where there is no baseline'
tests/words >out
is "$?: $(wc -l <out)" '0: 1' '  and they stand'
echo 'The crew is here.' >>docs/page.md
tests/words >out
is "$?: $(sed "s/': .*/'/" out)" "1: docs/page.md:3: 'crew'
docs/page.md:17: 'crew'
docs/page.md:20: 'crew'
docs/page.md: crew: 3 hits, and 2 in tests/words.baseline
     3 crew" 'one more fails'
cp tests/words.baseline before
tests/words --update >out
is "$?: $(cmp before tests/words.baseline)" '1: ' '  and --update does not raise the number'
tests/words --update --force >out
is "$?: $(grep -o 'page.*crew=[0-9]*' tests/words.baseline)" '0: page.md crew=3' '  but --force does'
sed -i '$d' docs/page.md
rm README.md
tests/words >out
is "$?: $(cat out)" '1: README.md: long-sentence: 0 of 2 hits are left: run tests/words --update
docs/page.md: crew: 2 of 3 hits are left: run tests/words --update' 'fewer fail, too'
tests/words --update >out
is "$?: $(grep -c README tests/words.baseline; tests/words >out; echo $?)" '0: 0
0' '  until --update has lowered the number'
echo '<<<<<<< HEAD' >>tests/words.baseline
tests/words >out 2>err
is $? 1 'a baseline with a conflict is refused'
like err 'take either side, then --update' '  with what to do'
done_testing
