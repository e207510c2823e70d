//! Which tokens an answer has, in words. `D193=1`: DONE of command 193 that counts a row, `!` behind it: with the bit of an error. `I`: DONEINPROC,
//! `P`: DONEPROC, `S0`: RETURNSTATUS, `E208`: an error, `M0`: a message, `C`: columns, `R`: a row, `V`: RETURNVALUE; `B`, `K` and `X` tell that a
//! transaction has begun, is committed, is rolled back.
#![allow(dead_code)]

use tds::token::{Done, DoneKind, EnvChange, Token, done};

use super::raw::{Raw, tokens};

fn word_of_done(ended: &Done) -> String {
    let kind = match ended.kind {
        DoneKind::Batch => 'D',
        DoneKind::InProcedure => 'I',
        DoneKind::Procedure => 'P',
    };
    let count = if ended.status & done::COUNT != 0 { format!("={}", ended.rows) } else { String::new() };
    let error = if ended.status & done::ERROR != 0 { "!" } else { "" };
    format!("{kind}{}{count}{error}", ended.command)
}

fn word(token: &Token) -> Option<String> {
    Some(match token {
        Token::Columns(_) => "C".into(),
        Token::Row(_) => "R".into(),
        Token::Done(ended) => word_of_done(ended),
        Token::Message(message) if message.severity > 10 => format!("E{}", message.number),
        Token::Message(message) => format!("M{}", message.number),
        Token::ReturnStatus(status) => format!("S{status}"),
        Token::ReturnValue(_) => "V".into(),
        Token::EnvChange(EnvChange::BeginTransaction { .. }) => "B".into(),
        Token::EnvChange(EnvChange::CommitTransaction { .. }) => "K".into(),
        Token::EnvChange(EnvChange::RollbackTransaction { .. }) => "X".into(),
        _ => return None,
    })
}

/// All but the last DONE say that more follows, and none says that a transaction is open.
pub fn words(answer: &[u8]) -> String {
    let found = tokens(answer);
    let statuses: Vec<u16> = found
        .iter()
        .filter_map(|token| match token {
            Token::Done(ended) => Some(ended.status),
            _ => None,
        })
        .collect();
    let (last, others) = statuses.split_last().expect("a DONE");
    assert!(others.iter().all(|status| status & done::MORE != 0) && last & done::MORE == 0, "{found:?}");
    assert!(statuses.iter().all(|status| status & !(done::MORE | done::ERROR | done::COUNT) == 0), "{found:?}");
    found.iter().filter_map(word).collect::<Vec<_>>().join(" ")
}

/// Each case finds the session as after a login: its options, and no transaction.
pub fn hold<T: std::fmt::Debug>(raw: &mut Raw, ask: impl Fn(&mut Raw, &T) -> Vec<u8>, cases: &[(T, &str)]) {
    let mut wrong = Vec::new();
    for (asked, wanted) in cases {
        raw.reset().batch("SELECT 1 AS a");
        let told = words(&ask(raw, asked));
        if told != *wanted {
            wrong.push(format!("{asked:?}\n  wanted {wanted}\n  saw    {told}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
