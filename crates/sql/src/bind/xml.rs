//! Methods of type xml. Their texts are parsed and checked here, and stand in the plan as they are: arguments of a function, behind the value
//! that it is called on. What `exec` can rely on: the text parses, and the values that it asks of SQL follow in the order of
//! `xml::Query::externals`.

use types::{Datum, SqlResult, SqlType, TypeKind, sql_error};
use xml::query::{AtomicType, ContextKind, External, Method, NodeType, Query, Receiver, SuppliedType, Typing};

use super::binder::Binder;
use super::convert::converted;
use super::errors;
use super::scope::{FromRel, Scope, Source, SourceColumns};
use super::typing;
use crate::ast;
use crate::function::FunctionId;
use crate::optimize::{ColumnId, Output};
use crate::plan::{Expr, ExprKind, TableFunction, XmlOwner, XmlReference};

/// What a method is called on.
pub struct XmlTarget {
    pub value: Expr,
    /// `table.column` of a column, else empty: errors begin with it.
    column: String,
}

pub fn is_xml_method(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Function(FunctionId::XmlValue | FunctionId::XmlQuery | FunctionId::XmlExist, _))
}

/// 493: the rows of nodes() are for methods and IS NULL only.
pub fn check_direct(name: &str, ty: &SqlType) -> SqlResult<()> {
    if ty.is_xml_node() { Err(sql_error!(493, name)) } else { Ok(()) }
}

/// Prefixes that WITH XMLNAMESPACES declares, checked: the empty one is the default. 6869 to 6877.
pub fn namespaces(declared: &[ast::XmlNamespace]) -> SqlResult<Vec<(Box<str>, Box<str>)>> {
    let mut out: Vec<(Box<str>, Box<str>)> = Vec::with_capacity(declared.len());
    for namespace in declared {
        let prefix: Box<str> = namespace.prefix.as_ref().map_or("".into(), |prefix| prefix.text.clone());
        if namespace.uri.is_empty() {
            return Err(sql_error!(6874));
        }
        if &*prefix == "xmlns" {
            return Err(sql_error!(6871, &*prefix));
        }
        if (&*prefix == "xml") != (&*namespace.uri == xml::read::XML_NAMESPACE) {
            return Err(sql_error!(6872, state if &*prefix == "xml" { 1 } else { 2 }));
        }
        if out.iter().any(|(known, _)| *known == prefix) {
            return Err(sql_error!(6869, if prefix.is_empty() { "default" } else { &*prefix }));
        }
        let fault = prefix.chars().enumerate().find(|(at, c)| {
            !(c.is_alphabetic() || *c == '_' || *at > 0 && (c.is_alphanumeric() || matches!(c, '-' | '.')))
        });
        if let Some((_, c)) = fault {
            return Err(sql_error!(6870, &*prefix, c, format_args!("{:04X}", c as u32)));
        }
        out.push((prefix, namespace.uri.clone()));
    }
    Ok(out)
}

/// Prefixes and URIs as one text, for the plan.
fn written(namespaces: &[(Box<str>, Box<str>)]) -> String {
    namespaces.iter().map(|(prefix, uri)| format!("{prefix}\0{uri}\0")).collect()
}

