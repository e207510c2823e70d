//! Programs from a seed. What documentation leaves open is mostly not drawn; what is drawn all the same, the model leaves.

use os::random::Rng;

use super::program::{
    CURSORS, Call, CursorAction, CursorName, Event, Failure, Form, Kind, Move, PROCEDURES, Program, Setting, Statement,
    TRIGGERS, Table, Trigger, Value,
};

/// Statements of a list.
const LIST_MAX: u64 = 5;
const DEPTH_MAX: u32 = 4;

/// Where statements are drawn for.
#[derive(Debug, Clone, Copy)]
struct Place {
    /// Procedures that may be called: those below.
    procedures: usize,
    depth: u32,
    /// Which of the triggers.
    trigger: Option<usize>,
    instead: bool,
    /// A text whose rows go into a table.
    is_source: bool,
    in_catch: bool,
    in_procedure: bool,
    /// The text of this scope makes #w.
    has_temp: bool,
    /// Loops around it, in its text.
    loops: usize,
    /// A label that follows.
    label: Option<u32>,
}

/// Loops in each other.
const LOOPS_MAX: usize = 2;

pub fn program(seed: u64) -> Program {
    let mut draw = Draw { rng: Rng::from_seed(seed), labels: 0 };
    let mut program = Program::default();
    for at in 0..PROCEDURES {
        let place = Place { procedures: at, in_procedure: true, ..Place::BATCH };
        program.procedures[at] = draw.list(place);
    }
    for at in 0..TRIGGERS.len() {
        if draw.one_in(4) {
            let (table, event, _) = TRIGGERS[at];
            // The table's row of an UPDATE or DELETE is there only if the trigger is after it.
            let instead = table == Table::View || draw.one_in(if event == Event::Insert { 3 } else { 4 });
            let place = Place { procedures: 0, trigger: Some(at), instead, ..Place::BATCH };
            program.triggers[at] = Some(Trigger { instead, body: draw.list(place) });
        }
    }
    for _ in 0..1 + draw.below(4) {
        let mut batch = draw.list(Place::BATCH);
        batch.extend(draw.list(Place::BATCH));
        program.batches.push(batch);
    }
    program.number();
    program
}

impl Place {
    const BATCH: Place = Place {
        procedures: PROCEDURES,
        depth: 0,
        trigger: None,
        instead: false,
        is_source: false,
        in_catch: false,
        in_procedure: false,
        has_temp: false,
        loops: 0,
        label: None,
    };
}

struct Draw {
    rng: Rng,
    labels: u32,
}

impl Draw {
    fn below(&mut self, bound: u64) -> u64 {
        self.rng.below(bound)
    }

    fn one_in(&mut self, bound: u64) -> bool {
        self.below(bound) == 0
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }

    fn list(&mut self, mut place: Place) -> Vec<Statement> {
        let mut list = Vec::new();
        let label = (!place.is_source && self.one_in(12)).then(|| {
            self.labels += 1;
            self.labels
        });
        place.label = label.or(place.label);
        for _ in 0..1 + self.below(LIST_MAX) {
            if !place.is_source && self.one_in(7) {
                list.extend(self.cursor_story(&place).into_iter().map(|action| Statement::new(Kind::Cursor(action))));
                if self.one_in(3) {
                    list.push(Statement::new(Kind::Select(vec![Value::FetchStatus, self.cursor_value()])));
                }
                if !list.is_empty() {
                    continue;
                }
            }
            let kind = self.kind(&mut place);
            let asks = matches!(kind, Kind::Insert(..) | Kind::Update(..) | Kind::Delete(..) | Kind::Fail(_));
            list.push(Statement::new(kind));
            if asks && !place.is_source && self.one_in(4) {
                list.push(Statement::new(Kind::Select(vec![Value::Error, Value::RowCount])));
            }
        }
        if let Some(label) = label {
            list.push(Statement::new(Kind::Label(label)));
            list.push(Statement::new(Kind::Select(self.values(&place))));
        }
        list
    }

