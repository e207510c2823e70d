-- JSON_PATH_EXISTS: 1 if there is something at the path, 0 if not, NULL for NULL, and never an error.
-- https://learn.microsoft.com/sql/t-sql/functions/json-path-exists-transact-sql
declare @j nvarchar(max) = N'{"info":{"address":[{"town":"Paris"},{"city":"London"}],"none":null,"a b":[]}}';
select json_path_exists(@j, '$.info.address') as nested, json_path_exists(@j, '$.info.addresses') as missing, json_path_exists(@j, '$') as root_;
select json_path_exists(@j, '$.info.address[*].town') as one_of_them, json_path_exists(@j, '$.info.address[*].street') as none_of_them,
  json_path_exists(@j, '$.info.address[1].city') as second, json_path_exists(@j, '$.info.address[2]') as third;
select json_path_exists(@j, '$.info.none') as a_null, json_path_exists(@j, '$.info.none.more') as below_a_null,
  json_path_exists(@j, '$.info."a b"') as quoted, json_path_exists(@j, '$.info."a b"[*]') as of_an_empty_array;
select json_path_exists(@j, 'strict $.info.x') as strict_, json_path_exists(@j, 'lax $.info') as lax_, json_path_exists(@j, 'info') as no_path,
  json_path_exists('{"a":', '$.a') as no_json, json_path_exists('[[1,2],[{"a":1}]]', '$[*][*].a') as twice;
select json_path_exists(null, '$') as null_json, json_path_exists('{}', null) as null_path;
-- Elsewhere a wildcard is no path.
select json_value(@j, '$.info.address[*].town') as value;
go
declare @j varchar(100) = '{"a":1}';
select json_path_exists(@j);
go
create table t (id int, doc nvarchar(max));
insert t values (1, N'{"tag":1}'), (2, N'{}'), (3, null), (4, N'x');
select id from t where json_path_exists(doc, '$.tag') > 0;
select id, json_path_exists(doc, '$.tag') as has_tag from t order by id;
drop table t;
