#include "collect/chosen_functions/choice.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collect/chosen_functions/symbol_table.h"
#include "collect/symbols/demangle.h"
#include "collect/x86/loops.h"

/* A line of the file: a name without blanks, with or without parameters. */
struct line {
    char *name;
    bool recorded; /* a function with this name has a probe or was entered */
    bool exists;   /* … is at least in one of the files */
};

struct module {
    struct choice_file file;
    struct symbol_table table;
};

/* A list of patterns. */
struct patterns {
    char **texts;
    size_t count;
};

enum { DEFAULT_MIN_BYTES = 50, CHOSEN = 4096 };

struct choice {
    struct choice_files files;
    struct passed_table *passed;
    bool by_file, by_size, loop_rule;
    struct line *lines;
    size_t line_count;
    struct patterns include, exclude;
    uint64_t min_bytes;
    struct module **modules;
    size_t module_count;
    uint64_t chosen[CHOSEN]; /* hashed addresses */
    unsigned next_way;
    char error[4096 + 128];
};

/* ---------------------------------------------------------------------------- requests -- */

/* Returns a copy without blanks; NULL without memory. */
static char *choice_strip_blanks(const char *text)
{
    char *copy = malloc(strlen(text) + 1), *end = copy;
    for (; copy && *text; text++)
        if (!isspace((unsigned char)*text))
            *end++ = *text;
    if (copy)
        *end = '\0';
    return copy;
}

static void choice_read_lines(struct choice *own, const char *path)
{
    FILE *file = fopen(path, "re");
    char *line = NULL;
    size_t size = 0;
    if (!file) {
        snprintf(own->error, sizeof own->error, "--methods %s: %s: no function is recorded", path, strerror(errno));
        return;
    }
    while (getline(&line, &size, file) >= 0) {
        char *name = choice_strip_blanks(line);
        struct line *grown =
            name && *name && *name != '#' ? reallocarray(own->lines, own->line_count + 1, sizeof *own->lines) : NULL;
        if (!grown) {
            free(name);
            continue;
        }
        own->lines = grown;
        own->lines[own->line_count++] = (struct line){.name = name};
    }
    free(line);
    fclose(file);
}

static struct patterns choice_read_patterns(const json_t *list)
{
    struct patterns patterns = {calloc(json_array_size(list) + 1, sizeof(char *)), 0};
    size_t i;
    const json_t *text;
    json_array_foreach(list, i, text)
    {
        char *pattern = patterns.texts ? choice_strip_blanks(json_string_value(text)) : NULL;
        if (pattern)
            patterns.texts[patterns.count++] = pattern;
    }
    return patterns;
}

struct choice *choice_new(const json_t *wanted, const struct choice_files *files)
{
    const char *file = json_string_value(json_object_get(wanted, "file"));
    const json_t *bytes = json_object_get(wanted, "min_bytes"), *include = json_object_get(wanted, "include"),
                 *exclude = json_object_get(wanted, "exclude");
    bool loop_rule = !json_is_false(json_object_get(wanted, "loop_rule")), by_size = bytes || !loop_rule;
    if (!file && !by_size && json_array_size(include) + json_array_size(exclude) == 0)
        return NULL;
    assert(files->find && files->each);
    struct choice *own = calloc(1, sizeof *own);
    if (!own)
        return NULL;
    own->files = *files;
    own->by_file = file != NULL;
    own->loop_rule = loop_rule;
    own->by_size = by_size;
    own->min_bytes = bytes ? (uint64_t)json_integer_value(bytes) : DEFAULT_MIN_BYTES;
    own->include = choice_read_patterns(include);
    own->exclude = choice_read_patterns(exclude);
    if (file)
        choice_read_lines(own, file);
    return own;
}

const char *choice_error(const struct choice *choice)
{
    return choice->error;
}

void choice_set_table(struct choice *choice, struct passed_table *passed)
{
    choice->passed = passed;
}

/* ---------------------------------------------------------------------------- files -- */

