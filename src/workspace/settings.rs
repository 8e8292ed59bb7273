//! What the user set in the editor, section `quantcfg`.

use serde_json::Value;

use crate::language::Language;

/// Settings. What is not set is left to the defaults.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// The language of messages, if not that of the editor.
    pub language: Option<Language>,
}

impl Settings {
    /// Reads settings from JSON, the later ones over the earlier ones. Values of another type count as not set.
    pub fn of<'a>(sections: impl IntoIterator<Item = &'a Value>) -> Self {
        let mut settings = Self::default();
        for section in sections {
            if let Some(language) = section["language"].as_str().filter(|language| *language != "auto") {
                settings.language = Some(Language::of_locale(language));
            }
        }
        settings
    }
}
