/** How long a run has heard nothing: what the events that go out and come back change in that. */
import type { Running } from './run.ts'

/** Something came back, be it a failure: whoever fetches and reads is there. */
export function heardOf(run: Running, at: string): void {
  run.quietSince = Date.parse(at)
  run.silences = 0
}

/** @param again how often it has been handed out before in vain; undefined for the first time */
export function handedOut(run: Running, at: string, again: number | undefined): void {
  run.quietSince = Date.parse(at)
  if (again !== undefined) run.silences = again
}
