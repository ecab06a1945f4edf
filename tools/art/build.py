#!/usr/bin/env python3
"""Makes the geographic art of a map: NAME.svg and NAME.anchors.json from a table NAME.json and Natural Earth.

Usage: build.py TABLE DATA OUT    (see README.md; run.sh does everything)

The steps are those of map-drawing.md 3: assign admin-1 units to provinces, project, magnify the crowded parts, clean,
cut the sea, simplify as a coverage, smooth each shared arc once, check the contacts, place the anchors, write.
Nothing here runs at a judge; the product ships the two files.
"""

import json
import math
import sys
from pathlib import Path

import numpy as np
import shapely
from shapely import LineString, MultiPolygon, Point, Polygon, box
from shapely.ops import linemerge, polygonize, unary_union

SMALLEST_ISLET = 16.0
SMALLEST_LAKE = 14.0
LAND_TOLERANCE = 1.0
COVERAGE_TOLERANCE = 3.4


class Projection:
    """Lambert conformal conic on a sphere, then magnifiers: each moves a point away from its middle by a share that
    falls off as a Gaussian. A share below 2.2 keeps the map one to one, so no border can cross another."""

    def __init__(self, table):
        p = table["projection"]
        self.lon0 = p["lon0"]
        a, b, c = (math.radians(p[k]) for k in ("parallel1", "parallel2", "lat0"))
        t = lambda lat: math.tan(math.pi / 4 + lat / 2)
        self.n = math.log(math.cos(a) / math.cos(b)) / math.log(t(b) / t(a))
        self.f = math.cos(a) * t(a) ** self.n / self.n
        self.rho0 = self.f / t(c) ** self.n
        frame = p["frame_lonlat"]
        self.left, self.scale, self.top = 0.0, 1.0, 0.0
        self.lenses = []
        left, right = self.raw(*frame["left"])[0], self.raw(*frame["right"])[0]
        top, bottom = self.raw(*frame["top"])[1], self.raw(*frame["bottom"])[1]
        self.width = p["viewbox"][2]
        self.left, self.top = left, top
        self.scale = self.width / (right - left)
        self.height = round((bottom - top) * self.scale)
        self.lenses = [(*self.raw(lon, lat), sigma, share) for lon, lat, sigma, share in table["magnify"]]

    def raw(self, lon, lat):
        rho = self.f / math.tan(math.pi / 4 + math.radians(lat) / 2) ** self.n
        theta = self.n * math.radians(lon - self.lon0)
        return ((rho * math.sin(theta) - self.left) * self.scale, (rho * math.cos(theta) - self.rho0 - self.top) * self.scale)

    def __call__(self, lon, lat):
        x, y = self.raw(lon, lat)
        for cx, cy, sigma, share in self.lenses:
            grow = share * math.exp(-((x - cx) ** 2 + (y - cy) ** 2) / (2 * sigma * sigma))
            x, y = x + (x - cx) * grow, y + (y - cy) * grow
        return x, y

    def ring(self, ring):
        return [self(*p[:2]) for p in ring]


def assign(table, data):
    """Province of every admin-1 unit, as lists of lon/lat polygons clipped to the part of the world that is wanted."""
    window = box(-30, 20, 80, 82)
    found = {}
    for rule in table["rules"]:
        path = data / f"{rule['country'].lower()}.json"
        by_name = {name: to for to, names in rule.get("by_name", {}).items() for name in names}
        by_region = {name: to for to, names in rule.get("by_region", {}).items() for name in names}
        for feature in json.loads(path.read_text())["features"]:
            kind = feature["properties"]
            to = by_name.get(kind.get("name"), by_region.get(kind.get("region"), rule.get("default", "")))
            if not to or feature["geometry"] is None:
                continue
            shape = shapely.make_valid(shapely.geometry.shape(feature["geometry"])).intersection(window)
            for polygon in parts(shape):
                found.setdefault(to, []).append(polygon)
    return found


def parts(shape):
    return [g for g in getattr(shape, "geoms", [shape]) if g.geom_type == "Polygon" and g.area > 0]


def projected(polygons, projection):
    shapes = []
    for polygon in polygons:
        flat = Polygon(projection.ring(polygon.exterior.coords), [projection.ring(r.coords) for r in polygon.interiors])
        shapes.append(shapely.set_precision(shapely.make_valid(flat), 0.02))
    whole = unary_union(shapes).buffer(0.12, join_style="mitre").buffer(-0.12, join_style="mitre")
    kept = []
    for p in parts(whole):
        if p.area >= SMALLEST_ISLET:
            kept.append(Polygon(p.exterior, [r for r in p.interiors if Polygon(r).area >= SMALLEST_LAKE]))
    return MultiPolygon(kept)


