-- TPC-C (specification 5.11): tables, the population of $(warehouses) warehouses, the five transactions. tpcc.toml has the values of key and kind
-- for memory-optimized tables. Without heddle lab:
--     heddle sql -U sa -d tpcc -v warehouses=2 key="PRIMARY KEY" history_key="" kind="" -i tpcc.sql
-- Numbers are random by CHECKSUM(NEWID()), which is another one for each row; RAND() is drawn once a statement.

CREATE TABLE dbo.warehouse (
    w_id int NOT NULL $(key), w_name varchar(10) NOT NULL, w_street_1 varchar(20) NOT NULL, w_street_2 varchar(20) NOT NULL,
    w_city varchar(20) NOT NULL, w_state char(2) NOT NULL, w_zip char(9) NOT NULL, w_tax decimal(4,4) NOT NULL,
    w_ytd decimal(12,2) NOT NULL) $(kind)
CREATE TABLE dbo.district (
    d_w_id int NOT NULL, d_id int NOT NULL, d_name varchar(10) NOT NULL, d_street_1 varchar(20) NOT NULL,
    d_street_2 varchar(20) NOT NULL, d_city varchar(20) NOT NULL, d_state char(2) NOT NULL, d_zip char(9) NOT NULL,
    d_tax decimal(4,4) NOT NULL, d_ytd decimal(12,2) NOT NULL, d_next_o_id int NOT NULL, $(key) (d_w_id, d_id)) $(kind)
CREATE TABLE dbo.customer (
    c_w_id int NOT NULL, c_d_id int NOT NULL, c_id int NOT NULL, c_first varchar(16) NOT NULL, c_middle char(2) NOT NULL,
    c_last varchar(16) NOT NULL, c_street_1 varchar(20) NOT NULL, c_street_2 varchar(20) NOT NULL, c_city varchar(20) NOT NULL,
    c_state char(2) NOT NULL, c_zip char(9) NOT NULL, c_phone char(16) NOT NULL, c_since datetime NOT NULL,
    c_credit char(2) NOT NULL, c_credit_lim decimal(12,2) NOT NULL, c_discount decimal(4,4) NOT NULL,
    c_balance decimal(12,2) NOT NULL, c_ytd_payment decimal(12,2) NOT NULL, c_payment_cnt int NOT NULL,
    c_delivery_cnt int NOT NULL, c_data varchar(500) NOT NULL, $(key) (c_w_id, c_d_id, c_id),
    INDEX customer_name (c_w_id, c_d_id, c_last, c_first)) $(kind)
-- The only table without a key, where that is possible.
CREATE TABLE dbo.history (
    $(history_key) h_c_id int NOT NULL, h_c_d_id int NOT NULL, h_c_w_id int NOT NULL, h_d_id int NOT NULL, h_w_id int NOT NULL,
    h_date datetime NOT NULL, h_amount decimal(6,2) NOT NULL, h_data varchar(24) NOT NULL) $(kind)
CREATE TABLE dbo.new_order (
    no_w_id int NOT NULL, no_d_id int NOT NULL, no_o_id int NOT NULL, $(key) (no_w_id, no_d_id, no_o_id)) $(kind)
CREATE TABLE dbo.orders (
    o_w_id int NOT NULL, o_d_id int NOT NULL, o_id int NOT NULL, o_c_id int NOT NULL, o_entry_d datetime NOT NULL,
    o_carrier_id int NULL, o_ol_cnt int NOT NULL, o_all_local int NOT NULL, $(key) (o_w_id, o_d_id, o_id),
    INDEX orders_customer (o_w_id, o_d_id, o_c_id, o_id)) $(kind)
CREATE TABLE dbo.order_line (
    ol_w_id int NOT NULL, ol_d_id int NOT NULL, ol_o_id int NOT NULL, ol_number int NOT NULL, ol_i_id int NOT NULL,
    ol_supply_w_id int NOT NULL, ol_delivery_d datetime NULL, ol_quantity int NOT NULL, ol_amount decimal(6,2) NOT NULL,
    ol_dist_info char(24) NOT NULL, $(key) (ol_w_id, ol_d_id, ol_o_id, ol_number)) $(kind)
