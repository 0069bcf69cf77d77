/**
 * Records every API call. Entries are collected for 50 ms and published in one message per project, so that a call
 * costs the gateway little. While the bus is unavailable, up to 50,000 entries wait. Further ones are lost, counted,
 * and logged once a minute.
 */
import { encodeJson } from '@tidemark/bus/codec'
import type { Bus } from '@tidemark/bus/connection'
import { publish } from '@tidemark/bus/publish'
import type { ApiCalled, AuditCommit } from '@tidemark/contracts/audit'
import { subjects } from '@tidemark/contracts/subjects'

export type Audit = AsyncDisposable & { note(call: ApiCalled['data']): void }

type Options = {
  /** Distinguishes this gateway from all others, and from itself before a restart. */
  instance: string
  report: (error: unknown) => void
}

const gatherMs = 50
const maxInCommit = 500
const maxWaiting = 50_000
const againAfterMs = 2_000
const logLostMs = 60_000

/** Opens the audit log. Disposing it publishes the remaining entries, and logs the number of lost ones. */
export function openAudit(bus: Bus, { instance, report }: Options): Audit {
  let waiting = new Map<number, ApiCalled['data'][]>()
  let count = 0
  let commits = 0
  let timer: NodeJS.Timeout | null = null
  let underWay = Promise.resolve()
  const losses = countLosses(report)

  function note(call: ApiCalled['data']): void {
    if (count >= maxWaiting) {
      losses.add()
      return
    }
    const calls = waiting.get(call.projectId)
    if (calls === undefined) waiting.set(call.projectId, [call])
    else calls.push(call)
    count += 1
    timer ??= setTimeout(flush, gatherMs)
  }

  function flush(): void {
    timer = null
    underWay = underWay.then(publishAll).catch(error => {
      report(error)
      if (count > 0) timer ??= setTimeout(flush, againAfterMs)
    })
  }

  async function publishAll(): Promise<void> {
    const parts = partsOf(waiting)
    waiting = new Map()
    for (const [n, { projectId, part }] of parts.entries()) {
      try {
        // A batch that is published again has another id: its entries are distinguished by their own.
        const id = `${instance}-${part[0]?.requestId}-${++commits}`
        await publish(bus, subjects.audit(projectId), encodeJson(commitOf(part)), { id })
        count -= part.length
      } catch (error) {
        for (const left of parts.slice(n)) putBack(left.projectId, left.part)
        throw error
      }
    }
  }

  /** Puts unpublished entries back, before later ones. */
  function putBack(projectId: number, calls: ApiCalled['data'][]): void {
    waiting.set(projectId, [...calls, ...(waiting.get(projectId) ?? [])])
  }

  return {
    note,
    async [Symbol.asyncDispose]() {
      if (timer !== null) clearTimeout(timer)
      if (count > 0) flush()
      await underWay
      if (timer !== null) clearTimeout(timer)
      losses.log()
    },
  }
}

/** Returns a counter of lost entries, which are logged once a minute. Thousands may be lost during other faults. */
function countLosses(report: (error: unknown) => void) {
  let lost = 0
  let timer: NodeJS.Timeout | null = null

  function log(): void {
    if (timer !== null) clearTimeout(timer)
    timer = null
    if (lost > 0) report(new Error(`the audit log lost ${lost} entries: too many wait to be published`))
    lost = 0
  }

  function add(): void {
    lost += 1
    timer ??= setTimeout(log, logLostMs).unref()
  }
  return { add, log }
}

type Part = { projectId: number; part: ApiCalled['data'][] }

function partsOf(waiting: ReadonlyMap<number, ApiCalled['data'][]>): Part[] {
  const parts: Part[] = []
  for (const [projectId, calls] of waiting)
    for (let from = 0; from < calls.length; from += maxInCommit)
      parts.push({ projectId, part: calls.slice(from, from + maxInCommit) })
  return parts
}

const commitOf = (calls: ApiCalled['data'][]): AuditCommit => ({
  at: new Date().toISOString(),
  events: calls.map(data => ({ type: 'ApiCalled', data })),
})
