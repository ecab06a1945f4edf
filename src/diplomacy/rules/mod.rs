//! The rules a game can switch on (rules.md): their names, how they relate, and the set that is in force.

pub mod relations;
pub mod resolve;

pub use resolve::{Displaced, Fault, Ineffective, Resolved, Variant, resolve};

/// Declares the catalogue once: the enum, its names, and the list of all.
macro_rules! catalogue {
    ($($variant:ident = $name:literal,)*) => {
        /// A rule, by its RULE name (rules.md 2).
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        #[allow(missing_docs)]
        pub enum Rule { $($variant,)* }

        impl Rule {
            /// Every rule.
            pub const ALL: &'static [Rule] = &[$(Rule::$variant,)*];

            /// The name as written in a RULE line.
            pub const fn name(self) -> &'static str {
                match self { $(Rule::$variant => $name,)* }
            }

            /// The rule of that name (upper case), aliases not resolved.
            pub fn named(name: &str) -> Option<Rule> {
                match name { $($name => Some(Rule::$variant),)* _ => None }
            }
        }
    };
}

catalogue! {
    PowerChoice = "POWER_CHOICE",
    Mobilize = "MOBILIZE",
    BlankBoard = "BLANK_BOARD",
    Solitaire = "SOLITAIRE",
    SilentJoin = "SILENT_JOIN",
    Preferences = "PREFERENCES",
    StartMaster = "START_MASTER",
    NoPress = "NO_PRESS",
    PublicPress = "PUBLIC_PRESS",
    MustOrder = "MUST_ORDER",
    LateSend = "LATE_SEND",
    NoLateReceive = "NO_LATE_RECEIVE",
    FtfPress = "FTF_PRESS",
    GreyPress = "GREY_PRESS",
    YellowPress = "YELLOW_PRESS",
    WhiteGrey = "WHITE_GREY",
    FakePress = "FAKE_PRESS",
    MuteObservers = "MUTE_OBSERVERS",
    TouchPress = "TOUCH_PRESS",
    RemotePress = "REMOTE_PRESS",
    BackseatPress = "BACKSEAT_PRESS",
    Eavesdrop = "EAVESDROP",
    EavesdropAloud = "EAVESDROP!",
    PressMaster = "PRESS_MASTER",
    IgnoreResults = "IGNORE_RESULTS",
    OldJudge = "OLD_JUDGE",
    NeedMoveMarks = "NEED_MOVE_MARKS",
    SubmitMaster = "SUBMIT_MASTER",
    AlwaysConfirm = "ALWAYS_CONFIRM",
    BroadcastOrders = "BROADCAST_ORDERS",
    SignalSupport = "SIGNAL_SUPPORT",
    FictionalOk = "FICTIONAL_OK",
    ShowPhantom = "SHOW_PHANTOM",
    OrderAny = "ORDER_ANY",
    ProxyOk = "PROXY_OK",
    NoProxy = "NO_PROXY",
    CoastalCrawl = "COASTAL_CRAWL",
    FriendlyFire = "FRIENDLY_FIRE",
    DummyFire = "DUMMY_FIRE",
    WeakBounces = "WEAK_BOUNCES",
    DefaultUnordered = "DEFAULT_UNORDERED",
    UnitsAdapt = "UNITS_ADAPT",
    Hibernate = "HIBERNATE",
    ImmobileDummies = "IMMOBILE_DUMMIES",
    NoCheck = "NO_CHECK",
    CoastalConvoy = "COASTAL_CONVOY",
    MultiCoastPortage = "MULTI_COAST_PORTAGE",
    PortageConvoy = "PORTAGE_CONVOY",
    SafeConvoys = "SAFE_CONVOYS",
    WeakConvoys = "WEAK_CONVOYS",
    ConvoyBack = "CONVOY_BACK",
    NoRetreat = "NO_RETREAT",
    NoQuarter = "NO_QUARTER",
    BuildAny = "BUILD_ANY",
    HomeBuilds = "HOME_BUILDS",
    RemoteBuilds = "REMOTE_BUILDS",
    Garrison = "GARRISON",
    NoReserves = "NO_RESERVES",
    NoFactories = "NO_FACTORIES",
    HideBuilds = "HIDE_BUILDS",
    TextInput = "TEXT_INPUT",
    CivilDisorder = "CIVIL_DISORDER",
    CivilPreview = "CIVIL_PREVIEW",
    CdDummies = "CD_DUMMIES",
    CdBuilds = "CD_BUILDS",
    CdRetreats = "CD_RETREATS",
    CdSupports = "CD_SUPPORTS",
    SmartCd = "SMART_CD",
    NoLateChanges = "NO_LATE_CHANGES",
    LateChanges = "LATE_CHANGES",
    Blind = "BLIND",
    OwnScsSee = "OWN_SCS_SEE",
    NoScsSee = "NO_SCS_SEE",
    NoUnitsSee = "NO_UNITS_SEE",
    SeeNoScs = "SEE_NO_SCS",
    SeeAllScs = "SEE_ALL_SCS",
    SeeNoUnits = "SEE_NO_UNITS",
    UnitsSeeOther = "UNITS_SEE_OTHER",
    Myopic = "MYOPIC",
    Venetian = "VENETIAN",
    Greek = "GREEK",
    Trojan = "TROJAN",
    HideDummies = "HIDE_DUMMIES",
    HideExtenders = "HIDE_EXTENDERS",
    HideLatePowers = "HIDE_LATE_POWERS",
    HideAbsentees = "HIDE_ABSENTEES",
    SilentAbsences = "SILENT_ABSENCES",
    ListWaiters = "LIST_WAITERS",
    ListUnordered = "LIST_UNORDERED",
    Progressive = "PROGRESSIVE",
    NoReveal = "NO_REVEAL",
    NoDeadline = "NO_DEADLINE",
    JumpOffDays = "JUMP_OFF_DAYS",
    RealTime = "REAL_TIME",
    AlwaysWait = "ALWAYS_WAIT",
    NoMinorWait = "NO_MINOR_WAIT",
    PlayerDeadlines = "PLAYER_DEADLINES",
    NoAbsences = "NO_ABSENCES",
    Preview = "PREVIEW",
    NoDraw = "NO_DRAW",
    ProposeDias = "PROPOSE_DIAS",
    HideProposer = "HIDE_PROPOSER",
    NoDias = "NO_DIAS",
    HoldWin = "HOLD_WIN",
    SharedVictory = "SHARED_VICTORY",
    TeamVictory = "TEAM_VICTORY",
    VictoryHomes = "VICTORY_HOMES",
    NoEog = "NO_EOG",
    LastManStanding = "LAST_MAN_STANDING",
    VassalDummies = "VASSAL_DUMMIES",
    TornAllegiance = "TORN_ALLEGIANCE",
    AnonTransfer = "ANON_TRANSFER",
    NoDonations = "NO_DONATIONS",
    NoTransfer = "NO_TRANSFER",
    OneTransfer = "ONE_TRANSFER",
    NoLooting = "NO_LOOTING",
    Exchange = "EXCHANGE",
    FlatTax = "FLAT_TAX",
    NoHoarding = "NO_HOARDING",
    Zerosum = "ZEROSUM",
    Ebayola = "EBAYOLA",
    HideCost = "HIDE_COST",
    HideOffers = "HIDE_OFFERS",
    PublicTotals = "PUBLIC_TOTALS",
    NoLedgers = "NO_LEDGERS",
    DirectOnly = "DIRECT_ONLY",
    RestrictSignal = "RESTRICT_SIGNAL",
    PayDummies = "PAY_DUMMIES",
    NoSavings = "NO_SAVINGS",
    NoPlateau = "NO_PLATEAU",
    PayolaClassic = "PAYOLA_CLASSIC",
    LimitOffers = "LIMIT_OFFERS",
    RemoteOffer = "REMOTE_OFFER",
    ZeroForeign = "ZERO_FOREIGN",
    PublicLists = "PUBLIC_LISTS",
    LimitLists = "LIMIT_LISTS",
    TouchOffer = "TOUCH_OFFER",
    UnitsSeeSame = "UNITS_SEE_SAME",
    NoMilitia = "NO_MILITIA",
    NoPartisans = "NO_PARTISANS",
}

/// The rules in force: a bitset.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rules([u64; 3]);

impl Rules {
    /// No rule.
    pub const fn none() -> Rules {
        Rules([0; 3])
    }
    /// Whether the rule is in force.
    pub const fn has(&self, rule: Rule) -> bool {
        self.0[rule as usize / 64] & (1 << (rule as usize % 64)) != 0
    }
    /// Switches a rule on.
    pub fn set(&mut self, rule: Rule) {
        self.0[rule as usize / 64] |= 1 << (rule as usize % 64);
    }
    /// Switches a rule off.
    pub fn unset(&mut self, rule: Rule) {
        self.0[rule as usize / 64] &= !(1 << (rule as usize % 64));
    }
    /// Those in force, in catalogue order.
    pub fn iter(&self) -> impl Iterator<Item = Rule> + '_ {
        Rule::ALL.iter().copied().filter(|r| self.has(*r))
    }
}

impl FromIterator<Rule> for Rules {
    fn from_iter<T: IntoIterator<Item = Rule>>(rules: T) -> Self {
        let mut set = Rules::none();
        for rule in rules {
            set.set(rule);
        }
        set
    }
}
