//! Statements whose parameters are drawn anew each time, and files that mix several by weight.

use std::collections::BTreeMap;

use os::random::Rng;
use serde::Deserialize;
use tds::rpc::{ParameterValue, Procedure, ProcedureId, RpcCall, RpcParameter};
use types::{Datum, SqlType};

use super::draw::{self, Draw};
use crate::call::procedure_call;

/// A procedure's call, or a statement's by sp_executesql.
pub struct Statement {
    procedure: Procedure,
    fixed: Vec<RpcParameter>,
    drawn: Vec<(String, Draw)>,
}

impl Statement {
    /// `values`: of each parameter by name, a literal or a distribution.
    pub fn of_text<'a>(sql: &str, values: impl Iterator<Item = (&'a str, &'a str)>) -> Result<Statement, String> {
        let (fixed, drawn) = parameters(values)?;
        let declared: Vec<String> = fixed
            .iter()
            .map(|parameter| (parameter.name.as_str(), type_name(parameter)))
            .chain(drawn.iter().map(|(name, draw)| (name.as_str(), sql_type(draw).kind.name().to_string())))
            .map(|(name, kind)| format!("{name} {kind}"))
            .collect();
        let texts = [sql, &declared.join(", ")]
            .map(|text| RpcParameter::input("", SqlType::NVARCHAR_MAX, Datum::nvarchar(text)));
        let fixed = texts.into_iter().chain(fixed).collect();
        Ok(Statement { procedure: Procedure::Id(ProcedureId::ExecuteSql), fixed, drawn })
    }

    /// `call`: a procedure, perhaps with literal arguments.
    pub fn of_call<'a>(call: &str, values: impl Iterator<Item = (&'a str, &'a str)>) -> Result<Statement, String> {
        let call = procedure_call(call).ok_or_else(|| format!("'{call}': expected a procedure and literals"))?;
        let (more, drawn) = parameters(values)?;
        Ok(Statement { procedure: call.procedure, fixed: [call.parameters, more].concat(), drawn })
    }

    pub fn call(&self, rng: &mut Rng) -> RpcCall {
        let drawn = self.drawn.iter().map(|(name, draw)| {
            let ty = sql_type(draw);
            let value = if ty == SqlType::FLOAT { Datum::F64(draw.number(rng)) } else { Datum::I64(draw.whole(rng)) };
            RpcParameter::input(name, ty, value)
        });
        RpcCall::new(self.procedure.clone(), self.fixed.iter().cloned().chain(drawn).collect())
    }
}

type Parameters = (Vec<RpcParameter>, Vec<(String, Draw)>);

fn parameters<'a>(values: impl Iterator<Item = (&'a str, &'a str)>) -> Result<Parameters, String> {
    let (mut fixed, mut drawn) = (Vec::new(), Vec::new());
    for (name, value) in values {
        let name = format!("@{}", name.trim().trim_start_matches('@'));
        if let Some(call) =
            procedure_call(&format!("p {name} = {}", value.trim())).filter(|call| call.parameters.len() == 1)
        {
            fixed.extend(call.parameters);
        } else {
            let draw = Draw::parse(value)
                .map_err(|_| format!("{name} = {value}: expected a literal as T-SQL writes it, or {}", draw::FORMS))?;
            drawn.push((name, draw));
        }
    }
    Ok((fixed, drawn))
}

/// What its numbers are sent as: int where all of them fit, as an application would.
fn sql_type(draw: &Draw) -> SqlType {
    match draw.whole_bounds() {
        Some((first, last)) if i32::try_from(first).is_ok() && i32::try_from(last).is_ok() => SqlType::INT,
        Some(_) => SqlType::BIGINT,
        None => SqlType::FLOAT,
    }
}

fn type_name(parameter: &RpcParameter) -> String {
    match &parameter.value {
        ParameterValue::Scalar { sql_type, .. } => sql_type.to_string(),
        _ => "sql_variant".into(),
    }
}

/// One statement of a mix.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: Option<String>,
    weight: Option<f64>,
    sql: Option<String>,
    rpc: Option<String>,
    #[serde(default)]
    parameters: BTreeMap<String, toml::Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    statement: Vec<Entry>,
}

/// A statement of a mix with its name, and how often it comes beside the others.
pub struct Weighted {
    pub name: String,
    pub weight: f64,
    pub statement: Statement,
}

