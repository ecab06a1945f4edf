//! How rules relate to one another (rules.md 3), chancery's corrections included. A rule that is not listed has no
//! relations.

use super::Rule::{self, *};
use super::Variant;

/// The relations of one rule (rules.md 1.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Relation {
    /// `+`: switched on too, whatever is negated.
    pub forces: &'static [Rule],
    /// `-` and `!`: switched off.
    pub displaces: &'static [Rule],
    /// `=`: switched on too unless negated or denied.
    pub defaults: &'static [Rule],
}

const NONE: Relation = Relation { forces: &[], displaces: &[], defaults: &[] };

/// The rules a variant starts from (rules.md 1.1, last item, and 3).
pub const fn base(variant: Variant) -> &'static [Rule] {
    match variant {
        Variant::Standard => &[],
        Variant::Payola => &[OrderAny, NeedMoveMarks],
        Variant::Xtalball => &[FictionalOk, ProxyOk, DefaultUnordered],
    }
}

/// The only variant that knows the rule; `None`: all do.
pub const fn home(rule: Rule) -> Option<Variant> {
    match rule {
        NoCheck | CdSupports | LastManStanding => Some(Variant::Standard),
        AnonTransfer | NoDonations | NoTransfer | OneTransfer | NoLooting | Exchange | FlatTax | NoHoarding
        | Zerosum | Ebayola | HideCost | HideOffers | PublicTotals | NoLedgers | DirectOnly | RestrictSignal
        | PayDummies | NoSavings | NoPlateau | PayolaClassic | LimitOffers | RemoteOffer | ZeroForeign | TouchOffer => {
            Some(Variant::Payola)
        }
        PublicLists | LimitLists => Some(Variant::Xtalball),
        _ => None,
    }
}