def curve(points, steps=12):
    """Catmull-Rom through the points, so that the sea's borders are calm."""
    points = [np.array(p, float) for p in points]
    if len(points) < 3:
        steps = 2
    padded = [2 * points[0] - points[1], *points, 2 * points[-1] - points[-2]]
    out = []
    for a, b, c, d in zip(padded, padded[1:], padded[2:], padded[3:]):
        for i in range(steps):
            t = i / steps
            out.append(0.5 * (2 * b + (c - a) * t + (2 * a - 5 * b + 4 * c - d) * t * t + (3 * b - a - 3 * c + d) * t**3))
    out.append(points[-1])
    return out


def seas(table, projection, land, frame):
    """Cuts the water into the sea provinces; seedless bays go to the sea they touch longest."""
    water = frame.difference(land)
    cuts = []
    for line in table["sea_lines"]:
        dense = LineString(line["lonlat"]).segmentize(0.5)
        flat = [projection(*p) for p in line["lonlat"]] if len(line["lonlat"]) < 6 else None
        coords = curve(flat) if flat else [projection(*p) for p in dense.coords]
        cuts.append(LineString(coords))
    lines = unary_union([*(p.boundary for p in parts(water)), *cuts])
    inside = shapely.prepared.prep(water.buffer(0.01))
    cells = [c for c in polygonize(lines) if inside.contains(c.representative_point())]
    seeds = {name: Point(projection(*at)) for name, at in {**table["sea_seeds"], **table["blank_water"]}.items()}
    named, loose = {}, []
    for cell in cells:
        names = [name for name, at in seeds.items() if cell.contains(at)]
        if len(names) > 1:
            raise SystemExit(f"one sea holds the seeds of {names}")
        if names:
            named[names[0]] = cell
        else:
            loose.append(cell)
    lost = set(seeds) - set(named)
    if lost:
        raise SystemExit(f"no sea for {sorted(lost)}")
    while loose:
        best = max(((named[n].intersection(c).length, n, i) for i, c in enumerate(loose) for n in named))
        if best[0] == 0:
            break
        named[best[1]] = unary_union([named[best[1]], loose.pop(best[2])])
    return named


def faces(shapes):
    """A true coverage: all borders noded together on one grid, each face given to the first shape that holds it, specks
    to the neighbour they touch longest."""
    lines = shapely.union_all([shapely.set_precision(s.boundary, 0.05) for s in shapes.values()], grid_size=0.05)
    names = list(shapes)
    tree = shapely.STRtree([shapes[n] for n in names])
    cells = {n: [] for n in names}
    specks = []
    for cell in polygonize(lines):
        at = cell.representative_point()
        home = [names[i] for i in sorted(tree.query(at, predicate="within"))]
        if cell.area < 1.0 and (cell.length * cell.length > 60 * cell.area or not home):
            specks.append(cell)
        elif home:
            cells[home[0]].append(cell)
    for speck in specks:
        touch = [(shapes[names[i]].intersection(speck.boundary).length, names[i]) for i in tree.query(speck.buffer(0.1))]
        if touch and max(touch)[0] > 0:
            cells[max(touch)[1]].append(speck)
    whole = {n: shapely.union_all(c, grid_size=0.05) for n, c in cells.items()}
    return {n: MultiPolygon(parts(shape)) for n, shape in whole.items() if not shape.is_empty}


def coverage(shapes, tolerance, frame):
    names = list(shapes)
    simple = shapely.coverage_simplify([shapes[n] for n in names], tolerance)
    out = {}
    for name, shape in zip(names, simple):
        shape = shapely.set_precision(shape.intersection(frame), 0.1) if frame is not None else shape
        out[name] = MultiPolygon([p for p in parts(shapely.make_valid(shape)) if p.area >= 6])
    return out


def arcs_of(shapes, frame):
    """Every border once: merged lines between the nodes, with the provinces on either side."""
    lines = unary_union([s.boundary for s in shapes.values()])
    edge = frame.boundary.buffer(0.3)
    merged = linemerge(lines)
    tree_names = list(shapes)
    tree = shapely.STRtree([shapes[n].boundary for n in tree_names])
    out = []
    for arc in getattr(merged, "geoms", [merged]):
        if edge.covers(arc):
            continue
        middle = arc.interpolate(0.5, normalized=True)
        # the middle of a segment, so that a node never decides
        coords = list(arc.coords)
        i = max(range(len(coords) - 1), key=lambda k: math.dist(coords[k], coords[k + 1]))
        middle = Point((coords[i][0] + coords[i + 1][0]) / 2, (coords[i][1] + coords[i + 1][1]) / 2)
        near = sorted(tree_names[j] for j in tree.query(middle.buffer(0.5)) if shapes[tree_names[j]].distance(middle) < 0.06)
        out.append((arc, near))
    return out


