//! Crowded random positions: a neighbourhood of a map full of units of a few powers, with orders that meet.

use chancery::diplomacy::adjudicate::case::Table;
use chancery::diplomacy::adjudicate::{Position, Setup};
use chancery::diplomacy::map::{LocationId, Map, PowerId, ProvinceId, Terrain, UnitKind};
use chancery::diplomacy::order::{Order, Route};
use chancery::diplomacy::position::Unit;
use std::collections::BTreeSet;

/// Numbers from a seed (SplitMix64).
pub struct Dice(pub u64);

impl Dice {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
    pub fn pick<'a, T>(&mut self, list: &'a [T]) -> Option<&'a T> {
        if list.is_empty() { None } else { Some(&list[self.below(list.len())]) }
    }
}

/// A position and an order for every unit; the orders need not be legal.
pub fn scene(table: &Table, dice: &mut Dice) -> (Position, Vec<Order>) {
    let map: &Map = &table.map;
    let powers = 1 + dice.below(4.min(map.powers.len()));
    let size = 6 + dice.below(11);
    let mut area: Vec<ProvinceId> = vec![ProvinceId(dice.below(map.provinces.len()) as u16)];
    let mut at = 0;
    while area.len() < size * 3 / 2 && at < area.len() {
        let mut near = neighbours(map, area[at]);
        while !near.is_empty() {
            let next = near.swap_remove(dice.below(near.len()));
            if !area.contains(&next) {
                area.push(next);
            }
        }
        at += 1;
    }
    let mut setup = Setup::new();
    let mut units = Vec::new();
    for province in area.into_iter().take(size * 3 / 2) {
        if !dice.chance(75) || units.len() >= size {
            continue;
        }
        let places = std::iter::once(map[province].location).chain(map[province].coasts.iter().copied());
        let mut fits = Vec::new();
        for place in places {
            for kind in [UnitKind::Army, UnitKind::Fleet] {
                if map.may_stand(kind, place) {
                    fits.push(Unit { kind, at: place });
                }
            }
        }
        if let Some(unit) = dice.pick(&fits) {
            units.push(*unit);
            setup.unit(PowerId(dice.below(powers) as u8), *unit);
        }
    }
    let position = Position::new(&table.board, &setup).expect("a consistent position");
    let orders = orders(map, &units, dice);
    (position, orders)
}

fn neighbours(map: &Map, province: ProvinceId) -> Vec<ProvinceId> {
    let mut near: BTreeSet<ProvinceId> = map.army[province.0 as usize].iter().map(|(p, _)| *p).collect();
    let places = std::iter::once(map[province].location).chain(map[province].coasts.iter().copied());
    for place in places {
        near.extend(map.fleet[place.0 as usize].iter().map(|(l, _)| map.province_of(*l)));
    }
    near.into_iter().collect()
}

fn steps(map: &Map, unit: Unit) -> Vec<LocationId> {
    match unit.kind {
        UnitKind::Army => map.army[map.province_of(unit.at).0 as usize].iter().map(|(p, _)| map[*p].location).collect(),
        UnitKind::Fleet => map.fleet[unit.at.0 as usize].iter().map(|(l, _)| *l).collect(),
    }
}

fn orders(map: &Map, units: &[Unit], dice: &mut Dice) -> Vec<Order> {
    let mut orders = vec![Order::Hold; units.len()];
    let mut free: Vec<bool> = vec![true; units.len()];
    let seas: Vec<usize> = (0..units.len()).filter(|u| carries(map, units[*u])).collect();
    // Convoys first: an army, fleets it can reach, a shore they reach.
    for (at, unit) in units.iter().enumerate() {
        let shore = matches!(map[map.province_of(unit.at)].terrain, Terrain::Coast | Terrain::Port);
        if unit.kind != UnitKind::Army || !shore || !dice.chance(45) {
            continue;
        }
        let from = map.province_of(unit.at);
        let mut last = from;
        let mut path: Vec<usize> = Vec::new();
        while path.len() < 4 {
            let next: Vec<usize> = seas
                .iter()
                .copied()
                .filter(|s| !path.contains(s) && neighbours(map, last).contains(&map.province_of(units[*s].at)))
                .filter(|s| free[*s] || dice.chance(30))
                .collect();
            let Some(next) = dice.pick(&next) else { break };
            path.push(*next);
            last = map.province_of(units[*next].at);
            if dice.chance(55) {
                break;
            }
        }
        let ashore: Vec<ProvinceId> = neighbours(map, last)
            .into_iter()
            .filter(|p| *p != from && matches!(map[*p].terrain, Terrain::Coast | Terrain::Port))
            .collect();
        let occupied: Vec<ProvinceId> =
            ashore.iter().copied().filter(|p| units.iter().any(|u| map.province_of(u.at) == *p)).collect();
        let landings = if dice.chance(60) && !occupied.is_empty() { &occupied } else { &ashore };
        let Some(to) = dice.pick(landings).copied() else {
            continue;
        };
        if path.is_empty() {
            continue;
        }
        let route = match dice.below(4) {
            0 => Route::Via,
            1 => Route::Path(path.iter().map(|s| map.province_of(units[*s].at)).collect()),
            _ => Route::Any,
        };
        orders[at] = Order::Move { to: map[to].location, route };
        free[at] = false;
        for sea in &seas {
            let on = path.contains(sea) && dice.chance(93) || dice.chance(8);
            if on && free[*sea] {
                orders[*sea] = Order::Convoy { army: from, to };
                free[*sea] = false;
            }
        }
    }
    for (at, unit) in units.iter().enumerate() {
        if free[at] && dice.chance(48) {
            let steps = steps(map, *unit);
            let held: Vec<LocationId> = steps
                .iter()
                .copied()
                .filter(|l| units.iter().any(|u| map.province_of(u.at) == map.province_of(*l)))
                .collect();
            let targets = if dice.chance(65) && !held.is_empty() { &held } else { &steps };
            let to = dice.pick(targets);
            if let Some(to) = to {
                orders[at] = Order::Move { to: *to, route: Route::Any };
                free[at] = false;
            }
        }
    }
    for (at, unit) in units.iter().enumerate() {
        if !free[at] || !dice.chance(85) {
            continue;
        }
        let reach: BTreeSet<ProvinceId> = steps(map, *unit).into_iter().map(|l| map.province_of(l)).collect();
        let mut choices = Vec::new();
        for (other, helped) in units.iter().enumerate().filter(|(other, _)| *other != at) {
            match &orders[other] {
                Order::Move { to, .. } if reach.contains(&map.province_of(*to)) => {
                    let coast = helped.kind == UnitKind::Fleet && dice.chance(50);
                    let to = if coast { *to } else { map[map.province_of(*to)].location };
                    let help = Order::Support { unit: *helped, to: Some(to) };
                    choices.extend([help.clone(), help]);
                }
                Order::Move { .. } => {}
                _ if reach.contains(&map.province_of(helped.at)) => {
                    choices.push(Order::Support { unit: *helped, to: None });
                }
                _ => {}
            }
        }
        if let Some(order) = dice.pick(&choices) {
            orders[at] = order.clone();
        }
    }
    orders
}

fn carries(map: &Map, unit: Unit) -> bool {
    unit.kind == UnitKind::Fleet && matches!(map[map.province_of(unit.at)].terrain, Terrain::Water | Terrain::Port)
}
