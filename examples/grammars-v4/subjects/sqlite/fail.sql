-- Parcels of a depot: tables, some of them, and what the page of the day shows.
CREATE TABLE depots (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    city TEXT DEFAULT 'Berlin'
);
CREATE TABLE parcels (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    depot INTEGER NOT NULL REFERENCES depots (id) ON DELETE CASCADE,
    weight REAL CHECK (weight > 0),
    status TEXT DEFAULT 'accepted',
    sent DATE
);
CREATE TABLE scans (parcel INTEGER, dock INTEGER, time TEXT, PRIMARY KEY (parcel, time)) WITHOUT ROWID;
CREATE INDEX parcels_by_status ON parcels (status, sent DESC) WHERE status <> 'delivered';

INSERT INTO depots (id, name) VALUES (1, 'north'), (2, 'south');
INSERT INTO depots VALUES (3, 'harbour', 'Hamburg');
INSERT OR IGNORE INTO parcels (depot, weight, sent) VALUES
    (1, 2.5, '2024-03-01'),
    (1, 0.3, '2024-03-02'),
    (2, 11, NULL);
INSERT INTO scans SELECT id, id % 4 + 1, '07:' || (10 + id) FROM parcels;

UPDATE parcels SET status = 'lost' WHERE weight < 0.5 AND sent IS NOT NULL;

CREATE VIEW heavy AS
    SELECT p.id, d.name AS depot, p.weight
    FROM parcels AS p JOIN depots AS d ON p.depot = d.id
    WHERE p.weight BETWEEN 10 AND 30;

/* How many parcels each depot has. */
SELECT d.name, count(*) AS parcels, round(avg(p.weight), 2)
FROM depots d LEFT JOIN parcels p ON p.depot = d.id
GROUP BY d.id
HAVING count(*) >= 1
ORDER BY parcels DESC, 1
LIMIT 10;

-- Parcels that are heavier than others of their depot.
SELECT p.id, p.weight, CASE WHEN p.sent IS NULL THEN 'here' ELSE p.sent END AS sent
FROM parcels p
WHERE p.status IN ('accepted', 'out') AND p.weight > avg(p.weight) AND EXISTS (
    SELECT 1 FROM scans s WHERE s.parcel = p.id AND s.dock <> 4
);

WITH last AS (SELECT parcel, max(time) AS time FROM scans GROUP BY parcel)
SELECT p.id, last.time, row_number() OVER (PARTITION BY p.depot ORDER BY last.time)
FROM parcels p, last WHERE last.parcel = p.id;

DELETE FROM scans WHERE parcel NOT IN (SELECT id FROM parcels);
