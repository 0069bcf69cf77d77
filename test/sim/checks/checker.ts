/** Checks the promises of the whole system: after each stored message, and at the end, when nothing is in progress. */
import { runOfSubject, streams } from '@tidemark/contracts/subjects'
import { concurrentRuns } from '@tidemark/contracts/tiers'
import { urlKey } from '@tidemark/url/key'
import { inScope } from '@tidemark/url/scope'
import { isKnown } from '../../../services/crawl-coordinator/domain/run.ts'
import type { JetStream, Message } from '../bus/jetstream.scene.ts'
import type { Terms } from '../processes.ts'
import type { Row, Tables } from '../store/tables.ts'
import type { Confirmed } from '../tenants.ts'
import type { Site } from '../web/site.ts'
import { Violation, type World } from '../world.ts'
import { RequestChecks } from './requests.ts'
import { isBilled, RunCheck, type Settled } from './run-check.ts'

type Ports = { world: World; jetstream: JetStream; tables: Tables; terms: Terms; sites: readonly Site[] }

export class Checker {
  readonly runs = new Map<number, RunCheck>()
  readonly confirmed: Confirmed[] = []
  /** Number of crawls that clients request, each under its own key. */
  maxRuns = 0
  readonly requests: RequestChecks
  readonly #ports: Ports
  readonly #billed = new Map<string, number>()
  readonly #decisions = new Map<number, string[]>()

  constructor(ports: Ports) {
    this.#ports = ports
    this.requests = new RequestChecks(ports.world)
  }

  /** Checks a message that a stream has just stored. */
  stored(stream: string, message: Message): void {
    if (stream !== streams.runs) return
    const { runId, facet } = runOfSubject(message.subject)
    if (facet === 'crawl') this.#ofCrawl(runId, message)
    if (facet === 'webhook') this.#ofWebhook(runId, message)
  }