/// Reads a mix. Err: what is wrong, and where.
pub fn read_mix(text: &str) -> Result<Vec<Weighted>, String> {
    let file: File = toml::from_str(text).map_err(|error| error.to_string())?;
    let entries = file.statement.into_iter().enumerate();
    let mix: Result<Vec<Weighted>, String> = entries.map(|(at, entry)| weighted(at + 1, entry)).collect();
    let mix = mix?;
    if mix.iter().map(|entry| entry.weight).sum::<f64>() > 0.0 {
        Ok(mix)
    } else {
        Err("no [[statement]] has a weight".into())
    }
}

fn weighted(number: usize, entry: Entry) -> Result<Weighted, String> {
    let fail = |why: String| format!("statement {number}: {why}");
    let values: Vec<(String, String)> = entry
        .parameters
        .into_iter()
        .map(|(name, value)| match value {
            toml::Value::String(text) => (name, text),
            other => (name, other.to_string()),
        })
        .collect();
    let values = values.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    let (text, statement) = match (entry.sql, entry.rpc) {
        (Some(sql), None) => (sql.clone(), Statement::of_text(&sql, values)),
        (None, Some(rpc)) => (rpc.clone(), Statement::of_call(&rpc, values)),
        _ => return Err(fail("give either sql or rpc".into())),
    };
    let weight = entry.weight.unwrap_or(1.0);
    if !(weight.is_finite() && weight >= 0.0) {
        return Err(fail(format!("weight = {weight}: expected a number that is not negative")));
    }
    Ok(Weighted { name: entry.name.unwrap_or(text), weight, statement: statement.map_err(fail)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(call: &RpcCall) -> Vec<(String, Datum)> {
        let scalar = |parameter: &RpcParameter| match &parameter.value {
            ParameterValue::Scalar { value, .. } => value.clone(),
            _ => Datum::Null,
        };
        call.parameters.iter().map(|parameter| (parameter.name.clone(), scalar(parameter))).collect()
    }

    #[test]
    fn a_mix_of_statements() {
        let text = "
            [[statement]]
            name = 'read'
            weight = 3
            sql = 'SELECT 1 WHERE @id = @big AND @t <> @n'
            parameters = { id = 'uniform(5, 5)', '@big' = 'sequence(7)', t = \"N'it''s'\", n = 42 }
            [[statement]]
            rpc = 'dbo.p 1'
            parameters = { x = 'exp(2)' }";
        let mix = read_mix(text).expect("a mix");
        assert_eq!(
            (mix[0].name.as_str(), mix[0].weight, mix[1].name.as_str(), mix[1].weight),
            ("read", 3.0, "dbo.p 1", 1.0)
        );
        let mut rng = Rng::from_seed(1);
        let read = mix[0].statement.call(&mut rng);
        assert_eq!(read.procedure.name(), "sp_executesql");
        let expected = [
            ("", Datum::nvarchar("SELECT 1 WHERE @id = @big AND @t <> @n")),
            ("", Datum::nvarchar("@n int, @t nvarchar(4), @big bigint, @id int")),
            ("@n", Datum::I64(42)),
            ("@t", Datum::nvarchar("it's")),
            ("@big", Datum::I64(7)),
            ("@id", Datum::I64(5)),
        ];
        assert_eq!(values(&read), expected.map(|(name, value)| (name.to_string(), value)));
        let called = values(&mix[1].statement.call(&mut rng));
        assert_eq!(called[0], (String::new(), Datum::I64(1)));
        assert!(matches!(&called[1], (name, Datum::F64(number)) if name == "@x" && *number > 0.0));
    }

    #[test]
    fn what_is_wrong_with_a_mix() {
        for (text, why) in [
            ("[[statement]]\nweight = 1", "statement 1: give either sql or rpc"),
            ("[[statement]]\nsql = 'a'\nrpc = 'b'", "statement 1: give either sql or rpc"),
            ("[[statement]]\nsql = 'a'\nweight = -1", "statement 1: weight = -1"),
            ("[[statement]]\nsql = 'a'\nweight = 0", "no [[statement]] has a weight"),
            (
                "[[statement]]\nsql = 'a'\nparameters = { x = 'uniform(2)' }",
                "statement 1: @x = uniform(2): expected a literal",
            ),
            ("[[statement]]\nrpc = 'p('", "statement 1: 'p(': expected a procedure and literals"),
        ] {
            let found = read_mix(text).err().expect(text);
            assert!(found.starts_with(why), "{found}");
        }
        assert!(read_mix("[[statement]]\nsqll = 'a'").is_err_and(|why| why.contains("unknown field")));
    }
}
