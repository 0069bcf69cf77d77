/**
 * USAGE, counted token by token: what each project spent on each day, and what was billed for each run
 * and each request.
 */
import { decodeJson } from '@tidemark/bus/codec'
import type { StreamMessage } from '@tidemark/bus/read'
import { nameOfPart } from '@tidemark/contracts/served'
import type { UsageCommit, UsageEvent } from '@tidemark/contracts/usage'

export type Units = { page: number; cloud_page: number }

export type UnitsSpent = {
  /** By `project day`. */
  byDay: ReadonlyMap<string, Units>
  /** What cost nothing, by `project day`. */
  waivedByDay: ReadonlyMap<string, Units>
  /** By run. */
  byRun: ReadonlyMap<number, Units>
  /** By id of the request, or of its part. */
  byRequest: ReadonlyMap<string, Units>
  /** By id of the request, or of its part: where in SERVED it stood that was billed. */
  servedAt: ReadonlyMap<string, number>
  take(messages: readonly StreamMessage[]): void
}

const names = new Set<string>([
  'UnitsSpent',
  'UnitsWaived',
  'ServedUnitsSpent',
  'ServedUnitsWaived',
] satisfies UsageEvent['type'][])

export const dayKey = (projectId: number, day: string): string => `${projectId} ${day}`

export const noUnits = (): Units => ({ page: 0, cloud_page: 0 })

/** A token counts once, however often it was written. */
export function unitsSpent(): UnitsSpent {
  const tokens = new Set<string>()
  const byDay = new Map<string, Units>()
  const waivedByDay = new Map<string, Units>()
  const byRun = new Map<number, Units>()
  const byRequest = new Map<string, Units>()
  const servedAt = new Map<string, number>()

  function take(messages: readonly StreamMessage[]): void {
    for (const { data, headers } of messages) {
      const at = sequenceOf(headers?.get('Nats-Msg-Id'))
      for (const event of (decodeJson(data) as UsageCommit).events) {
        if (!names.has(event.type)) continue
        const { projectId, day, kind } = event.data
        const fresh = countFresh(event.data.units)
        if (event.type === 'UnitsWaived' || event.type === 'ServedUnitsWaived') {
          add(waivedByDay, dayKey(projectId, day), kind, fresh)
          continue
        }
        add(byDay, dayKey(projectId, day), kind, fresh)
        if (event.type === 'UnitsSpent') {
          add(byRun, event.data.runId, kind, fresh)
          continue
        }
        const name = nameOfPart(event.data)
        add(byRequest, name, kind, fresh)
        if (at !== null) servedAt.set(name, at)
      }
    }
  }

  function countFresh(units: readonly { token: string }[]): number {
    const before = tokens.size
    for (const { token } of units) tokens.add(token)
    return tokens.size - before
  }
  return { byDay, waivedByDay, byRun, byRequest, servedAt, take }
}

/** Bills are named after the message of SERVED that they are for, as `served-<sequence>-<number>`. */
function sequenceOf(name = ''): number | null {
  const [, sequence] = /^served-(\d+)-\d+$/.exec(name) ?? []
  return sequence === undefined ? null : Number(sequence)
}

function add<Key>(map: Map<Key, Units>, key: Key, kind: UsageEvent['data']['kind'], n: number): void {
  const units = map.get(key) ?? noUnits()
  units[kind] += n
  map.set(key, units)
}
