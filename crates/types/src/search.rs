//! Searching for text under a collation, in time that grows with the text alone.
//!
//! The usual needle stands or fails by its first characters: the text is tried place by place, without any memory. Once that has cost more
//! than going over the text, the rest is searched with the needle's own table of repeats (Knuth, Morris, Pratt 1977). Where equal characters
//! are equal bytes, bytes are searched.

use std::ops::Range;

use memchr::memmem;

use crate::collation::{CharWeight, Chars, Comparer};
use crate::error::SqlResult;
use crate::pause::{CHARACTER, Pacer, STRIDE};

/// Characters of the needle that have entries in the table: a pattern of SQL Server's longest, 8,000 bytes. What is behind them is compared at
/// each place that has those.
const TABLE_MAX: usize = 8192;

/// Bytes of a text from which on it is searched by a finder of its own.
const FINDER_FROM: usize = 64;

/// Characters compared in vain before the table is made.
const VAIN_MAX: usize = 1024;

/// CHARINDEX and REPLACE: the bytes of the first place where `needle` is in `text` at or after byte `from`. An empty
/// needle is nowhere.
pub fn find(
    comparer: &Comparer,
    text: &[u8],
    needle: &[u8],
    from: usize,
    pacer: &mut Pacer<'_>,
) -> SqlResult<Option<Range<usize>>> {
    let Some(behind) = text.get(from..) else { return Ok(None) };
    let mut wanted = Chars::new(comparer, needle);
    let Some(first) = wanted.next() else { return Ok(None) };
    if comparer.searches_bytes(needle) {
        let at = find_bytes(behind, needle, comparer.unit_bytes(), pacer)?;
        return Ok(at.map(|at| from + at..from + at + needle.len()));
    }
    let mut chars = Chars::new(comparer, behind);
    let (mut seen, mut vain) = (0, 0);
    loop {
        seen += passed(&mut chars, first, pacer)?;
        let here = chars.clone();
        pacer.spend(CHARACTER)?;
        match chars.next() {
            None => return Ok(None),
            Some(c) if c != first => {}
            Some(_) => match skip(chars.clone(), wanted.clone(), &mut vain, pacer)? {
                Place::Is(end) => return Ok(Some(text.len() - here.rest().len()..text.len() - end.rest().len())),
                Place::TooLate => return Ok(None),
                Place::IsNot if vain > VAIN_MAX + seen => {
                    let mut rest = Chars::new(comparer, needle);
                    let prefix: Vec<CharWeight> = rest.by_ref().take(TABLE_MAX).collect();
                    let found = linear(
                        prefix.len(),
                        |at| prefix[at],
                        here,
                        pacer,
                        |end, pacer| skip(end.clone(), rest.clone(), &mut 0, pacer),
                    )?;
                    return Ok(found.map(|(start, end)| text.len() - start..text.len() - end.rest().len()));
                }
                Place::IsNot => {}
            },
        }
        seen += 1;
    }
}

/// Moves to where `first` may be; how many bytes that is further on.
#[inline]
fn passed(text: &mut Chars<'_>, first: CharWeight, pacer: &mut Pacer<'_>) -> SqlResult<usize> {
    let passed = text.pass(first);
    // Without a look at what a character is, a byte takes a fraction of the time.
    pacer.spend(passed / 4)?;
    Ok(passed)
}

/// Whether a needle is at a place of the text.
enum Place<'t> {
    /// With the text behind it.
    Is(Chars<'t>),
    IsNot,
    /// The text ends first: so it does for every later place.
    TooLate,
}

/// The text behind all that is wanted, if it begins with that. Counts what it compared.
fn skip<'t>(
    mut text: Chars<'t>,
    wanted: Chars<'_>,
    compared: &mut usize,
    pacer: &mut Pacer<'_>,
) -> SqlResult<Place<'t>> {
    for c in wanted {
        *compared += 1;
        pacer.spend(CHARACTER)?;
        match text.next() {
            None => return Ok(Place::TooLate),
            Some(other) if other != c => return Ok(Place::IsNot),
            Some(_) => {}
        }
    }
    Ok(Place::Is(text))
}

