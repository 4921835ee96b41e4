#include "collect/record/series/publish.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "collect/record/run_files.h"

int publish_location(const struct record_options *options, char location[RECORD_PATH_MAX], struct error_text *message)
{
    if (strlen(options->output) > RECORD_PATH_MAX - 8)
        return error_set(message, STATUS_BAD, "%.300s...: %s", options->output, strerror(ENAMETOOLONG));
    snprintf(location, RECORD_PATH_MAX, "%s%s", options->output, options->output_is_file ? ".d" : "");
    struct stat found;
    if (!options->output_is_file || stat(options->output, &found) != 0)
        return 0;
    if (options->overwrite && S_ISREG(found.st_mode))
        return 0;
    return error_set(message, STATUS_BAD, "%.300s: %s", options->output,
                     S_ISDIR(found.st_mode)   ? "is a directory; give -o its name with a slash at the end"
                     : S_ISREG(found.st_mode) ? "already exists; choose another -o, or --overwrite"
                                              : "is not a file that can be replaced");
}

int publish_file(struct series_file *series, const struct record_options *options, struct error_text *message)
{
    struct run_files_list traces = {0};
    int error = run_files_list(series->directory, NULL, &traces), status = STATUS_GOOD;
    if (!error && traces.count > 1) {
        status =
            error_set(message, STATUS_BAD,
                      "%.200s: the command left %zu traces (one per process and program); they are kept in %.200s.d: "
                      "use -o DIR for such a command",
                      options->output, traces.count, options->output);
    } else if (!error && traces.count == 0 && json_array_size(series_file_done(series)) > 0) {
        status = error_set(message, STATUS_BAD, "%.200s: no trace yet; run the same command line later to complete it",
                           options->output);
    } else if (!error && traces.count == 1) {
        char from[RECORD_PATH_MAX + 256];
        snprintf(from, sizeof from, "%s/%s", series->directory, traces.names[0]);
        error = rename(from, options->output) == 0 ? 0 : errno;
    }
    if (error)
        status = error_set(message, STATUS_BAD, "%.300s: %s", options->output, strerror(error));
    run_files_free(&traces);
    if (!status)
        series_file_remove(series);
    return status;
}
