//! Relational algebra over columns with identities. Within the binder and the rules `ExprKind::Column(n)` holds a `ColumnId`,
//! unique in its statement; `lower` turns it into a position of the operator's row, or into an `OuterSlot` when the column
//! belongs to an enclosing row. So a relation has no column list: whoever is above asks for the columns it needs.

use std::collections::HashMap;
use std::sync::Arc;

use types::SqlType;

use crate::catalog::{ModuleDef, TableDef, VirtualTableDef};
use crate::plan::{
    Aggregate, ColumnOrigin, Expr, ExprKind, ForFormat, JoinKind, LockHint, Mask, MaskedColumn, Modify, SortKey,
    TableFunction, TableSource, WindowFunction,
};
use crate::statistics::TableStatistics;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ColumnId(pub u32);

impl ColumnId {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

#[derive(Debug, Clone)]
pub struct ColumnInfo {
    pub ty: SqlType,
    pub nullable: bool,
    /// Index into `Columns::tables`, and the column there.
    pub origin: Option<(u32, u16)>,
}

/// Every column of one statement, by id.
#[derive(Debug, Default)]
pub struct Columns {
    infos: Vec<ColumnInfo>,
    tables: Vec<Arc<TableDef>>,
    /// Of those that are not shown to all: seldom any.
    masks: HashMap<ColumnId, Mask>,
    /// Those that are the constant NULL and nothing else: they have the type of what they meet, as NULL itself has.
    untyped: ColumnSet,
    /// Strings that a query computes of no column: their collation gives way, as the value's would where the column stands.
    yielding: ColumnSet,
    /// Those that are never NULL, and told as if they could be.
    told_nullable: ColumnSet,
    /// Those of views that are of no table, or computed there.
    in_views: HashMap<ColumnId, InView>,
    /// Expressions of a select list that are computed below its sort.
    below_sort: ColumnSet,
}

/// What a view's column is to clients.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InView {
    /// An expression of its select list, or a table's computed column.
    Computed,
    /// An aggregate, or a column of whatever else the view reads.
    Stored,
}

impl Columns {
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn add(&mut self, ty: SqlType, nullable: bool) -> ColumnId {
        types::plant!();
        self.infos.push(ColumnInfo { ty, nullable, origin: None });
        ColumnId(self.infos.len() as u32 - 1)
    }

    /// Adds all columns of `table`; their ids follow each other from the one returned.
    pub fn add_table(&mut self, table: &Arc<TableDef>) -> ColumnId {
        let first = ColumnId(self.infos.len() as u32);
        let index = self.tables.len() as u32;
        self.tables.push(table.clone());
        self.infos.extend(table.columns.iter().enumerate().map(|(i, column)| ColumnInfo {
            ty: column.ty,
            nullable: column.nullable,
            origin: Some((index, i as u16)),
        }));
        for (id, column) in (first.0..).zip(&table.columns) {
            // A session's own temporary table hides nothing from it.
            let Some(function) = column.mask.clone().filter(|_| !table.is_own()) else { continue };
            let masked = MaskedColumn { table: (table.database, table.object), column_id: column.column_id };
            self.masks.insert(ColumnId(id), Mask { function, columns: [masked].into() });
        }
        first
    }

    pub fn set_untyped(&mut self, id: ColumnId) {
        self.untyped.insert(id);
    }

    pub fn is_untyped(&self, id: ColumnId) -> bool {
        self.untyped.contains(id)
    }

    pub fn set_yielding(&mut self, id: ColumnId) {
        self.yielding.insert(id);
    }

    /// A column of its own type and collation, as the catalog has it.
    pub fn declare(&mut self, id: ColumnId) {
        self.untyped.remove(id);
        self.yielding.remove(id);
    }

    /// A view shows it.
    pub fn enter_view(&mut self, id: ColumnId, computed: bool) {
        let base = self.origin(id).map(|origin| origin.table.columns[usize::from(origin.column)].computed.is_some());
        if base != Some(false) && !self.in_views.contains_key(&id) {
            let computed = computed || base == Some(true);
            self.in_views.insert(id, if computed { InView::Computed } else { InView::Stored });
        }
    }

