"""Measures the PyPI engine `diplomacy` on the standard-map movement cases; prints resolves and phases a second.

Usage: engine.py REPOSITORY
"""

import copy
import glob
import json
import os
import sys
import time

from diplomacy import Game

ROUND = 3.0


def cases(root):
    files = [os.path.join(root, "tests/data/cases/standard.jsonl")] + sorted(glob.glob(os.path.join(root, "games/*.jsonl")))
    for name in files:
        with open(name, encoding="utf-8") as lines:
            for line in lines:
                case = json.loads(line)
                if case["type"] == "M":
                    yield case


def load(case):
    game = Game(map_name="standard")
    game.clear_units()
    game.clear_centers()
    game.set_current_phase(case["phase"])
    for power, units in case["units"].items():
        game.set_units(power, units)
    for power, centers in case["centers"].items():
        game.set_centers(power, centers)
    return game


def rate(games, work):
    done, spent = 0, 0.0
    while spent < ROUND:
        for game, orders in games:
            fresh = copy.deepcopy(game)
            start = time.process_time()
            work(fresh, orders)
            spent += time.process_time() - start
            done += 1
            if spent >= ROUND:
                break
    return done / spent


def give(game, orders):
    for power, lines in orders.items():
        game.set_orders(power, lines)


def phase(game, orders):
    give(game, orders)
    game.process()


def main():
    games = []
    for case in list(cases(sys.argv[1]))[::4]:
        orders = {p: o for p, o in case["orders"].items() if o}
        games.append((load(case), orders))
    prepared = []
    for game, orders in games:
        ready = copy.deepcopy(game)
        give(ready, orders)
        prepared.append((ready, orders))
    resolve = rate(prepared, lambda game, _: game.process())
    print(f"{resolve:.1f} {rate(games, phase):.1f}")


if __name__ == "__main__":
    main()
