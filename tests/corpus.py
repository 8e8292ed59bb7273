"""corpus.py QUANTCFG FOLDER   Holds the program to files of other people and to what AMCT's loader said about them.

FOLDER has the files and `verdicts.json`: [{"file", "verdicts": {DIALECT: "ok" or the text of Python's exception}}]. The files
are not part of this repository. Each must get a dialect that takes it, where there is one, and under each dialect
named there the loader's verdict and words.
"""
import json
import pathlib
import subprocess
import sys


def check(program, paths, *flags):
    command = [program, "check", "--format", "json", *flags, *map(str, paths)]
    report = json.loads(subprocess.run(command, capture_output=True, text=True).stdout)
    return {pathlib.Path(file["path"]).name: file for file in report["files"]}


def words(error):
    place = f"{error['line']}:{error['column']} : " if error["line"] else ""
    return place + error["message"]


def main():
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    rows = {row["file"]: row["verdicts"] for row in json.loads((folder / "verdicts.json").read_text())}
    paths = [folder / name for name in rows]
    faults, pairs = [], 0
    found = check(program, paths)
    for name, verdicts in rows.items():
        fitting = [dialect for dialect, verdict in verdicts.items() if verdict == "ok"]
        if fitting and found[name]["schema"] not in fitting:
            faults.append(f"{name}: read as {found[name]['schema']}, fits {fitting}")
    for dialect in sorted({dialect for verdicts in rows.values() for dialect in verdicts}):
        found = check(program, paths, "--schema", dialect)
        for name, verdicts in rows.items():
            pairs += 1
            file, verdict = found[name], verdicts[dialect]
            said = "ok" if file["loads"] else words(file["amct_error"])
            if said != verdict:
                faults.append(f"{name} as {dialect}: {said}, AMCT: {verdict}")
    print("\n".join(faults[:40] + [f"{len(rows)} files, {pairs} verdicts, {len(faults)} faults"]))
    sys.exit(bool(faults) or not rows)


main()
