//! The two types: what differs between a plane and a globe, and how their errors say it.

use types::{SqlError, SqlType, TypeKind, sql_error};

/// geometry or geography.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum World {
    Plane,
    Globe,
}

impl World {
    /// None: another type.
    pub const fn of(kind: TypeKind) -> Option<World> {
        match kind {
            TypeKind::Geometry => Some(World::Plane),
            TypeKind::Geography => Some(World::Globe),
            _ => None,
        }
    }

    pub const fn ty(self) -> SqlType {
        match self {
            World::Plane => SqlType::GEOMETRY,
            World::Globe => SqlType::GEOGRAPHY,
        }
    }

    /// As T-SQL names the type.
    pub const fn name(self) -> &'static str {
        match self {
            World::Plane => "geometry",
            World::Globe => "geography",
        }
    }

    /// Error 6522 for a text, bytes or XML that is no shape.
    #[cold]
    pub fn format(self, number: u32, text: impl std::fmt::Display) -> SqlError {
        self.exception("System.FormatException", number, text)
    }

    /// Error 6522 for an argument that is none.
    #[cold]
    pub fn argument(self, number: u32, text: impl std::fmt::Display) -> SqlError {
        self.exception("System.ArgumentException", number, text)
    }

    /// Error 6522 for an argument that has no such value.
    #[cold]
    pub fn out_of_range(self, number: u32, text: impl std::fmt::Display) -> SqlError {
        self.exception("System.ArgumentOutOfRangeException", number, text)
    }

    fn exception(self, class: &str, number: u32, text: impl std::fmt::Display) -> SqlError {
        sql_error!(6522, state 2, self.name(), format_args!("{class}: {number}: {text}\n{class}: "))
    }

    /// What has to be valid is not.
    #[cold]
    pub fn not_valid(self) -> SqlError {
        self.argument(
            24144,
            "This operation cannot be completed because the instance is not valid. Use MakeValid to convert the instance to a valid \
             instance. Note that MakeValid may cause the points of a geometry instance to shift slightly.",
        )
    }

    /// What this server cannot compute.
    #[cold]
    pub fn not_supported(self, what: &str) -> SqlError {
        sql_error!(6522, state 2, self.name(), format_args!("System.NotSupportedException: {what} is not supported.\nSystem.NotSupportedException: "))
    }
}
