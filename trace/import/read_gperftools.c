/*
 * The CPU profile of gperftools: words of 4 or 8 bytes of either order. A header 0, 3, VERSION, PERIOD in µs, 0; then
 * stacks COUNT, DEPTH, addresses from the innermost on; a stack 0, 1, 0 ends them; then text: the lines of
 * /proc/self/maps, or where VERSION is 1 lines "0xID NAME (FILE:LINE)" of Java. Source: gperftools,
 * docs/cpuprofile-fileformat.html; for Java google/pprof, profile/legacy_java_profile.go.
 *
 * The text at the end names the addresses before it, so the file is read twice.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "trace/import/idmap.h"
#include "trace/import/reading.h"
#include "trace/import/stack.h"
#include "base/grow.h"

enum { DEPTH_MAX = 1 << 16, HEADER_WORDS = 5 };

struct layout {
    size_t bytes;
    bool big;
    uint64_t version, period_us;
};

struct range {
    uint64_t low, high;
    char name[256]; /* of the module, in brackets */
};

struct gperftools {
    struct reading *reading;
    struct layout layout;
    struct range *ranges;
    size_t range_count, range_capacity;
    struct idmap symbols; /* Java: id to frame */
    uint32_t *symbol_frames;
    size_t symbol_capacity;
    struct idmap addresses; /* address to frame */
    uint32_t *address_frames;
    size_t address_capacity;
    struct stack stack;
};

static uint64_t gperftools_word(const struct layout *layout, const unsigned char *at)
{
    uint64_t word = 0;
    for (size_t i = 0; i < layout->bytes; i++)
        word = word << 8 | at[layout->big ? i : layout->bytes - 1 - i];
    return word;
}

static bool gperftools_parse_header(const unsigned char *head, size_t length, struct layout *layout)
{
    static const struct layout layouts[] = {{8, false, 0, 0}, {4, false, 0, 0}, {8, true, 0, 0}, {4, true, 0, 0}};
    for (size_t i = 0; i < 4; i++) {
        *layout = layouts[i];
        size_t bytes = layout->bytes;
        if (length < HEADER_WORDS * bytes || gperftools_word(layout, head) != 0 ||
            gperftools_word(layout, head + bytes) != 3 || gperftools_word(layout, head + 4 * bytes) != 0)
            continue;
        layout->version = gperftools_word(layout, head + 2 * bytes);
        layout->period_us = gperftools_word(layout, head + 3 * bytes);
        if (layout->version <= 1 && layout->period_us > 0 && layout->period_us < 1000000000)
            return true;
    }
    return false;
}

static bool gperftools_recognize(const unsigned char *head, size_t length)
{
    struct layout layout;
    return gperftools_parse_header(head, length, &layout);
}

/* ------------------------------------------------------------------------------------------ stacks -- */

/* The next stack, its words in the source's window, which are then consumed: 1; 0 at the end mark; -1 with a message.
 */
static int gperftools_next_stack(struct gperftools *profile, uint64_t *count, uint64_t *depth,
                                 const unsigned char **addresses, struct error_text *message)
{
    struct source *source = profile->reading->source;
    size_t bytes = profile->layout.bytes, got;
    uint64_t at = source_offset(source);
    const unsigned char *words = source_peek(source, 3 * bytes, &got);
    if (!words || got < 3 * bytes) {
        error_set(message, STATUS_BAD, "byte %" PRIu64 ": the file ends within its stacks: there is no end mark", at);
        return -1;
    }
    *count = gperftools_word(&profile->layout, words);
    *depth = gperftools_word(&profile->layout, words + bytes);
    if (*count == 0 && *depth == 1 && gperftools_word(&profile->layout, words + 2 * bytes) == 0) {
        source_skip(source, 3 * bytes);
        return 0;
    }
    if (*depth == 0 || *depth > DEPTH_MAX) {
        error_set(message, STATUS_BAD, "byte %" PRIu64 ": a stack of %" PRIu64 " frames", at, *depth);
        return -1;
    }
    size_t size = (size_t)(2 + *depth) * bytes;
    words = source_peek(source, size, &got);
    if (!words || got < size) {
        error_set(message, STATUS_BAD, "byte %" PRIu64 ": the file ends within a stack", at);
        return -1;
    }
    *addresses = words + 2 * bytes;
    source_skip(source, size);
    return 1;
}

/* ------------------------------------------------------------------------------------------ names -- */

/* "LOW-HIGH r-xp OFFSET DEV INODE PATH" */
static bool gperftools_read_mapping(struct gperftools *profile, char *line)
{
    uint64_t low, high;
    char flags[8];
    int path = 0;
    if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %*s %*s %*s %n", &low, &high, flags, &path) < 3 || path == 0 ||
        !strchr(flags, 'x') || !line[path])
        return true;
    const char *name = reading_file_name(line + path);
    struct range *ranges = grow(profile->ranges, &profile->range_capacity, profile->range_count, sizeof *ranges);
    if (!ranges)
        return false;
    profile->ranges = ranges;
    struct range *range = &ranges[profile->range_count];
    *range = (struct range){.low = low, .high = high};
    snprintf(range->name, sizeof range->name, *name == '[' ? "%.200s" : "[%.200s]", name);
    profile->range_count++;
    return true;
}

