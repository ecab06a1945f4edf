//! What the door of a movement phase refuses (orders.md 5, DATC 4.E.1).

/// Why an order is illegal (4.E.1): nothing the other players could order would make it possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Illegal {
    /// The ordered unit does not exist, is of another kind, or belongs to somebody else.
    #[error("no such unit of that power")]
    NoSuchUnit,
    /// The coast named is not where the unit stands (4.B.5), or an army has none (4.B.6).
    #[error("wrong coast")]
    WrongCoast,
    /// A unit in a closed place can only hold.
    #[error("the unit can only hold")]
    Shut,
    /// Units of dummies do not move (IMMOBILE_DUMMIES).
    #[error("units of this power do not move")]
    Immobile,
    /// A move to the unit's own province.
    #[error("a unit cannot move to where it is")]
    Return,
    /// The unit cannot get there.
    #[error("the unit cannot reach that place")]
    Unreachable,
    /// A convoyed move without its path (4.A.6 c).
    #[error("the path of the convoy must be written")]
    PathRequired,
    /// A path that is no convoy.
    #[error("that path is no convoy")]
    Path,
    /// The supported or convoyed unit does not exist.
    #[error("the unit to be helped does not exist")]
    Recipient,
    /// A unit cannot support itself.
    #[error("a unit cannot support itself")]
    SupportSelf,
    /// The supported unit cannot get there.
    #[error("the supported unit cannot reach that place")]
    SupportUnreachable,
    /// The supporter cannot act there.
    #[error("the unit cannot support into that place")]
    SupportDelivery,
    /// The map's leagues forbid it.
    #[error("the league forbids it")]
    League,
    /// This unit cannot convoy, or that one cannot be convoyed.
    #[error("the unit cannot convoy that")]
    ConvoyUnit,
    /// No chain of convoying units through this one leads there.
    #[error("no convoy through this unit leads there")]
    ConvoyImpossible,
    /// A proxy must have been replaced before orders are resolved.
    #[error("a proxy is no order to be resolved")]
    Proxy,
}
