/*
 * profiles_test.c - damaged profiles of every format that assay import reads: cut at any byte, or with any byte
 * changed, a file gives an error or a trace that can be read; never a crash or a hang, and, if the format lets a reader
 * know, never silently less weight than the whole file. A changed digit in a text can't be detected. ASSAY_FUZZ=full
 * makes 2,000 cuts and 20,000 changed bytes of each. Arguments name formats; without them all are tested.
 */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace/import/profile_import.h"
#include "base/rng.h"
#include "tests/tap.h"

enum { CHECKED_TRACES = 50, SECONDS_MAX = 3000 };

/* How many damaged files are made of each format: here in a short run, more with ASSAY_FUZZ=full. */
static int cut_count = 100, change_count = 700;

/* `ends`: the format tells where a file ends, so that a cut is never silent. A JFR recording that is cut between two
 * chunks is complete, and so is a list of Chrome's events without its end. */
static const struct {
    const char *name;
    bool ends;
} files[] = {{"folded", false},
             {"perf", false},
             {"gprof", true},
             {"callgrind", true},
             {"csv", false},
             {"pprof", true},
             {"pprof.gz", true},
             {"gperftools", true},
             {"jfr", true},
             {"jfr_types", false},
             {"jfr_async", false},
             {"pprof_diff", true},
             {"otlp", true},
             {"otlp_old", true},
             {"otlp_bare", true},
             {"otlp_json", true},
             {"otlp_json_old", true},
             {"firefox", true},
             {"firefox_old", true},
             {"firefox.gz", true},
             {"speedscope", true},
             {"cpuprofile", true},
             {"chrome", true},
             {"chrome_calls", false},
             {"chrome_v8", true},
             {"tree", false},
             {"perf_columns", false},
             {"pprof_weights", true},
             {"callgrind_events", true},
             {"jfr_aside", true},
             {"otlp_types", true},
             {"gecko", true},
             {"devtools", true},
             {"xctrace", true},
             {"cpuprofile_old", true},
             {"heapprofile", true},
             {"simpleperf", false}};

static char directory[64];

static uint64_t draw(void)
{
    static struct rng state = {20101225};
    return rng_next(&state);
}

static uint8_t *load(const char *name, size_t *size)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    uint8_t *data = malloc(1 << 20);
    *size = fread(data, 1, 1 << 20, file);
    fclose(file);
    return data;
}

/* All weights of all samples of a trace, added up, as a reader sees them; UINT64_MAX if it can't be read. */
static uint64_t weight_of(const char *path)
{
    struct trace *trace;
    struct error_text problem;
    struct trace_batch batch = {0};
    uint64_t weight = 0;
    if (trace_open(path, &trace, &problem) != 0)
        return UINT64_MAX;
    for (size_t i = 0; i < trace_chunk_count(trace); i++) {
        const uint32_t kind = trace_chunk_at(trace, i)->kind;
        if (kind != TRACE_SAMPLE && kind != TRACE_ZERO_SAMPLE)
            continue;
        if (trace_read(trace, i, TRACE_ALL_COLUMNS, &batch, &problem) != 0)
            weight = UINT64_MAX;
        for (size_t row = 0; weight != UINT64_MAX && row < batch.count; row++) {
            weight += kind == TRACE_SAMPLE ? trace_sample_weight(batch.integers[SAMPLE_WEIGHT][row]) : 0;
            for (size_t c = SAMPLE_WEIGHT_1; c <= SAMPLE_WEIGHT_7; c++)
                weight += batch.integers[c][row];
        }
    }
    trace_batch_free(&batch);
    trace_close(trace);
    return weight;
}

struct verdict {
    int status;
    uint64_t weight;
    bool mute, wrong; /* an error without a text; a trace that does not hold what was reported */
};