CREATE TABLE dbo.item (
    i_id int NOT NULL $(key), i_im_id int NOT NULL, i_name varchar(24) NOT NULL, i_price decimal(5,2) NOT NULL,
    i_data varchar(50) NOT NULL) $(kind)
CREATE TABLE dbo.stock (
    s_w_id int NOT NULL, s_i_id int NOT NULL, s_quantity int NOT NULL,
    s_dist_01 char(24) NOT NULL, s_dist_02 char(24) NOT NULL, s_dist_03 char(24) NOT NULL, s_dist_04 char(24) NOT NULL,
    s_dist_05 char(24) NOT NULL, s_dist_06 char(24) NOT NULL, s_dist_07 char(24) NOT NULL, s_dist_08 char(24) NOT NULL,
    s_dist_09 char(24) NOT NULL, s_dist_10 char(24) NOT NULL,
    s_ytd int NOT NULL, s_order_cnt int NOT NULL, s_remote_cnt int NOT NULL, s_data varchar(50) NOT NULL,
    $(key) (s_w_id, s_i_id)) $(kind)
CREATE TABLE dbo.numbers (n int NOT NULL PRIMARY KEY)
GO
-- The last name of a number from 0 to 999: a syllable for each digit (4.3.2.3).
CREATE FUNCTION dbo.last_name (@number int) RETURNS varchar(16) AS
BEGIN
    RETURN CHOOSE(1 + @number / 100, 'BAR', 'OUGHT', 'ABLE', 'PRI', 'PRES', 'ESE', 'ANTI', 'CALLY', 'ATION', 'EING')
        + CHOOSE(1 + @number / 10 % 10, 'BAR', 'OUGHT', 'ABLE', 'PRI', 'PRES', 'ESE', 'ANTI', 'CALLY', 'ATION', 'EING')
        + CHOOSE(1 + @number % 10, 'BAR', 'OUGHT', 'ABLE', 'PRI', 'PRES', 'ESE', 'ANTI', 'CALLY', 'ATION', 'EING')
END
GO
SET NOCOUNT ON;
WITH digit AS (SELECT n FROM (VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)) AS digits (n))
INSERT dbo.numbers
    SELECT 1 + a.n + 10 * b.n + 100 * c.n + 1000 * d.n + 10000 * e.n
    FROM digit a CROSS JOIN digit b CROSS JOIN digit c CROSS JOIN digit d CROSS JOIN digit e
-- One of ten has ORIGINAL somewhere in its data, of items and of stock.
INSERT dbo.item
    SELECT n, 1 + ABS(CHECKSUM(NEWID()) % 10000), LEFT(CONVERT(char(36), NEWID()), 14 + ABS(CHECKSUM(NEWID()) % 11)),
        (100 + ABS(CHECKSUM(NEWID()) % 9901)) / 100.0,
        CASE WHEN CHECKSUM(NEWID()) % 10 = 0 THEN STUFF(data, 1 + ABS(CHECKSUM(NEWID()) % 18), 8, 'ORIGINAL') ELSE data END
    FROM (SELECT n, LEFT(CONVERT(char(36), NEWID()) + CONVERT(char(36), NEWID()), 26 + ABS(CHECKSUM(NEWID()) % 25)) AS data
        FROM dbo.numbers) AS drawn
