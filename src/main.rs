//! The `chancery` program: see `chancery --help`.

/// Reading games and composing mails is mostly many small texts: with this one a round takes a fifth less of the processor.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    chancery::cli::main()
}
