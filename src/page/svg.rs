//! The few charts of a page, as SVG in its text: colours and fonts are those of the page, and each says in words what it
//! shows.

use maud::{Markup, html};

use crate::report::figure::Value;
use crate::report::statistics::{Percent, Proportion};

use super::words::number;

/// A share with its interval on a line from 0 to 100 %, and a tick for what the paper has.
pub fn interval(share: Proportion, paper: Option<Percent>) -> Markup {
    let (Some(percent), Some((low, high))) = (share.percent(), share.interval()) else { return html! {} };
    let x = |percent: Percent| format!("{:.1}", 4.0 + f64::from(percent.tenths()) * 0.112);
    let paper_says = paper.map(|paper| format!(", paper {paper} %")).unwrap_or_default();
    html! {
        svg.interval viewBox="0 0 120 14" width="120" height="14" role="img" {
            title { (percent) " %, interval " (low) " to " (high) (paper_says) }
            path.axis d="M4 7H116M4 4v6M60 5v4M116 4v6" {}
            path.range d={ "M" (x(low)) " 7H" (x(high)) } {}
            circle.point cx=(x(percent)) cy="7" r="3" {}
            @if let Some(paper) = paper {
                path.paper d={ "M" (x(paper)) " 1v12" } {}
            }
        }
    }
}

/// A bar as long as `value` is, compared with `most`.
pub fn bar(value: f64, most: f64, says: &str) -> Markup {
    let width = if most > 0.0 { 116.0 * value / most } else { 0.0 };
    html! {
        svg.interval viewBox="0 0 120 14" width="120" height="14" role="img" {
            title { (says) }
            path.axis d="M2 12H118" {}
            rect.point x="2" y="3" width=(format!("{width:.1}")) height="8" {}
        }
    }
}

/// A scale from 0, or one whose equal steps are equal factors: whichever shows more of values.
#[derive(Clone, Copy, Debug)]
enum Scale {
    Linear(u64),
    Log(Log),
}

impl Scale {
    /// For these values.
    fn of(values: impl Iterator<Item = u64> + Clone) -> Self {
        let (least, most) = (values.clone().min().unwrap_or(0), values.clone().max().unwrap_or(1));
        if most > 20 * least.max(1) {
            return Self::Log(Log::around(values));
        }
        // The next number of which the half is a number, too, and that begins with 1, 2, 4, 6 or 8.
        let power = 10_u64.pow(most.max(1).ilog10());
        let top = [2, 4, 6, 8, 10, 20].map(|times| times * power).into_iter().find(|&top| top >= most);
        Self::Linear(top.unwrap_or(most).max(2))
    }

    /// Where `value` is, from 0 to 1.
    fn place(self, value: u64) -> f64 {
        match self {
            Self::Linear(top) => value as f64 / top as f64,
            Self::Log(log) => log.place(value),
        }
    }

    /// What is written beside it.
    fn ticks(self) -> Vec<u64> {
        match self {
            Self::Linear(top) => vec![0, top / 2, top],
            Self::Log(log) => log.ticks().collect(),
        }
    }
}

/// A scale whose equal steps are equal factors.
#[derive(Clone, Copy, Debug)]
pub struct Log {
    low: f64,
    high: f64,
}

impl Log {
    /// From a power of ten below all of `values` to one above them.
    pub fn around(values: impl IntoIterator<Item = u64>) -> Self {
        let (least, most) = values
            .into_iter()
            .fold((u64::MAX, 1), |(least, most), value| (least.min(value.max(1)), most.max(value)));
        let low = (least.min(most) as f64).log10().floor();
        Self { low, high: (most as f64).log10().ceil().max(low + 1.0) }
    }

    /// Where `value` is, from 0 to 1.
    fn place(self, value: u64) -> f64 {
        ((value.max(1) as f64).log10() - self.low) / (self.high - self.low)
    }

    /// The powers of ten.
    fn ticks(self) -> impl Iterator<Item = u64> {
        (self.low as u32..=self.high as u32).map(|power| 10_u64.saturating_pow(power))
    }
}

/// Values of several series on one scale, a mark for each.
pub fn dots(values: &[(&str, u64)], scale: Log) -> Markup {
    let x = |value: u64| format!("{:.1}", 6.0 + 168.0 * scale.place(value));
    let says: Vec<String> = values.iter().map(|(name, value)| format!("{name} {}", number(*value))).collect();
    let ticks: String = scale.ticks().map(|tick| format!("M{} 10v4", x(tick))).collect();
    html! {
        svg.dots viewBox="0 0 180 14" width="180" height="14" role="img" {
            title { (says.join(", ")) }
            path.axis d={ "M6 12H174" (ticks) } {}
            @for (place, &(_, value)) in values.iter().enumerate() {
                (mark(place, &x(value), 6.0))
            }
        }
    }
}

