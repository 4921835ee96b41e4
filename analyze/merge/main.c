/*
 * assay merge - join saved partial states of an analyzer into one.
 *
 * The states say which analyzer made them; joining is that analyzer's own merge, so this program checks and delegates.
 */
#include <errno.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyze/cli/trace_tool.h"

static struct tool tool = {.name = "merge"};

static const struct argp_option options[] = {{"output", 'o', "FILE", 0, "the joined state (required)", 0}, {0}};

static error_t merge_parse_option(int key, char *arg, struct argp_state *state)
{
    switch (key) {
    case ARGP_KEY_END:
        if (!tool.output || tool.path_count == 0)
            argp_error(state, "give -o FILE and the states to join");
        return 0;
    default:
        return tool_option(&tool, key, arg, state);
    }
}

/* The first argument and the options of the program that made a state, which it needs again; NULL: it had none. */
static char *subject, *weight, *states, *by;

static char *merge_copy_text(const json_t *state, const char *key)
{
    const char *text = json_string_value(json_object_get(state, key));
    return text ? strdup(text) : NULL;
}

/* The program that made the state, with its options; NULL after a message. To be freed. */
static char *merge_read_program(const char *path)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz";
    json_error_t error;
    errno = 0;
    struct stat status;
    bool regular = stat(path, &status) == 0 && S_ISREG(status.st_mode);
    json_t *state = regular ? json_load_file(path, 0, &error) : NULL;
    if (!regular)
        snprintf(error.text, sizeof error.text, "%s", errno ? strerror(errno) : "it is not a regular file");
    const char *program = json_string_value(json_object_get(state, "program"));
    subject = merge_copy_text(state, "subject");
    char *copy = NULL;
    if (!state)
        tool_print_error(&tool, "%s: is not a saved state: %s", path, error.text);
    else if (!json_object_get(state, "assay-state") || !program || strspn(program, letters) != strlen(program) ||
             (subject && strspn(subject, letters) != strlen(subject)))
        tool_print_error(&tool, "%s: is a JSON file, but not a saved state (--save-state)", path);
    else if (!(copy = strdup(program)))
        tool_print_no_memory(&tool, path);
    weight = merge_copy_text(state, "weight");
    states = merge_copy_text(state, "thread-states");
    by = merge_copy_text(state, "by");
    json_decref(state);
    return copy;
}

static int merge_run_program(const char *program)
{
    char self[4096], path[4200];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    char **arguments = calloc((size_t)tool.path_count + 12, sizeof *arguments);
    if (length < 0 || !arguments) {
        tool_print_error(&tool, "%s", strerror(errno));
        return 1;
    }
    self[length] = '\0';
    snprintf(path, sizeof path, "%s/assay-%s", dirname(self), program);
    size_t count = 0;
    arguments[count++] = path;
    if (subject)
        arguments[count++] = subject;
    arguments[count++] = (char *)"--save-state";
    arguments[count++] = (char *)(uintptr_t)tool.output;
    if (weight) {
        arguments[count++] = (char *)"--weight";
        arguments[count++] = weight;
    }
    if (states) {
        arguments[count++] = (char *)"--state";
        arguments[count++] = states;
    }
    if (by) {
        arguments[count++] = (char *)"--by";
        arguments[count++] = by;
    }
    arguments[count++] = (char *)"--";
    for (int i = 0; i < tool.path_count; i++)
        arguments[count++] = tool.paths[i];
    execv(path, arguments);
    tool_print_error(&tool, "%s: %s", path, strerror(errno));
    return 1;
}

int main(int argc, char **argv)
{
    static const struct argp argp = {options,
                                     merge_parse_option,
                                     "STATE...",
                                     "Join saved partial states of an analyzer.\v"
                                     "Examples:\n"
                                     "  assay hot --save-state a.state monday/*.trace\n"
                                     "  assay hot --save-state b.state tuesday/*.trace\n"
                                     "  assay merge -o both.state a.state b.state\n"
                                     "  assay hot both.state\n",
                                     NULL,
                                     NULL,
                                     NULL};
    tool_parse(&tool, &argp, argc, argv, NULL);
    char *program = merge_read_program(tool.paths[0]);
    int status = program ? merge_run_program(program) : 1;
    free(program);
    free(subject);
    free(weight);
    free(states);
    free(by);
    return status;
}
