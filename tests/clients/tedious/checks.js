// tedious against a running server: HOST PORT USER PASSWORD.
import { readFileSync } from 'node:fs';
import assert from 'node:assert/strict';
import { Connection, Request, TYPES, ISOLATION_LEVEL } from 'tedious';

const [host, port, user, password] = process.argv.slice(2);

// A server may take nothing that is not encrypted.
const usual = 'HEDDLE_FORCED' in process.env;

function connect({ encrypt = usual, secret = password, server = host, instance } = {}) {
  const place = instance ? { instanceName: instance } : { port: Number(port) };
  const connection = new Connection({
    server,
    authentication: { type: 'default', options: { userName: user, password: secret } },
    options: { ...place, encrypt, trustServerCertificate: true, database: 'master', connectTimeout: 30000,
               requestTimeout: 60000, cancelTimeout: 10000, rowCollectionOnRequestCompletion: false },
  });
  return new Promise((resolve, reject) => {
    connection.connect((error) => (error ? reject(error) : resolve(connection)));
  });
}

async function using(options, work) {
  const connection = await connect(options);
  try {
    return await work(connection);
  } finally {
    connection.close();
  }
}

// Runs a request; the answer holds each result set's rows, messages, output parameters and the return status.
function run(connection, sql, { prepare = () => {}, how = 'execSql', after = () => {} } = {}) {
  return new Promise((resolve, reject) => {
    const answer = { sets: [], outputs: {}, messages: [], columns: [] };
    const request = new Request(sql, (error) => (error ? reject(Object.assign(error, { answer })) : resolve(answer)));
    const onMessage = (message) => answer.messages.push(message);
    connection.on('infoMessage', onMessage);
    request.on('requestCompleted', () => connection.off('infoMessage', onMessage));
    request.on('columnMetadata', (columns) => {
      answer.columns.push(columns.map((column) => column.colName));
      answer.sets.push([]);
    });
    request.on('row', (columns) => answer.sets.at(-1).push(columns.map((column) => column.value)));
    request.on('returnValue', (name, value) => { answer.outputs[name] = value; });
    const status = (rowCount, more, returnStatus) => { if (returnStatus !== undefined) answer.status = returnStatus; };
    request.on('doneProc', status);
    prepare(request);
    connection[how](request);
    after(request);
  });
}

async function failing(work) {
  try {
    await work();
  } catch (error) {
    return error;
  }
  throw new assert.AssertionError({ message: 'no error came' });
}

async function login(encrypt, expected) {
  await using({ encrypt }, async (connection) => {
    const { sets } = await run(connection, 'SELECT encrypt_option FROM sys.dm_exec_connections WHERE session_id = @@SPID');
    assert.equal(sets[0][0][0], expected);
  });
}

const utc = (...parts) => { const date = new Date(Date.UTC(...parts)); date.setUTCFullYear(parts[0]); return date; };
const names = `c_bit c_tinyint c_smallint c_int c_bigint c_decimal c_numeric c_money c_smallmoney c_float c_real c_char c_varchar
  c_varchar_max c_nchar c_nvarchar c_nvarchar_max c_binary c_varbinary c_varbinary_max c_date c_time c_datetime c_datetime2
  c_smalldatetime c_datetimeoffset c_uniqueidentifier`.split(/\s+/);
// JavaScript has one kind of number: tedious gives decimals and money as the nearest double.
const rows = {
  1: names.map(() => null),
  2: [false, 0, -32768, -2147483648, '-9223372036854775808', -1e28, -999.99, -922337203685477.6, -214748.3648,
      -1.7976931348623157e308, -3.3999999521443642e38, '     ', '', '', '     ', '', '', Buffer.alloc(4), Buffer.alloc(0), Buffer.alloc(0),
      utc(1, 0, 1), utc(1970, 0, 1), utc(1753, 0, 1), utc(1, 0, 1), utc(1900, 0, 1), utc(1, 0, 1), '00000000-0000-0000-0000-000000000000'],
  3: [true, 255, 32767, 2147483647, '9223372036854775807', 1e28, 999.99, 922337203685477.6, 214748.3647,
      1.7976931348623157e308, 3.3999999521443642e38, 'zzzzz', 'z'.repeat(50), 'z'.repeat(10000), 'ÿĀ字ÿz', '字'.repeat(50), '字'.repeat(10000),
      Buffer.alloc(4, 255), Buffer.alloc(50, 255), Buffer.alloc(10000, 255), utc(9999, 11, 31), utc(1970, 0, 1, 23, 59, 59, 999),
      utc(9999, 11, 31, 23, 59, 59, 997), utc(9999, 11, 31, 23, 59, 59, 999), utc(2079, 5, 6, 23, 59), utc(9999, 11, 31, 23, 59, 59, 999),
      'FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF'],
  4: [true, 42, -7, 123456789, '1234567890123', 12345.6789, 3.14, 12.34, -0.01, 0.1, 1.5, 'ab   ', 'Grüße', 'text', 'añb  ',
      'Zażółć gęślą', 'naïve 😀', Buffer.from([1, 2, 3, 4]), Buffer.from('deadbeef', 'hex'), Buffer.from('00ff00', 'hex'),
      utc(2024, 1, 29), utc(1970, 0, 1, 13, 14, 15, 123), utc(2024, 1, 29, 13, 14, 15, 123), utc(2024, 1, 29, 13, 14, 15, 123),
      utc(2024, 1, 29, 13, 14), utc(2024, 1, 29, 7, 44, 15, 123), '6F9619FF-8B86-D011-B42D-00C04FC964FF'],
};

