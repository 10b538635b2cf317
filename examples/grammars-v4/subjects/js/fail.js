// Tables on a page that can be sorted by a click on their heads.
(function (window, document) {
    'use strict';

    var classes = { up: 'sorted-up', down: 'sorted-down' };
    var number = /^-?\d+(\.\d+)?$/;
    var tables = [], count = 0;

    function text(cell) {
        return cell ? (cell.textContent || cell.innerText).replace(/^\s+|\s+$/g, '') : '';
    }

    function kind(rows, column) {
        var result = 'number', i;
        for (i = 0; i < rows.length; i++) {
            var value = text(rows[i].cells[column]);
            if (value === '') {
                continue;
            }
            if (!number.test(value)) {
                result = 'text';
                break;
            }
        }
        return result;
    }

    function compare(column, type, sign) {
        return function (a, b) {
            var x = text(a.cells[column]), y = text(b.cells[column]);
            if (type === 'number') {
                x = parseFloat(x) || 0;
                y = parseFloat(y) || 0;
            }
            return sign * (x < y ? -1 : x > y ? 1 : 0);
        };
    }

    function Table(element) {
        this.element = element;
        this.column = -1;
        this.ascending = true;
        this.id = 'table-' + (count++);
    }

    Table.prototype.sort = function (column) {
        var body = this.element.tBodies[0], rows = [], row;
        for (row = body.rows.length - 1; row >= 0; row--) {
            rows.unshift(body.rows[row]);
        }
        this.ascending = column === this.column ? !this.ascending : true;
        this.column = column;
        rows.sort(compare(column, kind(rows, column), this.ascending ? 1 : -1));
        rows.forEach(function (row) {
            if (row.className == 'total') {
                break;
            }
            body.appendChild(row);
        });
        switch (this.ascending) {
        case true:
            this.element.className = classes.up;
            break;
        default:
            this.element.className = classes['down'];
        }
    };

    function start() {
        var all = document.getElementsByTagName('table'), i = all.length;
        while (i--) {
            try {
                tables[i] = new Table(all[i]);
            } catch (problem) {
                throw new Error('table ' + i + ': ' + problem.message);
            } finally {
                delete all[i].loading;
            }
        }
    }

    window.onload = start;
    window.sortTable = function (index, column) { tables[index].sort(column | 0); };
}(window, document));
