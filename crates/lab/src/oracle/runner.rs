//! Asks a seed's questions, many in a batch, and makes small what does not hold.

use std::collections::BTreeMap;
use std::fmt;

use os::random::Rng;

use super::check::{self, Oracle, Question, Rows, rows_of_all};
use super::expression::Maker;
use super::native;
use super::node::{FORMS, Node};
use super::reference::{Answer, Reference};
use super::schema::{Schema, TABLES};
use super::subject::{Subject, query};
use super::twin::{Said, Twin};
use crate::client::{ClientError, Connection};

/// Questions of a batch: sent together, judged apart.
const BATCH: usize = 16;
const SHRINK_TRIES: usize = 1_500;

/// Errors that depend on which rows a plan computes, or that say that there is no plan with a hint.
const PERMITTED: [i32; 9] = [220, 232, 512, 515, 517, 2628, 8115, 8134, 8622];

/// What was asked.
#[derive(Default, Clone)]
pub struct Figures {
    pub seeds: u64,
    pub questions: u64,
    pub queries: u64,
    /// Questions that an error made unanswerable.
    pub errors: u64,
    pub slow: u64,
    /// Natively compiled procedures that were made, and those that were refused.
    pub native: u64,
    pub refused: BTreeMap<i32, u64>,
    /// Statements that a twin was asked as well.
    pub twin: u64,
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Figures { seeds, questions, queries, errors, slow, native, refused, twin } = self;
        write!(f, "{seeds} seeds, {questions} questions, {queries} queries ({errors} with an error, {slow} too slow)")?;
        write!(f, ", {native} natively compiled, refused by error: {refused:?}")?;
        if *twin > 0 { write!(f, ", {twin} batches asked of both servers") } else { Ok(()) }
    }
}

/// What did not hold.
pub struct Found {
    pub oracle: Oracle,
    pub number: usize,
    pub why: String,
    /// Those of the question, made small.
    pub statements: Vec<String>,
    /// What makes the tables.
    pub tables: Vec<String>,
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "question {}, {:?}: {}", self.number, self.oracle, self.why)?;
        self.tables.iter().try_for_each(|batch| writeln!(f, "  {batch};"))?;
        self.statements.iter().try_for_each(|statement| writeln!(f, "  {statement};"))
    }
}

/// What came of a statement.
enum Outcome {
    Rows(Rows),
    /// Number and text.
    Error(i32, String),
    Slow,
}

pub struct Runner {
    subject: Subject,
    connection: Connection,
    oracles: Vec<Oracle>,
    questions: usize,
    /// None: there is none on this machine.
    reference: Option<Reference>,
    twin: Option<Twin>,
    /// What the statement asked last has come to in another way there.
    twin_differs: Option<String>,
    pub figures: Figures,
}

impl Runner {
    pub fn new(subject: Subject, oracles: Vec<Oracle>, questions: usize) -> Result<Runner, String> {
        let connection = subject.connect()?;
        Ok(Runner {
            subject,
            connection,
            oracles,
            questions,
            reference: Reference::start(),
            twin: None,
            twin_differs: None,
            figures: Figures::default(),
        })
    }

    /// Every statement is asked of it too.
    pub fn compare_with(&mut self, twin: Twin) {
        self.twin = Some(twin);
    }

    pub fn has_reference(&self) -> bool {
        self.reference.is_some()
    }

    /// What does not hold of a seed's questions: the first of each kind. Err: the server is gone, or does not make its tables.
    pub fn seed(&mut self, seed: u64) -> Result<Vec<Found>, String> {
        self.figures.seeds += 1;
        let mut rng = Rng::from_seed(seed);
        let schema = Schema::random(&mut rng, seed % 2 == 1);
        // Only every other seed's tables are such that SQLite has them.
        let has = |oracle: &&Oracle| schema.portable || **oracle != Oracle::Sqlite;
        let oracles: Vec<Oracle> = self.oracles.iter().filter(has).copied().collect();
        if oracles.is_empty() {
            return Ok(Vec::new());
        }
        self.make(&schema).map_err(|why| format!("seed {seed}: {why}"))?;
        let mut maker = Maker { rng, schema: &schema, aliases: 0, subqueries: 0 };
        let mut found: Vec<Found> = Vec::new();
        let mut number = 0;
        while number < self.questions {
            let count = BATCH.min(self.questions - number);
            let questions: Vec<Question> = (0..count)
                .map(|at| {
                    maker.aliases = 0;
                    check::random(&mut maker, oracles[(number + at) % oracles.len()])
                })
                .collect();
            for at in self.ask_together(&questions)? {
                let question = &questions[at];
                if let Some((kind, why)) = self.ask(question)? {
                    if found.iter().all(|found| found.oracle != question.oracle) {
                        found.push(self.shrunk(&schema, question, number + at, &kind, why)?);
                    }
                }
            }
            number += count;
        }
        Ok(found)
    }

