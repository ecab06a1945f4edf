//! The option "falling back to land" of 4.A.3: an army that meant to be convoyed, and could walk, walks when its
//! convoy is broken. No game uses it (the default of DATC 3.x is no fallback), so it may cost a few resolutions more:
//! the usual resolver decides, and armies left without a convoy are sent on foot one by one.

use super::movement::{Act, Way};
use super::node::{Known, mark};
use super::profile::{AdjacentConvoy, Profile};
use super::resolve::Solver;
use super::setup::Position;

/// Resolves with the fallback where the profile asks for it.
pub(super) fn resolve(solver: &mut Solver, profile: &Profile, position: &Position, acts: &mut [Act], paths: &[u16]) {
    solver.resolve(profile, position, acts, paths);
    if profile.adjacent_convoy != AdjacentConvoy::IntentOrLand {
        return;
    }
    while let Some(army) = stranded(solver, acts) {
        // Its attack may be what keeps its convoy whole, by either way (6.G.11): then the convoy stood.
        set(acts, army, Way::Sure);
        solver.resolve(profile, position, acts, paths);
        if solver.judge_path(position.board(), army) != Known::Yes {
            set(acts, army, Way::Foot);
            solver.resolve(profile, position, acts, paths);
        }
    }
}

/// An army whose convoy is broken and that could walk.
fn stranded(solver: &Solver, acts: &[Act]) -> Option<usize> {
    let walks = |act: &Act| matches!(act, Act::Move { land: Some(_), way: Way::Any | Way::Via, .. });
    let mut armies = solver.nodes.iter().zip(acts).enumerate();
    armies.find(|(_, (node, act))| node.is(mark::CONVOYED) && node.path == Known::No && walks(act)).map(|(at, _)| at)
}

fn set(acts: &mut [Act], army: usize, how: Way) {
    if let Act::Move { way, .. } = &mut acts[army] {
        *way = how;
    }
}
