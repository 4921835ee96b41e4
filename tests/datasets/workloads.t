#!/bin/sh
# The workloads: a well-formed manifest, the output of one iteration of each as in workloads.expected, and bad usage.
# UPDATE=1 rewrites workloads.expected from the output.

LC_ALL=C
export LC_ALL
root=$(cd -- "$(dirname -- "$0")/../.." && pwd)
workloads=$root/datasets/workloads
expected=$root/tests/datasets/workloads.expected
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
count=0

report() {
	count=$((count + 1))
	printf '%s %d - %s\n' "$1" "$count" "$2"
}

# check DESCRIPTION COMMAND...
check() {
	description=$1
	shift
	if "$@"; then report ok "$description"; else report 'not ok' "$description"; fi
}

skip() {
	report ok "$1 # SKIP $2"
}

# run ARGUMENT...: runs a workload and keeps its status, output and messages.
run() {
	status=0
	"$workloads/run" "$@" >"$scratch/out" 2>"$scratch/err" || status=$?
}

# failed STATUS PATTERN: the last run ended with this status and printed nothing but one error line, which matches.
failed() {
	[ "$status" -eq "$1" ] && ! [ -s "$scratch/out" ] && [ "$(wc -l <"$scratch/err")" -eq 1 ] && grep -q -- "$2" "$scratch/err"
}

manifest_is_well_formed() {
	head -n 1 "$workloads/MANIFEST" | grep -q '^# name	kind	packages	iterations	' &&
		awk -F '\t' '
			/^#/ { next }
			NF != 5 || $1 !~ /^[a-z0-9-]+$/ || $2 !~ /^(java|native)$/ || $3 !~ /^[a-z0-9.+-]+(,[a-z0-9.+-]+)*$/ ||
				$4 !~ /^[1-9][0-9]*$/ || $5 !~ /^[A-Z].*\.$/ || seen[$1]++ { print "# line " NR ": " $0; bad = 1 }
			{ rows++ }
			END { exit bad || rows < 17 }' "$workloads/MANIFEST"
}

# A * in the expected line stands for a checksum that depends on the version of the Java runtime.
prints_what_is_expected() {
	line=$(grep "^$1: " "$expected") || line="no line of $1 in workloads.expected"
	# shellcheck disable=SC2254 # a pattern
	case $(cat "$scratch/out") in
	$line) [ "$status" -eq 0 ] ;;
	*)
		sed 's/^/# /' "$scratch/out" "$scratch/err"
		printf '# status %d; expected: %s\n' "$status" "$line"
		return 1
		;;
	esac
}

scratch_is_empty() {
	! ls -d "$scratch"/tmp/* >"$scratch/left" 2>/dev/null || { sed 's/^/# left behind: /' "$scratch/left" && false; }
}

test_workload() {
	case $1 in
	listing1) JAVA_OPTS='' ;;
	*) JAVA_OPTS=$fast ;;
	esac
	run "$1" 1
	[ -z "${UPDATE-}" ] || sed '/^batik:/s/checksum .*/checksum */' "$scratch/out" >>"$expected"
	check "$1 prints the expected line" prints_what_is_expected "$1"
}

installed() {
	for package in $(echo "$1" | tr ',' ' '); do
		[ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || return 1
	done
}

# Prints the names of the workloads whose packages are installed, and skips the others.
choose_workloads() {
	chosen=''
	while IFS='	' read -r name _ packages _; do
		case $name in
		\#*) ;;
		*) if installed "$packages"; then chosen="$chosen $name"; else skip "$name" "one of $packages is not installed"; fi ;;
		esac
	done <"$workloads/MANIFEST"
}

test_all() {
	choose_workloads
	[ -n "$chosen" ] || return 0
	# shellcheck disable=SC2086 # names are words
	check 'setup prepares the workloads whose packages are installed' "$workloads/setup" $chosen
	for name in $chosen; do
		test_workload "$name"
	done
}

# Both scripts if no package is installed and there is no way to become root.
test_absent_packages() {
	mkdir "$scratch/bin"
	printf '#!/bin/sh\nexit 1\n' >"$scratch/bin/dpkg-query"
	printf '#!/bin/sh\necho 1000\n' >"$scratch/bin/id"
	cp "$scratch/bin/dpkg-query" "$scratch/bin/sudo"
	chmod +x "$scratch/bin"/*
	DPKG_ADMINDIR=$scratch/none PATH=$scratch/bin:$PATH run xz
	check 'run names the missing package' failed 1 'run: apt-get install --no-install-recommends xz-utils$'
	status=0
	PATH=$scratch/bin:$PATH "$workloads/setup" h2 zstd >"$scratch/out" 2>"$scratch/err" || status=$?
	check 'setup prints the command that root has to run' failed 1 \
		'install --no-install-recommends libh2-java openjdk-17-jdk-headless zstd$'
}

test_usage() {
	run no-such-workload
	check 'an unknown name is refused' failed 2 'no-such-workload: unknown workload; choose from .*xalan.*zstd$'
	run '.*'
	check 'a pattern instead of a name is refused' failed 2 'unknown workload'
	run xz 0
	check '0 iterations are refused' failed 2 '0: not a count'
	run xz 3x
	check 'a number followed by a letter is refused' failed 2 '3x: not a count'
	run xz 1 2
	check 'too many arguments are refused' failed 2 '^run: usage'
	ASSAY_BUILD=$scratch/none run listing1
	if installed openjdk-17-jdk-headless; then check 'run names setup for a workload that is not set up' failed 1 'run: .*/setup listing1$'; fi
}

[ -z "${UPDATE-}" ] || : >"$expected"
mkdir "$scratch/tmp"
TMPDIR=$scratch/tmp
fast="-XX:TieredStopAtLevel=1 -Djava.io.tmpdir=$scratch/tmp"
export TMPDIR JAVA_OPTS
check 'the manifest is well formed' manifest_is_well_formed
test_usage
test_absent_packages
test_all
check 'no temporary file is left' scratch_is_empty
printf '1..%d\n' "$count"