/// The mark of a series.
fn mark(series: usize, x: &str, y: f64) -> Markup {
    let y = format!("{y:.1}");
    html! {
        @match series {
            0 => circle.hollow cx=(x) cy=(y) r="3.2" {},
            1 => circle.point cx=(x) cy=(y) r="3.6" {},
            _ => path.other d={ "M" (x) " " (y) "m-3.6 0l3.6 -3.6l3.6 3.6l-3.6 3.6z" } {},
        }
    }
}

/// The marks of series with their names.
pub fn key(names: &[&str]) -> Markup {
    html! {
        p.key {
            @for (place, name) in names.iter().enumerate() {
                span {
                    svg viewBox="0 0 12 12" width="12" height="12" aria-hidden="true" { (mark(place, "6", 6.0)) }
                    " " (name)
                }
            }
        }
    }
}

/// A series of a chart: points from left to right.
pub struct Series<'a> {
    /// What it is called.
    pub name: &'a str,
    /// Its points.
    pub points: Vec<(u64, u64)>,
    /// Where its last value ends.
    pub end: u64,
}

/// A chart's box, in its own units.
const WIDTH: f64 = 280.0;
const HEIGHT: f64 = 165.0;
const LEFT: f64 = 40.0;
const RIGHT: f64 = 8.0;
const TOP: f64 = 22.0;
const BOTTOM: f64 = 32.0;

/// Values that hold until the next one comes: sizes, on a scale of factors, over executions.
pub fn steps(title: &str, series: &[Series<'_>]) -> Markup {
    let sizes = Scale::of(series.iter().flat_map(|series| series.points.iter().map(|&(_, size)| size)));
    let most = series.iter().map(|series| series.end).max().unwrap_or(1).max(1);
    let x = |at: u64| LEFT + (WIDTH - LEFT - RIGHT) * at as f64 / most as f64;
    let y = |size: u64| HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * sizes.place(size);
    let line = |series: &Series<'_>| {
        let mut path = String::new();
        for (place, &(at, size)) in series.points.iter().enumerate() {
            path += &match place {
                0 => format!("M{:.1} {:.1}", x(at), y(size)),
                _ => format!("H{:.1}V{:.1}", x(at), y(size)),
            };
        }
        format!("{path}H{:.1}", x(series.end))
    };
    let says = |series: &Series<'_>| {
        let (first, last) = (series.points.first(), series.points.last());
        let size = |point: Option<&(u64, u64)>| point.map_or(String::new(), |&(_, size)| number(size));
        let name = if series.name.is_empty() { String::new() } else { format!("{}: ", series.name) };
        let end = number(series.end);
        format!("{name}from {} to {} bytes in {end} executions.", size(first), size(last))
    };
    html! {
        svg.chart viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } role="img" {
            title { (title) }
            desc { (series.iter().map(says).collect::<Vec<_>>().join(" ")) }
            @for tick in sizes.ticks() {
                path.axis d={ "M" (LEFT) " " (format!("{:.1}", y(tick))) "H" (WIDTH - RIGHT) } {}
                text x=(LEFT - 5.0) y=(format!("{:.1}", y(tick) + 4.0)) text-anchor="end" { (number(tick)) }
            }
            text x=(LEFT) y=(HEIGHT - BOTTOM + 14.0) { "0" }
            text x=(WIDTH - RIGHT) y=(HEIGHT - BOTTOM + 14.0) text-anchor="end" { (number(most)) }
            text x=((LEFT + WIDTH - RIGHT) / 2.0) y=(HEIGHT - 4.0) text-anchor="middle" { "executions" }
            text x="0" y="9" { "bytes" }
            @for (place, series) in series.iter().enumerate() {
                path class={ "line series-" (place % 6) } d=(line(series)) {}
            }
        }
    }
}

/// A figure of one run in a chart.
struct Dot {
    place: usize,
    y: f64,
    /// The ends of its interval.
    ends: Option<(Percent, Percent)>,
    words: String,
}

