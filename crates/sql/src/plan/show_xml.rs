//! Plans as XML by Microsoft's showplan schema: what SET SHOWPLAN_XML and sys.dm_exec_query_plan give. A statement has its operators nested
//! as they run, each with the words that SHOWPLAN_TEXT has for it and the rows that are expected of it; costs are left out.

use std::collections::HashMap;
use std::fmt::Write as _;

use super::show::{Shown, show_operators};
use super::statement::{Module, QueryId, QueryKind};

/// What an operator did in a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Actual {
    pub rows: u64,
    pub executions: u64,
    /// How often it said that there are no more rows.
    pub ends: u64,
    /// With what is below it.
    pub elapsed_ns: u64,
    /// To and from work files, by itself.
    pub written_bytes: u64,
    pub read_bytes: u64,
    pub sort_runs: u64,
    /// How often what it hashed was divided; 0: not at all.
    pub hash_level: u64,
}

/// Of a run of a statement.
pub struct Run {
    /// That it gave or changed.
    pub rows: u64,
    /// By the place of the operator in the plan (`show_operators`).
    pub operators: HashMap<usize, Actual>,
    /// Bytes of memory; 0: it asked for none.
    pub granted: u64,
    pub used: u64,
}

/// What SHOWPLAN_TEXT draws before an operator.
pub const TREE: [char; 3] = [' ', '|', '-'];

/// A document that is being written.
#[derive(Default)]
pub struct ShowPlan {
    statements: String,
    count: u32,
}

impl ShowPlan {
    /// A statement of `module` that has a plan.
    pub fn query(&mut self, module: &Module, id: QueryId, kind: &QueryKind) {
        self.statement(module, id, kind, None);
    }

    /// One that has run.
    pub fn executed(&mut self, module: &Module, id: QueryId, kind: &QueryKind, run: &Run) {
        self.statement(module, id, kind, Some(run));
    }

    fn statement(&mut self, module: &Module, id: QueryId, kind: &QueryKind, run: Option<&Run>) {
        let span = module.queries[id.0 as usize].statement.span;
        let text = module.text.get(span.start as usize..span.end as usize).unwrap_or_default();
        let verb = kind.verb();
        let number = self.number();
        self.statements +=
            &format!("<StmtSimple{number} StatementType=\"{verb}\" StatementText=\"{}\">", escaped(text));
        match run {
            None => self.plan(module, kind),
            Some(run) => self.plan_of_run(module, kind, run),
        }
        self.statements += "</StmtSimple>";
    }

    fn plan(&mut self, module: &Module, kind: &QueryKind) {
        self.statements += "<QueryPlan>";
        let (lines, shown) = show_operators(kind, module);
        operators(&lines, &shown, &mut self.statements, |_| String::new());
        self.statements += "</QueryPlan>";
    }

    fn plan_of_run(&mut self, module: &Module, kind: &QueryKind, run: &Run) {
        let (lines, shown) = show_operators(kind, module);
        self.statements += "<QueryPlan DegreeOfParallelism=\"1\">";
        if run.granted > 0 {
            let _ = write!(
                self.statements,
                "<MemoryGrantInfo SerialRequiredMemory=\"0\" SerialDesiredMemory=\"0\" GrantedMemory=\"{}\" MaxUsedMemory=\"{}\"/>",
                run.granted.div_ceil(1024),
                run.used.div_ceil(1024)
            );
        }
        operators(&lines, &shown, &mut self.statements, |node| {
            run.operators.get(&shown[node].place).map_or_else(String::new, |actual| of_run(actual, run))
        });
        self.statements += "</QueryPlan>";
    }

    fn number(&mut self) -> String {
        self.count += 1;
        format!(" StatementCompId=\"{0}\" StatementId=\"{0}\"", self.count)
    }

    /// A call: the procedure's statements come next.
    pub fn begin_call(&mut self, name: &str, native: bool) {
        let number = self.number();
        let compiled = if native { " IsNativelyCompiled=\"1\"" } else { "" };
        self.statements += &format!(
            "<StmtSimple{number} StatementType=\"EXECUTE PROC\"><StoredProc ProcName=\"{}\"{compiled}><Statements>",
            escaped(name)
        );
    }

    pub fn end_call(&mut self) {
        self.statements += "</Statements></StoredProc></StmtSimple>";
    }

    /// IF and WHILE: the plan of the condition, if it has one.
    pub fn condition(&mut self, condition: Option<(&Module, &QueryKind)>) {
        let number = self.number();
        let kind = if condition.is_some() { "COND WITH QUERY" } else { "COND" };
        self.statements += &format!("<StmtCond{number} StatementType=\"{kind}\"><Condition>");
        if let Some((module, query)) = condition {
            self.plan(module, query);
        }
        self.statements += "</Condition><Then><Statements>";
    }

