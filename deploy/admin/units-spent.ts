/** Counts USAGE by token: the units of each project and day, and the billed units of each run and request. */
import type { StreamMessage } from '@tidemark/bus/read'
import { nameOfPart } from '@tidemark/contracts/served'
import type { UsageCommit, UsageEvent } from '@tidemark/contracts/usage'
import { commitOf } from './legible.ts'

export type Units = { page: number; cloud_page: number }

export type UnitsSpent = {
  /** Billed units by `project day`. */
  byDay: ReadonlyMap<string, Units>
  /** Units without a cost, by `project day`. */
  waivedByDay: ReadonlyMap<string, Units>
  /** Billed units by run id. */
  byRun: ReadonlyMap<number, Units>
  /** Billed units by the id of the request, or of its part. */
  byRequest: ReadonlyMap<string, Units>
  /** Position of the billed entry in SERVED, by the id of the request, or of its part. */
  servedAt: ReadonlyMap<string, number>
  /** Unreadable parts, in sentences. */
  illegible: readonly string[]
  take(messages: readonly StreamMessage[]): Promise<void>
}

/** Returns the number of new tokens in each list. A token in two lists counts in one. */
export type CountFresh = (lists: readonly (readonly string[])[]) => Promise<number[]>

/** Calls of language models are no units of pages, and have no counter. */
type OfPages = Exclude<UsageEvent, { type: 'ModelCallsSpent' }>

const names = new Set<string>([
  'UnitsSpent',
  'UnitsWaived',
  'ServedUnitsSpent',
  'ServedUnitsWaived',
] satisfies OfPages['type'][])

const isOfPages = (event: UsageEvent): event is OfPages => names.has(event.type)

export const dayKey = (projectId: number, day: string): string => `${projectId} ${day}`

export const noUnits = (): Units => ({ page: 0, cloud_page: 0 })

/** Returns an empty collector. A token counts once, even if it was stored twice. */
export function unitsSpent(countFresh: CountFresh): UnitsSpent {
  const byDay = new Map<string, Units>()
  const waivedByDay = new Map<string, Units>()
  const byRun = new Map<number, Units>()
  const byRequest = new Map<string, Units>()
  const servedAt = new Map<string, number>()
  const illegible: string[] = []

  async function take(messages: readonly StreamMessage[]): Promise<void> {
    const told = messages.flatMap(message => {
      const at = sequenceOf(message.headers?.get('Nats-Msg-Id'))
      const { events } = commitOf<UsageCommit>(message, illegible) ?? { events: [] }
      return events.flatMap(event => (isOfPages(event) ? [{ at, event }] : []))
    })
    const fresh = await countFresh(told.map(({ event }) => event.data.units.map(({ token }) => token)))
    for (const [place, { at, event }] of told.entries()) note(event, at, fresh[place] ?? 0)
  }

  function note(event: OfPages, at: number | null, fresh: number): void {
    const { projectId, day, kind } = event.data
    if (event.type === 'UnitsWaived' || event.type === 'ServedUnitsWaived') {
      add(waivedByDay, dayKey(projectId, day), kind, fresh)
      return
    }
    add(byDay, dayKey(projectId, day), kind, fresh)
    if (event.type === 'UnitsSpent') {
      add(byRun, event.data.runId, kind, fresh)
      return
    }
    const name = nameOfPart(event.data)
    add(byRequest, name, kind, fresh)
    if (at !== null) servedAt.set(name, at)
  }
  return { byDay, waivedByDay, byRun, byRequest, servedAt, illegible, take }
}

/**
 * Returns the sequence of the message in SERVED that a bill is for, from its message id `served-<sequence>-<number>`;
 * null for other ids.
 */
function sequenceOf(name = ''): number | null {
  const [, sequence] = /^served-(\d+)-\d+$/.exec(name) ?? []
  return sequence === undefined ? null : Number(sequence)
}

function add<Key>(map: Map<Key, Units>, key: Key, kind: OfPages['data']['kind'], n: number): void {
  const units = map.get(key) ?? noUnits()
  units[kind] += n
  map.set(key, units)
}
