-- Measurements of some stations.
CREATE TABLE stations (
    code TEXT PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    height REAL
);
CREATE TABLE readings (
    station TEXT REFERENCES stations (code),
    at INTEGER,
    value REAL CHECK (value > -90),
    UNIQUE (at, value),
    PRIMARY KEY (station, at)
);
CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT DEFAULT 'PRIMARY KEY', UNIQUE (id), UNIQUE (text));
INSERT INTO stations VALUES ('X1', 'pier', 2.5), ('X2', 'tower', 48);
INSERT INTO readings SELECT code, 1, height / 2 FROM stations;
CREATE TABLE copy AS SELECT * FROM readings;
SELECT s.name, avg(r.value) FROM stations AS s JOIN readings AS r ON r.station = s.code GROUP BY s.name;
