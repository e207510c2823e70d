//! The static checks: one walk that gives each expression its type, and refuses what SQL Server refuses before it reads a node.

use types::{SqlResult, sql_error};

use super::function::Function;
use super::kinds::{ContextKind, Count, Kind, NodeType, Type};
use super::shape::{Found, Shape, Typing};
use super::tree::{
    Action, Axis, Body, Clause, Content, Element, Expr, Flwor, Path, Place, Quantified, Start, Step, Test,
};
use super::{Method, Query, SuppliedType};
use crate::atomic::{Arithmetic, Atomic, AtomicType, Base, arithmetic_base};

pub(super) fn check(
    query: &Query,
    context: ContextKind,
    types: &[SuppliedType],
    typing: Option<Typing<'_>>,
) -> SqlResult<NodeType> {
    let top = if typing.is_some() { Shape::Top } else { Shape::Unknown };
    let context = match context {
        ContextKind::Document => Type { shape: top, ..Type::new(Kind::Document, Count::One) },
        ContextKind::Node(NodeType(node)) => node,
    };
    let mut checker = Checker { query, types, variables: vec![None; query.slots], typing };
    match &query.body {
        Body::Expression(body) => {
            let ty = checker.of(body, &context)?;
            let known = query.method == Method::Nodes && ty.shape != Shape::Unknown;
            let node = if known { NodeType(ty.clone().with(Count::One)) } else { NodeType::default() };
            checker.result(ty)?;
            Ok(node)
        }
        Body::Action(action) => checker.action(action, &context).map(|()| NodeType::default()),
    }
}

struct Checker<'q> {
    query: &'q Query,
    types: &'q [SuppliedType],
    variables: Vec<Option<Type>>,
    typing: Option<Typing<'q>>,
}

const fn one(ty: AtomicType) -> Type {
    Type { kind: Kind::Atomic(ty), count: Count::One, constructed: false, shape: Shape::Unknown, typed: None }
}

const BOOLEAN: Type = one(AtomicType::BOOLEAN);
const INTEGER: Type = one(AtomicType::INTEGER);
const STRING: Type = one(AtomicType::STRING);

fn type_of(base: Base) -> AtomicType {
    match base {
        Base::Integer => AtomicType::INTEGER,
        Base::Decimal => AtomicType::DECIMAL,
        Base::Float => AtomicType::FLOAT,
        Base::Boolean => AtomicType::BOOLEAN,
        Base::Text => AtomicType::STRING,
        Base::Untyped => AtomicType::UNTYPED,
        _ => AtomicType::DOUBLE,
    }
}

fn sign(op: Arithmetic) -> &'static str {
    match op {
        Arithmetic::Add => "+",
        Arithmetic::Subtract => "-",
        Arithmetic::Multiply => "*",
        Arithmetic::Divide => "div",
        Arithmetic::Modulo => "mod",
    }
}

