//! What the user set: in the editor, section `quantcfg`, and in `quantcfg.toml`, with the same keys.

mod file;

use std::path::{Path, PathBuf};

use globset::{GlobBuilder, GlobMatcher};
use serde_json::Value;

pub use file::{NAME, find};

use crate::analysis::Severity;
use crate::ide::preferences::Preferences;
use crate::language::Language;

/// Settings. What is not set is left to the defaults.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// The language of messages, if not that of the editor.
    pub language: Option<Language>,
    /// `DIALECT` or `PATH.proto:pkg.Message`, for some files or for all; the first that fits counts.
    pub schemas: Vec<Rule>,
    /// Layer lists, for some files or for all; the first that fits counts.
    pub layers: Vec<Rule>,
    /// Which files of a folder are configurations; `None`: `quant.cfg` and `*.quant.cfg`.
    pub files: Option<Vec<Pattern>>,
    /// Whether files outside of the workspace may be read. Never from quantcfg.toml: a repository must not grant itself
    /// the right.
    pub allows_outside: Option<bool>,
    /// What is shown.
    pub preferences: Preferences,
}

/// A value for some files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Which files; empty for all.
    pub files: Vec<Pattern>,
    /// The value.
    pub value: String,
    /// The folder to which a path in the value is relative.
    pub base: PathBuf,
}

/// Which files are meant, as in `.gitignore`: without a slash in any folder, else from the folder of the settings on.
#[derive(Clone, Debug)]
pub struct Pattern {
    text: String,
    base: PathBuf,
    matcher: GlobMatcher,
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        (&self.text, &self.base) == (&other.text, &other.base)
    }
}

impl Eq for Pattern {}

impl Pattern {
    fn new(text: &str, base: &Path) -> Option<Self> {
        let anywhere = if text.contains('/') { text.to_owned() } else { format!("**/{text}") };
        let glob =
            GlobBuilder::new(anywhere.trim_start_matches("./")).literal_separator(true).build().ok()?;
        Some(Self { text: text.to_owned(), base: base.to_owned(), matcher: glob.compile_matcher() })
    }

    /// Whether it means a file.
    pub fn matches(&self, path: &Path) -> bool {
        self.matcher.is_match(path.strip_prefix(&self.base).unwrap_or(path))
    }
}

impl Rule {
    fn fits(&self, path: Option<&Path>) -> bool {
        self.files.is_empty()
            || path.is_some_and(|path| self.files.iter().any(|pattern| pattern.matches(path)))
    }

    /// The first rule for a file.
    pub fn find<'r>(rules: &'r [Self], path: Option<&Path>) -> Option<&'r Self> {
        rules.iter().find(|rule| rule.fits(path))
    }
}

/// What is wrong with settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Complaint {
    /// No setting has that name.
    UnknownKey(String),
    /// The value of a setting is of another type or not among the possible ones.
    BadValue(String),
    /// The setting may not stand in quantcfg.toml.
    NotHere(String),
    /// The file is no TOML; the parser's words.
    NotToml(String),
}

impl Complaint {
    /// What is wrong, in words.
    pub fn message(&self, language: Language) -> String {
        match self {
            Self::UnknownKey(key) => {
                language.pick(format!("there is no setting `{key}`"), format!("没有名为 `{key}` 的设置"))
            }
            Self::BadValue(key) => language
                .pick(format!("the value of `{key}` makes no sense"), format!("设置 `{key}` 的取值无效")),
            Self::NotHere(key) => language.pick(
                format!("`{key}` counts in the editor and on the command line only"),
                format!("`{key}` 只能在编辑器设置或命令行中指定"),
            ),
            Self::NotToml(words) => words.clone(),
        }
    }
}

impl Settings {
    /// Reads settings from JSON. Paths and patterns in them are relative to `base`.
    pub fn read(section: &Value, base: &Path) -> (Self, Vec<Complaint>) {
        let mut reader = Reader { base, settings: Self::default(), complaints: Vec::new() };
        reader.section(section, "");
        (reader.settings, reader.complaints)
    }

