# What run and setup share; sourced, after `here` has been set to the directory of this file.
# shellcheck shell=sh

LC_ALL=C
export LC_ALL

: "${here:?}"
program=${0##*/}
build=${ASSAY_BUILD:-$(cd -- "$here/../.." && pwd)/build}/workloads
# shellcheck disable=SC2034 # used by run and setup
classes=$build/classes
# shellcheck disable=SC2034
generated=$build/input

# fail STATUS MESSAGE: one line on stderr, and the end.
fail() {
	printf '%s: %s\n' "$program" "$2" >&2
	exit "$1"
}

workload_names() {
	sed -e '/^#/d' -e 's/\t.*//' "$here/MANIFEST"
}

# workload_field NAME COLUMN
workload_field() {
	awk -F '\t' -v name="$1" -v column="$2" '$1 == name { print $column }' "$here/MANIFEST"
}

# Ends with status 2 unless all the names are in the manifest.
workload_check() {
	for workload in "$@"; do
		[ -n "$(workload_field "$workload" 1)" ] ||
			fail 2 "$workload: unknown workload; known are $(workload_names | paste -s -d ' ' -)"
	done
}

# missing_packages NAME...: the packages that these workloads need and this system lacks, on one line.
missing_packages() {
	for workload in "$@"; do
		workload_field "$workload" 3 | tr ',' '\n'
	done | sort -u | while read -r package; do
		status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) || status=absent
		[ "$status" = installed ] || printf '%s\n' "$package"
	done | paste -s -d ' ' -
}

# The driver class of a Java workload: its name with a capital; nothing for the others.
workload_driver() {
	case $1 in
	*-script) ;;
	*)
		[ "$(workload_field "$1" 2)" != java ] ||
			printf '%s%s\n' "$(printf '%.1s' "$1" | tr '[:lower:]' '[:upper:]')" "${1#?}"
		;;
	esac
}

# The jars of a Java workload, each with a colon before it.
workload_jars() {
	case $1 in
	antlr) set -- antlr ;;
	batik) set -- batik-all xmlgraphics-commons xml-apis-ext ;;
	ecj) set -- eclipse-jdt-core ;;
	fop) set -- fop batik-all xmlgraphics-commons fontbox2 commons-io commons-logging xml-apis-ext ;;
	h2) set -- h2 ;;
	jfreechart) set -- jfreechart jcommon ;;
	jython) set -- jython ;;
	luindex | lusearch) set -- lucene-core-* lucene-analyzers-common-* ;;
	sablecc) set -- sablecc ;;
	xalan) set -- xalan2 serializer xercesImpl xml-apis ;;
	*) set -- ;;
	esac
	for jar in "$@"; do
		for path in /usr/share/java/$jar.jar; do
			printf ':%s' "$path"
		done
	done
}

# The generated inputs of a workload.
workload_inputs() {
	case $1 in
	awk | luindex | lusearch) echo corpus.txt ;;
	batik) echo drawing.svg ;;
	ecj) echo Generated.java ;;
	fop | fop-script | xalan) echo book.xml ;;
	xz | zstd) echo sample.txt ;;
	esac
}