impl Checker<'_> {
    fn label(&self) -> &str {
        &self.query.label
    }

    /// What the method makes of the query's result.
    fn result(&self, ty: Type) -> SqlResult<()> {
        match self.query.method {
            Method::Value => {
                let value = self.atomized(ty)?;
                self.single(&value, "value()")
            }
            Method::Query if matches!(ty.kind, Kind::Attribute(_)) => Err(sql_error!(2396, self.label())),
            Method::Nodes if ty.constructed => Err(sql_error!(2373, self.label(), "'nodes()'")),
            Method::Nodes if matches!(ty.kind, Kind::Atomic(_)) => Err(sql_error!(2374, self.label(), "'nodes()'")),
            _ => Ok(()),
        }
    }

    /// 2389
    fn single(&self, ty: &Type, what: &str) -> SqlResult<()> {
        if ty.count.is_single() { Ok(()) } else { Err(sql_error!(2389, self.label(), what, ty)) }
    }

    /// 2373
    fn original(&self, ty: &Type, what: &str) -> SqlResult<()> {
        if ty.constructed { Err(sql_error!(2373, self.label(), what)) } else { Ok(()) }
    }

    fn atomized(&self, ty: Type) -> SqlResult<Type> {
        self.original(&ty, "data()")?;
        if let Some((atomic, each)) = self.typing.and_then(|typing| typing.value(&ty.shape)) {
            return Ok(Type::atomic(atomic, ty.count.times(each)));
        }
        Ok(if ty.is_node() { Type::atomic(AtomicType::UNTYPED, ty.count) } else { ty })
    }

    fn value(&mut self, expr: &Expr, context: &Type) -> SqlResult<Type> {
        let ty = self.of(expr, context)?;
        self.atomized(ty)
    }

    /// At most one value, for what errors call `what`.
    fn single_value(&mut self, expr: &Expr, context: &Type, what: &str) -> SqlResult<Type> {
        let ty = self.value(expr, context)?;
        self.single(&ty, what)?;
        Ok(ty)
    }

    /// 2204
    fn condition(&mut self, expr: &Expr, context: &Type) -> SqlResult<()> {
        let ty = self.of(expr, context)?;
        match &ty.kind {
            Kind::Atomic(atomic) if atomic.base == Base::Boolean && ty.count.is_single() => Ok(()),
            Kind::Atomic(_) => Err(sql_error!(2204, self.label(), ty)),
            _ => Ok(()),
        }
    }

    fn of(&mut self, expr: &Expr, context: &Type) -> SqlResult<Type> {
        Ok(match expr {
            Expr::Literal(value) => Type::atomic(type_of(value.base()), Count::One),
            Expr::Variable(slot) => self.variables[*slot].clone().expect("a variable is bound before it is used"),
            Expr::External(index) => match self.types[*index] {
                SuppliedType::Atomic(ty) => Type::atomic(ty, Count::Optional),
                SuppliedType::Xml => return Err(sql_error!(9342, self.label())),
            },
            Expr::Context => context.clone(),
            Expr::Sequence(list) => return self.sequence(list, context),
            Expr::Path(path) => return self.path(path, context),
            Expr::Filter(base, predicates) => return self.filter(base, predicates, context),
            Expr::If(parts) => {
                self.condition(&parts[0], context)?;
                let (yes, no) = (self.of(&parts[1], context)?, self.of(&parts[2], context)?);
                return self.either(yes, no);
            }
            Expr::Flwor(flwor) => return self.flwor(flwor, context),
            Expr::Quantified(quantified) => return self.quantified(quantified, context),
            Expr::And(operands) | Expr::Or(operands) => {
                for operand in operands {
                    self.condition(operand, context)?;
                }
                BOOLEAN
            }
            Expr::General(op, operands) => {
                let (left, right) = (self.value(&operands[0], context)?, self.value(&operands[1], context)?);
                self.comparable(op.written(true), &left, &right)?;
                BOOLEAN
            }
            Expr::Value(op, operands) => {
                let left = self.single_value(&operands[0], context, op.written(false))?;
                let right = self.single_value(&operands[1], context, op.written(false))?;
                self.comparable(op.written(false), &left, &right)?;
                BOOLEAN.with(left.count.times(right.count))
            }
            Expr::Node(_, operands) => {
                for operand in operands.iter() {
                    let ty = self.of(operand, context)?;
                    self.single(&ty, "is")?;
                }
                BOOLEAN.with(Count::Optional)
            }
            Expr::Arithmetic(op, operands) => {
                let left = self.number(&operands[0], context, sign(*op))?;
                let right = self.number(&operands[1], context, sign(*op))?;
                let count = left.count.times(right.count);
                let base = arithmetic_base(*op, base_of(&left), base_of(&right));
                Type::atomic(type_of(base), if *op == Arithmetic::Divide { count.optional() } else { count })
            }
            Expr::Negate(operand) => {
                let ty = self.number(operand, context, "-")?;
                let base = arithmetic_base(Arithmetic::Subtract, Base::Integer, base_of(&ty));
                Type::atomic(type_of(base), ty.count)
            }
            Expr::Call(function, arguments) => return self.call(*function, arguments, context),
            Expr::Cast(to, operand) => return self.cast(*to, operand, context),
            Expr::InstanceOf(operand, _) => {
                let ty = self.of(operand, context)?;
                self.original(&ty, "'instance of'")?;
                self.single(&ty, "instance of")?;
                BOOLEAN
            }
            Expr::Element(element) => return self.element(element, context),
            Expr::Attribute(name, value) => {
                self.value(value, context)?;
                Type::constructed(Kind::Attribute(name.written()))
            }
            Expr::Text(value) => {
                self.value(value, context)?;
                Type::constructed(Kind::Text)
            }
            Expr::Comment(_) => Type::constructed(Kind::Comment),
            Expr::Instruction(..) => Type::constructed(Kind::Instruction),
        })
    }

    #[inline(never)]
    fn sequence(&mut self, list: &[Expr], context: &Type) -> SqlResult<Type> {
        let mut list = list.iter();
        let Some(first) = list.next() else { return Ok(Type::empty()) };
        let mut ty = self.of(first, context)?;
        for next in list {
            let next = self.of(next, context)?;
            let count = match (ty.kind == Kind::Empty, next.kind == Kind::Empty) {
                (true, _) => next.count,
                (_, true) => ty.count,
                _ if [ty.count, next.count].iter().any(|count| matches!(count, Count::One | Count::OneOrMore)) => {
                    Count::OneOrMore
                }
                _ => Count::Many,
            };
            ty = self.either(ty, next)?.with(count);
        }
        Ok(ty)
    }

    /// One or the other. 2210.
    fn either(&self, a: Type, b: Type) -> SqlResult<Type> {
        if a.kind == Kind::Empty {
            return Ok(b.clone().with(b.count.optional()));
        }
        if b.kind == Kind::Empty {
            return Ok(a.clone().with(a.count.optional()));
        }
        if a.is_node() != b.is_node() {
            let (atomic, node) = if a.is_node() { (&b, &a) } else { (&a, &b) };
            return Err(sql_error!(2210, self.label(), atomic, node));
        }
        let count = match (a.count, b.count) {
            (a, b) if a == b => a,
            (a, b) if a.is_single() && b.is_single() => Count::Optional,
            (Count::One | Count::OneOrMore, Count::One | Count::OneOrMore) => Count::OneOrMore,
            _ => Count::Many,
        };
        let constructed = a.constructed || b.constructed;
        let kind = match (a.kind, b.kind) {
            (a, b) if a == b => a,
            (Kind::Atomic(_), Kind::Atomic(_)) => {
                Kind::Atomic(AtomicType { name: "xdt:anyAtomicType", base: Base::Untyped })
            }
            _ => Kind::Node,
        };
        let shape = match (a.shape, b.shape) {
            (a, b) if a == b => a,
            (Shape::Elements(mut a), Shape::Elements(b)) => {
                a.extend(b);
                a.sort_unstable();
                a.dedup();
                Shape::Elements(a)
            }
            _ => Shape::Unknown,
        };
        Ok(Type { kind, count, constructed, shape, typed: None })
    }

    #[inline(never)]
    fn path(&mut self, path: &Path, context: &Type) -> SqlResult<Type> {
        let mut ty = match &path.start {
            Start::Root => Type { shape: self.top(), ..Type::new(Kind::Document, Count::One) },
            Start::Context => context.clone(),
            Start::Expr(start) => self.of(start, context)?,
        };
        if !path.steps.is_empty() {
            self.original(&ty, "'/'")?;
            if matches!(ty.kind, Kind::Atomic(_)) {
                return Err(sql_error!(2374, self.label(), "'/'"));
            }
        }
        for step in &path.steps {
            ty = self.step(step, ty)?;
        }
        Ok(ty)
    }

    /// Of the document node.
    fn top(&self) -> Shape {
        if self.typing.is_some() { Shape::Top } else { Shape::Unknown }
    }

    /// What a schema says of a step. None: nothing. 2218 to 2221, 2260 to 2263, 9312.
    fn shaped(&self, step: &Step, from: &Type) -> SqlResult<Option<(Shape, Count)>> {
        let Some(typing) = self.typing else { return Ok(None) };
        let named = matches!(step.test, Test::Name(_) | Test::AnyName | Test::AnyNamespace(_) | Test::AnyLocal(_));
        let found = match step.axis {
            Axis::Child if step.test == Test::Text && typing.is_simple(&from.shape) => {
                return Err(sql_error!(9312, self.label(), "text()", from));
            }
            Axis::Itself if step.test == Test::Node => return Ok(Some((from.shape.clone(), Count::One))),
            Axis::Child if named => typing.children(&from.shape, &step.test),
            Axis::Attribute if named => typing.attributes(&from.shape, &step.test),
            Axis::Descendant if named => typing.descendants(&from.shape, &step.test),
            _ => return Ok(None),
        };
        match found {
            Found::Unknown => Ok(None),
            Found::Nodes(shape, count) => Ok(Some((shape, count))),
            Found::Nothing => {
                let Test::Name(name) = &step.test else { return Ok(None) };
                let (label, local, top) = (self.label(), &name.local, from.shape == Shape::Top);
                Err(match (step.axis == Axis::Attribute, name.uri.is_empty(), top) {
                    (true, true, true) => sql_error!(2218, label, local),
                    (true, true, false) => sql_error!(2219, label, local, from),
                    (true, false, true) => sql_error!(2220, label, name.uri, local),
                    (true, false, false) => sql_error!(2221, label, name.uri, local, from),
                    (false, true, true) => sql_error!(2260, label, local),
                    (false, true, false) => sql_error!(2261, label, local, from),
                    (false, false, true) => sql_error!(2262, label, name.uri, local),
                    (false, false, false) => sql_error!(2263, label, name.uri, local, from),
                })
            }
        }
    }

    fn step(&mut self, step: &Step, from: Type) -> SqlResult<Type> {
        let shaped = self.shaped(step, &from)?;
        let kind = match &step.test {
            Test::Name(name) if step.axis == Axis::Attribute => Kind::Attribute(name.written()),
            Test::Name(name) => Kind::Element(name.written()),
            Test::AnyName | Test::AnyLocal(_) | Test::AnyNamespace(_) => match step.axis {
                Axis::Attribute => Kind::Attribute("*".into()),
                _ => Kind::Element("*".into()),
            },
            Test::Node => match step.axis {
                Axis::Itself => from.kind.clone(),
                Axis::Attribute => Kind::Attribute("*".into()),
                Axis::Parent if matches!(from.kind, Kind::Attribute(_)) => Kind::Element("*".into()),
                _ => Kind::Node,
            },
            Test::Text => Kind::Text,
            Test::Comment => Kind::Comment,
            Test::Instruction(_) => Kind::Instruction,
        };
        let each = match step.axis {
            Axis::Itself if step.test == Test::Node => Count::One,
            Axis::Itself | Axis::Parent => Count::Optional,
            Axis::Attribute if matches!(step.test, Test::Name(_)) => Count::Optional,
            _ => Count::Many,
        };
        let mut each = Type::new(kind, each);
        if let Some((shape, count)) = shaped {
            each.count = count;
            let written = match &each.kind {
                Kind::Element(name) | Kind::Attribute(name) => name.clone(),
                _ => String::new(),
            };
            each.typed = self.typing.and_then(|typing| typing.shown(&shape, &written));
            each.shape = shape;
        }
        self.predicates(&step.predicates, &mut each)?;
        let count = from.count.times(each.count);
        Ok(each.with(count))
    }

    fn filter(&mut self, base: &Expr, predicates: &[Expr], context: &Type) -> SqlResult<Type> {
        let mut ty = self.of(base, context)?;
        self.original(&ty, "'[]'")?;
        self.predicates(predicates, &mut ty)?;
        Ok(ty)
    }

    /// A number is a position, and leaves one at most. 2203.
    fn predicates(&mut self, predicates: &[Expr], ty: &mut Type) -> SqlResult<()> {
        for predicate in predicates {
            let item = ty.clone().with(Count::One);
            let test = self.of(predicate, &item)?;
            let positional = match &test.kind {
                Kind::Atomic(atomic) if test.count.is_single() && atomic.is_numeric() => true,
                Kind::Atomic(atomic) if test.count.is_single() && atomic.base == Base::Boolean => {
                    matches!(predicate, Expr::General(..) | Expr::Value(..)) && is_position(predicate)
                }
                Kind::Atomic(_) => return Err(sql_error!(2203, self.label(), test)),
                _ => false,
            };
            ty.count = if positional { Count::Optional } else { ty.count.optional() };
        }
        Ok(())
    }

    #[inline(never)]
    fn flwor(&mut self, flwor: &Flwor, context: &Type) -> SqlResult<Type> {
        let mut count = Count::One;
        for clause in &flwor.clauses {
            match clause {
                Clause::For(slot, source) => {
                    let ty = self.of(source, context)?;
                    self.original(&ty, "'for'")?;
                    count = count.times(ty.count);
                    self.variables[*slot] = Some(ty.with(Count::One));
                }
                Clause::Let(slot, source) => {
                    let ty = self.of(source, context)?;
                    self.original(&ty, "'let'")?;
                    self.variables[*slot] = Some(ty);
                }
            }
        }
        if let Some(filter) = &flwor.filter {
            self.condition(filter, context)?;
        }
        for (key, _) in &flwor.order {
            self.single_value(key, context, "order by")?;
        }
        let result = self.of(&flwor.result, context)?;
        let count = count.times(result.count);
        Ok(result.with(count))
    }

    #[inline(never)]
    fn quantified(&mut self, quantified: &Quantified, context: &Type) -> SqlResult<Type> {
        for (slot, source) in &quantified.bindings {
            let ty = self.of(source, context)?;
            self.original(&ty, if quantified.every { "'every'" } else { "'some'" })?;
            self.variables[*slot] = Some(ty.with(Count::One));
        }
        self.condition(&quantified.test, context)?;
        Ok(BOOLEAN)
    }

    /// 2234: both sides have a type, and not the same kind of one.
    fn comparable(&self, op: &str, left: &Type, right: &Type) -> SqlResult<()> {
        let group = |ty: &Type| match base_of(ty) {
            Base::Float | Base::Double | Base::Decimal => Base::Integer,
            base => base,
        };
        let (a, b) = (group(left), group(right));
        let of_one_type = !matches!(a, Base::Moment | Base::Other) || left.kind == right.kind;
        if a == b && of_one_type || a == Base::Untyped || b == Base::Untyped {
            return Ok(());
        }
        Err(sql_error!(2234, self.label(), op, left, right))
    }

    /// One number at most, or what may say one. 2389, 9308.
    fn number(&mut self, expr: &Expr, context: &Type, what: &str) -> SqlResult<Type> {
        let ty = self.single_value(expr, context, what)?;
        match &ty.kind {
            Kind::Atomic(atomic) if !atomic.is_numeric() && atomic.base != Base::Untyped => {
                Err(sql_error!(9308, self.label(), what, ty))
            }
            _ => Ok(ty),
        }
    }

    #[inline(never)]
    fn call(&mut self, function: Function, arguments: &[Expr], context: &Type) -> SqlResult<Type> {
        use Function::*;
        let name = format!("{}()", function.name());
        Ok(match function {
            True | False => BOOLEAN,
            Position | Last => INTEGER,
            Not => {
                self.condition(&arguments[0], context)?;
                BOOLEAN
            }
            Count | Empty => {
                let ty = self.of(&arguments[0], context)?;
                self.original(&ty, &name)?;
                if function == Count { INTEGER } else { BOOLEAN }
            }
            Data => {
                let ty = self.of(&arguments[0], context)?;
                self.atomized(ty)?
            }
            DistinctValues => {
                let ty = self.value(&arguments[0], context)?;
                let count = ty.count;
                ty.with(if count.is_single() { count } else { super::kinds::Count::Many })
            }
            Sum | Avg | Min | Max => {
                let ty = self.value(&arguments[0], context)?;
                let base = base_of(&ty);
                let numeric =
                    matches!(base, Base::Integer | Base::Decimal | Base::Float | Base::Double | Base::Untyped);
                if matches!(function, Sum | Avg) && !numeric {
                    return Err(sql_error!(9308, self.label(), name, ty));
                }
                let base = match base {
                    Base::Untyped => Base::Double,
                    Base::Integer if function == Avg => Base::Decimal,
                    base => base,
                };
                let count = match function {
                    Sum => super::kinds::Count::One,
                    _ => ty.count.optional(),
                };
                let count = if count.is_single() { count } else { super::kinds::Count::Optional };
                Type::atomic(type_of(base), count)
            }
            Round | Floor | Ceiling => {
                let ty = self.number(&arguments[0], context, &name)?;
                let base = arithmetic_base(Arithmetic::Add, Base::Integer, base_of(&ty));
                Type::atomic(type_of(base), ty.count)
            }
            Number => {
                let ty = match arguments.first() {
                    Some(argument) => self.of(argument, context)?,
                    None => context.clone(),
                };
                self.original(&ty, &name)?;
                if matches!(ty.kind, Kind::Atomic(_)) {
                    return Err(sql_error!(2374, self.label(), name));
                }
                self.single(&ty, &name)?;
                Type::atomic(AtomicType::DOUBLE, ty.count)
            }
            String | LocalName | NamespaceUri => {
                let ty = match arguments.first() {
                    Some(argument) => self.of(argument, context)?,
                    None => context.clone(),
                };
                self.original(&ty, &name)?;
                if function != String && matches!(ty.kind, Kind::Atomic(_)) {
                    return Err(sql_error!(2374, self.label(), name));
                }
                self.single(&ty, &name)?;
                STRING
            }
            Concat | Contains | UpperCase | LowerCase | StringLength => {
                if arguments.is_empty() {
                    self.single(context, &name)?;
                }
                for argument in arguments {
                    self.text_argument(argument, context, &name)?;
                }
                match function {
                    Contains => BOOLEAN,
                    StringLength => INTEGER,
                    _ => STRING,
                }
            }
            Substring => {
                self.text_argument(&arguments[0], context, &name)?;
                for position in &arguments[1..] {
                    let ty = self.single_value(position, context, &name)?;
                    if base_of(&ty) == Base::Text || base_of(&ty) == Base::Boolean {
                        return Err(sql_error!(2364, self.label(), ty, "xs:decimal"));
                    }
                }
                STRING
            }
            Id => return Err(sql_error!(9300, self.label())),
        })
    }

    /// 2389, 2364
    fn text_argument(&mut self, argument: &Expr, context: &Type, what: &str) -> SqlResult<()> {
        let ty = self.single_value(argument, context, what)?;
        match base_of(&ty) {
            Base::Untyped | Base::Text => Ok(()),
            _ => Err(sql_error!(2364, self.label(), ty, "xs:string")),
        }
    }

    /// 2365, 9319
    fn cast(&mut self, to: AtomicType, operand: &Expr, context: &Type) -> SqlResult<Type> {
        let ty = self.value(operand, context)?;
        if !ty.count.is_single() {
            return Err(sql_error!(2365, self.label(), ty, to.name));
        }
        // Of another constant it is nothing.
        if let Expr::Literal(value @ Atomic::Text(_)) = operand
            && value.cast(to).is_none()
        {
            return Err(sql_error!(9319, self.label(), value.show()));
        }
        Ok(Type::atomic(
            to,
            if matches!(operand, Expr::Literal(Atomic::Text(_))) { Count::One } else { Count::Optional },
        ))
    }

    #[inline(never)]
    fn element(&mut self, element: &Element, context: &Type) -> SqlResult<Type> {
        for (_, value) in &element.attributes {
            self.value(value, context)?;
        }
        for part in &element.content {
            if let Content::Expr(inner) = part {
                self.of(inner, context)?;
            }
        }
        Ok(Type::constructed(Kind::Element(element.name.written())))
    }

    fn action(&mut self, action: &Action, context: &Type) -> SqlResult<()> {
        match action {
            Action::Insert { content, place, target } => self.insert(content, *place, target, context),
            Action::Delete(target) => {
                let ty = self.of(target, context)?;
                self.target(&ty, "delete")?;
                if matches!(ty.kind, Kind::Document | Kind::Atomic(_)) {
                    return Err(sql_error!(2264, self.label(), ty));
                }
                Ok(())
            }
            Action::Replace { target, value } => {
                let ty = self.of(target, context)?;
                self.target(&ty, "replace")?;
                if !ty.count.is_single() {
                    return Err(sql_error!(2337, self.label(), ty));
                }
                let simple = self.typing.is_some_and(|typing| typing.is_simple(&ty.shape));
                if !simple && !matches!(ty.kind, Kind::Attribute(_) | Kind::Text | Kind::Empty) {
                    return Err(sql_error!(2356, self.label(), ty));
                }
                let value = self.of(value, context)?;
                if value.constructed {
                    return Err(sql_error!(9310, self.label()));
                }
                Ok(())
            }
        }
    }

    /// 2359
    fn target(&self, ty: &Type, what: &str) -> SqlResult<()> {
        if ty.constructed { Err(sql_error!(2359, self.label(), what)) } else { Ok(()) }
    }

    fn insert(&mut self, content: &Expr, place: Place, target: &Expr, context: &Type) -> SqlResult<()> {
        let target = self.of(target, context)?;
        self.target(&target, "insert")?;
        if !target.count.is_single() {
            return Err(sql_error!(2226, self.label(), target));
        }
        let content = self.inserted(content, context)?;
        if matches!(content.kind, Kind::Atomic(_)) {
            return Err(sql_error!(2207, self.label(), content));
        }
        let beside = matches!(place, Place::Before | Place::After);
        if beside && matches!(content.kind, Kind::Attribute(_)) {
            return Err(sql_error!(2258, self.label(), content));
        }
        if !beside && !matches!(target.kind, Kind::Element(_) | Kind::Document | Kind::Node | Kind::Empty) {
            return Err(sql_error!(2240, self.label(), target));
        }
        if beside && matches!(target.kind, Kind::Attribute(_) | Kind::Document) {
            return Err(sql_error!(2249, self.label(), target));
        }
        Ok(())
    }

    /// Xml that SQL supplies can be inserted as it is, and nothing else can be done with it.
    fn inserted(&mut self, content: &Expr, context: &Type) -> SqlResult<Type> {
        match content {
            Expr::External(index) if self.types[*index] == SuppliedType::Xml => {
                Ok(Type::new(Kind::Node, super::kinds::Count::Many))
            }
            Expr::Sequence(list) if !list.is_empty() => {
                let mut ty = self.inserted(&list[0], context)?;
                for next in &list[1..] {
                    let next = self.inserted(next, context)?;
                    ty = self.either(ty, next)?.with(super::kinds::Count::Many);
                }
                Ok(ty)
            }
            content => self.of(content, context),
        }
    }
}

/// `position() = 2`
fn is_position(predicate: &Expr) -> bool {
    let (Expr::General(super::tree::Comparison::Equal, operands)
    | Expr::Value(super::tree::Comparison::Equal, operands)) = predicate
    else {
        return false;
    };
    let is = |expr: &Expr| matches!(expr, Expr::Call(Function::Position, _));
    let number = |expr: &Expr| expr.as_integer().is_some() || matches!(expr, Expr::Call(Function::Last, _));
    is(&operands[0]) && number(&operands[1]) || is(&operands[1]) && number(&operands[0])
}

/// Of nodes and of nothing, untyped.
fn base_of(ty: &Type) -> Base {
    match &ty.kind {
        Kind::Atomic(atomic) => atomic.base,
        _ => Base::Untyped,
    }
}
