//! Methods and properties of geometry and geography. In the plan a call is a function: which method it is (`Signature::number`) and of
//! which type (1: geography) as a literal, the value that it is called on unless it is static, then its arguments as the method takes them.

use spatial::method::{Form, Give, Signature, Take};
use spatial::world::World;
use types::{Datum, SqlError, SqlResult, SqlType, TypeKind, sql_error};

use super::binder::Binder;
use super::convert::implicit;
use super::names::display;
use super::scope::Scope;
use super::typing;
use crate::ast;
use crate::function::FunctionId;
use crate::plan::{AggregateFunction, Expr, ExprKind, VariableSlot};

const ASSEMBLY: &str = "Microsoft.SqlServer.Types";

fn class(world: World) -> &'static str {
    world.ty().kind.udt().expect("a type of the assembly").class
}

/// 6506 of a call, 6592 of a property: the type has no such member.
fn unknown(world: World, name: &str, called: bool) -> SqlError {
    if called { sql_error!(6506, name, class(world), ASSEMBLY) } else { sql_error!(6592, name, class(world), ASSEMBLY) }
}

fn find(world: World, name: &str, called: bool) -> SqlResult<&'static Signature> {
    let found = Signature::find(world, name).filter(|found| found.is_property() != called);
    found.ok_or_else(|| unknown(world, name, called))
}

/// The type of what a member gives.
fn type_of(world: World, gives: Give, binder: &Binder<'_>) -> SqlType {
    let collation = binder.catalog.collation();
    match gives {
        Give::Int => SqlType::INT,
        Give::Float => SqlType::FLOAT,
        Give::Bit => SqlType::BIT,
        Give::Name => SqlType::nvarchar(4000).with_collation(collation),
        Give::Text => SqlType::NVARCHAR_MAX.with_collation(collation),
        Give::Binary => SqlType::VARBINARY_MAX,
        Give::Xml => SqlType::XML,
        Give::Same => world.ty(),
    }
}

/// How the plan says which member it is.
fn number(world: World, signature: &Signature) -> Expr {
    Expr::int(2 * signature.number() + i32::from(world == World::Globe))
}