/// The relations of a rule.
pub const fn relation(rule: Rule) -> Relation {
    match rule {
        BlankBoard => denies(&[Mobilize]),
        Mobilize => denies(&[BlankBoard]),
        Solitaire => forces(&[SubmitMaster, NoDeadline, CdDummies, DefaultUnordered, AlwaysWait, IgnoreResults]),
        NoPress => Relation {
            forces: &[SilentAbsences],
            displaces: &[
                FakePress,
                GreyPress,
                WhiteGrey,
                TouchPress,
                RemotePress,
                PublicPress,
                YellowPress,
                BackseatPress,
                MuteObservers,
                NoLateReceive,
                MustOrder,
                LateSend,
            ],
            defaults: &[],
        },
        PublicPress => denies(&[NoPress, NoLateReceive]),
        MustOrder => denies(&[RealTime, LateSend, NoPress]),
        LateSend => denies(&[MustOrder, NoPress]),
        NoLateReceive => denies(&[NoPress, PublicPress]),
        GreyPress => denies(&[NoPress, FakePress, WhiteGrey, YellowPress]),
        YellowPress => denies(&[NoPress, GreyPress]),
        WhiteGrey => denies(&[NoPress, GreyPress, FakePress]),
        FakePress => denies(&[NoPress, GreyPress, WhiteGrey]),
        // Correction: face-to-face press is press.
        FtfPress => denies(&[NoPress]),
        MuteObservers => denies(&[BackseatPress]),
        TouchPress => denies(&[NoPress, RemotePress, BackseatPress]),
        RemotePress => denies(&[NoPress, TouchPress, BackseatPress]),
        BackseatPress => denies(&[NoPress, TouchPress, MuteObservers]),
        Eavesdrop => denies(&[EavesdropAloud, PressMaster]),
        EavesdropAloud => denies(&[Eavesdrop, PressMaster]),
        PressMaster => denies(&[Eavesdrop, EavesdropAloud]),
        BroadcastOrders => forces(&[AlwaysConfirm]),
        SignalSupport => denies(&[NoCheck]),
        // Correction: forces FICTIONAL_OK, as its text says.
        ShowPhantom => Relation { forces: &[FictionalOk], displaces: &[NoCheck], defaults: &[] },
        ProxyOk => Relation { forces: &[OrderAny], displaces: &[NoProxy], defaults: &[] },
        NoProxy => denies(&[ProxyOk]),
        NoCheck => Relation { forces: &[DefaultUnordered], displaces: &[ShowPhantom, SignalSupport], defaults: &[] },
        MultiCoastPortage => forces(&[PortageConvoy]),
        BuildAny => denies(&[HomeBuilds, RemoteBuilds]),
        HomeBuilds | RemoteBuilds => denies(&[BuildAny]),
        NoQuarter => forces(&[NoRetreat, NoDraw]),
        // Correction: forces SILENT_ABSENCES.
        Blind => Relation {
            forces: &[FictionalOk, HideAbsentees, HideLatePowers, ShowPhantom, SilentAbsences],
            displaces: &[NoDias, ZeroForeign, PublicTotals, PublicLists, LimitLists],
            defaults: &[HideDummies],
        },
        OwnScsSee => Relation { forces: &[Blind], displaces: &[NoScsSee], defaults: &[] },
        NoScsSee => Relation { forces: &[Blind], displaces: &[OwnScsSee], defaults: &[] },
        NoUnitsSee | SeeNoScs => forces(&[Blind]),
        SeeAllScs => Relation { forces: &[Blind], displaces: &[SeeNoScs], defaults: &[] },
        SeeNoUnits => Relation { forces: &[Blind], displaces: &[UnitsSeeOther, UnitsSeeSame], defaults: &[] },
        UnitsSeeOther => Relation { forces: &[Blind], displaces: &[UnitsSeeSame, SeeNoUnits], defaults: &[] },
        UnitsSeeSame => Relation { forces: &[Blind], displaces: &[UnitsSeeOther, SeeNoUnits], defaults: &[] },
        Myopic => Relation {
            forces: &[SeeNoScs, SeeNoUnits, NoUnitsSee, NoScsSee, Blind],
            displaces: &[OwnScsSee],
            defaults: &[],
        },
        Venetian => forces(&[OwnScsSee, SeeNoScs, Blind]),
        Greek => Relation { forces: &[UnitsSeeSame, NoScsSee, Blind], displaces: &[OwnScsSee], defaults: &[] },
        // Correction: the source denies OWN_UNITS_SEE, which is no rule.
        Trojan => Relation { forces: &[UnitsSeeOther, NoScsSee, Blind], displaces: &[OwnScsSee], defaults: &[] },
        HideDummies => forces(&[HideAbsentees, HideLatePowers]),
        NoReveal => forces(&[HideAbsentees]),
        CivilDisorder => Relation { forces: &[CdDummies], displaces: &[CivilPreview], defaults: &[NoLateChanges] },
        CivilPreview => denies(&[CivilDisorder]),
        SmartCd => forces(&[CdRetreats, CdBuilds, CdSupports]),
        CdSupports => Relation { defaults: &[CivilDisorder], ..NONE },
        VassalDummies => forces(&[CdDummies, CdBuilds, TeamVictory]),
        TornAllegiance => forces(&[VassalDummies]),
        NoDeadline => denies(&[NoLateChanges, LateChanges, PlayerDeadlines]),
        NoLateChanges => denies(&[LateChanges, NoDeadline]),
        LateChanges => denies(&[NoLateChanges, NoDeadline]),
        RealTime => denies(&[AlwaysWait, MustOrder]),
        AlwaysWait => denies(&[RealTime]),
        PlayerDeadlines => denies(&[NoDeadline]),
        ProposeDias => denies(&[NoDias]),
        // Correction: nobody can be hidden who does not propose.
        HideProposer => forces(&[ProposeDias]),
        NoDias => denies(&[ProposeDias, Blind]),
        // Correction: votes have no effect.
        NoDraw => denies(&[ProposeDias, HideProposer, NoDias]),
        LastManStanding => forces(&[Solitaire]),
        NoDonations => denies(&[Garrison]),
        HideCost | HideOffers => denies(&[NoLedgers]),
        // Correction: the source has HIDE_COSTS.
        NoLedgers => denies(&[HideCost, HideOffers]),
        PublicTotals => denies(&[Blind]),
        RestrictSignal => forces(&[SignalSupport]),
        // Correction: forces CD_DUMMIES, as documented.
        PayDummies => Relation { forces: &[CdDummies], displaces: &[RemoteOffer, TouchOffer], defaults: &[] },
        PayolaClassic => Relation { defaults: &[FlatTax, NoSavings, DirectOnly, ZeroForeign], ..NONE },
        LimitOffers => forces(&[DirectOnly]),
        RemoteOffer => denies(&[TouchOffer, PayDummies]),
        TouchOffer => denies(&[RemoteOffer, PayDummies]),
        ZeroForeign | LimitLists | PublicLists => denies(&[Blind]),
        _ => NONE,
    }
}

const fn forces(rules: &'static [Rule]) -> Relation {
    Relation { forces: rules, ..NONE }
}

const fn denies(rules: &'static [Rule]) -> Relation {
    Relation { displaces: rules, ..NONE }
}