static const struct module *choice_find_module(struct choice *own, uint64_t address)
{
    for (size_t i = 0; i < own->module_count; i++)
        if (address >= own->modules[i]->file.low && address < own->modules[i]->file.high)
            return own->modules[i];
    struct module *module = calloc(1, sizeof *module);
    struct module **grown = module && own->files.find(own->files.user, address, &module->file)
                                ? reallocarray(own->modules, own->module_count + 1, sizeof *grown)
                                : NULL;
    if (!grown) {
        free(module);
        return NULL;
    }
    assert(address >= module->file.low && address < module->file.high);
    own->modules = grown;
    symbol_table_read(module->file.path, &module->table);
    return own->modules[own->module_count++] = module;
}

/* ---------------------------------------------------------------------------- matches -- */

/* Whether the text matches the pattern, in which * stands for anything. */
static bool pattern_matches(const char *pattern, const char *text, size_t length)
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
static bool patterns_match_any(const struct patterns *patterns, const char *name)
{
    size_t length = strlen(name), scope = 0;
    for (const char *at = name; (at = strstr(at, "::")); at += 2)
        scope = (size_t)(at - name);
    for (size_t i = 0; i < patterns->count; i++)
        if (pattern_matches(patterns->texts[i], name, length) ||
            (scope > 0 && pattern_matches(patterns->texts[i], name, scope)))
            return true;
    return false;
}

/* Whether the chosen names include this one, whose lines are marked. `parameters` is "" if they are unknown. */
static bool choice_includes_name(struct choice *own, const char *name, const char *parameters, bool recorded)
{
    char *short_name = choice_strip_blanks(name), *rest = choice_strip_blanks(parameters);
    bool good = false;
    if (short_name && rest && !own->by_file)
        good = (own->include.count == 0 || patterns_match_any(&own->include, short_name)) &&
               !patterns_match_any(&own->exclude, short_name);
    size_t length = short_name ? strlen(short_name) : 0;
    for (size_t i = 0; short_name && rest && own->by_file && i < own->line_count; i++) {
        struct line *line = &own->lines[i];
        const char *asked = line->name + length;
        if (strncmp(line->name, short_name, length) != 0 || (*asked && strcmp(asked, rest) != 0))
            continue;
        line->recorded |= recorded;
        line->exists = good = true;
    }
    free(short_name);
    free(rest);
    return good;
}

static bool choice_includes_symbol(struct choice *own, const char *symbol, bool recorded)
{
    char *name, *parameters;
    if (demangle(symbol, &name, &parameters) != 0)
        return false;
    bool good = choice_includes_name(own, name, parameters, recorded);
    free(name);
    free(parameters);
    return good;
}

/* A backward jump alone does not make a loop: compilers move rarely executed code behind the rest. The code is read
 * from the file, since in memory it may have been unmapped after the function ran. */
static bool choice_symbol_has_loop(const struct module *module, const struct symbol *symbol)
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

static bool choice_decide_address(struct choice *own, uint64_t address, const struct module *module)
{
    if (!module)
        return !own->by_file && choice_includes_name(own, "[anonymous code]", "", true);
    const struct symbol *symbols = module->table.symbols;
    uint64_t position = address - module->file.bias;
    size_t at = symbol_table_above(&module->table, position);
    if (at == 0 || (symbols[at - 1].bytes > 0 && position - symbols[at - 1].begin >= symbols[at - 1].bytes)) {
        /* The file names no function there: it gets the name that the trace gives it. */
        char name[512];
        snprintf(name, sizeof name, "[%s+0x%" PRIx64 "]", module->file.name, position);
        return choice_includes_name(own, name, "", true);
    }
    assert(at <= module->table.count && symbols[at - 1].begin <= position);
    bool named = false;
    for (uint64_t begin = symbols[at - 1].begin; at > 0 && symbols[at - 1].begin == begin; at--) {
        const struct symbol *symbol = &symbols[at - 1];
        named |= choice_includes_symbol(own, symbol->name, true) &&
                 (!own->by_size || symbol->bytes > own->min_bytes ||
                  (own->loop_rule && choice_symbol_has_loop(module, symbol)));
    }
    return named;
}

