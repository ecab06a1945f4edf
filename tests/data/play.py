"""Plays some phases with the PyPI package `diplomacy` and writes the game as it saves one.

Usage: play.py FILE. A spring with a bounce, an autumn with a convoy, builds, and a phase that is not played.
"""

import json
import sys

from diplomacy import Game
from diplomacy.utils.export import to_saved_game_format

YEAR = [
    {"FRANCE": ["A PAR - BUR", "A MAR - BUR", "F BRE - ENG"], "ENGLAND": ["F LON - NTH", "A LVP - YOR", "F EDI - NWG"],
     "ITALY": ["A VEN H", "A ROM - NAP"], "TURKEY": ["A CON - BUL"]},
    {"FRANCE": ["F ENG - BEL", "A MAR - SPA"], "ENGLAND": ["F NTH C A YOR - NWY", "A YOR - NWY VIA", "F NWG S A YOR - NWY"],
     "ITALY": ["A NAP H"], "TURKEY": ["A BUL S A CON - SER", "F ANK - BLA"]},
    {"FRANCE": ["F BRE B", "WAIVE"], "ENGLAND": ["A LVP B"], "TURKEY": ["A CON B"]},
]


def main():
    game = Game(game_id="Played-Elsewhere")
    for orders in YEAR:
        for power, lines in orders.items():
            game.set_orders(power, lines)
        game.process()
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        file.write(json.dumps(to_saved_game_format(game)) + "\n")


if __name__ == "__main__":
    main()