def anchors_of(table, projection, shapes, water, unplayable):
    """map-drawing.md 3.4, then the hand's word."""
    land_lines = unary_union([s.boundary for n, s in shapes.items() if n not in water])
    places = {}
    frame = box(14, 14, projection.width - 14, projection.height - 14)
    for name, shape in shapes.items():
        if name.startswith("-") or name in table["blank_water"]:
            continue
        main = max(parts(shape), key=lambda p: p.area)
        hand = table["hand"].get(name, {})
        step = max(2.5, math.sqrt(main.area) / 60)
        x0, y0, x1, y1 = main.bounds
        grid = np.array([(x, y) for x in np.arange(x0, x1, step) for y in np.arange(y0, y1, step)])
        grid = grid[shapely.contains_xy(main.intersection(frame), grid[:, 0], grid[:, 1])]
        points = shapely.points(grid)
        clear = shapely.distance(points, main.boundary)
        middle = np.array(main.centroid.coords[0])
        off = np.hypot(*(grid - middle).T) / math.sqrt(main.area)
        place = {}
        centre = None
        if name in table["centres"]:
            centre = np.array(hand.get("centre") or projection(*table["centres"][name]))
            if "centre" not in hand:
                fit = grid[clear >= min(11.0, clear.max() * 0.8)]
                centre = fit[np.argmin(np.hypot(*(fit - centre).T))]
            place["centre"] = centre
        far = np.hypot(*(grid - centre).T) if centre is not None else np.full(len(grid), 99.0)
        if "unit" in hand:
            unit = np.array(hand["unit"], float)
        else:
            score = np.minimum(np.minimum(clear, 40), 0.62 * far) - 6 * off
            if centre is not None:
                score -= 0.02 * far
            unit = grid[np.argmax(score)]
        place["unit"] = unit
        w, h = (40, 16)
        boxes = shapely.box(grid[:, 0] - w / 2, grid[:, 1] - h / 2, grid[:, 0] + w / 2, grid[:, 1] + h / 2)
        border = main.boundary if name in water else land_lines
        room = np.minimum(shapely.distance(boxes, border), 10)
        inside = shapely.covers(main, boxes)
        to_unit = np.maximum(np.abs(grid[:, 0] - unit[0]) - 38, np.abs(grid[:, 1] - unit[1]) - 17)
        score = room + np.clip(to_unit, -20, 6) * 2.5 - 6 * off - np.where(inside, 0, 25)
        score -= 0.03 * np.hypot(*(grid - unit).T)
        if centre is not None:
            to_centre = np.maximum(np.abs(grid[:, 0] - centre[0]) - 25, np.abs(grid[:, 1] - centre[1]) - 14)
            score += np.clip(to_centre, -20, 6) * 2.0
        label = np.array(hand["label"], float) if "label" in hand else grid[np.argmax(score)]
        place["label"] = label
        if "dislodged" in hand:
            place["dislodged"] = np.array(hand["dislodged"], float)
        else:
            around = [unit + 19 * np.array([math.cos(a), math.sin(a)]) for a in np.arange(8) * math.pi / 4 + 0.7]
            def worth(p):
                v = min(main.boundary.distance(Point(p)), 14) if main.contains(Point(p)) else -20
                v += min(math.dist(p, label), 24) * 0.5
                if centre is not None:
                    v += min(math.dist(p, centre), 18) * 0.8
                return v
            place["dislodged"] = max(around, key=worth)
        places[name] = place
    for name, at in table["coasts"].items():
        hand = table["hand"].get(name, {})
        unit = np.array(hand.get("unit") or projection(*at), float)
        places[name] = {"unit": unit, "dislodged": np.array(hand.get("dislodged") or unit + (11, 13), float)}
        if "label" in hand:
            places[name]["label"] = np.array(hand["label"], float)
    return {n: {k: [round(float(c), 1) for c in v] for k, v in sorted(p.items())} for n, p in sorted(places.items())}


def num(v):
    text = f"{v:.1f}"
    text = text[:-2] if text.endswith(".0") else text
    return "0" if text == "-0" else text


