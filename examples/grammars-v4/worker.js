// Runs the checks that are written in JavaScript: worker.js CHECK FILE, or, as a worker (docs/subject.md, Workers), worker.js CHECK.
// CHECK exports a function that is given the bytes of an input and answers with an exit code and a message. It keeps nothing from one input to the next.
const fs = require('fs');
const path = require('path');

const check = require(path.resolve(process.argv[2]));

function judge(file) {
    return check(fs.readFileSync(file));
}

function send(message) {
    const data = Buffer.from(JSON.stringify(message));
    const head = Buffer.alloc(4);
    head.writeUInt32BE(data.length);
    const all = Buffer.concat([head, data]);
    for (let at = 0; at < all.length;) at += fs.writeSync(1, all, at);
}

function read(length) {
    const data = Buffer.alloc(length);
    for (let at = 0; at < length;) {
        const count = fs.readSync(0, data, at, length - at, null);
        if (count === 0) process.exit(0);
        at += count;
    }
    return data;
}

if (process.argv.length > 3) {
    const [code, text] = judge(process.argv[3]);
    process.stderr.write(text);
    process.exitCode = code;
} else {
    send({ready: true});
    for (;;) {
        const message = JSON.parse(read(read(4).readUInt32BE(0)).toString());
        const [code, text] = judge(message.arguments[message.arguments.length - 1]);
        send({id: message.id, exit: code, stdout: '', stderr: text});
    }
}