impl Binder<'_> {
    fn xml_text(&self, text: &str) -> Expr {
        let ty = SqlType::NVARCHAR_MAX.with_collation(self.catalog.collation());
        Expr::literal(ty, Datum::nvarchar(text))
    }

    /// `column.method(...)`, `table.column.method(...)`. None: no column of such a name has methods.
    pub fn column_method(&mut self, call: &ast::Call, scope: &Scope) -> SqlResult<Option<Expr>> {
        let Some(target) = self.method_target(&call.name, scope)? else { return Ok(None) };
        if target.value.ty.is_spatial() {
            return self.spatial_member(target.value, &call.name.name, Some(&call.args), scope).map(Some);
        }
        if target.value.ty.kind == TypeKind::HierarchyId {
            return self.hierarchy_method(target.value, &call.name.name, Some(&call.args), scope).map(Some);
        }
        self.xml_method(target, &call.name.name, &call.args, scope).map(Some)
    }

    /// The column before the last name, if it is of a type with methods.
    fn method_target(&mut self, name: &ast::ObjectName, scope: &Scope) -> SqlResult<Option<XmlTarget>> {
        let Some(column) = &name.schema else { return Ok(None) };
        let table = name.database.as_ref().map(|table| {
            Box::new(ast::ObjectName {
                server: None,
                database: None,
                schema: name.server.clone(),
                name: table.clone(),
                ..name.clone()
            })
        });
        let column = ast::ColumnName { table, name: column.clone(), line: name.line };
        let Ok((found, _)) = scope.column(&column) else { return Ok(None) };
        if !matches!(found.ty.kind, TypeKind::Xml | TypeKind::HierarchyId) && !found.ty.is_spatial() {
            return match Method::find(&name.name.text) {
                Some(_) => Err(sql_error!(258, severity 15, typing::type_name(&found.ty))),
                None => Ok(None),
            };
        }
        self.needs.mark(found.id);
        let value = Expr::column(found.id.index(), found.ty, found.nullable);
        Ok(Some(XmlTarget { column: self.column_label(found.id, &found.name, scope), value }))
    }

    /// An expression that a method is called on: of a column also one of nodes().
    pub fn xml_target(&mut self, target: &ast::Expr, scope: &Scope) -> SqlResult<XmlTarget> {
        if let ast::Expr::Column(name) = target
            && let Ok((found, _)) = scope.column(name)
        {
            self.needs.mark(found.id);
            let value = Expr::column(found.id.index(), found.ty, found.nullable);
            return Ok(XmlTarget { column: self.column_label(found.id, &found.name, scope), value });
        }
        Ok(XmlTarget { value: self.expr(target, scope)?, column: String::new() })
    }

    /// How errors name a column: with its table as FROM has it, whatever its alias; a column of nodes() by what it was made of.
    fn column_label(&self, id: ColumnId, name: &str, scope: &Scope) -> String {
        if let Some((_, label, _)) = self.node_columns.iter().find(|(known, ..)| *known == id) {
            return label.clone();
        }
        let mut here = Some(scope);
        while let Some(scope) = here {
            for source in scope.sources {
                if (0..source.len()).any(|at| source.column(at).id == id) {
                    return format!("{}.{name}", source.label());
                }
            }
            here = scope.parent;
        }
        String::new()
    }

    /// The text of the method's argument `number`. 8172.
    fn xml_literal<'e>(arguments: &'e [ast::Expr], number: usize, method: &str) -> SqlResult<&'e str> {
        match &arguments[number - 1] {
            ast::Expr::Literal(ast::Literal::String { text, .. }) => Ok(text),
            _ => Err(sql_error!(8172, number, method)),
        }
    }

    /// Parses and checks a method's text: the arguments of its function behind the value, and what rows of nodes() are.
    fn xml_query(
        &mut self,
        method: Method,
        text: &str,
        target: &XmlTarget,
        scope: &Scope,
    ) -> SqlResult<(Vec<Expr>, NodeType)> {
        // Parsing and checking take less than what `deeper` keeps.
        self.deeper(|_| Ok(()))?;
        let receiver = Receiver { method, column: target.column.clone() };
        let query = Query::parse(text, &receiver, &self.xml_namespaces)?;
        let mut arguments = vec![self.xml_text(text), self.xml_text(&written(&self.xml_namespaces))];
        let mut types = Vec::with_capacity(query.externals().len());
        for external in query.externals() {
            let value = self.xml_external(external, scope)?;
            types.push(supplied_type(&value.ty, &receiver)?);
            arguments.push(value);
        }
        let context = match target.value.ty.is_xml_node() {
            true => ContextKind::Node(self.node_type(&target.value)),
            false => ContextKind::Document,
        };
        let schema = match target.value.ty.xml_collection() {
            Some(collection) => Some(self.catalog.xml_schema(collection)?),
            None => None,
        };
        let whole = target.value.ty.is_xml_document();
        let typing = schema.as_deref().map(|schema| Typing { schema, whole });
        let row = query.check(context, &types, typing)?;
        Ok((arguments, row))
    }

    /// Of a column of nodes().
    fn node_type(&self, value: &Expr) -> NodeType {
        let is_it = |id: ColumnId| matches!(value.kind, ExprKind::Column(column) if column == id.index());
        let known = self.node_columns.iter().find(|(id, ..)| is_it(*id));
        known.map(|(.., row)| row.clone()).unwrap_or_default()
    }

    /// `sql:column`, `sql:variable`. 9501, 9519.
    fn xml_external(&mut self, external: &External, scope: &Scope) -> SqlResult<Expr> {
        match external {
            External::Variable(name) if !name.starts_with('@') || name.len() < 2 => Err(sql_error!(9519, name)),
            External::Variable(name) => {
                let variable = ast::Variable { name: name.clone(), line: 0 };
                self.variable(&variable).map_err(|_| sql_error!(9501, state 2, name))
            }
            External::Column(name) => {
                let mut parts: Vec<ast::Ident> = name
                    .split('.')
                    .map(|part| part.trim().trim_start_matches('[').trim_end_matches(']'))
                    .map(ast::Ident::new)
                    .collect();
                let column = parts.pop().expect("a text has a part");
                let table = parts.pop().map(|table| {
                    let mut named = ast::ObjectName::unqualified(table, 0);
                    named.schema = parts.pop();
                    Box::new(named)
                });
                self.expr(&ast::Expr::Column(Box::new(ast::ColumnName { table, name: column, line: 0 })), scope)
            }
        }
    }

    /// value, query, exist. 227, 174, 8137, 8172, and what the text has wrong.
    pub fn xml_method(
        &mut self,
        target: XmlTarget,
        name: &ast::Ident,
        arguments: &[ast::Expr],
        scope: &Scope,
    ) -> SqlResult<Expr> {
        let (function, method) = match Method::find(&name.text) {
            Some(method @ Method::Value) => (FunctionId::XmlValue, method),
            Some(method @ Method::Query) => (FunctionId::XmlQuery, method),
            Some(method @ Method::Exist) => (FunctionId::XmlExist, method),
            Some(Method::Modify) => return Err(sql_error!(8137, "modify")),
            Some(Method::Nodes) | None => return Err(sql_error!(227, format_args!("\"{}\"", name.text))),
        };
        let count = if method == Method::Value { 2 } else { 1 };
        if arguments.len() != count {
            return Err(errors::argument_count(method.name(), count));
        }
        let text = Self::xml_literal(arguments, 1, method.name())?;
        let ty = match method {
            Method::Value => self.value_type(Self::xml_literal(arguments, 2, "value")?)?,
            Method::Query => SqlType::XML,
            _ => SqlType::BIT,
        };
        let (behind, _) = self.xml_query(method, text, &target, scope)?;
        let arguments = std::iter::once(target.value).chain(behind).collect();
        Ok(Expr::new(ty, true, ExprKind::Function(function, arguments)))
    }

    /// The type that value() names. 9500.
    fn value_type(&self, text: &str) -> SqlResult<SqlType> {
        let invalid = || sql_error!(9500, text);
        let parsed = crate::parse::parse_type(text.trim()).map_err(|_| invalid())?;
        let ty = self.data_type(&parsed, 1).map_err(|_| invalid())?;
        use TypeKind::*;
        match ty.kind {
            Xml | Text | NText | Image | SqlVariant | HierarchyId | Geometry | Geography | Json => Err(invalid()),
            _ => Ok(ty),
        }
    }

    /// What a value becomes by `modify`; `name` is what error 5302 calls it. 8113, 227, 258.
    pub fn xml_modify(
        &mut self,
        target: XmlTarget,
        name: &str,
        method: &ast::Ident,
        arguments: &[ast::Expr],
        scope: &Scope,
    ) -> SqlResult<Expr> {
        if target.value.ty.is_json() {
            return self.json_modified(target.value, name, method, arguments, scope);
        }
        if target.value.ty.kind != TypeKind::Xml {
            return Err(sql_error!(258, severity 15, typing::type_name(&target.value.ty)));
        }
        match Method::find(&method.text) {
            Some(Method::Modify) => {}
            Some(other) => return Err(sql_error!(8113, other.name())),
            None => return Err(sql_error!(227, format_args!("\"{}\"", method.text))),
        }
        if arguments.len() != 1 {
            return Err(errors::argument_count("modify", 1));
        }
        let text = Self::xml_literal(arguments, 1, "modify")?;
        let (mut behind, _) = self.xml_query(Method::Modify, text, &target, scope)?;
        behind.insert(2, self.xml_text(name));
        let ty = target.value.ty;
        let arguments = std::iter::once(target.value).chain(behind).collect();
        let changed = Expr::new(SqlType::XML, true, ExprKind::Function(FunctionId::XmlModify, arguments));
        // Typed xml is validated again.
        Ok(converted(changed, &ty, false))
    }

    /// `column.nodes(...)` in FROM. None: no column of such a name has methods.
    pub fn column_nodes(
        &mut self,
        name: &ast::ObjectName,
        arguments: &[ast::Expr],
        function: &ast::TableFunction,
        scope: &Scope,
    ) -> SqlResult<Option<FromRel>> {
        if name.schema.is_none() || !name.name.is("nodes") {
            return Ok(None);
        }
        let scope = scope.parent.unwrap_or(scope);
        let Some(target) = self.method_target(name, scope)? else { return Ok(None) };
        self.xml_nodes(target, &name.name, arguments, function, scope).map(Some)
    }

    /// A row for each node that the text finds. 227, 258, 318, 8159.
    pub fn xml_nodes(
        &mut self,
        target: XmlTarget,
        method: &ast::Ident,
        arguments: &[ast::Expr],
        function: &ast::TableFunction,
        scope: &Scope,
    ) -> SqlResult<FromRel> {
        if target.value.ty.kind != TypeKind::Xml {
            return Err(sql_error!(258, severity 15, typing::type_name(&target.value.ty)));
        }
        if Method::find(&method.text) != Some(Method::Nodes) {
            return Err(sql_error!(227, format_args!("\"{}\"", method.text)));
        }
        if arguments.len() != 1 {
            return Err(errors::argument_count("nodes", 1));
        }
        let Some(alias) = function.alias.as_ref().filter(|_| !function.columns.is_empty()) else {
            return Err(sql_error!(318, state 0));
        };
        if function.columns.len() > 1 {
            return Err(sql_error!(8159, &*alias.text));
        }
        let text = Self::xml_literal(arguments, 1, "nodes")?;
        let (behind, row) = self.xml_query(Method::Nodes, text, &target, scope)?;
        let label = target.column.clone();
        // Nodes of typed xml keep their types.
        let node = SqlType { collation: target.value.ty.collation, ..SqlType::XML_NODE };
        let arguments = std::iter::once(target.value).chain(behind).collect();
        let columns = vec![("node", node, false)];
        let named =
            self.leaf_function(TableFunction::XmlNodes, arguments, columns, Some(alias), &function.columns, "nodes")?;
        if let SourceColumns::List(list) = &named.1[0].columns {
            self.node_columns.push((list[0].id, label, row));
        }
        Ok(named)
    }
}

