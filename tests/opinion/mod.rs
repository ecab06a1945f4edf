//! A second opinion: a resolver written straight from the equations of adjudication.md 3, with no thought of speed
//! and nothing shared with the product but the types, and a generator of crowded random positions. Default profile
//! and OLD_JUDGE.

pub mod compare;
pub mod random;

use chancery::diplomacy::adjudicate::{Piece, Position};
use chancery::diplomacy::map::{Map, ProvinceId, Terrain, UnitKind};
use chancery::diplomacy::order::{Order, Route};
use std::collections::{BTreeSet, VecDeque};

/// What came of every unit: whether it moved, was dislodged, had its support given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opinion {
    pub moved: Vec<bool>,
    pub given: Vec<bool>,
    pub path: Vec<bool>,
    pub dislodged: Vec<bool>,
}

/// How often something beyond the fixed point was needed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cores {
    pub convoyed: u64,
    pub circular: u64,
    pub paradoxes: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Decision {
    Move(usize),
    Given(usize),
    Path(usize),
}

/// Strength below every other.
const FAIL: i32 = -9;
const NONE: i32 = -1;

pub struct Judge<'a> {
    map: &'a Map,
    pieces: &'a [Piece],
    orders: &'a [Order],
    old: bool,
    /// Destination of each move.
    dest: Vec<Option<ProvinceId>>,
    convoyed: Vec<bool>,
    no_route: Vec<bool>,
    matched: Vec<bool>,
    carriers: Vec<Vec<usize>>,
    own: Vec<i32>,
    held_out: Vec<bool>,
    truth: std::collections::BTreeMap<Decision, bool>,
    open: BTreeSet<Decision>,
}

impl<'a> Judge<'a> {
    fn prov(&self, unit: usize) -> ProvinceId {
        self.map.province_of(self.pieces[unit].unit.at)
    }
    fn at(&self, province: ProvinceId) -> Option<usize> {
        (0..self.pieces.len()).find(|u| self.prov(*u) == province)
    }
    fn power(&self, unit: usize) -> u8 {
        self.pieces[unit].power.0
    }

    fn touches(&self, a: ProvinceId, b: ProvinceId) -> bool {
        let places = std::iter::once(self.map[a].location).chain(self.map[a].coasts.iter().copied());
        places.into_iter().any(|l| {
            self.map.fleet[l.0 as usize].iter().any(|(t, border)| self.map.province_of(*t) == b && !border.closed)
        })
    }

    fn chain(&self, over: &[ProvinceId], from: ProvinceId, to: ProvinceId) -> bool {
        let mut queue: VecDeque<ProvinceId> = over.iter().copied().filter(|s| self.touches(from, *s)).collect();
        let mut seen: BTreeSet<ProvinceId> = queue.iter().copied().collect();
        while let Some(sea) = queue.pop_front() {
            if self.touches(sea, to) {
                return true;
            }
            for next in over {
                if !seen.contains(next) && self.touches(sea, *next) {
                    seen.insert(*next);
                    queue.push_back(*next);
                }
            }
        }
        false
    }

    /// Every chain without detours, as sets.
    fn minimal(&self, over: &[ProvinceId], from: ProvinceId, to: ProvinceId, via: ProvinceId) -> bool {
        fn grow(
            j: &Judge,
            over: &[ProvinceId],
            trail: &mut Vec<ProvinceId>,
            from: ProvinceId,
            to: ProvinceId,
            via: ProvinceId,
        ) -> bool {
            let last = *trail.last().unwrap();
            if j.touches(last, to) {
                return trail.contains(&via);
            }
            for next in over {
                let chord = trail[..trail.len() - 1].iter().any(|t| j.touches(*t, *next));
                if trail.contains(next) || !j.touches(last, *next) || chord || j.touches(from, *next) {
                    continue;
                }
                trail.push(*next);
                if grow(j, over, trail, from, to, via) {
                    return true;
                }
                trail.pop();
            }
            false
        }
        over.iter().filter(|s| self.touches(from, **s)).any(|s| grow(self, over, &mut vec![*s], from, to, via))
    }

