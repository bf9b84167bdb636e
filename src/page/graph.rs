//! A small graph as a picture: layers from left to right, placed by `layout-rs`, drawn here so that every node is a link
//! and can be read aloud. Never more than a neighbourhood.

use layout::core::base::Orientation;
use layout::core::color::Color;
use layout::core::format::{ClipHandle, RenderBackend};
use layout::core::geometry::Point;
use layout::core::style::{LineStyleKind, StyleAttr};
use layout::std_shapes::shapes::{Arrow, Element, LineEndKind, ShapeKind};
use layout::topo::layout::VisualGraph;
use maud::{Markup, html};

/// More would be a hairball.
const MOST_NODES: usize = 24;
const MOST_EDGES: usize = 60;
const FONT: usize = 12;
/// Of a letter at that size, more or less.
const LETTER: f64 = 6.9;
const HEIGHT: f64 = 28.0;
/// Layers are placed further apart than a page has room for: so much of the height is kept.
const FLATTER: f64 = 0.5;
/// Before the number of a node, so that no label is taken for one.
const NODE: char = '\u{1}';

#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) id: String,
    pub(super) label: String,
    pub(super) address: String,
    pub(super) is_here: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Edge {
    pub(super) from: String,
    pub(super) to: String,
    pub(super) label: String,
}

pub(super) fn drawn(title: &str, nodes: &[Node], edges: &[Edge]) -> Markup {
    // The one it is about is always there.
    let mut kept: Vec<&Node> = nodes.iter().filter(|node| node.is_here).collect();
    kept.extend(nodes.iter().filter(|node| !node.is_here).take(MOST_NODES - kept.len().min(MOST_NODES)));
    let place = |id: &str| kept.iter().position(|node| node.id == id);
    let ends: Vec<(usize, usize, &str)> = edges
        .iter()
        .filter_map(|edge| Some((place(&edge.from)?, place(&edge.to)?, edge.label.as_str())))
        .filter(|(from, to, _)| from != to)
        .take(MOST_EDGES)
        .collect();
    let mut drawing = Drawing::default();
    arrange(&kept, &ends, &mut drawing);
    let (width, height) = drawing.size();
    html! {
        svg.graph role="group" aria-label=(title) viewBox=(format!("0 0 {width:.0} {height:.0}")) width=(format!("{width:.0}")) height=(format!("{height:.0}")) {
            title { (title) }
            @for way in &drawing.ways { path.edge d=(way) aria-hidden="true" {} }
            @for (label, at) in &drawing.labels {
                text.soft x=(format!("{:.0}", at.x)) y=(format!("{:.0}", at.y - 3.0)) text-anchor="middle" font-size="10" aria-hidden="true" { (label) }
            }
            @for (node, corner, size) in drawing.nodes.iter().filter_map(|(place, corner, size)| Some((kept.get(*place)?, corner, size))) {
                a href=(node.address) {
                    g.node.here[node.is_here] {
                        rect x=(format!("{:.0}", corner.x)) y=(format!("{:.0}", corner.y)) width=(format!("{:.0}", size.x)) height=(format!("{:.0}", size.y)) rx="6" {}
                        text x=(format!("{:.0}", corner.x + size.x / 2.0)) y=(format!("{:.0}", corner.y + size.y / 2.0 + 4.0)) text-anchor="middle" { (node.label) }
                    }
                }
            }
        }
        @if nodes.len() > kept.len() { p.hint { "and " (nodes.len() - kept.len()) " more" } }
    }
}

fn arrange(nodes: &[&Node], ends: &[(usize, usize, &str)], drawing: &mut Drawing) {
    let mut graph = VisualGraph::new(Orientation::LeftToRight);
    let handles: Vec<_> = nodes
        .iter()
        .enumerate()
        .map(|(place, node)| {
            // The name of a shape is its number: what it says is drawn by us, and never read as markup.
            let shape = ShapeKind::new_box(&format!("{NODE}{place}"));
            let style = StyleAttr::new(Color::fast("black"), 1, None, 0, FONT);
            let width = (node.label.chars().count() as f64 * LETTER + 18.0).max(48.0);
            graph.add_node(Element::create(shape, style, Orientation::LeftToRight, Point::new(width, HEIGHT)))
        })
        .collect();
    for (from, to, label) in ends {
        let style = StyleAttr::new(Color::fast("black"), 1, None, 0, FONT);
        let arrow =
            Arrow::new(LineEndKind::None, LineEndKind::Arrow, LineStyleKind::Normal, label, &style, &None, &None);
        graph.add_edge(arrow, handles[*from], handles[*to]);
    }
    graph.do_it(false, false, false, drawing);
}