/// A figure over runs, of which `days` says when each began; `points` have the places of the runs. The last one is set off.
pub fn trend(title: &str, days: &[String], points: &[(usize, Value)]) -> Markup {
    /// There is no name below the axis.
    const BOTTOM: f64 = 20.0;

    let last = days.len().saturating_sub(1);
    let of = |percent: Percent| f64::from(percent.tenths()) / 10.0;
    let height = HEIGHT - TOP - BOTTOM;
    let shares: Vec<Proportion> = points.iter().filter_map(|(_, value)| value.share()).collect();
    let ends = || shares.iter().filter_map(|share| share.interval());
    // What is near 0 or 100 % is looked at closely.
    let low = (ends().map(|(low, _)| of(low)).fold(90.0, f64::min) / 10.0).floor() * 10.0;
    let high = (ends().map(|(_, high)| of(high)).fold(10.0, f64::max) / 10.0).ceil() * 10.0;
    let counts = Scale::of(points.iter().filter_map(|(_, value)| value.count()));
    let y_of_percent = |percent: f64| HEIGHT - BOTTOM - height * (percent - low) / (high - low);
    let y_of_count = |count: u64| HEIGHT - BOTTOM - height * counts.place(count);
    let ticks: Vec<(f64, String)> = match shares.is_empty() {
        true => counts.ticks().into_iter().map(|tick| (y_of_count(tick), number(tick))).collect(),
        false => [low, (low + high) / 2.0, high].map(|tick| (y_of_percent(tick), tick.to_string())).into(),
    };
    let x = |place: usize| LEFT + 8.0 + (WIDTH - LEFT - RIGHT - 16.0) * place as f64 / last.max(1) as f64;
    let dot = |&(place, value): &(usize, Value)| match value {
        Value::Share(share) => {
            let (share, percent) = (share?, share?.percent()?);
            Some(Dot {
                place,
                y: y_of_percent(of(percent)),
                ends: share.interval(),
                words: format!("{percent} %"),
            })
        }
        Value::Count(count) => Some(Dot { place, y: y_of_count(count?), ends: None, words: number(count?) }),
    };
    let dots: Vec<Dot> = points.iter().filter_map(dot).collect();
    let says = |Dot { place, words, .. }: &Dot| {
        format!("{}: {words}.", if *place == last { "This run" } else { days[*place].as_str() })
    };
    let line: Vec<String> = dots.iter().map(|dot| format!("{:.1} {:.1}", x(dot.place), dot.y)).collect();
    html! {
        svg.chart viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } role="img" {
            title { (title) ", over runs" }
            desc { (dots.iter().map(says).collect::<Vec<_>>().join(" ")) }
            @for (y, text) in &ticks {
                path.axis d={ "M" (LEFT) " " (format!("{y:.1}")) "H" (WIDTH - RIGHT) } {}
                text x=(LEFT - 5.0) y=(format!("{:.1}", y + 4.0)) text-anchor="end" { (text) }
            }
            @for dot in &dots {
                @if let Some((low, high)) = dot.ends {
                    path.range d={
                        "M" (format!("{:.1} {:.1}", x(dot.place), y_of_percent(of(low))))
                        "V" (format!("{:.1}", y_of_percent(of(high))))
                    } {}
                }
            }
            path.before d={ "M" (line.join("L")) } {}
            @for Dot { place, y, words, .. } in &dots {
                @let is_last = *place == last;
                circle.point[is_last].earlier[!is_last] cx=(format!("{:.1}", x(*place))) cy=(format!("{y:.1}"))
                    r=(if is_last { "4" } else { "2.6" }) {}
                @if is_last {
                    text.now x=(WIDTH - RIGHT) y=(format!("{:.1}", y - 8.0)) text-anchor="end" { (words) }
                }
            }
            @if let Some(first) = days.first() {
                text x=(LEFT) y=(HEIGHT - 4.0) { (first) }
            }
            text x=(WIDTH - RIGHT) y=(HEIGHT - 4.0) text-anchor="end" { "this run" }
            @if !shares.is_empty() { text x="0" y="9" { "%" } }
        }
    }
}

/// Shares with their intervals over a number that was chosen, on a scale of factors.
pub fn shares_over(title: &str, what: &str, points: &[(u64, Proportion)]) -> Markup {
    let scale = Log::around(points.iter().map(|&(at, _)| at));
    let x = |at: u64| format!("{:.1}", LEFT + (WIDTH - LEFT - RIGHT) * scale.place(at));
    let y = |percent: f64| format!("{:.1}", HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * percent / 100.0);
    let of = |percent: Percent| f64::from(percent.tenths()) / 10.0;
    let says = |&(at, share): &(u64, Proportion)| {
        let percent = share.percent().map_or("nothing".to_owned(), |percent| format!("{percent} %"));
        format!("{} {what}: {percent} of {}.", number(at), number(share.of))
    };
    html! {
        svg.chart viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } role="img" {
            title { (title) }
            desc { (points.iter().map(says).collect::<Vec<_>>().join(" ")) }
            @for tick in [0.0, 50.0, 100.0] {
                path.axis d={ "M" (LEFT) " " (y(tick)) "H" (WIDTH - RIGHT) } {}
                text x=(LEFT - 5.0) y=(y(tick - 3.0)) text-anchor="end" { (tick) }
            }
            @for &(at, share) in points {
                @if let (Some(percent), Some((low, high))) = (share.percent(), share.interval()) {
                    path.range d={ "M" (x(at)) " " (y(of(low))) "V" (y(of(high))) } {}
                    circle.point cx=(x(at)) cy=(y(of(percent))) r="3.4" {}
                    text x=(x(at)) y=(HEIGHT - BOTTOM + 14.0) text-anchor="middle" { (number(at)) }
                }
            }
            text x=((LEFT + WIDTH - RIGHT) / 2.0) y=(HEIGHT - 4.0) text-anchor="middle" { (what) }
            text x="0" y="9" { "%" }
        }
    }
}
