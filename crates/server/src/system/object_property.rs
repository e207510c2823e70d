//! OBJECTPROPERTY and OBJECTPROPERTYEX: one object, as the rows of the catalog and the definition of its table tell of it.
//! https://learn.microsoft.com/sql/t-sql/functions/objectproperty-transact-sql

use sql::bind::Nature;
use sql::catalog::TableDef;
use types::{SqlResult, TypeKind};

use super::answer::Answer;
use crate::catalog::base::{IndexRow, KeyReferenceRow, ObjectRow, ReferenceRow, class, object_status as os_};
use crate::catalog::load::{self, BY_PARENT, int, small};
use crate::catalog::registry::Entry;
use crate::catalog::store::Rows;

/// An object and what hangs on it.
pub struct Subject {
    /// `sys.objects.type`, without blanks.
    kind: String,
    is_shipped: bool,
    status: i32,
    schema: i32,
    /// It belongs to another object.
    is_part: bool,
    owner: i32,
    is_of_column: bool,
    triggers: Vec<ObjectRow>,
    /// Of a key: the index that it is.
    index: Option<IndexRow>,
    /// Of a foreign key: delete action + 16 * update action.
    actions: i32,
    /// Of a trigger, for INSERT, UPDATE and DELETE: what sp_settriggerorder said.
    places: [i32; 3],
}

/// Whether the property is one of what a view or a function does.
pub fn asks_nature(name: &str) -> bool {
    matches!(name, "isdeterministic" | "isprecise" | "issystemverified" | "systemdataaccess" | "userdataaccess")
}

impl Subject {
    pub fn of_system(entry: &Entry) -> Subject {
        Subject {
            kind: entry.type_code().to_owned(),
            is_shipped: true,
            // The system's text is bound with both on.
            status: os_::ANSI_NULLS | os_::QUOTED_IDENTIFIER,
            schema: entry.schema_id(),
            is_part: false,
            owner: 1,
            is_of_column: false,
            triggers: Vec::new(),
            index: None,
            actions: 0,
            places: [0; 3],
        }
    }

    pub fn read(rows: &mut Rows<'_>, row: &ObjectRow) -> SqlResult<Subject> {
        let kind = row.kind.as_str().trim().to_owned();
        let children = match kind.as_str() {
            "U" | "V" => rows.find::<ObjectRow>(BY_PARENT, &[int(row.id)])?,
            _ => Vec::new(),
        };
        let index = match kind.as_str() {
            "PK" | "UQ" => rows.find::<IndexRow>(0, &[int(row.pid)])?.into_iter().find(|i| i.constraint_id == row.id),
            _ => None,
        };
        let actions = match kind.as_str() {
            "F" => rows.find::<ReferenceRow>(0, &[int(row.id), small(class::FOREIGN_KEY)])?.first().map(|r| r.status),
            _ => None,
        };
        let pairs = match kind.as_str() {
            "F" => rows.find::<KeyReferenceRow>(0, &[int(row.id), small(class::FOREIGN_KEY)])?.len(),
            _ => 0,
        };
        let mut places = [0; 3];
        if kind == "TR" {
            for event in rows.find::<KeyReferenceRow>(0, &[int(row.id), small(class::TRIGGER_EVENT)])? {
                if let Some(place) = usize::try_from(event.depsubid - 1).ok().and_then(|at| places.get_mut(at)) {
                    *place = event.status;
                }
            }
        }
        Ok(Subject {
            is_shipped: row.id < crate::catalog::base::USER_OBJECT_MIN,
            status: row.status,
            schema: row.nsid,
            is_part: row.pid != 0,
            owner: row.owner.unwrap_or(1),
            is_of_column: kind == "D" || row.status & os_::OF_COLUMN != 0 || pairs == 1,
            triggers: children.into_iter().filter(|child| child.kind.as_str() == "TR").collect(),
            kind,
            index,
            actions: actions.unwrap_or(0) & 0xff,
            places,
        })
    }

