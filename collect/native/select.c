#include "collect/native/select.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collect/native/native.h"
#include "collect/native/symbol_table.h"
#include "collect/symbols/demangle.h"
#include "collect/x86/loops.h"

/* A line of the file: a name without blanks, with or without parameters. */
struct line {
    char *name;
    bool recorded; /* a function with this name has a probe or was entered */
    bool exists;   /* … is at least in one of the files */
};

struct module {
    uint64_t low, high, bias;
    char *base_name;
    struct symbol_table table;
};

/* A list of patterns. */
struct patterns {
    char **texts;
    size_t count;
};

enum { DEFAULT_MIN_BYTES = 50, CHOSEN = 4096 };

static struct {
    pthread_mutex_t lock;
    bool held_at_fork;
    bool by_file, by_size, loop_rule;
    struct line *lines;
    size_t line_count;
    struct patterns include, exclude;
    uint64_t min_bytes;
    struct module *modules;
    size_t module_count;
    _Atomic uint64_t chosen[CHOSEN]; /* hashed addresses */
    unsigned next_way;
    bool has_probes; /* select_has() has been asked about a function */
    pid_t process;
} own = {.lock = PTHREAD_MUTEX_INITIALIZER};

_Atomic uint64_t (*select_passed)[SELECT_WAYS];

/* ---------------------------------------------------------------------------- requests -- */

/* Returns a copy without blanks; NULL without memory. */
static char *squeeze(const char *text)
{
    char *copy = malloc(strlen(text) + 1), *end = copy;
    for (; copy && *text; text++)
        if (!isspace((unsigned char)*text))
            *end++ = *text;
    if (copy)
        *end = '\0';
    return copy;
}

static void add_line(const char *text)
{
    char *name = squeeze(text);
    struct line *grown =
        name && *name && *name != '#' ? reallocarray(own.lines, own.line_count + 1, sizeof *own.lines) : NULL;
    if (!grown) {
        free(name);
        return;
    }
    own.lines = grown;
    own.lines[own.line_count++] = (struct line){.name = name};
}

static void read_lines(const char *path)
{
    FILE *file = fopen(path, "re");
    char *line = NULL;
    size_t size = 0;
    if (!file) {
        fprintf(stderr, "assay: process %d: --methods %s: %s: no function is recorded\n", (int)getpid(), path,
                strerror(errno));
        return;
    }
    while (getline(&line, &size, file) >= 0)
        add_line(line);
    free(line);
    fclose(file);
}

static struct patterns read_patterns(const json_t *list)
{
    struct patterns patterns = {calloc(json_array_size(list) + 1, sizeof(char *)), 0};
    size_t i;
    const json_t *text;
    json_array_foreach(list, i, text)
    {
        char *pattern = patterns.texts ? squeeze(json_string_value(text)) : NULL;
        if (pattern)
            patterns.texts[patterns.count++] = pattern;
    }
    return patterns;
}

void select_prepare(const json_t *wanted)
{
    const char *file = json_string_value(json_object_get(wanted, "file"));
    const json_t *bytes = json_object_get(wanted, "min_bytes");
    own.by_file = file != NULL;
    own.loop_rule = !json_is_false(json_object_get(wanted, "loop_rule"));
    own.by_size = bytes || !own.loop_rule;
    own.min_bytes = bytes ? (uint64_t)json_integer_value(bytes) : DEFAULT_MIN_BYTES;
    own.include = read_patterns(json_object_get(wanted, "include"));
    own.exclude = read_patterns(json_object_get(wanted, "exclude"));
    own.process = getpid();
    if (!file && !own.by_size && own.include.count + own.exclude.count == 0)
        return;
    if (file)
        read_lines(file);
    select_passed = calloc((size_t)1 << SELECT_SETS_LOG2, sizeof *select_passed);
}

bool select_wanted(void)
{
    return select_passed != NULL;
}

/* ---------------------------------------------------------------------------- loaded files -- */

/* What dl_iterate_phdr() searches for. */
struct search {
    uint64_t address;
    struct module found;
    char path[4096];
};

static int look_at(struct dl_phdr_info *info, size_t size, void *user)
{
    struct search *search = user;
    struct module module = {.low = UINT64_MAX, .bias = info->dlpi_addr};
    (void)size;
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        uint64_t start = info->dlpi_addr + segment->p_vaddr;
        if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X))
            continue;
        module.low = start < module.low ? start : module.low;
        module.high = start + segment->p_memsz > module.high ? start + segment->p_memsz : module.high;
    }
    if (search->address < module.low || search->address >= module.high)
        return 0;
    search->found = module;
    snprintf(search->path, sizeof search->path, "%s", info->dlpi_name);
    return 1;
}