    /// These, and where they say nothing, those.
    pub fn over(self, those: Self) -> Self {
        let both = |these: Vec<Rule>, those: Vec<Rule>| these.into_iter().chain(those).collect();
        Self {
            language: self.language.or(those.language),
            schemas: both(self.schemas, those.schemas),
            layers: both(self.layers, those.layers),
            files: self.files.or(those.files),
            allows_outside: self.allows_outside.or(those.allows_outside),
            preferences: self.preferences.over(those.preferences),
        }
    }

    /// Whether a file of a folder is a configuration.
    pub fn is_configuration(&self, path: &Path) -> bool {
        match &self.files {
            Some(patterns) => patterns.iter().any(|pattern| pattern.matches(path)),
            None => {
                let name = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
                name == "quant.cfg" || name.ends_with(".quant.cfg")
            }
        }
    }
}

struct Reader<'a> {
    base: &'a Path,
    settings: Settings,
    complaints: Vec<Complaint>,
}

impl Reader<'_> {
    /// Reads an object; `around` is the key that it stands under, with a dot behind it.
    fn section(&mut self, section: &Value, around: &str) {
        for (key, value) in section.as_object().into_iter().flatten() {
            let key = format!("{around}{key}");
            // Editors send null for what is not set.
            if value.is_null() {
                continue;
            }
            match key.as_str() {
                "diagnostics" | "codeLens" | "inlayHints" | "format" if value.is_object() => {
                    self.section(value, &format!("{key}."));
                }
                _ => {
                    let result = self.setting(&key, value);
                    self.complaints.extend(result.err());
                }
            }
        }
    }

    fn setting(&mut self, key: &str, value: &Value) -> Result<(), Complaint> {
        let bad = || Complaint::BadValue(key.to_owned());
        let truth = || value.as_bool().ok_or_else(bad);
        let preferences = &mut self.settings.preferences;
        match key {
            "language" => match value.as_str().ok_or_else(bad)? {
                "auto" | "" => {}
                locale => self.settings.language = Some(Language::of_locale(locale)),
            },
            "schema" => match value.as_str().ok_or_else(bad)? {
                "auto" | "" => {}
                schema => {
                    let rule = self.rule(Vec::new(), schema);
                    self.settings.schemas.push(rule);
                }
            },
            // Rules for some files come before the one for all.
            "schemas" => {
                let rules = self.rules(value, "schema").ok_or_else(bad)?;
                self.settings.schemas.splice(0..0, rules);
            }
            "layers" => {
                let rules = match value.as_str() {
                    Some("") => Vec::new(),
                    Some(path) => vec![self.rule(Vec::new(), path)],
                    None => self.rules(value, "layers").ok_or_else(bad)?,
                };
                self.settings.layers = rules;
            }
            "files" => {
                let patterns = self.patterns(value).ok_or_else(bad)?;
                self.settings.files = Some(patterns).filter(|patterns| !patterns.is_empty());
            }
            "allowOutsideWorkspace" => self.settings.allows_outside = Some(truth()?),
            "diagnostics.enable" => preferences.diagnostics = Some(truth()?),
            "codeLens.enable" => preferences.code_lenses = Some(truth()?),
            "inlayHints.enable" => preferences.inlay_hints = Some(truth()?),
            "format.indent" => {
                let indent = value.as_u64().filter(|indent| (1..=16).contains(indent)).ok_or_else(bad)?;
                preferences.indent = Some(indent as usize);
            }
            "severity" => {
                for (code, level) in value.as_object().ok_or_else(bad)? {
                    let bad = || Complaint::BadValue(format!("severity.{code}"));
                    let level = match level.as_str().ok_or_else(bad)? {
                        "off" => None,
                        name => Some(Severity::from_name(name).ok_or_else(bad)?),
                    };
                    preferences.severities.insert(code.clone(), level);
                }
            }
            _ => return Err(Complaint::UnknownKey(key.to_owned())),
        }
        Ok(())
    }

    fn rule(&self, files: Vec<Pattern>, value: &str) -> Rule {
        Rule { files, value: value.to_owned(), base: self.base.to_owned() }
    }

    /// `[{ "files": […], KEY: "value" }]`
    fn rules(&self, value: &Value, key: &str) -> Option<Vec<Rule>> {
        let rule = |rule: &Value| Some(self.rule(self.patterns(&rule["files"])?, rule[key].as_str()?));
        value.as_array()?.iter().map(rule).collect()
    }

    fn patterns(&self, value: &Value) -> Option<Vec<Pattern>> {
        let texts = match value {
            Value::String(text) => vec![text.as_str()],
            Value::Array(texts) => texts.iter().map(Value::as_str).collect::<Option<_>>()?,
            _ => return None,
        };
        texts.into_iter().map(|text| Pattern::new(text, self.base)).collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(section: Value) -> (Settings, Vec<Complaint>) {
        Settings::read(&section, Path::new("/net"))
    }

    #[test]
    fn all_settings_are_understood() {
        let (settings, complaints) = read(json!({
            "language": "zh-CN",
            "schema": "pytorch-qat",
            "schemas": [{ "files": ["ptq/*.cfg", "*.p.cfg"], "schema": "pytorch-ptq" }],
            "layers": [{ "files": "a.cfg", "layers": "a.json" }],
            "files": ["*.cfg"],
            "diagnostics": { "enable": false },
            "severity": { "unknown-field": "warning", "missing-required": "off" },
            "codeLens": { "enable": true },
            "inlayHints.enable": false,
            "format": { "indent": 2 },
            "allowOutsideWorkspace": true,
        }));
        assert_eq!(complaints, []);
        let schema =
            |path: &str| Rule::find(&settings.schemas, Some(Path::new(path))).map(|rule| rule.value.as_str());
        assert_eq!(schema("/net/ptq/a.cfg"), Some("pytorch-ptq"));
        assert_eq!(schema("/net/deep/er/a.p.cfg"), Some("pytorch-ptq"));
        assert_eq!(schema("/net/ptq/deep/a.cfg"), Some("pytorch-qat"));
        assert!(Rule::find(&settings.layers, Some(Path::new("/net/x/a.cfg"))).is_some());
        assert!(Rule::find(&settings.layers, None).is_none());
        assert!(settings.is_configuration(Path::new("/net/x.cfg")));
        let Preferences { diagnostics, severities, code_lenses, inlay_hints, indent } = settings.preferences;
        assert_eq!(
            (diagnostics, code_lenses, inlay_hints, indent),
            (Some(false), Some(true), Some(false), Some(2))
        );
        assert_eq!(severities["unknown-field"], Some(Severity::Warning));
        assert_eq!(severities["missing-required"], None);
    }

    #[test]
    fn what_is_not_understood_is_said_and_the_rest_counts() {
        let (settings, complaints) = read(json!({
            "schema": 5, "foo": 1, "diagnostics": { "enabled": true }, "severity": { "a": "loud" },
            "files": "[", "format": { "indent": 0 }, "language": "en", "layers": null,
        }));
        let messages: Vec<_> =
            complaints.iter().map(|complaint| complaint.message(Language::English)).collect();
        assert_eq!(
            messages,
            [
                "the value of `schema` makes no sense",
                "there is no setting `foo`",
                "there is no setting `diagnostics.enabled`",
                "the value of `severity.a` makes no sense",
                "the value of `files` makes no sense",
                "the value of `format.indent` makes no sense",
            ]
        );
        assert_eq!(settings.language, Some(Language::English));
        assert_eq!(read(Value::Null), (Settings::default(), Vec::new()));
        assert_eq!(read(json!([1])), (Settings::default(), Vec::new()));
    }

    #[test]
    fn settings_of_the_editor_win() {
        let (editor, _) = read(json!({ "schema": "pytorch-qat", "severity": { "a": "error" } }));
        let (file, _) = read(
            json!({ "schema": "pytorch-ptq", "severity": { "a": "off", "b": "off" }, "language": "zh" }),
        );
        let both = editor.over(file);
        assert_eq!(both.schemas[0].value, "pytorch-qat");
        assert_eq!(both.language, Some(Language::Chinese));
        assert_eq!(both.preferences.severities.len(), 2);
        assert_eq!(both.preferences.severities["a"], Some(Severity::Error));
    }
}
