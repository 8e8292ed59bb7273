//! Gives the built-in schemas their meaning: protobuf-parse turns each .proto in `proto/` into a descriptor that the
//! program embeds. Comments are read from the sources at run time, since protobuf-parse drops them.

use std::path::{Path, PathBuf};

use protobuf::Message;
use protobuf::descriptor::FileDescriptorSet;

fn main() {
    println!("cargo::rerun-if-changed=proto");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let mut files: Vec<_> = std::fs::read_dir("proto")
        .expect("proto/ is part of the package")
        .map(|entry| entry.expect("proto/ can be listed").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "proto"))
        .collect();
    files.sort();
    for file in files {
        let set = parse(&file);
        let name = file.file_stem().expect("a .proto file has a name");
        let target = out.join(name).with_extension("descriptor");
        let bytes = set.write_to_bytes().expect("a descriptor can be encoded");
        std::fs::write(&target, bytes).expect("OUT_DIR can be written");
    }
}

fn parse(file: &Path) -> FileDescriptorSet {
    let parsed = protobuf_parse::Parser::new().pure().include("proto").input(file).parse_and_typecheck();
    let parsed = parsed.unwrap_or_else(|error| panic!("{}: {error:#}", file.display()));
    FileDescriptorSet { file: parsed.file_descriptors, ..FileDescriptorSet::default() }
}
