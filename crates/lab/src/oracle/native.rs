//! The same statement outside and inside of a natively compiled procedure, over memory-optimized tables.

use super::node::{Dialect, MEMORY_FORM, Node};

/// Of the procedure.
const NAME: &str = "dbo.native_asked";

/// Made before the second of `statements`, dropped after it.
pub fn definition(parts: &Node) -> String {
    let text = parts.children[0].text(Dialect::Native);
    let text = if parts.children.len() > 1 { by_name(&text) } else { text };
    format!(
        "CREATE PROCEDURE {NAME} WITH NATIVE_COMPILATION, SCHEMABINDING AS \
         BEGIN ATOMIC WITH (TRANSACTION ISOLATION LEVEL = SNAPSHOT, LANGUAGE = N'us_english')\n{text};\nEND"
    )
}

pub const DROP: &str = "DROP PROCEDURE IF EXISTS dbo.native_asked";

/// A query, or a change with what it leaves, both ways.
pub fn statements(parts: &Node) -> Vec<String> {
    let own = Dialect::Tsql(MEMORY_FORM);
    let called = format!("EXEC {NAME}");
    let [change, table, asked] = &parts.children[..] else {
        return vec![parts.children[0].text(own), called];
    };
    let (table, asked) = (table.text(own), asked.text(own));
    let undone = |change: &str| format!("BEGIN TRAN;\n{change};\nSELECT * FROM {table};\n{asked};\nROLLBACK");
    vec![undone(&change.text(own)), undone(&called)]
}

/// A natively compiled UPDATE or DELETE has no FROM: its table goes by its own name.
fn by_name(text: &str) -> String {
    let Some(rest) = text.strip_prefix("UPDATE x SET ").or_else(|| text.strip_prefix("DELETE x ")) else {
        return text.into();
    };
    let Some((before, after)) = rest.rsplit_once(" FROM dbo.").filter(|_| rest.matches(" AS x").count() == 1) else {
        return text.into();
    };
    let Some((table, clause)) = after.split_once(" AS x") else { return text.into() };
    let verb = if text.starts_with("UPDATE") { "UPDATE dbo.$ SET " } else { "DELETE dbo.$ " };
    let alone = |text: &str| {
        let mut out = String::new();
        for (at, letter) in text.char_indices() {
            let is_alias =
                text[at..].starts_with("x.") && !text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
            if is_alias { out.push_str(table) } else { out.push(letter) }
        }
        out
    };
    format!("{}{}{}", verb.replace('$', table), alone(before), alone(clause))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_names_its_table_itself() {
        let text = "UPDATE x SET c = x.c + 1 OUTPUT deleted.k, inserted.* FROM dbo.t1_4 AS x WHERE (x.k > max.x)";
        let own = "UPDATE dbo.t1_4 SET c = t1_4.c + 1 OUTPUT deleted.k, inserted.* WHERE (t1_4.k > max.x)";
        assert_eq!(by_name(text), own);
        assert_eq!(by_name("DELETE x OUTPUT deleted.* FROM dbo.t0_4 AS x"), "DELETE dbo.t0_4 OUTPUT deleted.*");
        assert_eq!(by_name("INSERT INTO dbo.t0_4 SELECT 1"), "INSERT INTO dbo.t0_4 SELECT 1");
    }
}
