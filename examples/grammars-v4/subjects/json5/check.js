// Has node read a document in JSON5 as an expression of JavaScript, which it is. Nothing is evaluated.
// 0: it is read, 1: it is not, and what node says is told.
const vm = require('vm');

module.exports = (data) => {
    try {
        new vm.Script(`(${data}\n)`);
        return [0, ''];
    } catch (problem) {
        return [1, `${problem.name}: ${problem.message}\n`];
    }
};
