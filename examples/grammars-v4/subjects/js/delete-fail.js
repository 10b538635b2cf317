// Keeps values for a while, those that were asked for last longest, and forgets the others.
var shelf = (function (root, undefined) {
    "use strict";

    var limit = 100, hits = 0, misses = 0;
    var has = Object.prototype.hasOwnProperty;
    var names = /^[a-z_][\w.-]*$/i;

    function Entry(key, value, seconds) {
        this.key = key;
        this.value = value;
        this.until = seconds ? now() + seconds * 1e3 : Infinity;
        this.before = this.after = null;
    }

    function now() {
        return +new Date();
    }

    function Shelf(size) {
        if (!(this instanceof Shelf)) return new Shelf(size);
        this.entries = {};
        this.size = size || limit;
        this.first = this.last = null;
        this.length = 0;
    }

    Shelf.prototype = {
        constructor: Shelf,

        get full() { return this.length >= this.size; },

        put: function (key, value, seconds) {
            if (!names.test(key)) {
                throw new TypeError('no key: ' + key);
            }
            this.drop(key);
            if (this.full) {
                this.drop(this.last.key);
            }
            var entry = new Entry(key, value, seconds);
            entry.after = this.first;
            if (this.first) this.first.before = entry;
            else this.last = entry;
            this.first = this.entries[key] = entry;
            this.length++;
            return value;
        },

        drop: function (key) {
            var entry = has.call(this.entries, key) && this.entries[key];
            if (!entry) {
                return false;
            }
            (entry.before || this)[entry.before ? 'after' : 'first'] = entry.after;
            (entry.after || this)[entry.after ? 'before' : 'last'] = entry.before;
            delete this.entries[key];
            this.length -= 1;
            delete entry;
            return true;
        },

        find: function (key) {
            var entry = this.entries[key];
            switch (true) {
            case !entry:
                misses++;
                return undefined;
            case entry.until < now():
                this.drop(key);
                return undefined;
            default:
                hits++;
                return this.put(key, entry.value, (entry.until - now()) / 1000);
            }
        }
    };

    try {
        root.Shelf = Shelf;
    } catch (problem) {
        delete root.Shelf;
    }
    return { make: Shelf, rate: function () { return hits / (hits + misses || 1); } };
}(this));