    fn step_class(&self, unit: usize) -> Option<i32> {
        let Order::Move { to, .. } = &self.orders[unit] else { return None };
        let strength = |border: &chancery::diplomacy::map::Border| match (border.tilde, border.star) {
            (true, _) => 0,
            (_, true) => 1,
            _ => 2,
        };
        let at = self.pieces[unit].unit.at;
        match self.pieces[unit].unit.kind {
            UnitKind::Army => {
                let to = self.map.province_of(*to);
                let list = &self.map.army[self.map.province_of(at).0 as usize];
                list.iter().find(|(p, b)| *p == to && !b.closed).map(|(_, b)| strength(b))
            }
            UnitKind::Fleet => {
                let list = &self.map.fleet[at.0 as usize];
                list.iter().find(|(l, b)| l == to && !b.closed).map(|(_, b)| strength(b))
            }
        }
    }

    /// The static preparation of 3.1.
    pub fn new(map: &'a Map, position: &'a Position, orders: &'a [Order], old: bool) -> Judge<'a> {
        let n = orders.len();
        let mut judge = Judge {
            map,
            pieces: position.pieces(),
            orders,
            old,
            dest: vec![None; n],
            convoyed: vec![false; n],
            no_route: vec![false; n],
            matched: vec![false; n],
            carriers: vec![Vec::new(); n],
            own: vec![2; n],
            held_out: vec![false; n],
            truth: Default::default(),
            open: Default::default(),
        };
        let lane = |p: ProvinceId| matches!(map[p].terrain, Terrain::Water | Terrain::Port);
        for (dest, order) in judge.dest.iter_mut().zip(orders) {
            if let Order::Move { to, .. } = order {
                *dest = Some(map.province_of(*to));
            }
        }
        for u in 0..n {
            let (Some(dest), Order::Move { route, .. }) = (judge.dest[u], &orders[u]) else { continue };
            let path = if let Route::Path(path) = route { Some(path) } else { None };
            let from = judge.prov(u);
            let existing: Vec<ProvinceId> = (0..n)
                .filter(|f| judge.pieces[*f].unit.kind == UnitKind::Fleet)
                .map(|f| judge.prov(f))
                .filter(|p| lane(*p) && *p != dest && *p != from)
                .collect();
            for (f, order) in orders.iter().enumerate() {
                let fits = matches!(order, Order::Convoy { army, to } if *army == from && *to == dest);
                if !fits || judge.pieces[u].unit.kind != UnitKind::Army {
                    continue;
                }
                let here = judge.prov(f);
                let written = path.is_some_and(|p| p.contains(&here));
                let needless = !old && !judge.minimal(&existing, from, dest, here);
                if written || path.is_none() && !needless {
                    judge.carriers[u].push(f);
                }
            }
            let over: Vec<ProvinceId> = judge.carriers[u].iter().map(|f| judge.prov(*f)).collect();
            let land = judge.step_class(u);
            let route_exists = judge.chain(&over, from, dest);
            judge.convoyed[u] = path.is_some()
                || land.is_none()
                || *route == Route::Via
                || !old && route_exists && judge.carriers[u].iter().any(|f| judge.power(*f) == judge.power(u));
            if judge.convoyed[u] {
                judge.no_route[u] = match path {
                    Some(path) => !path.iter().all(|sea| over.contains(sea)),
                    None => old || !route_exists,
                };
                let last = path.and_then(|p| p.last().copied());
                let landings = over.iter().filter(|s| last.is_none_or(|l| l == **s));
                judge.own[u] = landings.filter_map(|s| judge.landing(*s, dest)).max().unwrap_or(2);
            } else {
                judge.own[u] = land.unwrap_or(2);
                judge.carriers[u].clear();
            }
        }
        for (s, order) in orders.iter().enumerate() {
            let Order::Support { unit, to } = order else { continue };
            let Some(helped) = judge.at(map.province_of(unit.at)) else { continue };
            judge.matched[s] = match to {
                None => judge.dest[helped].is_none(),
                Some(to) => {
                    let coast = map[*to].coast.is_some();
                    let Order::Move { to: target, .. } = &orders[helped] else { continue };
                    judge.dest[helped] == Some(map.province_of(*to))
                        && (!coast || target == to)
                        && !(old && judge.no_route[helped])
                }
            };
        }
        judge
    }

    fn landing(&self, from: ProvinceId, to: ProvinceId) -> Option<i32> {
        let places = std::iter::once(self.map[from].location).chain(self.map[from].coasts.iter().copied());
        places
            .into_iter()
            .flat_map(|l| self.map.fleet[l.0 as usize].iter())
            .filter(|(t, b)| self.map.province_of(*t) == to && !b.closed)
            .map(|(_, b)| {
                if b.tilde {
                    0
                } else if b.star {
                    1
                } else {
                    2
                }
            })
            .max()
    }

    fn helped(&self, s: usize) -> usize {
        let Order::Support { unit, .. } = &self.orders[s] else { return usize::MAX };
        self.at(self.map.province_of(unit.at)).unwrap_or(usize::MAX)
    }
    fn head_on(&self, u: usize, v: usize) -> bool {
        self.dest[u] == Some(self.prov(v))
            && self.dest[v] == Some(self.prov(u))
            && !self.convoyed[u]
            && !self.convoyed[v]
    }
    fn movers(&self, p: ProvinceId) -> impl Iterator<Item = usize> + '_ {
        (0..self.orders.len()).filter(move |u| self.dest[*u] == Some(p))
    }