    /// An expression of the select list is the column from here on.
    pub fn compute_below_sort(&mut self, id: ColumnId, told_nullable: bool) {
        self.below_sort.insert(id);
        if told_nullable {
            self.tell_nullable(id);
        }
    }

    /// Whether clients are told that it is computed.
    pub fn is_computed(&self, id: ColumnId) -> bool {
        self.below_sort.contains(id) || self.in_view(id) == Some(InView::Computed)
    }

    /// A derived table shows what a view does: whether that was computed is no more told.
    pub fn leave_view(&mut self, id: ColumnId) {
        self.below_sort.remove(id);
        if let Some(what) = self.in_views.get_mut(&id) {
            *what = InView::Stored;
        }
    }

    pub fn in_view(&self, id: ColumnId) -> Option<InView> {
        self.in_views.get(&id).copied()
    }

    pub fn tell_nullable(&mut self, id: ColumnId) {
        self.told_nullable.insert(id);
    }

    pub fn is_told_nullable(&self, id: ColumnId) -> bool {
        self.told_nullable.contains(id)
    }

    pub fn is_yielding(&self, id: ColumnId) -> bool {
        self.yielding.contains(id)
    }

    pub fn has_no_masks(&self) -> bool {
        self.masks.is_empty()
    }

    pub fn mask(&self, id: ColumnId) -> Option<&Mask> {
        self.masks.get(&id)
    }

    pub fn set_mask(&mut self, id: ColumnId, mask: Option<Mask>) {
        match mask {
            Some(mask) => self.masks.insert(id, mask),
            None => self.masks.remove(&id),
        };
    }

    pub fn info(&self, id: ColumnId) -> &ColumnInfo {
        &self.infos[id.index()]
    }

    pub fn len(&self) -> usize {
        self.infos.len()
    }

    pub fn is_empty(&self) -> bool {
        self.infos.is_empty()
    }

    pub fn origin(&self, id: ColumnId) -> Option<ColumnOrigin> {
        let (table, column) = self.info(id).origin?;
        Some(ColumnOrigin { table: self.tables[table as usize].clone(), place: table, column, told: None })
    }

    pub fn expr(&self, id: ColumnId) -> Expr {
        let info = self.info(id);
        Expr::column(id.index(), info.ty, info.nullable)
    }
}

/// A set of column ids.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ColumnSet(Vec<u64>);

impl ColumnSet {
    pub fn insert(&mut self, id: ColumnId) {
        let word = id.index() / 64;
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (id.index() % 64);
    }

    pub fn remove(&mut self, id: ColumnId) {
        if let Some(word) = self.0.get_mut(id.index() / 64) {
            *word &= !(1 << (id.index() % 64));
        }
    }

    pub fn contains(&self, id: ColumnId) -> bool {
        self.0.get(id.index() / 64).is_some_and(|word| word >> (id.index() % 64) & 1 == 1)
    }

    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }

    pub fn insert_all(&mut self, other: &ColumnSet) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a |= b);
    }

    pub fn insert_expr(&mut self, expr: &Expr) {
        expr.for_each_column(&mut |column| self.insert(ColumnId(column as u32)));
    }

    pub fn meets(&self, other: &ColumnSet) -> bool {
        self.0.iter().zip(&other.0).any(|(a, b)| a & b != 0)
    }

    /// Every member is in `other`.
    pub fn within(&self, other: &ColumnSet) -> bool {
        self.0.iter().enumerate().all(|(i, a)| a & !other.0.get(i).copied().unwrap_or(0) == 0)
    }

    pub fn retain(&mut self, keep: impl Fn(ColumnId) -> bool) {
        for (index, word) in self.0.iter_mut().enumerate() {
            let mut bits = *word;
            while bits != 0 {
                let bit = bits.trailing_zeros();
                bits &= bits - 1;
                if !keep(ColumnId((index * 64) as u32 + bit)) {
                    *word &= !(1 << bit);
                }
            }
        }
    }

    #[cfg_attr(debug_assertions, track_caller)]
    pub fn of(expr: &Expr) -> ColumnSet {
        types::plant!();
        let mut set = ColumnSet::default();
        set.insert_expr(expr);
        set
    }
}

