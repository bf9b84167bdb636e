//! placeholder
use super::daemon::Trouble;
use super::frame::Sheet;
use super::site::Here;
pub(super) async fn screen(_here: Here) -> Result<Sheet, Trouble> {
    Err(Trouble::new(404, "not built"))
}
