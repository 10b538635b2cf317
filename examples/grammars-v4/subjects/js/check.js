// Has V8 compile a script and not run it. 0: it compiles, 1: it does not, and the message of V8 is told.
const vm = require('vm');

module.exports = (data) => {
    try {
        new vm.Script(data.toString(), {filename: 'input.js'});
        return [0, ''];
    } catch (problem) {
        return [1, `${problem.name}: ${problem.message}\n`];
    }
};