GO
SET NOCOUNT ON
DECLARE @w int = 1
WHILE @w <= $(warehouses)
BEGIN
    INSERT dbo.warehouse
        SELECT @w, LEFT(CONVERT(char(36), NEWID()), 6 + @w % 5), LEFT(CONVERT(char(36), NEWID()), 15),
            LEFT(CONVERT(char(36), NEWID()), 15), LEFT(CONVERT(char(36), NEWID()), 15), 'WA',
            RIGHT(10000 + ABS(CHECKSUM(NEWID()) % 10000), 4) + '11111', ABS(CHECKSUM(NEWID()) % 2001) / 10000.0, 300000
    INSERT dbo.stock
        SELECT @w, n, 10 + ABS(CHECKSUM(NEWID()) % 91),
            LEFT(CONVERT(char(36), NEWID()), 24), LEFT(CONVERT(char(36), NEWID()), 24), LEFT(CONVERT(char(36), NEWID()), 24),
            LEFT(CONVERT(char(36), NEWID()), 24), LEFT(CONVERT(char(36), NEWID()), 24), LEFT(CONVERT(char(36), NEWID()), 24),
            LEFT(CONVERT(char(36), NEWID()), 24), LEFT(CONVERT(char(36), NEWID()), 24), LEFT(CONVERT(char(36), NEWID()), 24),
            LEFT(CONVERT(char(36), NEWID()), 24), 0, 0, 0,
            CASE WHEN CHECKSUM(NEWID()) % 10 = 0 THEN STUFF(data, 1 + ABS(CHECKSUM(NEWID()) % 18), 8, 'ORIGINAL') ELSE data END
        FROM (SELECT n, LEFT(CONVERT(char(36), NEWID()) + CONVERT(char(36), NEWID()), 26 + ABS(CHECKSUM(NEWID()) % 25)) AS data
            FROM dbo.numbers) AS drawn
    INSERT dbo.district
        SELECT @w, n, LEFT(CONVERT(char(36), NEWID()), 6 + n % 5), LEFT(CONVERT(char(36), NEWID()), 15),
            LEFT(CONVERT(char(36), NEWID()), 15), LEFT(CONVERT(char(36), NEWID()), 15), 'OR',
            RIGHT(10000 + ABS(CHECKSUM(NEWID()) % 10000), 4) + '11111', ABS(CHECKSUM(NEWID()) % 2001) / 10000.0, 30000, 3001
        FROM dbo.numbers WHERE n <= 10
    -- The first 1,000 have each name once, the others NURand(255, 0, 999) with C = 157.
    INSERT dbo.customer
        SELECT @w, d.n, c.n, LEFT(CONVERT(char(36), NEWID()), 8 + ABS(CHECKSUM(NEWID()) % 9)), 'OE',
            dbo.last_name(CASE WHEN c.n <= 1000 THEN c.n - 1
                ELSE ((ABS(CHECKSUM(NEWID()) % 256) | ABS(CHECKSUM(NEWID()) % 1000)) + 157) % 1000 END),
            LEFT(CONVERT(char(36), NEWID()), 15), LEFT(CONVERT(char(36), NEWID()), 15), LEFT(CONVERT(char(36), NEWID()), 15), 'CA',
            RIGHT(10000 + ABS(CHECKSUM(NEWID()) % 10000), 4) + '11111',
            RIGHT(10000000000000000 + ABS(CHECKSUM(NEWID()) % 1000000000) * CONVERT(bigint, 9999999), 16), GETDATE(),
            CASE WHEN CHECKSUM(NEWID()) % 10 = 0 THEN 'BC' ELSE 'GC' END, 50000, ABS(CHECKSUM(NEWID()) % 5001) / 10000.0,
            -10, 10, 1, 0, LEFT(REPLICATE(CONVERT(char(36), NEWID()), 14), 300 + ABS(CHECKSUM(NEWID()) % 201))
        FROM dbo.numbers d CROSS JOIN dbo.numbers c WHERE d.n <= 10 AND c.n <= 3000
    INSERT dbo.history
        SELECT c_id, c_d_id, c_w_id, c_d_id, c_w_id, GETDATE(), 10, LEFT(CONVERT(char(36), NEWID()), 18)
        FROM dbo.customer WHERE c_w_id = @w
    -- Each customer has one order; the last 900 of a district are not delivered.
    INSERT dbo.orders
        SELECT @w, d_id, o_id, c_id, GETDATE(), CASE WHEN o_id < 2101 THEN 1 + ABS(CHECKSUM(NEWID()) % 10) END,
            5 + ABS(CHECKSUM(NEWID()) % 11), 1
        FROM (SELECT d.n AS d_id, c.n AS c_id, ROW_NUMBER() OVER (PARTITION BY d.n ORDER BY NEWID()) AS o_id
            FROM dbo.numbers d CROSS JOIN dbo.numbers c WHERE d.n <= 10 AND c.n <= 3000) AS permuted
    INSERT dbo.new_order SELECT o_w_id, o_d_id, o_id FROM dbo.orders WHERE o_w_id = @w AND o_id >= 2101
    INSERT dbo.order_line
        SELECT @w, o_d_id, o_id, n, 1 + ABS(CHECKSUM(NEWID()) % 100000), @w, CASE WHEN o_id < 2101 THEN o_entry_d END, 5,
            CASE WHEN o_id < 2101 THEN 0 ELSE (1 + ABS(CHECKSUM(NEWID()) % 999999)) / 100.0 END, LEFT(CONVERT(char(36), NEWID()), 24)
        FROM dbo.orders JOIN dbo.numbers ON n <= o_ol_cnt WHERE o_w_id = @w
    SET @w += 1
