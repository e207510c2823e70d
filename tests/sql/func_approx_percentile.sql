-- https://learn.microsoft.com/sql/t-sql/functions/approx-percentile-cont-transact-sql, approx-percentile-disc-transact-sql
CREATE TABLE dbo.employee (emp_id int IDENTITY(1, 1) PRIMARY KEY NOT NULL, dept_id int, salary int);
INSERT dbo.employee (dept_id, salary) VALUES (1, 10000), (1, 20000), (1, 30000), (1, NULL), (2, 40000), (2, 50000), (3, NULL);
GO
SELECT dept_id, APPROX_PERCENTILE_CONT(0.10) WITHIN GROUP (ORDER BY salary) AS p10, APPROX_PERCENTILE_CONT(0.90) WITHIN GROUP (ORDER BY salary) AS p90
FROM dbo.employee GROUP BY dept_id ORDER BY dept_id;
SELECT dept_id, APPROX_PERCENTILE_DISC(0.10) WITHIN GROUP (ORDER BY salary) AS p10, APPROX_PERCENTILE_DISC(0.90) WITHIN GROUP (ORDER BY salary DESC) AS down
FROM dbo.employee GROUP BY dept_id ORDER BY dept_id;
SELECT APPROX_PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY salary) AS median, APPROX_PERCENTILE_DISC(0.5) WITHIN GROUP (ORDER BY salary * 1.5) AS of_decimals FROM dbo.employee;
DECLARE @p float = 1; SELECT APPROX_PERCENTILE_DISC(@p) WITHIN GROUP (ORDER BY salary) AS most FROM dbo.employee WHERE dept_id < 3 HAVING COUNT(*) > 1;
SELECT APPROX_PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY salary) AS none FROM dbo.employee WHERE 1 = 0;
GO
SELECT APPROX_PERCENTILE_CONT(1.5) WITHIN GROUP (ORDER BY salary) FROM dbo.employee;
GO
SELECT APPROX_PERCENTILE_CONT(0.5) FROM dbo.employee;
GO
SELECT APPROX_PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY salary) OVER () FROM dbo.employee;
GO
SELECT APPROX_PERCENTILE_DISC(0.5) WITHIN GROUP (ORDER BY CONVERT(varchar(10), salary)) FROM dbo.employee;
GO