/// The table that each output is a column of. Where none is one of a table, all are the first table's.
pub fn owners(outputs: &[Output], sources: &[Source]) -> Vec<Option<XmlOwner>> {
    let owner = |output: &Output| {
        let ExprKind::Column(id) = output.expr.kind else { return None };
        let number =
            sources.iter().position(|source| (0..source.len()).any(|at| source.column(at).id.index() == id))?;
        let source = &sources[number];
        Some(XmlOwner { number, name: level_name(source), reference: reference(id, source, outputs) })
    };
    let owners: Vec<Option<XmlOwner>> = outputs.iter().map(owner).collect();
    match sources.first() {
        Some(first) if owners.iter().all(Option::is_none) => only_owner(level_name(first), outputs.len()),
        _ => owners,
    }
}

/// One table has all columns, of which none can be found again in it.
pub fn only_owner(name: Box<str>, columns: usize) -> Vec<Option<XmlOwner>> {
    let mut owners = vec![None; columns];
    if let Some(first) = owners.first_mut() {
        *first = Some(XmlOwner { number: 0, name, reference: None });
    }
    owners
}

/// The first table of the first SELECT of a set operation, as FROM calls it.
pub fn first_table(body: &ast::QueryBody) -> Option<Box<str>> {
    match body {
        ast::QueryBody::Select(select) => select.from.first().and_then(called),
        ast::QueryBody::SetOperation(operation) => first_table(&operation.first),
        ast::QueryBody::Nested(query) => first_table(&query.body),
    }
}