    fn make(&mut self, schema: &Schema) -> Result<(), String> {
        for batch in schema.made_anew() {
            let answer = query(&mut self.connection, &batch).map_err(|error| format!("{error}\n{batch}"))?;
            if let Some(error) = answer.first_error() {
                return Err(format!("{}\n{batch}", tds::client::format_message(error)));
            }
        }
        if let Some(twin) = &mut self.twin {
            twin.make(schema)?;
        }
        match &mut self.reference {
            Some(reference) if schema.portable => reference.make(&schema.sqlite()),
            _ => Ok(()),
        }
    }

    /// Which of the questions have to be asked alone: something does not hold, or something was an error.
    fn ask_together(&mut self, questions: &[Question]) -> Result<Vec<usize>, String> {
        // A procedure has a batch of its own.
        let (alone, together): (Vec<usize>, Vec<usize>) =
            (0..questions.len()).partition(|at| questions[*at].oracle == Oracle::Native);
        self.figures.questions += alone.len() as u64;
        self.figures.queries += 2 * alone.len() as u64;
        let rest: Vec<Question> = together.iter().map(|at| questions[*at].clone()).collect();
        let mut found: Vec<usize> = self.ask_rest(&rest)?.into_iter().map(|at| together[at]).collect();
        found.extend(alone);
        Ok(found)
    }

    fn ask_rest(&mut self, questions: &[Question]) -> Result<Vec<usize>, String> {
        let statements: Vec<Vec<String>> = questions.iter().map(Question::statements).collect();
        let count: usize = questions.iter().zip(&statements).map(|(question, of)| question.sets() * of.len()).sum();
        self.figures.questions += questions.len() as u64;
        self.figures.queries += statements.iter().map(Vec::len).sum::<usize>() as u64;
        let batch = statements.concat().join(";\n");
        let all = (0..questions.len()).collect();
        let answer = match query(&mut self.connection, &batch) {
            Ok(answer) if answer.first_error().is_none() && answer.sets.len() == count => {
                if !self.agrees(&batch, &Said::of(&answer))? {
                    return Ok(all);
                }
                answer
            }
            Ok(_) | Err(ClientError::Timeout) => {
                self.roll_back()?;
                return Ok(all);
            }
            Err(error) => return Err(format!("{error} after\n{batch}")),
        };
        let asked: Vec<String> = questions.iter().filter_map(Question::sqlite).collect();
        let mut others = self.ask_reference(&asked)?.into_iter();
        let mut sets = answer.sets.as_slice();
        let judged = questions.iter().zip(&statements).map(|(question, statements)| {
            let (own, rest) = sets.split_at(statements.len() * question.sets());
            sets = rest;
            let mut rows: Vec<Rows> = own.chunks(question.sets()).map(rows_of_all).collect();
            if question.oracle == Oracle::Sqlite {
                match others.next() {
                    Some(Answer::Rows(other)) => rows.push(other),
                    Some(Answer::Error(_)) => return true,
                    None => {}
                }
            }
            question.judge(&rows).is_some()
        });
        let judged: Vec<bool> = judged.collect();
        Ok((0..questions.len()).filter(|at| judged[*at]).collect())
    }

    /// What does not hold: its kind, and in words.
    fn ask(&mut self, question: &Question) -> Result<Option<(String, String)>, String> {
        let mut rows = Vec::new();
        for (at, statement) in question.statements().into_iter().enumerate() {
            if question.oracle == Oracle::Native && at == 1 && !self.compiles(question)? {
                return Ok(None);
            }
            let outcome = self.outcome(&statement)?;
            if let Some(why) = self.twin_differs.take() {
                return Ok(Some(("twin".into(), why)));
            }
            match outcome {
                Outcome::Rows(found) => rows.push(found),
                Outcome::Slow => {
                    self.figures.slow += 1;
                    return Ok(None);
                }
                Outcome::Error(number, _) if PERMITTED.contains(&number) => {
                    self.figures.errors += 1;
                    return Ok(None);
                }
                Outcome::Error(number, text) => return Ok(Some((format!("error {number}"), text))),
            }
        }
        if let Some(text) = question.sqlite() {
            match self.ask_reference(&[text])?.pop() {
                Some(Answer::Rows(other)) => rows.push(other),
                Some(Answer::Error(text)) => return Ok(Some(("SQLite's error".into(), text))),
                None => {}
            }
        }
        Ok(question.judge(&rows).map(|why| ("answers".into(), why)))
    }

