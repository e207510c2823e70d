// go-mssqldb against a running server: HOST PORT USER PASSWORD.
package main

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"time"

	mssql "github.com/microsoft/go-mssqldb"
)

var host, port, user, password string

// What the checks ask for, but those of logins: a server may take nothing that is not encrypted.
var usual = "disable"

func dsn(encrypt, secret string) string {
	query := url.Values{"encrypt": {encrypt}, "database": {"master"}, "TrustServerCertificate": {"true"}, "dial timeout": {"30"}}
	u := url.URL{Scheme: "sqlserver", User: url.UserPassword(user, secret), Host: host + ":" + port, RawQuery: query.Encode()}
	return u.String()
}

// HOST\INSTANCE, without a port: the driver asks for it on UDP 1434.
func instance() {
	at, name, _ := strings.Cut(os.Getenv("HEDDLE_INSTANCE"), "\\")
	query := url.Values{"encrypt": {usual}, "database": {"master"}, "TrustServerCertificate": {"true"}, "dial timeout": {"30"}}
	address := url.URL{Scheme: "sqlserver", User: url.UserPassword(user, password), Host: at, Path: name, RawQuery: query.Encode()}
	db, err := sql.Open("sqlserver", address.String())
	must(err)
	defer db.Close()
	var seen string
	must(db.QueryRow("SELECT CONVERT(nvarchar(128), SERVERPROPERTY('InstanceName'))").Scan(&seen))
	equal(seen, name, "instance")
}

