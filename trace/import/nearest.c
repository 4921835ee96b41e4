#include "trace/import/nearest.h"

#include <fnmatch.h>
#include <dirent.h>
#include <string.h>

#define UNPACK "unpack it, and name the profile in it"

/* ------------------------------------------------------------------------------------------ magic numbers -- */

static const struct {
    size_t offset, length;
    const char *magic, *what, *advice;
} magics[] = {
    {0, 8, "assayTRC", "an assay trace", "it need not be imported; if it was compressed, unpack it"},
    {0, 8, "PERFILE2", "perf.data", "run perf script -i FILE > perf.txt, which can be read"},
    {0, 8, "2ELIFREP", "perf.data of a big-endian machine", "run perf script -i FILE > perf.txt, which can be read"},
    {0, 10, "SIMPLEPERF", "simpleperf's protobuf", "run simpleperf's report_sample.py > perf.txt on its perf.data"},
    {0, 15, "JAVA PROFILE 1.", "a heap dump of a JVM (hprof)",
     "it holds objects, not samples; record with JFR, async-profiler or assay record"},
    {0, 5, "gmon\1", "gmon.out", "run gprof PROGRAM FILE > flat.txt, which can be read"},
    {0, 8, "Nettrace", "a trace of .NET (nettrace)", "run dotnet-trace convert --format Speedscope FILE"},
    {0, 4, "MDMP", "a minidump", "it holds the memory of a process, not samples"},
    {0, 4, "\xca\xfe\xba\xbe", "a class of Java or a program of macOS", "name the profile that was recorded of it"},
    {0, 4, "\xcf\xfa\xed\xfe", "a program of macOS", "name the profile that was recorded of it"},
    {0, 2, "MZ", "a program of Windows", "name the profile that was recorded of it"},
    {0, 4, "PK\3\4", "a zip archive", UNPACK},
    {257, 5, "ustar", "a tar archive", UNPACK},
    {0, 6, "7z\xbc\xaf\x27\x1c", "a 7-Zip archive", UNPACK},
    {0, 4, "Rar!", "a RAR archive", UNPACK},
    {0, 3, "BZh", "a file packed by bzip2", "run bzip2 -d FILE first"},
    {0, 2, "\x1f\x9d", "a file packed by compress", "run gzip -d FILE first"},
    {0, 4, "LZIP", "a file packed by lzip", "run lzip -d FILE first"},
    {0, 4, "PAR1", "a Parquet file", "export methods and their shares as CSV"},
    {0, 15, "SQLite format 3", "an SQLite database, as Nsight Systems and others make",
     "export methods and their shares as CSV"},
    {0, 10, "\x17\x08\x44tracing", "trace.dat of trace-cmd",
     "it holds events of the kernel, not samples; use perf record"},
    {0, 10, "nBpRoFiLeR", "a snapshot of VisualVM", "export its hot spots as CSV, or record with JFR"},
    {0, 6, "rbspy0", "raw data of rbspy", "run rbspy report -f collapsed -i FILE -o x.folded"},
    {0, 3, "\4\x08{", "a dump of Ruby's stackprof", "run stackprof --stackcollapse FILE > x.folded"},
    {0, 4, "hdrb", "an eventlog of GHC", "profile with +RTS -pj, which speedscope converts"},
    {0, 4, "SLOW", "a method trace of Android", "run traceconv json FILE x.json"},
    {0, 8, "*version", "a method trace of Android", "run traceconv json FILE x.json"},
    {0, 4, "tlZ\4", "a capture of Tracy", "run tracy-csvexport FILE > x.csv"},
    {0, 4, "tr\xfdP", "a capture of Tracy", "run tracy-csvexport FILE > x.csv"},
    {0, 6, "memray", "a capture of memray", "it holds allocations, not samples of time"},
    {0, 6, "QDSTRM", "a capture of Nsight Systems", "run nsys stats --format csv on its report"},
};

static bool nearest_set_message(struct error_text *message, const char *what, const char *advice)
{
    error_set(message, STATUS_BAD, "looks like %s: %s", what, advice);
    return true;
}

