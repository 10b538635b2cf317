// Words of a text with the lines that they stand in, for the index of a booklet.
var words = {}, draft = [ , 'and', "or", 'the', ], line;

skipped = 0x1F;
delete skipped;

function plain(word) {
    return word.toLowerCase().replace(/'s?$/, "");
}

function Index(options) {
    'use strict';
    var self = this, key;

    self.entries = Object.create(null);
    self.options = { shortest: 3, ignored: {}, columns: 2 };
    for (key in options) {
        if (options.hasOwnProperty(key) && options[key] !== void 0) {
            self.options[key] = options[key];
        } else {
            delete self.options[key];
        }
    }
}

Index.prototype.add = function (word, line) {
    "use strict";
    var key = plain(word), lines = this.entries[key];
    if (key.length < this.options.shortest || this.options.ignored[key] === true) {
        return this;
    }
    if (lines) {
        if (lines.indexOf(line) < 0) lines.push(line);
    } else {
        this.entries[key] = [line];
    }
    return this;
};

Index.prototype.ignore = function () {
    'use strict';
    var i = arguments.length;
    while (i-- > 0) {
        this.options.ignored[arguments[i]] = true;
        delete this.entries[plain(arguments[i])], delete arguments[i];
    }
};

Index.prototype.toString = function () {
    var keys = Object.keys(this.entries).sort(), text = '', letter;
    for (var i = 0, key; i < keys.length; ++i) {
        key = keys[i];
        if (key.charAt(0) != letter) {
            letter = key.charAt(0);
            text += '\n' + letter.toUpperCase() + '\n';
        }
        text += key + ' ' + this.entries[key].join(', ') + (i % this.options.columns ? '\n' : '\t');
    }
    return text;
};

function read(text, index) {
    var rows = text.split(/\r?\n/), found;
    rows.forEach(function (row, number) {
        do {
            found = /[A-Za-z]+/.exec(row);
            if (!found) { break; }
            index.add(found[0], number + 1);
            row = row.slice(found.index + found[0].length);
        } while (row);
    });
    try {
        return index;
    } finally {
        delete text;
        typeof console === 'object' && console.log("use strict", rows.length);
    }
}

line = read('The tide is low.\nThe boats are dry.', new Index({ columns: 1 }));
line.ignore(draft[1], draft[3]);
words = '' + line;