    /// `name` in lower case. `table`: of a table, its definition; `nature`: of a view or a function, if `name` is asked of that.
    pub fn property(&self, name: &str, table: Option<&TableDef>, nature: Option<Nature>) -> Answer {
        if asks_nature(name) {
            return self.of_nature(name, nature);
        }
        if name.starts_with("cnst") {
            return self.of_constraint(name);
        }
        if name.starts_with("exec") {
            return self.of_module(name);
        }
        if name.starts_with("table") {
            return self.of_table(name, table);
        }
        // Neither keys nor tables are made of text.
        match name {
            "isquotedidenton" if self.is_in(&["PK", "UQ", "F"]) => Answer::Null,
            "isansinullson" | "isschemabound" if self.is_constraint() => Answer::Null,
            "isencrypted" if table.is_some() => Answer::Null,
            _ => self.of_any(name, table),
        }
    }

    /// A view WITH SCHEMABINDING.
    pub fn is_bound_view(&self) -> bool {
        self.kind == "V" && self.has(os_::SCHEMA_BOUND)
    }

    fn is_in(&self, kinds: &[&str]) -> bool {
        kinds.contains(&self.kind.as_str())
    }

    fn has(&self, bit: i32) -> bool {
        self.status & bit != 0
    }

    fn of_any(&self, name: &str, table: Option<&TableDef>) -> Answer {
        let is = |kind: &str| Answer::from(self.kind == kind);
        let has_trigger =
            |bit: i32, wanted: i32| Answer::from(self.triggers.iter().any(|row| row.status & bit == wanted));
        match name {
            "istable" => self.is_in(&["U", "S"]).into(),
            "isusertable" => is("U"),
            "issystemtable" => is("S"),
            "isview" => is("V"),
            "isprocedure" => is("P"),
            "istrigger" => is("TR"),
            "isscalarfunction" => is("FN"),
            "isinlinefunction" => is("IF"),
            "istablefunction" => self.is_in(&["IF", "TF"]).into(),
            "isconstraint" => self.is_constraint().into(),
            "isprimarykey" => is("PK"),
            "isforeignkey" => is("F"),
            "isuniquecnst" => is("UQ"),
            "ischeckcnst" => is("C"),
            "isdefaultcnst" => (self.kind == "D" && self.is_part).into(),
            // What CREATE DEFAULT makes, not a constraint.
            "isdefault" => (self.kind == "D" && !self.is_part).into(),
            "isextendedproc" => is("X"),
            "isrule" => is("R"),
            "isqueue" => is("SQ"),
            "isreplproc" => Answer::Number(0),
            "isexecuted" => self.is_in(&["P", "V", "TR", "FN", "IF", "TF", "X"]).into(),
            "ismsshipped" => self.is_shipped.into(),
            "isquotedidenton" => (table.is_some() || self.has(os_::QUOTED_IDENTIFIER)).into(),
            "isansinullson" => (table.is_some() || self.has(os_::ANSI_NULLS)).into(),
            "isschemabound" => self.has(os_::SCHEMA_BOUND).into(),
            "isencrypted" => self.has(os_::ENCRYPTED).into(),
            "ownerid" => Answer::Number(self.owner.into()),
            "schemaid" => Answer::Number(self.schema.into()),
            "isindexed" => table.is_some_and(|table| !table.indexes.is_empty()).into(),
            "isindexable" => table.is_some().into(),
            "hasaftertrigger" => has_trigger(os_::INSTEAD_OF, 0),
            "hasinsteadoftrigger" => has_trigger(os_::INSTEAD_OF, os_::INSTEAD_OF),
            "hasinserttrigger" => has_trigger(os_::ON_INSERT, os_::ON_INSERT),
            "hasupdatetrigger" => has_trigger(os_::ON_UPDATE, os_::ON_UPDATE),
            "hasdeletetrigger" => has_trigger(os_::ON_DELETE, os_::ON_DELETE),
            "cardinality" => table.map(|table| table.row_count as i64).into(),
            "basetype" => self.kind.as_str().into(),
            _ => Answer::Null,
        }
    }