static char *base_name_of(const char *path)
{
    char exe[4096];
    ssize_t length = *path ? 0 : readlink("/proc/self/exe", exe, sizeof exe - 1);
    if (!*path) {
        exe[length > 0 ? length : 0] = '\0';
        path = exe;
    }
    const char *slash = strrchr(path, '/');
    return strdup(slash ? slash + 1 : path);
}

static struct module *module_of(uint64_t address)
{
    struct search search = {.address = address};
    for (size_t i = 0; i < own.module_count; i++)
        if (address >= own.modules[i].low && address < own.modules[i].high)
            return &own.modules[i];
    struct module *grown =
        linker_each(look_at, &search) ? reallocarray(own.modules, own.module_count + 1, sizeof *own.modules) : NULL;
    if (!grown)
        return NULL;
    own.modules = grown;
    search.found.base_name = base_name_of(search.path);
    symbol_table_read(*search.path ? search.path : "/proc/self/exe", &search.found.table);
    own.modules[own.module_count] = search.found;
    return &own.modules[own.module_count++];
}

/* ---------------------------------------------------------------------------- matches -- */

/* Whether the text matches the pattern, in which * stands for anything. */
static bool fits(const char *pattern, const char *text, size_t length)
{
    const char *end = text + length, *star = NULL, *from = NULL;
    while (text < end) {
        if (*pattern == '*') {
            star = pattern++;
            from = text;
        } else if (*pattern == *text) {
            pattern++;
            text++;
        } else if (star) {
            pattern = star + 1;
            text = ++from;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return *pattern == '\0';
}

/* A pattern matches a function, or the class or namespace that contains it. */
static bool fits_any(const struct patterns *patterns, const char *name)
{
    size_t length = strlen(name), scope = 0;
    for (const char *at = name; (at = strstr(at, "::")); at += 2)
        scope = (size_t)(at - name);
    for (size_t i = 0; i < patterns->count; i++)
        if (fits(patterns->texts[i], name, length) || (scope > 0 && fits(patterns->texts[i], name, scope)))
            return true;
    return false;
}

/* Marks the lines that request a name with these parameters. */
static bool mark_lines(const char *name, const char *parameters, bool recorded)
{
    size_t length = strlen(name);
    bool any = false;
    for (size_t i = 0; i < own.line_count; i++) {
        struct line *line = &own.lines[i];
        const char *rest = line->name + length;
        if (strncmp(line->name, name, length) != 0 || (*rest && strcmp(rest, parameters) != 0))
            continue;
        line->recorded |= recorded;
        line->exists = any = true;
    }
    return any;
}

/* Whether the chosen names include this one. `parameters` is "" if they are unknown. */
static bool is_named(const char *name, const char *parameters, bool recorded)
{
    char *short_name = squeeze(name), *rest = squeeze(parameters);
    bool good = false;
    if (short_name && rest)
        good = own.by_file ? mark_lines(short_name, rest, recorded)
                           : (own.include.count == 0 || fits_any(&own.include, short_name)) &&
                                 !fits_any(&own.exclude, short_name);
    free(short_name);
    free(rest);
    return good;
}

static bool has_symbol(const char *symbol, bool recorded)
{
    char *name, *parameters;
    if (demangle(symbol, &name, &parameters) != 0)
        return false;
    bool good = is_named(name, parameters, recorded);
    free(name);
    free(parameters);
    return good;
}

/* A backward jump alone does not make a loop: compilers move rarely executed code behind the rest. The code is read
 * from the file, since in memory it may have been unmapped after the function ran. */
static bool has_loop(const struct module *module, const struct symbol *symbol)
{
    enum { BYTES_A_BLOCK = 4, LEAST_BLOCKS = 16 };
    uint64_t begin = symbol->begin, bytes = symbol->bytes;
    const uint8_t *code = elf_image_at(&module->table.image, begin, bytes);
    const struct loops_function function = {code, begin, begin + bytes, begin, NULL, NULL};
    struct loops loops = {0};
    size_t size = loops_work_bytes(bytes, bytes / BYTES_A_BLOCK + LEAST_BLOCKS);
    void *work = code ? malloc(size) : NULL;
    bool has = work && loops_find(&function, work, size, &loops) == LOOPS_FOUND && loops.loop_count > 0;
    free(work);
    return has;
}

static bool is_large(const struct module *module, const struct symbol *symbol)
{
    return !own.by_size || symbol->bytes > own.min_bytes || (own.loop_rule && has_loop(module, symbol));
}

/* If the file names no function there, it gets the name that the trace gives it. */
static bool is_unnamed_chosen(const struct module *module, uint64_t position)
{
    char name[512];
    snprintf(name, sizeof name, "[%s+0x%" PRIx64 "]", module->base_name ? module->base_name : "", position);
    return is_named(name, "", true);
}

static bool decide(uint64_t address, const struct module *module)
{
    if (!module)
        return !own.by_file && is_named("[anonymous code]", "", true);
    const struct symbol *symbols = module->table.symbols;
    uint64_t position = address - module->bias;
    size_t at = symbol_table_above(&module->table, position);
    if (at == 0 || (symbols[at - 1].bytes > 0 && position - symbols[at - 1].begin >= symbols[at - 1].bytes))
        return is_unnamed_chosen(module, position);
    bool named = false;
    for (uint64_t begin = symbols[at - 1].begin; at > 0 && symbols[at - 1].begin == begin; at--)
        named |= has_symbol(symbols[at - 1].name, true) && is_large(module, &symbols[at - 1]);
    return named;
}

static void pass(uint64_t address)
{
    _Atomic uint64_t *set = select_passed[select_set(address)];
    size_t way = 0;
    while (way < SELECT_WAYS && set[way] != 0)
        way++;
    atomic_store_explicit(&set[way < SELECT_WAYS ? way : own.next_way++ % SELECT_WAYS], address, memory_order_relaxed);
}

bool select_has(uint64_t address)
{
    if (!select_passed)
        return true;
    _Atomic uint64_t *chosen = &own.chosen[select_set(address) % CHOSEN];
    if (atomic_load_explicit(chosen, memory_order_relaxed) == address)
        return true;
    if (select_passes(address))
        return false;
    pthread_mutex_lock(&own.lock);
    own.has_probes = true;
    const struct module *module = module_of(address);
    bool has = decide(address, module);
    /* Without a module the address may belong to a library that has just been unloaded. */
    if (has)
        atomic_store_explicit(chosen, address, memory_order_relaxed);
    else if (module && !select_passes(address))
        pass(address);
    pthread_mutex_unlock(&own.lock);
    return has;
}

/* ---------------------------------------------------------------------------- fork, unloading, the end -- */

void select_before_fork(void)
{
    own.held_at_fork = linker_lock_before_fork(&own.lock);
}

void select_after_fork_in_parent(void)
{
    if (own.held_at_fork)
        pthread_mutex_unlock(&own.lock);
}

void select_after_fork_in_child(void)
{
    pthread_mutex_init(&own.lock, NULL);
}

void select_forget(void)
{
    if (!select_passed)
        return;
    pthread_mutex_lock(&own.lock);
    for (size_t i = 0; i < own.module_count; i++) {
        symbol_table_free(&own.modules[i].table);
        free(own.modules[i].base_name);
    }
    own.module_count = 0;
    for (size_t i = 0; i < CHOSEN; i++)
        atomic_store_explicit(&own.chosen[i], 0, memory_order_relaxed);
    for (size_t set = 0; set < (size_t)1 << SELECT_SETS_LOG2; set++)
        for (size_t way = 0; way < SELECT_WAYS; way++)
            atomic_store_explicit(&select_passed[set][way], 0, memory_order_relaxed);
    pthread_mutex_unlock(&own.lock);
}

/* Functions that were not recorded may still exist in a file. */
static int look_for_lines(struct dl_phdr_info *info, size_t size, void *user)
{
    struct symbol_table table;
    (void)size;
    (void)user;
    if (!symbol_table_read(*info->dlpi_name ? info->dlpi_name : "/proc/self/exe", &table))
        return 0;
    for (size_t i = 0; i < table.count; i++)
        has_symbol(table.symbols[i].name, false);
    symbol_table_free(&table);
    return 0;
}

/* Lists the names without a recorded function that files have, or do not have; returns their number. */
static size_t print_lines(FILE *to, bool exist, const char *what)
{
    enum { SHOWN = 8 };
    size_t count = 0, shown = 0;
    for (size_t i = 0; i < own.line_count; i++)
        count += !own.lines[i].recorded && own.lines[i].exists == exist;
    if (count == 0)
        return 0;
    fprintf(to, " %zu %s:", count, what);
    for (size_t i = 0; i < own.line_count && shown < SHOWN; i++)
        if (!own.lines[i].recorded && own.lines[i].exists == exist)
            shown += fprintf(to, " %s", own.lines[i].name) > 0;
    fputs(count > shown ? " …;" : ";", to);
    return count;
}

void select_tell(void)
{
    char *text = NULL;
    size_t size, missing;
    if (!own.by_file || !own.has_probes || getpid() != own.process)
        return;
    own.process = 0; /* once */
    linker_each(look_for_lines, NULL);
    FILE *to = open_memstream(&text, &size);
    if (!to)
        return;
    missing = print_lines(to, false, "not found in the program or its libraries");
    missing += print_lines(to, true, "without a probe, or never called");
    if (fclose(to) == 0 && missing > 0)
        fprintf(stderr, "assay: process %d: --methods:%.*s\n", (int)getpid(), (int)strlen(text) - 1, text);
    free(text);
}
