//! Defaults and rules that are objects of their own: what their texts say.

use sql::lex::{Lexer, TokenKind};

/// The expression of `CREATE DEFAULT name AS constant` and `CREATE RULE name AS condition`.
pub fn expression(text: &str) -> &str {
    let mut lexer = Lexer::new(text);
    loop {
        let token = lexer.next_token();
        let word = &text[token.start as usize..token.end as usize];
        if token.kind == TokenKind::End {
            return "";
        }
        if token.kind == TokenKind::Word && word.eq_ignore_ascii_case("AS") {
            return text[token.end as usize..].trim_end_matches(|c: char| c == ';' || c.is_whitespace());
        }
    }
}

/// The condition of a rule with `value` where its variable stands.
pub fn condition(text: &str, value: &str) -> String {
    let own = expression(text);
    let mut lexer = Lexer::new(own);
    let (mut out, mut at) = (String::from("("), 0);
    loop {
        let token = lexer.next_token();
        if token.kind == TokenKind::End {
            break;
        }
        if token.kind == TokenKind::Variable {
            out.push_str(&own[at..token.start as usize]);
            out.push_str(value);
            at = token.end as usize;
        }
    }
    out.push_str(&own[at..]);
    // A comment may end it.
    out.push_str("\n)");
    out
}
