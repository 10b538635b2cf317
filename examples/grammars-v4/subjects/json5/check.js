// Has node read a document in JSON5 as an expression of JavaScript, which it is: check.js FILE, or check.js as a worker (docs/subject.md, Workers).
// Nothing is evaluated. 0: it is read, 1: it is not, and what node says is told.
const fs = require('fs');
const vm = require('vm');

function judge(file) {
    try {
        new vm.Script(`(${fs.readFileSync(file, 'utf8')}\n)`);
        return [0, ''];
    } catch (problem) {
        return [1, `${problem.name}: ${problem.message}\n`];
    }
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

if (process.argv.length > 2) {
    const [code, text] = judge(process.argv[2]);
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
