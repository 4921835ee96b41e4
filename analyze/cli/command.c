#include "analyze/cli/command.h"
#include "base/text_stream.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *command_text(const json_t *words)
{
    const json_t *word;
    size_t i, size;
    char *text = NULL;
    FILE *out = text_stream_open(&text, &size);
    if (!out)
        return NULL;
    json_array_foreach((json_t *)(uintptr_t)words, i, word)
        fprintf(out, "%s%s", i ? " " : "", json_is_string(word) ? json_string_value(word) : "");
    text_stream_close(out, &text);
    return text;
}

/* ------------------------------------------------------------------------------------------ the program -- */

static const char *command_file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

/* Options of java whose value is the next word: java(1), "OPTIONS". */
static const char *const java_options_with_value[] = {"-cp",
                                                      "-classpath",
                                                      "--class-path",
                                                      "-p",
                                                      "--module-path",
                                                      "--upgrade-module-path",
                                                      "--add-modules",
                                                      "--add-exports",
                                                      "--add-opens",
                                                      "--add-reads",
                                                      "--patch-module",
                                                      "--limit-modules",
                                                      "--source",
                                                      "--enable-native-access"};

/* The word that names the main class, archive or module, NULL if the words don't begin with java or do not say. A file
 * of arguments (@FILE) may name it. */
static const char *command_java_main(const json_t *words)
{
    const char *word = json_string_value(json_array_get(words, 0));
    if (!word || strcmp(command_file_name(word), "java") != 0)
        return NULL;
    for (size_t i = 1; (word = json_string_value(json_array_get(words, i))); i++) {
        if (strcmp(word, "-jar") == 0 || strcmp(word, "-m") == 0 || strcmp(word, "--module") == 0)
            return json_string_value(json_array_get(words, i + 1));
        if (*word != '-')
            return *word == '@' ? NULL : word;
        for (size_t o = 0; o < sizeof java_options_with_value / sizeof *java_options_with_value; o++)
            i += strcmp(word, java_options_with_value[o]) == 0;
    }
    return NULL;
}

char *command_program(const json_t *metadata)
{
    const char *collector = json_string_value(json_object_get(metadata, "collector")), *name = NULL;
    if (collector && strcmp(collector, "jvm") == 0) {
        name = json_string_value(json_object_get(metadata, "main"));
        if (!name || !*name)
            name = command_java_main(json_object_get(metadata, "command"));
    }
    if (name) { /* "main" has the program's arguments, too */
        char *first = strndup(name, strcspn(name, " "));
        char *main_name = first ? strdup(command_file_name(first)) : NULL;
        free(first);
        return main_name;
    }
    name = json_string_value(json_object_get(metadata, "exe"));
    if (!name || !*name)
        name = json_string_value(json_array_get(json_object_get(metadata, "command"), 0));
    return strdup(name && *name ? command_file_name(name) : "[unknown]");
}
