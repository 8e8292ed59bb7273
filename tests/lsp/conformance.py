"""conformance.py FOLDER   Holds every message that the server sent in recorded sessions to the types of the protocol.

The sessions are the files that tests/lsp/client.rs writes. lsprotocol has the types of LSP 3.18, made from its meta model.
Nothing is coerced: no unknown keys, no missing ones, no null where a key may only be absent, numbers in their range.
"""
import collections.abc
import enum
import functools
import json
import pathlib
import sys
import typing

import attrs
from lsprotocol import types, validators

NAMES = vars(types)
# A client must take values of these that it does not know.
OPEN_ENUMS = {"ErrorCodes", "LSPErrorCodes", "CodeActionKind", "FoldingRangeKind", "SemanticTokenTypes",
              "SemanticTokenModifiers", "PositionEncodingKind", "LanguageKind", "WatchKind"}
# Methods of our own.
OWN = "quantcfg/"


def key_of(attribute):
    """lsprotocol's `text_document_` as it stands in a message."""
    first, *rest = attribute.rstrip("_").split("_")
    return first + "".join(part.title() for part in rest)


@functools.lru_cache(None)
def hints(cls):
    return typing.get_type_hints(cls, NAMES, NAMES)


def resolved(kind):
    if isinstance(kind, typing.ForwardRef):
        kind = kind.__forward_arg__
    return eval(kind, NAMES) if isinstance(kind, str) else kind


def faults(value, kind, path):
    """What is wrong with a value, as a list of texts."""
    kind = resolved(kind)
    if kind in (typing.Any, object) or str(kind).endswith("LSPAny"):
        return []
    if kind is type(None):
        return [] if value is None else [f"{path}: must be null"]
    if typing.get_origin(kind) is not None:
        return generic_faults(value, kind, path)
    if issubclass(kind, enum.Enum):
        known = [member.value for member in kind]
        if type(value) is not type(known[0]):
            return [f"{path}: {value!r} has the wrong type for {kind.__name__}"]
        return [] if value in known or kind.__name__ in OPEN_ENUMS else [f"{path}: {value!r} is no {kind.__name__}"]
    if kind is float:
        return [] if type(value) in (int, float) else [f"{path}: {value!r} is no number"]
    if kind in (int, str, bool):
        return [] if type(value) is kind else [f"{path}: {value!r} is no {kind.__name__}"]
    if attrs.has(kind):
        return object_faults(value, kind, path)
    return [f"{path}: {kind!r} is not understood"]


def generic_faults(value, kind, path):
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin is typing.Union:
        tried = [faults(value, branch, path) for branch in arguments]
        return min((found for found, branch in zip(tried, arguments) if branch is not type(None)), key=len) \
            if all(tried) else []
    if origin is typing.Literal:
        return [] if value in arguments else [f"{path}: {value!r} is none of {arguments}"]
    if origin in (collections.abc.Mapping, dict):
        if not isinstance(value, dict):
            return [f"{path}: {value!r} is no object"]
        return [fault for key, inner in value.items() for fault in faults(inner, arguments[1], f"{path}.{key}")]
    if not isinstance(value, list):
        return [f"{path}: {value!r} is no array"]
    if origin is tuple and Ellipsis not in arguments:
        if len(value) != len(arguments):
            return [f"{path}: {len(value)} elements in place of {len(arguments)}"]
        return [fault for at, pair in enumerate(zip(value, arguments)) for fault in faults(*pair, f"{path}[{at}]")]
    return [fault for at, inner in enumerate(value) for fault in faults(inner, arguments[0], f"{path}[{at}]")]


