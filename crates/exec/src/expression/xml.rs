//! Methods of type xml: values become trees where a method asks for their nodes.
//!
//! A row of nodes() is a reference: the number of the node and its document. A short document is in the value itself, so that what holds
//! the row holds it, too; a longer one is kept with the query that runs, once for all its nodes.

use std::collections::BTreeSet;
use std::sync::Arc;

use sql::function::FunctionId;
use types::long::Many;
use types::{Datum, SqlResult, SqlType, TypeKind, convert, sql_error};
use xml::meter::NODE;
use xml::query::{Atomic, AtomicType, Method, Query, Receiver};
use xml::{Document, Item, Kind, Meter, Supplied};

use super::Scalar;
use super::shown::{from_base64, shown};
use crate::context::Context;
use crate::kernel;
use crate::typed_xml;
use crate::value::{Row, Value};

pub use crate::typed_xml::metered;

/// A document whose text has no more bytes is in the value of each of its nodes.
const INLINE_BYTES_MAX: usize = 2 << 10;
/// Node, document, text: see `reference`.
const REFERENCE_BYTES: usize = 8;

/// A method, its text parsed.
pub struct XmlCall {
    function: FunctionId,
    query: Query,
    target: Scalar,
    supplied: Box<[Scalar]>,
    /// How error 5302 calls what `modify` changes; the column set of XmlSparse.
    name: String,
    /// Of XmlSparse: the elements that there may be, or none if another column's call looks at them.
    known: Vec<String>,
    ty: SqlType,
}

fn constant_text(argument: &Scalar) -> String {
    match argument.as_constant() {
        Some(Datum::Bytes(text)) => kernel::text(&argument.ty, &text),
        other => panic!("the text of a method is a constant, found {other:?}"),
    }
}

/// `prefix NUL uri NUL` for each.
fn prefixes(written: &str) -> Vec<(Box<str>, Box<str>)> {
    let parts: Vec<&str> = written.split('\0').collect();
    parts.chunks_exact(2).map(|pair| (pair[0].into(), pair[1].into())).collect()
}

impl XmlCall {
    /// `arguments` as `sql::bind::xml` puts them.
    pub fn new(function: FunctionId, method: Method, arguments: Vec<Scalar>, ty: SqlType) -> SqlResult<XmlCall> {
        let mut arguments = arguments.into_iter();
        let mut next = || arguments.next().expect("the binder gave it");
        let (target, text, prolog) = (next(), constant_text(&next()), constant_text(&next()));
        let is_sparse = function == FunctionId::XmlSparse;
        let name = if method == Method::Modify || is_sparse { constant_text(&next()) } else { String::new() };
        let known = if is_sparse { constant_text(&next()) } else { String::new() };
        let known = known.split('/').filter(|name| !name.is_empty()).map(str::to_owned).collect();
        let receiver = Receiver { method, column: String::new() };
        let query = Query::parse(&text, &receiver, &prefixes(&prolog))?;
        Ok(XmlCall { function, query, target, supplied: arguments.collect(), name, known, ty })
    }

    fn supplied(&self, context: &Context, row: Row<'_>) -> SqlResult<Vec<Supplied>> {
        self.supplied.iter().map(|scalar| supply(context, &scalar.ty, scalar.datum(context, row)?)).collect()
    }