bool choice_has(struct choice *own, uint64_t address)
{
    uint64_t *chosen = &own->chosen[passed_set(address) % CHOSEN];
    if (*chosen == address)
        return true;
    if (passed_has(own->passed, address))
        return false;
    const struct module *module = choice_find_module(own, address);
    bool has = choice_decide_address(own, address, module);
    /* Without a module the address may belong to a library that has just been unloaded. */
    if (has)
        *chosen = address;
    else if (module) {
        _Atomic uint64_t *set = own->passed->sets[passed_set(address)];
        size_t way = 0;
        while (way < PASSED_WAYS && set[way] != 0)
            way++;
        atomic_store_explicit(&set[way < PASSED_WAYS ? way : own->next_way++ % PASSED_WAYS], address,
                              memory_order_relaxed);
    }
    return has;
}

static void choice_free_modules(struct choice *own)
{
    for (size_t i = 0; i < own->module_count; i++) {
        symbol_table_free(&own->modules[i]->table);
        free(own->modules[i]);
    }
    own->module_count = 0;
}

void choice_forget(struct choice *own)
{
    choice_free_modules(own);
    memset(own->chosen, 0, sizeof own->chosen);
    for (size_t set = 0; set < (size_t)1 << PASSED_SETS_LOG2; set++)
        for (size_t way = 0; way < PASSED_WAYS; way++)
            atomic_store_explicit(&own->passed->sets[set][way], 0, memory_order_relaxed);
}

static void choice_free_patterns(struct patterns *patterns)
{
    for (size_t i = 0; i < patterns->count; i++)
        free(patterns->texts[i]);
    free(patterns->texts);
}

void choice_free(struct choice *own)
{
    if (!own)
        return;
    choice_free_modules(own);
    free(own->modules);
    for (size_t i = 0; i < own->line_count; i++)
        free(own->lines[i].name);
    free(own->lines);
    choice_free_patterns(&own->include);
    choice_free_patterns(&own->exclude);
    free(own);
}

/* ---------------------------------------------------------------------------- missing lines -- */

void choice_marks(const struct choice *own, _Atomic uint64_t marks[CHOICE_LINES_MAX / 64])
{
    for (size_t i = 0; i < own->line_count && i < CHOICE_LINES_MAX; i++)
        if (own->lines[i].recorded)
            atomic_fetch_or(&marks[i / 64], UINT64_C(1) << i % 64);
}

void choice_mark(struct choice *own, const _Atomic uint64_t marks[CHOICE_LINES_MAX / 64])
{
    for (size_t i = 0; i < own->line_count; i++)
        own->lines[i].recorded |= i >= CHOICE_LINES_MAX || atomic_load(&marks[i / 64]) >> i % 64 & 1;
}

/* Functions that were not recorded may still exist in a file. */
static void choice_mark_existing(const char *path, void *user)
{
    struct symbol_table table;
    if (!symbol_table_read(path, &table))
        return;
    for (size_t i = 0; i < table.count; i++)
        choice_includes_symbol(user, table.symbols[i].name, false);
    symbol_table_free(&table);
}

/* Lists the names without a recorded function that files have, or do not have; returns their number. */
static size_t choice_print_missing(const struct choice *own, FILE *to, bool exist, const char *what)
{
    enum { SHOWN = 8 };
    size_t count = 0, shown = 0;
    for (size_t i = 0; i < own->line_count; i++)
        count += !own->lines[i].recorded && own->lines[i].exists == exist;
    if (count == 0)
        return 0;
    fprintf(to, " %zu %s:", count, what);
    for (size_t i = 0; i < own->line_count && shown < SHOWN; i++)
        if (!own->lines[i].recorded && own->lines[i].exists == exist)
            shown += fprintf(to, " %s", own->lines[i].name) > 0;
    fputs(count > shown ? " …;" : ";", to);
    return count;
}

bool choice_missing(struct choice *own, char *out, size_t out_size)
{
    char *text = NULL;
    size_t size, missing;
    FILE *to = own->by_file ? open_memstream(&text, &size) : NULL;
    if (!to)
        return false;
    own->files.each(own->files.user, choice_mark_existing, own);
    missing = choice_print_missing(own, to, false, "not found in the program or its libraries");
    missing += choice_print_missing(own, to, true, "without a probe, or never called");
    bool any = fclose(to) == 0 && text && missing > 0;
    if (any)
        snprintf(out, out_size, "--methods:%.*s", (int)strlen(text) - 1, text);
    free(text);
    return any;
}
