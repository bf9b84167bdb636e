//! What whoever administers a team's database types.

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct TeamInit {
    /// The database, as psql takes it and without a password: `postgres://admin@db.example/team`, or `service=team`
    #[arg(value_name = "DATABASE")]
    pub(in crate::cli) database: String,
    /// What the project is called there [else the name behind --project]
    #[arg(long, value_name = "NAME")]
    pub(in crate::cli) name: Option<String>,
    /// Let this role read and write; again for more
    #[arg(long, value_name = "ROLE")]
    pub(in crate::cli) member: Vec<String>,
    /// Let this role promote, too: what it endorses binds the team
    #[arg(long, value_name = "ROLE")]
    pub(in crate::cli) promoter: Vec<String>,
    /// Let this role promote to the organisation, which every team of the database reads
    #[arg(long, value_name = "ROLE")]
    pub(in crate::cli) org_promoter: Vec<String>,
    /// Let this role in no more; what it wrote stays
    #[arg(long, value_name = "ROLE")]
    pub(in crate::cli) remove_member: Vec<String>,
    /// Create this role first, as a member unless it is named otherwise; its password is made and told once
    #[arg(long, value_name = "ROLE")]
    pub(in crate::cli) create_role: Vec<String>,
    /// Read the passwords of new roles from the standard input, a line each
    #[arg(long, requires = "create_role", requires = "yes")]
    pub(in crate::cli) password_stdin: bool,
    /// The database came back from a backup: have every machine send and read everything again
    #[arg(long)]
    pub(in crate::cli) restored: bool,
    /// Do not ask
    #[arg(short, long)]
    pub(in crate::cli) yes: bool,
}
