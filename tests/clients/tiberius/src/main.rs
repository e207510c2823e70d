//! tiberius against a running server: HOST PORT USER PASSWORD.

use std::future::Future;
use std::time::{Duration, Instant};

use futures_util::TryStreamExt;
use tiberius::{AuthMethod, Client, Config, EncryptionLevel, QueryItem, Row, error::Error};
use tokio::net::TcpStream;
use tokio_util::compat::{Compat, TokioAsyncWriteCompatExt};

type Tds = Client<Compat<TcpStream>>;
type Outcome = Result<(), Box<dyn std::error::Error>>;

#[derive(Clone)]
struct Target {
    host: String,
    port: u16,
    user: String,
    password: String,
}

impl Target {
    async fn connect_as(&self, password: &str, encryption: EncryptionLevel) -> Result<Tds, Error> {
        let mut config = Config::new();
        config.host(&self.host);
        config.port(self.port);
        config.authentication(AuthMethod::sql_server(&self.user, password));
        config.encryption(encryption);
        config.trust_cert();
        let tcp = TcpStream::connect(config.get_addr()).await?;
        tcp.set_nodelay(true)?;
        Client::connect(config, tcp.compat_write()).await
    }

    async fn connect(&self) -> Result<Tds, Error> {
        self.connect_as(&self.password, EncryptionLevel::Required).await
    }
}

fn equal<T: PartialEq + std::fmt::Debug>(seen: T, expected: T, what: &str) -> Outcome {
    if seen == expected { Ok(()) } else { Err(format!("{what}: saw {seen:.200?}, expected {expected:.200?}").into()) }
}

async fn one(client: &mut Tds, sql: &str) -> Result<Row, Box<dyn std::error::Error>> {
    Ok(client.simple_query(sql).await?.into_row().await?.ok_or("no row")?)
}

async fn login(target: &Target, encryption: EncryptionLevel, expected: &str) -> Outcome {
    let mut client = target.connect_as(&target.password, encryption).await?;
    let row = one(&mut client, "SELECT encrypt_option FROM sys.dm_exec_connections WHERE session_id = @@SPID").await?;
    equal(row.get::<&str, _>(0), Some(expected), "encrypt_option")
}

async fn wrong_password(target: &Target) -> Outcome {
    match target.connect_as(&format!("not {}", target.password), EncryptionLevel::Required).await {
        Err(Error::Server(token)) => equal(token.code(), 18456, "number"),
        Err(error) => Err(format!("another error: {error}").into()),
        Ok(_) => Err("logged in with a wrong password".into()),
    }
}