bool nearest_by_magic(const unsigned char *head, size_t length, struct error_text *message)
{
    for (size_t i = 0; i < sizeof magics / sizeof *magics; i++)
        if (length >= magics[i].offset + magics[i].length &&
            memcmp(head + magics[i].offset, magics[i].magic, magics[i].length) == 0)
            return nearest_set_message(message, magics[i].what, magics[i].advice);
    if (length > 20 && memcmp(head,
                              "\x7f"
                              "ELF",
                              4) == 0) {
        /* The kind of a file in ELF: bytes 16 and 17, in the order of bytes that byte 5 states. */
        enum { DATA = 5, TYPE = 16, BIG_ENDIAN_DATA = 2, CORE = 4 };
        unsigned type = head[DATA] == BIG_ENDIAN_DATA ? head[TYPE + 1] : head[TYPE];
        return type == CORE
                   ? nearest_set_message(message, "a core file", "it holds the memory of a process, not samples")
                   : nearest_set_message(
                         message, "a program or library (ELF)",
                         "record it with assay record -- FILE, or name the profile that was recorded of it");
    }
    /* What Python's marshal writes: a dictionary whose first key is a tuple, with or without a flag for references. */
    if (length > 2 && (head[0] & 0x7f) == '{' && ((head[1] & 0x7f) == ')' || head[1] == '('))
        return nearest_set_message(message, "statistics of Python's cProfile",
                                   "run flameprof --format log FILE > x.folded");
    if (length > 16 && memcmp(head, "go 1.", 5) == 0 && memmem(head, 16, " trace", 6))
        return nearest_set_message(message, "an execution trace of Go",
                                   "run go tool trace -pprof=sched FILE > x.pb.gz");
    return false;
}

/* ------------------------------------------------------------------------------------------ texts -- */

static const char FLAME_GRAPH[] = "a flame graph",
                  DRAWING[] = "it is a drawing; name the profile that it was made from";

/* `start`: at the start, behind blanks; `within`: anywhere in the first bytes. Both must match. */
static const struct {
    const char *start, *within, *what, *advice;
} texts[] = {
    {"{\"assay-state\"", "", "a saved state of assay (--save-state)", "give it to the program that saved it"},
    {"{\"assay\"", "\"results\"", "a result of assay", "give the traces that it was made from"},
    {"{", "\"snapshot\":{\"meta\"", "a heap snapshot of V8", "it holds objects, not samples; run node --cpu-prof"},
    {"{", "\"dhatFileVersion\"", "output of DHAT", "it holds allocations, not samples of time"},
    {"{", "\"linux-perf-json-version\"", "perf.data in JSON", "run perf script > perf.txt instead"},
    {"{", "\"benchmarks\"", "results of a benchmark", "assay ci and assay compare read it as a table"},
    {"{", "\"results\"", "results of a benchmark", "assay ci and assay compare read it as a table"},
    {"{", "\"cost_centres\"", "a profile of GHC", "open it in speedscope, and export it from there"},
    {"{", "\"recording\":{\"displayName\"", "a recording of Safari", "open it in speedscope, and export it from there"},
    {"{", "\"missed_samples\"", "a dump of Ruby's stackprof in JSON",
     "keep the dump itself, and run stackprof --stackcollapse FILE > x.folded"},
    {"{", "\"ticks\"", "V8's log in JSON", "run node --cpu-prof instead"},
    {"v8-version,", "", "V8's log (node --prof)", "run node --cpu-prof instead"},
    {"@ ", " samples]", "output of pmcstat", "open it in speedscope, and export it from there"},
    {"<", "<svg", FLAME_GRAPH, DRAWING},
    {"<", "<html", "a page, such as a flame graph", DRAWING},
    {"<", "<trace-toc", "the contents of a trace of Instruments",
     "run xctrace export --xpath '/trace-toc/run/data/table[@schema=\"time-profile\"]'"},
    {"desc:", "snapshot=", "output of massif", "it holds allocations, not samples of time"},
    {"", "\nevents: ", "callgrind or cachegrind, without costs of functions", "run valgrind --tool=callgrind again"},
    {"heap profile:", "", "a heap profile", "run pprof -proto PROGRAM FILE > x.pb.gz, or go tool pprof -proto FILE"},
    {"heap_v2/", "", "a heap profile of jemalloc", "run jeprof --collapsed PROGRAM FILE > x.folded"},
    {"--- contention", "", "a profile of contention", "run pprof -proto PROGRAM FILE > x.pb.gz"},
    {"JAVA PROFILE", "", "a profile of hprof", "record with JFR, async-profiler or assay record instead"},
    {"Full thread dump", "", "a thread dump", "it shows one moment; record with JFR, async-profiler or assay record"},
    {"", "Full thread dump", "a thread dump", "it shows one moment; record with JFR, async-profiler or assay record"},
    {"Attaching ", " probe", "output of bpftrace", "run stackcollapse-bpftrace.pl FILE > x.folded"},
    {"@", "]: ", "output of bpftrace", "run stackcollapse-bpftrace.pl FILE > x.folded"},
    {"CPU ", "FUNCTION:NAME", "output of DTrace", "run stackcollapse.pl FILE > x.folded"},
    {"Analysis of sampling", "", "output of macOS's sample", "run stackcollapse-sample.awk FILE > x.folded"},
    {"Sampling process", "", "output of macOS's sample", "run stackcollapse-sample.awk FILE > x.folded"},
    {"# To display the perf.data", "", "text of perf report", "run perf script > perf.txt instead"},
    {"#", "# Overhead", "text of perf report", "run perf script > perf.txt instead"},
    {"", "Time and Allocation Profiling Report", "a report of GHC", "run ghc-prof-flamegraph --flamegraph-option FILE"},
    {"{", "", "JSON", "it is not a saved state (--save-state), nor a profile of a known format"},
    {"", "Showing nodes accounting for", "text of go tool pprof", "run go tool pprof -proto FILE > x.pb.gz"},
    {"File: ", "\nType: ", "text of go tool pprof", "run go tool pprof -proto FILE > x.pb.gz"},
    {"goroutine ", "]:\n", "stacks of goroutines", "they show one moment; get /debug/pprof/profile instead"},
    {"PeriodType:", "", "text of go tool pprof -raw", "run go tool pprof -proto FILE > x.pb.gz"},
    {"", "jdk.ExecutionSample {", "text of jfr print", "name the recording itself, x.jfr"},
    {"--- Execution profile", "", "text of async-profiler", "run asprof -o collapsed, or -o jfr"},
    {"", "function calls in ", "text of Python's cProfile",
     "run python3 -m cProfile -o FILE, then flameprof --format log FILE"},
    {"", "Profile data file", "text of callgrind_annotate", "name the output of callgrind itself"},
    {"", "Call graph (explanation follows)", "gprof's call graph", "run gprof -p, whose flat profile can be read"},
    {"", "% time     seconds  usecs/call", "text of strace -c", "it counts system calls; use perf record"},
    {"", "Total time   Self time", "text of uftrace report", "run uftrace dump --chrome > x.json"},
    {"# DURATION", "", "text of uftrace replay", "run uftrace dump --chrome > x.json"},
    {"", "Performance counter stats for", "text of perf stat", "assay ci and assay compare read it as a table"},
    {"Thread ", "\n#0 ", "backtraces of gdb", "run stackcollapse-gdb.pl FILE > x.folded"},
    {"", "\nThread 1 (", "backtraces of gdb", "run stackcollapse-gdb.pl FILE > x.folded"},
    {"TRACE START", "", "a function trace of Xdebug", "use xdebug.mode=profile, whose cachegrind files can be read"},
};

