//! `quantcfg check`: what AMCT would refuse or silently do otherwise.

use std::collections::BTreeMap;
use std::io::{BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use indicatif::{ProgressBar, ProgressStyle};

use super::report::{Counts, Format};
use super::subject::{Subject, workspace_root};
use super::{Common, files};
use crate::analysis::Severity;
use crate::language::Language;
use crate::workspace::choice::Wish;

/// With fewer files a progress bar would only flicker.
const MANY: usize = 200;

/// Report what AMCT would refuse, and what it would silently do otherwise than the file seems to say.
#[derive(Debug, clap::Args)]
pub(super) struct Check {
    /// Files, or folders to search for quant.cfg and *.quant.cfg; `-` is stdin [default: the current folder]
    paths: Vec<PathBuf>,
    /// How to print
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
    /// Exit with 1 for warnings too
    #[arg(long)]
    deny_warnings: bool,
    /// What stdin is called in the report, and where its layer list and headers are looked for
    #[arg(long, value_name = "PATH")]
    stdin_filename: Option<PathBuf>,
}

/// What became of a file.
enum Outcome {
    Read { report: Vec<u8>, counts: Counts },
    Failed(String),
}

impl Check {
    pub(super) fn run(&self, common: &Common) -> anyhow::Result<ExitCode> {
        let language =
            if self.format.is_for_people() { common.language() } else { common.machine_language() };
        let wish = common.wish(language, !self.format.is_for_people())?;
        let here = [PathBuf::from(".")];
        let (files, errors) = files::find(if self.paths.is_empty() { &here } else { &self.paths });
        errors.iter().for_each(|error| eprintln!("quantcfg: {error:#}"));
        let mut has_failed = !errors.is_empty();
        if files.is_empty() && !has_failed {
            eprintln!("{}", nothing_found(language));
        }
        let mut out = BufWriter::new(anstream::stdout());
        write!(out, "{}", self.format.head())?;
        let bar = self.progress(files.len());
        let (mut all, mut is_first) = (Counts::default(), true);
        let mut write = |outcome: Outcome| -> std::io::Result<()> {
            bar.inc(1);
            match outcome {
                Outcome::Failed(error) => {
                    bar.suspend(|| eprintln!("quantcfg: {error}"));
                    has_failed = true;
                }
                Outcome::Read { report, counts } => {
                    all.add(counts);
                    if !report.is_empty() {
                        let separator = if is_first { "" } else { self.format.separator() };
                        is_first = false;
                        out.write_all(separator.as_bytes())?;
                        out.write_all(&report)?;
                    }
                }
            }
            Ok(())
        };
        self.each(&files, &wish, language, |outcomes| {
            // Whichever file is ready first, the report has them in order.
            let (mut waiting, mut next) = (BTreeMap::new(), 0);
            for (at, outcome) in outcomes {
                waiting.insert(at, outcome);
                while let Some(outcome) = waiting.remove(&next) {
                    write(outcome)?;
                    next += 1;
                }
            }
            anyhow::Ok(())
        })?;
        bar.finish_and_clear();
        write!(out, "{}", self.format.foot(&all, language))?;
        out.flush()?;
        let has_bad =
            all.count(Severity::Error) > 0 || self.deny_warnings && all.count(Severity::Warning) > 0;
        Ok(match (has_failed, has_bad) {
            (true, _) => ExitCode::from(2),
            (false, true) => ExitCode::FAILURE,
            (false, false) => ExitCode::SUCCESS,
        })
    }

    /// Checks files on all cores and hands the outcomes over as they come, each with the number of its file.
    fn each<T>(
        &self,
        files: &[PathBuf],
        wish: &Wish,
        language: Language,
        receive: impl FnOnce(Receiver<(usize, Outcome)>) -> T,
    ) -> T {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let next = AtomicUsize::new(0);
        let (sender, outcomes) = channel();
        thread::scope(|scope| {
            for _ in 0..cores.min(files.len()) {
                let (sender, next) = (sender.clone(), &next);
                scope.spawn(move || {
                    loop {
                        let at = next.fetch_add(1, Ordering::Relaxed);
                        let Some(file) = files.get(at) else { break };
                        // Nobody listens any more when the output could not be written.
                        if sender.send((at, self.outcome(file, wish, language))).is_err() {
                            break;
                        }
                    }
                });
            }
            drop(sender);
            receive(outcomes)
        })
    }

    fn outcome(&self, path: &Path, wish: &Wish, language: Language) -> Outcome {
        let real_path = self.stdin_filename.as_deref().filter(|_| path.as_os_str() == "-").unwrap_or(path);
        let wish = Wish { root: workspace_root(real_path), ..wish.clone() };
        let subject = match Subject::read(path, self.stdin_filename.as_deref(), &wish, language) {
            Ok(subject) => subject,
            Err(error) => return Outcome::Failed(format!("{error:#}")),
        };
        let findings = subject.diagnostics();
        let mut report = Vec::new();
        match self.format.file(&mut report, &subject, &findings, language) {
            Ok(()) => Outcome::Read { report, counts: Counts::of(&findings) },
            Err(error) => Outcome::Failed(format!("{}: {error}", subject.path)),
        }
    }

    fn progress(&self, files: usize) -> ProgressBar {
        if files < MANY || !std::io::stderr().is_terminal() {
            return ProgressBar::hidden();
        }
        let style = ProgressStyle::with_template("{bar:40} {pos}/{len}");
        ProgressBar::new(files as u64).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
    }
}

fn nothing_found(language: Language) -> &'static str {
    language.pick(
        "quantcfg: no quant.cfg or *.quant.cfg here; name the files that have other names",
        "quantcfg: 此处没有 quant.cfg 或 *.quant.cfg；其他名称的文件请直接指定",
    )
}