    fn known(&self, d: Decision) -> (bool, bool) {
        // (may be false, may be true)
        match self.truth.get(&d) {
            Some(true) => (false, true),
            Some(false) => (true, false),
            None => (true, true),
        }
    }

    fn supports(&self, u: usize, not: Option<u8>) -> (i32, i32) {
        let (mut low, mut high) = (0, 0);
        for s in 0..self.orders.len() {
            if self.matched[s] && self.helped(s) == u && not != Some(self.power(s)) {
                let (f, t) = self.known(Decision::Given(s));
                low += if f { 0 } else { 2 };
                high += if t { 2 } else { 0 };
            }
        }
        (low, high)
    }

    fn strength(&self, u: usize, not: Option<u8>) -> (i32, i32) {
        let (low, high) = self.supports(u, not);
        (self.own[u] + low, self.own[u] + high)
    }

    fn path(&self, u: usize) -> (bool, bool) {
        if !self.convoyed[u] { (false, true) } else { self.known(Decision::Path(u)) }
    }

    fn hold(&self, v: usize) -> (i32, i32) {
        if self.dest[v].is_none() {
            let (low, high) = self.supports(v, None);
            return (2 + low, 2 + high);
        }
        let (stays, leaves) = self.known(Decision::Move(v));
        (if leaves { NONE } else { 2 }, if stays { 2 } else { NONE })
    }

    fn attack(&self, u: usize) -> (i32, i32) {
        let all = self.strength(u, None);
        let dest = self.dest[u].unwrap();
        let mut span = match self.at(dest).filter(|v| *v != u) {
            None => all,
            Some(v) => {
                let stay =
                    if self.power(v) == self.power(u) { (FAIL, FAIL) } else { self.strength(u, Some(self.power(v))) };
                if self.head_on(u, v) || self.dest[v].is_none() {
                    stay
                } else {
                    match self.known(Decision::Move(v)) {
                        (false, _) => all,
                        (_, false) => stay,
                        _ => (stay.0.min(all.0), stay.1.max(all.1)),
                    }
                }
            }
        };
        match self.path(u) {
            (_, false) => (FAIL, FAIL),
            (true, _) => {
                span.0 = FAIL;
                span
            }
            _ => span,
        }
    }

    fn prevent(&self, x: usize) -> (i32, i32) {
        let (low, high) = self.strength(x, None);
        let beaten = match self.at(self.dest[x].unwrap()) {
            Some(v) if v != x && self.head_on(x, v) => self.known(Decision::Move(v)),
            _ => (true, false),
        };
        let path = self.path(x);
        if !path.1 || !beaten.0 {
            return (NONE, NONE);
        }
        (if path.0 || beaten.1 { NONE } else { low }, high)
    }

