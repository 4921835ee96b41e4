"""What assay-record promises when a call of its own, or of an agent in the measured program, fails; `every` tries it.

The measured program prints what it prints without assay, and ends with its own status; with a failing call of the recorder
it may also not have begun. The recorder's status is the program's, or 1 with a line. Traces are whole, or a line says what
is missing. No other file stays. A second command line completes a series, with each run once.
"""
import errno
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.path.abspath(os.environ.get("ASSAY_BUILD", os.path.join(HERE, "../../build")))
FAIL = os.path.join(BUILD, "tests/faults/fail.so")
RECORD = os.path.join(BUILD, "libexec/assay/assay-record")
SECONDS_MAX = 60

FAULTS = [("alloc", errno.ENOMEM), ("open", errno.EMFILE), ("write", errno.ENOSPC),
          ("write", errno.EINTR), ("write", "short"), ("read", errno.EIO), ("read", errno.EINTR), ("read", "short"),
          ("map", errno.ENOMEM), ("fork", errno.EAGAIN), ("thread", errno.EAGAIN), ("file", errno.EIO), ("close", errno.EIO),
          ("sync", errno.EIO), ("wait", errno.EINTR), ("end", errno.EMFILE), ("system", errno.EMFILE),
          ("stream", errno.ENOSPC)]

# Agents pass on the program's own calls of these kinds, which therefore fail for the program too.
PASSED_ON = {"fork", "wait", "thread"}

# Whose calls fail, the program that is measured, and the command line. The program prints one line for each run.
RECORDINGS = [
    ("recorder", "true", "-o out/ -m time -- true"),
    ("recorder", "work", "-o out/ --period 1ms -E soft -- ./work"),
    ("recorder", "work", "-o out.trace --period 1ms -E soft -- ./work 200 alone"),
    ("recorder", "work", "-o out/ -m time --runs 3 -- ./work 2"),
    ("recorder", "work", "-o out/ -m methods --runs 3 -- ./work 2"),
    ("recorder", "work", "-o out/ -m waste -E exact -- ./work 0"),
    ("recorder", "java", "-o out/ -m methods --min-bytes 0 -- java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC Work"),
    ("agent", "work", "-o out/ --period 1ms -E soft -- ./work"),
    ("agent", "work", "-o out/ -m methods -- ./work 2"),
    ("agent", "java", "-o out/ --period 5ms -E soft -- java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC Work"),
    ("agent", "java", "-o out/ -m methods --min-bytes 0 -- java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC Work"),
    ("agent", "java", "-o out/ -m waste -E rewrite -- java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC Work"),
]


def make_programs(directory):
    """The programs that are measured."""
    subprocess.run([os.environ.get("CC", "cc"), "-O1", "-g", "-pthread", "-fpatchable-function-entry=5", "-o", "work",
                    os.path.join(HERE, "work.c")], check=True, cwd=directory)
    with open(os.path.join(directory, "Work.java"), "w") as source:
        source.write("class Work {\n  static int round(int seed) {\n    for (int i = 0; i < 200000; i++) {\n"
                     "      seed = seed * 1664525 + 1013904223;\n    }\n    return seed;\n  }\n\n"
                     "  public static void main(String[] words) {\n    int seed = 1;\n"
                     "    for (int i = 0; i < 50; i++) {\n      seed = round(seed);\n    }\n"
                     "    System.out.println(seed);\n    System.exit(7);\n  }\n}\n")
    if shutil.which("javac"):
        subprocess.run(["javac", "Work.java"], check=True, cwd=directory)


def is_possible(words):
    return not (("java" in words and not shutil.which("javac")) or ("exact" in words and not shutil.which("valgrind")))


def normal(text):
    """The lines, without what differs from run to run."""
    return {re.sub(r"\b(0x)?[0-9a-f]*\d[0-9a-f.]*(?=\b|[a-z])", "N", line) for line in text.splitlines() if line.strip()}


def has_group(number):
    try:
        os.killpg(number, 0)
    except ProcessLookupError:
        return False
    return True


