// Has the parser of node's HTTP server read the head of a request.
// A line feed alone ends a line too, as RFC 9112 allows, and the empty line after the fields is added here.
// 0: it is well-formed, 1: it is not, and what the parser says is told.
process.noDeprecation = true;
const {HTTPParser} = process.binding('http_parser');

module.exports = (data) => {
    const text = data.toString('latin1').replace(/\r?\n/g, '\r\n') + '\r\n';
    const parser = new HTTPParser();
    parser.initialize(HTTPParser.REQUEST, {}, 0, 0);
    const result = parser.execute(Buffer.from(text, 'latin1'));
    return result instanceof Error ? [1, `${result.code}: ${result.reason}\n`] : [0, ''];
};
