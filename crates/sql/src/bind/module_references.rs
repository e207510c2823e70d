//! What a module names that is not bound to it, by its text alone: for `sys.sql_expression_dependencies`.

use super::names::same_name;
use super::variables::{Found, visit_expr, visit_query, visit_statement};
use crate::ast::{self, StatementKind as S};
use crate::parse::{ParseOptions, parse_batch};

/// An entity that a module names.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedEntity {
    pub name: ast::ObjectName,
    /// A type, else what is in sys.objects.
    pub is_type: bool,
    /// Called by EXECUTE: a name without a schema is looked up in that of the caller.
    pub executed: bool,
    /// Written as the call of a function, which may be a method of a column as well.
    pub called: bool,
}

/// Each once, in the order of the text. Temporary tables are none. Text that this version cannot read has none.
pub fn module_references(text: &str, quoted_identifier: bool) -> Vec<NamedEntity> {
    let mut names = Names::default();
    if let Ok(batch) = parse_batch(text, &ParseOptions { quoted_identifier }) {
        batch.statements.iter().for_each(|statement| names.module(&statement.kind));
    }
    names.entities
}

#[derive(Default)]
struct Names {
    entities: Vec<NamedEntity>,
    is_trigger: bool,
}

/// What the visitor tells of one statement.
#[derive(Default)]
struct Visited<'a> {
    tables: Vec<&'a ast::ObjectName>,
    functions: Vec<&'a ast::ObjectName>,
    sequences: Vec<&'a ast::ObjectName>,
    /// Names of common table expressions.
    expressions: Vec<&'a str>,
    aliases: Vec<&'a str>,
    /// The last that was told is a table, whose alias comes next.
    after_table: bool,
}

impl<'a> Visited<'a> {
    fn note(&mut self, found: Found<'a>) {
        let after_table = std::mem::take(&mut self.after_table);
        match found {
            Found::Named(name) => {
                self.tables.push(name);
                self.after_table = true;
            }
            Found::Local(name) if after_table => self.aliases.push(name),
            Found::Local(name) => self.expressions.push(name),
            Found::Function(name) => self.functions.push(name),
            Found::Sequence(name) => self.sequences.push(name),
            _ => {}
        }
    }
}

/// Methods of xml, whose calls look like those of functions.
const METHODS: [&str; 5] = ["exist", "modify", "nodes", "query", "value"];

impl Names {
    fn add(&mut self, name: &ast::ObjectName, kind: impl FnOnce(&mut NamedEntity)) {
        if name.is_temporary() {
            return;
        }
        let mut entity = NamedEntity { name: name.clone(), is_type: false, executed: false, called: false };
        kind(&mut entity);
        let same_part = |a: &Option<ast::Ident>, b: &Option<ast::Ident>| match (a, b) {
            (Some(a), Some(b)) => same_name(a, b),
            (None, None) => true,
            _ => false,
        };
        let known = self.entities.iter().any(|known| {
            let (a, b) = (&known.name, &entity.name);
            known.is_type == entity.is_type
                && same_name(&a.name, &b.name)
                && same_part(&a.schema, &b.schema)
                && same_part(&a.database, &b.database)
                && same_part(&a.server, &b.server)
        });
        if !known {
            self.entities.push(entity);
        }
    }

    fn module(&mut self, create: &ast::StatementKind) {
        match create {
            S::CreateView(view) => self.visit(None, |note| visit_query(&view.query, note)),
            S::CreateProcedure(procedure) => {
                self.parameters(&procedure.parameters);
                self.body(&procedure.body);
            }
            S::CreateFunction(function) => {
                self.parameters(&function.parameters);
                match &function.returns {
                    ast::FunctionReturns::Scalar { data_type, body, .. } => {
                        self.data_type(data_type);
                        self.body(body);
                    }
                    ast::FunctionReturns::Inline { query, .. } => self.visit(None, |note| visit_query(query, note)),
                    ast::FunctionReturns::Table { definition, body, .. } => {
                        self.table(definition);
                        self.body(body);
                    }
                    ast::FunctionReturns::ExternalTable { .. } => {}
                }
            }
            S::CreateTrigger(trigger) => {
                self.is_trigger = true;
                self.body(&trigger.body);
            }
            _ => {}
        }
    }

    fn parameters(&mut self, parameters: &[ast::Parameter]) {
        parameters.iter().for_each(|parameter| self.data_type(&parameter.data_type));
    }

    fn data_type(&mut self, data_type: &ast::DataType) {
        if let ast::TypeName::User(name) = &data_type.name {
            self.add(name, |entity| entity.is_type = true);
        }
    }

    fn table(&mut self, definition: &ast::TableDefinition) {
        for column in &definition.columns {
            if let ast::ColumnKind::Typed(data_type) = &column.kind {
                self.data_type(data_type);
            }
        }
    }

    fn body(&mut self, body: &ast::ModuleBody) {
        match body {
            ast::ModuleBody::Statements(statements) | ast::ModuleBody::Atomic { statements, .. } => {
                self.statements(statements);
            }
            ast::ModuleBody::External(_) => {}
        }
    }

    fn statements(&mut self, statements: &[ast::Statement]) {
        statements.iter().for_each(|statement| self.statement(&statement.kind));
    }

