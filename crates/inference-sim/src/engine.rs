//! The engine: continuous batching with chunked prefill, one step after another.
//!
//! A step takes `decode_base + decode_per_sequence × batch + prefilled tokens / prefill rate`. At its end every
//! sequence whose prompt is in yields its next tokens. Steps follow each other on an ideal time line, so that the
//! millisecond of a timer does not add up.

use std::collections::{HashSet, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, mpsc};
use tokio::time::Instant;

use crate::config::SimConfig;
use crate::text::Hash;

/// How far the ideal time line may fall behind the clock before the lost time is given up.
const CATCH_UP: Duration = Duration::from_millis(20);
/// Prompt tokens in one block of the prefix cache.
const CACHE_BLOCK: usize = 16;

pub(crate) struct Engine {
    config: SimConfig,
    state: Mutex<State>,
    wake: Notify,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Sequence>,
    running: Vec<Sequence>,
    steps: u64,
    counts: Counts,
    cached_blocks: HashSet<u64>,
    closed: bool,
}

/// What `/metrics` tells.
#[derive(Clone, Copy, Default)]
pub(crate) struct Counts {
    pub(crate) running: u64,
    pub(crate) waiting: u64,
    pub(crate) prompt_tokens: u64,
    pub(crate) generation_tokens: u64,
    pub(crate) cache_queries: u64,
    pub(crate) cache_hits: u64,
}

struct Sequence {
    to_prefill: u64,
    left: u64,
    admitted: Option<Instant>,
    yields: mpsc::UnboundedSender<Yield>,
}

/// What one step gave to one sequence.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Yield {
    pub(crate) tokens: u64,
    pub(crate) admitted: Instant,
}

/// A sequence in the engine, seen by its connection. Dropping it takes the sequence out of the batch.
pub(crate) struct Ticket {
    pub(crate) yields: mpsc::UnboundedReceiver<Yield>,
    pub(crate) cached_tokens: u64,
}

/// The queue is full.
#[derive(Debug)]
pub(crate) struct QueueFull;

impl Engine {
    pub(crate) fn new(config: SimConfig) -> Self {
        Engine { config, state: Mutex::default(), wake: Notify::new() }
    }