    fn kind(&mut self, place: &mut Place) -> Kind {
        if place.depth < DEPTH_MAX && self.one_in(4) {
            return self.nested(place);
        }
        match self.below(if place.is_source { 12 } else { 28 }) {
            23 | 24 => self.setting(),
            25 if place.label.is_some() => Kind::Goto(place.label.expect("just seen")),
            26 if place.loops > 0 => {
                if self.pick(&[true, false]) {
                    Kind::Break
                } else {
                    Kind::Continue
                }
            }
            27 if self.one_in(2) => Kind::LongText,
            0 if !place.is_source && self.one_in(3) => {
                let table = self.pick(&[Table::Parent, Table::Numbered, Table::Child]);
                let table = if place.trigger.is_some() { Table::Child } else { table };
                let (id, v) = (self.number(), self.number());
                let change = match self.below(3) {
                    0 => Kind::Insert(table, vec![(id, v)]),
                    1 => Kind::Update(table, id, v),
                    _ => Kind::Delete(table, id),
                };
                Kind::Output(Box::new(Statement::new(change)))
            }
            0..4 => {
                let table = self.target(place);
                let count = if table == Table::Numbered { 1 } else { 1 + self.below(3) / 2 };
                let rows = (0..count).map(|_| (self.number(), self.number())).collect();
                Kind::Insert(table, rows)
            }
            4 => Kind::Update(self.target(place), self.number(), self.number()),
            5 => Kind::Delete(self.target(place), self.number()),
            6..8 => Kind::Select(self.values(place)),
            8 => Kind::Show(self.table(place)),
            9 if self.one_in(2) => Kind::Copy(self.table(place)),
            9 => Kind::Print(self.below(100) as u32),
            10 => {
                let failures = [
                    Failure::DivideByZero,
                    Failure::Conversion,
                    Failure::Overflow,
                    Failure::NoProcedure,
                    Failure::NoTable,
                    Failure::Syntax,
                ];
                let all = if place.is_source { 0..3 } else { 0..6 };
                match self.pick(&failures[all]) {
                    // A result of one column.
                    Failure::DivideByZero | Failure::Conversion if place.is_source => Kind::Fail(Failure::Overflow),
                    failure => Kind::Fail(failure),
                }
            }
            11 => Kind::Assign(self.below(3) as usize, self.number()),
            12 => Kind::Raise(self.pick(&[0, 5, 10, 11, 16, 16, 18]), 1 + self.below(9) as u8),
            13 if place.in_catch && self.one_in(2) => Kind::Rethrow,
            13 => Kind::Throw(50_000 + self.below(100) as i32, self.below(9) as u8),
            14 => Kind::XactAbort(self.one_in(2)),
            15 if !place.has_temp => {
                place.has_temp = true;
                Kind::CreateTemp
            }
            16 if place.has_temp && self.one_in(4) => {
                // Another #w of this text would be found while it is compiled.
                Kind::DropTemp
            }
            17 if place.in_procedure => Kind::Return(self.one_in(2).then(|| self.below(9) as i32)),
            18 if place.trigger.is_none() => Kind::Save(self.below(2) as usize),
            19 if place.trigger.is_none() && self.one_in(3) => Kind::RollbackTo(self.below(2) as usize),
            _ => self.transaction(place),
        }
    }

    fn setting(&mut self) -> Kind {
        let setting = self.pick(&Setting::ALL);
        let value = match setting {
            Setting::RowCount => self.pick(&[0, 1, 2]),
            Setting::LockTimeout => self.pick(&[-1, 0, 1000]),
            Setting::DateFirst => 1 + self.below(7) as i32,
            Setting::TextSize => self.pick(&[100, 4096]),
            Setting::DeadlockPriority => self.below(21) as i32 - 10,
            _ => self.below(2) as i32,
        };
        Kind::Set(setting, value)
    }

