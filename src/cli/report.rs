//! Findings as reports: for people, for tools, for code scanning (SARIF) and for GitHub's annotations.

mod github;
pub(super) mod human;
mod json;
mod sarif;

use std::io::{self, Write};

use super::subject::Subject;
use crate::analysis::{Diagnostic, Severity};
use crate::language::Language;

/// How findings are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Format {
    /// Excerpts of the files, for people
    Human,
    /// One object with every file, for tools
    Json,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// Annotations of GitHub Actions
    Github,
}

impl Format {
    /// True when the report is meant to be read, in the reader's language.
    pub(super) fn is_for_people(self) -> bool {
        self == Self::Human
    }

    /// What stands before the first file.
    pub(super) fn head(self) -> String {
        match self {
            Self::Human | Self::Github => String::new(),
            Self::Json => "{\"files\":[".to_owned(),
            Self::Sarif => sarif::head(),
        }
    }

    /// The part of one file, without what parts it from the one before.
    pub(super) fn file(
        self,
        out: &mut impl Write,
        subject: &Subject,
        findings: &[Diagnostic],
        language: Language,
    ) -> io::Result<()> {
        match self {
            Self::Human => human::write(out, &subject.path, subject.buffer(), findings, language),
            Self::Json => Ok(serde_json::to_writer(out, &json::FileReport::of(subject, findings))?),
            Self::Sarif => sarif::write(out, &subject.path, subject.buffer(), findings),
            Self::Github => github::write(out, &subject.path, subject.buffer(), findings),
        }
    }

    /// What parts two parts that are not empty.
    pub(super) fn separator(self) -> &'static str {
        match self {
            Self::Human | Self::Github => "",
            Self::Json | Self::Sarif => ",",
        }
    }

    /// What stands behind the last file.
    pub(super) fn foot(self, counts: &Counts, language: Language) -> String {
        match self {
            Self::Human => {
                counts
                    .text(language)
                    .unwrap_or_else(|| language.pick("No findings.", "没有问题。").to_owned())
                    + "\n"
            }
            Self::Json => "]}\n".to_owned(),
            Self::Sarif => sarif::FOOT.to_owned(),
            Self::Github => String::new(),
        }
    }
}

/// How many findings of which severity.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts([usize; 4]);

impl Counts {
    pub(super) fn of(findings: &[Diagnostic]) -> Self {
        let mut counts = Self::default();
        findings.iter().for_each(|finding| counts.0[finding.severity as usize] += 1);
        counts
    }

    pub(super) fn add(&mut self, other: Self) {
        self.0.iter_mut().zip(other.0).for_each(|(count, more)| *count += more);
    }

    pub(super) fn count(&self, severity: Severity) -> usize {
        self.0[severity as usize]
    }

    /// In one line; `None` when there are none.
    pub(super) fn text(&self, language: Language) -> Option<String> {
        let words = language.pick(
            [("error", "errors"), ("warning", "warnings"), ("note", "notes"), ("hint", "hints")],
            [("个错误", "个错误"), ("个警告", "个警告"), ("条信息", "条信息"), ("条提示", "条提示")],
        );
        let parts: Vec<_> = (self.0.iter().zip(words))
            .filter(|&(&count, _)| count > 0)
            .map(|(&count, (one, many))| format!("{count} {}", if count == 1 { one } else { many }))
            .collect();
        (!parts.is_empty()).then(|| parts.join(language.pick(", ", "，")))
    }
}
