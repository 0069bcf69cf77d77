/**
 * Checks each commit of a run as it is stored: the commit follows from the commits before, no URL is settled twice, the
 * coverage is consistent, and no limit is exceeded. The check folds the run itself and also keeps its own sets.
 */
import { jsonParser } from '@tidemark/bus/codec'
import { unitPrices } from '@tidemark/contracts/prices'
import { RunCommit, type RunEvent, type SettledPage } from '@tidemark/contracts/run'
import type { RunSettings } from '@tidemark/contracts/run-settings'
import { coverageOf } from '../../../services/crawl-coordinator/domain/coverage.ts'
import { evolve } from '../../../services/crawl-coordinator/domain/evolve/evolve.ts'
import { isKnown, type Run, unknown } from '../../../services/crawl-coordinator/domain/run.ts'
import { Violation } from '../world.ts'

export type Settled = {
  key: string
  id: number
  url: string
  status: number
  isBlocked: boolean
  /** Whether the page was copied from the run that this run forks. */
  isCarried: boolean
  attempt: number
  day: string
  /** The position of its commit. */
  sequence: number
}

/** Returns whether a page is billed. */
export const isBilled = ({ isBlocked, isCarried }: Settled): boolean => !isBlocked && !isCarried

const readCommit = jsonParser(RunCommit)

export class RunCheck {
  readonly runId: number
  run: Run = unknown
  /** Pages by key, each settled once. */
  readonly settled = new Map<string, Settled>()
  /** Number of ends, of which each but the last was reopened. */
  ends = 0
  firstSequence = 0
  lastSequence = 0
  projectId = 0
  #lastPageId = 0
  #bytes = 0
  #hasEnded = false
  #isDeleted = false

  constructor(runId: number) {
    this.runId = runId
  }

  get hasEnded(): boolean {
    return this.#hasEnded || this.#isDeleted
  }

  get isDeleted(): boolean {
    return this.#isDeleted
  }

  /** @throws Violation */
  add(sequence: number, data: Uint8Array): RunEvent[] {
    const { at, events, trace } = readCommit(data)
    if (this.lastSequence === 0) this.firstSequence = sequence
    this.lastSequence = sequence
    for (const event of events) this.#addEvent(structuredClone(event), at, trace)
    this.#keepsPromises()
    return events
  }

  #addEvent(event: RunEvent, at: string, trace: string | undefined): void {
    const { type, data } = event
    if (this.#isDeleted) this.#fail(`${type} after RunDeleted`)
    if (this.#hasEnded && type !== 'RunReopened' && type !== 'RunDeleted')
      this.#fail(`${type} after RunFinished`)
    if ((type === 'RunQueued') !== (this.run.status === 'unknown'))
      this.#fail(`${type} of a run that is ${this.run.status}`)
    if (type === 'RunQueued') this.projectId = data.projectId
    if (type === 'PagesSettled') for (const page of data.pages) this.#settle(page, at)
    if (type === 'RunReopened') this.#hasEnded = false
    if (type === 'RunFinished') {
      this.#hasEnded = true
      this.ends++
      if (data.totals.fetched !== this.settled.size)
        this.#fail(`RunFinished has ${data.totals.fetched} fetched pages, settled were ${this.settled.size}`)
      if (data.stopReason === 'max_cost_usd') this.#usesBudget()
    }
    if (type === 'RunDeleted') {
      this.#isDeleted = true
      const billed = [...this.settled.values()].filter(isBilled).length
      if (data.billedPages !== billed) this.#fail(`RunDeleted bills ${data.billedPages} of ${billed} pages`)
    }
    this.run = evolve(this.run, event, at, trace)
  }

  #settle(page: SettledPage, at: string): void {
    const { key, id, url, status, bytes } = page
    if (this.settled.has(key)) this.#fail(`${url} is settled twice`)
    if (id <= this.#lastPageId) this.#fail(`page id ${id} after ${this.#lastPageId}`)
    this.#lastPageId = id
    const isCarried = page.carried !== undefined
    if (!isCarried) this.#bytes += bytes
    this.settled.set(key, {
      ...{ key, id, url, status, isCarried, isBlocked: page.blocked === true && !isCarried },
      ...{ attempt: page.attempt ?? 1, day: at.slice(0, 10), sequence: this.lastSequence },
    })
  }

  #keepsPromises(): void {
    const { run } = this
    if (!isKnown(run)) return
    if (this.settled.size > run.settings.maxPages) this.#fail(`${this.settled.size} pages, above max_pages`)
    this.#keepsBudget(run.settings)
    const coverage = coverageOf(run, this.lastSequence)
    if (!coverage.holds) this.#fail(`the coverage does not add up: ${JSON.stringify(coverage)}`)
    if (coverage.fetched !== this.settled.size) this.#fail('the coverage has another number of fetched pages')
  }

  /** Fails if a run ended by its budget could still pay for a page. */
  #usesBudget(): void {
    const { maxCost = 0 } = 'settings' in this.run ? this.run.settings : {}
    if (maxCost - this.#cost() >= unitPrices.page)
      this.#fail(`max_cost_usd ends it at ${this.#cost()} of ${maxCost}`)
  }

  #keepsBudget({
    maxCost = Number.POSITIVE_INFINITY,
    maxBytes = Number.POSITIVE_INFINITY,
  }: RunSettings): void {
    if (this.#cost() > maxCost) this.#fail(`its pages cost ${this.#cost()}, above max_cost_usd of ${maxCost}`)
    if (this.#bytes > maxBytes)
      this.#fail(`its pages have ${this.#bytes} bytes, above max_bytes of ${maxBytes}`)
  }

  /** Returns the price of the pages. No page of the simulation is rendered. */
  #cost(): number {
    return [...this.settled.values()].filter(isBilled).length * unitPrices.page
  }

  #fail(what: string): never {
    throw new Violation(`run ${this.runId}: ${what}`)
  }
}