    /// Mostly what follows each other in a use of a cursor; some is missing, some is too much.
    fn cursor_story(&mut self, place: &Place) -> Vec<CursorAction> {
        let number = self.below(CURSORS as u64) as usize;
        let form = self.pick(&[
            Form::Plain,
            Form::Static,
            Form::Static,
            Form::StaticForward,
            Form::Keyset,
            Form::Keyset,
            Form::Dynamic,
            Form::Dynamic,
            Form::FastForward,
        ]);
        let (form, table) = match self.below(5) {
            0 if place.trigger.is_some() && place.depth == 0 => (Form::Static, Table::Inserted),
            0 => (self.pick(&[Form::Static, Form::Keyset]), Table::Journal),
            1 => (form, Table::Child),
            2 => (form, Table::Numbered),
            _ => (form, Table::Parent),
        };
        let name = match self.below(6) {
            0..3 => CursorName::Plain(number),
            3 => CursorName::Global(number),
            _ => CursorName::Variable,
        };
        let mut story = match name {
            CursorName::Plain(name) => {
                vec![CursorAction::Declare { name, local: self.one_in(2) || table == Table::Inserted, form, table }]
            }
            CursorName::Global(name) if table == Table::Inserted => {
                vec![CursorAction::Declare { name, local: true, form, table }]
            }
            CursorName::Global(name) => vec![CursorAction::Declare { name, local: false, form, table }],
            CursorName::Variable if self.one_in(2) => vec![CursorAction::SetNew(form, table)],
            CursorName::Variable => vec![CursorAction::SetName(CursorName::Plain(number))],
        };
        // Most go on with what an earlier one began.
        if self.one_in(2) {
            story.clear();
        }
        let is_new = !story.is_empty();
        if if is_new { !self.one_in(5) } else { self.one_in(3) } {
            story.push(CursorAction::Open(name));
        }
        for _ in 0..self.below(4) {
            let to = match self.below(11) {
                0 => Move::Prior,
                1 => Move::First,
                2 => Move::Last,
                3 => Move::Absolute(self.below(6) as i32 - 2),
                4 => Move::Relative(self.below(6) as i32 - 2),
                _ => Move::Next,
            };
            story.push(CursorAction::Fetch { from: name, to, into: self.one_in(2) });
        }
        if self.one_in(4) {
            story.push(CursorAction::Close(name));
        }
        if self.one_in(4) {
            story.push(CursorAction::Deallocate(name));
        }
        story
    }

    fn cursor_value(&mut self) -> Value {
        let name = self.below(CURSORS as u64) as usize;
        match self.below(5) {
            0 => Value::FetchStatus,
            1 => Value::CursorRows,
            2 => Value::CursorStatus(CursorName::Plain(name)),
            3 => Value::CursorStatus(CursorName::Global(name)),
            _ => Value::CursorStatus(CursorName::Variable),
        }
    }

    fn transaction(&mut self, place: &Place) -> Kind {
        match self.below(if place.trigger.is_some() || place.in_procedure { 12 } else { 6 }) {
            0..3 => Kind::Begin,
            3 | 4 => Kind::Commit,
            5 => Kind::Rollback,
            _ => Kind::Select(self.values(place)),
        }
    }