  #ofCrawl(runId: number, { seq, data }: Message): void {
    const run = this.runs.get(runId) ?? new RunCheck(runId)
    this.runs.set(runId, run)
    if (this.runs.size > this.maxRuns) throw new Violation(`run ${runId} is the second one of a request`)
    const events = run.add(seq, data)
    this.#ports.world.record(`stored ${seq} run ${runId}: ${events.map(({ type }) => type).join(' ')}`)
    for (const event of events) {
      if (event.type === 'RunQueued' || event.type === 'RunReopened') this.#countActive(run.projectId)
      if (event.type !== 'PagesSettled') continue
      const day = String(run.settled.get(event.data.pages[0]?.key ?? '')?.day)
      const pages = event.data.pages.flatMap(({ key }) => run.settled.get(key) ?? [])
      this.#bill(`${run.projectId} ${day}`, pages.filter(isBilled).length)
      for (const page of pages) this.#comesFromBase(run, page)
    }
  }

  /** A fork takes each page that its base had at its start, unless it was lost, and no other page. */
  #comesFromBase({ run, runId, firstSequence }: RunCheck, page: Settled): void {
    const fork = isKnown(run) ? run.settings.fork : undefined
    const base = fork && this.runs.get(fork.runId)
    const known = base?.settled.get(page.key)
    if (page.isCarried && (known === undefined || known.isBlocked || known.status !== page.status))
      throw new Violation(`run ${runId}: its base does not have ${page.url}`)
    if (page.isCarried || known === undefined || known.isBlocked || known.sequence > firstSequence) return
    if (base?.isDeleted === false && page.attempt === 1)
      throw new Violation(`run ${runId}: ${page.url} is fetched, although its base has it`)
  }

  #bill(name: string, pages: number): void {
    const sum = (this.#billed.get(name) ?? 0) + pages
    this.#billed.set(name, sum)
    const cap = this.#ports.terms.caps.pagesPerDay ?? Number.POSITIVE_INFINITY
    if (sum > cap)
      throw new Violation(`project and day ${name}: ${sum} pages are settled, above the cap of ${cap}`)
  }

  #countActive(projectId: number): void {
    const active = [...this.runs.values()].filter(run => run.projectId === projectId && !run.hasEnded).length
    if (active > concurrentRuns) throw new Violation(`project ${projectId} has ${active} runs in progress`)
  }

  #ofWebhook(runId: number, { data }: Message): void {
    const { events } = JSON.parse(Buffer.from(data).toString()) as { events: { type: string; data: Row }[] }
    for (const { type, data } of events) {
      if (type !== 'DeliveryDecided') continue
      const ids = this.#decisions.get(runId) ?? []
      if (ids.includes(data.webhookId))
        throw new Violation(`run ${runId}: ${data.webhookId} is decided twice`)
      this.#decisions.set(runId, [...ids, data.webhookId])
    }
  }

  /** Returns why the system is not at rest, or null. */
  unrest(): string | null {
    const { jetstream, tables } = this.#ports
    for (const { type, runId } of this.confirmed)
      if (type === 'started' && !this.runs.has(runId)) return `run ${runId} was confirmed and is not stored`
    for (const run of this.runs.values())
      if (!run.hasEnded) return `run ${run.runId} has not ended: ${whyOf(run)}`
    for (const name of [streams.outcomes, streams.fetch, streams.pages])
      if (jetstream.stream(name).messages.size > 0) return `${name} is not empty`
    for (const row of tables.rows('coordinator.admission').values())
      if (row.released_at === null) return `run ${row.run_id} holds its slot`
    for (const schema of ['coordinator', 'webhook'])
      if (tables.rows(`${schema}.outbox`).size > 0) return `the outbox of ${schema} is not empty`
    return this.#unread()
  }

  #unread(): string | null {
    const { jetstream, tables } = this.#ports
    const readers = [
      { schema: 'ledger', projection: 'bill-runs', stream: streams.runs, wanted: /\.crawl$/ },
      { schema: 'ledger', projection: 'ledger', stream: streams.usage, wanted: /./ },
      { schema: 'webhook', projection: 'decide-deliveries', stream: streams.runs, wanted: /\.crawl$/ },
    ]
    for (const { schema, projection, stream, wanted } of readers) {
      const last = [...jetstream.stream(stream).messages.values()].findLast(({ subject }) =>
        wanted.test(subject),
      )
      const at = tables.rows(`${schema}.checkpoint`).get(`${projection} all ${stream}`)?.sequence ?? 0
      if (at < (last?.seq ?? 0)) return `${projection} has read ${stream} up to ${at} of ${last?.seq}`
    }
    return null
  }

  /** Checks what must hold when the system is at rest. */
  atRest(): void {
    for (const run of this.runs.values()) {
      this.#isWhole(run)
      this.#isBilled(run)
      this.#isAnnounced(run)
    }
    this.#countersAddUp()
    this.#keepsConfirmations()
  }

  /** No URL is lost: each link in scope of a fetched page is known to the run. */
  #isWhole({ run, runId, settled }: RunCheck): void {
    if (run.status !== 'done' && run.status !== 'failed') return
    const { before } = run
    if (before === null || before.isFull) return
    for (const { url, status, isBlocked } of settled.values()) {
      const site = this.#ports.sites.find(site => site.has(url))
      if (status !== 200 || isBlocked || site === undefined) continue
      for (const link of site.linksOf(url))
        if (inScope(before.scope, link) && !before.states.has(urlKey(link)))
          throw new Violation(`run ${runId}: ${link} was found on ${url} and is unknown`)
    }
  }

  #isBilled({ runId, settled }: RunCheck): void {
    const { tables } = this.#ports
    const units = [...tables.rows('ledger.unit').values()].filter(unit => unit.run_id === runId)
    const billed = units.filter(unit => unit.units > 0).map(unit => unit.token)
    const wanted = [...settled.values()].filter(isBilled).map(({ key }) => `${runId}:${key}`)
    if (billed.sort().join() !== wanted.sort().join())
      throw new Violation(`run ${runId}: ${billed.length} units are billed for ${wanted.length} pages`)
    const counted = tables.rows('ledger.billed_run').get(String(runId))?.units ?? 0
    if (counted !== wanted.length)
      throw new Violation(`run ${runId}: its counter is ${counted} of ${wanted.length}`)
  }

  /**
   * The last end of a run is announced. An earlier one is not if it was decided together with the last, because a new
   * end replaces a pending delivery.
   */
  #isAnnounced({ runId, run, ends, isDeleted }: RunCheck): void {
    const hasHook = this.#ports.tables.rows('webhook.run').has(String(runId))
    if (!hasHook || ends === 0 || isDeleted || run.status === 'cancelled') return
    const decided = this.#decisions.get(runId) ?? []
    const wanted = `msg_run${runId}_crawl_done${ends > 1 ? `_${ends}` : ''}`
    if (!decided.includes(wanted))
      throw new Violation(`run ${runId}: ${wanted} is not among ${decided.join()}`)
    if (decided.length > ends)
      throw new Violation(`run ${runId}: ${decided.length} webhooks for ${ends} ends`)
  }

  #countersAddUp(): void {
    const { tables } = this.#ports
    const sums = new Map<string, number>()
    for (const unit of tables.rows('ledger.unit').values()) {
      const name = `${unit.project_id} ${unit.day}`
      sums.set(name, (sums.get(name) ?? 0) + unit.units)
    }
    for (const [name, { pages }] of tables.rows('ledger.counter'))
      if (pages !== (sums.get(name) ?? 0))
        throw new Violation(`the counter of ${name} is ${pages}, not ${sums.get(name)}`)
  }

  #keepsConfirmations(): void {
    for (const { type, runId } of this.confirmed) {
      const run = this.runs.get(runId)
      if (type === 'deleted' && run?.isDeleted !== true)
        throw new Violation(`run ${runId} was deleted and is there`)
      if (type === 'reopened' && run !== undefined && run.ends < 1)
        throw new Violation(`run ${runId} was reopened and has no end`)
    }
  }
}

function whyOf({ run }: RunCheck): string {
  if (run.status !== 'running') return run.status
  const pending = [...run.pending].map(
    ([key, { attempt, order }]) => `${key} ${attempt} ${order ? 'ordered' : 'waiting'}`,
  )
  return `${run.pausedAt === null ? 'running' : 'paused'}, ${run.out} out, silences ${run.silences}, ${pending.slice(0, 3).join('; ')}`
}
