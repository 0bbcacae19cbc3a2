//! `check`: what Karpenter and kube-scheduler will make of manifests, before they are applied.

pub mod baseline;
mod claims;
pub mod configuration;
pub mod context;
pub mod examine;
pub mod finding;
pub mod forecast;
pub mod ignore;
pub mod manifest;
mod misprediction;
mod outlook;
mod overlay;
mod passes;
mod pods;
pub mod pools;
pub mod position;
mod replaced;
pub mod rule;
pub mod rules;
mod run;
pub mod template;
pub mod tree;
pub mod uses;
pub mod yaml;

pub use baseline::Baseline;
pub use configuration::{Configuration, ConfigurationError, IgnoreRule};
pub use context::{Context, Surroundings};
pub use examine::{Examination, Examined, File, Unreadable, examine};
pub use finding::{Finding, Problem, Severity};
pub use forecast::{CannotForecast, Forecast, PlannedNode, SchedulerSetup, Wanted, forecast};
pub use manifest::Manifest;
pub use rule::{Look, Rule};
pub use rules::RULES;
pub use run::check;
pub use template::Template;
