#include "analyze/lib/recipe.h"

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

int recipe_directory(char path[4096], struct complaint *complaint)
{
    static const char below[] = "/share/assay/plots";
    ssize_t length = readlink("/proc/self/exe", path, 4096 - sizeof below);
    if (length <= 0)
        return complain(complaint, STATUS_BAD, "/proc/self/exe: %s", strerror(errno));
    path[length] = '\0';
    for (int level = 0; level < 3; level++) {
        char *slash = strrchr(path, '/');
        if (slash)
            *slash = '\0';
    }
    strcat(path, below);
    return STATUS_GOOD;
}

static void recipe_split(char *text, struct recipe_words *words)
{
    char *rest;
    for (char *word = strtok_r(text, " ", &rest); word && words->count < RECIPE_COLUMNS;
         word = strtok_r(NULL, " ", &rest))
        words->word[words->count++] = word;
}

static void recipe_take(struct recipe *recipe, const char *name, char *value)
{
    if (strcmp(name, "figure") == 0)
        recipe->sentence = value;
    else if (strcmp(name, "needs") == 0)
        recipe_split(value, &recipe->needs);
    else if (strcmp(name, "takes") == 0)
        recipe_split(value, &recipe->takes);
    else if (strcmp(name, "group") == 0)
        recipe_split(value, &recipe->group);
    else if (strcmp(name, "key") == 0)
        recipe->key = value;
    else if (strcmp(name, "order") == 0)
        recipe->order = value;
    else if (strcmp(name, "groups") == 0)
        recipe->groups = strtoul(value, NULL, 10);
    else if (strcmp(name, "label") == 0)
        recipe->label = strtoul(value, NULL, 10);
    else if (strcmp(name, "top") == 0)
        recipe->top = strtoul(value, NULL, 10);
}

/* "# word: value" of a comment, anything else in it is prose. */
static void recipe_line(struct recipe *recipe, char *line)
{
    char *name = line + strspn(line, "# "), *colon = strstr(name, ": ");
    if (!colon)
        return;
    *colon = '\0';
    char *value = colon + 1 + strspn(colon + 1, " ");
    for (char *end = value + strlen(value); end > value && isspace((unsigned char)end[-1]);)
        *--end = '\0';
    recipe_take(recipe, name, value);
}

static void recipe_parse(struct recipe *recipe)
{
    char *rest;
    for (char *line = strtok_r(recipe->text, "\n", &rest); line && *line == '#'; line = strtok_r(NULL, "\n", &rest))
        recipe_line(recipe, line);
}

static int recipe_unknown(const char *figure, struct complaint *complaint)
{
    char **names = NULL, list[256] = "";
    int status = recipe_names(&names, complaint);
    if (status)
        return status;
    for (size_t i = 0; names && names[i]; i++)
        complaint_list(list, sizeof list, names[i]);
    recipe_free_names(names);
    return complain(complaint, STATUS_USAGE, "no figure '%s'; there are: %s", figure, list);
}

static int recipe_load(FILE *in, struct recipe *recipe)
{
    size_t room = 0;
    *recipe = (struct recipe){.groups = 8, .label = 40, .top = SIZE_MAX};
    ssize_t length = getdelim(&recipe->text, &room, '\0', in);
    if (length > 0 && !ferror(in))
        recipe_parse(recipe);
    return length > 0 && recipe->sentence && recipe->groups && recipe->top ? STATUS_GOOD : STATUS_BAD;
}

/* A name with a slash would leave the directory, and style.gp is what figures share. */
static bool recipe_is_name(const char *figure)
{
    return *figure && *figure != '.' && !strchr(figure, '/') && strcmp(figure, "style") != 0;
}

int recipe_read(const char *figure, struct recipe *recipe, struct complaint *complaint)
{
    char directory[PATH_MAX], path[PATH_MAX + 256];
    int status = recipe_directory(directory, complaint);
    if (status)
        return status;
    snprintf(path, sizeof path, "%s/%.200s.gp", directory, figure);
    FILE *in = recipe_is_name(figure) ? fopen(path, "re") : NULL;
    if (!in)
        return recipe_unknown(figure, complaint);
    status = recipe_load(in, recipe);
    fclose(in);
    if (status) {
        recipe_free(recipe);
        return complain(complaint, STATUS_BAD, "%s: no line '# figure: …' at its top", path);
    }
    return STATUS_GOOD;
}

void recipe_free(struct recipe *recipe)
{
    free(recipe->text);
    *recipe = (struct recipe){0};
}

static int recipe_is_file(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);
    return length > 3 && strcmp(entry->d_name + length - 3, ".gp") == 0 && *entry->d_name != '.' &&
           strcmp(entry->d_name, "style.gp") != 0;
}

int recipe_names(char ***names, struct complaint *complaint)
{
    char directory[PATH_MAX];
    int status = recipe_directory(directory, complaint);
    if (status)
        return status;
    struct dirent **entries;
    int count = scandir(directory, &entries, recipe_is_file, alphasort);
    if (count < 0)
        return complain(complaint, STATUS_BAD, "%s: %s", directory, strerror(errno));
    char **list = calloc((size_t)count + 1, sizeof *list);
    for (int i = 0; i < count; i++) {
        if (list)
            list[i] = strndup(entries[i]->d_name, strlen(entries[i]->d_name) - strlen(".gp"));
        free(entries[i]);
    }
    free(entries);
    if (!list)
        return complain(complaint, STATUS_BAD, "out of memory");
    *names = list;
    return STATUS_GOOD;
}

void recipe_free_names(char **names)
{
    for (size_t i = 0; names && names[i]; i++)
        free(names[i]);
    free(names);
}
