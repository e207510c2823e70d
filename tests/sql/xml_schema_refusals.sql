-- What a collection of schemas refuses of a document. learn.microsoft.com/sql/relational-databases/xml: "Requirements and limitations for XML schema
-- collections on the server", /sql/t-sql/statements/alter-xml-schema-collection-transact-sql; texts as in the list of errors 2000 to 2999, 6310, 9336.
CREATE XML SCHEMA COLLECTION refused AS '<xsd:schema xmlns:xsd="http://www.w3.org/2001/XMLSchema"><xsd:element name="a" type="xsd:int"/><xsd:element name="a" type="xsd:string"/></xsd:schema>';
GO
CREATE XML SCHEMA COLLECTION refused AS '<xsd:schema xmlns:xsd="http://www.w3.org/2001/XMLSchema"><xsd:simpleType name="t"><xsd:restriction base="xsd:string"><xsd:maxLength value="abc"/></xsd:restriction></xsd:simpleType></xsd:schema>';
GO
CREATE XML SCHEMA COLLECTION refused AS '<xsd:schema xmlns:xsd="http://www.w3.org/2001/XMLSchema"><xsd:element name="a"><xsd:complexType><xsd:sequence><xsd:element name="b" minOccurs="x"/></xsd:sequence></xsd:complexType></xsd:element></xsd:schema>';
GO
CREATE XML SCHEMA COLLECTION refused AS '<xsd:schema xmlns:xsd="http://www.w3.org/2001/XMLSchema"><xsd:element name="a" type="xsd:int" nillable="maybe"/></xsd:schema>';
GO
CREATE XML SCHEMA COLLECTION refused AS '<xsd:schema xmlns:xsd="http://www.w3.org/2001/XMLSchema"><xsd:simpleType name="t"><xsd:restriction base="xsd:decimal"><xsd:totalDigits value="0"/></xsd:restriction></xsd:simpleType></xsd:schema>';
GO
CREATE XML SCHEMA COLLECTION refused AS '<xsd:schema xmlns:xsd="http://www.w3.org/2001/XMLSchema"><xsd:simpleType name="t"><xsd:restriction base="t"/></xsd:simpleType></xsd:schema>';
GO
CREATE XML SCHEMA COLLECTION refused AS '<xsd:schema xmlns:xsd="http://www.w3.org/2001/XMLSchema"><xsd:element name="a"><xsd:complexType><xsd:sequence><xsd:element name="b" type="xsd:int"/></xsd:sequence></xsd:complexType><xsd:unique name="u"><xsd:selector xpath="b"/><xsd:field xpath="."/></xsd:unique></xsd:element></xsd:schema>';
GO
CREATE XML SCHEMA COLLECTION refused AS '<xsd:schema xmlns:xsd="http://www.w3.org/2001/XMLSchema"><xsd:include schemaLocation="x"/></xsd:schema>';
GO
CREATE XML SCHEMA COLLECTION refused AS '<xsd:schema xmlns:xsd="http://www.w3.org/2001/XMLSchema"><xsd:notation name="n" public="x"/></xsd:schema>';
GO
CREATE XML SCHEMA COLLECTION refused AS '<xsd:schema xmlns:xsd="http://www.w3.org/2001/XMLSchema"><xsd:redefine schemaLocation="x"/></xsd:schema>';
GO
CREATE XML SCHEMA COLLECTION refused AS '<xsd:schema xmlns:xsd="http://www.w3.org/2001/XMLSchema"><xsd:nosuch/></xsd:schema>';
GO
CREATE XML SCHEMA COLLECTION refused AS '<xsd:schema xmlns:xsd="http://www.w3.org/2001/XMLSchema"><xsd:element name="a" type="xsd:int"><xsd:simpleType><xsd:restriction base="xsd:int"/></xsd:simpleType></xsd:element></xsd:schema>';
GO
CREATE XML SCHEMA COLLECTION kept AS '<xsd:schema xmlns:xsd="http://www.w3.org/2001/XMLSchema"><xsd:element name="a" type="xsd:int"/></xsd:schema>';
GO
ALTER XML SCHEMA COLLECTION kept ADD '<xsd:schema xmlns:xsd="http://www.w3.org/2001/XMLSchema"><xsd:element name="a" type="xsd:int"/></xsd:schema>';
GO
ALTER XML SCHEMA COLLECTION kept ADD '<xsd:schema xmlns:xsd="http://www.w3.org/2001/XMLSchema"><xsd:element name="b" type="xsd:int"/><xsd:element name="b" type="xsd:int"/></xsd:schema>';
GO
ALTER XML SCHEMA COLLECTION kept ADD '<xsd:schema xmlns:xsd="http://www.w3.org/2001/XMLSchema"><xsd:element name="b" type="xsd:int"/></xsd:schema>';
GO
DECLARE @x xml(kept) = '<a>5</a><b>6</b>'; SELECT @x.query('data(/b)') AS b;
GO
