//! The facts of a board, as other programs compare them (operations.md OPS-014; README of the map data).
