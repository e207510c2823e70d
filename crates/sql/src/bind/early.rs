//! Deferred name resolution: what of a batch is refused before its first statement runs.
//!
//! SQL Server compiles every statement of a batch whose objects are all there, and starts none if one of them is wrong (a column that
//! does not exist, types that do not meet). A statement that names an object which is not there yet is compiled when it is reached.

use types::SqlError;

use super::BindOptions;
use super::names::{find_object, object_name, same_name};
use super::statement::bind_query;
use super::variables::{Found, visit_statement};
use crate::ast;
use crate::catalog::{Catalog, Object};
use crate::plan::{Module, Query};

/// The error is of what is compiled, wherever it shows.
pub fn is_of_compiling(number: i32) -> bool {
    AT_ONCE.binary_search(&number).is_ok()
}

pub enum Early {
    Bound(Box<Query>),
    /// No execution could change it.
    Wrong(SqlError),
    /// The statement says what is wrong when it is reached, if it still is: an object is missing, or the error is of a kind that
    /// depends on the session.
    Later,
}

/// Errors about columns, types and the shape of a statement, by number. What is not here waits: missing objects (208, 4121, 2715), what
/// IDENTITY_INSERT decides (544, 545), and what this server lacks.
const AT_ONCE: [i32; 280] = [
    104, 107, 108, 109, 110, 116, 120, 121, 127, 128, 130, 137, 140, 141, 144, 145, 147, 157, 158, 164, 169, 174, 189,
    205, 206, 207, 209, 213, 215, 227, 239, 240, 246, 247, 249, 252, 253, 257, 258, 259, 260, 263, 264, 265, 271, 272,
    273, 277, 286, 305, 306, 311, 313, 318, 331, 334, 339, 354, 355, 356, 367, 402, 403, 406, 408, 414, 415, 422, 451,
    457, 460, 461, 462, 465, 467, 468, 473, 476, 479, 482, 483, 488, 493, 494, 497, 529, 536, 1008, 1011, 1013, 1014,
    1015, 1031, 1033, 1038, 1042, 1046, 1060, 1062, 1076, 1087, 2203, 2204, 2205, 2207, 2209, 2210, 2218, 2219, 2220,
    2221, 2225, 2226, 2227, 2229, 2231, 2232, 2234, 2236, 2238, 2240, 2241, 2248, 2249, 2258, 2264, 2267, 2271, 2272,
    2273, 2274, 2278, 2282, 2283, 2285, 2294, 2323, 2337, 2340, 2342, 2351, 2356, 2359, 2363, 2364, 2365, 2371, 2373,
    2374, 2389, 2392, 2395, 2396, 4101, 4104, 4106, 4108, 4109, 4112, 4113, 4114, 4123, 4127, 4131, 4190, 4191, 4193,
    4194, 4195, 4405, 4406, 4427, 4502, 5308, 5309, 5316, 5318, 5333, 5334, 5335, 5362, 5363, 5364, 5365, 5366, 5373,
    6305, 6306, 6506, 6573, 6574, 6592, 6913, 8101, 8102, 8113, 8116, 8117, 8120, 8121, 8124, 8127, 8133, 8137, 8144,
    8155, 8156, 8159, 8161, 8167, 8171, 8172, 8184, 8622, 8695, 8710, 8711, 8720, 8722, 8723, 8726, 8728, 8729, 8733,
    8734, 8748, 9300, 9301, 9303, 9304, 9308, 9310, 9313, 9315, 9316, 9317, 9319, 9322, 9323, 9324, 9325, 9326, 9327,
    9328, 9332, 9335, 9338, 9341, 9342, 9344, 9500, 9501, 9519, 10700, 10705, 10709, 10741, 10751, 10752, 10753, 10754,
    10755, 10756, 10757, 10758, 10759, 11717, 11719, 11720, 11721, 11723, 11725, 11727, 11739, 11741, 13600, 13636,
    16200, 16208, 16211,
];

const _: () = {
    let mut at = 1;
    while at < AT_ONCE.len() {
        assert!(AT_ONCE[at - 1] < AT_ONCE[at], "it is searched by halves");
        at += 1;
    }
};

/// Binds a deferred statement before its batch starts. `own_temporary`: the batch itself makes, changes or drops the temporary table of
/// that name, so one that is there now may not be the one meant.
pub fn bind_early(
    statement: &ast::Statement,
    module: &Module,
    catalog: &dyn Catalog,
    options: &BindOptions,
    own_temporary: &dyn Fn(&str) -> bool,
) -> Early {
    match bind_query(statement, module, catalog, options) {
        Ok(query) => Early::Bound(Box::new(query)),
        // Schema-bound: all that it names is there.
        Err(error) if module.atomic.is_some() => Early::Wrong(error),
        Err(error) if !is_of_compiling(error.number) => Early::Later,
        Err(error) if names_are_there(statement, module, catalog, own_temporary) => Early::Wrong(error),
        Err(_) => Early::Later,
    }
}

fn names_are_there(
    statement: &ast::Statement,
    module: &Module,
    catalog: &dyn Catalog,
    own_temporary: &dyn Fn(&str) -> bool,
) -> bool {
    let (mut named, mut local) = (Vec::new(), Vec::new());
    if module.trigger_table.is_some() {
        local.extend(["inserted", "deleted"]);
    }
    visit_statement(&statement.kind, &mut |found| match found {
        Found::Named(name) => named.push(name),
        Found::Local(name) => local.push(name),
        _ => {}
    });
    named.iter().all(|name| {
        let text = &*name.name.text;
        if name.is_unqualified() && local.iter().any(|local| same_name(local, text)) {
            return true;
        }
        if text.starts_with('#') && own_temporary(text) {
            return false;
        }
        match find_object(catalog, module.schema.as_deref(), &object_name(name)) {
            // A column that this server's own views lack concerns the statement that asks for it alone.
            Ok(Some(Object::Virtual(_))) => false,
            Ok(Some(Object::Module(view))) => {
                !["sys", "information_schema"].iter().any(|own| same_name(own, &view.schema))
            }
            found => matches!(found, Ok(Some(_))),
        }
    })
}
