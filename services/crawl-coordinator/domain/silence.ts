/** Tracks how long a run has received no outcome. */
import type { Running } from './run.ts'

/** An outcome arrived, even if it is a failure: fetchers and extractors work. */
export function heardOf(run: Running, at: string): void {
  run.quietSince = Date.parse(at)
  run.silences = 0
}

/** @param again how many times it was ordered before without a result; undefined for the first time */
export function handedOut(run: Running, at: string, again: number | undefined): void {
  run.quietSince = Date.parse(at)
  if (again !== undefined) run.silences = again
}
