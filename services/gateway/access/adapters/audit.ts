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

export type Audit = AsyncDisposable & {
  note(call: ApiCalled['data']): void
  /** Publishes the entries so far. Returns the sequence in AUDIT of the last entry of the project; 0: unknown. */
  published(projectId: number): Promise<number>
}

type Options = {
  /** Distinguishes this gateway from all others, and from its own processes before a restart. */
  instance: string
  report: (error: unknown) => void
}

const gatherMs = 50
const maxInCommit = 500
const maxWaiting = 50_000
const maxProjects = 10_000
const againAfterMs = 2_000
const logLostMs = 60_000

/** Opens the audit log. Disposing it publishes the remaining entries, and logs the number of lost ones. */
export const openAudit = (bus: Bus, options: Options): Audit => new AuditLog(bus, options)

class AuditLog implements Audit {
  readonly #bus: Bus
  readonly #options: Options
  readonly #losses: ReturnType<typeof countLosses>
  readonly #last = lastSequences()
  #waiting = new Map<number, ApiCalled['data'][]>()
  #count = 0
  #commits = 0
  #timer: NodeJS.Timeout | null = null
  #underWay = Promise.resolve()
  #isQueued = false

  constructor(bus: Bus, options: Options) {
    this.#bus = bus
    this.#options = options
    this.#losses = countLosses(options.report)
  }

  note(call: ApiCalled['data']): void {
    if (this.#count >= maxWaiting) {
      this.#losses.add()
      return
    }
    const calls = this.#waiting.get(call.projectId)
    if (calls === undefined) this.#waiting.set(call.projectId, [call])
    else calls.push(call)
    this.#count += 1
    this.#flushIn(gatherMs)
  }

  async published(projectId: number): Promise<number> {
    if (this.#waiting.has(projectId)) this.#flush()
    await this.#underWay
    return this.#last.of(projectId)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopTimer()
    if (this.#count > 0) this.#flush()
    await this.#underWay
    this.#stopTimer()
    this.#losses.log()
  }

  #flushIn(ms: number): void {
    this.#timer ??= setTimeout(() => this.#flush(), ms)
  }

  #stopTimer(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
  }

  /** At most one flush waits for the one in progress. */
  #flush(): void {
    this.#stopTimer()
    if (this.#isQueued) return
    this.#isQueued = true
    this.#underWay = this.#underWay
      .then(() => {
        this.#isQueued = false
        return this.#publishAll()
      })
      .catch(error => {
        this.#options.report(error)
        if (this.#count > 0) this.#flushIn(againAfterMs)
      })
  }

  async #publishAll(): Promise<void> {
    const parts = partsOf(this.#waiting)
    this.#waiting = new Map()
    for (const [n, { projectId, part }] of parts.entries()) {
      try {
        // A batch that is published again has another id: its entries are distinguished by their own.
        const id = `${this.#options.instance}-${part[0]?.requestId}-${++this.#commits}`
        const message = encodeJson(commitOf(part))
        const { sequence } = await publish(this.#bus, subjects.audit(projectId), message, { id })
        this.#last.note(projectId, sequence)
        this.#count -= part.length
      } catch (error) {
        for (const left of parts.slice(n)) this.#putBack(left.projectId, left.part)
        throw error
      }
    }
  }

  /** Puts unpublished entries back, before later ones. */
  #putBack(projectId: number, calls: ApiCalled['data'][]): void {
    this.#waiting.set(projectId, [...calls, ...(this.#waiting.get(projectId) ?? [])])
  }
}

/** Returns a cache of the last sequence of each project. It deletes the oldest entry when there are too many. */
function lastSequences() {
  const last = new Map<number, number>()
  return {
    note(projectId: number, sequence: number): void {
      last.delete(projectId)
      last.set(projectId, sequence)
      const [oldest] = last.size > maxProjects ? last.keys() : []
      if (oldest !== undefined) last.delete(oldest)
    },
    of: (projectId: number): number => last.get(projectId) ?? 0,
  }
}

/** Returns a counter of lost entries. It logs their number only once a minute, because thousands may be lost. */
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
