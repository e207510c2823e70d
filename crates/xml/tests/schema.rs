//! Schema collections and instances, without a server: what validates, how it is kept, and what is refused.

use std::sync::Arc;

use types::SqlResult;
use types::pause::Pacer;
use types::xml::Source;
use xml::{Meter, schema, write::Writer};

fn metered<T>(run: impl FnOnce(&mut Meter<'_, '_>) -> SqlResult<T>) -> SqlResult<T> {
    let mut pacer = Pacer::none();
    let mut grow = |_| Ok(());
    run(&mut Meter::new(&mut pacer, &mut grow))
}

fn document(text: &str) -> SqlResult<xml::Document> {
    let text = types::xml::parse(text, Source::Wide, false, &mut Pacer::none())?;
    metered(|meter| xml::read::read(&text, meter))
}

fn compiled(text: &str) -> Result<Arc<schema::Schema>, String> {
    let compiled = document(text).and_then(|document| metered(|meter| schema::compile(&document, 0, meter)));
    compiled.map(Arc::new).map_err(|error| format!("{} {}", error.number, error.text))
}

/// The instance as it is kept, or its error.
fn kept(schema: &Arc<schema::Schema>, text: &str) -> String {
    let validated = document(text).and_then(|document| {
        metered(|meter| {
            let valid = schema::validate(schema, &document, false, meter)?;
            let mut writer = Writer::new(&[]);
            writer.node(&valid, 0, meter)?;
            Ok(writer.finish())
        })
    });
    validated.unwrap_or_else(|error| format!("{} {}", error.number, error.text))
}

const XS: &str = "xmlns:xs='http://www.w3.org/2001/XMLSchema'";

fn in_schema(inner: &str) -> String {
    format!("<xs:schema {XS}>{inner}</xs:schema>")
}

#[test]
fn content_models() {
    let schema = compiled(&format!(
        "<xs:schema {XS} targetNamespace='urn:t' xmlns:t='urn:t' elementFormDefault='qualified'>
           <xs:element name='r'><xs:complexType><xs:sequence>
             <xs:element name='a' type='xs:int'/>
             <xs:element name='b' type='xs:string' minOccurs='0' maxOccurs='2'/>
           </xs:sequence><xs:attribute name='k' type='xs:int' use='required'/></xs:complexType></xs:element>
           <xs:element name='s' type='xs:int'/>
         </xs:schema>"
    ))
    .expect("a schema");
    let cases = [
        ("<t:r xmlns:t='urn:t' k='01'><t:a> 1 </t:a></t:r>", "<t:r xmlns:t=\"urn:t\" k=\"1\"><t:a>1</t:a></t:r>"),
        ("<s xmlns='urn:t'>007</s>", "<s xmlns=\"urn:t\">7</s>"),
        (
            "<t:r xmlns:t='urn:t' k='1'><t:a>zz</t:a></t:r>",
            "6926 XML Validation: Invalid simple type value: 'zz'. Location: /*:r[1]/*:a[1]",
        ),
        (
            "<t:r xmlns:t='urn:t' k='zz'><t:a>1</t:a></t:r>",
            "6926 XML Validation: Invalid simple type value: 'zz'. Location: /*:r[1]/@*:k",
        ),
        (
            "<t:r xmlns:t='urn:t' k='1'><t:a>1</t:a><t:zz>1</t:zz></t:r>",
            "6965 XML Validation: Invalid content. Expected element(s): '{urn:t}b'. Found: element '{urn:t}zz' instead. \
             Location: /*:r[1]/*:zz[1].",
        ),
        (
            "<t:r xmlns:t='urn:t' k='1'><t:b>x</t:b><t:a>1</t:a></t:r>",
            "6965 XML Validation: Invalid content. Expected element(s): '{urn:t}a'. Found: element '{urn:t}b' instead. \
             Location: /*:r[1]/*:b[1].",
        ),
        (
            "<t:r xmlns:t='urn:t' k='1'/>",
            "6908 XML Validation: Invalid content. Expected element(s): '{urn:t}a'. Location: /*:r[1]",
        ),
        (
            "<t:r xmlns:t='urn:t' k='1'><t:a>1</t:a><t:b>x</t:b><t:b>y</t:b><t:b>z</t:b></t:r>",
            "6923 XML Validation: Unexpected element(s): {urn:t}b. Location: /*:r[1]/*:b[3]",
        ),
        (
            "<t:r xmlns:t='urn:t' k='1' q='2'><t:a>1</t:a></t:r>",
            "6905 XML Validation: Attribute 'q' is not permitted in this context. Location: /*:r[1]/@*:q",
        ),
        (
            "<t:r xmlns:t='urn:t'><t:a>1</t:a></t:r>",
            "6906 XML Validation: Required attribute 'k' is missing. Location: /*:r[1]",
        ),
        (
            "<t:zzz xmlns:t='urn:t'/>",
            "6913 XML Validation: Declaration not found for element '{urn:t}zzz'. Location: /*:zzz[1]",
        ),
        (
            "<t:r xmlns:t='urn:t' k='1'>text<t:a>1</t:a></t:r>",
            "6909 XML Validation: Text node is not allowed at this location, the type was defined with element only \
             content or with simple content. Location: /*:r[1]",
        ),
    ];
    for (instance, wanted) in cases {
        assert_eq!(kept(&schema, instance), wanted, "{instance}");
    }
}

