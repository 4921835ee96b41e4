# faulthandler: tracebacks at signals that a program registers for them, at a time-out, and at a crash in a child, whose
# status is that of the signal.
import faulthandler
import os
import signal
import subprocess
import sys
import tempfile


def work():
    return sum(i * i for i in range(300000))


def functions(file):
    file.seek(0)
    return [line.split(" in ")[1].strip() for line in file if " in " in line]


with tempfile.TemporaryFile("w+") as file:
    for number in (signal.SIGUSR1, signal.SIGURG, signal.SIGPROF):
        faulthandler.register(number, file=file)
    work()
    for number in (signal.SIGUSR1, signal.SIGURG, signal.SIGPROF):
        os.kill(os.getpid(), number)
        work()
    print(functions(file))
    for number in (signal.SIGUSR1, signal.SIGURG, signal.SIGPROF):
        print("was registered:", faulthandler.unregister(number))
for crash in ("_sigsegv", "_sigabrt", "_sigfpe"):
    code = f"import faulthandler; faulthandler.enable(); sum(range(1000000)); faulthandler.{crash}()"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    print(result.returncode, result.stderr.splitlines()[0])
