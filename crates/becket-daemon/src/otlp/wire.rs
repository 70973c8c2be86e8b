//! The parts of the OTLP log protocol that are used.

/// `ExportLogsServiceRequest`
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct RequestWire {
    #[prost(message, repeated, tag = "1")]
    pub(super) resource_logs: Vec<ResourceLogsWire>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct ResourceLogsWire {
    #[prost(message, optional, tag = "1")]
    pub(super) resource: Option<ResourceWire>,
    #[prost(message, repeated, tag = "2")]
    pub(super) scope_logs: Vec<ScopeLogsWire>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct ResourceWire {
    #[prost(message, repeated, tag = "1")]
    pub(super) attributes: Vec<KeyValueWire>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct ScopeLogsWire {
    #[prost(message, repeated, tag = "2")]
    pub(super) log_records: Vec<LogRecordWire>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct LogRecordWire {
    #[prost(fixed64, tag = "1")]
    pub(super) time_unix_nano: u64,
    #[prost(message, optional, tag = "5")]
    pub(super) body: Option<AnyValueWire>,
    #[prost(message, repeated, tag = "6")]
    pub(super) attributes: Vec<KeyValueWire>,
    #[prost(fixed64, tag = "11")]
    pub(super) observed_time_unix_nano: u64,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct KeyValueWire {
    #[prost(string, tag = "1")]
    pub(super) key: String,
    #[prost(message, optional, tag = "2")]
    pub(super) value: Option<AnyValueWire>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct AnyValueWire {
    #[prost(oneof = "OneValueWire", tags = "1, 2, 3, 4, 5, 6, 7")]
    pub(super) value: Option<OneValueWire>,
}

#[derive(Clone, PartialEq, prost::Oneof)]
pub(super) enum OneValueWire {
    #[prost(string, tag = "1")]
    String(String),
    #[prost(bool, tag = "2")]
    Bool(bool),
    #[prost(int64, tag = "3")]
    Int(i64),
    #[prost(double, tag = "4")]
    Double(f64),
    #[prost(message, tag = "5")]
    Array(ArrayWire),
    #[prost(message, tag = "6")]
    Map(MapWire),
    #[prost(bytes = "vec", tag = "7")]
    Bytes(Vec<u8>),
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct ArrayWire {
    #[prost(message, repeated, tag = "1")]
    pub(super) values: Vec<AnyValueWire>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct MapWire {
    #[prost(message, repeated, tag = "1")]
    pub(super) values: Vec<KeyValueWire>,
}
