//! Certificates and the key of a database that keeps their private keys.
//!
//! https://learn.microsoft.com/sql/t-sql/statements/create-certificate-transact-sql, backup-certificate, create-master-key, open-master-key,
//! alter-master-key, drop-master-key

use super::{K, P, Parser, T};
use crate::ast::*;

impl Parser<'_> {
    /// `MASTER KEY` stands behind the current word.
    pub(super) fn at_master_key(&mut self) -> bool {
        self.peek_word(1, K::MASTER) && self.peek_word(2, K::KEY)
    }

    /// The current token is the verb, and MASTER KEY behind it. What is not built is read to its end.
    #[inline(never)]
    pub(super) fn master_key(&mut self) -> P<StatementKind> {
        let verb = self.keyword();
        if verb == K::ALTER && self.peek(3).keyword != K::ADD {
            return self.other();
        }
        (0..3).for_each(|_| self.bump());
        let statement = match verb {
            K::CREATE if self.at_word(K::ENCRYPTION) => MasterKey::Create(Some(self.by_password("ENCRYPTION")?)),
            K::CREATE => MasterKey::Create(None),
            K::DROP => MasterKey::Drop,
            K::OPEN => MasterKey::Open(self.by_password("DECRYPTION")?),
            K::CLOSE => MasterKey::Close,
            _ => {
                self.expect_word(K::ADD)?;
                self.expect_word(K::ENCRYPTION)?;
                self.expect_word(K::BY)?;
                if !self.at_text("SERVICE") {
                    self.skip_statement()?;
                    return Ok(StatementKind::Other(Box::new(OtherStatement {
                        verb: "ALTER MASTER KEY".into(),
                        session: None,
                    })));
                }
                self.bump();
                self.expect_word(K::MASTER)?;
                self.expect_word(K::KEY)?;
                MasterKey::AddService
            }
        };
        Ok(StatementKind::MasterKey(Box::new(statement)))
    }

    /// `ENCRYPTION BY PASSWORD = 'text'`
    fn by_password(&mut self, first: &str) -> P<Box<str>> {
        self.expect_text(first)?;
        self.expect_word(K::BY)?;
        self.expect_text("PASSWORD")?;
        self.expect(T::Equals)?;
        self.string()
    }

    /// The current token is CREATE.
    #[inline(never)]
    pub(super) fn create_certificate(&mut self) -> P<StatementKind> {
        self.bump();
        self.bump();
        let name = self.ident()?;
        let owner = if self.eat_word(K::AUTHORIZATION) { Some(self.ident()?) } else { None };
        let source = if self.eat_word(K::FROM) { self.certificate_source()? } else { self.new_certificate()? };
        if self.at_text("ACTIVE") {
            self.bump();
            self.expect_word(K::FOR)?;
            self.expect_text("BEGIN_DIALOG")?;
            self.expect(T::Equals)?;
            if !self.eat_word(K::ON) {
                self.expect_word(K::OFF)?;
            }
        }
        Ok(StatementKind::CreateCertificate(Box::new(CreateCertificate { name, owner, source })))
    }

    fn certificate_source(&mut self) -> P<CertificateSource> {
        for (word, known) in [("ASSEMBLY", "ASSEMBLY"), ("EXECUTABLE", "EXECUTABLE FILE"), ("BINARY", "BINARY")] {
            if self.at_text(word) {
                self.skip_statement()?;
                return Ok(CertificateSource::Other(known));
            }
        }
        let path = self.file_path()?;
        Ok(CertificateSource::File { path, key: self.private_key()? })
    }

    fn new_certificate(&mut self) -> P<CertificateSource> {
        let by_password = self.at_word(K::ENCRYPTION);
        if by_password {
            self.by_password("ENCRYPTION")?;
        }
        self.expect_word(K::WITH)?;
        Ok(CertificateSource::New { by_password, options: self.list(Self::loose_setting)? })
    }

    /// The current token is BACKUP.
    #[inline(never)]
    pub(super) fn backup_certificate(&mut self) -> P<StatementKind> {
        self.bump();
        self.bump();
        let name = self.ident()?;
        self.expect_word(K::TO)?;
        let path = self.file_path()?;
        let key = self.private_key()?;
        Ok(StatementKind::BackupCertificate(Box::new(BackupCertificate { name, path, key })))
    }

    /// `FILE = 'path'`
    fn file_path(&mut self) -> P<Box<str>> {
        self.expect_text("FILE")?;
        self.expect(T::Equals)?;
        self.string()
    }

    /// `WITH PRIVATE KEY (name = value, ...)`
    fn private_key(&mut self) -> P<Option<Vec<Setting>>> {
        if !self.eat_word(K::WITH) {
            return Ok(None);
        }
        self.expect_word(K::PRIVATE)?;
        self.expect_word(K::KEY)?;
        self.settings_list().map(Some)
    }
}
