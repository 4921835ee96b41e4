-- One iteration: fill, index, join, update and delete a small shop; one row more in `result`.
CREATE TABLE IF NOT EXISTS result(checksum INTEGER);
DROP TABLE IF EXISTS item;
DROP TABLE IF EXISTS customer;
CREATE TABLE customer(id INTEGER PRIMARY KEY, name TEXT, town INTEGER);
CREATE TABLE item(id INTEGER PRIMARY KEY, customer INTEGER, product TEXT, pieces INTEGER, cents INTEGER);

WITH RECURSIVE draw(i, r) AS (
    VALUES(1, 1) UNION ALL SELECT i + 1, r * 16807 % 2147483647 FROM draw WHERE i < 5000)
INSERT INTO customer SELECT i, printf('customer %05x', r % 1048576), r % 97 FROM draw;

WITH RECURSIVE draw(i, r) AS (
    VALUES(1, 2) UNION ALL SELECT i + 1, r * 16807 % 2147483647 FROM draw WHERE i < 60000)
INSERT INTO item SELECT i, 1 + r % 5000, 'product ' || (r / 7 % 1000), 1 + r % 9, r % 100003 FROM draw;

CREATE INDEX item_customer ON item(customer);
CREATE INDEX item_product ON item(product, pieces);
CREATE INDEX customer_name ON customer(name);

BEGIN;
UPDATE item SET cents = cents * 9 / 10 WHERE product IN (SELECT product FROM item GROUP BY product HAVING sum(pieces) > 320);
DELETE FROM item WHERE customer IN (SELECT id FROM customer WHERE town = 13);
COMMIT;

INSERT INTO result
SELECT sum(total * town) + (SELECT sum(length(name)) FROM customer WHERE name LIKE '%a_f%')
FROM (SELECT c.town AS town, sum(i.pieces * i.cents) AS total, count(DISTINCT i.product) AS products
      FROM customer AS c JOIN item AS i ON i.customer = c.id
      GROUP BY c.town ORDER BY products DESC, c.town);
