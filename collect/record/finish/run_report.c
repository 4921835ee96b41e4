#include "collect/record/finish/run_report.h"

#include <assert.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/shell_word.h"
#include "collect/record/finish/check.h"
#include "collect/record/series_file.h"
#include "collect/record/log.h"

/* Starting a process and attaching to it costs some time that no agent can see; it matters only in short runs. */
enum { NEGLIGIBLE_NS = 50000000 };

/* Exit statuses, as shells have them. */
enum { NOT_FOUND = 127, KILLED = 128 };

const char *run_report_name(const struct record_run *run, char text[RECORD_PREFIX_MAX])
{
    snprintf(text, RECORD_PREFIX_MAX, "%srun %" PRIu64 "%s%.32s%s%s%s", run->warmup ? "warm-up " : "", run->number,
             run->configuration ? " of " : "", run->configuration ? run->configuration : "",
             run->several_clocks ? " (" : "", run->several_clocks ? run->clock->name : "",
             run->several_clocks ? ")" : "");
    return text;
}

int run_report_end(const struct record_run *run, const json_t *entry)
{
    char name[RECORD_PREFIX_MAX];
    int number = (int)series_file_ending(entry, "signal");
    int status = (int)series_file_ending(entry, "status");
    if (number) {
        const char *text = sigdescr_np(number);
        log_error("%s: killed by signal %d (%s)", run_report_name(run, name), number, text ? text : "unknown");
        return KILLED + number;
    }
    if (status)
        log_error("%s: exit status %d", run_report_name(run, name), status);
    return status;
}

void run_report_doubt(const struct record_run *run, int status, char *const *command)
{
    char name[RECORD_PREFIX_MAX], text[256] = "";
    static const int signals[] = {SIGSEGV, SIGSYS, SIGTRAP, SIGPROF, SIGIO, SIGURG};
    bool doubtful = status == NOT_FOUND || (status >= KILLED + SIGRTMIN && status <= KILLED + SIGRTMAX);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        doubtful |= status == KILLED + signals[i];
    if (!doubtful)
        return;
    for (; *command; command++) /* the end of a long command is left out */
        shell_word_append(text, sizeof text, *command);
    log_error("%s: this may be due to recording; compare a plain run: %s%s", run_report_name(run, name), text,
              strlen(text) == sizeof text - 1 ? "..." : "");
}

void run_report_illegal(const struct record_run *run)
{
    char name[RECORD_PREFIX_MAX];
    log_error("%s: Valgrind has no AVX-512 and some other instructions: if the program was built for them, build it "
              "without them, or sample it (--mode dead-store, silent-store or silent-load)",
              run_report_name(run, name));
}

size_t run_report_traces(const struct record_run *run, const json_t *entry)
{
    char name[RECORD_PREFIX_MAX], files[512];
    const json_t *trace, *traces = json_object_get(entry, "traces");
    size_t i;
    struct check_summary sum;
    check_summarize(traces, &sum);
    run_report_name(run, name);
    if (sum.unfinished) {
        check_list_names(traces, "unfinished", files, sizeof files);
        log_error(
            "%s: unfinished, since its process did not end by exit() (it was killed, perhaps): %s; at most the last "
            "second of each thread is missing, or what came after a write that failed",
            name, files);
    }
    if (sum.running) {
        check_list_names(traces, "running", files, sizeof files);
        log_error("%s: still being written, since its process outlives the command: %s", name, files);
    }
    json_array_foreach(traces, i, trace)
    {
        const char *problem = json_string_value(json_object_get(trace, "problem"));
        if (problem)
            log_error("%s: %s: %s", name, json_string_value(json_object_get(trace, "file")), problem);
    }
    return sum.traces - sum.damaged;
}

void run_report_notes(const struct record_run *run, const json_t *entry)
{
    char name[RECORD_PREFIX_MAX], more[64] = "";
    const json_t *note;
    size_t i;
    json_array_foreach(json_object_get(entry, "notes"), i, note)
    {
        json_int_t count = json_integer_value(json_object_get(note, "count"));
        if (count > 1)
            snprintf(more, sizeof more, " (and %" PRId64 " more)", (int64_t)count - 1);
        log_error("%s: process %" PRId64 "%s, %s: %s", run_report_name(run, name),
                  (int64_t)json_integer_value(json_object_get(note, "process")), count > 1 ? more : "",
                  json_string_value(json_object_get(note, "name")), json_string_value(json_object_get(note, "text")));
    }
}

void run_report_probes(const struct record_run *run, const json_t *entry)
{
    static const double MOST = 0.1;
    char name[RECORD_PREFIX_MAX];
    double share = 0;
    /* Finds the thread in which probes took the largest share, over the traces of a run. */
    const json_t *trace, *most = NULL;
    size_t i;
    json_array_foreach(json_object_get(entry, "traces"), i, trace)
    {
        const json_t *probes = json_object_get(trace, "probes");
        double value = json_number_value(json_object_get(probes, "share"));
        if (value > share) {
            share = value;
            most = probes;
        }
    }
    const json_t *probes = most;
    if (share <= MOST)
        return;
    const char *thread = json_string_value(json_object_get(probes, "thread"));
    double events = json_number_value(json_object_get(probes, "events"));
    double cpu_ns = json_number_value(json_object_get(probes, "cpu_ns"));
    log_error(
        "%s: probes took about %.0f %% of the CPU time of thread %s: %.3g events of %.0f ns in %.2f s; give probes "
        "to fewer methods (--methods FILE, --min-bytes, --exclude) for times closer to those without probes",
        run_report_name(run, name), 100 * share, thread ? thread : "?", events, share * cpu_ns / events, cpu_ns / 1e9);
}

