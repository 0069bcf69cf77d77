/**
 * How much of what costs nothing is listed. What is billed is bounded by caps; what is free anybody may cause without
 * end, and USAGE keeps it for ever. So of each project so many a day are listed, as far as this process remembers.
 */

/** The allowance as one reader of a stream spends it, batch by batch. */
export type Waivers = {
  /** A batch begins; one that was begun before and not kept has spent nothing. */
  begin(): void
  /** How many more of this project and day may be listed. */
  room(projectId: number, day: string): number
  spend(projectId: number, day: string, listed: number): void
  /** The batch that was begun will not come again. */
  keep(): void
}

const listedOfDay = 10_000
const maxRemembered = 10_000

/** Gives each reader its own; what they keep counts for all of them. */
export function waivers(most: number = listedOfDay): () => Waivers {
  const kept = new Map<string, number>()
  return () => {
    const batch = new Map<string, number>()
    const spent = (name: string) => (kept.get(name) ?? 0) + (batch.get(name) ?? 0)
    return {
      begin: () => batch.clear(),
      room: (projectId, day) => Math.max(0, most - spent(`${projectId} ${day}`)),
      spend(projectId, day, listed) {
        const name = `${projectId} ${day}`
        if (listed > 0) batch.set(name, (batch.get(name) ?? 0) + listed)
      },
      keep() {
        for (const [name, listed] of batch) remember(kept, name, listed)
        batch.clear()
      },
    }
  }
}

function remember(kept: Map<string, number>, name: string, listed: number): void {
  const before = kept.get(name) ?? 0
  kept.delete(name)
  kept.set(name, before + listed)
  const [oldest] = kept.keys()
  if (kept.size > maxRemembered && oldest !== undefined) kept.delete(oldest)
}
