//! The functions that SQL Server's XQuery has: name, fewest and most arguments.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Function {
    Avg,
    Ceiling,
    Concat,
    Contains,
    Count,
    Data,
    DistinctValues,
    Empty,
    False,
    Floor,
    Id,
    Last,
    LocalName,
    LowerCase,
    Max,
    Min,
    NamespaceUri,
    Not,
    Number,
    Position,
    Round,
    String,
    StringLength,
    Substring,
    Sum,
    True,
    UpperCase,
}

use Function::*;

const FUNCTIONS: &[(&str, Function, usize, usize)] = &[
    ("avg", Avg, 1, 1),
    ("ceiling", Ceiling, 1, 1),
    ("concat", Concat, 2, usize::MAX),
    ("contains", Contains, 2, 2),
    ("count", Count, 1, 1),
    ("data", Data, 1, 1),
    ("distinct-values", DistinctValues, 1, 1),
    ("empty", Empty, 1, 1),
    ("false", False, 0, 0),
    ("floor", Floor, 1, 1),
    ("id", Id, 1, 1),
    ("last", Last, 0, 0),
    ("local-name", LocalName, 0, 1),
    ("lower-case", LowerCase, 1, 1),
    ("max", Max, 1, 1),
    ("min", Min, 1, 1),
    ("namespace-uri", NamespaceUri, 0, 1),
    ("not", Not, 1, 1),
    ("number", Number, 0, 1),
    ("position", Position, 0, 0),
    ("round", Round, 1, 1),
    ("string", String, 0, 1),
    ("string-length", StringLength, 0, 1),
    ("substring", Substring, 2, 3),
    ("sum", Sum, 1, 1),
    ("true", True, 0, 0),
    ("upper-case", UpperCase, 1, 1),
];

impl Function {
    /// With its fewest and most arguments.
    pub fn find(name: &str) -> Option<(Function, usize, usize)> {
        FUNCTIONS.iter().find(|entry| entry.0 == name).map(|entry| (entry.1, entry.2, entry.3))
    }

    pub fn name(self) -> &'static str {
        FUNCTIONS.iter().find(|entry| entry.1 == self).expect("every function is in the table").0
    }
}
