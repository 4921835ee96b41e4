# Shared by run and setup; sourced, after `here` has been set to the directory of this file.
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

# fail STATUS MESSAGE: prints one line on stderr and exits.
fail() {
	printf '%s: %s\n' "$program" "$2" >&2
	exit "$1"
}

tab='	'

workload_names() {
	while IFS=$tab read -r found _; do
		case $found in \#*) ;; *) printf '%s\n' "$found" ;; esac
	done <"$here/MANIFEST"
}

# workload_find NAME: sets kind, packages (separated by commas) and count (of iterations); status 1 if it is unknown.
workload_find() {
	# shellcheck disable=SC2034 # used by run and setup
	while IFS=$tab read -r found kind packages count _; do
		case $found in \#*) ;; "$1") return 0 ;; esac
	done <"$here/MANIFEST"
	return 1
}

# Ends with status 2 unless all the names are in the manifest.
workload_check() {
	for workload in "$@"; do
		workload_find "$workload" ||
			fail 2 "$workload: unknown workload; choose from $(workload_names | paste -s -d ' ' -)"
	done
}

# packages_unpacked NAME: whether dpkg keeps a list of files of each package that the workload needs. Starts no program, so
# that a profile of the workload has none in it; says yes for a package that was removed but not purged, too.
packages_unpacked() {
	workload_find "$1"
	IFS=,
	# shellcheck disable=SC2086 # packages are words
	set -- $packages
	unset IFS
	for package in "$@"; do
		list=${DPKG_ADMINDIR:-/var/lib/dpkg}/info/$package
		set -- "$list":*.list
		[ -e "$list.list" ] || [ -e "$1" ] || return 1
	done
}

# missing_packages NAME...: the packages that these workloads need and this system lacks, on one line.
missing_packages() {
	wanted=''
	for workload in "$@"; do
		workload_find "$workload"
		wanted=$wanted$packages,
	done
	IFS=,
	# shellcheck disable=SC2086 # packages are words
	set -- $wanted
	unset IFS
	installed=" $(dpkg-query -W -f '${db:Status-Status}:${Package} ' "$@" 2>/dev/null)" || :
	missing=''
	for package in "$@"; do
		case $installed in *" installed:$package "*) ;; *) missing="$missing $package" ;; esac
	done
	# shellcheck disable=SC2086 # packages are words
	[ -z "$missing" ] || printf '%s\n' $missing | sort -u | paste -s -d ' ' -
}

# The driver class of a Java workload: its name with a capital; nothing for the others. Starts no program.
workload_driver() {
	for source in "$here"/java/[A-Z]"${1#?}".java; do
		source=${source##*/}
		[ "$source" = "[A-Z]${1#?}.java" ] || printf '%s\n' "${source%.java}"
	done
}

# The jars of a Java workload, each with a colon before it.
workload_jars() {
	case $1 in
	antlr) set -- antlr ;;
	batik) set -- batik-all xmlgraphics-commons xml-apis-ext ;;
	ecj) set -- eclipse-jdt-core ;;
	findbugs) set -- findbugs bcel dom4j jaxen asm asm-tree asm-commons jsr305 jFormatString commons-lang ;;
	fop) set -- fop batik-all xmlgraphics-commons fontbox2 commons-io commons-logging xml-apis-ext ;;
	h2) set -- h2 ;;
	jfreechart | timeline) set -- jfreechart jcommon ;;
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