    pub fn eval<'a>(&'a self, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
        let Some(bytes) = self.target.value(context, row)?.bytes() else {
            return match self.function {
                FunctionId::XmlModify => Err(sql_error!(5302, "modify()", self.name)),
                _ => Ok(Value::Null),
            };
        };
        let supplied = self.supplied(context, row)?;
        let (document, node) = document(context, &self.target.ty, &bytes)?;
        metered(context, |meter| {
            if self.function == FunctionId::XmlModify {
                return match xml::modify::modify(&self.query, &document, &supplied, meter)? {
                    Some(text) => convert::text_datum_paced(&text, &self.ty, meter.pacer).map(Value::from_owned),
                    None => Ok(Value::owned(bytes.to_vec())),
                };
            }
            if !self.known.is_empty() {
                refuse_unknown(&document, &self.name, &self.known, meter)?;
            }
            let items = Many(self.query.evaluate(&document, node, &supplied, meter)?);
            let items = &items.0;
            match self.function {
                FunctionId::XmlExist => Ok(Value::I64(i64::from(!items.is_empty()))),
                FunctionId::XmlQuery => {
                    let text = self.query.text(items, meter)?;
                    convert::text_datum_paced(&text, &self.ty, meter.pacer).map(Value::from_owned)
                }
                _ => match items.first() {
                    Some(item) => match xml::query::atomize(item, meter)? {
                        Some(value) => self.converted(context, &value),
                        None => Ok(Value::Null),
                    },
                    None => Ok(Value::Null),
                },
            }
        })
    }

    /// A value as the type that value() names: by its text, binary types by base 64.
    fn converted(&self, context: &Context, value: &Atomic) -> SqlResult<Value<'static>> {
        let mut text = value.show();
        if self.ty.is_binary() {
            let Some(bytes) = from_base64(&text, &mut context.pacer())? else { return Ok(Value::Null) };
            return kernel::convert(context, Value::owned(bytes), &SqlType::VARBINARY_MAX, &self.ty, None, true);
        }
        let exact = self.ty.is_integer() || self.ty.is_decimal() || self.ty.kind == TypeKind::Money;
        if exact && matches!(value, Atomic::Double(zero) | Atomic::Float(zero) if *zero == 0.0) {
            text = "0".into();
        }
        let wide = SqlType::NVARCHAR_MAX;
        let text = convert::text_datum_paced(&text, &wide, &mut context.pacer())?;
        kernel::convert(context, Value::from_owned(text), &wide, &self.ty, None, true)
    }

    /// References to the nodes that nodes() finds.
    pub fn nodes(&self, context: &Context, mut push: impl FnMut(Datum)) -> SqlResult<()> {
        let Some(bytes) = self.target.scalar_value(context)?.bytes() else { return Ok(()) };
        let row = Row { batch: crate::value::no_row(), index: 0 };
        let supplied = self.supplied(context, row)?;
        let (document, node) = document(context, &self.target.ty, &bytes)?;
        let items = metered(context, |meter| self.query.evaluate(&document, node, &supplied, meter))?;
        if items.is_empty() {
            return Ok(());
        }
        // Nodes of nodes are of the same document.
        let behind = match (self.target.ty.is_xml_node(), bytes.len() <= INLINE_BYTES_MAX) {
            (true, _) => bytes[4..].to_vec(),
            (false, true) => [&0_u32.to_le_bytes()[..], &bytes].concat(),
            (false, false) => keep(context, &document)?.to_le_bytes().to_vec(),
        };
        let mut pacer = context.pacer();
        for item in items {
            let Item::Node(_, node) = item else { continue };
            pacer.spend(NODE + behind.len())?;
            push(Datum::Bytes([&node.to_le_bytes()[..], &behind].concat().into()));
        }
        Ok(())
    }
}

/// What a column set may not hold. 9524: more than elements with text. 9525: a column twice. 9530: an attribute. 1911: no such column.
fn refuse_unknown(document: &Document, set: &str, known: &[String], meter: &mut Meter<'_, '_>) -> SqlResult<()> {
    let mut seen = BTreeSet::new();
    for node in document.children(0) {
        meter.spend(NODE)?;
        if document.kind(node) != Kind::Element {
            return Err(sql_error!(9524));
        }
        let name = &*document.name(node).local;
        if let Some(attribute) = document.attributes(node).next() {
            return Err(sql_error!(9530, set, document.name(attribute).local, name));
        }
        if !known.iter().any(|known| known == name) {
            return Err(sql_error!(1911, state 201, name));
        }
        if !seen.insert(name) {
            return Err(sql_error!(9525, set, name));
        }
    }
    Ok(())
}

/// Keeps a document for as long as the query runs. Its number, from 1.
fn keep(context: &Context, document: &Arc<Document>) -> SqlResult<u32> {
    let mut all = context.xml.borrow_mut();
    let all = all.get_or_insert_default();
    if all.execution != context.execution.get() {
        all.kept.clear();
        all.held.clear();
        all.execution = context.execution.get();
    }
    if !all.kept.last().is_some_and(|last| Arc::ptr_eq(last, document)) {
        let bytes = all.held.bytes() + document.size();
        context.force(&mut all.held, bytes)?;
        all.kept.push(document.clone());
    }
    Ok(all.kept.len() as u32)
}