static const struct {
    const char *ending, *what, *advice;
} endings[] = {
    {".etl", "a trace of Windows (ETW)", "run wpaexporter, or save it from PerfView as Speedscope"},
    {".nsys-rep", "a report of Nsight Systems", "run nsys stats --format csv FILE"},
    {".qdrep", "a report of Nsight Systems", "run nsys stats --format csv FILE"},
    {".jps", "a snapshot of JProfiler", "run jpexport FILE HotSpots -format=csv hot.csv"},
    {".snapshot", "a snapshot of YourKit", "export its hot spots as CSV"},
    {".pftrace", "a trace of Perfetto", "run traceconv json FILE x.json"},
    {".perfetto-trace", "a trace of Perfetto", "run traceconv json FILE x.json"},
    {".heapsnapshot", "a heap snapshot of V8", "it holds objects, not samples; run node --cpu-prof"},
};

static bool nearest_ends_with(const char *text, const char *ending)
{
    size_t length = strlen(text), part = strlen(ending);
    return length >= part && strcmp(text + length - part, ending) == 0;
}

/* Whether each field of this message is its first, with a length: the packets of a trace of Perfetto. */
static bool nearest_is_perfetto(const unsigned char *head, size_t length)
{
    size_t at = 0, packets = 0;
    while (at < length && head[at] == 0x0a) {
        size_t size = 0;
        unsigned shift = 0;
        do {
            if (++at >= length || shift > 28)
                return packets > 2;
            size |= (size_t)(head[at] & 0x7f) << shift;
            shift += 7;
        } while (head[at] & 0x80);
        at += 1 + size;
        packets++;
    }
    return packets > 2 && at >= length;
}