async fn types(target: &Target) -> Outcome {
    use tiberius::numeric::Decimal;
    use tiberius::{Uuid, time::chrono::*};
    let mut client = target.connect().await?;
    client.simple_query(include_str!("../../values.sql")).await?.into_results().await?;
    for id in 1..=4i32 {
        let row = client.query("SELECT * FROM dbo.client_values WHERE id = @P1", &[&id]).await?.into_row().await?.ok_or("no row")?;
        macro_rules! column {
            ($name:literal, $ty:ty, $low:expr, $high:expr, $other:expr) => {
                let expected: Option<$ty> = [None, Some($low), Some($high), Some($other)][id as usize - 1].clone();
                equal(row.try_get::<$ty, _>($name)?, expected, concat!("row value ", $name))?;
            };
        }
        let day = |y, m, d| NaiveDate::from_ymd_opt(y, m, d).expect("a date");
        let at = |y, m, d, h, min, s, ns| day(y, m, d).and_hms_nano_opt(h, min, s, ns).expect("a time");
        let z = "z".repeat(10_000);
        let kanji = "字".repeat(10_000);
        let (byte50, byte10k) = ([255u8; 50], vec![255u8; 10_000]);
        column!("c_bit", bool, false, true, true);
        column!("c_tinyint", u8, 0, 255, 42);
        column!("c_smallint", i16, i16::MIN, i16::MAX, -7);
        column!("c_int", i32, i32::MIN, i32::MAX, 123_456_789);
        column!("c_bigint", i64, i64::MIN, i64::MAX, 1_234_567_890_123);
        column!("c_numeric", Decimal, Decimal::new(-99_999, 2), Decimal::new(99_999, 2), Decimal::new(314, 2));
        column!("c_money", f64, -922_337_203_685_477.5808, 922_337_203_685_477.5807, 12.34);
        column!("c_smallmoney", f64, -214_748.3648, 214_748.3647, -0.01);
        column!("c_float", f64, f64::MIN, f64::MAX, 0.1);
        column!("c_real", f32, -3.4e38, 3.4e38, 1.5);
        column!("c_char", &str, "     ", "zzzzz", "ab   ");
        column!("c_varchar", &str, "", &z[..50], "Grüße");
        column!("c_varchar_max", &str, "", z.as_str(), "text");
        column!("c_nchar", &str, "     ", "ÿĀ字ÿz", "añb  ");
        column!("c_nvarchar", &str, "", &kanji[..150], "Zażółć gęślą");
        column!("c_nvarchar_max", &str, "", kanji.as_str(), "naïve 😀");
        column!("c_binary", &[u8], &[0u8; 4][..], &[255u8; 4][..], &[1u8, 2, 3, 4][..]);
        column!("c_varbinary", &[u8], &[][..], &byte50[..], &[0xde, 0xad, 0xbe, 0xef][..]);
        column!("c_varbinary_max", &[u8], &[][..], &byte10k[..], &[0, 255, 0][..]);
        column!("c_date", NaiveDate, day(1, 1, 1), day(9999, 12, 31), day(2024, 2, 29));
        let clock = |h, m, s, ns| NaiveTime::from_hms_nano_opt(h, m, s, ns).expect("a time");
        column!("c_time", NaiveTime, clock(0, 0, 0, 0), clock(23, 59, 59, 999_999_900), clock(13, 14, 15, 123_456_700));
        column!("c_datetime2", NaiveDateTime, at(1, 1, 1, 0, 0, 0, 0), at(9999, 12, 31, 23, 59, 59, 999_999_900), at(2024, 2, 29, 13, 14, 15, 123_456_700));
        column!("c_smalldatetime", NaiveDateTime, at(1900, 1, 1, 0, 0, 0, 0), at(2079, 6, 6, 23, 59, 0, 0), at(2024, 2, 29, 13, 14, 0, 0));
        let seen: Option<NaiveDateTime> = row.try_get("c_datetime")?;
        let expected = [None, Some(at(1753, 1, 1, 0, 0, 0, 0)), Some(at(9999, 12, 31, 23, 59, 59, 997_000_000)), Some(at(2024, 2, 29, 13, 14, 15, 123_000_000))][id as usize - 1];
        let close = match (seen, expected) {
            (Some(a), Some(b)) => (a - b).num_microseconds().is_some_and(|us| us.abs() <= 1_000),
            (a, b) => a == b,
        };
        equal(close, true, "row value c_datetime")?;
        let seen: Option<DateTime<FixedOffset>> = row.try_get("c_datetimeoffset")?;
        let texts = [None, Some("0001-01-01T00:00:00Z"), Some("9999-12-31T23:59:59.9999999Z"), Some("2024-02-29T13:14:15.1234567+05:30")];
        let expected = texts[id as usize - 1].map(|text| DateTime::parse_from_rfc3339(text).expect("an instant"));
        equal(seen, expected, "row value c_datetimeoffset")?;
        column!("c_uniqueidentifier", Uuid, Uuid::nil(), Uuid::max(), Uuid::parse_str("6F9619FF-8B86-D011-B42D-00C04FC964FF").expect("a uuid"));
    }
    Ok(())
}

async fn parameters(target: &Target) -> Outcome {
    let mut client = target.connect().await?;
    let long = "x".repeat(5_000);
    let row = client
        .query(
            "SELECT @P1, @P2, @P3, @P4, @P5, @P6, @P7, @P8",
            &[&None::<i32>, &-5i32, &(1i64 << 40), &1.25f64, &"", &"naïve 😀", &long.as_str(), &&[0u8, 1, 255][..]],
        )
        .await?
        .into_row()
        .await?
        .ok_or("no row")?;
    equal(row.get::<i32, _>(0), None, "NULL")?;
    equal(row.get::<i32, _>(1), Some(-5), "int")?;
    equal(row.get::<i64, _>(2), Some(1 << 40), "bigint")?;
    equal(row.get::<f64, _>(3), Some(1.25), "float")?;
    equal(row.get::<&str, _>(4), Some(""), "empty")?;
    equal(row.get::<&str, _>(5), Some("naïve 😀"), "unicode")?;
    equal(row.get::<&str, _>(6), Some(long.as_str()), "long")?;
    equal(row.get::<&[u8], _>(7), Some(&[0u8, 1, 255][..]), "bytes")
}

