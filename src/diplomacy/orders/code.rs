//! The stable codes with which an order line, or a whole sheet, is refused or remarked upon (orders.md 5-7, 11).
//! A code is for machines; the sentence beside it in a [`Fault`] or [`Remark`] is for the player and names the cure.

use std::fmt;

macro_rules! codes {
    ($(#[$doc:meta])* $kind:ident { $($(#[$about:meta])* $variant:ident = $name:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $kind { $($(#[$about])* $variant,)* }

        impl $kind {
            /// Every code of this kind.
            pub const ALL: &'static [$kind] = &[$($kind::$variant,)*];

            /// The code as it stands in replies, logs and the web API.
            pub const fn name(self) -> &'static str {
                match self { $($kind::$variant => $name,)* }
            }
        }

        impl fmt::Display for $kind {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.name())
            }
        }
    };
}

codes! {
    /// Why a line or a sheet is refused.
    Code {
        /// A word is unknown.
        Word = "E_WORD",
        /// The place has no such coast, or (OLD_JUDGE) an army was given one.
        Coast = "E_COAST",
        /// A name means several places.
        Ambiguous = "E_AMBIGUOUS",
        /// Unit or verb missing.
        Incomplete = "E_INCOMPLETE",
        /// No such unit, or not yours.
        Unorderable = "E_UNORDERABLE",
        /// The verb belongs to another phase.
        Verb = "E_VERB",
        /// NEED_MOVE_MARKS: no mark between two places.
        MoveMark = "E_MOVE_MARK",
        /// A unit in a closed place may only hold.
        Shut = "E_SHUT",
        /// A support that names no unit, or too much.
        SupportBad = "E_SUPPORT_BAD",
        /// A unit of that type cannot stand there.
        InvalidUnit = "E_INVALID_UNIT",
        /// A unit of that type cannot stand at the target.
        InvalidDest = "E_INVALID_DEST",
        /// The unit helped does not exist.
        Recipient = "E_RECIPIENT",
        /// A unit cannot support itself.
        SupportSelf = "E_SUPPORT_SELF",
        /// The supported unit cannot get there.
        SupportUnreachable = "E_SUPPORT_UNREACHABLE",
        /// The supporter cannot get there.
        SupportDeliver = "E_SUPPORT_DELIVER",
        /// A league of the map forbids it.
        League = "E_LEAGUE",
        /// A convoy without cargo or target, or with too much.
        ConvoyBad = "E_CONVOY_BAD",
        /// This unit cannot convoy here.
        ConvoyUnit = "E_CONVOY_UNIT",
        /// That unit cannot be convoyed.
        ConvoyCargo = "E_CONVOY_CARGO",
        /// The target is no coast, or where the army already is.
        ConvoyDest = "E_CONVOY_DEST",
        /// No chain of fleets with this one leads there.
        ConvoyImpossible = "E_CONVOY_IMPOSSIBLE",
        /// IMMOBILE_DUMMIES
        Immobile = "E_IMMOBILE",
        /// Something in a move that is no place.
        MoveBad = "E_MOVE_BAD",
        /// Only an army goes by convoy.
        PathUnit = "E_PATH_UNIT",
        /// A move back to its start.
        MoveReturn = "E_MOVE_RETURN",
        /// A convoy must start and end on a coast.
        PathCoast = "E_PATH_COAST",
        /// A place twice in one path.
        PathRepeat = "E_PATH_REPEAT",
        /// Out of reach.
        MoveUnreachable = "E_MOVE_UNREACHABLE",
        /// A step of a path leads where nothing can convoy.
        PathStep = "E_PATH_STEP",
        /// No fleet stands there.
        PathNofleet = "E_PATH_NOFLEET",
        /// OLD_JUDGE: a convoyed move needs its path.
        PathRequired = "E_PATH_REQUIRED",
        /// Something behind a hold.
        HoldBad = "E_HOLD_BAD",
        /// Proxies are not allowed.
        ProxyOff = "E_PROXY_OFF",
        /// A proxy names exactly one power.
        ProxyWho = "E_PROXY_WHO",
        /// A proxy to oneself.
        ProxySelf = "E_PROXY_SELF",
        /// A proxy to a dummy or an eliminated power.
        ProxyPower = "E_PROXY_POWER",
        /// The unit does not have to retreat, or is not yours.
        NotRetreating = "E_NOT_RETREATING",
        /// Not a retreat.
        RetreatBad = "E_RETREAT_BAD",
        /// The unit cannot retreat there.
        RetreatDest = "E_RETREAT_DEST",
        /// Builds when none are due, or removals when none are due.
        AdjType = "E_ADJ_TYPE",
        /// Not an adjustment.
        AdjBad = "E_ADJ_BAD",
        /// The wrong number of adjustments.
        AdjCount = "E_ADJ_COUNT",
        /// No build there.
        BuildSite = "E_BUILD_SITE",
        /// Two builds in one place.
        BuildTwice = "E_BUILD_TWICE",
        /// That unit cannot be built there.
        BuildUnit = "E_BUILD_UNIT",
        /// All of a set of alternative sites used.
        BuildAlternative = "E_BUILD_ALTERNATIVE",
        /// More home claims than allowed.
        HomeClaim = "E_HOME_CLAIM",
        /// A unit ordered twice, differently.
        Reordered = "E_REORDERED",
        /// Units without an order.
        Unordered = "E_UNORDERED",
        /// NO_LATE_CHANGES after the deadline.
        LateChange = "E_LATE_CHANGE",
        /// Nothing on file after the deadline.
        LateEmpty = "E_LATE_EMPTY",
        /// MUST_ORDER: orders may not be taken back.
        MustOrder = "E_MUST_ORDER",
        /// No partial sheet here.
        Partial = "E_PARTIAL",
        /// A power the sender does not control.
        NoControl = "E_NO_CONTROL",
        /// The sender has no units.
        NoUnits = "E_NO_UNITS",
        /// Conditional and advance orders.
        NotSupported = "E_NOT_SUPPORTED",
    }
}

