//! The answer as one page: charts as SVG of our own, tables, and the machine. It loads nothing from anywhere.

mod panel;
mod draw;
mod bars;
mod lines;
mod sysmon;
mod page;
mod text;
mod png;

use std::path::{Path, PathBuf};

use super::definition::Definition;
use super::library;
use super::results::{Results, read};

/// Writes `report.html` from the results in `directory`, each chart also as a picture in `charts`, and `NAME-sysmon.txt` for experiments that
/// have such a sheet. Err: there are none, or they cannot be read.
pub fn write(directory: &Path) -> Result<PathBuf, String> {
    let measured = measured(directory)?;
    for (definition, results) in &measured {
        if let Some(sheets) = sysmon::sheets(definition, results) {
            put(directory.join(format!("{}-sysmon.txt", definition.name)), sheets.as_bytes())?;
        }
        pictures(&directory.join("charts"), definition, results)?;
    }
    put(directory.join("report.html"), page::page(&measured).as_bytes())
}

/// The same figures as text. Err: as `write`.
pub fn text(directory: &Path) -> Result<String, String> {
    Ok(text::text(&measured(directory)?))
}

/// What has results in `directory`.
fn measured(directory: &Path) -> Result<Vec<(Definition, Results)>, String> {
    let mut measured = Vec::new();
    for definition in library::all()?.into_iter().chain(library::kept(directory)?) {
        let results = read(directory, &definition.name)?;
        if !results.machines.is_empty() {
            measured.push((definition, results));
        }
    }
    if measured.is_empty() {
        return Err(format!(
            "{0}: there are no results; heddle lab run NAME --out {0} makes some",
            directory.display()
        ));
    }
    Ok(measured)
}

fn pictures(directory: &Path, definition: &Definition, results: &Results) -> Result<(), String> {
    os::fs::create_dir_all(directory).map_err(|error| format!("{}: {error}", directory.display()))?;
    for chart in &definition.chart {
        for panel in panel::panels(definition, chart, &results.counted()) {
            if !panel.places.is_empty() {
                let name = png::file_name(&[&definition.name, &chart.title, &panel.title]);
                let picture = png::picture(&panel).map_err(|why| format!("{name}: {why}"))?;
                put(directory.join(name), &picture)?;
            }
        }
    }
    Ok(())
}

fn put(path: PathBuf, bytes: &[u8]) -> Result<PathBuf, String> {
    os::fs::write(&path, bytes).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(path)
}