func open(encrypt string) *sql.DB {
	db, err := sql.Open("sqlserver", dsn(encrypt, password))
	must(err)
	db.SetMaxOpenConns(1)
	return db
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func equal(seen, expected any, what string) {
	if fmt.Sprintf("%T %v", seen, seen) != fmt.Sprintf("%T %v", expected, expected) {
		panic(fmt.Sprintf("%s: saw %.200v (%T), expected %.200v (%T)", what, seen, seen, expected, expected))
	}
}

func one[T any](db *sql.DB, query string, args ...any) (value T) {
	must(db.QueryRow(query, args...).Scan(&value))
	return
}

func login(encrypt, expected string) {
	db := open(encrypt)
	defer db.Close()
	equal(one[string](db, "SELECT encrypt_option FROM sys.dm_exec_connections WHERE session_id = @@SPID"), expected, "encrypt_option")
}

func wrongPassword() {
	db, err := sql.Open("sqlserver", dsn(usual, "not "+password))
	must(err)
	defer db.Close()
	var failure mssql.Error
	if err := db.Ping(); !errors.As(err, &failure) || failure.Number != 18456 {
		panic(fmt.Sprint("expected 18456, saw ", err))
	}
	newPassword()
}

// A password that must be changed is changed by the login that brings a new one.
func newPassword() {
	admin := open(usual)
	defer admin.Close()
	_, err := admin.Exec("CREATE LOGIN gopher WITH PASSWORD = 'Weaver-1-loom' MUST_CHANGE, CHECK_EXPIRATION = ON")
	must(err)
	as := func(secret, change string) error {
		query := url.Values{"encrypt": {usual}, "database": {"master"}, "TrustServerCertificate": {"true"}}
		if change != "" {
			query.Set("change password", change)
		}
		u := url.URL{Scheme: "sqlserver", User: url.UserPassword("gopher", secret), Host: host + ":" + port, RawQuery: query.Encode()}
		db, err := sql.Open("sqlserver", u.String())
		must(err)
		defer db.Close()
		return db.Ping()
	}
	number := func(err error) int32 {
		var failure mssql.Error
		if !errors.As(err, &failure) {
			panic(fmt.Sprint("expected an error of the server, saw ", err))
		}
		return failure.Number
	}
	equal(number(as("Weaver-1-loom", "")), int32(18488), "a password that must be changed")
	equal(number(as("Weaver-1-loom", "short")), int32(18464), "a new password that is too short")
	must(as("Weaver-1-loom", "Weaver-2-loom"))
	must(as("Weaver-2-loom", ""))
	equal(number(as("Weaver-1-loom", "")), int32(18456), "the old password")
	_, err = admin.Exec("DROP LOGIN gopher")
	must(err)
}

func values() {
	db := open(usual)
	defer db.Close()
	text, err := os.ReadFile("../values.sql")
	must(err)
	_, err = db.Exec(string(text))
	must(err)
	day := func(y, m, d, h, min, s, ns int, zone *time.Location) time.Time {
		return time.Date(y, time.Month(m), d, h, min, s, ns, zone)
	}
	clock := func(h, m, s, ns int) time.Time { return time.Date(1, 1, 1, h, m, s, ns, time.UTC) }
	decimal := func(text string) []byte { return []byte(text) }
	guid := func(first byte, all bool) []byte {
		id := make([]byte, 16)
		for i := range id {
			if all {
				id[i] = first
			}
		}
		return id
	}
	expected := map[int][]any{
		2: {false, int64(0), int64(-32768), int64(-2147483648), int64(-9223372036854775808),
			decimal("-9999999999999999999999999999.9999999999"), decimal("-999.99"), decimal("-922337203685477.5808"), decimal("-214748.3648"),
			-1.7976931348623157e308, -3.3999999521443642e38, "     ", "", "", "     ", "", "", []byte{0, 0, 0, 0}, []byte{}, []byte{},
			day(1, 1, 1, 0, 0, 0, 0, time.UTC), clock(0, 0, 0, 0), day(1753, 1, 1, 0, 0, 0, 0, time.UTC), day(1, 1, 1, 0, 0, 0, 0, time.UTC),
			day(1900, 1, 1, 0, 0, 0, 0, time.UTC), day(1, 1, 1, 0, 0, 0, 0, time.UTC), guid(0, true)},
		3: {true, int64(255), int64(32767), int64(2147483647), int64(9223372036854775807),
			decimal("9999999999999999999999999999.9999999999"), decimal("999.99"), decimal("922337203685477.5807"), decimal("214748.3647"),
			1.7976931348623157e308, 3.3999999521443642e38, "zzzzz", strings.Repeat("z", 50), strings.Repeat("z", 10000), "ÿĀ字ÿz",
			strings.Repeat("字", 50), strings.Repeat("字", 10000), bytes.Repeat([]byte{255}, 4), bytes.Repeat([]byte{255}, 50),
			bytes.Repeat([]byte{255}, 10000), day(9999, 12, 31, 0, 0, 0, 0, time.UTC), clock(23, 59, 59, 999999900),
			day(9999, 12, 31, 23, 59, 59, 996666666, time.UTC), day(9999, 12, 31, 23, 59, 59, 999999900, time.UTC),
			day(2079, 6, 6, 23, 59, 0, 0, time.UTC), day(9999, 12, 31, 23, 59, 59, 999999900, time.UTC), guid(255, true)},
		4: {true, int64(42), int64(-7), int64(123456789), int64(1234567890123),
			decimal("12345.6789000000"), decimal("3.14"), decimal("12.3400"), decimal("-0.0100"), 0.1, 1.5, "ab   ", "Grüße", "text", "añb  ",
			"Zażółć gęślą", "naïve 😀", []byte{1, 2, 3, 4}, []byte{0xde, 0xad, 0xbe, 0xef}, []byte{0, 255, 0},
			day(2024, 2, 29, 0, 0, 0, 0, time.UTC), clock(13, 14, 15, 123456700), day(2024, 2, 29, 13, 14, 15, 123333333, time.UTC),
			day(2024, 2, 29, 13, 14, 15, 123456700, time.UTC), day(2024, 2, 29, 13, 14, 0, 0, time.UTC),
			day(2024, 2, 29, 13, 14, 15, 123456700, time.FixedZone("", 330*60)),
			[]byte{0xff, 0x19, 0x96, 0x6f, 0x86, 0x8b, 0x11, 0xd0, 0xb4, 0x2d, 0x00, 0xc0, 0x4f, 0xc9, 0x64, 0xff}},
	}
	for id := 1; id <= 4; id++ {
		rows, err := db.Query("SELECT * FROM dbo.client_values WHERE id = @p1", id)
		must(err)
		names, _ := rows.Columns()
		if !rows.Next() {
			panic("no row")
		}
		seen, targets := make([]any, len(names)), make([]any, len(names))
		for i := range seen {
			targets[i] = &seen[i]
		}
		must(rows.Scan(targets...))
		for i, name := range names[1:] {
			what := fmt.Sprintf("row %d %s", id, name)
			if id == 1 {
				equal(seen[i+1], nil, what)
				continue
			}
			wanted := expected[id][i]
			if name == "c_datetime" {
				// Whether 1/300 s is shown in milliseconds or nanoseconds is the driver's choice.
				if d := seen[i+1].(time.Time).Sub(wanted.(time.Time)).Abs(); d > time.Millisecond {
					panic(fmt.Sprintf("%s: %v", what, seen[i+1]))
				}
				continue
			}
			if name == "c_uniqueidentifier" {
				// The driver gives the 16 wire bytes: the first three groups are little-endian.
				raw := append([]byte(nil), seen[i+1].([]byte)...)
				if id == 4 {
					wanted = []byte{0xff, 0x19, 0x96, 0x6f, 0x86, 0x8b, 0x11, 0xd0, 0xb4, 0x2d, 0x00, 0xc0, 0x4f, 0xc9, 0x64, 0xff}
				}
				equal(raw, wanted, what)
				continue
			}
			if w, ok := wanted.(time.Time); ok {
				if !seen[i+1].(time.Time).Equal(w) {
					panic(fmt.Sprintf("%s: saw %v, expected %v", what, seen[i+1], w))
				}
				continue
			}
			equal(seen[i+1], wanted, what)
		}
		must(rows.Close())
	}
}

func parameters() {
	db := open(usual)
	defer db.Close()
	for _, value := range []any{int64(-5), int64(1) << 40, 1.25, "", "naïve 😀", strings.Repeat("x", 5000), []byte{0, 1, 255}, true} {
		var seen any
		must(db.QueryRow("SELECT @p1", value).Scan(&seen))
		equal(seen, value, "parameter")
	}
	var null any = 1
	must(db.QueryRow("SELECT @p1", nil).Scan(&null))
	equal(null, nil, "NULL")
	equal(one[int64](db, "SELECT @a + @b", sql.Named("a", 2), sql.Named("b", 3)), int64(5), "sum")
	statement, err := db.Prepare("SELECT @p1 * 2")
	must(err)
	defer statement.Close()
	for i := int64(0); i < 3; i++ {
		var doubled int64
		must(statement.QueryRow(i).Scan(&doubled))
		equal(doubled, i*2, "prepared")
	}
}

func procedure() {
	db := open(usual)
	defer db.Close()
	_, err := db.Exec("CREATE OR ALTER PROCEDURE dbo.go_procedure @a int, @b nvarchar(20) OUTPUT AS " +
		"BEGIN SELECT @a * 2 AS doubled; SET @b = @b + N'!'; RETURN 7; END")
	must(err)
	b := "hi"
	var status mssql.ReturnStatus
	rows, err := db.Query("dbo.go_procedure", sql.Named("a", 21), sql.Named("b", sql.Out{Dest: &b, In: true}), &status)
	must(err)
	var doubled int
	for rows.Next() {
		must(rows.Scan(&doubled))
	}
	must(rows.Err())
	must(rows.Close())
	equal(doubled, 42, "row")
	equal(b, "hi!", "OUTPUT")
	equal(int(status), 7, "return value")
}

func rollback() {
	db := open(usual)
	defer db.Close()
	_, err := db.Exec("IF OBJECT_ID('dbo.go_rollback') IS NOT NULL DROP TABLE dbo.go_rollback; CREATE TABLE dbo.go_rollback (a int)")
	must(err)
	for _, commit := range []bool{false, true} {
		tx, err := db.BeginTx(context.Background(), &sql.TxOptions{Isolation: sql.LevelSnapshot})
		if err != nil {
			tx, err = db.Begin()
		}
		must(err)
		_, err = tx.Exec("INSERT dbo.go_rollback VALUES (1)")
		must(err)
		if commit {
			must(tx.Commit())
		} else {
			must(tx.Rollback())
		}
	}
	equal(one[int](db, "SELECT COUNT(*) FROM dbo.go_rollback"), 1, "rows")
}

func resultSets() {
	db := open(usual)
	defer db.Close()
	rows, err := db.Query("SELECT 1 AS a; PRINT 'between'; SELECT 2 AS c UNION ALL SELECT 3; SELECT 4 AS d WHERE 1 = 0")
	must(err)
	defer rows.Close()
	var sets [][]int
	for more := true; more; more = rows.NextResultSet() {
		set := []int{}
		for rows.Next() {
			var value int
			must(rows.Scan(&value))
			set = append(set, value)
		}
		must(rows.Err())
		sets = append(sets, set)
	}
	equal(sets, [][]int{{1}, {2, 3}, {}}, "sets")
}

func errorDetails() {
	db := open(usual)
	defer db.Close()
	var failure mssql.Error
	_, err := db.Exec("SELECT 1\nSELECT 1/0")
	if !errors.As(err, &failure) {
		panic(fmt.Sprint("no error: ", err))
	}
	equal([]int32{failure.Number, int32(failure.Class), int32(failure.State), failure.LineNo}, []int32{8134, 16, 1, 2}, "batch")
	_, err = db.Exec("CREATE OR ALTER PROCEDURE dbo.go_error AS\nBEGIN\n  RAISERROR('from %s', 15, 3, 'inside')\nEND")
	must(err)
	_, err = db.Exec("EXEC dbo.go_error")
	if !errors.As(err, &failure) {
		panic(fmt.Sprint("no error: ", err))
	}
	equal([]int32{failure.Number, int32(failure.Class), int32(failure.State), failure.LineNo}, []int32{50000, 15, 3, 3}, "procedure")
	equal(failure.ProcName[strings.LastIndex(failure.ProcName, ".")+1:], "go_error", "procedure name")
	equal(failure.Message, "from inside", "text")
}

// An error of severity 20 ends the connection; the pool makes another.
func fatalError() {
	db := open(usual)
	defer db.Close()
	db.SetMaxOpenConns(1)
	_, err := db.Exec("RAISERROR('it is over', 20, 1) WITH LOG")
	var broken mssql.ServerError
	if !errors.As(err, &broken) {
		panic(fmt.Sprintf("expected a server error, saw %#v", err))
	}
	equal(one[int](db, "SELECT @@TRANCOUNT"), 0, "a new connection")
}

func cancel() {
	db := open(usual)
	defer db.Close()
	ctx, stop := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer stop()
	started := time.Now()
	_, err := db.ExecContext(ctx, "DECLARE @i bigint = 0; WHILE @i < 100000000000 SET @i += 1")
	if err == nil || time.Since(started) > 10*time.Second {
		panic(fmt.Sprint("cancelled after ", time.Since(started), ": ", err))
	}
	equal(one[int](db, "SELECT 5"), 5, "after")
}

func reset() {
	db := open(usual)
	defer db.Close()
	conn, err := db.Conn(context.Background())
	must(err)
	_, err = conn.ExecContext(context.Background(), "CREATE TABLE #t (a int); SET LOCK_TIMEOUT 1234")
	must(err)
	var before, after, timeout int
	must(conn.QueryRowContext(context.Background(), "SELECT @@SPID").Scan(&before))
	must(conn.Close())
	// database/sql gives the one connection again and sets RESETCONNECTION on its first request.
	var table any
	must(db.QueryRow("SELECT @@SPID, OBJECT_ID('tempdb..#t'), @@LOCK_TIMEOUT").Scan(&after, &table, &timeout))
	equal(after, before, "spid")
	equal(table, nil, "temporary table")
	equal(timeout, -1, "lock timeout")
}

func large() {
	db := open(usual)
	defer db.Close()
	text, blob := strings.Repeat("ab字", 350_000), bytes.Repeat([]byte{0, 1, 2, 255}, 262_144)
	var seenText string
	var seenBlob []byte
	must(db.QueryRow("SELECT @p1, @p2", text, blob).Scan(&seenText, &seenBlob))
	if seenText != text || !bytes.Equal(seenBlob, blob) {
		panic("changed on the way")
	}
}

func main() {
	if _, forced := os.LookupEnv("HEDDLE_FORCED"); forced {
		usual = "true"
	}
	host, port, user, password = os.Args[1], os.Args[2], os.Args[3], os.Args[4]
	checks := []struct {
		name string
		run  func()
	}{
		{"login_plain", func() { login("disable", "FALSE") }}, {"login_encrypted", func() { login("true", "TRUE") }},
		{"wrong_password", wrongPassword}, {"types", values}, {"parameters", parameters}, {"procedure", procedure},
		{"rollback", rollback}, {"result_sets", resultSets}, {"error", errorDetails},
		{"fatal_error", fatalError}, {"cancel", cancel}, {"reset", reset}, {"large", large}, {"instance", instance},
	}
	failed := false
	for _, check := range checks {
		func() {
			defer func() {
				if reason := recover(); reason != nil {
					failed = true
					fmt.Printf("not ok %s: %v\n", check.name, reason)
				}
			}()
			check.run()
			fmt.Printf("ok %s\n", check.name)
		}()
	}
	if failed {
		os.Exit(1)
	}
}
