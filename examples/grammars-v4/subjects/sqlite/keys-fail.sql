-- A library: its books, who borrows them, and what is owed.
PRAGMA foreign_keys = 1;

BEGIN;
CREATE TABLE authors (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL COLLATE NOCASE,
    born INTEGER CHECK (born BETWEEN -800 AND 2100),
    UNIQUE (name, born)
);
CREATE TABLE books (
    isbn TEXT PRIMARY KEY NOT NULL,
    title TEXT NOT NULL,
    author INTEGER REFERENCES authors (id) ON DELETE SET NULL,
    year INTEGER DEFAULT 2000,
    shelf VARCHAR(8) DEFAULT 'A-1'
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS members (
    number INTEGER CONSTRAINT member_number PRIMARY KEY,
    name TEXT NOT NULL,
    mail TEXT UNIQUE ON CONFLICT REPLACE,
    since TEXT DEFAULT CURRENT_DATE
);
CREATE TABLE copies (
    book TEXT NOT NULL REFERENCES books,
    copy INTEGER NOT NULL,
    bought REAL DEFAULT (12.5),
    CONSTRAINT one_copy PRIMARY KEY (book, copy DESC) ON CONFLICT ABORT
);
CREATE TABLE loans (
    id INTEGER PRIMARY KEY,
    book TEXT NOT NULL,
    copy INTEGER NOT NULL,
    member INTEGER NOT NULL REFERENCES members (number),
    until TEXT,
    late INTEGER AS (until < '2024-06-01') STORED,
    PRIMARY KEY (book, copy),
    FOREIGN KEY (book, copy) REFERENCES copies (book, copy) ON UPDATE CASCADE
);
CREATE TEMP TABLE fees (
    member INTEGER,
    cents INTEGER CHECK (cents > 0) NOT NULL,
    paid INTEGER DEFAULT FALSE
);
CREATE UNIQUE INDEX titles ON books (title, author);
CREATE INDEX names ON members (lower(name)) WHERE mail IS NOT NULL;

INSERT INTO authors (name, born) VALUES ('Sei Shonagon', 966), ('Lucian', 125), ('Mary Shelley', 1797);
INSERT INTO books (isbn, title, author) SELECT '978-' || id, 'Works of ' || name, id FROM authors;
INSERT OR REPLACE INTO members VALUES (1, 'Ada', NULL, '2020-01-01'), (2, 'Ben', 'ben@b.example', '2021-05-09');
INSERT INTO copies (book, copy) SELECT isbn, 1 FROM books UNION ALL SELECT isbn, 2 FROM books WHERE author <> 2;
UPDATE books SET shelf = 'B-' || author WHERE year >= 2000 AND title LIKE '%Shelley';
INSERT INTO fees SELECT number, 50 * number, number = 1 FROM members;

CREATE VIEW debts AS
    SELECT m.name, sum(f.cents) AS cents
    FROM members AS m LEFT JOIN fees AS f ON f.member = m.number AND NOT f.paid
    GROUP BY m.number HAVING count(*) > 0
    ORDER BY 2 DESC, m.name;
CREATE TRIGGER gone AFTER DELETE ON members BEGIN
    DELETE FROM loans WHERE member = old.number;
END;
COMMIT;

SELECT b.title, c.copy, CASE WHEN c.bought > 20 THEN 'dear' ELSE 'cheap' END
FROM books AS b, copies AS c WHERE c.book = b.isbn ORDER BY b.title LIMIT 10;