#[test]
fn kinds_of_components() {
    let schema = compiled(&in_schema(
        "<xs:simpleType name='code'><xs:restriction base='xs:string'><xs:pattern value='[A-Z]{2}'/></xs:restriction></xs:simpleType>
         <xs:simpleType name='ints'><xs:list itemType='xs:int'/></xs:simpleType>
         <xs:simpleType name='either'><xs:union memberTypes='xs:decimal xs:boolean'/></xs:simpleType>
         <xs:complexType name='base'><xs:sequence><xs:element name='a' type='xs:int'/></xs:sequence>
           <xs:attribute name='d' type='xs:int' default='5'/></xs:complexType>
         <xs:complexType name='more'><xs:complexContent><xs:extension base='base'><xs:sequence>
           <xs:element name='b' type='xs:date' minOccurs='0'/></xs:sequence></xs:extension></xs:complexContent></xs:complexType>
         <xs:complexType name='price'><xs:simpleContent><xs:extension base='xs:decimal'>
           <xs:attribute name='cur' type='code' use='required'/></xs:extension></xs:simpleContent></xs:complexType>
         <xs:element name='e' type='base'/>
         <xs:element name='p' type='price'/>
         <xs:element name='l' type='ints'/>
         <xs:element name='u' type='either'/>
         <xs:element name='n' type='xs:int' nillable='true'/>
         <xs:element name='def' type='xs:int' default='7'/>
         <xs:element name='fix' type='xs:decimal' fixed='1.0'/>
         <xs:element name='all'><xs:complexType><xs:all><xs:element name='x' type='xs:int'/>
           <xs:element name='y' type='xs:int' minOccurs='0'/></xs:all></xs:complexType></xs:element>
         <xs:element name='head' abstract='true' type='xs:decimal'/>
         <xs:element name='one' substitutionGroup='head' type='xs:int'/>
         <xs:element name='heads'><xs:complexType><xs:sequence><xs:element ref='head' maxOccurs='unbounded'/></xs:sequence>
           </xs:complexType></xs:element>
         <xs:element name='mix'><xs:complexType mixed='true'><xs:choice minOccurs='0' maxOccurs='unbounded'>
           <xs:element name='i'/><xs:any namespace='##other' processContents='skip'/></xs:choice></xs:complexType></xs:element>",
    ))
    .expect("a schema");
    let xsi = "xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance'";
    let cases: &[(String, &str)] = &[
        ("<e><a>1</a></e>".into(), "<e d=\"5\"><a>1</a></e>"),
        (
            format!("<e {xsi} xsi:type='more' d='6'><a>1</a><b>2020-01-01</b></e>"),
            "<e xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xsi:type=\"more\" d=\"6\"><a>1</a><b>2020-01-01</b></e>",
        ),
        (
            format!("<e {xsi} xsi:type='price'>1</e>"),
            "6936 XML Validation: Invalid cast for element 'e' from type 'base' to type 'price'. Location: /*:e[1]",
        ),
        ("<p cur='EU'>1.50</p>".into(), "<p cur=\"EU\">1.5</p>"),
        ("<p cur='eu'>1</p>".into(), "6926 XML Validation: Invalid simple type value: 'eu'. Location: /*:p[1]/@*:cur"),
        ("<l> 1  02 </l>".into(), "<l>1 2</l>"),
        ("<u>true</u>".into(), "<u>true</u>"),
        ("<u>1.0</u>".into(), "<u>1</u>"),
        ("<u>x</u>".into(), "6926 XML Validation: Invalid simple type value: 'x'. Location: /*:u[1]"),
        (
            format!("<n {xsi} xsi:nil='true'/>"),
            "<n xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xsi:nil=\"true\"/>",
        ),
        ("<n/>".into(), "6926 XML Validation: Invalid simple type value: ''. Location: /*:n[1]"),
        ("<def/>".into(), "<def>7</def>"),
        ("<fix/>".into(), "<fix>1</fix>"),
        (
            "<fix>2</fix>".into(),
            "6921 XML Validation: Element or attribute 'fix' was defined as fixed, the element value has to be equal to value of \
             'fixed' attribute specified in definition. Location: /*:fix[1]",
        ),
        ("<all><y>1</y><x>2</x></all>".into(), "<all><y>1</y><x>2</x></all>"),
        (
            "<all><x>1</x><x>2</x></all>".into(),
            "6911 XML Validation: Found duplicate element 'x' in all content model. Location: /*:all[1]/*:x[2]",
        ),
        (
            "<all><y>1</y></all>".into(),
            "6908 XML Validation: Invalid content. Expected element(s): 'x'. Location: /*:all[1]",
        ),
        ("<heads><one>01</one><one>2</one></heads>".into(), "<heads><one>1</one><one>2</one></heads>"),
        (
            "<heads><head>1</head></heads>".into(),
            "6934 XML Validation: Element 'head' requires substitution, because it was defined as abstract. \
             Location: /*:heads[1]/*:head[1]",
        ),
        (
            "<mix>a<i><any/></i>b<z:q xmlns:z='urn:z'><w/></z:q></mix>".into(),
            "<mix>a<i><any/></i>b<z:q xmlns:z=\"urn:z\"><w/></z:q></mix>",
        ),
    ];
    for (instance, wanted) in cases {
        assert_eq!(&kept(&schema, instance), wanted, "{instance}");
    }
}