    /// What a view or a function is for who calls it, NULL of all else. One that is not schema-bound may read anything.
    fn of_nature(&self, name: &str, nature: Option<Nature>) -> Answer {
        let Some(nature) = nature else { return Answer::Null };
        match name {
            "isdeterministic" => nature.deterministic.into(),
            "isprecise" if self.kind == "V" => self.has(os_::SCHEMA_BOUND).into(),
            "isprecise" => nature.precise.into(),
            "issystemverified" => self.has(os_::SCHEMA_BOUND).into(),
            "userdataaccess" => nature.reads.into(),
            _ => (!self.has(os_::SCHEMA_BOUND)).into(),
        }
    }

    /// What CREATE DEFAULT makes is none.
    fn is_constraint(&self) -> bool {
        self.is_in(&["C", "F", "PK", "UQ"]) || self.kind == "D" && self.is_part
    }

    /// NULL for what is no constraint.
    fn of_constraint(&self, name: &str) -> Answer {
        if !self.is_constraint() {
            return Answer::Null;
        }
        let is_clustered = self.index.as_ref().map(|index| index.indid == 1);
        match name {
            "cnstisclustkey" => (is_clustered == Some(true)).into(),
            "cnstisnonclustkey" => (is_clustered == Some(false)).into(),
            "cnstiscolumn" => self.is_of_column.into(),
            "cnstisdeletecascade" => (self.actions & 15 == 1).into(),
            "cnstisupdatecascade" => (self.actions >> 4 == 1).into(),
            "cnstisdisabled" => self.has(os_::DISABLED).into(),
            "cnstisnotrepl" => self.has(os_::NOT_FOR_REPLICATION).into(),
            "cnstisnottrusted" => self.has(os_::NOT_TRUSTED).into(),
            _ => Answer::Null,
        }
    }

    /// NULL for what has no text, and what only triggers have for what is none.
    fn of_module(&self, name: &str) -> Answer {
        if !self.is_in(&["P", "V", "FN", "IF", "TF", "TR"]) {
            return Answer::Null;
        }
        match name {
            "execisquotedidenton" => return self.has(os_::QUOTED_IDENTIFIER).into(),
            "execisansinullson" => return self.has(os_::ANSI_NULLS).into(),
            "execiswithnativecompilation" => return self.has(os_::NATIVE).into(),
            "execisstartup" => return Answer::Number(0),
            _ => {}
        }
        if self.kind != "TR" {
            return Answer::Null;
        }
        match name {
            "execisaftertrigger" => (!self.has(os_::INSTEAD_OF)).into(),
            "execisinsteadoftrigger" => self.has(os_::INSTEAD_OF).into(),
            "execisinserttrigger" => self.has(os_::ON_INSERT).into(),
            "execisupdatetrigger" => self.has(os_::ON_UPDATE).into(),
            "execisdeletetrigger" => self.has(os_::ON_DELETE).into(),
            "execistriggerdisabled" => self.has(os_::DISABLED).into(),
            "execistriggernotforrepl" => self.has(os_::NOT_FOR_REPLICATION).into(),
            "execisfirstinserttrigger" => (self.places[0] == load::FIRST).into(),
            "execisfirstupdatetrigger" => (self.places[1] == load::FIRST).into(),
            "execisfirstdeletetrigger" => (self.places[2] == load::FIRST).into(),
            "execislastinserttrigger" => (self.places[0] == load::LAST).into(),
            "execislastupdatetrigger" => (self.places[1] == load::LAST).into(),
            "execislastdeletetrigger" => (self.places[2] == load::LAST).into(),
            _ => Answer::Null,
        }
    }