class Recording:
    """What a recording does in a directory of its own."""

    def __init__(self, inputs, recording, fault=None, at=0):
        who, program, words = recording
        self.directory = tempfile.mkdtemp(prefix="assay-faults-", dir="/dev/shm")
        for name in os.listdir(inputs):
            os.symlink(os.path.join(inputs, name), os.path.join(self.directory, name))
        self.words = words.split()
        environment = dict(os.environ, LC_ALL="C", XDG_CACHE_HOME=os.path.join(inputs, "..", "cache"))
        self.counter = os.path.join(inputs, "..", "count")
        with open(self.counter, "wb") as counter:
            counter.write(bytes(8))
        if fault:
            environment |= {"LD_PRELOAD": FAIL, "FAIL_CALL": fault[0], "FAIL_AS": str(fault[1]), "FAIL_AT": str(at),
                            "FAIL_COUNT": self.counter, "FAIL_PROGRAM": "assay-record" if who == "recorder" else program}
            # libdw itself crashes without memory
            environment["FAIL_FROM"] = ("libexec/assay,libjansson,libzstd,libpfm" if who == "recorder" else "libassay-"
                                        if program == "work" else "libassay-jvm,libassay-accesses")
        self.status, self.output, self.errors = self.run(environment)
        with open(self.counter, "rb") as counter:
            self.count = int.from_bytes(counter.read(), "little")
        self.lines = normal(self.errors)
        self.files = {}
        for folder, _, names in sorted(os.walk(self.directory)):
            for path in [os.path.join(folder, name) for name in names]:
                if not os.path.islink(path):
                    self.look_at(path)
        self.runs = self.read_runs()
        self.resumed = None
        if "--runs" in self.words and fault and at > 0 and isinstance(self.status, int):
            self.resumed = self.run(dict(os.environ, LC_ALL="C", XDG_CACHE_HOME=environment["XDG_CACHE_HOME"]))
            self.runs_resumed = self.read_runs()
        shutil.rmtree(self.directory)

    def run(self, environment):
        """The status, and what it prints; of all processes none may stay."""
        with tempfile.TemporaryFile(dir="/dev/shm") as output, tempfile.TemporaryFile(dir="/dev/shm") as errors:
            child = subprocess.Popen([RECORD, *self.words], cwd=self.directory, env=environment, stdin=subprocess.DEVNULL,
                                     stdout=output, stderr=errors, start_new_session=True)
            try:
                status = child.wait(SECONDS_MAX)
            except subprocess.TimeoutExpired:
                status = "hang"
            patience = 0 if status == "hang" else 200
            while patience > 0 and has_group(child.pid): # the last ones may be about to end
                time.sleep(0.01)
                patience -= 1
            left = status != "hang" and has_group(child.pid)
            if has_group(child.pid):
                os.killpg(child.pid, signal.SIGKILL)
            child.wait()
            output.seek(0)
            errors.seek(0)
            texts = output.read().decode(errors="replace"), errors.read().decode(errors="replace")
        return "process left" if left else status, *texts

    def look_at(self, path):
        """Notes a file: of a trace whether it is whole, what assay says of it, and how many records it has of each kind."""
        name = re.sub(r"-\d+(?=[.])", "-PID", os.path.relpath(path, self.directory))
        with open(path, "rb") as file:
            content = file.read()
        if not name.endswith(".trace"):
            self.files.setdefault(name, []).append(content)
            return
        info = subprocess.run([os.path.join(BUILD, "libexec/assay/assay-info"), path], capture_output=True, text=True,
                              check=False, errors="replace")
        counts = {kind: int(count) for kind, count in re.findall(r"^  (\w+) +(\d+) +\d+ +\d+ +[\d.]+$", info.stdout, re.M)}
        self.files.setdefault(name, []).append((content[-24:].startswith(b"assayEND"), info.returncode, normal(
            info.stdout + info.stderr), counts))

    def read_runs(self):
        """The numbers of the runs that the series has; None: no readable state."""
        try:
            with open(os.path.join(self.directory, "out/series.json")) as file:
                return sorted(run["run"] for run in json.load(file)["done"])
        except FileNotFoundError:
            return []
        except (OSError, ValueError, KeyError):
            return None


