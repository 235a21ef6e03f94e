#!/usr/bin/env python3
"""Checks the reader: blobmark_value_check.py [FILE...]

The files are those of value/vectors. Without one, it answers requests on standard input, one JSON object a line:

    {"dictionary": "37a430ec…"}                    adds a dictionary, without an answer
    {"stored": "bec1…", "legacy": "gzip", …}       decodes with these options; the answer is the value or the reason
"""

import hashlib
import json
import sys

from blobmark_value import FrameError, decode, dictionary_number

OPTIONS = {
    "legacy": "legacy",
    "readsSql": "reads_sql",
    "maxLength": "max_length",
    "collisionsAreLegacy": "collisions_are_legacy",
}


def answer(request, dictionaries):
    options = {name: request[key] for key, name in OPTIONS.items() if key in request}
    try:
        return {"value": decode(bytes.fromhex(request["stored"]), dictionaries, **options).hex()}
    except FrameError as e:
        return {"reason": e.reason}


def check(file):
    vectors = json.load(open(file))
    if vectors["version"] != 1:
        sys.exit(f"{file}: version {vectors['version']}; this reads version 1")
    dictionaries = {int(one["number"], 16): bytes.fromhex(one["bytes"]) for one in vectors["dictionaries"]}
    for vector in vectors["vectors"]:
        found = answer(vector, dictionaries)
        if "sha256" in vector and "value" in found:
            value = bytes.fromhex(found["value"])
            found = {"length": len(value), "sha256": hashlib.sha256(value).hexdigest()}
        expected = {key: vector[key] for key in ("value", "length", "sha256", "reason") if key in vector}
        if found != expected:
            sys.exit(f"{file}: {vector['name']}: {found}, not {expected}"[:1000])
    return len(vectors["vectors"])


def serve():
    dictionaries = {}
    for line in sys.stdin:
        request = json.loads(line)
        if "dictionary" in request:
            dictionary = bytes.fromhex(request["dictionary"])
            dictionaries[dictionary_number(dictionary)] = dictionary
        else:
            print(json.dumps(answer(request, dictionaries)), flush="flush" in request)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(f"{sum(check(file) for file in sys.argv[1:])} vectors passed")
    else:
        serve()
