//! The languages that messages and documentation exist in.

/// A language of the user interface.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Language {
    /// English, the default.
    #[default]
    English,
    /// Simplified Chinese.
    Chinese,
}

impl Language {
    /// The language for a locale such as `zh-cn`, `zh_TW.UTF-8` or `de`: every `zh*` is Chinese, all others are English.
    pub fn of_locale(locale: &str) -> Self {
        if locale.to_ascii_lowercase().starts_with("zh") { Self::Chinese } else { Self::English }
    }

    /// One of two texts.
    pub fn pick<T>(self, english: T, chinese: T) -> T {
        match self {
            Self::English => english,
            Self::Chinese => chinese,
        }
    }
}