def fault_of_recording(trial, wholes, who, harmless):
    """What is wrong with a recording, beside some without a fault; None: nothing."""
    whole = wholes[0]
    said = trial.lines - set().union(*[other.lines for other in wholes])
    line = whole.output[:whole.output.index("\n") + 1] if whole.output else ""
    runs = whole.output.count("\n")
    may_lack = who == "recorder" and said
    if not isinstance(trial.status, int):
        return trial.status
    if trial.status < 0:
        return "crash: " + signal.Signals(-trial.status).name
    if trial.status not in (whole.status, 1):
        return "status %d: %s" % (trial.status, trial.errors[-300:])
    if trial.status != whole.status and not said:
        return "status %d without a line" % trial.status
    if trial.output != whole.output and not (may_lack and trial.output in [k * line for k in range(runs)]):
        return "program's output changed: %r" % trial.output[:200]
    if trial.runs is None:
        return "half a file: out/series.json"
    if harmless and (said or trial.status != whole.status):
        return "interrupted only, but: %s" % sorted(said)
    if trial.resumed is not None and (trial.resumed[0] not in (whole.status, 0) or trial.runs_resumed != whole.runs):
        return "not resumed: %s %s %s" % (trial.resumed[0], trial.runs_resumed, trial.resumed[2][-300:])
    return fault_of_files(trial, wholes, said)


def fault_of_files(trial, wholes, said):
    known = set().union(*[other.files for other in wholes])
    for name, found in trial.files.items():
        if name not in known and not (said and name.startswith("out.trace.d/")):
            return "left behind: " + name
        if not name.endswith(".trace"):
            continue
        for is_whole, status, _, _ in found:
            if (not is_whole or status != 0) and not said:
                return "half a file: " + name
    whole = wholes[0]
    for name, found in whole.files.items():
        if not name.endswith(".trace") or said:
            continue
        traces = trial.files.get(name, [])
        if len(traces) < len(found):
            return "no trace and no line: " + name
        counts = [sum_counts(other.files.get(name, [])) for other in wholes]
        told = any(text - set().union(*[entry[2] for other in wholes for entry in other.files.get(name, [])])
                   for _, _, text, _ in traces)
        for kind, count in sum_counts(traces).items() | {(kind, 0) for kind in counts[0]}:
            least = min(other.get(kind, 0) for other in counts)
            most = max(other.get(kind, 0) for other in counts)
            got = sum_counts(traces).get(kind, 0)
            allowed = least if least == most else least / 2
            if got < allowed and not told:
                return "silent loss: %s has %d records of kind %s of %d" % (name, got, kind, least)
    return None


def try_recordings(options, inputs):
    """Tries all recordings that match; the number of failing calls, and what was wrong, each as a line."""
    make_programs(inputs)
    tried, wrongs = 0, []
    for recording in RECORDINGS:
        who, program, words = recording
        title = f"{who}: record {words}"
        if options.only not in title or not is_possible(words.split()):
            continue
        Recording(inputs, recording) # what the first one leaves in the cache is not looked at
        wholes = [Recording(inputs, recording) for _ in range(3)]
        if any(not isinstance(whole.status, int) or whole.status != wholes[0].status for whole in wholes):
            wrongs.append(f"{title}: status {[whole.status for whole in wholes]} without a fault")
            print(wrongs[-1], flush=True)
            continue
        for fault in FAULTS:
            if (options.calls and fault[0] not in options.calls.split(",")) or (who == "agent" and fault[0] in PASSED_ON):
                continue
            count = Recording(inputs, recording, fault).count
            for at in options.positions(count):
                wrong = fault_of_recording(Recording(inputs, recording, fault, at), wholes, who,
                                           fault[1] in (errno.EINTR, "short"))
                tried += 1
                if wrong:
                    wrongs.append(f"{title}: {fault[0]} {at} of {count} fails with {fault[1]}: {wrong}")
                    print(wrongs[-1], flush=True)
    return tried, wrongs


def sum_counts(traces):
    sums = {}
    for _, _, _, counts in traces:
        for kind, count in counts.items():
            sums[kind] = sums.get(kind, 0) + count
    return sums
