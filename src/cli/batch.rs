//! Work on many inputs at once, whose results come in the order of the inputs.
//!
//! The work is pure and done by the threads of a pool of rayon's. Inputs are fetched in batches, so that memory does not grow
//! with their number, and what is said comes out while later inputs wait. How large a batch is depends on the time that the
//! one before took; nothing that is said does.

use std::time::{Duration, Instant};

use rayon::prelude::*;

use super::exit::Failure;

/// A batch ends with the input that makes it this large, in bytes. So inputs that are larger themselves are worked on one after
/// the other: what it takes to parse one of them is many times as much.
const MOST_BYTES: usize = 8 << 20;
/// A batch that took less is followed by a larger one: the threads wait for each other at its end.
const SHORT: Duration = Duration::from_millis(50);
/// A batch that took more is followed by a smaller one: somebody may be waiting for what is said.
const LONG: Duration = Duration::from_millis(200);

/// Does `work` on each of the inputs, on `jobs` threads, and has `report` called with the results, a batch at a time.
///
/// # Errors
/// The first in the order of the inputs, of fetching one or of reporting; the results before it have been reported.
pub fn in_order<I: AsRef<[u8]> + Sync, T: Send>(
    mut inputs: impl Iterator<Item = Result<I, Failure>>,
    jobs: usize,
    work: impl Fn(&I) -> T + Sync,
    mut report: impl FnMut(Vec<T>) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let pool = (jobs > 1).then(|| rayon::ThreadPoolBuilder::new().num_threads(jobs).build()).transpose();
    let pool = pool.map_err(|error| Failure::usage(format!("cannot start {jobs} threads: {error}")))?;
    let mut most = jobs;
    loop {
        let mut batch = Vec::new();
        let mut bytes = 0;
        let mut next = Ok(());
        while batch.len() < most && bytes < MOST_BYTES {
            match inputs.next() {
                Some(Ok(input)) => {
                    bytes += input.as_ref().len();
                    batch.push(input);
                }
                Some(Err(failure)) => {
                    next = Err(failure);
                    break;
                }
                None => break,
            }
        }
        if batch.is_empty() {
            return next;
        }
        let begin = Instant::now();
        let results: Vec<T> = match &pool {
            Some(pool) => pool.install(|| batch.par_iter().map(&work).collect()),
            None => batch.iter().map(&work).collect(),
        };
        match begin.elapsed() {
            time if time < SHORT => most *= 2,
            time if time > LONG => most = jobs.max(most / 2),
            _ => {}
        }
        report(results)?;
        next?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_reported_is_the_same_for_any_number_of_threads() {
        let run = |jobs: usize, missing: Option<usize>, refused: Option<usize>| {
            let inputs = (0..1000).map(|number| match Some(number) == missing {
                true => Err(Failure::usage(format!("no input {number}"))),
                false => Ok(vec![b'x'; number % 7]),
            });
            let mut reported = Vec::new();
            let done = in_order(
                inputs,
                jobs,
                |input| input.len(),
                |lengths| {
                    for length in lengths {
                        if Some(reported.len()) == refused {
                            return Err(Failure::usage(format!("refused after {}", reported.len())));
                        }
                        reported.push(length);
                    }
                    Ok(())
                },
            );
            (reported, done.err().map(|failure| failure.to_string()))
        };
        for (missing, refused, count) in
            [(None, None, 1000), (Some(0), None, 0), (Some(500), None, 500), (Some(500), Some(333), 333)]
        {
            let alone = run(1, missing, refused);
            assert_eq!(alone.0, (0..count).map(|number| number % 7).collect::<Vec<_>>());
            assert_eq!(alone.1.is_some(), missing.is_some() || refused.is_some());
            for jobs in [2, 4] {
                assert_eq!(run(jobs, missing, refused), alone);
            }
        }
    }
}
