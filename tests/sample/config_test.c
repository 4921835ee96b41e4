/* config_test.c - the configuration that the recorder passes in the environment. */
#include "tests/tap.h"

#include <stdlib.h>
#include <unistd.h>

#include "collect/sample/sampler.h"

static bool configure(const char *text, struct sampler_config *config)
{
    setenv(SAMPLER_ENVIRONMENT, text, 1);
    bool good = sampler_configure(config);
    if (good)
        json_decref(config->metadata);
    return good;
}

static void test_bad(void)
{
    static const char *const texts[] = {
        "{",
        "[]",
        "3",
        "{\"period_ns\":0}",
        "{\"period_ns\":-1}",
        "{\"period_ns\":10,\"spread_ns\":10}",
        "{\"source\":\"sundial\"}",
        "{\"source\":\"pmu\"}",
        "{\"source\":\"pmu\",\"pmu\":{\"precise\":4}}",
        "{\"source\":\"pmu\",\"pmu\":{\"config\":\"x\"}}",
        "{\"clock\":3}",
        "{\"seed\":\"12 \"}",
        "{\"prefix\":\"a/b\"}",
        "{\"clock\":\"0123456789abcdef\"}",
        "{\"seed\":1,\"seed\":2}",
    };
    struct sampler_config config = {.seed = 99};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        ok(!configure(texts[i], &config) && config.seed == 99, "refused, without changing the configuration: %s",
           texts[i]);
    unsetenv(SAMPLER_ENVIRONMENT);
    ok(!sampler_configure(&config), "without the variable there is no configuration");
}

static void test_good(void)
{
    struct sampler_config config;
    ok(configure("{}", &config), "everything has a default");
    is_u64(config.period_ns, 10000000, "  the period is 10 ms");
    is_u64(config.spread_ns, 3000000, "  the spread is 3 ms");
    ok(configure("{\"period_ns\":1000000}", &config), "a period without a spread");
    is_u64(config.spread_ns, 300000, "  has a spread of 3/10 of it");
    ok(configure("{\"clock\":\"fixed\",\"spread_ns\":5}", &config), "the fixed clock ignores a spread");
    is_u64(config.spread_ns, 0, "  it has none");
    ok(configure(
           "{\"source\":\"pmu\",\"seed\":18,\"recorder_pid\":7,\"pmu\":{\"type\":4,\"config\":\"0xffffffffffffffff\","
           "\"config1\":5,\"precise\":2,\"events_per_ns\":2.5}}",
           &config),
       "a hardware event is accepted");
    ok(config.source == SOURCE_PMU && config.pmu_type == 4 && config.pmu_config == UINT64_MAX &&
           config.pmu_config1 == 5 && config.pmu_precise == 2 && config.pmu_events_per_ns == 2.5,
       "  with all its values");
    ok(config.seed == 18 && config.recorder_pid == 7, "  and so are seed and process id");
}

static void test_probe(void)
{
    struct sampler_config config = {.source = SOURCE_TIMER_THREAD};
    is_u64((uint64_t)sampler_probe(&config), 0, "the timer thread works everywhere");
    config = (struct sampler_config){.source = SOURCE_PMU, .pmu_type = 0x7fffffff};
    ok(sampler_probe(&config) != 0, "  an event of an unknown unit does not");
}

int main(void)
{
    close(STDERR_FILENO); /* one line per refusal */
    test_bad();
    test_good();
    test_probe();
    return done_testing();
}
