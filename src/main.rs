//! The `chancery` program: see `chancery --help`.

fn main() -> std::process::ExitCode {
    chancery::cli::main()
}