    fn expr(&mut self, expr: &ast::Expr) {
        self.visit(None, |note| visit_expr(expr, note));
    }

    fn execute(&mut self, execute: &ast::Execute) {
        if let ast::Procedure::Name(name, _) = &execute.procedure {
            self.add(name, |entity| entity.executed = true);
        }
        execute.args.iter().for_each(|argument| self.expr(&argument.value));
    }

    fn statement(&mut self, statement: &ast::StatementKind) {
        let target = match statement {
            S::Insert(insert) => Some(&insert.target),
            S::Update(update) => Some(&update.target),
            S::Delete(delete) => Some(&delete.target),
            S::Merge(merge) => Some(&merge.target),
            _ => None,
        };
        self.visit(target, |note| visit_statement(statement, note));
        match statement {
            S::Block(statements) => self.statements(statements),
            S::If(branches) => {
                branches.branches.iter().for_each(|branch| self.statement(&branch.then.kind));
                branches.otherwise.iter().for_each(|otherwise| self.statement(&otherwise.kind));
            }
            S::While(repeated) => {
                self.expr(&repeated.condition);
                self.statement(&repeated.body.kind);
            }
            S::TryCatch(both) => {
                self.statements(&both.body);
                self.statements(&both.handler);
            }
            S::Declare(declarations) => {
                for declaration in declarations {
                    match declaration {
                        ast::Declaration::Scalar { data_type, value, .. } => {
                            self.data_type(data_type);
                            value.iter().for_each(|value| self.expr(value));
                        }
                        ast::Declaration::Table { definition, .. } => self.table(definition),
                        ast::Declaration::Cursor { .. } => {}
                    }
                }
            }
            S::SetVariable(set) => {
                if let ast::SetVariableKind::Cursor(cursor) = &set.kind {
                    cursor.query.iter().for_each(|query| self.visit(None, |note| visit_query(query, note)));
                }
            }
            S::Execute(execute) => self.execute(execute),
            S::Insert(insert) => {
                if let ast::InsertSource::Execute(execute) = &insert.source {
                    self.execute(execute);
                }
            }
            S::Truncate(truncate) => self.add(&truncate.table, |_| {}),
            _ => {}
        }
    }

    /// `target`: of the statement that `walk` visits, which may be an alias of its FROM.
    fn visit<'a>(&mut self, target: Option<&'a ast::Target>, walk: impl FnOnce(&mut dyn FnMut(Found<'a>))) {
        let mut visited = Visited::default();
        walk(&mut |found| visited.note(found));
        let target = match target {
            Some(ast::Target::Table { name, .. }) => Some(name),
            _ => None,
        };
        let is_one_of = |names: &[&str], name: &ast::ObjectName| {
            name.is_unqualified() && names.iter().any(|local| same_name(local, &name.name))
        };
        for name in visited.tables {
            let is_alias = target.is_some_and(|target| std::ptr::eq(target, name)) && is_one_of(&visited.aliases, name);
            let is_change = self.is_trigger && is_one_of(&["inserted", "deleted"], name);
            if !is_alias && !is_change && !is_one_of(&visited.expressions, name) {
                self.add(name, |_| {});
            }
        }
        for name in visited.functions {
            let is_method = METHODS.iter().any(|method| same_name(method, &name.name));
            if !name.is_unqualified() && !is_method {
                self.add(name, |entity| entity.called = true);
            }
        }
        visited.sequences.into_iter().for_each(|name| self.add(name, |_| {}));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> String {
        let one = |entity: &NamedEntity| {
            let parts = [&entity.name.server, &entity.name.database, &entity.name.schema];
            let mut name: Vec<&str> = parts.into_iter().flatten().map(|part| &*part.text).collect();
            name.push(&entity.name.name.text);
            let kind = if entity.is_type {
                ":type"
            } else if entity.executed {
                ":exec"
            } else if entity.called {
                ":call"
            } else {
                ""
            };
            format!("{}{kind}", name.join("."))
        };
        module_references(text, true).iter().map(one).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn what_a_module_names_is_found_once() {
        assert_eq!(
            names("CREATE VIEW v AS SELECT * FROM dbo.t a JOIN DBO.T b ON 1 = 1 JOIN u ON dbo.f(1) = 2"),
            "dbo.t u dbo.f:call"
        );
        assert_eq!(
            names(
                "CREATE PROCEDURE p @a dbo.k, @l dbo.list READONLY AS BEGIN
                   DECLARE @x k2 = (SELECT MAX(i) FROM s.m);
                   WITH c AS (SELECT * FROM w) UPDATE x SET i = NEXT VALUE FOR q FROM c JOIN y AS x ON x.i = c.i
                   IF EXISTS (SELECT 1 FROM #t) EXEC other @x ELSE EXEC d..third
                   INSERT z EXEC s.rows
                 END"
            ),
            "dbo.k:type dbo.list:type k2:type s.m w y q other:exec d.third:exec z s.rows:exec"
        );
        assert_eq!(names("CREATE TRIGGER g ON t AFTER INSERT AS DELETE h FROM inserted i JOIN h ON h.a = i.a"), "h");
        assert_eq!(
            names("CREATE PROCEDURE p AS SELECT x.value('a', 'int') FROM t CROSS APPLY t.x.nodes('b') AS n (x)"),
            "t"
        );
        assert_eq!(names("not a module"), "");
    }
}
