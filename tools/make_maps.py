#!/usr/bin/env python3
"""Writes our map files from a folder of reference map files of the same language.

What a board is (its names, neighbours, homes, units) is taken over statement by statement; comments, layout,
spelling of keywords and addresses of people are not. Every file says in its head what it is; the facts of each map
are checked by tests/map.rs against tests/data/maps/facts.json.

    tools/make_maps.py REFERENCE/maps maps
    tools/make_maps.py REFERENCE/trials trial
"""

import json
import pathlib
import re
import sys

FACTS = json.loads((pathlib.Path(__file__).parent.parent / "tests/data/maps/facts.json").read_text())

ABOUT = {
    "1897": "The standard board with one home fewer for Russia at the start; homes are settled anew in 1899.",
    "1898": "The standard board with an empty start: the first units are mobilized before the first spring.",
    "1900": "Europe in 1900: the standard idea with the balance of the powers reworked, and a passage round Africa.",
    "aberration": "A Europe whose history took other turns: nine powers that never were, or never again.",
    "ambition": "Europe after the Seven Years War: ten powers, four leagues of dummies, and income phases.",
    "ancmed": "Five powers round the Mediterranean of antiquity.",
    "brazilian": "The standard board with an Italian fleet in Rome, a center in North Africa and a wider Baltic.",
    "britain": "The standard board with a Britain of six homes.",
    "canton": "Seven powers in Asia at the beginning of the twentieth century.",
    "chaos": "The standard board with a player for every center.",
    "chromatic": "An abstract board: five powers, each with a colour.",
    "classical": "The western world after Alexander, in years before Christ.",
    "crowded": "The standard board with eleven players: four more in Balkan, Lowlands, Norway and Spain.",
    "empire": "North America broken up: ten powers of a continent without a union.",
    "empire-up": "The broken-up America with two units set up otherwise.",
    "fiveman": "The standard board for five: Russia, Turkey and the lands about them are left out.",
    "fleetrome": "The standard board with a fleet in Rome.",
    "hundred": "England, France and Burgundy in the Hundred Years War.",
    "imperial": "The whole world in 1861: the largest board of all.",
    "loeb9": "The standard board enlarged to nine powers, with an arctic sea that opens in spring.",
    "milan": "The standard board with northern Italy drawn anew.",
    "minorpower": "The standard board with the neutral centers as powers of one unit each.",
    "modern": "Europe in 1995: ten powers.",
    "modern-up": "Europe in 1995 with two more provinces and an army in Liverpool.",
    "pure": "Seven centers, each next to all others: nothing but talk.",
    "renaissance": "Europe in 1454 on the standard board under older names.",
    "sailho": "An invented board for four: a triangle of rival realms.",
    "sengoku": "Japan in the age of the warring states.",
    "shiftaround": "The standard board with every power in another's homeland.",
    "shiftleft": "The standard board with every power in the homeland of its neighbour on one side.",
    "shiftright": "The standard board with every power in the homeland of its neighbour on the other side.",
    "slovenia": "Europe in 1995, corrected, with Slovenia.",
    "standard": "The board the game is known by: Europe in 1901, seven powers, 34 centers.",
    "v8": "The standard board with an eighth power.",
    "vassal": "The standard board with the small states as vassals that the powers may win over.",
    "void": "The standard board where every space that is no center is a power, and no center is owned.",
    "youngstown": "The standard board stretched to Asia: ten powers.",
    "zeus": "The world at war, from the last winter before it.",
    "azov": "Europe in 1995 with Slovenia and the Sea of Azov.",
    "midi": "Europe in 1995 with Azov and a road through the south of France.",
    "standard_dutch": "The standard board in Dutch.",
    "standard_french": "The standard board in French.",
    "standard_german": "The standard board in German.",
    "standard_glhetg": "The standard board in Glheþ, a tongue of the micronations.",
}

TERRAIN = ("WATER", "LAND", "COAST", "PORT", "SHUT", "AMEND")
HEADS = {
    "name": "Places: name = abbreviation and other spellings",
    "rename": "Places renamed",
    "terrain": "Who is next to whom",
    "amend": "Changes to the neighbours",
    "unit": "Units at the start",
    "time": "When it begins and how the year runs",
}


def decode(raw):
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def kind(line):
    words = line.split()
    first = words[0].upper()
    if first in ("BEGIN", "FLOW", "NEWHOMES"):
        return "time"
    if "=" in line and first not in ("FROM", "IN", "RULE"):
        return "rename" if "->" in line else "name"
    if first in TERRAIN:
        return "amend" if first == "AMEND" else "terrain"
    if first in ("A", "F"):
        return "unit"
    if first in ("UNOWNED", "NEUTRAL"):
        return "unowned"
    known = "USE USES MAP FLAGS FLAG RULE RULES VICTORY DROP DUMMY DUMMIES DIRECTIVES IN FROM HOMES LEAGUE OWNS UNPLAYED TEXTONLY"
    if first in known.split() or words[-1].upper() == "DIRECTIVES":
        return "directive"
    return "power"


