/* The source files of a page: which are found, and what of them is shown. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "analyze/waste/page/waste_page_parts.h"

/* A file up to WHOLE bytes is shown as a whole, of a longer one the lines around those of frames. The page takes TOTAL
 * bytes of all, of those that wasted most. */
enum { WHOLE = 256 << 10, AROUND = 40, TOTAL = 12 << 20 };

/* What the page needs of one file. */
struct waste_page_source {
    uint32_t number;     /* of frames->files */
    uint64_t bytes;      /* wasted there */
    const char *name;    /* as the trace has it */
    const char *path;    /* found; NULL */
    const char *missing; /* why it is not shown; NULL */
    size_t alike;        /* files that may be meant */
};

struct waste_page_sources {
    FILE *out;
    const struct waste_page_frames *frames;
    uint32_t *by_file; /* [frames->count]: frames with a line, by file and line */
    size_t by_file_count;
    size_t left; /* of TOTAL */
    bool any;    /* one has been written */
    struct waste_page_source *items;
};

/* --- which --- */

/* Whether the name is one of source code: a trace from elsewhere must not put just any file into the page. */
static bool waste_page_is_source_name(const char *name)
{
    static const char known[] =
        " c cc cpp cxx c++ h hh hpp hxx h++ inc inl ipp tcc tpp def y l yy ll s S asm m mm cu cuh cl d "
        "rs go zig nim swift f F f77 f90 f95 f03 f08 for pas pp adb ads ml mli hs java kt kts scala "
        "groovy clj cljs rb js ts py template ";
    const char *slash = strrchr(name, '/'), *dot = strrchr(slash ? slash : name, '.');
    char suffix[16];
    if (!dot) /* <vector> */
        return strstr(name, "/include/") != NULL;
    return (size_t)snprintf(suffix, sizeof suffix, " %s ", dot + 1) < sizeof suffix && strstr(known, suffix);
}

/* Why the file is none to show, or NULL. The name of the file itself counts, not that of a link to it or of a path
 * through "..". */
static const char *waste_page_refusal(const char *path)
{
    char *resolved = realpath(path, NULL);
    const char *refusal = !resolved                             ? "can't be read"
                          : waste_page_is_source_name(resolved) ? NULL
                                                                : "has no name of source code";
    free(resolved);
    return refusal;
}

static int waste_page_compare_sources(const void *a, const void *b)
{
    const struct waste_page_source *x = a, *y = b;
    return x->bytes != y->bytes ? (x->bytes > y->bytes ? -1 : 1) : strcmp(x->name, y->name);
}

static int waste_page_compare_lines(const void *a, const void *b, void *user)
{
    const struct waste_page_frames *frames = user;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    if (frames->file_of[x] != frames->file_of[y])
        return frames->file_of[x] < frames->file_of[y] ? -1 : 1;
    return frames->position[x] < frames->position[y] ? -1 : frames->position[x] > frames->position[y];
}