async fn procedure(target: &Target) -> Outcome {
    let mut client = target.connect().await?;
    client
        .simple_query(
            "CREATE OR ALTER PROCEDURE dbo.tiberius_procedure @a int, @b nvarchar(20) OUTPUT AS \
             BEGIN SELECT @a * 2 AS doubled; SET @b = @b + N'!'; RETURN 7; END",
        )
        .await?
        .into_results()
        .await?;
    // tiberius has no call for OUTPUT parameters: the batch hands them back as rows.
    let sets = client
        .query(
            "DECLARE @b nvarchar(20) = @P2, @status int; EXEC @status = dbo.tiberius_procedure @P1, @b OUTPUT; SELECT @status, @b",
            &[&21i32, &"hi"],
        )
        .await?
        .into_results()
        .await?;
    equal(sets.len(), 2, "result sets")?;
    equal(sets[0][0].get::<i32, _>(0), Some(42), "row")?;
    equal(sets[1][0].get::<i32, _>(0), Some(7), "return value")?;
    equal(sets[1][0].get::<&str, _>(1), Some("hi!"), "OUTPUT")
}

async fn rollback(target: &Target) -> Outcome {
    let mut client = target.connect().await?;
    let table = "IF OBJECT_ID('dbo.tiberius_rollback') IS NOT NULL DROP TABLE dbo.tiberius_rollback; CREATE TABLE dbo.tiberius_rollback (a int)";
    client.simple_query(table).await?.into_results().await?;
    for end in ["ROLLBACK", "COMMIT"] {
        client.simple_query("BEGIN TRAN").await?.into_results().await?;
        let inserted = client.execute("INSERT dbo.tiberius_rollback VALUES (@P1)", &[&1i32]).await?;
        equal(inserted.total(), 1, "row count")?;
        client.simple_query(end).await?.into_results().await?;
    }
    let row = one(&mut client, "SELECT COUNT(*) FROM dbo.tiberius_rollback").await?;
    equal(row.get::<i32, _>(0), Some(1), "rows")
}

async fn result_sets(target: &Target) -> Outcome {
    let mut client = target.connect().await?;
    let sets = client
        .simple_query("SELECT 1 AS a; PRINT 'between'; SELECT 2 AS c UNION ALL SELECT 3; SELECT 4 AS d WHERE 1 = 0")
        .await?
        .into_results()
        .await?;
    let seen: Vec<Vec<i32>> = sets.iter().map(|set| set.iter().filter_map(|row| row.get(0)).collect()).collect();
    equal(seen.into_iter().filter(|set| !set.is_empty()).collect(), vec![vec![1], vec![2, 3]], "sets")
}

async fn error(target: &Target) -> Outcome {
    let mut client = target.connect().await?;
    let failure = async |client: &mut Tds, sql: &str| -> Result<(u32, u8, u8, u32, String, String), Box<dyn std::error::Error>> {
        // An error before the first columns comes from the query itself.
        let outcome = match client.simple_query(sql).await {
            Ok(stream) => stream.into_results().await,
            Err(error) => Err(error),
        };
        match outcome {
            Err(Error::Server(token)) => Ok((
                token.code(),
                token.class(),
                token.state(),
                token.line(),
                token.procedure().rsplit('.').next().unwrap_or("").to_owned(),
                token.message().to_owned(),
            )),
            Err(error) => Err(error.into()),
            Ok(_) => Err("no error came".into()),
        }
    };
    let batch = failure(&mut client, "SELECT 1\nSELECT 1/0").await?;
    equal((batch.0, batch.1, batch.2, batch.3), (8134, 16, 1, 2), "batch")?;
    let create = "CREATE OR ALTER PROCEDURE dbo.tiberius_error AS\nBEGIN\n  RAISERROR('from %s', 15, 3, 'inside')\nEND";
    client.simple_query(create).await?.into_results().await?;
    let inside = failure(&mut client, "EXEC dbo.tiberius_error").await?;
    equal(inside, (50_000, 15, 3, 3, "tiberius_error".into(), "from inside".into()), "procedure")
}