/* " 0xID NAME (FILE:LINE)" or " 0xID NAME" */
static bool gperftools_read_symbol(struct gperftools *profile, char *line)
{
    char *end, *file = "";
    uint64_t id = strtoull(line, &end, 16), number = 0;
    if (end == line || *end != ' ')
        return true;
    char *name = end + strspn(end, " ");
    size_t length = strlen(name);
    char *open = length > 2 && name[length - 1] == ')' ? strrchr(name, '(') : NULL;
    if (open && open > name && open[-1] == ' ') {
        name[length - 1] = open[-1] = '\0';
        file = open + 1;
        char *colon = strrchr(file, ':');
        if (colon && colon[1] && colon[1 + strspn(colon + 1, "0123456789")] == '\0') {
            number = strtoull(colon + 1, NULL, 10);
            *colon = '\0';
        }
    }
    uint32_t index = idmap_add(&profile->symbols, id);
    uint32_t *frames = grow(profile->symbol_frames, &profile->symbol_capacity, index, sizeof *frames);
    if (!index || !frames)
        return false;
    profile->symbol_frames = frames;
    frames[index] = sink_add_frame(profile->reading->sink,
                                   &(struct sink_frame){.method = name, .file = file, .line = number, .position = -1});
    return true;
}

static uint32_t gperftools_make_frame(struct gperftools *profile, uint64_t address)
{
    char number[32];
    uint32_t index = idmap_find(&profile->symbols, address);
    if (index)
        return profile->symbol_frames[index];
    snprintf(number, sizeof number, "0x%" PRIx64, address);
    if (profile->layout.version == 1)
        reading_report_bad(profile->reading, "%s is on a stack but has no name", number);
    const char *name = number;
    for (size_t i = 0; i < profile->range_count; i++)
        if (address >= profile->ranges[i].low && address < profile->ranges[i].high)
            name = profile->ranges[i].name;
    return sink_add_frame(profile->reading->sink, &(struct sink_frame){.method = name, .position = (int64_t)address});
}

/* ------------------------------------------------------------------------------------------ the whole -- */

/* Native return addresses lie after the call; those of Java are ids. */
static bool gperftools_pass_stack(struct gperftools *profile, struct sink_sample *sample,
                                  const unsigned char *addresses, uint64_t depth)
{
    profile->stack.depth = 0;
    for (uint64_t i = 0; i < depth; i++) {
        uint64_t address = gperftools_word(&profile->layout, addresses + i * profile->layout.bytes);
        if (i > 0 && profile->layout.version == 0 && address > 0) {
            if (i == 1 && address == gperftools_word(&profile->layout, addresses))
                continue; /* the signal's position, which the unwinder repeated */
            address--;
        }
        uint32_t index = idmap_add(&profile->addresses, address);
        uint32_t *frames = grow(profile->address_frames, &profile->address_capacity, index, sizeof *frames);
        if (!index || !frames)
            return false;
        profile->address_frames = frames;
        if (!frames[index])
            frames[index] = gperftools_make_frame(profile, address);
        if (!stack_push(&profile->stack, frames[index]))
            return false;
    }
    sample->frames = profile->stack.frames;
    sample->depth = profile->stack.depth;
    sink_add_sample(profile->reading->sink, sample);
    return true;
}

static int gperftools_read_twice(struct gperftools *profile, struct error_text *message)
{
    const unsigned char *addresses;
    uint64_t count, depth;
    int more;
    if (!source_skip(profile->reading->source, HEADER_WORDS * profile->layout.bytes))
        return error_set(message, STATUS_BAD, "byte 0: the header is cut");
    while ((more = gperftools_next_stack(profile, &count, &depth, &addresses, message)) > 0) {
    }
    if (more == 0) {
        char *line;
        size_t length;
        uint64_t number = 0;
        while ((line = source_read_line(profile->reading->source, &length, &number)))
            if (!(profile->layout.version == 1 ? gperftools_read_symbol : gperftools_read_mapping)(profile, line))
                return error_set(message, STATUS_BAD, "out of memory");
    }
    const struct sink_profile wanted = {.name = "samples",
                                        .unit = "samples",
                                        .period_ns = profile->layout.period_us * 1000,
                                        .unknown = UNKNOWN_TIMES | UNKNOWN_THREADS};
    struct sink_sample sample = {.profile = sink_open_profile(profile->reading->sink, &wanted),
                                 .thread = sink_add_thread(profile->reading->sink, 0, "")};
    const unsigned char *stack_addresses;
    uint64_t stack_depth;
    int left;
    if (!source_rewind(profile->reading->source) ||
        !source_skip(profile->reading->source, HEADER_WORDS * profile->layout.bytes))
        return error_set(message, STATUS_BAD, "byte 0: the header is cut");
    while (!sink_has_failed(profile->reading->sink) &&
           (left = gperftools_next_stack(profile, &sample.weight, &stack_depth, &stack_addresses, message)) != 0)
        if (left < 0 || !gperftools_pass_stack(profile, &sample, stack_addresses, stack_depth))
            return left < 0 ? STATUS_BAD : error_set(message, STATUS_BAD, "out of memory");
    return STATUS_GOOD;
}

static int read_gperftools(struct reading *reading, struct error_text *message)
{
    struct gperftools profile = {.reading = reading};
    size_t got;
    const unsigned char *head = source_peek(reading->source, 40, &got);
    int status = STATUS_BAD;
    sink_set_origin(reading->sink, "gperftools", "gperftools", NULL);
    if (gperftools_parse_header(head, got, &profile.layout))
        status = gperftools_read_twice(&profile, message);
    idmap_free(&profile.symbols);
    idmap_free(&profile.addresses);
    stack_free(&profile.stack);
    free(profile.ranges);
    free(profile.symbol_frames);
    free(profile.address_frames);
    return status;
}

const struct profile_format format_gperftools = {"gperftools", gperftools_recognize, read_gperftools};