def object_faults(value, kind, path):
    if not isinstance(value, dict):
        return [f"{path}: {value!r} is no {kind.__name__}"]
    fields = {key_of(field.name): field for field in attrs.fields(kind)}
    found = [f"{path}: {kind.__name__} has no key {key!r}" for key in value if key not in fields]
    for key, field in fields.items():
        # Keys that stand there even when they are null.
        is_special = types.is_special_property(kind, field.name)
        if key not in value:
            if field.default is attrs.NOTHING or is_special and key in ("jsonrpc", "method", "result"):
                found.append(f"{path}: {kind.__name__} lacks {key!r}")
            continue
        inner, hint = value[key], hints(kind)[field.name]
        may_be_absent = field.default is None and not is_special and type(None) in typing.get_args(hint)
        if inner is None and may_be_absent:
            if "LSPAny" not in str(hint) and key != "data":
                found.append(f"{path}.{key}: null, where only absence is allowed")
            continue
        wrong = faults(inner, hint, f"{path}.{key}")
        found += wrong
        validator = getattr(field.validator, "validator", field.validator)
        lowest = {validators.uinteger_validator: 0, validators.integer_validator: -2**31}.get(validator)
        if not wrong and type(inner) is int and lowest is not None and not lowest <= inner < 2**31:
            found.append(f"{path}.{key}: {inner} is out of range")
    return found


def message_faults(message, methods):
    if message.get("jsonrpc") != "2.0":
        return ["jsonrpc is not 2.0"]
    if "method" in message:
        method = message["method"]
        if method.startswith(OWN):
            return []
        if method not in types.METHOD_TO_TYPES:
            return [f"there is no method {method}"]
        if types.message_direction(method) == "clientToServer":
            return [f"{method} is for clients to send"]
        return faults(message, types.METHOD_TO_TYPES[method][0], method)
    if "error" in message:
        error = message["error"]
        is_good = set(message) == {"jsonrpc", "id", "error"} and set(error) <= {"code", "message", "data"} \
            and type(error.get("code")) is int and type(error.get("message")) is str
        return [] if is_good else [f"no error response: {message}"]
    method = methods.get(json.dumps(message.get("id")))
    if method not in types.METHOD_TO_TYPES:
        return []
    return faults(message, types.METHOD_TO_TYPES[method][1], f"{method} answered")


def main():
    # The walker itself: each of these is wrong in one way.
    planted = [
        {"jsonrpc": "2.0", "method": "textDocument/publishDiagnostics", "params": {"uri": "a", "diagnostics": [], "version": None}},
        {"jsonrpc": "2.0", "method": "textDocument/publishDiagnostics", "params": {"uri": "a"}},
        {"jsonrpc": "2.0", "method": "window/showMessage", "params": {"type": 9, "message": "a"}},
        {"jsonrpc": "2.0", "method": "window/showMessage", "params": {"type": 3, "message": "a", "more": 1}},
        {"jsonrpc": "2.0", "method": "textDocument/hover", "params": {}},
        {"jsonrpc": "2.0", "id": 1, "result": {"contents": 5}},
        {"jsonrpc": "2.0", "id": 1, "result": {"contents": "a", "range": {
            "start": {"line": -1, "character": 0}, "end": {"line": 0, "character": 0}}}},
    ]
    for message in planted:
        assert message_faults(message, {"1": "textDocument/hover"}), f"not seen: {message}"

    count, kinds, found = 0, set(), {}
    for path in sorted(pathlib.Path(sys.argv[1]).glob("*.jsonl")):
        methods = {}
        for line in path.open(encoding="utf-8"):
            record = json.loads(line)
            message = record["message"]
            if record["from"] == "client":
                if "method" in message and "id" in message:
                    methods[json.dumps(message["id"])] = message["method"]
                continue
            count += 1
            kinds.add(message.get("method") or methods.get(json.dumps(message.get("id"))))
            for fault in message_faults(message, methods):
                found.setdefault(fault, path.name)
    for fault, where in list(found.items())[:40]:
        print(f"{where}: {fault[:400]}")
    print(f"{count} messages of {len(kinds)} kinds, {len(found)} faults")
    sys.exit(1 if found or count < 1000 else 0)


main()
