//! Slots: the wall-clock minutes :00, :20, :40 on which deadlines lie (clock.md 1), and the grain of a game.

use chrono::{NaiveDateTime, TimeDelta, Timelike};

/// Minutes between two slots, and between two checks.
pub const SLOT_MINUTES: i64 = 20;

/// Whether a game's deadlines keep to slots, or are exact to the minute (REAL_TIME, or a delay under 20 minutes:
/// clock.md 4.2 step 2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grain {
    /// Every 20 minutes.
    Slot,
    /// Every minute.
    Exact,
}

impl Grain {
    /// One slot, or one minute.
    pub fn length(self) -> TimeDelta {
        match self {
            Grain::Slot => TimeDelta::minutes(SLOT_MINUTES),
            Grain::Exact => TimeDelta::minutes(1),
        }
    }

    /// Cut down to the grain: 10:39 becomes 10:20.
    pub fn floor(self, local: NaiveDateTime) -> NaiveDateTime {
        let over = match self {
            Grain::Slot => i64::from(local.minute()) % SLOT_MINUTES,
            Grain::Exact => 0,
        };
        let second =
            TimeDelta::seconds(i64::from(local.second())) + TimeDelta::nanoseconds(i64::from(local.nanosecond()));
        local.checked_sub_signed(TimeDelta::minutes(over) + second).unwrap_or(local)
    }

    /// Raised to the grain: 11:41 becomes 12:00.
    pub fn ceil(self, local: NaiveDateTime) -> NaiveDateTime {
        let floor = self.floor(local);
        if floor == local { local } else { floor.checked_add_signed(self.length()).unwrap_or(local) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::format::parse_stamp;

    #[test]
    fn down_and_up() {
        let t = |s| parse_stamp(s).unwrap();
        assert_eq!(Grain::Slot.floor(t("202407081139")), t("202407081120"));
        assert_eq!(Grain::Slot.ceil(t("202407082350")), t("202407090000"));
        assert_eq!(Grain::Slot.ceil(t("202407082340")), t("202407082340"));
        assert_eq!(Grain::Exact.ceil(t("202407082341") + TimeDelta::seconds(1)), t("202407082342"));
    }
}