    fn nested(&mut self, place: &Place) -> Kind {
        let inner = Place { depth: place.depth + 1, ..*place };
        // What an inner list makes, a later one would make again.
        let inner = Place { has_temp: true, ..inner };
        let text = Place { procedures: if place.trigger.is_some() { 0 } else { place.procedures }, ..inner };
        let text = Place { in_catch: false, in_procedure: false, has_temp: false, loops: 0, label: None, ..text };
        match self.below(11) {
            10 if !place.is_source && place.loops < LOOPS_MAX => {
                let body = self.list(Place { loops: place.loops + 1, ..inner });
                Kind::While(place.loops, 1 + self.below(3) as u32, body)
            }
            0..4 => Kind::Try(self.list(inner), self.list(Place { in_catch: true, ..inner })),
            4 => Kind::If(self.condition(), self.list(inner), self.list(inner)),
            5 if !place.is_source && self.one_in(2) => {
                Kind::Executed(self.list(Place { trigger: text.trigger, ..text }))
            }
            5 | 6 if !place.is_source => Kind::Text(self.list(Place { trigger: text.trigger, ..text })),
            7 if !place.is_source && place.trigger.is_none() => {
                let body = self.list(Place { is_source: true, has_temp: true, depth: DEPTH_MAX - 1, ..text });
                Kind::InsertExec(Box::new(Statement::new(Kind::Text(body))))
            }
            8.. if !place.is_source && place.procedures > 0 => Kind::Call(Call {
                procedure: self.below(place.procedures as u64) as usize,
                argument: self.one_in(2).then(|| self.number()),
                output: self.one_in(2).then(|| self.below(3) as usize),
                status: self.one_in(3).then(|| self.below(3) as usize),
            }),
            _ => Kind::Try(self.list(inner), self.list(Place { in_catch: true, ..inner })),
        }
    }

    /// A table to change. A trigger changes only those after its own, so that none calls another back.
    fn target(&mut self, place: &Place) -> Table {
        match place.trigger {
            None => self.pick(&[
                Table::Parent,
                Table::Parent,
                Table::View,
                Table::Child,
                Table::Numbered,
                Table::Journal,
                Table::Temp,
                Table::Variable,
            ]),
            Some(at) if place.instead && place.depth == 0 && TRIGGERS[at].0 != Table::View && self.one_in(2) => {
                TRIGGERS[at].0
            }
            Some(at) if TRIGGERS[at].0 == Table::View => self.pick(&[
                Table::Parent,
                Table::Parent,
                Table::Numbered,
                Table::Journal,
                Table::Child,
                Table::Variable,
            ]),
            Some(at) if TRIGGERS[at].0 == Table::Parent => {
                self.pick(&[Table::Numbered, Table::Journal, Table::Child, Table::Variable])
            }
            Some(_) => self.pick(&[Table::Journal, Table::Child, Table::Variable]),
        }
    }

    fn table(&mut self, place: &Place) -> Table {
        let all =
            [Table::Parent, Table::Child, Table::Numbered, Table::Journal, Table::View, Table::Variable, Table::Temp];
        match place.trigger {
            Some(_) if place.depth == 0 && self.one_in(2) => self.pick(&[Table::Inserted, Table::Deleted]),
            Some(_) => self.pick(&all[..6]),
            None => self.pick(&all),
        }
    }

    fn number(&mut self) -> Value {
        match self.below(12) {
            0 => Value::Null,
            1 | 2 => Value::Local(self.below(3) as usize),
            3 => Value::Int(100),
            _ => Value::Int(self.below(6) as i32),
        }
    }

    fn condition(&mut self) -> Value {
        self.pick(&[Value::TranCount, Value::XactState, Value::Local(0), Value::Rows(Table::Parent)])
    }

    fn values(&mut self, place: &Place) -> Vec<Value> {
        let count = if place.is_source { 2 } else { 2 + self.below(3) };
        (0..count).map(|_| self.one_value(place)).collect()
    }

    fn one_value(&mut self, place: &Place) -> Value {
        if place.is_source {
            return self.number();
        }
        if place.in_catch && self.one_in(2) {
            let of_error =
                [Value::ErrorNumber, Value::ErrorSeverity, Value::ErrorState, Value::ErrorLine, Value::XactState];
            return self.pick(&of_error);
        }
        match self.below(12) {
            0 | 1 => Value::TranCount,
            2 => Value::XactState,
            3 => Value::ScopeIdentity,
            4 => Value::LastIdentity,
            5 => Value::NestLevel,
            6 => Value::XactAbort,
            7 => Value::Rows(self.table(place)),
            8 => self.cursor_value(),
            9 if self.one_in(3) => Value::TextLength,
            9 | 10 => Value::Setting(self.pick(&Setting::READABLE)),
            _ => Value::Local(self.below(3) as usize),
        }
    }
}
