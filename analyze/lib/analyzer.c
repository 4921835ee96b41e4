#include "analyze/lib/analyzer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/lib/frame.h"

static int save_state(const struct settings *settings, const struct inputs *inputs, void *state)
{
    int error = partial_write(settings, inputs, state);
    if (error)
        frame_complain(settings, "%s: %s", settings->save_state, strerror(error));
    return error ? 1 : 0;
}

static int analyze(const struct settings *settings, struct inputs *inputs)
{
    void *state;
    int error = run_parts(settings, inputs, &state);
    if (error) {
        if (error != EINVAL) /* that was told where the file was known */
            frame_complain(settings, "%s", strerror(error));
        return 1;
    }
    int status = settings->save_state ? save_state(settings, inputs, state) : output_report(settings, inputs, state);
    settings->analyzer->free(state);
    return status;
}

int analyzer_main(const struct analyzer *analyzer, int argc, char **argv)
{
    struct settings settings;
    struct inputs inputs;
    settings_parse(&settings, analyzer, argc, argv);
    int status = 1;
    if (inputs_open(&inputs, &settings) != 0)
        frame_complain(&settings, "out of memory");
    else if (inputs.count > 0)
        status = analyze(&settings, &inputs);
    bool bad = output_damaged(&inputs) || output_doubtful(&inputs);
    bool incomplete = inputs.unreadable > 0 || (bad && !settings.keep_going);
    inputs_close(&inputs);
    free(settings.paths);
    return status ? status : incomplete;
}
