//! Expressions as `sys.default_constraints.definition` and its like show them: names in brackets, constants in parentheses,
//! functions in lower case. The binder reads the text again whenever it needs the expression.

use std::fmt::Write;

use sql::ast::{
    Arithmetic, BinaryOp, Call, Case, Compare, CompareOp, DataType, Expr, Literal, Niladic, ObjectName, TypeLength,
    TypeName, UnaryOp,
};

use types::datetime::Part;

use crate::catalog::scalar_type;

/// `[name]`
pub fn bracket(name: &str) -> String {
    format!("[{}]", name.replace(']', "]]"))
}

/// `N'text'` with quotes doubled.
pub fn quote(text: &str) -> String {
    format!("N'{}'", text.replace('\'', "''"))
}

pub fn object_name(name: &ObjectName) -> String {
    let parts = [&name.server, &name.database, &name.schema];
    let first = parts.iter().position(|part| part.is_some()).unwrap_or(3);
    let mut text = String::new();
    for part in &parts[first..] {
        text.push_str(&part.as_ref().map_or_else(String::new, |part| bracket(part)));
        text.push('.');
    }
    text + &bracket(&name.name)
}

/// The definition of a default, check or computed column: in parentheses. `source`: the text as written, for what has no other form.
pub fn definition(expr: &Expr, source: &str) -> String {
    match expression(expr) {
        Some(text) => format!("({text})"),
        None => format!("({})", source.trim()),
    }
}

/// The predicate of a filtered index or statistics, which the binder has accepted: comparisons, IN and IS NULL joined by AND.
pub fn filter(condition: &Expr) -> String {
    format!("({})", filter_part(condition).expect("comparisons of columns and constants have their text"))
}

fn filter_part(condition: &Expr) -> Option<String> {
    Some(match condition {
        Expr::And(parts) => parts.iter().map(filter_part).collect::<Option<Vec<_>>>()?.join(" AND "),
        Expr::Compare(compare) => {
            format!("{}{}{}", expression(&compare.left)?, compare_text(compare.op), constant(&compare.right)?)
        }
        Expr::InList(list) => {
            let items = list.list.iter().map(constant).collect::<Option<Vec<_>>>()?;
            match &items[..] {
                [one] => format!("{}={one}", expression(&list.operand)?),
                items => format!("{} IN ({})", expression(&list.operand)?, items.join(", ")),
            }
        }
        other => expression(other)?,
    })
}

fn constant(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Cast(cast) => Some(format!("CONVERT({},{})", type_text(&cast.to)?, constant(&cast.operand)?)),
        other => expression(other),
    }
}

/// None: it has a part that is kept as the user wrote it (subqueries, methods, window functions).
pub fn expression(expr: &Expr) -> Option<String> {
    let text = match expr {
        Expr::Literal(literal) => literal_text(literal),
        Expr::Column(column) => match &column.table {
            Some(table) => format!("{}.{}", object_name(table), bracket(&column.name)),
            None => bracket(&column.name),
        },
        Expr::Unary(UnaryOp::Minus, inner) => match &**inner {
            Expr::Literal(Literal::Int(0)) => expression(inner)?,
            Expr::Literal(Literal::Int(_) | Literal::Decimal(_) | Literal::Float(_) | Literal::Money(_)) => {
                format!("(-{}", literal_of(inner)?.trim_start_matches('('))
            }
            // The blank keeps two of them from being a comment.
            other => format!("( -{})", additive(other)?),
        },
        Expr::Unary(UnaryOp::Plus, inner) => expression(inner)?,
        Expr::Unary(UnaryOp::BitNot, inner) => format!("~{}", additive(inner)?),
        Expr::Arithmetic(arithmetic) => arithmetic_text(arithmetic)?,
        Expr::Compare(compare) => comparison(compare)?,
        // What stands behind the first keeps the parentheses that it was written with.
        Expr::And(parts) => join(parts, " AND ", |part, first| {
            matches!(part, Expr::Or(_))
                || is_or(part)
                || !first && (matches!(part, Expr::And(_)) || matches!(part, Expr::Between(between) if !between.not))
        })?,
        Expr::Or(parts) => join(parts, " OR ", |part, first| !first && (matches!(part, Expr::Or(_)) || is_or(part)))?,
        Expr::Not(inner) => match &**inner {
            Expr::And(_) | Expr::Or(_) | Expr::Between(_) => format!("NOT ({})", expression(inner)?),
            Expr::InList(list) if list.not || list.list.len() > 1 => format!("NOT ({})", expression(inner)?),
            other => format!("NOT {}", expression(other)?),
        },
        Expr::IsNull { operand: inner, not } => {
            format!("{} IS {}NULL", operand(inner)?, if *not { "NOT " } else { "" })
        }
        Expr::Like(like) => {
            let mut text = format!(
                "{}{} like {}",
                if like.not { "NOT " } else { "" },
                operand(&like.operand)?,
                operand(&like.pattern)?
            );
            if let Some(escape) = &like.escape {
                write!(text, " escape {} ", operand(escape)?).expect("writes to a string");
            }
            text
        }
        Expr::Between(between) => {
            let value = operand(&between.operand)?;
            let text = format!("{value}>={} AND {value}<={}", operand(&between.low)?, operand(&between.high)?);
            if between.not { format!("NOT ({text})") } else { text }
        }
        Expr::InList(list) => {
            let value = operand(&list.operand)?;
            let mut parts = Vec::new();
            for item in list.list.iter().rev() {
                parts.push(format!("{value}={}", operand(item)?));
            }
            let text = parts.join(" OR ");
            match (list.not, list.list.len()) {
                (false, _) => text,
                (true, 1) => format!("NOT {text}"),
                (true, _) => format!("NOT ({text})"),
            }
        }
        Expr::Case(case) => case_text(case)?,
        Expr::Cast(cast) if cast.is_try => {
            format!("TRY_CAST({} AS {})", expression(&cast.operand)?, type_text(&cast.to)?)
        }
        Expr::Cast(cast) => format!("CONVERT({},{})", type_text(&cast.to)?, expression(&cast.operand)?),
        Expr::Convert(convert) => {
            let (to, operand) = (type_text(&convert.to)?, expression(&convert.operand)?);
            match (&convert.style, convert.is_try) {
                (None, true) => format!("TRY_CAST({operand} AS {to})"),
                (None, false) => format!("CONVERT({to},{operand})"),
                (Some(style), true) => format!("TRY_CONVERT({to},{operand},{})", expression(style)?),
                (Some(style), false) => format!("CONVERT({to},{operand},{})", expression(style)?),
            }
        }
        Expr::Call(call) => call_text(call)?,
        Expr::Niladic(niladic) => match niladic {
            Niladic::CurrentTimestamp => "getdate()",
            Niladic::CurrentUser | Niladic::User | Niladic::SessionUser => "user_name()",
            Niladic::SystemUser => "suser_sname()",
            Niladic::CurrentDate | Niladic::CurrentTime => return None,
        }
        .to_string(),
        Expr::Collate(inner, collation) => format!("({}) collate {}", expression(inner)?, &**collation),
        Expr::NextValueFor(next) if next.over_order_by.is_empty() => {
            format!("NEXT VALUE FOR {}", object_name(&next.sequence))
        }
        Expr::Word(word) => word.to_string(),
        _ => return None,
    };
    Some(text)
}