def wrap(prefix, words, width=100):
    lines, line = [], prefix
    for word in words:
        if len(line) + 1 + len(word) > width:
            lines.append(line)
            line = prefix
        line += " " + word
    return lines + [line]


def tidy(line, sort):
    """One statement in our layout."""
    words = line.split()
    first = words[0].upper()
    k = kind(line)
    if k in ("name", "rename"):
        left, right = line.split("=", 1)
        right = right.split("=")[0].split()
        left = " ".join(left.split())
        if "->" in left:
            old, new = (p.strip() for p in left.split("->"))
            left = f"{old.upper():7}-> {new}"
            return [f"{left:34} = {' '.join(right)}"]
        return [f"{left:30} = {' '.join(right)}"]
    if k in ("terrain", "amend"):
        loc, rest = words[1], words[2:]
        out = f"{first:5} {loc:6}"
        if rest:
            marks = [w for w in rest[1:] if w.startswith("-")]
            others = [w for w in rest[1:] if not w.startswith("-")]
            # Removals first as they were; the order of the others means nothing unless two entries are one province's.
            if sort:
                others.sort(key=str.upper)
            out += " ABUTS " + " ".join(marks + others)
        return [out.rstrip()]
    if k == "unit":
        return [f"{first} {words[1].upper()}"]
    if k == "unowned":
        codes = [w.upper() for w in words[1:]]
        return wrap("UNOWNED", codes if any(c.startswith("-") for c in codes) else sorted(codes))
    if k == "power":
        joined = " ".join(words)
        m = re.match(r"^(?:(\S+) -> )?(\S+?)(?: ?(\([^)]*\)))?((?: \S+)*)$", joined)
        old, name, own, homes = m.groups()
        # Seven columns do for most keys; a display name is stored in capitals anyway.
        head = (old.upper() + " -> " if old else "") + name.upper()
        out = f"{head:22}" if own or homes else head
        if own:
            inner = own[1:-1]
            own_word, _, letter = inner.partition(":")
            out += f" ({own_word}{':' + letter if letter else ''})"
        if homes:
            out = f"{out:44}" + homes
        return [out.rstrip()]
    if first in ("FLOW", "BEGIN", "VICTORY", "RULE", "DROP", "UNPLAYED"):
        return [" ".join([first] + [w.upper() for w in words[1:]])]
    return [" ".join([first if first != "IN" else "IN"] + words[1:])]


def rewrite(path):
    lines = []
    for line in decode(path.read_bytes()).splitlines():
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        if line.split()[0].upper() == "NOTIFY":
            continue
        lines.append(line)
    stem = path.name.split(".")[0]
    what = path.suffix[1:]
    out = []
    if what == "map":
        key = next(k for k in (f"maps/{stem}", f"trials/{stem}") if k in FACTS)
        facts = FACTS[key]
        out.append(f"# {path.name}: {ABOUT[stem]}")
        out.append(f"# {facts['n_powers']} powers, {facts['n_provinces']} provinces, {facts['n_centres']} centers, "
                   f"victory with {' '.join(map(str, facts['victory']))}; begins {facts['first_phase'].title()}.")
    else:
        words = {"geography": "places and borders", "politics": "powers and centers", "military": "units at the start",
                 "locations": "names of the places"}
        out.append(f"# {path.name}: {words[what]}, for the maps that use it.")
    last = None
    in_power = False
    for line in lines:
        k = kind(line)
        group = {"unit": "power", "unowned": "unowned"}.get(k, k)
        first = line.split()[0].upper()
        if group != last and k in HEADS and k != "unit":
            out += ["", f"# {HEADS[k]}"]
        elif k == "power" and (last != "power" or units_since):
            out.append("")
            if last != "power" and not in_power:
                out.append("# Powers")
                in_power = True
        elif group != last and k in ("directive", "unowned"):
            out.append("")
        units_since = k == "unit"
        out += tidy(line, sort=True)
        last = "power" if first in ("FLAG", "LEAGUE", "OWNS", "HOMES") or (first == "DUMMY" and len(line.split()) == 1) else group
    return "\n".join(out) + "\n"


def main():
    source, target = map(pathlib.Path, sys.argv[1:3])
    target.mkdir(parents=True, exist_ok=True)
    for path in sorted(source.iterdir()):
        if path.suffix in (".map", ".geography", ".politics", ".military", ".locations"):
            (target / path.name).write_text(rewrite(path), encoding="utf-8")


if __name__ == "__main__":
    main()