/* Where the frames of a file begin in by_file. */
static size_t waste_page_first_of(const struct waste_page_sources *sources, uint32_t file)
{
    size_t low = 0, high = sources->by_file_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (sources->frames->file_of[sources->by_file[middle]] < file)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* --- contents --- */

/* The end of the lines from *line to `last`, which begin at `at`, or of as many of them as fit into `most` bytes. *line
 * is then the one behind them. */
static const char *waste_page_pass_lines(const char *at, const char *end, uint64_t *line, uint64_t last, size_t most)
{
    for (const char *start = at; *line <= last && at < end; ++*line) {
        const char *newline = memchr(at, '\n', (size_t)(end - at)), *next = newline ? newline + 1 : end;
        if ((size_t)(next - start) > most)
            break;
        at = next;
    }
    return at;
}

/* Whole lines, the first of which has this number, as [first,"text"]. */
static bool waste_page_write_excerpt(FILE *out, uint64_t first, const char *lines, const char *end)
{
    fprintf(out, "[%" PRIu64 ",", first);
    bool good = waste_page_json(out, lines, (size_t)(end - lines) - (end > lines && end[-1] == '\n'));
    fputc(']', out);
    return good;
}

/* The lines around those of frames, with gaps between, until the page has enough. */
static bool waste_page_write_excerpts(struct waste_page_sources *sources, uint32_t file, const char *text,
                                      const char *end)
{
    const struct waste_page_frames *frames = sources->frames;
    const char *at = text;
    uint64_t line = 1;
    bool good = true, first = true;
    for (size_t i = waste_page_first_of(sources, file); good && i < sources->by_file_count;) {
        uint64_t position = frames->position[sources->by_file[i]], from = position > AROUND ? position - AROUND : 1,
                 to = position + AROUND;
        if (frames->file_of[sources->by_file[i]] != file)
            break;
        for (i++; i < sources->by_file_count && frames->file_of[sources->by_file[i]] == file &&
                  frames->position[sources->by_file[i]] <= to + AROUND;
             i++)
            to = frames->position[sources->by_file[i]] + AROUND;
        at = waste_page_pass_lines(at, end, &line, from - 1, SIZE_MAX);
        const char *start = at;
        from = line;
        at = waste_page_pass_lines(at, end, &line, to, sources->left);
        if (at == start)
            break;
        fputs(first ? "" : ",", sources->out);
        good = waste_page_write_excerpt(sources->out, from, start, at);
        sources->left -= (size_t)(at - start);
        first = false;
        if (line <= to)
            break;
    }
    return good;
}

/* 0 or ENOMEM. */
static int waste_page_write_text_of(struct waste_page_sources *sources, const struct waste_page_source *source,
                                    const char *text, size_t length)
{
    uint64_t lines = 1;
    waste_page_pass_lines(text, text + length, &lines, UINT64_MAX, SIZE_MAX);
    lines--;
    fprintf(sources->out,
            "%s{\"file\":%" PRIu32 ",\"lines\":%" PRIu64 ",\"alike\":%zu,\"path\":", sources->any ? "," : "",
            source->number, lines, source->alike);
    bool good = waste_page_json(sources->out, source->path, strlen(source->path));
    fputs(",\"parts\":[", sources->out);
    if (length <= WHOLE) {
        sources->left -= length;
        good = good && waste_page_write_excerpt(sources->out, 1, text, text + length);
    } else {
        good = good && waste_page_write_excerpts(sources, source->number, text, text + length);
    }
    fputs("]}", sources->out);
    sources->any = true;
    return good ? 0 : ENOMEM;
}

/* 0 or ENOMEM; source->missing says why a file is not shown. */
static int waste_page_write_file(struct waste_page_sources *sources, struct waste_page_source *source)
{
    struct stat status = {0};
    int fd = waste_page_open(source->path, &status), error = 0;
    if (fd < 0) {
        source->missing = errno == EACCES   ? "may not be read"
                          : errno == EINVAL ? "is not a regular file"
                                            : "can't be read";
    } else if (status.st_size == 0) {
        source->missing = "is empty";
    } else if (sources->left < (size_t)(status.st_size < WHOLE ? status.st_size : WHOLE)) {
        source->missing = "is left out: the page has enough of files that waste more";
    } else {
        size_t length = (size_t)status.st_size;
        char *text = mmap(NULL, length, PROT_READ, MAP_PRIVATE, fd, 0);
        if (text == MAP_FAILED)
            source->missing = "can't be read";
        else if (memchr(text, '\0', length < WHOLE ? length : WHOLE))
            source->missing = "is not a text";
        else
            error = waste_page_write_text_of(sources, source, text, length);
        if (text != MAP_FAILED)
            munmap(text, length);
    }
    if (fd >= 0)
        close(fd);
    return error;
}

/* --- all of them --- */

static int waste_page_find_sources(struct waste_page_sources *sources, const struct waste *waste,
                                   const struct waste_page_index *index)
{
    const struct waste_page_frames *frames = sources->frames;
    sources->items = calloc(frames->files.count + 1, sizeof *sources->items);
    sources->by_file = malloc((frames->count + 1) * sizeof *sources->by_file);
    if (!sources->items || !sources->by_file)
        return ENOMEM;
    for (uint32_t frame = 0; frame < frames->count; frame++)
        if (frames->file_of[frame] != FIELD_NONE)
            sources->by_file[sources->by_file_count++] = frame;
    qsort_r(sources->by_file, sources->by_file_count, sizeof *sources->by_file, waste_page_compare_lines,
            (void *)(uintptr_t)frames);
    for (uint32_t i = 0; i < frames->files.count; i++) {
        const struct waste_page_file *file = keyed_at(&frames->files, i);
        struct waste_page_source *source = &sources->items[i];
        *source = (struct waste_page_source){.number = i, .bytes = file->bytes, .name = waste_text(waste, file->name)};
        source->path = waste_page_search(index, source->name, &source->alike);
        if (!source->path)
            source->missing = "was not found";
        else
            source->missing = waste_page_refusal(source->path);
    }
    qsort(sources->items, frames->files.count, sizeof *sources->items, waste_page_compare_sources);
    return 0;
}

int waste_page_write_sources(FILE *out, const struct waste_page_request *request, const struct waste *waste,
                             const struct waste_page_frames *frames, struct report *report)
{
    struct waste_page_sources sources = {.out = out, .frames = frames, .left = TOTAL};
    struct waste_page_index index;
    int error = waste_page_index(request, report, &index);
    if (!error)
        error = waste_page_find_sources(&sources, waste, &index);
    fputs("\"sources\":[", out);
    for (size_t i = 0; !error && i < frames->files.count; i++)
        if (!sources.items[i].missing)
            error = waste_page_write_file(&sources, &sources.items[i]);
    fputs("],\"missing\":[", out);
    bool any = false;
    for (size_t i = 0; !error && i < frames->files.count; i++)
        if (sources.items[i].missing) {
            fprintf(out, "%s{\"file\":%" PRIu32 ",\"why\":\"%s\"}", any ? "," : "", sources.items[i].number,
                    sources.items[i].missing);
            any = true;
        }
    fputs("]", out);
    free(sources.items);
    free(sources.by_file);
    waste_page_free_index(&index);
    return error;
}