/* Whether the first two lines have the same number of a delimiter, at least one. */
static bool nearest_is_table(const unsigned char *head, size_t length)
{
    const unsigned char *first = memchr(head, '\n', length);
    const unsigned char *second = first ? memchr(first + 1, '\n', length - (size_t)(first + 1 - head)) : NULL;
    for (const char *delimiter = ",\t;"; second && *delimiter; delimiter++) {
        size_t counts[2] = {0, 0};
        for (const unsigned char *at = head; at < second; at++)
            counts[at > first] += *at == (unsigned char)*delimiter;
        if (counts[0] > 0 && counts[0] == counts[1])
            return true;
    }
    return false;
}

bool nearest_by_text(const char *path, const unsigned char *head, size_t length, struct error_text *message)
{
    size_t blanks = 0;
    while (blanks < length && memchr(" \t\r\n", head[blanks], 4))
        blanks++;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        size_t start = strlen(texts[i].start), within = strlen(texts[i].within);
        if (length - blanks >= start && memcmp(head + blanks, texts[i].start, start) == 0 &&
            (within == 0 || memmem(head, length, texts[i].within, within)))
            return nearest_set_message(message, texts[i].what, texts[i].advice);
    }
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (nearest_ends_with(path, endings[i].ending))
            return nearest_set_message(message, endings[i].what, endings[i].advice);
    /* In output of DTrace some line is a frame, indented "MODULE`FUNCTION", and a later one is an indented count. */
    bool frames = false;
    for (size_t at = 0, end; at < length; at = end + 1) {
        const unsigned char *newline = memchr(head + at, '\n', length - at);
        end = newline ? (size_t)(newline - head) : length;
        size_t column_blanks = at;
        while (column_blanks < end && (head[column_blanks] == ' ' || head[column_blanks] == '\t'))
            column_blanks++;
        size_t digits = column_blanks, words = column_blanks;
        while (digits < end && head[digits] >= '0' && head[digits] <= '9')
            digits++;
        while (words < end && head[words] != ' ' && head[words] != '\t')
            words++;
        if (column_blanks > at && digits > column_blanks && digits == end && frames)
            return nearest_set_message(message, "output of DTrace", "run stackcollapse.pl FILE > x.folded");
        frames = column_blanks > at && words == end && words > column_blanks &&
                 memchr(head + column_blanks, '`', words - column_blanks);
    }
    if (!memchr(head, '\0', length) && nearest_is_table(head, length))
        return nearest_set_message(
            message, "a table without columns of methods and their shares",
            "assay ci and assay compare read tables; a profile needs a header such as method,share");
    return nearest_is_perfetto(head, length) &&
           nearest_set_message(message, "a trace of Perfetto", "run traceconv json FILE x.json");
}

/* ------------------------------------------------------------------------------------------ directories -- */

/* A file that only such directories have: a pattern of fnmatch(3). */
static const struct {
    const char *file, *what, *advice;
} directories[] = {
    {"form.template", "a trace of Instruments",
     "run xctrace export --input DIR --xpath '/trace-toc/run/data/table[@schema=\"time-profile\"]' > time.xml"},
    {"Trace*.run", "a trace of Instruments",
     "run xctrace export --input DIR --xpath '/trace-toc/run/data/table[@schema=\"time-profile\"]' > time.xml"},
    {"default.opts", "data of uftrace", "run uftrace dump -d DIR --chrome > x.json"},
    {"sid-*.map", "data of uftrace", "run uftrace dump -d DIR --chrome > x.json"},
    {"*.vtune", "a result of VTune",
     "run vtune -report hotspots -r DIR -format csv -csv-delimiter comma -report-output hot.csv"},
    {"sqlite-db", "a result of VTune",
     "run vtune -report hotspots -r DIR -format csv -csv-delimiter comma -report-output hot.csv"},
    {"traces.otf2", "an OTF2 archive of Score-P", "it holds events; use perf record or assay record"},
    {"*.hpcrun", "measurements of HPCToolkit", "use perf record or assay record"},
    {"*.trace", "a directory with traces", "name them: DIR/*.trace"},
};

bool nearest_directory(const char *path, struct error_text *message)
{
    enum { MANY = sizeof directories / sizeof *directories };
    size_t best = MANY;
    DIR *directory = opendir(path);
    const struct dirent *entry;
    while (directory && (entry = readdir(directory)))
        for (size_t i = 0; i < best; i++)
            if (fnmatch(directories[i].file, entry->d_name, 0) == 0)
                best = i;
    if (directory)
        closedir(directory);
    if (best < MANY)
        error_set(message, STATUS_BAD, "is a directory, and looks like %s: %s", directories[best].what,
                  directories[best].advice);
    return best < MANY;
}