    /// Makes the natively compiled procedure. False: it is refused, as much is that such procedures cannot do.
    fn compiles(&mut self, question: &Question) -> Result<bool, String> {
        for text in [native::DROP.to_owned(), native::definition(&question.parts)] {
            match self.outcome(&text)? {
                Outcome::Rows(_) => {}
                Outcome::Error(0, text) => return Err(text),
                Outcome::Error(number, _) => {
                    *self.figures.refused.entry(number).or_default() += 1;
                    return Ok(false);
                }
                Outcome::Slow => return Ok(false),
            }
        }
        self.figures.native += 1;
        Ok(true)
    }

    /// Whether the twin says the same.
    fn agrees(&mut self, text: &str, said: &Said) -> Result<bool, String> {
        let Some(twin) = &mut self.twin else { return Ok(true) };
        self.figures.twin += 1;
        let other = twin.ask(text)?;
        self.twin_differs = other.and_then(|other| said.differs(&other));
        Ok(self.twin_differs.is_none())
    }

    fn ask_reference(&mut self, queries: &[String]) -> Result<Vec<Answer>, String> {
        match &mut self.reference {
            Some(reference) if !queries.is_empty() => reference.ask(queries),
            _ => Ok(Vec::new()),
        }
    }

    fn outcome(&mut self, statement: &str) -> Result<Outcome, String> {
        match query(&mut self.connection, statement) {
            Ok(answer) => {
                self.agrees(statement, &Said::of(&answer))?;
                match answer.first_error() {
                    Some(error) => {
                        let outcome = Outcome::Error(error.number, tds::client::format_message(error));
                        self.roll_back()?;
                        Ok(outcome)
                    }
                    None => Ok(Outcome::Rows(rows_of_all(&answer.sets))),
                }
            }
            Err(ClientError::Timeout) => {
                self.roll_back()?;
                Ok(Outcome::Slow)
            }
            Err(error) => {
                self.connection =
                    self.subject.connect().map_err(|why| format!("{error}, then {why}, after\n{statement}"))?;
                Ok(Outcome::Error(0, format!("the connection broke: {error}")))
            }
        }
    }

    /// An error may have ended a batch before its ROLLBACK.
    fn roll_back(&mut self) -> Result<(), String> {
        let done = query(&mut self.connection, "IF @@TRANCOUNT > 0 ROLLBACK");
        done.map(|_| ()).map_err(|error| error.to_string())
    }

    fn shrunk(
        &mut self,
        schema: &Schema,
        question: &Question,
        number: usize,
        kind: &str,
        why: String,
    ) -> Result<Found, String> {
        let mut why = why;
        let mut parts = question.parts.clone();
        // The list of parts itself must stay whole: each part is made small on its own.
        for at in 0..parts.children.len() {
            let whole = parts.clone();
            let smaller = parts.children[at].clone().shrink(SHRINK_TRIES, |part: &Node| {
                let mut parts = whole.clone();
                parts.children[at] = part.clone();
                match self.ask(&Question { parts, ..question.clone() }) {
                    Ok(Some((found, text))) if found == kind => {
                        why = text;
                        true
                    }
                    _ => false,
                }
            });
            parts.children[at] = smaller;
        }
        let question = Question { parts, ..question.clone() };
        let mut statements = question.statements();
        let is_named = |batch: &String| {
            let named = |name: String| {
                batch.contains(&format!("{name} ")) && statements.iter().any(|text| text.contains(&name))
            };
            (0..TABLES).any(|table| (0..FORMS).any(|form| named(format!("t{table}_{form}"))))
        };
        let tables = schema.batches().into_iter().filter(is_named).collect();
        if question.oracle == Oracle::Native {
            statements.insert(1, native::definition(&question.parts));
        }
        statements.extend(question.sqlite().map(|text| format!("-- SQLite: {text}")));
        Ok(Found { oracle: question.oracle, number, why, statements, tables })
    }
}