impl Code {
    /// What the old judge said of such an order in a status file (orders.md 5).
    pub const fn old_words(self) -> &'static str {
        use Code::*;
        match self {
            Word | NotSupported => "UNRECOGNIZED DATA",
            Coast => "UNKNOWN COAST",
            Ambiguous => "AMBIGUOUS PLACENAME",
            Unorderable | NotRetreating => "UNORDERABLE UNIT",
            Verb | MoveMark => "UNRECOGNIZED ORDER TYPE",
            Shut => "UNIT MAY ONLY BE ORDERED TO HOLD",
            SupportBad => "IMPROPER SUPPORT ORDER",
            InvalidUnit => "ORDER INCLUDES INVALID UNIT",
            InvalidDest => "ORDER INCLUDES INVALID UNIT DESTINATION",
            Recipient => "RECIPIENT DOES NOT EXIST",
            SupportSelf => "UNIT CANNOT SUPPORT ITSELF",
            SupportUnreachable => "SUPPORTED UNIT CANNOT REACH DESTINATION",
            SupportDeliver => "UNIT CANNOT DELIVER SUPPORT TO DESTINATION",
            League => "LEAGUE FORBIDS",
            ConvoyBad => "BAD CONVOY ORDER",
            ConvoyUnit => "CONVOY ORDER FOR IMPROPER UNIT",
            ConvoyCargo => "UNIT CANNOT BE CONVOYED",
            ConvoyDest => "BAD CONVOY DESTINATION",
            ConvoyImpossible => "IMPOSSIBLE CONVOY ORDER",
            Immobile => "IMMOBILE UNIT CANNOT MOVE",
            MoveBad => "BAD MOVE ORDER",
            PathUnit => "UNIT CANNOT CONVOY",
            MoveReturn => "MOVING UNIT MAY NOT RETURN",
            PathCoast => "CONVOYING UNIT MUST REACH COAST",
            PathRepeat => "CONVOYING UNIT USED TWICE",
            MoveUnreachable | PathRequired => "UNIT CANNOT MOVE INTO DESTINATION",
            PathStep => "BAD CONVOY MOVE ORDER",
            PathNofleet => "CONVOY THROUGH NON-EXISTENT UNIT",
            HoldBad => "INVALID HOLD ORDER",
            ProxyOff => "PROXY ORDER NOT ALLOWED",
            ProxyWho => "NO SUCH PROXY POWER",
            ProxySelf => "PROXY TO SELF NOT ALLOWED",
            ProxyPower => "PROXY TO POWER NOT ALLOWED",
            Reordered => "UNIT REORDERED",
            Unordered => "UNIT LEFT UNORDERED",
            Incomplete | RetreatBad | RetreatDest | AdjType | AdjBad | AdjCount | BuildSite | BuildTwice
            | BuildUnit | BuildAlternative | HomeClaim | LateChange | LateEmpty | MustOrder | Partial | NoControl
            | NoUnits => "BAD ORDER",
        }
    }
}

codes! {
    /// What the judge remarks about orders it takes.
    Warning {
        /// A coast that an army has no use for was left out.
        CoastDropped = "W_COAST_DROPPED",
        /// The fleet stands on the other coast.
        CoastCorrected = "W_COAST_CORRECTED",
        /// PARTIAL: units still without an order.
        Unordered = "W_UNORDERED",
        /// The same order twice.
        Duplicate = "W_DUPLICATE",
        /// A waive when nothing is due.
        NothingDue = "W_NOTHING_DUE",
    }
}

/// A refusal: code for machines, sentence for the player.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct Fault {
    /// Stable code.
    pub code: Code,
    /// One sentence or two that say what is wrong and what would be right.
    pub text: String,
}

impl Fault {
    /// A refusal with its sentence.
    pub fn new(code: Code, text: impl Into<String>) -> Fault {
        Fault { code, text: text.into() }
    }
}

/// A remark about something that was accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// Stable code.
    pub code: Warning,
    /// The sentence for the player.
    pub text: String,
}

impl Remark {
    /// A remark with its sentence.
    pub fn new(code: Warning, text: impl Into<String>) -> Remark {
        Remark { code, text: text.into() }
    }
}