    /// (may be false, may be true), from what is known now.
    fn evaluate(&self, d: Decision) -> (bool, bool) {
        match d {
            Decision::Move(u) => {
                let attack = self.attack(u);
                let dest = self.dest[u].unwrap();
                let mut against = vec![match self.at(dest).filter(|v| *v != u) {
                    None => (NONE, NONE),
                    Some(v) if self.head_on(u, v) => self.strength(v, None),
                    Some(v) => self.hold(v),
                }];
                against.extend(self.movers(dest).filter(|x| *x != u).map(|x| self.prevent(x)));
                (against.iter().any(|a| attack.0 <= a.1), against.iter().all(|a| attack.1 > a.0))
            }
            Decision::Given(s) => {
                let mut cut = (true, false);
                for x in self.movers(self.prov(s)) {
                    let c = self.cuts(s, x);
                    cut = (cut.0 && c.0, cut.1 || c.1);
                }
                (cut.1, cut.0)
            }
            Decision::Path(u) => {
                let usable = |sure: bool| -> Vec<usize> {
                    self.carriers[u].iter().copied().filter(|f| self.safe(*f, sure)).collect()
                };
                let complete = |fleets: Vec<usize>| {
                    let over: Vec<ProvinceId> = fleets.iter().map(|f| self.prov(*f)).collect();
                    match &self.orders[u] {
                        Order::Move { route: Route::Path(path), .. } => path.iter().all(|p| over.contains(p)),
                        _ => self.chain(&over, self.prov(u), self.dest[u].unwrap()),
                    }
                };
                (!complete(usable(true)), complete(usable(false)))
            }
        }
    }

    /// Whether a fleet carries: surely, or at least possibly.
    fn safe(&self, f: usize, sure: bool) -> bool {
        !self.held_out[f]
            && self.movers(self.prov(f)).all(|x| {
                let (stays, goes) = self.known(Decision::Move(x));
                if sure { !goes } else { stays }
            })
    }

    fn cuts(&self, s: usize, x: usize) -> (bool, bool) {
        let Order::Support { to, .. } = &self.orders[s] else { return (true, false) };
        let aim = match to {
            Some(to) => self.map.province_of(*to),
            None => self.prov(self.helped(s)),
        };
        let carrier = self
            .at(aim)
            .is_some_and(|f| self.carriers.iter().enumerate().any(|(u, c)| c.contains(&f) && !self.no_route[u]));
        let exempt = self.old && self.convoyed[x] && carrier;
        if exempt && aim != self.prov(x) {
            return (true, false);
        }
        let moves = self.known(Decision::Move(x));
        if self.power(x) == self.power(s) {
            return (true, false);
        }
        let turned = to.is_some() && self.prov(x) == aim;
        let star = self.own[x] == 1;
        let strait = self.own[x] == 0;
        if exempt || turned || star {
            return moves;
        }
        let path = self.path(x);
        let help = self.supports(x, None);
        let bites = if strait { (help.0 == 0, help.1 > 0) } else { (false, true) };
        // Cut by reaching the place in strength, or by dislodging.
        let sure = !path.0 && !bites.0 || !moves.0;
        let maybe = path.1 && bites.1 || moves.1;
        (!sure, maybe)
    }

    fn settle(&mut self) {
        loop {
            let mut fixed = Vec::new();
            for d in &self.open {
                match self.evaluate(*d) {
                    (true, true) => {}
                    (_, t) => fixed.push((*d, t)),
                }
            }
            if fixed.is_empty() {
                return;
            }
            for (d, t) in fixed {
                self.truth.insert(d, t);
                self.open.remove(&d);
            }
        }
    }

    /// Open decisions that reading this one may touch.
    fn reads(&self, d: Decision) -> BTreeSet<Decision> {
        let mut reads = Vec::new();
        let supports = |u: usize| (0..self.orders.len()).filter(move |s| self.matched[*s] && self.helped(*s) == u);
        match d {
            Decision::Move(u) => {
                let dest = self.dest[u].unwrap();
                reads.push(Decision::Path(u));
                reads.extend(supports(u).map(Decision::Given));
                if let Some(v) = self.at(dest).filter(|v| *v != u) {
                    if !self.head_on(u, v) {
                        reads.push(Decision::Move(v));
                    }
                    if self.head_on(u, v) || self.dest[v].is_none() {
                        reads.extend(supports(v).map(Decision::Given));
                    }
                }
                let low = self.attack(u).0;
                for x in self.movers(dest).filter(|x| *x != u && low <= self.prevent(*x).1) {
                    reads.push(Decision::Path(x));
                    reads.extend(supports(x).map(Decision::Given));
                    if let Some(v) = self.at(dest).filter(|v| self.head_on(x, *v)) {
                        reads.push(Decision::Move(v));
                    }
                }
            }
            Decision::Given(s) => {
                for x in self.movers(self.prov(s)).filter(|x| self.cuts(s, *x) == (true, true)) {
                    reads.extend([Decision::Move(x), Decision::Path(x)]);
                    if self.own[x] == 0 {
                        reads.extend(supports(x).map(Decision::Given));
                    }
                }
            }
            Decision::Path(u) => {
                for f in self.carriers[u].iter().filter(|f| !self.safe(**f, true) && self.safe(**f, false)) {
                    reads.extend(self.movers(self.prov(*f)).map(Decision::Move));
                }
            }
        }
        reads.into_iter().filter(|d| self.open.contains(d)).collect()
    }

