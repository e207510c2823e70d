SELECT s.name AS [schema], o.name, o.type, SCHEMA_NAME(p.schema_id), p.name, x.value, pr.name FROM sys.objects o
JOIN sys.schemas s ON s.schema_id = o.schema_id LEFT JOIN sys.objects p ON p.object_id = o.parent_object_id
LEFT JOIN sys.database_principals pr ON pr.principal_id = o.principal_id
LEFT JOIN sys.extended_properties x ON x.class = 1 AND x.major_id = o.object_id AND x.minor_id = 0
WHERE o.is_ms_shipped = 0 AND o.type NOT IN ('S', 'IT', 'SQ', 'TT') AND (p.object_id IS NULL OR o.name NOT LIKE '%[_][_]%');
SELECT OBJECT_SCHEMA_NAME(c.object_id) AS [column], OBJECT_NAME(c.object_id), c.name, c.column_id, TYPE_NAME(c.user_type_id), c.max_length, c.precision,
  c.scale, c.collation_name, c.is_nullable, c.is_rowguidcol, c.is_identity, c.is_computed, c.is_masked, c.generated_always_type,
  CONVERT(nvarchar(40), i.seed_value), CONVERT(nvarchar(40), i.increment_value), k.definition, k.is_persisted, d.definition, m.masking_function, x.value
FROM sys.columns c JOIN sys.objects o ON o.object_id = c.object_id AND o.is_ms_shipped = 0 AND o.type IN ('U', 'V', 'IF', 'TF')
LEFT JOIN sys.identity_columns i ON i.object_id = c.object_id AND i.column_id = c.column_id
LEFT JOIN sys.computed_columns k ON k.object_id = c.object_id AND k.column_id = c.column_id
LEFT JOIN sys.default_constraints d ON d.object_id = c.default_object_id
LEFT JOIN sys.masked_columns m ON m.object_id = c.object_id AND m.column_id = c.column_id
LEFT JOIN sys.extended_properties x ON x.class = 1 AND x.major_id = c.object_id AND x.minor_id = c.column_id;
SELECT OBJECT_NAME(i.object_id) AS [index], CASE WHEN i.name LIKE '%[_][_]%' THEN N'' ELSE i.name END, i.type, i.is_unique, i.is_primary_key, i.is_unique_constraint, i.ignore_dup_key,
  i.fill_factor, i.is_padded, i.is_disabled, i.filter_definition, c.key_ordinal, COL_NAME(c.object_id, c.column_id), c.is_descending_key,
  c.is_included_column
FROM sys.indexes i JOIN sys.tables t ON t.object_id = i.object_id
LEFT JOIN sys.index_columns c ON c.object_id = i.object_id AND c.index_id = i.index_id;
SELECT OBJECT_NAME(s.object_id) AS [statistics], s.name, s.user_created FROM sys.stats s WHERE s.user_created = 1;
SELECT CASE WHEN is_system_named = 1 THEN N'' ELSE name END AS [check], OBJECT_NAME(parent_object_id), definition, is_disabled, is_not_trusted FROM sys.check_constraints WHERE OBJECT_SCHEMA_NAME(parent_object_id) <> 'sys';
SELECT CASE WHEN f.is_system_named = 1 THEN N'' ELSE f.name END AS foreign_key, OBJECT_NAME(f.parent_object_id), OBJECT_NAME(f.referenced_object_id), f.delete_referential_action,
  f.update_referential_action, f.is_disabled, f.is_not_trusted, COL_NAME(c.parent_object_id, c.parent_column_id),
  COL_NAME(c.referenced_object_id, c.referenced_column_id)
FROM sys.foreign_keys f JOIN sys.foreign_key_columns c ON c.constraint_object_id = f.object_id;
SELECT OBJECT_SCHEMA_NAME(m.object_id) AS module, OBJECT_NAME(m.object_id), m.uses_ansi_nulls, m.uses_quoted_identifier, m.is_schema_bound,
  m.null_on_null_input, m.execute_as_principal_id, m.is_recompiled, TRIM(CHAR(10) + ' ' FROM REPLACE(REPLACE(REPLACE(m.definition, CHAR(13), ''), '[', ''), ']', ''))
FROM sys.sql_modules m;
SELECT OBJECT_NAME(p.object_id) AS parameter, p.parameter_id, p.name, TYPE_NAME(p.user_type_id), p.max_length, p.is_output, p.is_readonly FROM sys.parameters p;
SELECT OBJECT_NAME(t.object_id) AS [trigger], OBJECT_NAME(t.parent_id), t.is_disabled, t.is_instead_of_trigger, e.type_desc
FROM sys.triggers t LEFT JOIN sys.trigger_events e ON e.object_id = t.object_id;
SELECT name AS sequence, TYPE_NAME(user_type_id), CONVERT(bigint, start_value), CONVERT(bigint, increment), CONVERT(bigint, minimum_value),
  CONVERT(bigint, maximum_value), is_cycling, is_cached, cache_size FROM sys.sequences;
SELECT SCHEMA_NAME(schema_id) AS synonym, name, base_object_name FROM sys.synonyms;
SELECT SCHEMA_NAME(t.schema_id) AS type, t.name, TYPE_NAME(t.system_type_id), t.max_length, t.is_nullable, t.is_table_type, c.name, TYPE_NAME(c.user_type_id), c.is_nullable
FROM sys.types t LEFT JOIN sys.table_types tt ON tt.user_type_id = t.user_type_id
LEFT JOIN sys.columns c ON c.object_id = tt.type_table_object_id WHERE t.is_user_defined = 1;
SELECT OBJECT_NAME(t.object_id) AS temporal, t.temporal_type, OBJECT_NAME(t.history_table_id), COL_NAME(p.object_id, p.start_column_id),
  COL_NAME(p.object_id, p.end_column_id) FROM sys.tables t LEFT JOIN sys.periods p ON p.object_id = t.object_id;
SELECT name AS principal, type, default_schema_name, USER_NAME(owning_principal_id) FROM sys.database_principals WHERE principal_id > 4 AND is_fixed_role = 0;
SELECT USER_NAME(role_principal_id) AS role, USER_NAME(member_principal_id) FROM sys.database_role_members;
SELECT s.name AS [schema], USER_NAME(s.principal_id), x.value FROM sys.schemas s
LEFT JOIN sys.extended_properties x ON x.class = 3 AND x.major_id = s.schema_id;
SELECT class_desc AS permission, CASE class WHEN 1 THEN OBJECT_NAME(major_id) WHEN 3 THEN SCHEMA_NAME(major_id) END, COL_NAME(major_id, minor_id),
  USER_NAME(grantee_principal_id), permission_name, state FROM sys.database_permissions WHERE class <> 0 AND major_id >= 0
