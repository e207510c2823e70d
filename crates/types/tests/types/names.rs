//! Type names, precedence and the conversion chart.

use types::names::{Parameters, SYSTEM_TYPES};
use types::precedence::{ArithmeticOp, arithmetic_type, check_conversion, result_type};
use types::{SqlType, TypeKind};

fn ty(name: &str) -> SqlType {
    SqlType::parse_name(name).unwrap_or_else(|| panic!("no type {name}"))
}

#[test]
fn types_are_written_as_they_are_read() {
    for name in [
        "int",
        "decimal(10,2)",
        "numeric(38,38)",
        "varchar(max)",
        "nvarchar(20)",
        "char(8000)",
        "datetime2(3)",
        "time(0)",
        "datetimeoffset(7)",
        "float",
        "real",
        "timestamp",
        "varbinary(max)",
        "binary(16)",
        "xml",
        "sql_variant",
        "money",
        "smalldatetime",
        "uniqueidentifier",
        "text",
        "ntext",
        "image",
        "bit",
    ] {
        assert_eq!(ty(name).to_string(), name);
        assert_eq!(SqlType::from_bytes(&ty(name).to_bytes()), Some(ty(name)));
    }
    let spellings = [
        ("INTEGER", "int"),
        ("Dec(5)", "decimal(5,0)"),
        ("double precision", "float"),
        ("float(24)", "real"),
        ("character varying(5)", "varchar(5)"),
        ("national char varying ( 5 )", "nvarchar(5)"),
        ("rowversion", "timestamp"),
        ("sysname", "nvarchar(128)"),
        ("decimal", "decimal(18,0)"),
        ("varchar", "varchar(1)"),
        ("time", "time(7)"),
    ];
    for (spelling, name) in spellings {
        assert_eq!(ty(spelling).to_string(), name, "{spelling}");
    }
    for wrong in [
        "",
        "strings",
        "int(3)",
        "varchar(8001)",
        "nvarchar(4001)",
        "varchar(0)",
        "decimal(39,0)",
        "decimal(5,6)",
        "time(8)",
        "char(max)",
        "varchar(5",
        "varchar(-1)",
    ] {
        assert_eq!(SqlType::parse_name(wrong), None, "{wrong}");
    }
}

#[test]
fn bad_parameters_have_their_errors() {
    let cases = [
        (TypeKind::VarChar, Parameters::One(9000), 131),
        (TypeKind::NChar, Parameters::One(0), 1001),
        (TypeKind::Decimal, Parameters::Two(5, 6), 192),
        (TypeKind::Decimal, Parameters::One(39), 2750),
        (TypeKind::Time, Parameters::One(8), 1002),
        (TypeKind::Int, Parameters::One(4), 291),
    ];
    for (kind, parameters, number) in cases {
        assert_eq!(SqlType::build(kind, parameters, 1).unwrap_err().number, number, "{kind:?}");
    }
    assert_eq!(SqlType::build(TypeKind::VarChar, Parameters::None, 30).unwrap().length, 30);
}

#[test]
fn every_kind_is_in_sys_types() {
    for kind in TypeKind::ALL {
        assert_eq!(TypeKind::from_name(kind.name()), Some(kind));
    }
    let ids: std::collections::BTreeSet<i32> = SYSTEM_TYPES.iter().map(|row| row.user_type_id).collect();
    assert_eq!(ids.len(), SYSTEM_TYPES.len());
}

#[test]
fn what_two_types_become() {
    let cases = [
        ("int", "bigint", "bigint"),
        ("int", "decimal(5,2)", "decimal(12,2)"),
        ("decimal(38,10)", "decimal(38,0)", "decimal(38,0)"),
        ("money", "int", "money"),
        ("money", "decimal(5,1)", "decimal(19,4)"),
        ("float", "decimal(38,10)", "float"),
        ("varchar(10)", "nvarchar(5)", "nvarchar(10)"),
        ("char(5)", "varchar(3)", "varchar(5)"),
        ("varchar(max)", "nvarchar(5)", "nvarchar(max)"),
        ("varchar(8000)", "nvarchar(5)", "nvarchar(4000)"),
        ("varchar(10)", "int", "int"),
        ("datetime", "datetime2(2)", "datetime2(3)"),
        ("date", "datetime", "datetime"),
        ("bit", "tinyint", "tinyint"),
        ("binary(4)", "varbinary(9)", "varbinary(9)"),
        ("uniqueidentifier", "varchar(36)", "uniqueidentifier"),
        ("sql_variant", "int", "sql_variant"),
        ("int", "datetime", "datetime"),
    ];
    for (left, right, expected) in cases {
        assert_eq!(
            result_type(&ty(left), &ty(right)).map(|ty| ty.to_string()).as_deref(),
            Ok(expected),
            "{left} {right}"
        );
        assert_eq!(
            result_type(&ty(right), &ty(left)).map(|ty| ty.to_string()).as_deref(),
            Ok(expected),
            "{right} {left}"
        );
    }
    let errors = [
        ("date", "int", 206, "Operand type clash: int is incompatible with date"),
        ("date", "time(0)", 206, "Operand type clash: time is incompatible with date"),
        ("uniqueidentifier", "int", 206, "Operand type clash: uniqueidentifier is incompatible with int"),
        ("xml", "sql_variant", 206, "Operand type clash: sql_variant is incompatible with xml"),
    ];
    for (left, right, number, text) in errors {
        let error = result_type(&ty(left), &ty(right)).unwrap_err();
        assert_eq!((error.number, error.text.as_str()), (number, text));
    }
}

