/**
 * How much of what costs nothing is listed. What is billed is bounded by caps; what is free anybody may cause without
 * end, and USAGE keeps it for ever. So of each project so many a day are listed, as far as this process remembers.
 */
import type { MayList } from './billing.ts'

export const listedOfDay = 10_000
const mostRemembered = 10_000

export function waivers(most: number = listedOfDay): MayList {
  const listed = new Map<string, number>()
  return (projectId, day, wanted) => {
    const name = `${projectId} ${day}`
    const before = listed.get(name) ?? 0
    const granted = Math.min(wanted, most - before)
    listed.delete(name)
    listed.set(name, before + granted)
    const [oldest] = listed.keys()
    if (listed.size > mostRemembered && oldest !== undefined) listed.delete(oldest)
    return granted
  }
}