#[test]
fn what_is_no_schema() {
    let cases = [
        ("<a/>".to_owned(), "2378"),
        (in_schema("<xs:element name='a' type='b'/>"), "2307"),
        (in_schema("<xs:element name='a' type='xs:foo'/>"), "2308"),
        (in_schema("<xs:element name='a' type='p:foo'/>"), "2284"),
        (in_schema("<xs:element type='xs:int'/>"), "2299"),
        (in_schema("<xs:element name='a:b'/>"), "2306"),
        (in_schema("<xs:foo/>"), "2297"),
        (in_schema("<xs:include schemaLocation='x'/>"), "9336"),
        (in_schema("<xs:element name='a' frob='1'/>"), "2298"),
        (in_schema("<xs:element name='a'><xs:key name='k'/></xs:element>"), "9336"),
        (in_schema("<xs:element name='a'/><xs:element name='a'/>"), "2302"),
        (in_schema("<xs:simpleType name='a'><xs:restriction base='a'/></xs:simpleType>"), "2366"),
        (
            in_schema("<xs:complexType name='a'><xs:complexContent><xs:extension base='b'/></xs:complexContent></xs:complexType>
              <xs:complexType name='b'><xs:complexContent><xs:extension base='a'/></xs:complexContent></xs:complexType>"),
            "6953",
        ),
        (in_schema("<xs:group name='g'><xs:sequence><xs:group ref='g'/></xs:sequence></xs:group>"), "6954"),
        (
            in_schema("<xs:complexType name='a'><xs:sequence><xs:element name='x' minOccurs='0'/><xs:element name='x'/>
              </xs:sequence></xs:complexType>"),
            "6916",
        ),
        (
            in_schema("<xs:complexType name='a'><xs:choice/></xs:complexType>"),
            "2293",
        ),
        (in_schema("<xs:simpleType name='u'><xs:union memberTypes='xs:int xs:QName'/></xs:simpleType>"), "6903"),
        (
            in_schema("<xs:simpleType name='u'><xs:restriction base='xs:int'><xs:maxInclusive value='a'/></xs:restriction></xs:simpleType>"),
            "6945",
        ),
        (
            in_schema("<xs:simpleType name='u'><xs:restriction base='xs:int'><xs:length value='1'/></xs:restriction></xs:simpleType>"),
            "2319",
        ),
        (
            in_schema("<xs:complexType name='a'><xs:sequence minOccurs='2' maxOccurs='1'/></xs:complexType>"),
            "2382",
        ),
        (
            in_schema("<xs:complexType name='a'><xs:sequence minOccurs='99999999999'/></xs:complexType>"),
            "2383",
        ),
        (in_schema("<xs:element name='a' type='xs:ID'/>"), "6995"),
        (in_schema("<xs:element name='a' type='xs:int' default='x'/>"), "6927"),
    ];
    for (text, wanted) in cases {
        let error = compiled(&text).expect_err(&text);
        assert_eq!(&error[..4], wanted, "{text}: {error}");
    }
}

/// Schemas that would take time or memory without end.
#[test]
fn hostile_schemas_end() {
    let mut groups =
        String::from("<xs:group name='g0'><xs:sequence><xs:element name='x' minOccurs='0'/></xs:sequence></xs:group>");
    for level in 1..40 {
        let below = level - 1;
        groups += &format!(
            "<xs:group name='g{level}'><xs:sequence><xs:group ref='g{below}'/><xs:group ref='g{below}'/></xs:sequence></xs:group>"
        );
    }
    let doubled = in_schema(&format!("{groups}<xs:complexType name='a'><xs:group ref='g39'/></xs:complexType>"));
    assert_eq!(&compiled(&doubled).expect_err("too large")[..4], "6998");
    let deep = format!(
        "<xs:complexType name='a'>{}<xs:element name='x'/>{}</xs:complexType>",
        "<xs:sequence minOccurs='1000' maxOccurs='1000'>".repeat(30),
        "</xs:sequence>".repeat(30)
    );
    assert_eq!(&compiled(&in_schema(&deep)).expect_err("too large")[..4], "6998");
    let mut chain = String::from("<xs:simpleType name='t0'><xs:restriction base='xs:int'/></xs:simpleType>");
    for level in 1..200 {
        chain =
            format!("<xs:simpleType name='t{level}'><xs:restriction base='t{}'/></xs:simpleType>", level - 1) + &chain;
    }
    assert_eq!(&compiled(&in_schema(&chain)).expect_err("too deep")[..4], "2362");
    let many = "<xs:complexType name='a'><xs:sequence><xs:element name='x' maxOccurs='2000000000'/></xs:sequence></xs:complexType>";
    assert!(compiled(&in_schema(many)).is_ok());
}
