//! Plans as rows: what SET SHOWPLAN_ALL and SET STATISTICS PROFILE give of a statement. Costs are not told: there are none that another
//! server's could be compared with.
//! https://learn.microsoft.com/sql/t-sql/statements/set-showplan-all-transact-sql

use types::{Datum, SqlType};

use super::operator::OutputColumn;
use super::show::show_outputs;
use super::show_xml::{Run, TREE};
use super::statement::{Module, QueryId, QueryKind};

/// Kinds of joins and the like, which stand first in an operator's words.
const LOGICAL: [&str; 6] =
    ["Inner Join", "Left Outer Join", "Full Outer Join", "Left Semi Join", "Left Anti Semi Join", "Aggregate"];

/// Of the result set; `executed`: with what came.
pub fn columns(executed: bool) -> Vec<OutputColumn> {
    let text = SqlType::nvarchar(4000);
    let name = SqlType::nvarchar(128);
    let came = [("Rows", SqlType::BIGINT), ("Executes", SqlType::BIGINT)];
    let planned = [
        ("StmtText", SqlType::NVARCHAR_MAX),
        ("StmtId", SqlType::INT),
        ("NodeId", SqlType::INT),
        ("Parent", SqlType::INT),
        ("PhysicalOp", name),
        ("LogicalOp", name),
        ("Argument", text),
        ("DefinedValues", text),
        ("EstimateRows", SqlType::REAL),
        ("EstimateIO", SqlType::REAL),
        ("EstimateCPU", SqlType::REAL),
        ("AvgRowSize", SqlType::INT),
        ("TotalSubtreeCost", SqlType::REAL),
        ("OutputList", text),
        ("Warnings", text),
        ("Type", SqlType::nvarchar(64)),
        ("Parallel", SqlType::BIT),
        ("EstimateExecutions", SqlType::REAL),
    ];
    let all = came.into_iter().filter(|_| executed).chain(planned);
    all.map(|(name, ty)| OutputColumn::plain(name, ty, true)).collect()
}

/// A row for the statement, then one for each of its operators, as `columns` has them.
pub fn rows(module: &Module, id: QueryId, kind: &QueryKind, run: Option<&Run>) -> Vec<Vec<Datum>> {
    let span = module.queries[id.0 as usize].statement.span;
    let text = module.text.get(span.start as usize..span.end as usize).unwrap_or_default();
    let (lines, shown, outputs) = show_outputs(kind, module);
    let mut rows = Vec::with_capacity(lines.len() + 1);
    let came = |at: usize| {
        let run = run?;
        match shown.get(at)?.place {
            0 => Some((run.rows, 1)),
            place => run.operators.get(&place).map(|actual| (actual.rows, actual.executions)),
        }
    };
    let statement = Words { text, physical: None, logical: None, argument: None };
    let expected = shown.first().and_then(|first| first.rows);
    let first = Node { number: 1, parent: 0, expected, output: None, verb: Some(kind.verb()) };
    rows.push(row(id, statement, first, run.map(|run| (run.rows, 1))));
    // Operators whose inputs come: their numbers, and how far they are indented.
    let mut open: Vec<(i32, usize)> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let words = line.trim_start_matches(TREE);
        let indent = line.len() - words.len();
        open.retain(|(_, above)| *above < indent);
        let number = at as i32 + 2;
        let parent = open.last().map_or(1, |(above, _)| *above);
        let output = outputs.get(at).filter(|output| !output.is_empty()).map(String::as_str);
        let node = Node { number, parent, expected: shown[at].rows, output, verb: None };
        rows.push(row(id, Words::of(line, words), node, run.map(|_| came(at).unwrap_or_default())));
        open.push((number, indent));
    }
    rows
}

/// What an operator is called, and the rest that is said of it.
struct Words<'a> {
    text: &'a str,
    physical: Option<&'a str>,
    logical: Option<&'a str>,
    argument: Option<&'a str>,
}

impl<'a> Words<'a> {
    fn of(text: &'a str, words: &'a str) -> Words<'a> {
        let (physical, about) = words.split_once('(').unwrap_or((words, ""));
        let physical = physical.trim();
        let about = about.trim();
        let about = about.strip_suffix(')').unwrap_or(about);
        let known = LOGICAL
            .into_iter()
            .find(|name| about.strip_prefix(name).is_some_and(|rest| !rest.starts_with(char::is_alphabetic)));
        let argument = known.map_or(about, |name| about[name.len()..].trim_start_matches([',', ' ']));
        let logical = known.unwrap_or(match physical {
            "Stream Aggregate" => "Aggregate",
            "Sort" if argument.starts_with("TOP ") => "TopN Sort",
            "Table Scan" => physical,
            // Of what it changes.
            physical => physical.strip_prefix("Table ").unwrap_or(physical),
        });
        let argument = (!argument.is_empty()).then_some(argument);
        Words { text, physical: Some(physical), logical: Some(logical), argument }
    }
}

struct Node<'a> {
    number: i32,
    parent: i32,
    /// Rows of one execution.
    expected: Option<f64>,
    output: Option<&'a str>,
    /// Of the statement.
    verb: Option<&'a str>,
}

/// `came`: rows, and how often it ran.
fn row(id: QueryId, words: Words, node: Node, came: Option<(u64, u64)>) -> Vec<Datum> {
    let number = |number: i32| Datum::I64(number.into());
    let text = |text: Option<&str>| text.map_or(Datum::Null, Datum::nvarchar);
    let real = |value: Option<f64>| value.map_or(Datum::Null, |value| Datum::F64(f64::from(value as f32)));
    let came = came.into_iter().flat_map(|(rows, runs)| [rows, runs]).map(|count| Datum::I64(count as i64));
    let planned = [
        text(Some(words.text)),
        number(id.0 as i32 + 1),
        number(node.number),
        number(node.parent),
        text(words.physical),
        text(words.logical),
        text(words.argument),
        Datum::Null,
        real(node.expected),
        Datum::Null,
        Datum::Null,
        Datum::Null,
        Datum::Null,
        text(node.output),
        Datum::Null,
        text(Some(node.verb.unwrap_or("PLAN_ROW"))),
        Datum::I64(0),
        real(node.verb.is_none().then_some(1.0)),
    ];
    came.chain(planned).collect()
}

#[cfg(test)]
mod tests {
    use super::Words;

    #[test]
    fn an_operators_words_are_its_names_and_its_argument() {
        let told = |words| {
            let Words { physical, logical, argument, .. } = Words::of("", words);
            [physical, logical, argument].map(Option::unwrap_or_default).join("|")
        };
        assert_eq!(
            told("Hash Match(Inner Join, HASH:([a].[b])=([c].[d]))"),
            "Hash Match|Inner Join|HASH:([a].[b])=([c].[d])"
        );
        assert_eq!(told("Nested Loops(Left Semi Join)"), "Nested Loops|Left Semi Join|");
        assert_eq!(told("Stream Aggregate(GROUP BY:([a]))"), "Stream Aggregate|Aggregate|GROUP BY:([a])");
        assert_eq!(told("Sort(TOP ((3)), ORDER BY:([a] ASC))"), "Sort|TopN Sort|TOP ((3)), ORDER BY:([a] ASC)");
        assert_eq!(told("Table Insert([dbo].[t])"), "Table Insert|Insert|[dbo].[t]");
        assert_eq!(told("Constant Scan"), "Constant Scan|Constant Scan|");
    }
}