    pub fn otherwise(&mut self) {
        self.statements += "</Statements></Then><Else><Statements>";
    }

    pub fn end_condition(&mut self, has_else: bool) {
        self.statements += if has_else { "</Statements></Else>" } else { "</Statements></Then>" };
        self.statements += "</StmtCond>";
    }

    pub fn finish(self) -> String {
        format!(
            "<ShowPlanXML xmlns=\"http://schemas.microsoft.com/sqlserver/2004/07/showplan\" Version=\"1.564\" Build=\"16.0.4003.1\"><BatchSequence><Batch><Statements>{}</Statements></Batch></BatchSequence></ShowPlanXML>",
            self.statements
        )
    }
}

/// Of tempdb.
const PAGE_BYTES: u64 = 8192;

/// Warnings and counters of an operator, as the schema orders them.
fn of_run(actual: &Actual, run: &Run) -> String {
    let mut xml = String::new();
    if actual.written_bytes > 0 {
        let level = actual.hash_level.max(1);
        let _ = write!(xml, "<Warnings><SpillToTempDb SpillLevel=\"{level}\" SpilledThreadCount=\"1\"/>");
        // Spools and windows spill, too, and the schema has nothing more of these.
        let kind = if actual.sort_runs > 0 { Some("Sort") } else { (actual.hash_level > 0).then_some("Hash") };
        if let Some(kind) = kind {
            let _ = write!(
                xml,
                "<{kind}SpillDetails GrantedMemoryKb=\"{}\" UsedMemoryKb=\"{}\" WritesToTempDb=\"{}\" ReadsFromTempDb=\"{}\"/>",
                run.granted.div_ceil(1024),
                run.used.div_ceil(1024),
                actual.written_bytes.div_ceil(PAGE_BYTES),
                actual.read_bytes.div_ceil(PAGE_BYTES)
            );
        }
        xml += "</Warnings>";
    }
    let _ = write!(
        xml,
        "<RunTimeInformation><RunTimeCountersPerThread Thread=\"0\" ActualRows=\"{}\" ActualEndOfScans=\"{}\" \
         ActualExecutions=\"{}\" ActualExecutionMode=\"Row\" ActualElapsedms=\"{}\"/></RunTimeInformation>",
        actual.rows,
        actual.ends,
        actual.executions,
        actual.elapsed_ns / 1_000_000
    );
    xml
}

/// Lines of SHOWPLAN_TEXT, each an operator below the nearest one that is indented less; `more`: what else is said of one.
fn operators(lines: &[String], shown: &[Shown], xml: &mut String, more: impl Fn(usize) -> String) {
    let mut open: Vec<usize> = Vec::new();
    for (node, line) in lines.iter().enumerate() {
        let words = line.trim_start_matches(TREE);
        let indent = line.len() - words.len();
        while open.last().is_some_and(|last| *last >= indent) {
            open.pop();
            xml.push_str("</RelOp>");
        }
        let name = words.split('(').next().unwrap_or_default();
        let about = &words[name.len()..];
        let rows = shown.get(node).and_then(|shown| shown.rows);
        let rows = rows.map_or_else(String::new, |rows| format!(" EstimateRows=\"{}\"", (rows * 1e3).round() / 1e3));
        *xml += &format!(
            "<RelOp NodeId=\"{node}\" PhysicalOp=\"{}\" Description=\"{}\"{rows}>",
            escaped(name.trim()),
            escaped(about)
        );
        *xml += &more(node);
        open.push(indent);
    }
    open.iter().for_each(|_| xml.push_str("</RelOp>"));
}

fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\n' | '\r' | '\t' => escaped += &format!("&#x{:X};", c as u32),
            c if c < ' ' => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operators_nest_as_their_lines_are_indented() {
        let lines =
            ["Sort(ORDER BY:(a))", "  |--Join(x < 1)", "       |--Scan(t)", "       |--Seek(u)"].map(String::from);
        let mut xml = String::new();
        operators(&lines, &[], &mut xml, |_| String::new());
        let names: String = xml.split("PhysicalOp=\"").skip(1).map(|part| &part[..4]).collect();
        assert_eq!(names, "SortJoinScanSeek");
        assert_eq!(xml.matches("<RelOp").count(), xml.matches("</RelOp>").count());
        assert!(xml.contains("Description=\"(t)\"></RelOp><RelOp NodeId=\"3\""), "{xml}");
        assert!(xml.contains("(x &lt; 1)"));
    }
}