const checks = {
  login_plain: () => login(false, 'FALSE'),
  login_encrypted: () => login(true, 'TRUE'),

  async wrong_password() {
    const error = await failing(() => connect({ secret: `not ${password}` }));
    assert.match(error.message, /Login failed for user/);
    assert.equal(error.code, 'ELOGIN');
  },

  async types() {
    await using({}, async (connection) => {
      await run(connection, readFileSync(new URL('../values.sql', import.meta.url), 'utf8'), { how: 'execSqlBatch' });
      for (const [id, expected] of Object.entries(rows)) {
        const { sets } = await run(connection, 'SELECT * FROM dbo.client_values WHERE id = @id',
          { prepare: (request) => request.addParameter('id', TYPES.Int, Number(id)) });
        sets[0][0].slice(1).forEach((seen, index) => {
          const what = `row ${id} ${names[index]}`;
          if (seen instanceof Date) {
            assert.ok(Math.abs(seen.getTime() - expected[index].getTime()) <= 1, `${what}: ${seen.toISOString()}`);
          } else {
            assert.deepEqual(seen, expected[index], what);
          }
        });
      }
    });
  },

  async parameters() {
    await using({}, async (connection) => {
      const cases = [[TYPES.Int, null], [TYPES.Int, -5], [TYPES.BigInt, '1099511627776'], [TYPES.Float, 1.25], [TYPES.NVarChar, ''],
        [TYPES.NVarChar, 'naïve 😀'], [TYPES.VarChar, 'x'.repeat(5000)], [TYPES.VarBinary, Buffer.from([0, 1, 255])], [TYPES.Bit, true],
        [TYPES.UniqueIdentifier, '6F9619FF-8B86-D011-B42D-00C04FC964FF']];
      for (const [type, value] of cases) {
        const { sets } = await run(connection, 'SELECT @v', { prepare: (request) => request.addParameter('v', type, value) });
        assert.deepEqual(sets[0][0][0], value);
      }
      // sp_prepare, sp_execute and sp_unprepare by name.
      const seen = [];
      await new Promise((resolve, reject) => {
        let round = 0;
        const request = new Request('SELECT @n * 2', (error) => {
          if (error) return reject(error);
          round += 1;
          if (round < 4) return connection.execute(request, { n: round });
          connection.unprepare(request);
          resolve();
        });
        request.addParameter('n', TYPES.Int);
        request.on('row', (columns) => seen.push(columns[0].value));
        request.on('prepared', () => connection.execute(request, { n: 0 }));
        connection.prepare(request);
      });
      assert.deepEqual(seen, [0, 2, 4, 6]);
    });
  },

  async procedure() {
    await using({}, async (connection) => {
      await run(connection, `CREATE OR ALTER PROCEDURE dbo.tedious_procedure @a int, @b nvarchar(20) OUTPUT AS
        BEGIN SELECT @a * 2 AS doubled; SET @b = @b + N'!'; RETURN 7; END`, { how: 'execSqlBatch' });
      const answer = await run(connection, 'dbo.tedious_procedure', {
        how: 'callProcedure',
        prepare: (request) => { request.addParameter('a', TYPES.Int, 21); request.addOutputParameter('b', TYPES.NVarChar, 'hi', { length: 20 }); },
      });
      assert.deepEqual(answer.sets, [[[42]]]);
      assert.equal(answer.outputs.b, 'hi!');
      assert.equal(answer.status, 7);
    });
  },

  async rollback() {
    await using({}, async (connection) => {
      await run(connection, `IF OBJECT_ID('dbo.tedious_rollback') IS NOT NULL DROP TABLE dbo.tedious_rollback;
        CREATE TABLE dbo.tedious_rollback (a int)`, { how: 'execSqlBatch' });
      const call = (method, ...args) => new Promise((resolve, reject) => {
        connection[method]((error) => (error ? reject(error) : resolve()), ...args);
      });
      for (const end of ['rollbackTransaction', 'commitTransaction']) {
        await call('beginTransaction', 'one', ISOLATION_LEVEL.READ_COMMITTED);
        await run(connection, 'INSERT dbo.tedious_rollback VALUES (1)');
        await call(end);
      }
      const { sets } = await run(connection, 'SELECT COUNT(*) FROM dbo.tedious_rollback');
      assert.equal(sets[0][0][0], 1);
    });
  },

  async result_sets() {
    await using({}, async (connection) => {
      const answer = await run(connection, "SELECT 1 AS a, 'x' AS b; PRINT 'between'; SELECT 2 AS c UNION ALL SELECT 3; SELECT 4 AS d WHERE 1 = 0",
        { how: 'execSqlBatch' });
      assert.deepEqual(answer.columns, [['a', 'b'], ['c'], ['d']]);
      assert.deepEqual(answer.sets, [[[1, 'x']], [[2], [3]], []]);
      assert.deepEqual(answer.messages.map((message) => message.message), ['between']);
    });
  },

  async error() {
    await using({}, async (connection) => {
      const batch = await failing(() => run(connection, 'SELECT 1\nSELECT 1/0', { how: 'execSqlBatch' }));
      assert.deepEqual([batch.number, batch.class, batch.state, batch.lineNumber], [8134, 16, 1, 2]);
      await run(connection, "CREATE OR ALTER PROCEDURE dbo.tedious_error AS\nBEGIN\n  RAISERROR('from %s', 15, 3, 'inside')\nEND", { how: 'execSqlBatch' });
      const inside = await failing(() => run(connection, 'EXEC dbo.tedious_error', { how: 'execSqlBatch' }));
      assert.deepEqual([inside.number, inside.class, inside.state, inside.lineNumber], [50000, 15, 3, 3]);
      assert.equal(inside.procName.split('.').at(-1), 'tedious_error');
      assert.equal(inside.message, 'from inside');
    });
  },

  async cancel() {
    await using({}, async (connection) => {
      const started = Date.now();
      const error = await failing(() => run(connection, 'DECLARE @i bigint = 0; WHILE @i < 100000000000 SET @i += 1',
        { how: 'execSqlBatch', after: () => setTimeout(() => connection.cancel(), 300) }));
      assert.equal(error.code, 'ECANCEL');
      assert.ok(Date.now() - started < 10000, `cancelled only after ${Date.now() - started} ms`);
      const { sets } = await run(connection, 'SELECT 5');
      assert.equal(sets[0][0][0], 5);
    });
  },

  async reset() {
    await using({}, async (connection) => {
      await run(connection, 'CREATE TABLE #t (a int); SET LOCK_TIMEOUT 1234', { how: 'execSqlBatch' });
      await new Promise((resolve, reject) => { connection.reset((error) => (error ? reject(error) : resolve())); });
      const { sets } = await run(connection, "SELECT OBJECT_ID('tempdb..#t'), @@LOCK_TIMEOUT");
      assert.deepEqual(sets[0][0], [null, -1]);
    });
  },

  async large() {
    await using({}, async (connection) => {
      const text = 'ab字'.repeat(350000);
      const blob = Buffer.alloc(1 << 20, Buffer.from([0, 1, 2, 255]));
      const { sets } = await run(connection, 'SELECT @t, @b',
        { prepare: (request) => { request.addParameter('t', TYPES.NVarChar, text); request.addParameter('b', TYPES.VarBinary, blob); } });
      assert.ok(sets[0][0][0] === text && blob.equals(sets[0][0][1]), 'changed on the way');
    });
  },

  // HOST\INSTANCE, without a port: the driver asks for it on UDP 1434.
  async instance() {
    const [server, instance] = process.env.HEDDLE_INSTANCE.split('\\');
    await using({ server, instance }, async (connection) => {
      const { sets } = await run(connection, "SELECT CONVERT(nvarchar(128), SERVERPROPERTY('InstanceName'))");
      assert.equal(sets[0][0][0], instance);
    });
  },
};

let failed = false;
for (const [name, check] of Object.entries(checks)) {
  try {
    await check();
    console.log(`ok ${name}`);
  } catch (error) {
    failed = true;
    console.log(`not ok ${name}: ${String(error.message).split('\n').slice(0, 3).join(' ').slice(0, 400)}`);
  }
}
process.exit(failed ? 1 : 0);