static uint64_t run_report_cpu_ns(const json_t *entry)
{
    return (uint64_t)(series_file_ending(entry, "user_ns") + series_file_ending(entry, "system_ns"));
}

void run_report_nothing(const struct record_run *run, const json_t *entry, bool jvm_agent, bool chosen)
{
    char name[RECORD_PREFIX_MAX];
    uint64_t cpu_ns = run_report_cpu_ns(entry);
    run_report_name(run, name);
    if (chosen)
        log_error(
            "%s: no trace: of the programs that --only and --skip choose none was run, or none used enough CPU time "
            "for a sample",
            name);
    else if (strcmp(run->clock->name, "exact") == 0)
        log_error("%s: no trace: the tool recorded nothing of the command; perhaps it was killed before it began",
                  name);
    else if (strcmp(run->clock->name, "rewrite") == 0)
        log_error("%s: no trace: no Java virtual machine of version 17 or later ran to its end; engine rewrite records "
                  "nothing else",
                  name);
    else if (strcmp(run->clock->name, "inspect") == 0)
        log_error("%s: no trace: no Java virtual machine that can be inspected was run; nothing else is", name);
    else if (strcmp(run->clock->name, "events") == 0)
        log_error(
            "%s: no trace: no method with a probe was entered; a native program needs -fpatchable-function-entry=5 or "
            "-finstrument-functions and dynamic linking, a Java program needs methods that are large enough or named%s",
            name, jvm_agent ? "" : " (this build has no JVM agent)");
    else if (strcmp(run->clock->name, "safepoint") == 0)
        log_error("%s: no trace: clock safepoint samples Java virtual machines only, and none could be sampled%s", name,
                  jvm_agent ? "" : " (this build has no JVM agent)");
    else if (cpu_ns < NEGLIGIBLE_NS)
        log_error("%s: no trace: the command used only %.1f ms of CPU time, too little for a sample (or it is "
                  "statically linked, or clears LD_PRELOAD); --mode time measures it without one",
                  name, (double)cpu_ns / 1e6);
    else
        log_error("%s: no trace: nothing of the command could be sampled; likely reasons: it is statically linked or "
                  "set-user-ID, it clears LD_PRELOAD or JAVA_TOOL_OPTIONS, %s",
                  name, jvm_agent ? "or its JVM refuses agents" : "or it is a JVM (this build has no JVM agent)");
}

void run_report_leftover(const struct record_run *run, size_t count, pid_t pid)
{
    char name[RECORD_PREFIX_MAX];
    log_error("%s: no trace yet of %zu process%s still running though the command has ended (process %d)",
              run_report_name(run, name), count, count > 1 ? "es that are" : " that is", (int)pid);
}

void run_report_cover_add(struct run_report_cover *cover, const struct record_run *run, const json_t *entry)
{
    struct check_summary sum;
    check_summarize(json_object_get(entry, "traces"), &sum);
    char name[RECORD_PREFIX_MAX];
    uint64_t cpu = run_report_cpu_ns(entry);
    /* All processors could not have used more during the run. */
    uint64_t most = (uint64_t)series_file_ending(entry, "wall_ns") * (uint64_t)sysconf(_SC_NPROCESSORS_ONLN);
    cover->runs++;
    if (sum.sampled_cpu_ns > cpu + NEGLIGIBLE_NS && sum.sampled_cpu_ns - cpu > cpu / 10 && sum.sampled_cpu_ns <= most)
        log_error(
            "%s: the traces have %.2f s of CPU time, of which the system reports %.2f s: there were processes that "
            "nobody waited for, so how much of them was not sampled is unknown",
            run_report_name(run, name), (double)sum.sampled_cpu_ns / 1e9, (double)cpu / 1e9);
    if (cpu <= sum.sampled_cpu_ns + NEGLIGIBLE_NS || cpu - sum.sampled_cpu_ns <= cpu / 10)
        return;
    assert(cpu > 0);
    double share = (double)sum.sampled_cpu_ns / (double)cpu;
    if (cover->poor++ == 0 || share < cover->worst) {
        cover->worst = share;
        cover->cpu_ns = cpu;
        cover->missing_ns = cpu - sum.sampled_cpu_ns;
        run_report_name(run, cover->worst_run);
    }
}

void run_report_cover_end(const struct run_report_cover *cover)
{
    if (!cover->poor)
        return;
    char several[64] = "";
    if (cover->runs > 1)
        snprintf(several, sizeof several, "%zu of %zu runs; worst: ", cover->poor, cover->runs);
    log_error("%s%s: %.2f of %.2f s of CPU time (%.0f %%) were not sampled: they passed before an agent had started, "
              "in processes without one (statically linked, set-user-ID), or in short-lived threads",
              several, cover->worst_run, (double)cover->missing_ns / 1e9, (double)cover->cpu_ns / 1e9,
              100 * (1 - cover->worst));
}
