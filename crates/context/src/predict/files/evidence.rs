//! What speaks for a file, as plain numbers.

use lokid_index::cochange::PathId;

macro_rules! features {
    ($($name:ident $text:literal $weight:literal,)*) => {
        /// One kind of evidence. The numbers are near 0 where nothing speaks for a file, and seldom above 3.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Feature { $($name,)* }

        impl Feature {
            pub const ALL: [Feature; FEATURES] = [$(Feature::$name,)*];

            pub fn name(self) -> &'static str {
                match self { $(Feature::$name => $text,)* }
            }

            /// What it counts where nothing better was learnt.
            pub(super) fn default_weight(self) -> f64 {
                match self { $(Feature::$name => $weight,)* }
            }
        }

        pub(crate) const FEATURES: usize = [$($text,)*].len();
    };
}

features! {
    Together "together" 0.63,
    TogetherLately "together_lately" -0.50,
    TogetherNow "together_now" -0.42,
    Chance "chance" -0.72,
    ChanceEver "chance_ever" -0.42,
    ChanceBack "chance_back" 1.63,
    ChanceSmall "chance_small" 0.35,
    LastTogether "last_together" 0.82,
    Run "run" 0.12,
    TogetherByAuthor "together_by_author" 0.09,
    AroundFolder "around_folder" 0.23,
    AroundNames "around_names" 0.84,
    TwoSteps "two_steps" -0.31,
    Fresh "fresh" 0.36,
    Recent "recent" 0.28,
    Heat "heat" 0.28,
    Mine "mine" 0.76,
    MineNow "mine_now" 0.69,
    MineShare "mine_share" 0.37,
    SameFolder "same_folder" -0.03,
    Near "near" -0.29,
    Namesake "namesake" -0.07,
    SameName "same_name" -0.87,
    SameKind "same_kind" 0.26,
    Words "words" 0.47,
    NameWords "name_words" 0.75,
    Bond "bond" 0.14,
    Foremost "foremost" 1.68,
    ForemostAround "foremost_around" 0.81,
    ForemostRun "foremost_run" 0.29,
    RankTogether "rank_together" -0.34,
    RankBack "rank_back" 0.64,
    RankAround "rank_around" -0.20,
    RankMine "rank_mine" 0.30,
    Imported "imported" 0.11,
    Importer "importer" 0.11,
    Alike "alike" 0.30,
    ForemostAlike "foremost_alike" 0.83,
    Session "session" 1.00,
    NewNamesake "new_namesake" 1.61,
    NewRun "new_run" -0.36,
    NewBack "new_back" 0.02,
    NewNear "new_near" 0.66,
    NewWords "new_words" 2.20,
    NewFolder "new_folder" 0.22,
    NewAround "new_around" 1.52,
    NewHeat "new_heat" 0.29,
    NewRecent "new_recent" -0.41,
    NewMine "new_mine" 0.42,
}

/// What speaks for one file.
#[derive(Clone, Debug)]
pub(crate) struct FileEvidence<'a> {
    pub(crate) path: &'a str,
    pub(crate) place: Option<PathId>,
    pub(crate) features: [f32; FEATURES],
    /// How often it changed with the opened one, as far as was looked.
    pub(crate) times: u32,
    /// When it last did, in seconds since 1970.
    pub(crate) last: i64,
}

impl<'a> FileEvidence<'a> {
    pub(super) fn new(path: &'a str, place: Option<PathId>) -> FileEvidence<'a> {
        FileEvidence { path, place, features: [0.0; FEATURES], times: 0, last: i64::MIN }
    }

    pub(super) fn set(&mut self, feature: Feature, value: f64) {
        self.features[feature as usize] = value as f32;
    }

    pub(super) fn add(&mut self, feature: Feature, value: f64) {
        self.features[feature as usize] += value as f32;
    }

    pub(crate) fn get(&self, feature: Feature) -> f64 {
        f64::from(self.features[feature as usize])
    }
}
