//! Events that DDL and logon triggers fire for, and the tree of their groups: `sys.trigger_event_types`.
//! https://learn.microsoft.com/sql/relational-databases/triggers/ddl-event-groups

/// An event, or a group of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventType {
    /// `type`: groups begin above `GROUPS`.
    pub number: i32,
    pub name: &'static str,
    /// The group that it is in; 0: none.
    pub parent: i32,
}

/// Numbers above this are groups.
const GROUPS: i32 = 10_000;
pub const DATABASE_LEVEL: i32 = 10_016;

/// Of every login: no statement, and not in `sys.trigger_event_types`.
pub const LOGON: EventType = EventType { number: 147, name: "LOGON", parent: 0 };

/// What a group has, events and groups. 0: what is in none.
type Members = (i32, &'static [(i32, &'static str)]);

#[rustfmt::skip] // A group a paragraph.
const TREE: &[Members] = &[
    (0, &[(296, "ALTER_SERVER_CONFIGURATION"), (10001, "DDL_EVENTS")]),
    (10001, &[(10002, "DDL_SERVER_LEVEL_EVENTS"), (10016, "DDL_DATABASE_LEVEL_EVENTS")]),
    (10002, &[
        (214, "ALTER_INSTANCE"), (10003, "DDL_ENDPOINT_EVENTS"), (10004, "DDL_DATABASE_EVENTS"), (10005, "DDL_SERVER_SECURITY_EVENTS"),
        (10011, "DDL_EXTENDED_PROCEDURE_EVENTS"), (10012, "DDL_LINKED_SERVER_EVENTS"), (10014, "DDL_MESSAGE_EVENTS"),
        (10015, "DDL_REMOTE_SERVER_EVENTS"), (10057, "DDL_EVENT_SESSION_EVENTS"), (10058, "DDL_RESOURCE_GOVERNOR_EVENTS"),
        (10071, "DDL_AVAILABILITY_GROUP_EVENTS"),
    ]),
    (10003, &[(181, "CREATE_ENDPOINT"), (182, "ALTER_ENDPOINT"), (183, "DROP_ENDPOINT")]),
    (10004, &[(201, "CREATE_DATABASE"), (202, "ALTER_DATABASE"), (203, "DROP_DATABASE")]),
    (10005, &[
        (209, "ADD_SERVER_ROLE_MEMBER"), (210, "DROP_SERVER_ROLE_MEMBER"), (300, "CREATE_SERVER_ROLE"), (301, "ALTER_SERVER_ROLE"),
        (302, "DROP_SERVER_ROLE"), (10006, "DDL_LOGIN_EVENTS"), (10007, "DDL_GDR_SERVER_EVENTS"),
        (10008, "DDL_AUTHORIZATION_SERVER_EVENTS"), (10009, "DDL_CREDENTIAL_EVENTS"), (10010, "DDL_SERVICE_MASTER_KEY_EVENTS"),
        (10061, "DDL_CRYPTOGRAPHIC_PROVIDER_EVENTS"), (10064, "DDL_SERVER_AUDIT_EVENTS"),
        (10065, "DDL_SERVER_AUDIT_SPECIFICATION_EVENTS"),
    ]),
    (10006, &[(144, "CREATE_LOGIN"), (145, "ALTER_LOGIN"), (146, "DROP_LOGIN")]),
    (10007, &[(167, "GRANT_SERVER"), (168, "DENY_SERVER"), (169, "REVOKE_SERVER")]),
    (10008, &[(204, "ALTER_AUTHORIZATION_SERVER")]),
    (10009, &[(259, "CREATE_CREDENTIAL"), (260, "ALTER_CREDENTIAL"), (261, "DROP_CREDENTIAL")]),
    (10010, &[(251, "ALTER_SERVICE_MASTER_KEY")]),
    (10011, &[(221, "CREATE_EXTENDED_PROCEDURE"), (232, "DROP_EXTENDED_PROCEDURE")]),
    (10012, &[
        (225, "CREATE_LINKED_SERVER"), (262, "DROP_LINKED_SERVER"), (263, "ALTER_LINKED_SERVER"),
        (10013, "DDL_LINKED_SERVER_LOGIN_EVENTS"),
    ]),
    (10013, &[(226, "CREATE_LINKED_SERVER_LOGIN"), (236, "DROP_LINKED_SERVER_LOGIN")]),
    (10014, &[(215, "ALTER_MESSAGE"), (227, "CREATE_MESSAGE"), (237, "DROP_MESSAGE")]),
    (10015, &[(217, "ALTER_REMOTE_SERVER"), (230, "CREATE_REMOTE_SERVER"), (240, "DROP_REMOTE_SERVER")]),
    (10057, &[(264, "CREATE_EVENT_SESSION"), (265, "ALTER_EVENT_SESSION"), (266, "DROP_EVENT_SESSION")]),
    (10058, &[
        (273, "ALTER_RESOURCE_GOVERNOR_CONFIG"), (10059, "DDL_RESOURCE_POOL"), (10060, "DDL_WORKLOAD_GROUP"),
        (10076, "DDL_EXTERNAL_RESOURCE_POOL_EVENTS"),
    ]),
    (10059, &[(267, "CREATE_RESOURCE_POOL"), (268, "ALTER_RESOURCE_POOL"), (269, "DROP_RESOURCE_POOL")]),
    (10060, &[(270, "CREATE_WORKLOAD_GROUP"), (271, "ALTER_WORKLOAD_GROUP"), (272, "DROP_WORKLOAD_GROUP")]),
    (10061, &[(275, "CREATE_CRYPTOGRAPHIC_PROVIDER"), (276, "ALTER_CRYPTOGRAPHIC_PROVIDER"), (277, "DROP_CRYPTOGRAPHIC_PROVIDER")]),
    (10064, &[(284, "CREATE_SERVER_AUDIT"), (285, "ALTER_SERVER_AUDIT"), (286, "DROP_SERVER_AUDIT")]),
    (10065, &[
        (287, "CREATE_SERVER_AUDIT_SPECIFICATION"), (288, "ALTER_SERVER_AUDIT_SPECIFICATION"), (289, "DROP_SERVER_AUDIT_SPECIFICATION"),
    ]),
    (10071, &[(306, "CREATE_AVAILABILITY_GROUP"), (307, "ALTER_AVAILABILITY_GROUP"), (308, "DROP_AVAILABILITY_GROUP")]),
    (10076, &[(321, "CREATE_EXTERNAL_RESOURCE_POOL"), (322, "ALTER_EXTERNAL_RESOURCE_POOL"), (323, "DROP_EXTERNAL_RESOURCE_POOL")]),
    (10016, &[
        (241, "RENAME"), (320, "ALTER_DATABASE_SCOPED_CONFIGURATION"), (10017, "DDL_TABLE_VIEW_EVENTS"), (10022, "DDL_SYNONYM_EVENTS"),
        (10023, "DDL_FUNCTION_EVENTS"), (10024, "DDL_PROCEDURE_EVENTS"), (10025, "DDL_TRIGGER_EVENTS"),
        (10026, "DDL_EVENT_NOTIFICATION_EVENTS"), (10027, "DDL_ASSEMBLY_EVENTS"), (10028, "DDL_TYPE_EVENTS"),
        (10029, "DDL_DATABASE_SECURITY_EVENTS"), (10041, "DDL_SSB_EVENTS"), (10048, "DDL_XML_SCHEMA_COLLECTION_EVENTS"),
        (10049, "DDL_PARTITION_EVENTS"), (10052, "DDL_DEFAULT_EVENTS"), (10053, "DDL_EXTENDED_PROPERTY_EVENTS"),
        (10054, "DDL_FULLTEXT_CATALOG_EVENTS"), (10055, "DDL_PLAN_GUIDE_EVENTS"), (10056, "DDL_RULE_EVENTS"),
        (10067, "DDL_FULLTEXT_STOPLIST_EVENTS"), (10069, "DDL_SEARCH_PROPERTY_LIST_EVENTS"), (10070, "DDL_SEQUENCE_EVENTS"),
        (10073, "DDL_SECURITY_POLICY_EVENTS"), (10074, "DDL_COLUMN_MASTER_KEY_EVENTS"), (10075, "DDL_COLUMN_ENCRYPTION_KEY_EVENTS"),
        (10077, "DDL_LIBRARY_EVENTS"), (10078, "DDL_SENSITIVITY_EVENTS"), (10079, "DDL_EXTERNAL_LANGUAGE_EVENTS"),
    ]),
    (10017, &[(10018, "DDL_TABLE_EVENTS"), (10019, "DDL_VIEW_EVENTS"), (10020, "DDL_INDEX_EVENTS"), (10021, "DDL_STATISTICS_EVENTS")]),
    (10018, &[(21, "CREATE_TABLE"), (22, "ALTER_TABLE"), (23, "DROP_TABLE")]),
    (10019, &[(41, "CREATE_VIEW"), (42, "ALTER_VIEW"), (43, "DROP_VIEW")]),
    (10020, &[
        (24, "CREATE_INDEX"), (25, "ALTER_INDEX"), (26, "DROP_INDEX"), (206, "CREATE_XML_INDEX"), (213, "ALTER_FULLTEXT_INDEX"),
        (224, "CREATE_FULLTEXT_INDEX"), (235, "DROP_FULLTEXT_INDEX"), (274, "CREATE_SPATIAL_INDEX"),
    ]),
    (10021, &[(27, "CREATE_STATISTICS"), (28, "UPDATE_STATISTICS"), (29, "DROP_STATISTICS")]),
    (10022, &[(34, "CREATE_SYNONYM"), (36, "DROP_SYNONYM")]),
    (10023, &[(61, "CREATE_FUNCTION"), (62, "ALTER_FUNCTION"), (63, "DROP_FUNCTION")]),
    (10024, &[(51, "CREATE_PROCEDURE"), (52, "ALTER_PROCEDURE"), (53, "DROP_PROCEDURE")]),
    (10025, &[(71, "CREATE_TRIGGER"), (72, "ALTER_TRIGGER"), (73, "DROP_TRIGGER")]),
    (10026, &[(74, "CREATE_EVENT_NOTIFICATION"), (76, "DROP_EVENT_NOTIFICATION")]),
    (10027, &[(101, "CREATE_ASSEMBLY"), (102, "ALTER_ASSEMBLY"), (103, "DROP_ASSEMBLY")]),
    (10028, &[(91, "CREATE_TYPE"), (93, "DROP_TYPE")]),
    (10029, &[
        (10030, "DDL_CERTIFICATE_EVENTS"), (10031, "DDL_USER_EVENTS"), (10032, "DDL_ROLE_EVENTS"), (10033, "DDL_APPLICATION_ROLE_EVENTS"),
        (10034, "DDL_SCHEMA_EVENTS"), (10035, "DDL_GDR_DATABASE_EVENTS"), (10036, "DDL_AUTHORIZATION_DATABASE_EVENTS"),
        (10037, "DDL_SYMMETRIC_KEY_EVENTS"), (10038, "DDL_ASYMMETRIC_KEY_EVENTS"), (10039, "DDL_CRYPTO_SIGNATURE_EVENTS"),
        (10040, "DDL_MASTER_KEY_EVENTS"), (10062, "DDL_DATABASE_ENCRYPTION_KEY_EVENTS"),
        (10066, "DDL_DATABASE_AUDIT_SPECIFICATION_EVENTS"), (10072, "DDL_DATABASE_AUDIT_EVENTS"),
    ]),
    (10030, &[(197, "CREATE_CERTIFICATE"), (198, "ALTER_CERTIFICATE"), (199, "DROP_CERTIFICATE")]),
    (10031, &[(131, "CREATE_USER"), (132, "ALTER_USER"), (133, "DROP_USER")]),
    (10032, &[
        (134, "CREATE_ROLE"), (135, "ALTER_ROLE"), (136, "DROP_ROLE"), (207, "ADD_ROLE_MEMBER"), (208, "DROP_ROLE_MEMBER"),
    ]),
    (10033, &[(137, "CREATE_APPLICATION_ROLE"), (138, "ALTER_APPLICATION_ROLE"), (139, "DROP_APPLICATION_ROLE")]),
    (10034, &[(141, "CREATE_SCHEMA"), (142, "ALTER_SCHEMA"), (143, "DROP_SCHEMA")]),
    (10035, &[(170, "GRANT_DATABASE"), (171, "DENY_DATABASE"), (172, "REVOKE_DATABASE")]),
    (10036, &[(205, "ALTER_AUTHORIZATION_DATABASE")]),
    (10037, &[(244, "CREATE_SYMMETRIC_KEY"), (245, "ALTER_SYMMETRIC_KEY"), (246, "DROP_SYMMETRIC_KEY")]),
    (10038, &[(247, "CREATE_ASYMMETRIC_KEY"), (248, "ALTER_ASYMMETRIC_KEY"), (249, "DROP_ASYMMETRIC_KEY")]),
    (10039, &[
        (255, "ADD_SIGNATURE_SCHEMA_OBJECT"), (256, "DROP_SIGNATURE_SCHEMA_OBJECT"), (257, "ADD_SIGNATURE"), (258, "DROP_SIGNATURE"),
    ]),
    (10040, &[(252, "CREATE_MASTER_KEY"), (253, "ALTER_MASTER_KEY"), (254, "DROP_MASTER_KEY")]),
    (10062, &[(278, "CREATE_DATABASE_ENCRYPTION_KEY"), (279, "ALTER_DATABASE_ENCRYPTION_KEY"), (280, "DROP_DATABASE_ENCRYPTION_KEY")]),
    (10066, &[
        (290, "CREATE_DATABASE_AUDIT_SPECIFICATION"), (291, "ALTER_DATABASE_AUDIT_SPECIFICATION"),
        (292, "DROP_DATABASE_AUDIT_SPECIFICATION"),
    ]),
    (10072, &[(309, "CREATE_AUDIT"), (310, "DROP_AUDIT"), (311, "ALTER_AUDIT")]),
    (10041, &[
        (10042, "DDL_MESSAGE_TYPE_EVENTS"), (10043, "DDL_CONTRACT_EVENTS"), (10044, "DDL_QUEUE_EVENTS"), (10045, "DDL_SERVICE_EVENTS"),
        (10046, "DDL_ROUTE_EVENTS"), (10047, "DDL_REMOTE_SERVICE_BINDING_EVENTS"), (10063, "DDL_BROKER_PRIORITY_EVENTS"),
    ]),
    (10042, &[(151, "CREATE_MESSAGE_TYPE"), (152, "ALTER_MESSAGE_TYPE"), (153, "DROP_MESSAGE_TYPE")]),
    (10043, &[(154, "CREATE_CONTRACT"), (156, "DROP_CONTRACT")]),
    (10044, &[(157, "CREATE_QUEUE"), (158, "ALTER_QUEUE"), (159, "DROP_QUEUE")]),
    (10045, &[(161, "CREATE_SERVICE"), (162, "ALTER_SERVICE"), (163, "DROP_SERVICE")]),
    (10046, &[(164, "CREATE_ROUTE"), (165, "ALTER_ROUTE"), (166, "DROP_ROUTE")]),
    (10047, &[(174, "CREATE_REMOTE_SERVICE_BINDING"), (175, "ALTER_REMOTE_SERVICE_BINDING"), (176, "DROP_REMOTE_SERVICE_BINDING")]),
    (10063, &[(281, "CREATE_BROKER_PRIORITY"), (282, "ALTER_BROKER_PRIORITY"), (283, "DROP_BROKER_PRIORITY")]),
    (10048, &[(177, "CREATE_XML_SCHEMA_COLLECTION"), (178, "ALTER_XML_SCHEMA_COLLECTION"), (179, "DROP_XML_SCHEMA_COLLECTION")]),
    (10049, &[(10050, "DDL_PARTITION_FUNCTION_EVENTS"), (10051, "DDL_PARTITION_SCHEME_EVENTS")]),
    (10050, &[(191, "CREATE_PARTITION_FUNCTION"), (192, "ALTER_PARTITION_FUNCTION"), (193, "DROP_PARTITION_FUNCTION")]),
    (10051, &[(194, "CREATE_PARTITION_SCHEME"), (195, "ALTER_PARTITION_SCHEME"), (196, "DROP_PARTITION_SCHEME")]),
    (10052, &[(218, "BIND_DEFAULT"), (220, "CREATE_DEFAULT"), (231, "DROP_DEFAULT"), (242, "UNBIND_DEFAULT")]),
    (10053, &[(211, "ALTER_EXTENDED_PROPERTY"), (222, "CREATE_EXTENDED_PROPERTY"), (233, "DROP_EXTENDED_PROPERTY")]),
    (10054, &[(212, "ALTER_FULLTEXT_CATALOG"), (223, "CREATE_FULLTEXT_CATALOG"), (234, "DROP_FULLTEXT_CATALOG")]),
    (10055, &[(216, "ALTER_PLAN_GUIDE"), (228, "CREATE_PLAN_GUIDE"), (238, "DROP_PLAN_GUIDE")]),
    (10056, &[(219, "BIND_RULE"), (229, "CREATE_RULE"), (239, "DROP_RULE"), (243, "UNBIND_RULE")]),
    (10067, &[(293, "CREATE_FULLTEXT_STOPLIST"), (294, "ALTER_FULLTEXT_STOPLIST"), (295, "DROP_FULLTEXT_STOPLIST")]),
    (10069, &[(297, "CREATE_SEARCH_PROPERTY_LIST"), (298, "ALTER_SEARCH_PROPERTY_LIST"), (299, "DROP_SEARCH_PROPERTY_LIST")]),
    (10070, &[(303, "CREATE_SEQUENCE"), (304, "ALTER_SEQUENCE"), (305, "DROP_SEQUENCE")]),
    (10073, &[(312, "CREATE_SECURITY_POLICY"), (313, "ALTER_SECURITY_POLICY"), (314, "DROP_SECURITY_POLICY")]),
    (10074, &[(315, "CREATE_COLUMN_MASTER_KEY"), (316, "DROP_COLUMN_MASTER_KEY")]),
    (10075, &[(317, "CREATE_COLUMN_ENCRYPTION_KEY"), (318, "ALTER_COLUMN_ENCRYPTION_KEY"), (319, "DROP_COLUMN_ENCRYPTION_KEY")]),
    (10077, &[(324, "CREATE_EXTERNAL_LIBRARY"), (325, "ALTER_EXTERNAL_LIBRARY"), (326, "DROP_EXTERNAL_LIBRARY")]),
    (10078, &[(327, "ADD_SENSITIVITY_CLASSIFICATION"), (328, "DROP_SENSITIVITY_CLASSIFICATION")]),
    (10079, &[(329, "CREATE_EXTERNAL_LANGUAGE"), (330, "ALTER_EXTERNAL_LANGUAGE"), (331, "DROP_EXTERNAL_LANGUAGE")]),
];

