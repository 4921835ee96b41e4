#!/bin/sh
# Methods of Java programs that are entered and left: every count is known from how the program is made.
. "$(dirname "$0")/lib.sh"
jar=$build/lib/assay/assay-methods.jar
command -v javac >/dev/null && command -v java >/dev/null || skip_all 'no JDK here'
[ -e "$jar" ] || skip_all 'no rewriter in this build (libasm-java)'
javac -d . "$root/tests/victims/java/Methods.java" || exit 1

recorded -- java -Xverify:all -cp . Methods 1000
is $? 3 "the program's status"
counted >counts
is "$(grep -v recurse counts)" 'Methods.<init> enter 14
Methods.<init> exit 14
Methods.lambda$main$0 enter 1
Methods.lambda$main$0 exit 1
Methods.lambda$main$1 enter 1
Methods.lambda$main$1 unfinished 1
Methods.lambda$main$2 enter 1
Methods.lambda$main$2 unfinished 1
Methods.loop enter 1006
Methods.loop exit 1006
Methods.main enter 1
Methods.main unfinished 1
Methods.thrower enter 1000
Methods.thrower exit-by-exception 1000' 'exceptions, constructors, lambdas, System.exit() in a thread'
is "$(awk '$1 == "Methods.recurse" { print $2 }' counts | tr '\n' ' ')" 'enter exit-by-exception ' 'a stack that overflows is left by exceptions'
is "$(awk '$1 == "Methods.recurse" { print $3 }' counts | sort -u | wc -l)" 1 '  as often as it was entered'
for mode in -Xint -XX:TieredStopAtLevel=1; do
    recorded -- java $mode -cp . Methods 1000
    is "$(counted | grep -v recurse)" "$(grep -v recurse counts)" "the same with $mode"
done

printf '# some\nMethods.bare\n\nMethods.loop\nMethods.gone\norg.None.none\n' >list
recorded --methods list -- java -cp . Methods 10
is "$(counted)" 'Methods.bare enter 41
Methods.bare exit 41
Methods.loop enter 16
Methods.loop exit 16' 'just the methods of a list'
like err '2 not found.*Methods.gone org.None.none' '  those that are not there are named in one line'
recorded --include 'Methods.l*' --exclude '*.lambda*' -- java -cp . Methods 10
is "$(counted)" 'Methods.loop enter 16
Methods.loop exit 16' 'patterns'
recorded --min-bytes 0 --include 'Methods.bare' -- java -cp . Methods 10
is "$(counted)" 'Methods.bare enter 41
Methods.bare exit 41' 'a smaller size'
recorded --min-bytes 65535 --no-loop-rule -- java -cp . Methods 10
like err 'no method with a probe was entered' 'a size that nothing has, and no rule for loops'

# Every class of these jars gets probes in all its methods and passes the verifier.
mkdir all
javac -cp "$jar" -d all "$root/tests/methods/LinkAll.java" || exit 1
for other in sablecc asm-all commons-lang3 guava guice; do
    path=/usr/share/java/$other.jar
    if [ -e "$path" ]; then
        java -Xverify:all -cp "$jar:all" assay.methods.LinkAll "$path" >linked 2>&1
        like linked '^[1-9][0-9]* classes with probes, .* 0 failures' "$other: $(tail -1 linked)"
    else
        skip "no $path"
    fi
done
done_testing
