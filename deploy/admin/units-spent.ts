/** USAGE, counted token by token: what each project spent on each day, and what was billed for each run. */
import { decodeJson } from '@tidemark/bus/codec'
import type { StreamMessage } from '@tidemark/bus/read'
import type { UsageCommit } from '@tidemark/contracts/usage'

export type Units = { page: number; cloud_page: number }

export type UnitsSpent = {
  /** By `project day`. */
  byDay: ReadonlyMap<string, Units>
  /** Pages by run. */
  byRun: ReadonlyMap<number, number>
  take(messages: readonly StreamMessage[]): void
}

export const dayKey = (projectId: number, day: string): string => `${projectId} ${day}`

/** A token counts once, however often it was written. */
export function unitsSpent(): UnitsSpent {
  const tokens = new Set<string>()
  const byDay = new Map<string, Units>()
  const byRun = new Map<number, number>()

  function take(messages: readonly StreamMessage[]): void {
    for (const { data } of messages) {
      for (const { type, data: spent } of (decodeJson(data) as UsageCommit).events) {
        if (type !== 'UnitsSpent') continue
        const fresh = spent.units.filter(({ token }) => !tokens.has(token))
        for (const { token } of fresh) tokens.add(token)
        const key = dayKey(spent.projectId, spent.day)
        const units = byDay.get(key) ?? { page: 0, cloud_page: 0 }
        units[spent.kind] += fresh.length
        byDay.set(key, units)
        if (spent.kind === 'page') byRun.set(spent.runId, (byRun.get(spent.runId) ?? 0) + fresh.length)
      }
    }
  }
  return { byDay, byRun, take }
}