/// All of the tree, in the order above.
pub fn all() -> impl Iterator<Item = EventType> {
    let of = |(parent, members): &'static Members| members.iter().map(|&(number, name)| (number, name, *parent));
    TREE.iter().flat_map(of).map(|(number, name, parent)| EventType { number, name, parent })
}

/// By its name, whatever its case. LOGON too.
pub fn named(name: &str) -> Option<EventType> {
    all().chain([LOGON]).find(|event| event.name.eq_ignore_ascii_case(name))
}

fn numbered(number: i32) -> Option<EventType> {
    all().find(|event| event.number == number)
}

impl EventType {
    pub fn is_group(&self) -> bool {
        self.number > GROUPS
    }

    /// Whether it is the group, or in it or in one of its groups.
    pub fn is_within(&self, group: i32) -> bool {
        let mut at = Some(*self);
        while let Some(event) = at {
            if event.number == group {
                return true;
            }
            at = numbered(event.parent);
        }
        false
    }

    /// The events that it stands for: itself, or all that are in the group, by number.
    pub fn events(&self) -> Vec<EventType> {
        if !self.is_group() {
            return vec![*self];
        }
        let mut events: Vec<EventType> =
            all().filter(|event| !event.is_group() && event.is_within(self.number)).collect();
        events.sort_by_key(|event| event.number);
        events
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_names_are_unique_and_every_parent_is_there() {
        let all: Vec<EventType> = all().collect();
        for (at, event) in all.iter().enumerate() {
            assert!(
                all[..at].iter().all(|other| other.number != event.number && other.name != event.name),
                "{event:?}"
            );
            assert!(event.parent == 0 || all.iter().any(|parent| parent.number == event.parent && parent.is_group()));
        }
    }

    #[test]
    fn a_group_stands_for_the_events_of_its_groups() {
        let events = |name: &str| named(name).expect(name).events().iter().map(|event| event.name).collect::<Vec<_>>();
        assert_eq!(events("ddl_table_events"), ["CREATE_TABLE", "ALTER_TABLE", "DROP_TABLE"]);
        assert_eq!(events("ADD_ROLE_MEMBER"), ["ADD_ROLE_MEMBER"]);
        let table_view = events("DDL_TABLE_VIEW_EVENTS");
        assert!(table_view.contains(&"UPDATE_STATISTICS") && table_view.contains(&"CREATE_XML_INDEX"));
        assert!(!events("DDL_DATABASE_LEVEL_EVENTS").contains(&"CREATE_DATABASE"));
        assert!(named("logon").is_some() && all().all(|event| event.name != "LOGON"));
    }
}