/// What the layout draws, taken down and made flatter.
#[derive(Default)]
struct Drawing {
    /// Number, corner and size.
    nodes: Vec<(usize, Point, Point)>,
    ways: Vec<String>,
    /// What stands on the ways.
    labels: Vec<(String, Point)>,
    boxes: Vec<(Point, Point)>,
}

impl Drawing {
    fn size(&self) -> (f64, f64) {
        let far =
            |axis: fn(&Point) -> f64| self.boxes.iter().map(|(at, size)| axis(at) + axis(size)).fold(0.0, f64::max);
        (far(|point| point.x) + 12.0, far(|point| point.y) + 12.0)
    }
}

fn flat(point: &Point) -> Point {
    Point::new(point.x, point.y * FLATTER)
}

impl RenderBackend for Drawing {
    /// A box keeps its height about its middle.
    fn draw_rect(&mut self, xy: Point, size: Point, _: &StyleAttr, _: Option<String>, _: Option<ClipHandle>) {
        let middle = flat(&Point::new(xy.x, xy.y + size.y / 2.0));
        self.boxes.push((Point::new(middle.x, middle.y - size.y / 2.0), size));
    }

    fn draw_line(&mut self, _: Point, _: Point, _: &StyleAttr, _: Option<String>) {}

    fn draw_circle(&mut self, _: Point, _: Point, _: &StyleAttr, _: Option<String>) {}

    /// The name of a node follows its box; whatever else is written stands on a way.
    fn draw_text(&mut self, xy: Point, text: &str, _: &StyleAttr) {
        let place = text.strip_prefix(NODE).and_then(|number| number.parse().ok());
        match (place, self.boxes.last()) {
            (Some(place), Some((corner, size))) => self.nodes.push((place, *corner, *size)),
            _ => self.labels.push((text.to_owned(), flat(&xy))),
        }
    }

    /// Of each step the point it leads to and the one that bends it.
    fn draw_arrow(
        &mut self,
        path: &[(Point, Point)],
        _: bool,
        _: (bool, bool),
        _: &StyleAttr,
        _: Option<String>,
        _: &str,
    ) {
        let [(start, bend), rest @ ..] = path else { return };
        let at = |point: &Point| {
            let point = flat(point);
            format!("{:.1} {:.1}", point.x, point.y)
        };
        let mut way = format!("M {}", at(start));
        for (place, (one, two)) in rest.iter().enumerate() {
            match place {
                0 => way.push_str(&format!(" C {}, {}, {}", at(bend), at(one), at(two))),
                _ => way.push_str(&format!(" S {}, {}", at(one), at(two))),
            }
        }
        self.ways.push(way);
    }

    fn create_clip(&mut self, _: Point, _: Point, _: usize) -> ClipHandle {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(id: &str, label: &str, is_here: bool) -> Node {
        Node { id: id.to_owned(), label: label.to_owned(), address: format!("/x/{id}"), is_here }
    }

    #[test]
    fn every_node_is_a_link_and_no_text_is_markup() {
        let nodes = [node("a", "<script>alert(1)</script>", true), node("b", "two", false)];
        let edges = [Edge { from: "a".into(), to: "b".into(), label: "<b>so</b>".into() }];
        let svg = drawn("around", &nodes, &edges).into_string();
        assert!(svg.contains("href=\"/x/a\"") && svg.contains("href=\"/x/b\"") && svg.contains("<path"), "{svg}");
        assert!(!svg.contains("<script>") && !svg.contains("<b>") && svg.contains("&lt;b&gt;so"), "{svg}");
        assert_eq!(svg, drawn("around", &nodes, &edges).into_string(), "the same graph is the same picture");
    }

    #[test]
    fn a_circle_of_links_and_a_crowd_are_drawn_too() {
        let nodes: Vec<Node> = (0..60).map(|at| node(&at.to_string(), "n", at == 59)).collect();
        let edges: Vec<Edge> = (0..60)
            .map(|at: usize| Edge { from: at.to_string(), to: ((at + 1) % 60).to_string(), label: String::new() })
            .collect();
        let svg = drawn("around", &nodes, &edges).into_string();
        assert_eq!(svg.matches("<rect").count(), MOST_NODES);
        assert!(svg.contains("/x/59") && svg.contains("and 36 more"));
    }
}
