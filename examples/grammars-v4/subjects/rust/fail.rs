//! Lengths with units, and a parser for them.
#![allow(dead_code)]

use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;

pub trait Unit {
    const NAME: &'static str;

    fn factor(&self) -> f64;

    fn describe(&self) -> String {
        format!("{} x {}", self.factor(), Self::NAME)
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Metre {
    pub prefix: i32,
}

#[derive(Debug)]
pub enum Problem {
    Empty,
    Number(String),
    Unit { name: String, at: usize },
}

impl Metre {
    pub const ONE: Metre = Metre { prefix: 0 };

    pub fn new(prefix: i32) -> Self {
        Metre { prefix }
    }
}

impl Unit for Metre {
    const NAME: &'static str = "m";

    pub fn factor(&self) -> f64 {
        let mut result = 1.0;
        for _ in 0..self.prefix.abs() {
            if self.prefix > 0 {
                result *= 10.0;
            } else {
                result /= 10.0;
            }
        }
        result
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::Empty => write!(f, "nothing there"),
            Problem::Number(text) => write!(f, "no number: {}", text),
            Problem::Unit { name, at } => write!(f, "unknown unit {} at {}", name, at),
        }
    }
}

pub struct Length {
    value: f64,
    unit: Metre,
}

impl FromStr for Length {
    type Err = Problem;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.trim();
        if text.is_empty() {
            return Err(Problem::Empty);
        }
        let end = text.find(|c: char| c.is_alphabetic()).unwrap_or(text.len());
        let (number, unit) = text.split_at(end);
        let value = number.trim().parse().map_err(|_| Problem::Number(number.to_string()))?;
        let mut units = HashMap::new();
        units.insert("mm", -3);
        units.insert("m", 0);
        units.insert("km", 3);
        match units.get(unit) {
            Some(prefix) => Ok(Length { value, unit: Metre::new(*prefix) }),
            None => Err(Problem::Unit { name: unit.to_string(), at: end }),
        }
    }
}