fn is_or(expr: &Expr) -> bool {
    matches!(expr, Expr::InList(list) if !list.not && list.list.len() > 1)
}

/// `isnull(a,b)`: the names of some functions have another form, and the first argument of some is a date part.
fn call_text(call: &Call) -> Option<String> {
    if call.extra.is_some() || call.distinct || call.odbc {
        return None;
    }
    if call.name.schema.is_some() {
        return Some(format!("{}({})", object_name(&call.name), arguments(&call.args)?));
    }
    let name = call.name.name.to_ascii_lowercase();
    if call.star {
        return Some(format!("{name}(*)"));
    }
    match (name.as_str(), &call.args[..]) {
        ("year" | "month" | "day", [date]) => Some(format!("datepart({name},{})", expression(date)?)),
        ("iif", [condition, yes, no]) => {
            Some(format!("case when {} then {} else {} end", expression(condition)?, expression(yes)?, expression(no)?))
        }
        (
            "dateadd" | "datediff" | "datediff_big" | "datename" | "datepart" | "datetrunc" | "date_bucket",
            [Expr::Column(part), rest @ ..],
        ) => Some(format!("{name}({},{})", Part::from_name(&part.name)?.name(), arguments(rest)?)),
        (_, args) => Some(format!("{name}({})", arguments(args)?)),
    }
}

fn arguments(args: &[Expr]) -> Option<String> {
    Some(args.iter().map(expression).collect::<Option<Vec<_>>>()?.join(","))
}

fn literal_of(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Literal(literal) => Some(literal_text(literal)),
        _ => None,
    }
}

/// Parentheses where the precedence of the whole would otherwise be lost.
fn additive(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Arithmetic(_) => Some(format!("({})", expression(expr)?)),
        _ => operand(expr),
    }
}

/// The same beside a comparison, which a product needs none for.
fn operand(expr: &Expr) -> Option<String> {
    let text = expression(expr)?;
    Some(match expr {
        Expr::Arithmetic(arithmetic) if own_precedence(arithmetic) == 1 => format!("({text})"),
        Expr::And(_) | Expr::Or(_) | Expr::Compare(_) | Expr::Between(_) | Expr::InList(_) | Expr::Not(_) => {
            format!("({text})")
        }
        _ => text,
    })
}

fn comparison(compare: &Compare) -> Option<String> {
    // A predicate, though the tree has it as a comparison.
    if matches!(&compare.left, Expr::Call(call) if call.name.name.is("REGEXP_LIKE")) {
        return expression(&compare.left);
    }
    Some(format!("{}{}{}", operand(&compare.left)?, compare_text(compare.op), operand(&compare.right)?))
}

