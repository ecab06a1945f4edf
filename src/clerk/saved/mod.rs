//! Saved games (saved-game-json.md): a game read under its lock and given as one, and one taken as a new game in one
//! commit. What becomes of what is `import::saved`'s.

mod give;
mod take;

pub use give::ExportOptions;
pub use take::{ImportWishes, SavedImport};
