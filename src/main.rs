//! The `chancery` program: see `chancery --help`.

/// Reading games and composing mails is mostly many small texts: a sixth of a round went into the C library's malloc and free.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    chancery::cli::main()
}
