/* state.c - what the agent's files share. */
#include "collect/agents/jvm/agent.h"

struct agent agent;
_Thread_local bool agent_own_thread;

void agent_print_error(const char *text)
{
    sampler_report("%s", text);
}