END
GO
-- 2.4. An order of @lines items. Where @rbk is 1, the last of them is one that nobody has, and nothing is kept.
CREATE PROCEDURE dbo.tx_new_order @warehouses int, @w_id int, @d_id int, @c_id int, @lines int, @rbk int AS
BEGIN
    SET NOCOUNT ON
    DECLARE @o_id int, @now datetime = GETDATE(), @all_local int = 1, @total decimal(12,2) = 0, @number int = 0,
        @w_tax decimal(4,4), @d_tax decimal(4,4), @c_discount decimal(4,4), @c_last varchar(16), @c_credit char(2),
        @i_id int, @i_price decimal(5,2), @i_name varchar(24), @i_data varchar(50), @supply_w_id int, @quantity int,
        @amount decimal(6,2), @s_quantity int, @s_dist char(24), @s_data varchar(50)
    DECLARE @ordered TABLE (supply_w_id int, i_id int, i_name varchar(24), quantity int, s_quantity int, brand char(1),
        i_price decimal(5,2), amount decimal(6,2))
    BEGIN TRY
        BEGIN TRANSACTION
        SELECT @w_tax = w_tax, @c_discount = c_discount, @c_last = c_last, @c_credit = c_credit
            FROM dbo.warehouse JOIN dbo.customer ON c_w_id = w_id WHERE w_id = @w_id AND c_d_id = @d_id AND c_id = @c_id
        UPDATE dbo.district SET @o_id = d_next_o_id, @d_tax = d_tax, d_next_o_id = d_next_o_id + 1
            WHERE d_w_id = @w_id AND d_id = @d_id
        WHILE @number < @lines
        BEGIN
            -- NURand(8191, 1, 100000) with C = 4211.
            SELECT @number += 1, @supply_w_id = @w_id, @quantity = 1 + CONVERT(int, RAND() * 10),
                @i_id = 1 + ((CONVERT(int, RAND() * 8192) | (1 + CONVERT(int, RAND() * 100000))) + 4211) % 100000
            IF @rbk = 1 AND @number = @lines SET @i_id = 100001
            IF @warehouses > 1 AND RAND() < 0.01
                SELECT @all_local = 0, @supply_w_id = 1 + (@w_id + CONVERT(int, RAND() * (@warehouses - 1))) % @warehouses
            SELECT @i_price = i_price, @i_name = i_name, @i_data = i_data FROM dbo.item WHERE i_id = @i_id
            IF @@ROWCOUNT = 0
            BEGIN
                ROLLBACK
                SELECT @w_id AS w_id, @d_id AS d_id, @c_id AS c_id, @c_last AS c_last, @c_credit AS c_credit, @o_id AS o_id,
                    'Item number is not valid' AS status
                RETURN
            END
            UPDATE dbo.stock SET
                @s_quantity = s_quantity =
                    CASE WHEN s_quantity >= @quantity + 10 THEN s_quantity - @quantity ELSE s_quantity - @quantity + 91 END,
                @s_dist = CHOOSE(@d_id, s_dist_01, s_dist_02, s_dist_03, s_dist_04, s_dist_05, s_dist_06, s_dist_07, s_dist_08,
                    s_dist_09, s_dist_10),
                @s_data = s_data, s_ytd += @quantity, s_order_cnt += 1,
                s_remote_cnt += CASE WHEN @supply_w_id = @w_id THEN 0 ELSE 1 END
                WHERE s_w_id = @supply_w_id AND s_i_id = @i_id
            SELECT @amount = @quantity * @i_price, @total += @quantity * @i_price
            INSERT dbo.order_line VALUES (@w_id, @d_id, @o_id, @number, @i_id, @supply_w_id, NULL, @quantity, @amount, @s_dist)
            INSERT @ordered VALUES (@supply_w_id, @i_id, @i_name, @quantity, @s_quantity,
                CASE WHEN @i_data LIKE '%ORIGINAL%' AND @s_data LIKE '%ORIGINAL%' THEN 'B' ELSE 'G' END, @i_price, @amount)
        END
        INSERT dbo.orders VALUES (@w_id, @d_id, @o_id, @c_id, @now, NULL, @lines, @all_local)
        INSERT dbo.new_order VALUES (@w_id, @d_id, @o_id)
        COMMIT
    END TRY
    BEGIN CATCH
        IF XACT_STATE() <> 0 ROLLBACK;
        THROW
    END CATCH
    SELECT @w_id AS w_id, @d_id AS d_id, @c_id AS c_id, @c_last AS c_last, @c_credit AS c_credit, @c_discount AS c_discount,
        @w_tax AS w_tax, @d_tax AS d_tax, @lines AS o_ol_cnt, @o_id AS o_id, @now AS o_entry_d,
        @total * (1 - @c_discount) * (1 + @w_tax + @d_tax) AS total
    SELECT supply_w_id, i_id, i_name, quantity, s_quantity, brand, i_price, amount FROM @ordered
