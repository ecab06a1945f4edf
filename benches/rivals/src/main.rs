fn main() { println!("hello"); let _ = chancery::diplomacy::map::Map::builtin("standard"); }