impl FromIterator<ColumnId> for ColumnSet {
    fn from_iter<T: IntoIterator<Item = ColumnId>>(ids: T) -> ColumnSet {
        let mut set = ColumnSet::default();
        ids.into_iter().for_each(|id| set.insert(id));
        set
    }
}

#[derive(Debug, Clone)]
pub enum Rel {
    Get(Box<Get>),
    /// Rows that are not a stored table's.
    Leaf(Box<Leaf>),
    /// Without `ids` and with one empty row: SELECT without FROM.
    Values {
        ids: Vec<ColumnId>,
        rows: Vec<Vec<Expr>>,
    },
    Filter {
        input: Box<Rel>,
        predicates: Vec<Expr>,
    },
    /// Adds computed columns.
    Map {
        input: Box<Rel>,
        defs: Vec<(ColumnId, Expr)>,
    },
    Join(Box<Join>),
    Aggregate(Box<Group>),
    Window(Box<Window>),
    Sort {
        input: Box<Rel>,
        keys: Vec<SortKey>,
    },
    Top(Box<TopRows>),
    /// UNION ALL: column i of each branch has the type of `ids[i]`.
    Concat {
        ids: Vec<ColumnId>,
        branches: Vec<Branch>,
    },
    /// EXCEPT, INTERSECT.
    SetOperation {
        ids: Vec<ColumnId>,
        left: Box<Branch>,
        right: Box<Branch>,
        intersect: bool,
    },
    Recursive {
        ids: Vec<ColumnId>,
        anchor: Box<Branch>,
        recursive: Box<Branch>,
        work_table: u32,
        rounds_max: u32,
    },
    Spool(Box<Rel>),
    Text(Box<TextRows>),
}

/// FOR XML, FOR JSON: one row with one text made of the input's rows.
#[derive(Debug, Clone)]
pub struct TextRows {
    pub id: ColumnId,
    pub input: Rel,
    pub outputs: Vec<super::Output>,
    pub format: ForFormat,
}

/// A relation and which of its columns count, in order.
#[derive(Debug, Clone)]
pub struct Branch {
    pub rel: Rel,
    pub columns: Vec<ColumnId>,
}

#[derive(Debug, Clone)]
pub struct Get {
    pub source: TableSource,
    pub table: Arc<TableDef>,
    /// Column i of the table is `first + i`.
    pub first: ColumnId,
    /// Set for the target of a modification: the column that holds the row's locator.
    pub locator: Option<ColumnId>,
    pub lock: LockHint,
    /// WITH (INDEX (n)): only this one.
    pub forced_index: Option<u32>,
    /// WITH (FORCESEEK).
    pub force_seek: bool,
    pub alias: Box<str>,
    /// Rows of the table when the query was bound.
    pub rows: u64,
    /// What is known of its values, where the plan has a choice.
    pub statistics: TableStatistics,
}

impl Get {
    /// The table column that `id` is.
    pub fn column_of(&self, id: ColumnId) -> Option<u16> {
        let offset = id.0.checked_sub(self.first.0)?;
        ((offset as usize) < self.table.columns.len()).then_some(offset as u16)
    }

    pub fn id_of(&self, column: u16) -> ColumnId {
        ColumnId(self.first.0 + column as u32)
    }

    pub fn expr_of(&self, column: u16) -> Expr {
        let own = &self.table.columns[usize::from(column)];
        Expr::column(self.id_of(column).index(), own.ty, own.nullable)
    }

    fn defines(&self, out: &mut ColumnSet) {
        (0..self.table.columns.len()).for_each(|i| out.insert(self.id_of(i as u16)));
        self.locator.iter().for_each(|id| out.insert(*id));
    }

    pub fn defined(&self) -> ColumnSet {
        let mut all = ColumnSet::default();
        self.defines(&mut all);
        all
    }
}