class Pen:
    """Relative path commands, one decimal; tracks what was printed, so that rounding never drifts."""

    def __init__(self):
        self.out, self.x, self.y = [], 0.0, 0.0

    def rel(self, x, y):
        dx, dy = round(x - self.x, 1), round(y - self.y, 1)
        return dx, dy

    def move(self, p):
        self.x, self.y = round(p[0], 1), round(p[1], 1)
        self.out.append(f"M{num(self.x)} {num(self.y)}")

    def _pair(self, dx, dy):
        a, b = num(dx), num(dy)
        return a + (b if b.startswith("-") else " " + b)

    def line(self, p):
        dx, dy = self.rel(*p)
        if dx or dy:
            self.out.append("l" + self._pair(dx, dy))
            self.x, self.y = round(self.x + dx, 1), round(self.y + dy, 1)

    def bend(self, c, p):
        cx, cy = self.rel(*c)
        dx, dy = self.rel(*p)
        b = self._pair(dx, dy)
        self.out.append("q" + self._pair(cx, cy) + ("" if b.startswith("-") else " ") + b)
        self.x, self.y = round(self.x + dx, 1), round(self.y + dy, 1)

    def text(self):
        return "".join(self.out)


def draw_arc(pen, coords):
    """An arc as quadratic curves through the middles of its segments; the ends stay. The curve depends only on the arc,
    so both neighbours and the border line share it; reversed it is the same curve."""
    if len(coords) == 2:
        pen.line(coords[1])
        return
    mid = lambda a, b: ((a[0] + b[0]) / 2, (a[1] + b[1]) / 2)
    closed = coords[0] == coords[-1]
    pen.line(mid(coords[0], coords[1]))
    for a, b in zip(coords[1:-1], coords[2:]):
        pen.bend(a, mid(a, b))
    if closed:
        pen.bend(coords[-1], mid(coords[0], coords[1]))
    else:
        pen.line(coords[-1])


def province_path(shape, arcs):
    """The outline of a province, arc by arc, in the direction of its rings."""
    index = {}
    for arc, _ in arcs:
        coords = list(arc.coords)
        for seq in (coords, coords[::-1]):
            index[(seq[0], seq[1])] = seq
    pen = Pen()
    for polygon in sorted(parts(shape), key=lambda p: -p.area):
        for ring in (polygon.exterior, *polygon.interiors):
            coords = list(ring.coords)[:-1]
            n = len(coords)
            start = next((i for i in range(n) if (coords[i], coords[(i + 1) % n]) in index), 0)
            coords = coords[start:] + coords[:start]
            coords.append(coords[0])
            i, first = 0, True
            while i < n:
                seq = index.get((coords[i], coords[i + 1]))
                if seq is not None and i + len(seq) - 1 <= n and coords[i : i + len(seq)] == seq:
                    if first:
                        closed = seq[0] == seq[-1] and len(seq) > 3
                        a, b = seq[0], seq[1]
                        pen.move(((a[0] + b[0]) / 2, (a[1] + b[1]) / 2) if closed else a)
                    draw_arc(pen, seq)
                    i += len(seq) - 1
                else:
                    if first:
                        pen.move(coords[0])
                    pen.line(coords[i + 1])
                    i += 1
                first = False
            pen.out.append("z")
    return pen.text()


def arcs_path(arcs):
    pen = Pen()
    for arc in sorted(arcs, key=lambda a: a.coords[0]):
        coords = list(arc.coords)
        closed = coords[0] == coords[-1] and len(coords) > 3
        a, b = coords[0], coords[1]
        pen.move(((a[0] + b[0]) / 2, (a[1] + b[1]) / 2) if closed else a)
        draw_arc(pen, coords)
    return pen.text()


def check(table, shapes):
    """Contacts of the polygons against those of the game (map-drawing.md 3.3)."""
    names = sorted(n for n in shapes if not n.startswith("-") and n not in table["blank_water"])
    touching = set()
    for i, a in enumerate(names):
        for b in names[i + 1 :]:
            if shapes[a].distance(shapes[b]) < 0.05 and shapes[a].buffer(0.3).intersection(shapes[b].buffer(0.3)).area > 2.0:
                touching.add(f"{a}-{b}")
    wanted = set(table["contacts"])
    links = {"-".join(sorted(l[:2])) for l in table["links"]}
    walls = {"-".join(sorted(w)) for w in table["walls"]}
    print("wanted, not touching:", sorted(wanted - touching), "touching, not wanted:", sorted(touching - wanted))
    if wanted - touching != links or touching - wanted != walls:
        raise SystemExit("the art does not agree with the map")


