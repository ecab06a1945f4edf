//! From command lines to commands (mail-commands.md 3 and 4). Reading never acts: it yields blocks, each a header
//! command with what follows it, and every line that could not be read carries its refusal.

mod body;
mod header;
mod press;

pub use body::{Command, SetDate};
pub use header::{Header, SeatName};
pub use press::{Audience, Claim, PressBlock, PressOptions};

use super::code::{Code, Refusal};

/// Blocks of press in one message.
const MOST_PRESS: usize = 20;

/// One line of a message, numbered as the sender sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Number, from 1.
    pub number: usize,
    /// Text, blanks at both ends trimmed outside press.
    pub text: String,
}

impl Line {
    /// Numbers plain texts from 1.
    pub fn all<S: AsRef<str>>(texts: impl IntoIterator<Item = S>) -> Vec<Line> {
        texts.into_iter().enumerate().map(|(n, t)| Line { number: n + 1, text: t.as_ref().to_string() }).collect()
    }
    fn first_word(&self) -> String {
        self.text.split_whitespace().next().unwrap_or("").to_uppercase()
    }
}

/// A thing in the body of a block, in the order written.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// Press or broadcast, with its text.
    Press(PressBlock),
    /// A command other than orders.
    Command(Line, Command),
    /// An order line, CLEAR or PARTIAL included.
    Order(Line),
    /// A line that is a command but is wrong.
    Wrong(Line, Refusal),
}

/// A header command and what follows it up to the next one.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// The line of the header command.
    pub line: Line,
    /// What it says, or why it could not be read.
    pub header: Result<Header, Refusal>,
    /// Its body; for CREATE empty (the lines are in the header).
    pub items: Vec<Item>,
    /// Warnings met while reading.
    pub warnings: Vec<(Line, Code, String)>,
    /// Whether the message must not be read on behind this block (unclosed press).
    pub stops: bool,
}

/// Reads the command lines of a message into blocks. `is_game` tells whether a word names a game of this judge: needed to
/// see a forgotten ENDPRESS (D23).
pub fn read(lines: &[Line], is_game: &dyn Fn(&str) -> bool) -> Vec<Block> {
    read_all(lines, is_game).0
}

/// The same, and the lines that belong to no block.
pub fn read_all(lines: &[Line], is_game: &dyn Fn(&str) -> bool) -> (Vec<Block>, Vec<Line>) {
    let mut blocks: Vec<Block> = Vec::new();
    let mut strays = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let line = &lines[at];
        if line.text.trim().is_empty() {
            at += 1;
            continue;
        }
        if line.first_word() == "SIGNOFF" {
            break;
        }
        let Some(header) = header::read(line) else {
            // Behind a question, where nothing but a further header command can stand.
            strays.push(line.clone());
            at += 1;
            continue;
        };
        let mut block = Block { line: line.clone(), header, items: Vec::new(), warnings: Vec::new(), stops: false };
        at += 1;
        let ended = match &mut block.header {
            Ok(Header::Create { lines: inside, .. }) => {
                let (taken, ended) = header::create_lines(&lines[at..]);
                inside.extend(lines[at..at + taken].iter().cloned());
                at += taken;
                ended
            }
            Ok(Header::Register { lines: inside }) => {
                let end = lines[at..].iter().position(|l| l.first_word() == "END").unwrap_or(lines.len() - at);
                inside.extend(lines[at..at + end].iter().cloned());
                at += (end + 1).min(lines.len() - at);
                false
            }
            Ok(header) if !header.has_body() => false,
            _ => body::read(lines, &mut at, &mut block, is_game),
        };
        let stop = ended || block.stops;
        blocks.push(block);
        if stop {
            break;
        }
    }
    too_much_press(&mut blocks);
    (blocks, strays)
}

/// What is beyond the limit of one message is refused, and the sign-on it belongs to with it (mail-commands.md 6.4).
fn too_much_press(blocks: &mut [Block]) {
    let items = blocks.iter_mut().flat_map(|block| &mut block.items);
    let press = items.filter_map(|item| match item {
        Item::Press(press) => Some(press),
        _ => None,
    });
    for press in press.skip(MOST_PRESS).filter(|press| press.options.is_ok()) {
        let sentence =
            format!("A mail has at most {MOST_PRESS} blocks of press. Send the others in a mail of their own.");
        press.options = super::code::refuse(Code::PressSize, sentence);
    }
}

/// Whether a line opens with a header command (mail-commands.md 3.1).
pub fn is_header(text: &str) -> bool {
    header::read(&Line { number: 0, text: text.to_string() }).is_some()
}
