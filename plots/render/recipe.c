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

/* "# word: value" in a comment; anything else in it is prose. */
static void recipe_parse_line(struct recipe *recipe, char *line)
{
    const struct {
        const char *name;
        struct recipe_words *words;
        char **word;
        size_t *number;
    } targets[] = {{"figure", NULL, &recipe->sentence, NULL}, {"needs", &recipe->needs, NULL, NULL},
                   {"takes", &recipe->takes, NULL, NULL},     {"text", &recipe->texts, NULL, NULL},
                   {"group", &recipe->group, NULL, NULL},     {"key", NULL, &recipe->key, NULL},
                   {"order", NULL, &recipe->order, NULL},     {"groups", NULL, NULL, &recipe->groups},
                   {"label", NULL, NULL, &recipe->label},     {"top", NULL, NULL, &recipe->top},
                   {"axes", &recipe->axes, NULL, NULL},       {"other", NULL, &recipe->other, NULL}};
    char *name = line + strspn(line, "# "), *colon = strstr(name, ": "), *rest;
    if (!colon)
        return;
    *colon = '\0';
    char *value = colon + 1 + strspn(colon + 1, " ");
    for (char *end = value + strlen(value); end > value && isspace((unsigned char)end[-1]);)
        *--end = '\0';

    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        if (strcmp(targets[i].name, name) != 0)
            continue;
        if (targets[i].words)
            recipe_split_words(value, " ", targets[i].words);
        else if (targets[i].word)
            *targets[i].word = value;
        else
            *targets[i].number = strtoul(value, NULL, 10);
    }
    if (strcmp(name, "range") == 0) { /* "share 0 1" */
        recipe->range = strtok_r(value, " ", &rest);
        recipe->least = strtod(rest, &rest);
        recipe->most = strtod(rest, NULL);
    } else if (strcmp(name, "repeats") == 0)
        recipe->repeats = true;
    else if (strcmp(name, "boxes") == 0)
        recipe->boxes = strcmp(value, "tukey") == 0 ? RECIPE_BOXES_TUKEY : RECIPE_BOXES_SD;
}

/* A name with a slash would leave the directory; figures share style*.gp. */
static bool recipe_is_valid_name(const char *figure)
{
    return *figure && *figure != '.' && !strchr(figure, '/') && strncmp(figure, "style", 5) != 0;
}

int recipe_read(const char *figure, struct recipe *recipe, struct error_text *message)
{
    char directory[PATH_MAX], path[PATH_MAX + 256], *rest;
    int status = recipe_directory(directory, message);
    if (status)
        return status;
    snprintf(path, sizeof path, "%s/%.200s.gp", directory, figure);
    FILE *in = recipe_is_valid_name(figure) ? fopen(path, "re") : NULL;
    if (!in) {
        char **names = NULL, list[256] = "";
        status = recipe_names(&names, message);
        if (status)
            return status;
        for (size_t i = 0; names && names[i]; i++)
            error_list(list, sizeof list, names[i]);
        recipe_free_names(names);
        return error_set(message, STATUS_USAGE, "no figure '%s'; there are: %s", figure, list);
    }

    size_t capacity = 0;
    *recipe = (struct recipe){.groups = 8, .label = 40, .top = SIZE_MAX};
    ssize_t length = getdelim(&recipe->text, &capacity, '\0', in);
    if (length > 0 && !ferror(in))
        for (char *line = strtok_r(recipe->text, "\n", &rest); line && *line == '#'; line = strtok_r(NULL, "\n", &rest))
            recipe_parse_line(recipe, line);
    fclose(in);
    if (recipe->other && !recipe->order)
        recipe->order = recipe->other;
    if (length > 0 && recipe->sentence && recipe->groups && recipe->top)
        return STATUS_GOOD;
    recipe_free(recipe);
    return error_set(message, STATUS_BAD, "%s: it has no line '# figure: …' at its top", path);
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