END
GO
-- 2.5. A customer by number, or where @by_name is 60 or less by the last name of @name; where @remote is 15 or less, of
-- another warehouse.
CREATE PROCEDURE dbo.tx_payment @warehouses int, @w_id int, @d_id int, @remote int, @other_w_id int, @other_d_id int,
    @by_name int, @name int, @c_id int, @cents int AS
BEGIN
    SET NOCOUNT ON
    DECLARE @now datetime = GETDATE(), @amount decimal(6,2) = @cents / 100.0, @count int,
        @c_w_id int = @w_id, @c_d_id int = @d_id, @c_last varchar(16) = dbo.last_name(@name), @c_first varchar(16),
        @c_middle char(2), @c_street_1 varchar(20), @c_street_2 varchar(20), @c_city varchar(20), @c_state char(2), @c_zip char(9),
        @c_phone char(16), @c_since datetime, @c_credit char(2), @c_credit_lim decimal(12,2), @c_discount decimal(4,4),
        @c_balance decimal(12,2), @c_data varchar(500), @w_name varchar(10), @w_street_1 varchar(20), @w_street_2 varchar(20),
        @w_city varchar(20), @w_state char(2), @w_zip char(9), @d_name varchar(10), @d_street_1 varchar(20),
        @d_street_2 varchar(20), @d_city varchar(20), @d_state char(2), @d_zip char(9)
    IF @remote <= 15 AND @warehouses > 1
        SELECT @c_w_id = 1 + (@w_id + @other_w_id % (@warehouses - 1)) % @warehouses, @c_d_id = @other_d_id
    BEGIN TRY
        BEGIN TRANSACTION
        UPDATE dbo.warehouse SET w_ytd += @amount, @w_name = w_name, @w_street_1 = w_street_1, @w_street_2 = w_street_2,
            @w_city = w_city, @w_state = w_state, @w_zip = w_zip WHERE w_id = @w_id
        UPDATE dbo.district SET d_ytd += @amount, @d_name = d_name, @d_street_1 = d_street_1, @d_street_2 = d_street_2,
            @d_city = d_city, @d_state = d_state, @d_zip = d_zip WHERE d_w_id = @w_id AND d_id = @d_id
        IF @by_name <= 60
        BEGIN
            SELECT @count = COUNT(*) FROM dbo.customer WHERE c_w_id = @c_w_id AND c_d_id = @c_d_id AND c_last = @c_last
            SELECT @c_id = c_id FROM dbo.customer WHERE c_w_id = @c_w_id AND c_d_id = @c_d_id AND c_last = @c_last
                ORDER BY c_first OFFSET (@count - 1) / 2 ROWS FETCH NEXT 1 ROWS ONLY
        END
        UPDATE dbo.customer SET @c_balance = c_balance = c_balance - @amount, c_ytd_payment += @amount, c_payment_cnt += 1,
            @c_first = c_first, @c_middle = c_middle, @c_last = c_last, @c_street_1 = c_street_1, @c_street_2 = c_street_2,
            @c_city = c_city, @c_state = c_state, @c_zip = c_zip, @c_phone = c_phone, @c_since = c_since, @c_credit = c_credit,
            @c_credit_lim = c_credit_lim, @c_discount = c_discount, @c_data = c_data = CASE WHEN c_credit = 'BC'
                THEN LEFT(CONCAT(c_id, ' ', c_d_id, ' ', c_w_id, ' ', @d_id, ' ', @w_id, ' ', @amount, '|', c_data), 500)
                ELSE c_data END
            WHERE c_w_id = @c_w_id AND c_d_id = @c_d_id AND c_id = @c_id
        INSERT dbo.history VALUES (@c_id, @c_d_id, @c_w_id, @d_id, @w_id, @now, @amount, @w_name + '    ' + @d_name)
        COMMIT
    END TRY
    BEGIN CATCH
        IF XACT_STATE() <> 0 ROLLBACK;
        THROW
    END CATCH
    SELECT @w_id AS w_id, @w_street_1 AS w_street_1, @w_street_2 AS w_street_2, @w_city AS w_city, @w_state AS w_state,
        @w_zip AS w_zip, @d_id AS d_id, @d_street_1 AS d_street_1, @d_street_2 AS d_street_2, @d_city AS d_city,
        @d_state AS d_state, @d_zip AS d_zip, @c_w_id AS c_w_id, @c_d_id AS c_d_id, @c_id AS c_id, @c_first AS c_first,
        @c_middle AS c_middle, @c_last AS c_last, @c_street_1 AS c_street_1, @c_street_2 AS c_street_2, @c_city AS c_city,
        @c_state AS c_state, @c_zip AS c_zip, @c_phone AS c_phone, @c_since AS c_since, @c_credit AS c_credit,
        @c_credit_lim AS c_credit_lim, @c_discount AS c_discount, @c_balance AS c_balance,
        CASE WHEN @c_credit = 'BC' THEN LEFT(@c_data, 200) END AS c_data, @amount AS h_amount, @now AS h_date