fn called(table: &ast::TableRef) -> Option<Box<str>> {
    match table {
        ast::TableRef::Table(table) => {
            Some(table.alias.as_ref().map_or_else(|| super::names::display(&table.name).into(), |own| own.text.clone()))
        }
        ast::TableRef::Variable(variable) => {
            let own = variable.alias.as_ref().map(|alias| alias.text.clone());
            Some(own.unwrap_or_else(|| variable.variable.name.clone()))
        }
        ast::TableRef::Derived(derived) => Some(derived.alias.text.clone()),
        ast::TableRef::Join(chain) => called(&chain.first),
        _ => None,
    }
}

fn level_name(source: &Source) -> Box<str> {
    match &source.schema {
        Some(schema) if source.qualified => format!("{schema}.{}", source.alias).into(),
        _ => source.alias.clone(),
    }
}

/// Of a base table's column.
fn reference(id: usize, source: &Source, outputs: &[Output]) -> Option<XmlReference> {
    let SourceColumns::Table { table, first } = &source.columns else { return None };
    let key = table.indexes.iter().find(|index| index.primary_key)?;
    let shown = |column: u16| {
        let wanted = first.index() + usize::from(column);
        let at =
            outputs.iter().position(|output| matches!(output.expr.kind, ExprKind::Column(own) if own == wanted))?;
        Some((table.columns[usize::from(column)].name.clone(), at))
    };
    Some(XmlReference {
        table: table.name.clone(),
        column: table.columns[id - first.index()].name.clone(),
        key: key.key.iter().map(|(column, _)| shown(*column)).collect::<Option<_>>()?,
    })
}