#[test]
fn what_arithmetic_gives() {
    use ArithmeticOp::*;
    let cases: &[(&str, ArithmeticOp, &str, Result<&str, i32>)] = &[
        ("int", Add, "int", Ok("int")),
        ("tinyint", Divide, "tinyint", Ok("tinyint")),
        ("int", Multiply, "bigint", Ok("bigint")),
        ("int", Divide, "decimal(5,2)", Ok("decimal(18,6)")),
        ("money", Multiply, "decimal(5,2)", Ok("decimal(25,6)")),
        ("money", Add, "int", Ok("money")),
        ("float", Add, "decimal(5,2)", Ok("float")),
        ("real", Add, "int", Ok("real")),
        ("varchar(10)", Add, "varchar(20)", Ok("varchar(30)")),
        ("varchar(10)", Add, "nvarchar(20)", Ok("nvarchar(30)")),
        ("varchar(8000)", Add, "varchar(1)", Ok("varchar(8000)")),
        ("varchar(max)", Add, "char(1)", Ok("varchar(max)")),
        ("varchar(10)", Add, "int", Ok("int")),
        ("varchar(10)", Subtract, "varchar(10)", Err(8117)),
        ("varchar(10)", Subtract, "nvarchar(10)", Err(402)),
        ("datetime", Add, "int", Ok("datetime")),
        ("datetime", Subtract, "datetime", Ok("datetime")),
        ("date", Add, "int", Err(206)),
        ("date", Add, "date", Err(8117)),
        ("datetime", Add, "date", Err(402)),
        ("datetime2(7)", Subtract, "datetime2(7)", Err(8117)),
        ("bit", Add, "bit", Err(8117)),
        ("bit", Add, "int", Ok("int")),
        ("bit", BitAnd, "bit", Ok("bit")),
        ("int", BitOr, "smallint", Ok("int")),
        ("float", Modulo, "int", Err(402)),
        ("float", BitAnd, "int", Err(402)),
        ("varbinary(3)", Add, "varbinary(4)", Ok("varbinary(7)")),
        ("uniqueidentifier", Add, "uniqueidentifier", Err(8117)),
        ("datetime", Multiply, "int", Err(402)),
        ("xml", Add, "xml", Err(8117)),
    ];
    for (left, op, right, expected) in cases {
        let result = arithmetic_type(*op, &ty(left), &ty(right)).map(|ty| ty.to_string()).map_err(|error| error.number);
        assert_eq!(result.as_deref().map_err(|number| *number), *expected, "{left} {op:?} {right}");
    }
}

#[test]
fn conversions_not_allowed() {
    let cases = [
        (
            "varchar(5)",
            "varbinary(5)",
            false,
            257,
            "Implicit conversion from data type varchar to varbinary is not allowed. Use the CONVERT function to run this query.",
        ),
        (
            "datetime",
            "int",
            false,
            257,
            "Implicit conversion from data type datetime to int is not allowed. Use the CONVERT function to run this query.",
        ),
        ("int", "date", true, 529, "Explicit conversion from data type int to date is not allowed."),
        ("int", "uniqueidentifier", false, 206, "Operand type clash: int is incompatible with uniqueidentifier"),
    ];
    for (from, to, explicit, number, text) in cases {
        let error = check_conversion(&ty(from), &ty(to), explicit).unwrap_err();
        assert_eq!((error.number, error.text.as_str()), (number, text));
    }
    assert!(check_conversion(&ty("varchar(5)"), &ty("varbinary(5)"), true).is_ok());
}
