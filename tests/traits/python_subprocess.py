# subprocess in its variants: descriptors closed and passed, a session and a signal of its own, a time-out, a pipe line.
# todo: high descriptors of the recorder are in the process
import os
import signal
import subprocess
import sys


def work():
    return sum(i * i for i in range(100000))


listing = "import os; sum(i for i in range(200000)); print(len(os.listdir('/proc/self/fd')))"
work()
result = subprocess.run([sys.executable, "-c", listing], close_fds=True, stdout=subprocess.PIPE, text=True)
print(result.returncode, result.stdout.strip())
read, write = os.pipe()
code = f"import os; os.write({write}, b'passed')"
print(subprocess.run([sys.executable, "-c", code], pass_fds=[write], start_new_session=True).returncode)
print(os.read(read, 100))
print(subprocess.run(["sh", "-c", "kill -TERM $$"]).returncode, subprocess.run(["sh", "-c", "exit 9"]).returncode)
print(subprocess.run(["cat"], input="text" * 3, capture_output=True, text=True))
try:
    subprocess.run(["sleep", "20"], timeout=0.1)
except subprocess.TimeoutExpired:
    print("timed out")
with subprocess.Popen(["sh", "-c", "while :; do :; done"], restore_signals=False) as process:
    work()
    process.send_signal(signal.SIGINT)
    print("ended by", -process.wait())
