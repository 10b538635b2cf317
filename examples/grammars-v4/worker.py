"""Runs the checks that are written in Python: worker.py CHECK FILE, or, as a worker (docs/subject.md, Workers), worker.py CHECK.

CHECK defines judge(bytes), which answers with an exit code and a message. It keeps nothing from one input to the next.
"""
import json
import sys

checks = {"__name__": "check"}
with open(sys.argv[1], "rb") as file:
    exec(compile(file.read(), sys.argv[1], "exec"), checks)


def judge(path):
    with open(path, "rb") as file:
        code, text = checks["judge"](file.read())
    # A message may have half a character of the input in it, which is no UTF-8.
    return code, text.encode(errors="backslashreplace").decode()


def send(message):
    data = json.dumps(message).encode()
    sink.write(len(data).to_bytes(4, "big") + data)
    sink.flush()


if len(sys.argv) > 2:
    code, text = judge(sys.argv[2])
    sys.stderr.write(text)
    sys.exit(code)

source, sink = sys.stdin.buffer, sys.stdout.buffer
send({"ready": True})
while True:
    head = source.read(4)
    if len(head) < 4:
        break
    message = json.loads(source.read(int.from_bytes(head, "big")))
    code, text = judge(message["arguments"][-1])
    send({"id": message["id"], "exit": code, "stdout": "", "stderr": text})
