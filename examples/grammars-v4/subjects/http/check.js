// Has the parser of node's HTTP server read the head of a request: check.js FILE, or check.js as a worker (docs/subject.md, Workers).
// A line feed alone ends a line too, as RFC 9112 allows, and the empty line after the fields is added here.
// 0: it is well-formed, 1: it is not, and what the parser says is told.
const fs = require('fs');
process.noDeprecation = true;
const {HTTPParser} = process.binding('http_parser');

function judge(file) {
    const text = fs.readFileSync(file, 'latin1').replace(/\r?\n/g, '\r\n') + '\r\n';
    const parser = new HTTPParser();
    parser.initialize(HTTPParser.REQUEST, {}, 0, 0);
    const result = parser.execute(Buffer.from(text, 'latin1'));
    return result instanceof Error ? [1, `${result.code}: ${result.reason}\n`] : [0, ''];
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