    fn of_table(&self, name: &str, table: Option<&TableDef>) -> Answer {
        // A view has triggers as well, a function the table that it gives back.
        if !self.is_in(&["U", "S", "TF", "TT", "IT"]) && !name.contains("trigger") {
            return Answer::Null;
        }
        let test = |test: &dyn Fn(&TableDef) -> bool| Answer::from(table.is_some_and(test));
        let of_type = |kinds: &[TypeKind]| test(&|table| table.columns.iter().any(|c| kinds.contains(&c.ty.kind)));
        match name {
            "tablehasidentity" => test(&|table| table.columns.iter().any(|column| column.identity.is_some())),
            "tablehasprimarykey" => test(&|table| table.indexes.iter().any(|index| index.primary_key)),
            "tablehasuniquecnst" => test(&|table| table.indexes.iter().any(|index| index.unique_constraint)),
            "tablehasclustindex" => test(&|table| table.indexes.iter().any(|index| index.id == 1)),
            "tablehasnonclustindex" => test(&|table| table.indexes.iter().any(|index| index.id > 1)),
            "tablehasindex" => test(&|table| !table.indexes.is_empty()),
            "tablehascheckcnst" => test(&|table| table.checks.iter().any(|check| !check.rule)),
            "tablehasforeignkey" => test(&|table| !table.foreign_keys.is_empty()),
            "tablehasforeignref" => test(&|table| !table.referenced_by.is_empty()),
            "tablehasdefaultcnst" => test(&|table| table.columns.iter().any(|column| column.default.is_some())),
            "tablehasrowguidcol" => test(&|table| table.columns.iter().any(|column| column.rowguid)),
            "tablehastextimage" => of_type(&[TypeKind::Text, TypeKind::NText, TypeKind::Image]),
            "tablehastimestamp" => of_type(&[TypeKind::RowVersion]),
            "tableismemoryoptimized" => test(&|table| table.memory.is_some()),
            "tablehasinserttrigger" | "tableinserttrigger" | "tableinserttriggercount" => {
                self.triggers_of(name, os_::ON_INSERT)
            }
            "tablehasupdatetrigger" | "tableupdatetrigger" | "tableupdatetriggercount" => {
                self.triggers_of(name, os_::ON_UPDATE)
            }
            "tablehasdeletetrigger" | "tabledeletetrigger" | "tabledeletetriggercount" => {
                self.triggers_of(name, os_::ON_DELETE)
            }
            "tabletemporaltype" => match self.status & (os_::VERSIONED | os_::HISTORY) {
                0 => Answer::Number(0),
                os_::HISTORY => Answer::Number(1),
                _ => Answer::Number(2),
            },
            "tableisfake"
            | "tableispinned"
            | "tableislockedonbulkload"
            | "tabletextinrowlimit"
            | "tablehasvardecimalstorageformat"
            | "tablehasactivefulltextindex"
            | "tablefulltextbackgroundupdateindexon"
            | "tablefulltextcatalogid"
            | "tablefulltextchangetrackingon"
            | "tablefulltextdocsprocessed"
            | "tablefulltextfailcount"
            | "tablefulltextitemcount"
            | "tablefulltextkeycolumn"
            | "tablefulltextmergestatus"
            | "tablefulltextpendingchanges"
            | "tablefulltextpopulatestatus"
            | "tablefulltextsemanticextraction" => Answer::Number(0),
            _ => Answer::Null,
        }
    }

    /// Whether there are triggers of a kind, how many, or the first one's id.
    fn triggers_of(&self, name: &str, bit: i32) -> Answer {
        let mut found = self.triggers.iter().filter(|row| row.status & bit != 0);
        Answer::Number(match name {
            _ if name.ends_with("count") => found.count() as i64,
            _ if name.starts_with("tablehas") => i64::from(found.next().is_some()),
            _ => found.map(|row| i64::from(row.id)).min().unwrap_or(0),
        })
    }
}
