//! `foreign-file`: a file that bears the name of a configuration and is plainly something else. It gets one hint and
//! nothing more.

use crate::analysis::detect::Foreign;
use crate::analysis::{Diagnostic, Severity};
use crate::language::Language;
use crate::syntax::tree::Tree;
use crate::text::TextRange;

/// The one finding about such a file.
pub(in crate::analysis) fn foreign_file(foreign: Foreign, tree: &Tree, language: Language) -> Diagnostic {
    let what = match foreign {
        Foreign::Json => {
            language.pick("a JSON file, such as a fusion switch", "JSON 文件（例如融合开关配置）")
        }
        Foreign::Ini => language.pick("an INI file", "INI 文件"),
        Foreign::Aipp => language.pick("an AIPP configuration of ATC", "ATC 的 AIPP 配置"),
    };
    let text = language.pick(
        format!(
            "This looks like {what}, which AMCT does not read; it is not checked. If it is meant for AMCT, begin it \
             with `# quantcfg-schema: DIALECT`."
        ),
        format!("这看起来是{what}，AMCT 不读取此类文件，因此不作检查。若确为 AMCT 配置，请在开头写 `# quantcfg-schema: 方言名`。"),
    );
    let range = tree.root().items().next().map_or(TextRange::empty(0), |item| item.range());
    Diagnostic::new("foreign-file", Severity::Hint, range, text)
}