def main():
    table_file, data, out = Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3])
    table = json.loads(table_file.read_text())
    projection = Projection(table)
    frame = box(0, 0, projection.width, projection.height)
    shapes = {name: projected(polygons, projection) for name, polygons in assign(table, data).items()}
    shapes = faces(shapes)
    wide = box(-80, -80, projection.width + 80, projection.height + 80)
    water = seas(table, projection, unary_union(list(shapes.values())), wide)
    shapes = faces({**shapes, **water})
    shapes = coverage(shapes, LAND_TOLERANCE, None)
    shapes = {n: s for n, s in shapes.items() if not s.is_empty}
    shapes = faces(coverage(shapes, COVERAGE_TOLERANCE, frame))
    shapes = {n: s for n, s in shapes.items() if not s.is_empty}
    check(table, shapes)
    write(table, projection, shapes, out)


def write(table, projection, shapes, out):
    water = set(table["sea_seeds"])
    blank = set(table["blank_water"])
    name = table["map"]
    frame = box(0, 0, projection.width, projection.height)
    # node every ring at every junction before the arcs are read
    arcs = arcs_of(shapes, frame)
    is_water = lambda n: n in water or n in blank
    groups = {"sea": [], "land": [], "coast": [], "wall": []}
    walls = {"-".join(sorted(w)) for w in table["walls"]}
    for arc, near in arcs:
        wet = [is_water(n) for n in near]
        kind = "coast" if True in wet and False in wet else "sea" if all(wet) else "land"
        if len(near) == 1:
            continue
        if "-".join(near) in walls:
            kind = "wall"
        groups[kind].append(arc)
    paths = {n: province_path(s, arcs) for n, s in shapes.items()}
    kind_of = lambda n: "water" if n in water else "shut" if n in table["shut"] else "land"
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {projection.width} {projection.height}" '
        f'fill="#F4EBCF" stroke="none">',
        "<!-- Made by tools/art from Natural Earth (public domain). -->",
        '<g class="seas" fill="#D9EBF4">',
        *(f'<path id="p-{n.lower()}" class="water" d="{paths[n]}"/>' for n in sorted(water)),
        "</g>",
        '<g class="lands">',
        *(f'<path id="p-{n.lower()}" class="{kind_of(n)}" d="{paths[n]}"/>' for n in sorted(shapes) if n[0] != "-" and not is_water(n)),
        "</g>",
        '<g class="decor" fill="#D9D4C4">',
        *(f'<path class="blank" d="{paths[n]}"/>' for n in sorted(shapes) if n.startswith("-")),
        *(f'<path class="lake" fill="#D9EBF4" d="{paths[n]}"/>' for n in sorted(blank)),
        "</g>",
        '<g class="borders" fill="none" stroke-linejoin="round" stroke-linecap="round">',
        f'<path class="sea-border" stroke="#8FB3C6" stroke-width="1.4" d="{arcs_path(groups["sea"])}"/>',
        f'<path class="land-border" stroke="#7A6F5C" stroke-width="1.3" d="{arcs_path(groups["land"])}"/>',
        f'<path class="coast-line" stroke="#4A5A66" stroke-width="1.5" d="{arcs_path(groups["coast"])}"/>',
        f'<path class="wall" stroke="#8A3B2E" stroke-width="3" d="{arcs_path(groups["wall"])}"/>',
        "</g>",
        '<g class="links" fill="none" stroke="#5B5346" stroke-width="6">',
    ]
    for a, b, start, end in table["links"]:
        p, q = projection(*start), projection(*end)
        lines.append(f'<path class="bridge" d="M{num(p[0])} {num(p[1])}L{num(q[0])} {num(q[1])}"/>')
    lines += ["</g>", "</svg>", ""]
    places = anchors_of(table, projection, shapes, water, None)
    out.mkdir(parents=True, exist_ok=True)
    (out / f"{name}.svg").write_text("\n".join(lines))
    rows = ",\n".join(f' "{n}": {json.dumps(p)}' for n, p in places.items())
    (out / f"{name}.anchors.json").write_text(
        f'{{"viewbox": [0, 0, {projection.width}, {projection.height}], "places": {{\n{rows}\n}},\n'
        f'"contacts": {json.dumps(table["contacts"])}}}\n'
    )
    print(out / f"{name}.svg", (out / f"{name}.svg").stat().st_size, "bytes;", {k: len(v) for k, v in groups.items()})


if __name__ == "__main__":
    main()