    /// Puts a sequence at the end of the queue: its prompt's tokens, and how many it will generate (at least 1).
    pub(crate) fn submit<'t>(
        &self,
        prompt: impl Iterator<Item = &'t str>,
        prompt_tokens: u64,
        output_tokens: u64,
    ) -> Result<Ticket, QueueFull> {
        let (sender, yields) = mpsc::unbounded_channel();
        let mut state = self.lock();
        state.forget_the_gone();
        let places = self.config.max_batch.max(1) + self.config.queue_limit;
        if state.waiting.len() + state.running.len() >= places {
            return Err(QueueFull);
        }
        let cached_tokens = if self.config.prefix_cache { state.look_up(prompt, prompt_tokens) } else { 0 };
        state.counts.prompt_tokens += prompt_tokens;
        state.waiting.push_back(Sequence {
            to_prefill: prompt_tokens - cached_tokens,
            left: output_tokens.max(1),
            admitted: None,
            yields: sender,
        });
        drop(state);
        self.wake.notify_one();
        Ok(Ticket { yields, cached_tokens })
    }

    pub(crate) fn counts(&self) -> Counts {
        let mut state = self.lock();
        state.forget_the_gone();
        Counts { running: state.running.len() as u64, waiting: state.waiting.len() as u64, ..state.counts }
    }

    /// Ends the engine's task.
    pub(crate) fn close(&self) {
        self.lock().closed = true;
        self.wake.notify_one();
    }

    /// Steps until closed. While there is nothing to do, no timer runs.
    pub(crate) async fn run(&self) {
        let mut line = Instant::now();
        loop {
            let Some(step) = self.begin_step(Instant::now()) else {
                if self.lock().closed {
                    return;
                }
                self.wake.notified().await;
                line = Instant::now();
                continue;
            };
            let now = Instant::now();
            line = line.max(now.checked_sub(CATCH_UP).unwrap_or(now)) + step;
            tokio::time::sleep_until(line).await;
            self.lock().end_step(self.config.tokens_per_event.max(1));
            // A step of no time must not starve the connections.
            tokio::task::yield_now().await;
        }
    }

    /// Admits who may come in, takes in prompts, and says how long that step lasts; nothing when the batch is empty.
    fn begin_step(&self, now: Instant) -> Option<Duration> {
        let config = &self.config;
        let mut state = self.lock();
        if state.closed {
            return None;
        }
        state.forget_the_gone();
        while state.running.len() < config.max_batch.max(1) {
            let Some(mut next) = state.waiting.pop_front() else { break };
            next.admitted = Some(now);
            state.running.push(next);
        }
        if state.running.is_empty() {
            return None;
        }
        let mut budget = config.prefill_chunk_tokens.max(1);
        let mut prefilled = 0;
        for sequence in &mut state.running {
            let part = sequence.to_prefill.min(budget);
            sequence.to_prefill -= part;
            budget -= part;
            prefilled += part;
            if sequence.to_prefill > 0 {
                break;
            }
        }
        state.steps += 1;
        let prefill = Duration::try_from_secs_f64(prefilled as f64 / config.prefill_tokens_per_s)
            .unwrap_or(Duration::ZERO);
        let decode = config.decode_base + config.decode_per_sequence * state.running.len() as u32;
        let noise = Hash::new(config.seed).word(0x57_e9).word(state.steps).unit() * 2.0 - 1.0;
        Some((decode + prefill).mul_f64(1.0 + noise * config.step_jitter.clamp(0.0, 0.9)))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Takes out the sequences whose clients have left.
    fn forget_the_gone(&mut self) {
        self.waiting.retain(|sequence| !sequence.yields.is_closed());
        self.running.retain(|sequence| !sequence.yields.is_closed());
    }

    fn end_step(&mut self, tokens_per_event: u64) {
        let mut generated = 0;
        for sequence in self.running.iter_mut().filter(|sequence| sequence.to_prefill == 0) {
            let Some(admitted) = sequence.admitted else { continue };
            let tokens = sequence.left.min(tokens_per_event);
            if sequence.yields.send(Yield { tokens, admitted }).is_ok() {
                sequence.left -= tokens;
                generated += tokens;
            }
        }
        self.counts.generation_tokens += generated;
        self.running.retain(|sequence| sequence.left > 0);
    }

    /// Tokens of the prompt that the prefix cache holds: whole blocks, and never the whole prompt.
    fn look_up<'t>(&mut self, prompt: impl Iterator<Item = &'t str>, prompt_tokens: u64) -> u64 {
        let (mut chain, mut blocks, mut hits, mut unbroken) = (Hash::new(0), 0usize, 0, true);
        for (at, token) in prompt.enumerate() {
            chain = chain.text(token).word(at as u64);
            if (at + 1).is_multiple_of(CACHE_BLOCK) {
                blocks += 1;
                unbroken &= !self.cached_blocks.insert(chain.value());
                hits += u64::from(unbroken);
            }
        }
        let cached = (hits * CACHE_BLOCK as u64).min(prompt_tokens.saturating_sub(1));
        self.counts.cache_queries += (blocks * CACHE_BLOCK) as u64;
        self.counts.cache_hits += cached;
        cached
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn engine(config: SimConfig) -> Arc<Engine> {
        let engine = Arc::new(Engine::new(config));
        let task = Arc::clone(&engine);
        tokio::spawn(async move { task.run().await });
        engine
    }

    fn steady() -> SimConfig {
        SimConfig {
            decode_base: Duration::from_millis(10),
            decode_per_sequence: Duration::from_millis(1),
            prefill_tokens_per_s: 1_000.0,
            ..SimConfig::fast()
        }
    }

    async fn instants(mut ticket: Ticket) -> Vec<Duration> {
        let start = Instant::now();
        let mut all = Vec::new();
        while ticket.yields.recv().await.is_some() {
            all.push(start.elapsed());
        }
        all
    }

    fn ms(all: &[u64]) -> Vec<Duration> {
        all.iter().copied().map(Duration::from_millis).collect()
    }

    #[tokio::test(start_paused = true)]
    async fn one_sequence_pays_prefill_once_and_then_a_step_a_token() {
        let engine = engine(steady());
        let ticket = engine.submit([].into_iter(), 50, 3).unwrap();
        assert_eq!(instants(ticket).await, ms(&[61, 72, 83]));
        assert_eq!(engine.counts().generation_tokens, 3);
        assert_eq!(engine.counts().prompt_tokens, 50);
    }

    #[tokio::test(start_paused = true)]
    async fn the_millisecond_of_a_timer_does_not_add_up() {
        let engine = engine(SimConfig { decode_base: Duration::from_micros(9_400), ..steady() });
        let ticket = engine.submit([].into_iter(), 0, 100).unwrap();
        assert_eq!(instants(ticket).await.last(), Some(&Duration::from_millis(1_040)));
    }

    #[tokio::test(start_paused = true)]
    async fn a_long_prompt_is_taken_in_parts_that_delay_its_neighbour() {
        let engine = engine(SimConfig { prefill_chunk_tokens: 20, ..steady() });
        let short = engine.submit([].into_iter(), 10, 4).unwrap();
        let long = engine.submit([].into_iter(), 40, 1).unwrap();
        let (short, long) = tokio::join!(instants(short), instants(long));
        // Two steps of 12 + 20 ms, one of 12 + 10 ms, one of 11 ms alone.
        assert_eq!(short, ms(&[32, 64, 86, 97]));
        assert_eq!(long, ms(&[86]));
    }

    #[tokio::test(start_paused = true)]
    async fn a_full_batch_lets_others_wait_and_a_full_queue_refuses() {
        let engine = engine(SimConfig { max_batch: 1, queue_limit: 1, ..steady() });
        let first = engine.submit([].into_iter(), 0, 2).unwrap();
        let second = engine.submit([].into_iter(), 0, 2).unwrap();
        assert!(engine.submit([].into_iter(), 0, 2).is_err());
        let (first, second) = tokio::join!(instants(first), instants(second));
        assert_eq!(first, ms(&[11, 22]));
        assert_eq!(second, ms(&[33, 44]));
    }

    #[tokio::test(start_paused = true)]
    async fn whoever_leaves_makes_room() {
        let engine = engine(SimConfig { max_batch: 1, queue_limit: 1, ..steady() });
        let first = engine.submit([].into_iter(), 0, 1_000).unwrap();
        let second = engine.submit([].into_iter(), 0, 1).unwrap();
        tokio::time::sleep(Duration::from_millis(5)).await;
        assert_eq!((engine.counts().running, engine.counts().waiting), (1, 1));
        drop(first);
        // The step under way ends at 11 ms, the next one is the second sequence's.
        assert_eq!(instants(second).await, ms(&[17]));
        assert_eq!(engine.counts().running, 0);
    }

    #[tokio::test(start_paused = true)]
    async fn a_prompt_seen_before_is_cached_in_whole_blocks() {
        let engine = engine(SimConfig { prefix_cache: true, ..steady() });
        let prompt: Vec<String> = (0..40).map(|n| n.to_string()).collect();
        let submit =
            |words: &[String]| engine.submit(words.iter().map(String::as_str), 40, 1).unwrap().cached_tokens;
        assert_eq!(submit(&prompt), 0);
        assert_eq!(submit(&prompt), 32);
        let mut other = prompt.clone();
        other[20] = "else".to_owned();
        assert_eq!(submit(&other), 16);
        other[0] = "fresh".to_owned();
        assert_eq!(submit(&other), 0);
    }
}