    /// The smallest set of open decisions that reads nothing outside itself.
    fn core(&self) -> Vec<Decision> {
        let reach = |start: Decision| {
            let mut seen = BTreeSet::from([start]);
            let mut queue = vec![start];
            while let Some(d) = queue.pop() {
                queue.extend(self.reads(d).into_iter().filter(|r| seen.insert(*r)));
            }
            seen
        };
        self.open.iter().map(|d| reach(*d)).min_by_key(BTreeSet::len).unwrap_or_default().into_iter().collect()
    }

    /// Assignments of a core that satisfy every equation in it.
    fn solutions(&mut self, core: &[Decision]) -> Vec<Vec<bool>> {
        let mut found = Vec::new();
        for bits in 0..1u64 << core.len() {
            let values: Vec<bool> = (0..core.len()).map(|i| bits >> i & 1 == 1).collect();
            for (d, v) in core.iter().zip(&values) {
                self.truth.insert(*d, *v);
            }
            if core.iter().zip(&values).all(|(d, v)| self.evaluate(*d) == (!*v, *v)) {
                found.push(values);
            }
        }
        for d in core {
            self.truth.remove(d);
        }
        found
    }

    /// Decides everything; `None` if a core is too large to be enumerated.
    pub fn decide(mut self) -> Option<(Opinion, Cores)> {
        let mut cores = Cores::default();
        for u in 0..self.orders.len() {
            if self.dest[u].is_some() {
                self.open.insert(Decision::Move(u));
                if self.convoyed[u] {
                    if self.no_route[u] {
                        self.truth.insert(Decision::Path(u), false);
                    } else {
                        self.open.insert(Decision::Path(u));
                    }
                }
            }
            if self.matched[u] {
                self.open.insert(Decision::Given(u));
            }
        }
        self.settle();
        while !self.open.is_empty() {
            let core = self.core();
            if core.len() > 16 {
                return None;
            }
            let solutions = self.solutions(&core);
            let paths = |values: &Vec<bool>| -> Vec<bool> {
                let of = core.iter().zip(values).filter(|(d, _)| matches!(d, Decision::Path(_)));
                of.map(|(_, v)| *v).collect()
            };
            let moves = |values: &Vec<bool>| {
                core.iter().zip(values).filter(|(d, v)| matches!(d, Decision::Move(_)) && **v).count()
            };
            let kinds: BTreeSet<Vec<bool>> = solutions.iter().map(paths).collect();
            if kinds.len() == 1 {
                // Of several outcomes with the same convoys: circular movement succeeds.
                cores.circular += 1;
                let best = solutions.iter().max_by_key(|s| moves(s)).unwrap();
                for (d, v) in core.iter().zip(best) {
                    self.truth.insert(*d, *v);
                    self.open.remove(d);
                }
            } else {
                cores.paradoxes += 1;
                for d in &core {
                    let Decision::Path(u) = d else { continue };
                    for f in self.carriers[*u].clone() {
                        if !self.safe(f, true) && self.safe(f, false) {
                            self.held_out[f] = true;
                        }
                    }
                    self.truth.insert(*d, false);
                    self.open.remove(d);
                }
            }
            self.settle();
        }
        let n = self.orders.len();
        let is = |d: Decision| self.truth.get(&d) == Some(&true);
        let moved: Vec<bool> = (0..n).map(|u| is(Decision::Move(u))).collect();
        cores.convoyed = (0..n).filter(|u| self.convoyed[*u] && moved[*u]).count() as u64;
        let opinion = Opinion {
            dislodged: (0..n).map(|v| !moved[v] && self.movers(self.prov(v)).any(|x| x != v && moved[x])).collect(),
            given: (0..n).map(|s| is(Decision::Given(s))).collect(),
            path: (0..n).map(|u| self.dest[u].is_some() && self.path(u) == (false, true)).collect(),
            moved,
        };
        Some((opinion, cores))
    }
}
