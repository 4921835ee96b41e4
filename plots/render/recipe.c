#include "plots/render/recipe.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int recipe_directory(char path[4096], struct error_text *message)
{
    static const char below[] = "/share/assay/plots";
    ssize_t length = readlink("/proc/self/exe", path, 4096 - sizeof below);
    if (length <= 0)
        return error_set(message, STATUS_BAD, "/proc/self/exe: %s", strerror(errno));
    path[length] = '\0';
    for (int level = 0; level < 3; level++) {
        char *slash = strrchr(path, '/');
        if (slash)
            *slash = '\0';
    }
    strcat(path, below);
    return STATUS_GOOD;
}

static void recipe_split_words(char *text, const char *between, struct recipe_words *words)
{
    char *rest;
    for (char *word = strtok_r(text, between, &rest); word && words->count < RECIPE_COLUMNS;
         word = strtok_r(NULL, between, &rest))
        words->word[words->count++] = word;
}

/* Lists of words, and words; the rest is below. False for anything else. */
static bool recipe_set_words(struct recipe *recipe, const char *name, char *value)
{
    const struct {
        const char *name;
        struct recipe_words *words;
        char **word;
    } targets[] = {{"figure", NULL, &recipe->sentence}, {"needs", &recipe->needs, NULL},
                   {"takes", &recipe->takes, NULL},     {"text", &recipe->texts, NULL},
                   {"group", &recipe->group, NULL},     {"key", NULL, &recipe->key},
                   {"order", NULL, &recipe->order}};
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
        if (strcmp(targets[i].name, name) == 0) {
            if (targets[i].words)
                recipe_split_words(value, " ", targets[i].words);
            else
                *targets[i].word = value;
            return true;
        }
    return false;
}

static void recipe_set_key(struct recipe *recipe, const char *name, char *value)
{
    char *rest;
    if (recipe_set_words(recipe, name, value))
        return;
    if (strcmp(name, "groups") == 0)
        recipe->groups = strtoul(value, NULL, 10);
    else if (strcmp(name, "label") == 0)
        recipe->label = strtoul(value, NULL, 10);
    else if (strcmp(name, "top") == 0)
        recipe->top = strtoul(value, NULL, 10);
    else if (strcmp(name, "range") == 0) { /* "share 0 1" */
        recipe->range = strtok_r(value, " ", &rest);
        recipe->least = strtod(rest, &rest);
        recipe->most = strtod(rest, NULL);
    } else if (strcmp(name, "repeats") == 0)
        recipe->repeats = true;
    else if (strcmp(name, "boxes") == 0)
        recipe->boxes = strcmp(value, "tukey") == 0 ? RECIPE_BOXES_TUKEY : RECIPE_BOXES_SD;
}

/* "# word: value" in a comment; anything else in it is prose. */
static void recipe_parse_line(struct recipe *recipe, char *line)
{
    char *name = line + strspn(line, "# "), *colon = strstr(name, ": ");
    if (!colon)
        return;
    *colon = '\0';
    char *value = colon + 1 + strspn(colon + 1, " ");
    for (char *end = value + strlen(value); end > value && isspace((unsigned char)end[-1]);)
        *--end = '\0';
    recipe_set_key(recipe, name, value);
}

static int recipe_report_unknown(const char *figure, struct error_text *message)
{
    char **names = NULL, list[256] = "";
    int status = recipe_names(&names, message);
    if (status)
        return status;
    for (size_t i = 0; names && names[i]; i++)
        error_list(list, sizeof list, names[i]);
    recipe_free_names(names);
    return error_set(message, STATUS_USAGE, "no figure '%s'; there are: %s", figure, list);
}

static int recipe_load(FILE *in, struct recipe *recipe)
{
    size_t capacity = 0;
    char *rest;
    *recipe = (struct recipe){.groups = 8, .label = 40, .top = SIZE_MAX};
    ssize_t length = getdelim(&recipe->text, &capacity, '\0', in);
    if (length > 0 && !ferror(in))
        for (char *line = strtok_r(recipe->text, "\n", &rest); line && *line == '#'; line = strtok_r(NULL, "\n", &rest))
            recipe_parse_line(recipe, line);
    return length > 0 && recipe->sentence && recipe->groups && recipe->top ? STATUS_GOOD : STATUS_BAD;
}

