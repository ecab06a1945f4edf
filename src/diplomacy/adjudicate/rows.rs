//! Bit tables: one row of provinces (or locations) a line, and a set of up to 512 provinces (D13).

/// Rows of bits of one width.
#[derive(Clone, Debug)]
pub(super) struct Rows {
    words: usize,
    bits: Vec<u64>,
}

impl Rows {
    pub(super) fn new(rows: usize, columns: usize) -> Rows {
        let words = columns.div_ceil(64).max(1);
        Rows { words, bits: vec![0; rows * words] }
    }
    pub(super) fn set(&mut self, row: u16, column: u16) {
        self.bits[row as usize * self.words + column as usize / 64] |= 1 << (column % 64);
    }
    #[inline]
    pub(super) fn has(&self, row: u16, column: u16) -> bool {
        self.bits[row as usize * self.words + column as usize / 64] >> (column % 64) & 1 == 1
    }
    pub(super) fn row(&self, row: u16) -> &[u64] {
        &self.bits[row as usize * self.words..(row as usize + 1) * self.words]
    }
}

/// A set of provinces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Set([u64; 8]);

impl Set {
    #[inline]
    pub(super) fn insert(&mut self, at: u16) {
        self.0[(at as usize / 64) & 7] |= 1 << (at % 64);
    }
    #[inline]
    pub(super) fn remove(&mut self, at: u16) {
        self.0[(at as usize / 64) & 7] &= !(1 << (at % 64));
    }
    #[inline]
    pub(super) fn has(&self, at: u16) -> bool {
        self.0[(at as usize / 64) & 7] >> (at % 64) & 1 == 1
    }
    /// Adds those of a row that are also in `among`; says whether anything was new.
    pub(super) fn grow(&mut self, row: &[u64], among: &Set) -> bool {
        let mut grown = false;
        for ((mine, theirs), allowed) in self.0.iter_mut().zip(row).zip(&among.0) {
            let new = theirs & allowed & !*mine;
            grown |= new != 0;
            *mine |= new;
        }
        grown
    }
    pub(super) fn iter(&self) -> impl Iterator<Item = u16> + '_ {
        self.0.iter().enumerate().flat_map(|(word, bits)| {
            let mut bits = *bits;
            std::iter::from_fn(move || {
                let at = (bits != 0).then(|| bits.trailing_zeros())?;
                bits &= bits - 1;
                Some(word as u16 * 64 + at as u16)
            })
        })
    }
}

/// Identifiers as table indices.
pub(super) trait At: Copy {
    /// The index.
    fn index(self) -> usize;
}
impl At for crate::diplomacy::map::ProvinceId {
    fn index(self) -> usize {
        self.0 as usize
    }
}
impl At for crate::diplomacy::map::LocationId {
    fn index(self) -> usize {
        self.0 as usize
    }
}