static struct verdict judge(const uint8_t *data, size_t size, bool check)
{
    char path[128], base[128];
    snprintf(path, sizeof path, "%s/damaged", directory);
    snprintf(base, sizeof base, "%s/result", directory);
    FILE *file = fopen(path, "wb");
    fwrite(data, 1, size, file);
    fclose(file);
    const struct sink_options options = {.base = base, .source = "damaged"};
    struct import_result result;
    struct error_text message = {""};
    struct verdict verdict = {.status = profile_import(path, &options, &result, &message)};
    verdict.mute = verdict.status != STATUS_GOOD && message.text[0] == '\0';
    for (size_t i = 0; i < result.trace_count; i++) {
        if (!result.traces[i].path)
            continue;
        verdict.weight += result.traces[i].weight;
        uint64_t all = result.traces[i].weight;
        for (size_t more = 0; more < SINK_MORE_MAX; more++)
            all += result.traces[i].more[more];
        verdict.wrong |= check && weight_of(result.traces[i].path) != all;
        unlink(result.traces[i].path);
    }
    sink_free(result.sink);
    return verdict;
}

struct counts {
    int mute, wrong, silent, told, part;
};

static void count(struct counts *counts, const struct verdict *verdict, uint64_t whole)
{
    counts->mute += verdict->mute;
    counts->wrong += verdict->wrong;
    counts->told += verdict->status != STATUS_GOOD;
    counts->part += verdict->status != STATUS_GOOD && verdict->weight > 0;
    counts->silent += verdict->status == STATUS_GOOD && verdict->weight < whole;
}

static void fuzz(const char *name, bool ends)
{
    size_t size = 0;
    uint8_t *data = load(name, &size);
    if (!ok(data && size > 0, "%s: the file is there", name))
        return;
    const struct verdict whole = judge(data, size, true);
    ok(whole.status == STATUS_GOOD && whole.weight > 0 && !whole.wrong, "%s: the undamaged file is read (%zu bytes)",
       name, size);
    struct counts cuts = {0}, changes = {0};
    for (int i = 0; i < cut_count; i++) {
        const struct verdict verdict =
            judge(data, i < 100 && (size_t)i < size ? (size_t)i : draw() % size, i % CHECKED_TRACES == 0);
        count(&cuts, &verdict, whole.weight);
    }
    for (int i = 0; i < change_count; i++) {
        size_t at = draw() % size;
        uint8_t before = data[at];
        data[at] ^= (uint8_t)(1 + draw() % 255);
        const struct verdict verdict = judge(data, size, i % CHECKED_TRACES == 0);
        data[at] = before;
        count(&changes, &verdict, whole.weight);
    }
    ok(cuts.mute == 0 && cuts.wrong == 0,
       "%s: after %d cuts every error has a text and every trace is right (%d errors, %d with a part)", name, cut_count,
       cuts.told, cuts.part);
    if (ends)
        ok(cuts.silent == 0, "%s: no cut loses weight silently (%d)", name, cuts.silent);
    ok(changes.mute == 0 && changes.wrong == 0, "%s: after %d changed bytes, too (%d errors, %d with a part)", name,
       change_count, changes.told, changes.part);
    free(data);
}

static bool is_wanted(const char *name, int argc, char **argv)
{
    bool wanted = argc < 2;
    for (int i = 1; i < argc; i++)
        wanted |= strcmp(argv[i], name) == 0;
    return wanted;
}

int main(int argc, char **argv)
{
    char command[256];
    const char *fuzz_size = getenv("ASSAY_FUZZ");
    if (fuzz_size && strcmp(fuzz_size, "full") == 0) {
        cut_count = 2000;
        change_count = 20000;
    }
    snprintf(directory, sizeof directory, "/dev/shm/assay-profiles-%d", (int)getpid());
    mkdir(directory, 0700);
    snprintf(command, sizeof command, "python3 tests/analyze/profiles.py %s", directory);
    alarm(SECONDS_MAX);
    if (!ok(system(command) == 0, "the profiles are made"))
        return done_testing();
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (is_wanted(files[i].name, argc, argv))
            fuzz(files[i].name, files[i].ends);
    snprintf(command, sizeof command, "rm -r %s", directory);
    ok(system(command) == 0, "they are deleted");
    return done_testing();
}
