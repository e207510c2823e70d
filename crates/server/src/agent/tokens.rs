//! Tokens in the text of a step and in the name of its output file.
//! https://learn.microsoft.com/ssms/agent/use-tokens-in-job-steps

/// `$(ESCAPE_SQUOTE(NAME))` and its kin, with the value that `value` has for NAME. What it does not know stays as it is.
pub fn replace(text: &str, value: &dyn Fn(&str) -> Option<String>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("$(") {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        match macro_at(rest, value) {
            Some((written, length)) => {
                out.push_str(&written);
                rest = &rest[length..];
            }
            None => {
                out.push_str("$(");
                rest = &rest[2..];
            }
        }
    }
    out.push_str(rest);
    out
}

/// What stands for the token at the begin of a text, and its length there.
fn macro_at(text: &str, value: &dyn Fn(&str) -> Option<String>) -> Option<(String, usize)> {
    let inner = &text[2..];
    let (name, escaped, length) = match inner.find(['(', ')'])? {
        open if inner[open..].starts_with('(') => {
            let close = inner[open..].find("))")? + open;
            (&inner[open + 1..close], Some(&inner[..open]), 2 + close + 2)
        }
        close => (&inner[..close], None, 2 + close + 1),
    };
    let value = value(&name.trim().to_ascii_uppercase())?;
    let written = match escaped.map(str::to_ascii_uppercase).as_deref() {
        None | Some("ESCAPE_NONE") => value,
        Some("ESCAPE_SQUOTE") => value.replace('\'', "''"),
        Some("ESCAPE_DQUOTE") => value.replace('"', "\"\""),
        Some("ESCAPE_RBRACKET") => value.replace(']', "]]"),
        Some(_) => return None,
    };
    Some((written, length))
}

#[cfg(test)]
mod tests {
    use super::replace;

    #[test]
    fn known_tokens_are_replaced_and_others_stay() {
        let value = |name: &str| (name == "JOBNAME").then(|| "it's ]x\"".to_owned());
        assert_eq!(replace("a $(ESCAPE_SQUOTE(JOBNAME)) b", &value), "a it''s ]x\" b");
        assert_eq!(replace("$(escape_rbracket(JobName))", &value), "it's ]]x\"");
        assert_eq!(replace("$(ESCAPE_DQUOTE(JOBNAME))|$(ESCAPE_NONE(JOBNAME))", &value), "it's ]x\"\"|it's ]x\"");
        assert_eq!(replace("$(JOBNAME)", &value), "it's ]x\"");
        assert_eq!(replace("$(WMI(x)) $( $(OTHER) $", &value), "$(WMI(x)) $( $(OTHER) $");
    }
}
