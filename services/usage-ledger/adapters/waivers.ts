/**
 * Limits the number of free units in bills. Caps limit the billed units, but clients can cause any number of free ones,
 * and USAGE keeps them forever. Each process therefore lists at most 10,000 per project and day.
 */

/** The remaining free units that one reader of a stream may list. It is used batch by batch. */
export type Waivers = {
  /** Begins a batch. The counts of an earlier batch are discarded unless it was kept. */
  begin(): void
  /** Returns how many more units of this project and day may be listed. */
  remaining(projectId: number, day: string): number
  spend(projectId: number, day: string, listed: number): void
  /** Keeps the counts of the current batch, because it is committed. */
  keep(): void
}

const maxListedPerDay = 10_000
const maxCached = 10_000

/**
 * Returns a function that creates the allowance of one reader. Counts of kept batches are shared by all readers.
 */
export function waivers(max: number = maxListedPerDay): () => Waivers {
  const kept = new Map<string, number>()
  return () => {
    const batch = new Map<string, number>()
    const spent = (name: string) => (kept.get(name) ?? 0) + (batch.get(name) ?? 0)
    return {
      begin: () => batch.clear(),
      remaining: (projectId, day) => Math.max(0, max - spent(`${projectId} ${day}`)),
      spend(projectId, day, listed) {
        const name = `${projectId} ${day}`
        if (listed > 0) batch.set(name, (batch.get(name) ?? 0) + listed)
      },
      keep() {
        for (const [name, listed] of batch) add(kept, name, listed)
        batch.clear()
      },
    }
  }
}

/** Adds to a count, and deletes the count with the earliest change when there are too many. */
function add(kept: Map<string, number>, name: string, listed: number): void {
  const before = kept.get(name) ?? 0
  kept.delete(name)
  kept.set(name, before + listed)
  const [oldest] = kept.keys()
  if (kept.size > maxCached && oldest !== undefined) kept.delete(oldest)
}
