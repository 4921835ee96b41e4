/*
 * inject_environment.h - how assay inject passes its request to the processes of its command.
 *
 * A JSON object: method, work, amount, run; report: the directory in which agents write PID.json.
 */
#ifndef ASSAY_RECORD_INJECT_ENVIRONMENT_H
#define ASSAY_RECORD_INJECT_ENVIRONMENT_H

#define INJECT_ENVIRONMENT "ASSAY_INJECT"

#endif
