/**
 * Counts USAGE by token: the units and costs of each project and day, and those that are billed to each run and request.
 */
import type { StreamMessage } from '@tidemark/bus/read'
import { nameOfPart } from '@tidemark/contracts/served'
import type { UsageCommit, UsageEvent } from '@tidemark/contracts/usage'
import { decodeCommit } from './legible.ts'

/** Units of pages. */
export type Units = { page: number; cloud_page: number }

/** Units of pages, calls of language models, and the cost in millionths of a dollar, to which the ledger rounds costs. */
export type Spending = Units & { model_call: number; micro_usd: number }

export type BilledTotals = {
  /** Billed units by `project day`. */
  byDay: ReadonlyMap<string, Spending>
  /** Units without a cost, by `project day`. */
  waivedByDay: ReadonlyMap<string, Spending>
  /** Billed units by run id. */
  byRun: ReadonlyMap<number, Spending>
  /** Billed units by the id of the request, or of its part. */
  byRequest: ReadonlyMap<string, Spending>
  /** Position of the billed entry in SERVED, by the id of the request, or of its part. */
  servedAt: ReadonlyMap<string, number>
  /** Unreadable parts, in sentences. */
  illegible: readonly string[]
  take(messages: readonly StreamMessage[]): Promise<void>
}

/** Returns the number of new tokens in each list. A token in two lists counts in one. */
export type CountFresh = (lists: readonly (readonly string[])[]) => Promise<number[]>

const names = new Set<string>([
  'UnitsSpent',
  'UnitsWaived',
  'ServedUnitsSpent',
  'ServedUnitsWaived',
  'ModelCallsSpent',
] satisfies UsageEvent['type'][])

const isKnown = (event: UsageEvent): boolean => names.has(event.type)

export const dayKey = (projectId: number, day: string): string => `${projectId} ${day}`

export const noUnits = (): Units => ({ page: 0, cloud_page: 0 })

export const noSpending = (): Spending => ({ ...noUnits(), model_call: 0, micro_usd: 0 })

/** Returns millionths of a dollar, rounded from the decimal digits like NUMERIC(16, 6) of Postgres. */
export function microUsd(costUsd: number): number {
  const [digits, exponent = 0] = String(costUsd).split('e')
  return Math.round(Number(`${digits}e${Number(exponent) + 6}`))
}

/** Returns an empty collector. A token counts once, even if it was stored twice. */
export function billedTotals(countFresh: CountFresh): BilledTotals {
  const byDay = new Map<string, Spending>()
  const waivedByDay = new Map<string, Spending>()
  const byRun = new Map<number, Spending>()
  const byRequest = new Map<string, Spending>()
  const servedAt = new Map<string, number>()
  const illegible: string[] = []

  async function take(messages: readonly StreamMessage[]): Promise<void> {
    const parts = messages.flatMap(message => {
      const at = sequenceOf(message.headers?.get('Nats-Msg-Id'))
      const { events } = decodeCommit<UsageCommit>(message, illegible) ?? { events: [] }
      return events.filter(isKnown).flatMap(event => partsOf(event).map(part => ({ ...part, at, event })))
    })
    const fresh = await countFresh(parts.map(({ tokens }) => tokens))
    for (const [n, { at, event, micro }] of parts.entries()) {
      const units = fresh[n] ?? 0
      record(event, at, { [event.data.kind]: units, micro_usd: units * micro })
    }
  }

  function record(event: UsageEvent, at: number | null, spending: Partial<Spending>): void {
    const { projectId, day } = event.data
    if (event.type === 'UnitsWaived' || event.type === 'ServedUnitsWaived') {
      add(waivedByDay, dayKey(projectId, day), spending)
      return
    }
    add(byDay, dayKey(projectId, day), spending)
    if (event.type === 'UnitsSpent') {
      add(byRun, event.data.runId, spending)
      return
    }
    const name = nameOfPart(event.data)
    add(byRequest, name, spending)
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

type Part = { tokens: string[]; micro: number }

/** Returns one part with all tokens that have no cost, and one for each other token, so that a cost counts once, like its token. */
function partsOf({ data }: UsageEvent): Part[] {
  const free: string[] = []
  const parts: Part[] = [{ tokens: free, micro: 0 }]
  for (const unit of data.units) {
    const micro = 'costUsd' in unit ? microUsd(unit.costUsd ?? 0) : 0
    if (micro === 0) free.push(unit.token)
    else parts.push({ tokens: [unit.token], micro })
  }
  return parts
}

function add<Key>(map: Map<Key, Spending>, key: Key, more: Partial<Spending>): void {
  const spending = map.get(key) ?? noSpending()
  for (const [name, n] of Object.entries(more)) spending[name as keyof Spending] += n
  map.set(key, spending)
}
