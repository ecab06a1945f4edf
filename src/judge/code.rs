//! The codes of replies (mail-commands.md 5.3): stable words that tests, logs and programs read.

macro_rules! codes {
    ($($variant:ident = $name:literal,)*) => {
        /// Why a command was refused, or what it warns of.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs)]
        pub enum Code { $($variant,)* }
        impl Code {
            /// The word in replies: `R_NO_GAME`.
            pub const fn name(self) -> &'static str {
                match self { $(Code::$variant => $name,)* }
            }
        }
    };
}

codes! {
    NoCommand = "R_NO_COMMAND", NoGame = "R_NO_GAME", BadLogin = "R_BAD_LOGIN", NoPassword = "R_NO_PASSWORD",
    BadPassword = "R_BAD_PASSWORD", NotRegistered = "R_NOT_REGISTERED", Full = "R_FULL", NoChoice = "R_NO_CHOICE",
    NoPower = "R_NO_POWER", PowerDummy = "R_POWER_DUMMY", PowerTaken = "R_POWER_TAKEN", NotInvited = "R_NOT_INVITED",
    AlreadyPlaying = "R_ALREADY_PLAYING", IsMaster = "R_IS_MASTER", Private = "R_PRIVATE", Syntax = "R_SYNTAX",
    BadId = "R_BAD_ID", BadType = "R_BAD_TYPE", NotHeld = "R_NOT_HELD", MasterResign = "R_MASTER_RESIGN",
    NotVacant = "R_NOT_VACANT", Blind = "R_BLIND", NoMap = "R_NO_MAP", MasterOnly = "R_MASTER_ONLY",
    NotReady = "R_NOT_READY", BadState = "R_BAD_STATE", BadDate = "R_BAD_DATE", BadAbsence = "R_BAD_ABSENCE",
    BadAddress = "R_BAD_ADDRESS", BadZone = "R_BAD_ZONE", NoWait = "R_NO_WAIT", NoVote = "R_NO_VOTE",
    BadVote = "R_BAD_VOTE", UnknownSet = "R_UNKNOWN_SET", Locked = "R_LOCKED", TooLarge = "R_TOO_LARGE",
    TooComplex = "R_TOO_COMPLEX", Rate = "R_RATE", Unreadable = "R_UNREADABLE", Internal = "R_INTERNAL",
    PressMasterOnly = "R_PRESS_MASTER_ONLY", PressNotNow = "R_PRESS_NOT_NOW", PressNone = "R_PRESS_NONE",
    PressPublic = "R_PRESS_PUBLIC", PressBackseat = "R_PRESS_BACKSEAT", PressTouch = "R_PRESS_TOUCH",
    PressLate = "R_PRESS_LATE", PressLateReader = "R_PRESS_LATE_READER", PressOrderFirst = "R_PRESS_ORDER_FIRST",
    PressFake = "R_PRESS_FAKE", PressFakeMaster = "R_PRESS_FAKE_MASTER", PressGrey = "R_PRESS_GREY",
    PressReader = "R_PRESS_READER", PressSyntax = "R_PRESS_SYNTAX", PressUnclosed = "R_PRESS_UNCLOSED",
    PressSize = "R_PRESS_SIZE",
    TerminatorTail = "W_TERMINATOR_TAIL", TrailingText = "W_TRAILING_TEXT", Identity = "W_IDENTITY",
    NoUnits = "E_NO_UNITS", BadFile = "R_BAD_FILE",
}

/// A refusal: a code and one sentence that says what would be right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Code.
    pub code: Code,
    /// Sentence.
    pub sentence: String,
}

/// Shorthand for a [`Refusal`].
pub fn refuse<T>(code: Code, sentence: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal { code, sentence: sentence.into() })
}
