/**
 * Holds a run in memory between two commands. A command is decided, then its events are appended, and only then its
 * orders are sent. Deciding changes the run, so the decision is appended unchanged, even if that takes several tries.
 * The run is read again if the decision can never be appended, or is too old.
 */
import { refuse } from '@tidemark/bus/refusal'
import { inTrace, type linkHere, withWorkSpan } from '@tidemark/bus/trace'
import type { RunCommit, TrapRule } from '@tidemark/contracts/run'
import { subjects } from '@tidemark/contracts/subjects'
import { spanAttributes, spanNames } from '@tidemark/contracts/traces'
import type { Outcome } from '@tidemark/contracts/work/outcome'
import { Conflict, type EventStore, TooLarge } from '@tidemark/eventstore/store'
import { type FindBasePages, type FindPagesOfFork, readOnce } from '../adapters/base-pages.ts'
import type { PageIds } from '../adapters/page-ids.ts'
import type { SendOrders } from '../adapters/send-orders.ts'
import { inSteps } from '../concurrency/in-steps.ts'
import { judgeRobotsAhead, unsearched } from '../domain/ahead.ts'
import { unbounded } from '../domain/circumstances.ts'
import { decide, type RunCommand } from '../domain/decide.ts'
import { patternsOf } from '../domain/filter.ts'
import { maxSettledPages } from '../domain/recheck.ts'
import { isKnown, isPaused, type Queued, type Run, type Running } from '../domain/run.ts'
import type { Sharer } from '../domain/window.ts'
import { messagesFor, messagesOut } from '../policies/order-fetching.ts'
import { AllowanceKeeper, type FindTerms, type Hold } from './allowance.ts'
import type { Folded } from './fold-run.ts'
import type { Searched, Unsearched } from './search-patterns.ts'

export type Ports = {
  store: Pick<EventStore, 'append' | 'last'>
  fold: (runId: number) => Promise<Folded>
  ids: PageIds
  /** Returns the pages of the run that a fork continues. */
  basePages: FindBasePages
  send: SendOrders
  robotsToken: string
  /** Maximum duration of a run in milliseconds. */
  runLimitMs: number
  /** Trap rules that this installation turns off. */
  trapsOff: ReadonlySet<TrapRule>
  /** Reserves the pages that a run may spend. */
  hold: Hold
  findTerms: FindTerms
  /** Returns the number of orders that this run may have in flight. */
  window: (run: Sharer) => number
}

/** Reports a command that the domain rejects, or whose events fit into no message: retrying would not help. */
export class Undecidable extends Error {
  override readonly name = 'Undecidable'

  constructor({ type }: RunCommand, cause: unknown) {
    super(`${type} cannot be carried out: ${cause instanceof Error ? cause.message : cause}`, { cause })
  }
}

type Links = ReturnType<typeof linkHere>
type Decided = { command: RunCommand; run: Run; commit: RunCommit }

const boundless = { allowance: unbounded, cloudAllowance: unbounded }

const service = 'crawl-coordinator'

const notStored = {
  message: 'The last decision about the crawl is not stored yet. Try again shortly.',
  retryAfterSeconds: 1,
}

/** Milliseconds after which the timestamps and orders of a decision are outdated. */
const freshMs = 30_000

export class HeldRun {
  readonly #runId: number
  readonly #subject: string
  readonly #ports: Ports
  readonly #allowances: AllowanceKeeper
  readonly #basePages: FindPagesOfFork
  /** The run and its version; null until a command or `look` needs them. */
  #held: Folded | null = null
  /** A decision that is not known to be appended. */
  #decided: Decided | null = null

  constructor(runId: number, ports: Ports) {
    this.#runId = runId
    this.#subject = subjects.run(runId)
    this.#ports = ports
    this.#allowances = new AllowanceKeeper(ports.hold, ports.findTerms)
    this.#basePages = readOnce(ports.basePages)
  }

  /** The run if it is in memory and in progress. */
  get running(): Running | null {
    return this.#held?.run.status === 'running' ? this.#held.run : null
  }

  /** Whether the run is in memory and paused. */
  get isPaused(): boolean {
    return this.running !== null && isPaused(this.running)
  }

  /** Whether the run could continue with a larger grant, which may come soon. */
  get isWaiting(): boolean {
    return this.#allowances.isWaiting()
  }

  /**
   * Returns the URLs to match with the client's patterns before this command can be decided; null: no URLs.
   */
  async unsearched(
    command: RunCommand,
    { verdicts, isPatternTimeSpent }: Searched,
  ): Promise<Unsearched | null> {
    if (isPatternTimeSpent || !judges(command)) return null
    const { run } = await this.#heldFor(command)
    if (this.#decided !== null || run.status !== 'running') return null
    const lists = patternsOf(run.settings)
    const urls = unsearched(run, outcomesOf(command), verdicts)
    return lists === null || urls.length === 0 ? null : { projectId: run.projectId, lists, urls }
  }

  /**
   * Decides the command, appends the decision, and returns the run. Throws `Conflict` if another process appended
   * first, `Undecidable`, and errors of the infrastructure. All except `Undecidable` may be retried. The span belongs
   * to the run's trace and links to the messages that caused the command.
   */
  async carryOut(command: RunCommand, searched: Searched, links: Links = []): Promise<Run> {
    const folded = await this.#heldFor(command)
    const work = { service, trace: traceOf(folded.run), links }
    return withWorkSpan(spanNames.decide(command.type), work, this.#describe(command), async span => {
      this.#decided ??= await this.#decide(folded.run, command, searched)
      const decided = this.#decided
      span.setAttribute(spanAttributes.events, decided.commit.events.length)
      if (decided.commit.events.length === 0) return this.#hold(decided.run, folded.version)
      return this.#append(decided, folded.version)
    })
  }

