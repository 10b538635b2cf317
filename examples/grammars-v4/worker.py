"""A worker for the checks that are written in Python (docs/subject.md, Workers): worker.py CHECK.

CHECK defines judge(bytes), which answers with an exit code and a message. It keeps nothing from one input to the next.
"""
import json
import sys

checks = {"__name__": "check"}
with open(sys.argv[1], "rb") as file:
    exec(compile(file.read(), sys.argv[1], "exec"), checks)
judge = checks["judge"]
source, sink = sys.stdin.buffer, sys.stdout.buffer


def send(message):
    data = json.dumps(message).encode()
    sink.write(len(data).to_bytes(4, "big") + data)
    sink.flush()


send({"ready": True})
while True:
    head = source.read(4)
    if len(head) < 4:
        break
    message = json.loads(source.read(int.from_bytes(head, "big")))
    with open(message["arguments"][-1], "rb") as file:
        code, text = judge(file.read())
    send({"id": message["id"], "exit": code, "stdout": "", "stderr": text})
