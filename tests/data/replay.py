"""Loads a saved game with the PyPI package `diplomacy`, replays every phase there and compares.

Usage: replay.py FILE. Prints the first difference and exits 1, or the number of phases replayed.

Known habits of the engine are allowed: after a convoyed dislodgement it also offers places that are taken (so a unit that
has nowhere to go lives on to be disbanded a phase later).
"""

import json
import sys

from diplomacy import Game
from diplomacy.utils.export import from_saved_game_format


def units(state):
    return {power: sorted(u for u in units if not u.startswith("*")) for power, units in state["units"].items()}


def load(saved, phase):
    game = Game(map_name=saved["map"])
    game.clear_units()
    game.clear_centers()
    game.set_current_phase(phase["name"])
    state = phase["state"]
    for power, listed in state["units"].items():
        game.set_units(power, listed)
        game.powers[power].retreats = {u: list(r) for u, r in state["retreats"][power].items()}
    for power, centers in state["centers"].items():
        game.set_centers(power, centers)
    return game


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        saved = json.load(file)
    game = from_saved_game_format(json.loads(json.dumps(saved)))
    assert game.game_id == saved["id"]
    assert len(game.state_history) + 1 == len(saved["phases"]), "phases lost on loading"
    replayed = 0
    for phase, following in zip(saved["phases"], saved["phases"][1:]):
        game = load(saved, phase)
        for power, orders in phase["orders"].items():
            if orders:
                game.set_orders(power, orders)
                accepted = game.powers[power].orders
                if phase["name"].endswith("M") and len(accepted) != len(orders):
                    sys.exit(f"{phase['name']} {power}: orders refused: {orders} -> {accepted}")
        game.process()
        mine, theirs = units(following["state"]), units(game.get_state())
        if mine != {power: theirs.get(power, []) for power in mine}:
            print(f"{phase['name']}: {mine} but the engine has {theirs}")
            sys.exit(1)
        replayed += 1
    print(replayed)


if __name__ == "__main__":
    main()