  /**
   * Calls `at` with the run as stored, and returns its result. Throws `unavailable` while a decision is not known to be
   * appended.
   */
  async look<T>(at: (run: Run, version: number) => T): Promise<T> {
    if (this.#decided !== null) throw refuse('unavailable', notStored)
    this.#held ??= await this.#open()
    const { run, version } = this.#held
    this.#hold(run, version)
    return at(run, version)
  }

  /** Drops the run if another process has appended to it, so that the next command reads it again. */
  async catchUp(): Promise<void> {
    if (this.#held === null || this.#decided !== null) return
    const last = await this.#ports.store.last(this.#subject)
    if (last?.sequence !== this.#held.version) this.#drop()
  }

  /** Returns the run for this command. A decision of another command, or an old one, is dropped with the run. */
  async #heldFor(command: RunCommand): Promise<Folded> {
    const decided = this.#decided
    if (decided !== null && (decided.command !== command || isOld(decided.commit))) this.#drop()
    // Reissued orders belong to the run's trace, not to the caller's.
    this.#held ??= await inTrace(undefined, () => this.#open())
    return this.#held
  }

  #describe(command: RunCommand) {
    return {
      [spanAttributes.runId]: this.#runId,
      [spanAttributes.command]: command.type,
      ...(command.type === 'SettlePages' && { [spanAttributes.pages]: command.outcomes.length }),
    }
  }

  async #decide(run: Run, command: RunCommand, searched: Searched): Promise<Decided> {
    const outcomes = outcomesOf(command)
    const trace = traceOf(run)
    const { ids, robotsToken, runLimitMs, trapsOff } = this.#ports
    const lastId = run.status === 'running' ? run.lastPageId : 0
    const stored = spends(command, run) ? await this.#basePages(run) : null
    const takeId = await ids.reserve(maxSettledPages(run, outcomes), lastId)
    try {
      const window = isKnown(run) && !isPaused(run) ? this.#ports.window(run) : 0
      const allowed = spends(command, run) ? await this.#allowances.of(run, { window, outcomes }) : boundless
      await inSteps(judgeRobotsAhead(run, outcomes))
      const at = new Date().toISOString()
      const circumstances = {
        ...{ at, takeId, window, robotsToken, runLimitMs, trapsOff, ...(stored && { stored }) },
        ...allowed,
        ...searched,
      }
      const result = decide(run, command, circumstances)
      if (result.run.status === 'running') this.#allowances.decided(result.run, window)
      return { command, run: result.run, commit: { at, ...(trace && { trace }), events: result.events } }
    } catch (cause) {
      this.#drop()
      throw new Undecidable(command, cause)
    }
  }

  async #append({ command, run, commit }: Decided, expected: number): Promise<Run> {
    const version = await this.#ports.store.append(this.#subject, expected, commit).catch(error => {
      if (error instanceof Conflict || error instanceof TooLarge) this.#drop()
      throw error instanceof TooLarge ? new Undecidable(command, error) : error
    })
    this.#hold(run, version)
    if (run.status === 'running') this.#ports.send(messagesFor(run, commit.events))
    return run
  }

  /** Keeps the run, and returns it. An unknown run is not kept: its first event may still be in the outbox. */
  #hold(run: Run, version: number): Run {
    this.#held = run.status === 'unknown' ? null : { run, version }
    this.#decided = null
    return run
  }

  #drop(): void {
    this.#held = null
    this.#decided = null
  }

  async #open(): Promise<Folded> {
    const opened = await this.#ports.fold(this.#runId)
    if (opened.run.status === 'running') this.#ports.send(messagesOut(opened.run), { unlessSent: true })
    return opened
  }
}

/** Returns whether a command may judge URLs. */
const judges = ({ type }: RunCommand): boolean => type === 'LookAfterRun' || type === 'SettlePages'

const outcomesOf = (command: RunCommand): readonly Outcome[] =>
  command.type === 'SettlePages' ? command.outcomes : []

/** Returns whether a command may spend pages. Commands that end a run, and commands on an ended run, do not. */
const spends = (command: RunCommand, run: Run): run is Queued | Running =>
  judges(command) && (run.status === 'queued' || run.status === 'running')

const traceOf = (run: Run): string | undefined => ('trace' in run ? run.trace : undefined)

const isOld = ({ at }: RunCommit): boolean => Date.now() - Date.parse(at) > freshMs