async fn cancel(target: &Target) -> Outcome {
    // tiberius sends no attention: dropping the connection is its way to cancel. The server must notice and end the work.
    // The one who watches is there before: a session that comes later may get the number of the one that left.
    let mut watcher = target.connect().await?;
    let mut client = target.connect().await?;
    let spid = one(&mut client, "SELECT CAST(@@SPID AS int)").await?.get::<i32, _>(0).ok_or("no spid")?;
    let endless = client.simple_query("DECLARE @i bigint = 0; WHILE @i < 100000000000 SET @i += 1");
    let _ = tokio::time::timeout(Duration::from_millis(300), endless).await;
    drop(client);
    let started = Instant::now();
    while started.elapsed() < Duration::from_secs(10) {
        let row = one(&mut watcher, &format!("SELECT COUNT(*) FROM sys.dm_exec_sessions WHERE session_id = {spid}")).await?;
        if row.get::<i32, _>(0) == Some(0) {
            return Ok(());
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    Err("the session still runs after its client left".into())
}

async fn reset(target: &Target) -> Outcome {
    // tiberius keeps no pool and sets no reset bit: the procedure that the bit stands for.
    let mut client = target.connect().await?;
    client.simple_query("CREATE TABLE #t (a int); SET LOCK_TIMEOUT 1234").await?.into_results().await?;
    client.simple_query("EXEC sp_reset_connection").await?.into_results().await?;
    let row = one(&mut client, "SELECT OBJECT_ID('tempdb..#t'), @@LOCK_TIMEOUT").await?;
    equal(row.get::<i32, _>(0), None, "temporary table")?;
    equal(row.get::<i32, _>(1), Some(-1), "lock timeout")
}

async fn large(target: &Target) -> Outcome {
    let mut client = target.connect().await?;
    let (text, blob) = ("ab字".repeat(350_000), vec![7u8; 1 << 20]);
    let mut rows = client.query("SELECT @P1, @P2", &[&text.as_str(), &blob.as_slice()]).await?;
    while let Some(item) = rows.try_next().await? {
        if let QueryItem::Row(row) = item {
            equal(row.get::<&str, _>(0) == Some(text.as_str()), true, "text")?;
            return equal(row.get::<&[u8], _>(1) == Some(blob.as_slice()), true, "bytes");
        }
    }
    Err("no row".into())
}

async fn report(name: &str, check: impl Future<Output = Outcome>) -> bool {
    match tokio::time::timeout(Duration::from_secs(60), check).await {
        Ok(Ok(())) => {
            println!("ok {name}");
            true
        }
        Ok(Err(error)) => {
            println!("not ok {name}: {error}");
            false
        }
        Err(_) => {
            println!("not ok {name}: no answer for a minute");
            false
        }
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let target = Target {
        host: arguments[1].clone(),
        port: arguments[2].parse().expect("a port"),
        user: arguments[3].clone(),
        password: arguments[4].clone(),
    };
    let mut all = report("login_plain", login(&target, EncryptionLevel::NotSupported, "FALSE")).await;
    all &= report("login_encrypted", login(&target, EncryptionLevel::Required, "TRUE")).await;
    all &= report("wrong_password", wrong_password(&target)).await;
    all &= report("types", types(&target)).await;
    all &= report("parameters", parameters(&target)).await;
    all &= report("procedure", procedure(&target)).await;
    all &= report("rollback", rollback(&target)).await;
    all &= report("result_sets", result_sets(&target)).await;
    all &= report("error", error(&target)).await;
    all &= report("cancel", cancel(&target)).await;
    all &= report("reset", reset(&target)).await;
    all &= report("large", large(&target)).await;
    std::process::exit(if all { 0 } else { 1 });
}