/* A name with a slash would leave the directory; figures share style*.gp. */
static bool recipe_is_valid_name(const char *figure)
{
    return *figure && *figure != '.' && !strchr(figure, '/') && strncmp(figure, "style", 5) != 0;
}

int recipe_read(const char *figure, struct recipe *recipe, struct error_text *message)
{
    char directory[PATH_MAX], path[PATH_MAX + 256];
    int status = recipe_directory(directory, message);
    if (status)
        return status;
    snprintf(path, sizeof path, "%s/%.200s.gp", directory, figure);
    FILE *in = recipe_is_valid_name(figure) ? fopen(path, "re") : NULL;
    if (!in)
        return recipe_report_unknown(figure, message);
    status = recipe_load(in, recipe);
    fclose(in);
    if (status) {
        recipe_free(recipe);
        return error_set(message, STATUS_BAD, "%s: it has no line '# figure: …' at its top", path);
    }
    return STATUS_GOOD;
}

void recipe_free(struct recipe *recipe)
{
    free(recipe->text);
    free(recipe->by_text);
    *recipe = (struct recipe){0};
}

int recipe_set_by(struct recipe *recipe, const char *columns, struct error_text *message)
{
    char *text = strdup(columns);
    struct recipe_words by = {.count = 0};
    size_t commas = 0;
    for (const char *at = columns; *at; at++)
        commas += *at == ',';
    if (!text)
        return error_set(message, STATUS_BAD, "out of memory");
    recipe_split_words(text, ",", &by);
    if (by.count != commas + 1) {
        free(text);
        return error_set(message, STATUS_USAGE, "'%s' is not a comma-separated list of 1 to %d columns", columns,
                         RECIPE_COLUMNS);
    }
    free(recipe->by_text);
    recipe->by_text = text;
    recipe->by = by;
    return STATUS_GOOD;
}

bool recipe_has(const struct recipe_words *words, const char *name)
{
    for (size_t i = 0; i < words->count; i++)
        if (strcmp(words->word[i], name) == 0)
            return true;
    return false;
}

bool recipe_any_key(const struct recipe *recipe)
{
    return recipe->key && strcmp(recipe->key, "*") == 0;
}

bool recipe_fixed_groups(const struct recipe *recipe)
{
    for (size_t i = 0; i < recipe->group.count; i++)
        if (recipe_has(&recipe->needs, recipe->group.word[i]))
            return true;
    return false;
}

bool recipe_is_number(const struct recipe *recipe, const char *name)
{
    bool names = recipe_has(&recipe->group, name) || (recipe->key && strcmp(recipe->key, name) == 0);
    return !names && (recipe_has(&recipe->needs, name) || recipe_has(&recipe->takes, name));
}

static int recipe_is_file(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);
    return length > 3 && strcmp(entry->d_name + length - 3, ".gp") == 0 && recipe_is_valid_name(entry->d_name);
}

static int recipe_compare_names(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

int recipe_names(char ***names, struct error_text *message)
{
    char directory[PATH_MAX];
    int status = recipe_directory(directory, message);
    if (status)
        return status;
    struct dirent **entries;
    int count = scandir(directory, &entries, recipe_is_file, NULL);
    if (count < 0)
        return error_set(message, STATUS_BAD, "%s: %s", directory, strerror(errno));
    char **list = calloc((size_t)count + 1, sizeof *list);
    for (int i = 0; i < count; i++) {
        if (list)
            list[i] = strndup(entries[i]->d_name, strlen(entries[i]->d_name) - strlen(".gp"));
        free(entries[i]);
    }
    free(entries);
    if (!list)
        return error_set(message, STATUS_BAD, "out of memory");
    size_t length = 0;
    while (list[length])
        length++;
    qsort(list, length, sizeof *list, recipe_compare_names);
    *names = list;
    return STATUS_GOOD;
}

void recipe_free_names(char **names)
{
    for (size_t i = 0; names && names[i]; i++)
        free(names[i]);
    free(names);
}