fn join(parts: &[Expr], word: &str, enclose: impl Fn(&Expr, bool) -> bool) -> Option<String> {
    let mut texts = Vec::new();
    for (number, part) in parts.iter().enumerate() {
        let text = expression(part)?;
        texts.push(if enclose(part, number == 0) { format!("({text})") } else { text });
    }
    Some(texts.join(word))
}

/// Operators of one chain are shown as pairs of operands. So many are too deep to be read again.
const NESTED_MAX: usize = 64;

fn precedence(op: BinaryOp) -> u8 {
    match op {
        BinaryOp::Multiply | BinaryOp::Divide | BinaryOp::Modulo => 2,
        _ => 1,
    }
}

fn own_precedence(arithmetic: &Arithmetic) -> u8 {
    arithmetic.rest.first().map_or(1, |(op, _)| precedence(*op))
}

fn arithmetic_text(arithmetic: &Arithmetic) -> Option<String> {
    let own = own_precedence(arithmetic);
    let part = |expr: &Expr| {
        let text = expression(expr)?;
        let enclose = match expr {
            Expr::Arithmetic(inner) => own_precedence(inner) <= own,
            Expr::Compare(_) | Expr::And(_) | Expr::Or(_) => true,
            _ => false,
        };
        Some(if enclose { format!("({text})") } else { text })
    };
    let mut text = part(&arithmetic.first)?;
    for (number, (op, expr)) in arithmetic.rest.iter().enumerate() {
        if number > 0 && arithmetic.rest.len() < NESTED_MAX {
            text = format!("({text})");
        }
        text.push_str(match op {
            BinaryOp::Multiply => "*",
            BinaryOp::Divide => "/",
            BinaryOp::Modulo => "%",
            BinaryOp::Add => "+",
            BinaryOp::Subtract => "-",
            BinaryOp::BitAnd => "&",
            BinaryOp::BitOr => "|",
            BinaryOp::BitXor => "^",
            BinaryOp::ShiftLeft => "<<",
            BinaryOp::ShiftRight => ">>",
            BinaryOp::Concat => "||",
        });
        text.push_str(&part(expr)?);
    }
    Some(text)
}

fn compare_text(op: CompareOp) -> &'static str {
    match op {
        CompareOp::Equal => "=",
        CompareOp::NotEqual => "<>",
        CompareOp::Less => "<",
        CompareOp::LessOrEqual => "<=",
        CompareOp::Greater => ">",
        CompareOp::GreaterOrEqual => ">=",
    }
}

fn case_text(case: &Case) -> Option<String> {
    let mut text = String::from("case ");
    if let Some(operand) = &case.operand {
        write!(text, "{} ", expression(operand)?).expect("writes to a string");
    }
    for (when, then) in &case.whens {
        write!(text, "when {} then {} ", expression(when)?, expression(then)?).expect("writes to a string");
    }
    match &case.otherwise {
        Some(otherwise) => write!(text, "else {} ", expression(otherwise)?).expect("writes to a string"),
        // Where ELSE would be.
        None => text.push(' '),
    }
    Some(text + "end")
}

fn literal_text(literal: &Literal) -> String {
    match literal {
        Literal::Null => "NULL".to_string(),
        Literal::Int(value) => format!("({value})"),
        Literal::Decimal(value) => {
            let digits = value.unscaled.unsigned_abs().to_string();
            let scale = usize::from(value.scale);
            let digits = format!("{digits:0>width$}", width = scale + 1);
            let (whole, fraction) = digits.split_at(digits.len() - scale);
            if scale == 0 { format!("({whole}.)") } else { format!("({whole}.{fraction})") }
        }
        Literal::Float(value) => {
            let text = format!("{value:.16e}");
            let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
            let exponent: i32 = exponent.parse().unwrap_or(0);
            format!("({mantissa}e{}{:03})", if exponent < 0 { '-' } else { '+' }, exponent.abs())
        }
        Literal::Money(value) => format!("(${}.{:04})", value / 10_000, (value % 10_000).abs()),
        Literal::String { text, national } => {
            format!("{}'{}'", if *national { "N" } else { "" }, text.replace('\'', "''"))
        }
        Literal::Binary(bytes) => bytes.iter().fold(String::from("0x"), |mut text, byte| {
            write!(text, "{byte:02X}").expect("writes to a string");
            text
        }),
    }
}

/// `[varchar](10)`
pub fn type_text(data_type: &DataType) -> Option<String> {
    let name = match &data_type.name {
        TypeName::Builtin(kind) => bracket(scalar_type::system_type(*kind).name),
        TypeName::Sysname => "[sysname]".to_string(),
        TypeName::User(name) => object_name(name),
        _ => return None,
    };
    Some(match data_type.length {
        TypeLength::Default => name,
        TypeLength::One(length) => format!("{name}({length})"),
        TypeLength::Two(precision, scale) => format!("{name}({precision},{scale})"),
        TypeLength::Max => format!("{name}(max)"),
    })
}
