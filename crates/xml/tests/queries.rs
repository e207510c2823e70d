//! Queries over documents, without a server: what paths find, what expressions give, what is refused.

use std::sync::Arc;

use types::SqlResult;
use types::pause::Pacer;
use xml::query::{ContextKind, Method, Query, Receiver};
use xml::{Document, Meter};

fn metered<T>(run: impl FnOnce(&mut Meter<'_, '_>) -> SqlResult<T>) -> SqlResult<T> {
    run(&mut Meter::new(&mut Pacer::none(), &mut |_| Ok(())))
}

fn document(text: &str) -> Arc<Document> {
    Arc::new(metered(|meter| xml::read::read(text, meter)).expect("well formed"))
}

fn query(text: &str, body: &str) -> SqlResult<String> {
    let receiver = Receiver { method: Method::Query, column: String::new() };
    let query = Query::parse(body, &receiver, &[])?;
    query.check(ContextKind::Document, &[], None)?;
    let document = document(text);
    metered(|meter| {
        let items = query.evaluate(&document, 0, &[], meter)?;
        query.text(&items, meter)
    })
}

fn modify(text: &str, body: &str) -> SqlResult<String> {
    let receiver = Receiver { method: Method::Modify, column: String::new() };
    let query = Query::parse(body, &receiver, &[])?;
    query.check(ContextKind::Document, &[], None)?;
    let document = document(text);
    metered(|meter| Ok(xml::modify::modify(&query, &document, &[], meter)?.unwrap_or_else(|| text.to_owned())))
}

const DOCUMENT: &str =
    "<r a=\"1\"><p id=\"10\"><b>x</b><c>1</c></p><p id=\"20\"><b>y</b><c>2</c><c>3</c></p><!--n--><?do it?>end</r>";

#[test]
fn expressions_give_what_they_should() {
    for (body, wanted) in [
        ("/r/p/b", "<b>x</b><b>y</b>"),
        ("//c", "<c>1</c><c>2</c><c>3</c>"),
        ("/r/p[2]/c[1]", "<c>2</c>"),
        ("(//b)[2]", "<b>y</b>"),
        ("/r/p[@id=\"20\"]/b/text()", "y"),
        ("/r/p[c=3]/b", "<b>y</b>"),
        ("/r/p[last()]/b", "<b>y</b>"),
        ("/r/p/c/../b", "<b>x</b><b>y</b>"),
        ("//comment(), //processing-instruction()", "<!--n--><?do it?>"),
        ("data(/r/p/@id)", "10 20"),
        ("count(//c)", "3"),
        ("string(/r[1]/@a)", "1"),
        ("1 + 2 * 3", "7"),
        ("7 div 2", "3.5"),
        ("2 div 3", "0.666666"),
        ("-7 mod 4", "-3"),
        ("sum(//c)", "6"),
        ("avg((1,2))", "1.5"),
        ("max(//c)", "3"),
        ("concat(\"a\", \"b\")", "ab"),
        ("substring(\"hello\", 2, 3)", "ell"),
        ("//c = 2", "true"),
        ("not(//c = 7)", "true"),
        ("if (//c > 2) then \"many\" else \"few\"", "many"),
        ("some $c in //c satisfies $c > 2", "true"),
        ("every $c in //c satisfies $c > 2", "false"),
        ("for $p in /r/p order by $p/@id descending return data($p/b)", "y x"),
        ("for $c in //c where $c > 1 return <v>{data($c)}</v>", "<v>2</v><v>3</v>"),
        ("let $c := //c return count($c)", "3"),
        ("<o n=\"{count(//c)}\">{/r/p/b}</o>", "<o n=\"3\"><b>x</b><b>y</b></o>"),
        ("<a>{1, 2}{3}</a>", "<a>1 23</a>"),
        ("<a>  {1}  </a>", "<a>1</a>"),
        ("<e>{/r/@a}</e>", "<e a=\"1\"/>"),
        ("element o { attribute k { 5 }, text { \"v\" } }", "<o k=\"5\">v</o>"),
        ("xs:integer(\"5\") + 1", "6"),
        ("\"7\" cast as xs:int?", "7"),
        ("5 instance of xs:integer", "true"),
        ("(: a comment :) \"&lt;&#65;\"", "&lt;A"),
        (
            "/r/*[local-name(.) = \"p\"]/@id/..",
            "<p id=\"10\"><b>x</b><c>1</c></p><p id=\"20\"><b>y</b><c>2</c><c>3</c></p>",
        ),
        ("(1,2,3)[. > 1]", "2 3"),
        ("(//b)[1] << (//b)[2]", "true"),
    ] {
        assert_eq!(query(DOCUMENT, body).unwrap(), wanted, "{body}");
    }
}