/// 6819, 13602: rows that a statement keeps are no text.
pub fn refuse_text(query: &ast::Query, statement: &str) -> SqlResult<()> {
    match query.for_clause.as_deref() {
        Some(ast::ForClause::Xml(_)) => Err(sql_error!(6819, statement)),
        Some(ast::ForClause::Json(_)) => Err(sql_error!(13602, statement)),
        _ => Ok(()),
    }
}

/// What FOR XML cannot be with what. 6800, 6825, 3625, 6855, 6859, 6861, 6868, 6873, 40510.
pub fn check_for_xml(
    clause: &ast::ForXml,
    owners: &[Option<XmlOwner>],
    namespaces: &[(Box<str>, Box<str>)],
) -> SqlResult<()> {
    use ast::XmlMode::*;
    let inline = clause.schema.is_some() || clause.xml_data;
    if clause.element.is_some() && matches!(clause.mode, Auto | Explicit) {
        return Err(sql_error!(6859));
    }
    if clause.elements.is_some() && clause.mode == Explicit {
        return Err(sql_error!(6825));
    }
    if matches!(&clause.root, Some(Some(root)) if root.is_empty()) {
        return Err(sql_error!(6861));
    }
    if clause.mode == Path && inline {
        return Err(sql_error!(6855));
    }
    if !namespaces.is_empty() && (inline || clause.mode == Explicit) {
        return Err(sql_error!(6868));
    }
    if clause.mode == Explicit && clause.schema.is_some() {
        return Err(sql_error!(3625, "Inline XSD for FOR XML EXPLICIT"));
    }
    if clause.xml_data && (clause.mode == Explicit || clause.schema.is_some()) {
        return Err(errors::unsupported("FOR XML ... XMLDATA with XMLSCHEMA or EXPLICIT"));
    }
    if clause.elements == Some(ast::XmlElements::XsiNil) && namespaces.iter().any(|(prefix, _)| &**prefix == "xsi") {
        return Err(sql_error!(6873));
    }
    if clause.mode == Auto && owners.iter().all(Option::is_none) {
        return Err(sql_error!(6800));
    }
    Ok(())
}

/// What a value of SQL is for a query. 9344.
fn supplied_type(ty: &SqlType, receiver: &Receiver) -> SqlResult<SuppliedType> {
    use TypeKind::*;
    let name = match ty.kind {
        Bit => "boolean",
        TinyInt => "unsignedByte",
        SmallInt => "short",
        Int => "int",
        BigInt => "long",
        Decimal | Numeric | Money | SmallMoney => "decimal",
        Real => "float",
        Float => "double",
        Char | VarChar | NChar | NVarChar | UniqueIdentifier => "string",
        Binary | VarBinary | RowVersion => "base64Binary",
        Date => "date",
        Time => "time",
        DateTime | SmallDateTime | DateTime2 | DateTimeOffset => "dateTime",
        Xml => return Ok(SuppliedType::Xml),
        SqlVariant | Text | NText | Image | HierarchyId | Geometry | Geography | Json => {
            return Err(sql_error!(9344, receiver.label(), ty.message_name()));
        }
    };
    Ok(SuppliedType::Atomic(AtomicType::find(name).expect("a type of the xs namespace")))
}