END
GO
-- 2.6. The newest order of a customer by number, or where @by_name is 60 or less by the last name of @name.
CREATE PROCEDURE dbo.tx_order_status @w_id int, @d_id int, @by_name int, @name int, @c_id int AS
BEGIN
    SET NOCOUNT ON
    DECLARE @c_last varchar(16) = dbo.last_name(@name), @count int, @o_id int
    BEGIN TRANSACTION
    IF @by_name <= 60
    BEGIN
        SELECT @count = COUNT(*) FROM dbo.customer WHERE c_w_id = @w_id AND c_d_id = @d_id AND c_last = @c_last
        SELECT @c_id = c_id FROM dbo.customer WHERE c_w_id = @w_id AND c_d_id = @d_id AND c_last = @c_last
            ORDER BY c_first OFFSET (@count - 1) / 2 ROWS FETCH NEXT 1 ROWS ONLY
    END
    SELECT c_id, c_first, c_middle, c_last, c_balance FROM dbo.customer WHERE c_w_id = @w_id AND c_d_id = @d_id AND c_id = @c_id
    SELECT TOP (1) @o_id = o_id FROM dbo.orders WHERE o_w_id = @w_id AND o_d_id = @d_id AND o_c_id = @c_id ORDER BY o_id DESC
    SELECT o_id, o_entry_d, o_carrier_id FROM dbo.orders WHERE o_w_id = @w_id AND o_d_id = @d_id AND o_id = @o_id
    SELECT ol_supply_w_id, ol_i_id, ol_quantity, ol_amount, ol_delivery_d
        FROM dbo.order_line WHERE ol_w_id = @w_id AND ol_d_id = @d_id AND ol_o_id = @o_id
    COMMIT