#[test]
fn names_are_declared_where_they_need_it() {
    let text = "<r xmlns=\"urn:d\" xmlns:p=\"urn:p\"><a><p:b p:k=\"1\"/></a></r>";
    assert_eq!(
        query(text, "declare default element namespace \"urn:d\"; /r/a").unwrap(),
        "<a xmlns=\"urn:d\"><p1:b xmlns:p1=\"urn:p\" p1:k=\"1\"/></a>"
    );
    assert_eq!(query(text, "//*:b").unwrap(), "<p1:b xmlns:p1=\"urn:p\" p1:k=\"1\"/>");
    assert_eq!(query(text, "/*").unwrap(), text);
    assert_eq!(query(text, "declare namespace q=\"urn:p\"; //q:b").unwrap(), "<q:b xmlns:q=\"urn:p\" q:k=\"1\"/>");
}

#[test]
fn what_is_wrong_is_told_before_it_runs() {
    for (body, number) in [
        ("string(/r/p)", 2389),
        ("/r/p + 1", 2389),
        ("/r/p[\"x\"]", 2203),
        ("if (1) then 2 else 3", 2204),
        ("(\"a\", /r/p)", 2210),
        ("\"a\" = 1", 2234),
        ("1 + \"a\"", 9308),
        ("/r/@a", 2396),
        ("$x", 2227),
        ("q:a", 2229),
        ("foo()", 2395),
        ("contains(\"a\")", 2236),
        ("position()", 2371),
        ("/r/ancestor::a", 9335),
        ("/r/namespace::a", 2392),
        ("1 to 3", 9335),
        ("/r[", 2209),
        ("for $i in /r $i", 9332),
        ("<a></b>", 2323),
        ("xs:integer(\"abc\")", 9319),
        ("", 6306),
    ] {
        let error = query(DOCUMENT, body).expect_err(body);
        assert_eq!(error.number, number, "{body}: {error}");
    }
}

#[test]
fn nesting_is_bounded() {
    let nested = |depth: usize| format!("{}1{}", "(".repeat(depth), ")".repeat(depth));
    assert_eq!(query("<r/>", &nested(20)).unwrap(), "1");
    assert_eq!(query("<r/>", &nested(60)).unwrap_err().number, 2363);
    let chain = |operator: &str, count: usize| vec!["1"; count].join(operator);
    assert_eq!(query("<r/>", &chain(" + ", 40)).unwrap(), "40");
    assert_eq!(query("<r/>", &chain(" + ", 4000)).unwrap_err().number, 2363);
    assert_eq!(query("<r/>", &vec!["1 = 1"; 400].join(" and ")).unwrap(), "true");
    let bindings: String = (0..4000).map(|at| format!("for $a{at} in 1 ")).collect();
    assert_eq!(query("<r/>", &format!("{bindings} return 1")).unwrap_err().number, 2363);
}

#[test]
fn documents_change_where_they_are_told_to() {
    let text = "<r><a k=\"1\">t</a><b/></r>";
    for (body, wanted) in [
        ("insert <c/> into (/r)[1]", "<r><a k=\"1\">t</a><b/><c/></r>"),
        ("insert <c/> as first into (/r)[1]", "<r><c/><a k=\"1\">t</a><b/></r>"),
        ("insert <c/> before (/r/b)[1]", "<r><a k=\"1\">t</a><c/><b/></r>"),
        ("insert <c/> after (/r/a)[1]", "<r><a k=\"1\">t</a><c/><b/></r>"),
        ("insert <c/> after (/r)[1]", "<r><a k=\"1\">t</a><b/></r><c/>"),
        ("insert attribute l {2} into (/r/a)[1]", "<r><a k=\"1\" l=\"2\">t</a><b/></r>"),
        ("insert text {\"x\"} into (/r/b)[1]", "<r><a k=\"1\">t</a><b>x</b></r>"),
        ("delete /r/a", "<r><b/></r>"),
        ("delete /r/a/@k", "<r><a>t</a><b/></r>"),
        ("delete /r/a/text()", "<r><a k=\"1\"/><b/></r>"),
        ("delete /r", ""),
        ("replace value of (/r/a/@k)[1] with \"9\"", "<r><a k=\"9\">t</a><b/></r>"),
        ("replace value of (/r/a/text())[1] with \"u\"", "<r><a k=\"1\">u</a><b/></r>"),
        ("delete /r/none", text),
    ] {
        assert_eq!(modify(text, body).unwrap(), wanted, "{body}");
    }
    for (body, number) in [
        ("insert <c/> into /r/a", 2226),
        ("insert \"a\" into (/r)[1]", 2207),
        ("replace value of /r/a/@k with 1", 2337),
        ("replace value of (/r/a)[1] with 1", 2356),
        ("insert attribute k {2} into (/r/a)[1]", 6308),
        ("/r", 6305),
        ("delete .", 2264),
    ] {
        assert_eq!(modify(text, body).expect_err(body).number, number, "{body}");
    }
}