#[derive(Debug, Clone)]
pub struct Leaf {
    pub ids: Vec<ColumnId>,
    pub kind: LeafKind,
}

#[derive(Debug, Clone)]
pub enum LeafKind {
    Virtual {
        table: Arc<VirtualTableDef>,
        arguments: Vec<Expr>,
    },
    TableFunction {
        function: TableFunction,
        arguments: Vec<Expr>,
    },
    UserTableFunction {
        module: Arc<ModuleDef>,
        arguments: Vec<Expr>,
    },
    WorkTable(u32),
    /// A modification with OUTPUT, already planned.
    Modify(Modify),
}

#[derive(Debug, Clone)]
pub struct Join {
    pub kind: JoinKind,
    pub left: Rel,
    pub right: Rel,
    pub on: Vec<Expr>,
    /// The right side reads columns of the left (APPLY).
    pub lateral: bool,
    pub hint: Option<JoinMethod>,
    /// OPTION (FORCE ORDER), or a join hint.
    pub keep_order: bool,
    /// A semi join with a security policy's predicate: nobody wrote it.
    pub guard: bool,
    /// As the search for an order has estimated them.
    pub rows: Option<f64>,
}

impl Join {
    /// One of which nothing more is said.
    pub fn new(kind: JoinKind, left: Rel, right: Rel, on: Vec<Expr>) -> Join {
        Join { kind, left, right, on, lateral: false, hint: None, keep_order: false, guard: false, rows: None }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JoinMethod {
    Loop,
    Hash,
}

/// Aggregation. Without `group` there is one row.
#[derive(Debug, Clone)]
pub struct Group {
    pub input: Rel,
    pub group: Vec<(ColumnId, Expr)>,
    pub aggregates: Vec<(ColumnId, Aggregate)>,
    /// GROUPING SETS: indexes into `group`, and the column that says which set (a bit for each group, set when it is
    /// not in the set; the first group is the highest).
    pub sets: Option<(Vec<Vec<usize>>, ColumnId)>,
}

#[derive(Debug, Clone)]
pub struct Window {
    pub input: Rel,
    pub partition: Vec<Expr>,
    pub order: Vec<SortKey>,
    pub functions: Vec<(ColumnId, WindowFunction)>,
}

#[derive(Debug, Clone)]
pub struct TopRows {
    pub input: Rel,
    /// ORDER BY; empty: any rows.
    pub keys: Vec<SortKey>,
    pub count: Option<Expr>,
    pub percent: bool,
    pub with_ties: bool,
    pub offset: Option<Expr>,
}

impl Rel {
    /// One row without columns.
    pub fn one_row() -> Rel {
        Rel::Values { ids: Vec::new(), rows: vec![Vec::new()] }
    }

    #[cfg_attr(debug_assertions, track_caller)]
    pub fn filter(self, predicates: Vec<Expr>) -> Rel {
        types::plant!();
        match self {
            rel if predicates.is_empty() => rel,
            Rel::Filter { input, predicates: mut all } => {
                all.extend(predicates);
                Rel::Filter { input, predicates: all }
            }
            rel => Rel::Filter { input: Box::new(rel), predicates },
        }
    }

    #[cfg_attr(debug_assertions, track_caller)]
    pub fn map(self, defs: Vec<(ColumnId, Expr)>) -> Rel {
        types::plant!();
        if defs.is_empty() { self } else { Rel::Map { input: Box::new(self), defs } }
    }

    #[cfg_attr(debug_assertions, track_caller)]
    pub fn join(kind: JoinKind, left: Rel, right: Rel, on: Vec<Expr>) -> Rel {
        types::plant!();
        Rel::Join(Box::new(Join::new(kind, left, right, on)))
    }

    /// Adds the columns this relation offers to those above it.
    pub fn defines(&self, out: &mut ColumnSet) {
        match self {
            Rel::Get(get) => get.defines(out),
            Rel::Leaf(leaf) => leaf.ids.iter().for_each(|id| out.insert(*id)),
            Rel::Values { ids, .. }
            | Rel::Concat { ids, .. }
            | Rel::SetOperation { ids, .. }
            | Rel::Recursive { ids, .. } => ids.iter().for_each(|id| out.insert(*id)),
            Rel::Filter { input, .. } | Rel::Sort { input, .. } | Rel::Spool(input) => input.defines(out),
            Rel::Map { input, defs } => {
                input.defines(out);
                defs.iter().for_each(|(id, _)| out.insert(*id));
            }
            Rel::Join(join) => {
                join.left.defines(out);
                if !matches!(join.kind, JoinKind::Semi | JoinKind::Anti) {
                    join.right.defines(out);
                }
            }
            Rel::Aggregate(group) => {
                group.group.iter().for_each(|(id, _)| out.insert(*id));
                group.aggregates.iter().for_each(|(id, _)| out.insert(*id));
                group.sets.iter().for_each(|(_, id)| out.insert(*id));
            }
            Rel::Window(window) => {
                window.input.defines(out);
                window.functions.iter().for_each(|(id, _)| out.insert(*id));
            }
            Rel::Top(top) => top.input.defines(out),
            Rel::Text(text) => out.insert(text.id),
        }
    }

    pub fn defined(&self) -> ColumnSet {
        let mut set = ColumnSet::default();
        self.defines(&mut set);
        set
    }

    /// Operators one above the other.
    pub fn height(&self) -> usize {
        let mut highest = 0;
        let mut left = vec![(self, 1)];
        while let Some((rel, level)) = left.pop() {
            highest = highest.max(level);
            rel.for_each_input(&mut |input| left.push((input, level + 1)));
        }
        highest
    }

    pub fn for_each_input<'a>(&'a self, f: &mut dyn FnMut(&'a Rel)) {
        match self {
            Rel::Get(_) | Rel::Leaf(_) | Rel::Values { .. } => {}
            Rel::Filter { input, .. } | Rel::Map { input, .. } | Rel::Sort { input, .. } | Rel::Spool(input) => {
                f(input)
            }
            Rel::Join(join) => {
                f(&join.left);
                f(&join.right);
            }
            Rel::Aggregate(group) => f(&group.input),
            Rel::Window(window) => f(&window.input),
            Rel::Top(top) => f(&top.input),
            Rel::Text(text) => f(&text.input),
            Rel::Concat { branches, .. } => branches.iter().for_each(|branch| f(&branch.rel)),
            Rel::SetOperation { left, right, .. } => {
                f(&left.rel);
                f(&right.rel);
            }
            Rel::Recursive { anchor, recursive, .. } => {
                f(&anchor.rel);
                f(&recursive.rel);
            }
        }
    }

    pub fn for_each_input_mut(&mut self, f: &mut dyn FnMut(&mut Rel)) {
        match self {
            Rel::Get(_) | Rel::Leaf(_) | Rel::Values { .. } => {}
            Rel::Filter { input, .. } | Rel::Map { input, .. } | Rel::Sort { input, .. } | Rel::Spool(input) => {
                f(input)
            }
            Rel::Join(join) => {
                f(&mut join.left);
                f(&mut join.right);
            }
            Rel::Aggregate(group) => f(&mut group.input),
            Rel::Window(window) => f(&mut window.input),
            Rel::Top(top) => f(&mut top.input),
            Rel::Text(text) => f(&mut text.input),
            Rel::Concat { branches, .. } => branches.iter_mut().for_each(|branch| f(&mut branch.rel)),
            Rel::SetOperation { left, right, .. } => {
                f(&mut left.rel);
                f(&mut right.rel);
            }
            Rel::Recursive { anchor, recursive, .. } => {
                f(&mut anchor.rel);
                f(&mut recursive.rel);
            }
        }
    }

    /// The expressions of this node alone.
    pub fn for_each_expr<'a>(&'a self, f: &mut dyn FnMut(&'a Expr)) {
        match self {
            Rel::Get(_) | Rel::Spool(_) => {}
            Rel::Leaf(leaf) => match &leaf.kind {
                LeafKind::Virtual { arguments, .. }
                | LeafKind::TableFunction { arguments, .. }
                | LeafKind::UserTableFunction { arguments, .. } => arguments.iter().for_each(f),
                LeafKind::WorkTable(_) | LeafKind::Modify(_) => {}
            },
            Rel::Values { rows, .. } => rows.iter().flatten().for_each(f),
            Rel::Filter { predicates, .. } => predicates.iter().for_each(f),
            Rel::Map { defs, .. } => defs.iter().for_each(|(_, e)| f(e)),
            Rel::Join(join) => join.on.iter().for_each(f),
            Rel::Aggregate(group) => {
                group.group.iter().for_each(|(_, e)| f(e));
                for (_, aggregate) in &group.aggregates {
                    aggregate.argument.iter().for_each(&mut *f);
                    aggregate.extra.iter().for_each(&mut *f);
                    aggregate.order.iter().for_each(|key| f(&key.expr));
                }
            }
            Rel::Window(window) => {
                window.partition.iter().for_each(&mut *f);
                window.order.iter().for_each(|key| f(&key.expr));
                window.functions.iter().flat_map(|(_, function)| &function.arguments).for_each(f);
            }
            Rel::Sort { keys, .. } => keys.iter().for_each(|key| f(&key.expr)),
            Rel::Top(top) => {
                top.keys.iter().for_each(|key| f(&key.expr));
                top.count.iter().for_each(&mut *f);
                top.offset.iter().for_each(&mut *f);
            }
            Rel::Text(text) => text.outputs.iter().for_each(|output| f(&output.expr)),
            // Branch columns are the node's own use of its inputs.
            Rel::Concat { .. } | Rel::SetOperation { .. } | Rel::Recursive { .. } => {}
        }
    }

    /// Columns that expressions inside mention and nothing inside offers: those of enclosing rows.
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn free(&self) -> ColumnSet {
        types::plant!();
        let mut used = ColumnSet::default();
        let mut own = ColumnSet::default();
        self.collect(&mut used, &mut own);
        let mut free = ColumnSet::default();
        for (word, bits) in used.0.iter().enumerate() {
            let mut bits = bits & !own.0.get(word).copied().unwrap_or(0);
            while bits != 0 {
                free.insert(ColumnId((word * 64) as u32 + bits.trailing_zeros()));
                bits &= bits - 1;
            }
        }
        free
    }

    /// Ids are unique in the statement, so whatever any node inside defines is not free.
    fn collect(&self, used: &mut ColumnSet, own: &mut ColumnSet) {
        self.for_each_expr(&mut |e| used.insert_expr(e));
        self.for_each_input(&mut |input| input.collect(used, own));
        // A branch may give a column of the enclosing row as it is.
        let mut give = |branch: &Branch| branch.columns.iter().for_each(|id| used.insert(*id));
        match self {
            Rel::Concat { branches, .. } => branches.iter().for_each(give),
            Rel::SetOperation { left, right, .. } => [left, right].into_iter().for_each(|branch| give(branch)),
            Rel::Recursive { anchor, recursive, .. } => [anchor, recursive].into_iter().for_each(|branch| give(branch)),
            _ => {}
        }
        match self {
            // Its right side is not among what it defines.
            Rel::Join(_) | Rel::Filter { .. } | Rel::Sort { .. } | Rel::Top(_) | Rel::Spool(_) => {}
            Rel::Map { defs, .. } => defs.iter().for_each(|(id, _)| own.insert(*id)),
            Rel::Window(window) => window.functions.iter().for_each(|(id, _)| own.insert(*id)),
            other => other.defines(own),
        }
    }
}

/// Replaces columns by their definitions.
pub fn substitute(expr: &mut Expr, defs: &[(ColumnId, Expr)]) {
    expr.rewrite(&mut |e| {
        let ExprKind::Column(column) = e.kind else { return false };
        if let Some((_, def)) = defs.iter().find(|(id, _)| id.index() == column) {
            *e = def.clone();
        }
        true
    });
}
