#!/bin/sh
# The files that announce a version agree on it, and what the Debian package names exists. Building the package takes
# minutes; docs/contributing.md has the commands.
. "$(dirname "$0")/../tap.sh"
scratch
cd "$root" || exit 1

# once PATTERN FILE: what sed's pattern captures in the first line of the file that matches it
once() {
    sed -n "s/$1/\1/p" "$2" | head -n 1
}

version=$(once '^VERSION := \(.*\)' Makefile)
like Makefile '^VERSION := [0-9]+\.[0-9]+\.[0-9]+$' 'the Makefile has a version of three numbers'
is "$(once '^version: \(.*\)' CITATION.cff)" "$version" '  which is that of CITATION.cff'
is "$(sed -n '1s/^assay (\(.*\)) [a-z]*; urgency=.*/\1/p' debian/changelog)" "$version" '  of the latest entry of debian/changelog'
is "$(sed -n '1s/^assay \(.*\), [-0-9]*$/\1/p' NEWS)" "$version" '  and of the first line of NEWS'

dates=$(sed -n 's/^assay [0-9.]*, \([0-9]\{4\}-[0-9]\{2\}-[0-9]\{2\}\)$/\1/p' NEWS)
is "$(grep -c '^assay [0-9]' NEWS)" "$(printf '%s\n' "$dates" | wc -l)" 'each version in NEWS has a date'
is "$(printf '%s\n' "$dates" | sort -r)" "$dates" '  and the newest comes first'
newest=$(printf '%s\n' "$dates" | head -n 1)
is "$(once '^date-released: \(.*\)' CITATION.cff)" "$newest" '  which is also the date in CITATION.cff'
is "$(LC_ALL=C date -u -d "$(once '^ -- .*>  \(.*\)' debian/changelog)" +%F)" "$newest" '  and in debian/changelog'

# --- the Debian package ---
absent=$(cat debian/*.docs debian/*.install debian/*.examples 2>/dev/null | while read -r file _; do
    [ -e "$file" ] || echo "$file"
done)
is "$absent" '' 'the files that debian/ lists exist'
is "$(cat debian/source/format)" '3.0 (native)' 'the package has no version of its own'
[ -x debian/rules ]
ok $? 'debian/rules is executable'

# Packages of the field Build-Depends, and of .ci/packages. The second list also has what comes with build-essential.
sed -n '/^Build-Depends:/,/^$/{s/^ \([a-z0-9.+-]*\).*/\1/p;}' debian/control | grep -v '^debhelper-compat$' | sort >"$scratch/wanted"
grep -v '^#' .ci/packages | sort >"$scratch/known"
is "$(wc -l <"$scratch/wanted" | awk '{ print ($1 > 10) }')" 1 'the package needs others to be built'
is "$(comm -23 "$scratch/wanted" "$scratch/known")" '' '  all of which .ci/packages has'
is "$(comm -13 "$scratch/wanted" "$scratch/known" | grep -e '-dev$' | grep -v '^libc6-dev$')" '' \
    '  and the package has all libraries of .ci/packages'
done_testing