END
GO
-- 2.7. The oldest order of each district that was not delivered. A district without any is passed over.
CREATE PROCEDURE dbo.tx_delivery @w_id int, @carrier_id int AS
BEGIN
    SET NOCOUNT ON
    DECLARE @d_id int = 0, @o_id int, @c_id int, @total decimal(12,2), @now datetime = GETDATE()
    DECLARE @oldest TABLE (d_id int NOT NULL PRIMARY KEY, o_id int NOT NULL)
    BEGIN TRY
        BEGIN TRANSACTION
        WHILE @d_id < 10
        BEGIN
            SET @d_id += 1;
            WITH oldest AS (SELECT TOP (1) no_d_id, no_o_id FROM dbo.new_order WHERE no_w_id = @w_id AND no_d_id = @d_id
                ORDER BY no_o_id)
            DELETE oldest OUTPUT deleted.no_d_id, deleted.no_o_id INTO @oldest
            IF @@ROWCOUNT = 0 CONTINUE
            SELECT @o_id = o_id FROM @oldest WHERE d_id = @d_id
            UPDATE dbo.orders SET @c_id = o_c_id, o_carrier_id = @carrier_id
                WHERE o_w_id = @w_id AND o_d_id = @d_id AND o_id = @o_id
            UPDATE dbo.order_line SET ol_delivery_d = @now WHERE ol_w_id = @w_id AND ol_d_id = @d_id AND ol_o_id = @o_id
            SELECT @total = SUM(ol_amount) FROM dbo.order_line WHERE ol_w_id = @w_id AND ol_d_id = @d_id AND ol_o_id = @o_id
            UPDATE dbo.customer SET c_balance += @total, c_delivery_cnt += 1
                WHERE c_w_id = @w_id AND c_d_id = @d_id AND c_id = @c_id
        END
        COMMIT
    END TRY
    BEGIN CATCH
        IF XACT_STATE() <> 0 ROLLBACK;
        THROW
    END CATCH
    SELECT d_id, o_id FROM @oldest
END
GO
-- 2.8. Items of the district's last 20 orders of which there is little left.
CREATE PROCEDURE dbo.tx_stock_level @w_id int, @d_id int, @threshold int AS
BEGIN
    SET NOCOUNT ON
    DECLARE @next int
    SELECT @next = d_next_o_id FROM dbo.district WHERE d_w_id = @w_id AND d_id = @d_id
    SELECT COUNT(DISTINCT s_i_id) AS low_stock FROM dbo.order_line JOIN dbo.stock ON s_w_id = ol_w_id AND s_i_id = ol_i_id
        WHERE ol_w_id = @w_id AND ol_d_id = @d_id AND ol_o_id < @next AND ol_o_id >= @next - 20 AND s_quantity < @threshold
END
