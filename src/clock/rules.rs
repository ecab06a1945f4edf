//! The rules of a game that touch its clock (clock.md 2.1), as plain switches: the clock knows no catalogue of rules.

macro_rules! switches {
    ($($(#[$doc:meta])* $field:ident = $name:literal,)*) => {
        /// Effective rules that the clock asks about.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct ClockRules { $($(#[$doc])* pub $field: bool,)* }

        impl ClockRules {
            /// Picks the switches out of the names of the effective rules (after expansion: status-file.md 2.1);
            /// other names are passed over.
            pub fn from_names<'a>(names: impl IntoIterator<Item = &'a str>) -> ClockRules {
                let mut rules = ClockRules::default();
                for name in names {
                    match name { $($name => rules.$field = true,)* _ => {} }
                }
                rules
            }
        }
    };
}

switches! {
    /// No deadline at all.
    no_deadline = "NO_DEADLINE",
    /// No slots; processed when the last orders arrive.
    real_time = "REAL_TIME",
    /// Never before the deadline.
    always_wait = "ALWAYS_WAIT",
    /// WAIT and ALWAYS_WAIT in movement phases only.
    no_minor_wait = "NO_MINOR_WAIT",
    /// First deadline not doubled.
    no_press = "NO_PRESS",
    /// First deadline doubled for a movement phase only.
    ftf_press = "FTF_PRESS",
    /// Missing orders are defaulted after the grace period.
    civil_disorder = "CIVIL_DISORDER",
    /// Dummies never hold up a game.
    cd_dummies = "CD_DUMMIES",
    /// End of grace: a preview to the Master instead of dismissal.
    civil_preview = "CIVIL_PREVIEW",
    /// A ready phase is only previewed.
    preview = "PREVIEW",
    /// Delays in days count playing days only.
    jump_off_days = "JUMP_OFF_DAYS",
    /// Players may lengthen the deadline.
    player_deadlines = "PLAYER_DEADLINES",
    /// Only the Master may set absences.
    no_absences = "NO_ABSENCES",
    /// Orders on file may not be changed after the deadline.
    no_late_changes = "NO_LATE_CHANGES",
}