/// As `find`, for a needle of `count` weights: how many bytes of the text are left at its first place that `accept`s what is behind it, and
/// the text behind.
pub fn find_weights<'t>(
    count: usize,
    needle: impl Fn(usize) -> CharWeight,
    mut text: Chars<'t>,
    pacer: &mut Pacer<'_>,
    accept: impl Fn(&Chars<'t>) -> bool,
) -> SqlResult<Option<(usize, Chars<'t>)>> {
    let (mut seen, mut vain) = (0, 0);
    loop {
        seen += passed(&mut text, needle(0), pacer)?;
        let mut here = text.clone();
        let mut matched = 0;
        while matched < count {
            pacer.spend(CHARACTER)?;
            match here.next() {
                // A later place has less behind it.
                None => return Ok(None),
                Some(c) if c == needle(matched) => matched += 1,
                Some(_) => break,
            }
        }
        if matched == count && accept(&here) {
            return Ok(Some((text.rest().len(), here)));
        }
        vain += matched;
        if vain > VAIN_MAX + seen {
            return linear(count, needle, text, pacer, |end, _| {
                Ok(if accept(end) { Place::Is(end.clone()) } else { Place::IsNot })
            });
        }
        seen += 1;
        text.next();
    }
}

/// `complete`: whether a place that has the needle's weights is one, and what is behind it then.
fn linear<'t>(
    count: usize,
    needle: impl Fn(usize) -> CharWeight,
    mut text: Chars<'t>,
    pacer: &mut Pacer<'_>,
    mut complete: impl FnMut(&Chars<'t>, &mut Pacer<'_>) -> SqlResult<Place<'t>>,
) -> SqlResult<Option<(usize, Chars<'t>)>> {
    // At i: the length of the longest end of needle[..=i] that is also its beginning.
    let mut repeats = vec![0_u32; count];
    let mut length = 0;
    for at in 1..count {
        pacer.spend(CHARACTER)?;
        while length > 0 && needle(at) != needle(length) {
            length = repeats[length - 1] as usize;
        }
        length += (needle(at) == needle(length)) as usize;
        repeats[at] = length as u32;
    }
    // Bytes left where each of the last characters began: characters differ in length.
    let mut starts = vec![0; count];
    let mut matched = 0;
    for position in 0_usize.. {
        pacer.spend(CHARACTER)?;
        starts[position % count] = text.rest().len();
        let Some(c) = text.next() else { break };
        while matched > 0 && c != needle(matched) {
            matched = repeats[matched - 1] as usize;
        }
        matched += (c == needle(matched)) as usize;
        if matched == count {
            match complete(&text, pacer)? {
                Place::Is(end) => return Ok(Some((starts[(position + 1) % count], end))),
                Place::TooLate => break,
                Place::IsNot => {}
            }
            matched = repeats[count - 1] as usize;
        }
    }
    Ok(None)
}

/// Where `needle` begins in `text`, at a multiple of `unit`.
fn find_bytes(text: &[u8], needle: &[u8], unit: usize, pacer: &mut Pacer<'_>) -> SqlResult<Option<usize>> {
    // The search itself is not paced: it gets as much as a stride has at a time, for memory's speed is some times that of other loops.
    let (prefix, rest) = needle.split_at(needle.len().min(STRIDE));
    // To make a finder takes longer than to search a short text.
    let finder = (prefix.len() > 1 && text.len() > FINDER_FROM).then(|| memmem::Finder::new(prefix));
    let find_in = |window: &[u8]| match (&finder, prefix) {
        (Some(finder), _) => finder.find(window),
        (None, [byte]) => memchr::memchr(*byte, window),
        (None, prefix) => memmem::find(window, prefix),
    };
    let mut from = 0;
    while from < text.len() {
        let window = &text[from..text.len().min(from + 4 * STRIDE + prefix.len())];
        pacer.spend(window.len() / 4)?;
        match find_in(window) {
            None if from + window.len() == text.len() => return Ok(None),
            // A needle may begin at the window's end.
            None => from += window.len() + 1 - prefix.len(),
            Some(at) => {
                let start = from + at;
                if start.is_multiple_of(unit) && text[start + prefix.len()..].starts_with(rest) {
                    return Ok(Some(start));
                }
                pacer.spend(rest.len() / 4 + CHARACTER)?;
                from = start + 1;
            }
        }
    }
    Ok(None)
}
