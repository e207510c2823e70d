//! Parquet files: written plainly and without compression, read as others write flat tables.
//!
//! https://github.com/apache/parquet-format: README.md, LogicalTypes.md, Encodings.md, src/main/thrift/parquet.thrift

mod thrift;
mod pages;
mod write;
mod read;

pub use read::Reader;
pub use write::Writer;

/// Before and behind all.
const MAGIC: &[u8; 4] = b"PAR1";
/// Of a file whose footer is encrypted.
const MAGIC_ENCRYPTED: &[u8; 4] = b"PARE";

/// Days from 0001-01-01 to 1970-01-01.
const DAYS_TO_1970: i64 = 719_162;
const TICKS_PER_DAY: i64 = 864_000_000_000;

/// `Type` of parquet.thrift.
mod physical {
    pub const BOOLEAN: i32 = 0;
    pub const INT32: i32 = 1;
    pub const INT64: i32 = 2;
    pub const INT96: i32 = 3;
    pub const FLOAT: i32 = 4;
    pub const DOUBLE: i32 = 5;
    pub const BYTE_ARRAY: i32 = 6;
    pub const FIXED_LEN_BYTE_ARRAY: i32 = 7;
}

/// `LogicalType`'s fields.
mod logical {
    pub const STRING: i16 = 1;
    pub const ENUM: i16 = 4;
    pub const DECIMAL: i16 = 5;
    pub const DATE: i16 = 6;
    pub const TIME: i16 = 7;
    pub const TIMESTAMP: i16 = 8;
    pub const INTEGER: i16 = 10;
    pub const UNKNOWN: i16 = 11;
    pub const JSON: i16 = 12;
    pub const UUID: i16 = 14;
    /// Of a time's unit.
    pub const MILLIS: i16 = 1;
    pub const MICROS: i16 = 2;
    pub const NANOS: i16 = 3;
}

/// `ConvertedType`, which older readers and writers have instead.
mod legacy {
    pub const UTF8: i32 = 0;
    pub const ENUM: i32 = 4;
    pub const DECIMAL: i32 = 5;
    pub const DATE: i32 = 6;
    pub const TIME_MILLIS: i32 = 7;
    pub const TIME_MICROS: i32 = 8;
    pub const TIMESTAMP_MILLIS: i32 = 9;
    pub const TIMESTAMP_MICROS: i32 = 10;
    pub const UINT_8: i32 = 11;
    pub const UINT_16: i32 = 12;
    pub const UINT_32: i32 = 13;
    pub const UINT_64: i32 = 14;
    pub const INT_8: i32 = 15;
    pub const INT_16: i32 = 16;
    pub const INT_32: i32 = 17;
    pub const INT_64: i32 = 18;
    pub const JSON: i32 = 19;
}

/// `FieldRepetitionType`.
mod repetition {
    pub const REQUIRED: i32 = 0;
    pub const OPTIONAL: i32 = 1;
}

/// `Encoding`.
mod encoding {
    pub const PLAIN: i32 = 0;
    pub const PLAIN_DICTIONARY: i32 = 2;
    pub const RLE: i32 = 3;
    pub const DELTA_BINARY_PACKED: i32 = 5;
    pub const DELTA_LENGTH_BYTE_ARRAY: i32 = 6;
    pub const DELTA_BYTE_ARRAY: i32 = 7;
    pub const RLE_DICTIONARY: i32 = 8;
    pub const BYTE_STREAM_SPLIT: i32 = 9;
    pub const NAMES: [&str; 10] = [
        "PLAIN",
        "",
        "PLAIN_DICTIONARY",
        "RLE",
        "BIT_PACKED",
        "DELTA_BINARY_PACKED",
        "DELTA_LENGTH_BYTE_ARRAY",
        "DELTA_BYTE_ARRAY",
        "RLE_DICTIONARY",
        "BYTE_STREAM_SPLIT",
    ];
}

/// `PageType`.
mod page {
    pub const DATA: i32 = 0;
    pub const INDEX: i32 = 1;
    pub const DICTIONARY: i32 = 2;
    pub const DATA_V2: i32 = 3;
}

/// `CompressionCodec`.
mod codec {
    pub const UNCOMPRESSED: i32 = 0;
    pub const SNAPPY: i32 = 1;
    pub const GZIP: i32 = 2;
    pub const NAMES: [&str; 8] = ["UNCOMPRESSED", "SNAPPY", "GZIP", "LZO", "BROTLI", "LZ4", "ZSTD", "LZ4_RAW"];
}