impl Binder<'_> {
    /// `geometry::Name(...)`, `geometry::Name`. 243, 6506, 6573, 6592.
    pub fn spatial_static(&mut self, method: &ast::StaticMethod, scope: &Scope) -> SqlResult<Expr> {
        let name = &method.type_name;
        let of_system = name.database.is_none() && name.schema.as_ref().is_none_or(|schema| schema.is("sys"));
        let world = TypeKind::from_name(&name.name.text).filter(|_| of_system).and_then(World::of);
        let Some(world) = world else { return Err(sql_error!(243, state 4, display(name))) };
        let signature = find(world, &method.name.text, method.args.is_some())?;
        if !signature.is_static() {
            return Err(sql_error!(6573, signature.name, class(world), ASSEMBLY));
        }
        let arguments = method.args.as_deref().unwrap_or(&[]);
        if signature.form == Form::Aggregate {
            let call = ast::Call {
                name: ast::ObjectName::unqualified(method.name.clone(), method.line),
                args: arguments.to_vec(),
                star: false,
                distinct: false,
                odbc: false,
                extra: None,
                line: method.line,
            };
            return self.aggregate(AggregateFunction::Shapes(signature.number()), &call, scope);
        }
        let arguments = self.spatial_arguments(world, signature, arguments, scope)?;
        let ty = type_of(world, signature.gives, self);
        let arguments = std::iter::once(number(world, signature)).chain(arguments).collect();
        Ok(Expr::new(ty, true, ExprKind::Function(FunctionId::Spatial, arguments)))
    }

    /// `value.Name(...)`, or `value.Name` where there are no arguments. 6506, 6574, 6592.
    pub fn spatial_member(
        &mut self,
        target: Expr,
        name: &ast::Ident,
        arguments: Option<&[ast::Expr]>,
        scope: &Scope,
    ) -> SqlResult<Expr> {
        let Some(world) = World::of(target.ty.kind) else {
            return Err(sql_error!(258, typing::type_name(&target.ty)));
        };
        let signature = find(world, &name.text, arguments.is_some())?;
        if signature.is_static() {
            return Err(sql_error!(6574, signature.name, class(world), ASSEMBLY));
        }
        let arguments = self.spatial_arguments(world, signature, arguments.unwrap_or(&[]), scope)?;
        let ty = type_of(world, signature.gives, self);
        let arguments = [number(world, signature), target].into_iter().chain(arguments).collect();
        Ok(Expr::new(ty, true, ExprKind::Function(FunctionId::Spatial, arguments)))
    }

    /// The arguments as the method takes them. 174, 206.
    fn spatial_arguments(
        &mut self,
        world: World,
        signature: &Signature,
        arguments: &[ast::Expr],
        scope: &Scope,
    ) -> SqlResult<Vec<Expr>> {
        if arguments.len() != signature.takes.len() {
            return Err(sql_error!(174, signature.name, signature.takes.len()));
        }
        let text = SqlType::NVARCHAR_MAX.with_collation(self.catalog.collation());
        let mut bound = Vec::with_capacity(arguments.len());
        for (argument, take) in arguments.iter().zip(signature.takes) {
            let ty = match take {
                Take::Int => SqlType::INT,
                Take::Float => SqlType::FLOAT,
                Take::Bit => SqlType::BIT,
                Take::Text => text,
                Take::Binary => SqlType::VARBINARY_MAX,
                Take::Xml => SqlType::XML,
                Take::Same => world.ty(),
            };
            bound.push(implicit(self.expr(argument, scope)?, &ty)?);
        }
        Ok(bound)
    }

    /// `column.Name`, `table.column.Name`, where no table is called so. None: no column of one of the types is.
    pub fn column_property(&mut self, name: &ast::ColumnName, scope: &Scope) -> SqlResult<Option<Expr>> {
        let Some(column) = owner(name) else { return Ok(None) };
        let Ok((found, _)) = scope.column(&column) else { return Ok(None) };
        if !found.ty.is_spatial() {
            return Ok(None);
        }
        self.needs.mark(found.id);
        let value = Expr::column(found.id.index(), found.ty, found.nullable);
        self.spatial_member(value, &name.name, None, scope).map(Some)
    }

    /// `SET @variable.property = value`.
    pub fn changed_property(
        &mut self,
        slot: VariableSlot,
        ty: SqlType,
        (variable, property): (&str, &ast::Ident),
        op: ast::AssignOp,
        value: &ast::Expr,
    ) -> SqlResult<Expr> {
        if op != ast::AssignOp::Set {
            return Err(sql_error!(102, "."));
        }
        let value = self.expr(value, &Scope::EMPTY)?;
        self.spatial_change(Expr::new(ty, true, ExprKind::Variable(slot)), property, value, variable)
    }

    /// What a value becomes where SET gives `value` to its property; `shown` is what error 5302 calls it. 258, 6592.
    pub fn spatial_change(&mut self, target: Expr, property: &ast::Ident, value: Expr, shown: &str) -> SqlResult<Expr> {
        let Some(world) = World::of(target.ty.kind) else { return Err(sql_error!(258, target.ty.shown())) };
        let signature = find(world, &property.text, false)?;
        if signature.form != Form::Changeable {
            return Err(unknown(world, &property.text, false));
        }
        let value = implicit(value, &SqlType::INT)?;
        let shown =
            Expr::literal(SqlType::NVARCHAR_MAX.with_collation(self.catalog.collation()), Datum::nvarchar(shown));
        let ty = target.ty;
        let arguments = vec![number(world, signature), target, value, shown];
        Ok(Expr::new(ty, true, ExprKind::Function(FunctionId::SpatialChange, arguments)))
    }
}

/// The column whose property a name may be.
pub fn owner(name: &ast::ColumnName) -> Option<ast::ColumnName> {
    let table = name.table.as_deref()?;
    let ast::ObjectName { server, database, schema, name: column, line } = table.clone();
    let table =
        schema.map(|name| Box::new(ast::ObjectName { server: None, database: server, schema: database, name, line }));
    Some(ast::ColumnName { table, name: column, line: name.line })
}