/// The tree of a value, and the node that it stands for.
pub fn document(context: &Context, ty: &SqlType, bytes: &[u8]) -> SqlResult<(Arc<Document>, u32)> {
    if !ty.is_xml_node() {
        return Ok((parsed(context, ty, bytes)?, 0));
    }
    let number = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
    let (node, kept) = (number(0), number(4) as usize);
    if kept == 0 {
        return Ok((parsed(context, ty, &bytes[REFERENCE_BYTES..])?, node));
    }
    let all = context.xml.borrow();
    let document = all.as_ref().and_then(|all| all.kept.get(kept - 1)).expect("it is kept while its query runs");
    Ok((document.clone(), node))
}

/// The tree of a value's text; of typed xml its nodes have their types.
fn parsed(context: &Context, ty: &SqlType, bytes: &[u8]) -> SqlResult<Arc<Document>> {
    let collection = ty.xml_collection();
    if let Some((known, of, document)) = context.xml.borrow().as_ref().and_then(|all| all.last.as_ref())
        && *of == collection
        && **known == *bytes
    {
        return Ok(document.clone());
    }
    let text = convert::text_of_paced(bytes, &SqlType::NVARCHAR_MAX, &mut context.pacer())?;
    let schema = collection.map(|collection| typed_xml::schema(context, collection)).transpose()?;
    let document = metered(context, |meter| {
        let document = xml::read::read(&text, meter)?;
        match &schema {
            Some(schema) => xml::schema::annotate(schema, &document, meter),
            None => Ok(document),
        }
    })?;
    let document = Arc::new(document);
    let mut all = context.xml.borrow_mut();
    let all = all.get_or_insert_default();
    all.last = None;
    context.force(&mut all.last_held, document.size() + bytes.len())?;
    all.last = Some((types::long::copy(bytes), collection, document.clone()));
    Ok(document)
}

/// A value of SQL as a query sees it.
fn supply(context: &Context, ty: &SqlType, value: Datum) -> SqlResult<Supplied> {
    use TypeKind::*;
    let atomic = match (ty.kind, &value) {
        (_, Datum::Null) => return Ok(Supplied::Null),
        (Xml, Datum::Bytes(bytes)) => return Ok(Supplied::Xml(document(context, ty, bytes)?.0)),
        (Bit, Datum::I64(bit)) => Atomic::Boolean(*bit != 0),
        (TinyInt | SmallInt | Int | BigInt, Datum::I64(number)) => Atomic::Integer(i128::from(*number)),
        (Money | SmallMoney, Datum::I64(number)) => {
            Atomic::decimal(i128::from(*number), 4).ok_or_else(|| kernel::arithmetic_overflow(Decimal))?
        }
        (Decimal | Numeric, Datum::I128(number)) => {
            let scaled = Atomic::decimal(*number, u32::from(ty.scale));
            scaled.ok_or_else(|| kernel::arithmetic_overflow(Decimal))?
        }
        (Real, Datum::F64(number)) => Atomic::Float(*number),
        (Float, Datum::F64(number)) => Atomic::Double(*number),
        _ => {
            let shown = shown(context, ty, &value)?;
            let moment = match ty.kind {
                Date => "date",
                Time => "time",
                DateTime | SmallDateTime | DateTime2 | DateTimeOffset => "dateTime",
                Binary | VarBinary | RowVersion => "base64Binary",
                _ => return Ok(Supplied::Atomic(Atomic::text(shown))),
            };
            Atomic::Typed(AtomicType::find(moment).expect("a type of the xs namespace"), shown.into())
        }
    };
    Ok(Supplied::Atomic(atomic))
}

/// The node of a method, where `functions::call` makes one.
pub fn method_of(function: FunctionId) -> Option<Method> {
    Some(match function {
        FunctionId::XmlValue | FunctionId::XmlSparse => Method::Value,
        FunctionId::XmlQuery => Method::Query,
        FunctionId::XmlExist => Method::Exist,
        FunctionId::XmlModify => Method::Modify,
        _ => return None,
    })
}
