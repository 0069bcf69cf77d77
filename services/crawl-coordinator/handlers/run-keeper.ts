/**
 * Runs the commands of one run: receives outcomes in batches, lets the domain decide, appends the events, and only
 * then sends orders. Commands run one at a time, so that a run has a single writer. If another process appends
 * nevertheless, the append fails with `Conflict`, and the run is read and decided again.
 */
import { linkHere } from '@tidemark/bus/trace'
import { isCutEmpty } from '@tidemark/contracts/run-ends'
import type { Outcome } from '@tidemark/contracts/work/outcome'
import { Conflict } from '@tidemark/eventstore/store'
import { histogram } from '@tidemark/telemetry/metrics'
import type { PatternThread } from '@tidemark/url/pattern-thread'
import { type Batch, batch } from '../concurrency/batch.ts'
import { type CommandQueue, commandQueue } from '../concurrency/command-queue.ts'
import type { RunCommand } from '../domain/decide.ts'
import { weightOf } from '../domain/decision.ts'
import { nextCheck } from '../domain/orders.ts'
import type { Run } from '../domain/run.ts'
import type { Sharer } from '../domain/window.ts'
import { type Ports as HeldPorts, HeldRun, Undecidable } from './held-run.ts'
import { type PatternSearch, patternSearch, type Searched, type Unsearched } from './search-patterns.ts'

export type Ports = HeldPorts & {
  /** The thread that matches patterns. `patternTimeMs` is the maximum processor time of a run's patterns. */
  patterns: Pick<PatternThread, 'judge'>
  patternTimeMs: number
  /**
   * Called at the end of the run. `calledOff`: its orders are obsolete, because it was cancelled or deleted, or until a
   * retry, because it has no session. `doneAt`: when it ended as done, or null. `reopenings`: how often it was reopened
   * before; null: it was deleted.
   */
  ended: (
    runId: number,
    calledOff: CalledOff | null,
    doneAt: string | null,
    reopenings: number | null,
  ) => Promise<void>
  /** Called if the stream does not have the run, or not yet, after a command. */
  unknown: (runId: number) => void
  report: Report
}

/** Reports an error with its run and its command or request. */
export type Report = (error: unknown, about?: { run_id?: number | undefined; command?: string }) => void

export type CalledOff = 'for_good' | 'until_retry'
type Links = ReturnType<typeof linkHere>
type Look<T> = (run: Run, version: number) => T

/** Milliseconds until a run whose check failed is checked again. Its time limit ends it if nothing else does. */
const afterFaultMs = 60_000
/** Milliseconds until a run that waits for a larger allowance tries again. */
const waitingMs = 1_000
/** Milliseconds between checks of a paused run: the message that another instance resumed it may be lost. */
const pausedMs = 10_000

const decided = histogram('tidemark.decision.seconds')

async function measured<T>({ type: command }: RunCommand, work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now()
  let result = 'failed'
  try {
    const done = await work()
    result = 'decided'
    return done
  } finally {
    decided((performance.now() - startedAt) / 1_000, { command, result })
  }
}

function calledOff({ status, errorReason = '' }: { status: string; errorReason?: string }): CalledOff | null {
  if (status === 'cancelled') return 'for_good'
  return ['login_failed', 'logged_out'].includes(errorReason) ? 'until_retry' : null
}

/** Keeps one run. It reports faults of the run, and rejects the call that caused them. */
export class RunKeeper {
  readonly #runId: number
  readonly #ports: Ports
  readonly #held: HeldRun
  readonly #patterns: PatternSearch
  /** Runs one command at a time. */
  readonly #commands: CommandQueue
  /** Keeps the order of commands that may wait for patterns, so that links before their page are settled first. */
  readonly #ordered: CommandQueue
  readonly #inbox: Batch<Outcome>
  /** Faults that were reported since the last command succeeded. */
  readonly #reported = new Set<string>()
  /** Links to the causes of the outcomes of the next decision. */
  readonly #links: Links = []
  #dueAt = 0

  constructor(runId: number, ports: Ports, signal: AbortSignal) {
    this.#runId = runId
    this.#ports = ports
    this.#held = new HeldRun(runId, ports)
    this.#patterns = patternSearch(ports, signal, error => ports.report(error, { run_id: runId }))
    this.#commands = commandQueue(signal)
    this.#ordered = commandQueue(signal)
    this.#inbox = batch<Outcome>({
      weigh: weightOf,
      complete: count => count >= (this.#held.running?.out ?? 1),
      flush: outcomes => this.#settleAll(outcomes, this.#links.splice(0)),
    })
  }

  /** Time when the run must be checked even without an outcome, in milliseconds of `performance.now()`. */
  get dueAt(): number {
    return this.#dueAt
  }

  /** The run if it is in memory, in progress and not paused, and so shares the capacity for orders; otherwise null. */
  get sharer(): Sharer | null {
    return this.#held.isPaused ? null : this.#held.running
  }

  /** Numbers of the known, waiting and ordered URLs of a run that is in memory and in progress; otherwise null. */
  get frontier(): { known: number; waiting: number; ordered: number } | null {
    const run = this.#held.running
    return run && { known: run.states.size, waiting: run.pending.size - run.out, ordered: run.out }
  }

  /**
   * Settles outcomes. Resolves when the decision about them is appended. Rejects when the keeper was closed, and with
   * `Undecidable` when one of them can never be settled. The others are then settled nevertheless.
   */
  settle(outcomes: Outcome[]): Promise<void> {
    this.#links.push(...linkHere())
    return this.#inbox.add(outcomes)
  }

  /** Checks the run: starts it, orders due pages, or ends it. */
  async lookAfter(): Promise<void> {
    const command: RunCommand = { type: 'LookAfterRun' }
    this.#dueAt = Number.POSITIVE_INFINITY
    try {
      const compared = () => this.#commands.run(() => this.#held.catchUp())
      // A paused or waiting run appends nothing, so it would not notice that another process has ended it.
      if (this.#held.isPaused || this.#held.isWaiting) await compared().catch(() => {})
      await this.#inOrder(command)
    } catch (error) {
      this.#dueAt = performance.now() + afterFaultMs
      this.#fail(error, command)
    }
  }

  /** Compares the run with its stream, because another process may have ended it, and checks it. */
  async catchUp(): Promise<void> {
    if (this.#held.running === null) return
    await this.#commands.run(() => this.#held.catchUp())
    if (this.#held.running === null) this.#patterns.stop()
    await this.lookAfter()
  }

  pause<T = void>(at?: Look<T>): Promise<T> {
    return this.#first({ type: 'PauseRun' }, at)
  }

  resume<T = void>(at?: Look<T>): Promise<T> {
    return this.#first({ type: 'ResumeRun' }, at)
  }

  /** Orders the failed URLs of an ended run again. Changes nothing if none can be retried. */
  reopen(): Promise<void> {
    return this.#first({ type: 'ReopenRun' })
  }

  cancel<T = void>(at?: Look<T>): Promise<T> {
    return this.#first({ type: 'CancelRun' }, at).finally(this.#patterns.stop)
  }

  delete(): Promise<void> {
    return this.#first({ type: 'DeleteRun' }).finally(this.#patterns.stop)
  }

  /** Calls `at` between two decisions, with the run as its stream has it up to this version. Returns its result. */
  look<T>(at: Look<T>): Promise<T> {
    return this.#commands.run(() => this.#held.look(at), { goesFirst: true })
  }

  /** Runs a command of the client before waiting commands. Calls `at` before another command changes the run. */
  #first<T = void>(command: RunCommand, at?: Look<T>, links = linkHere()): Promise<T> {
    const work = async () => {
      await this.#attempt(command, links, this.#patterns.nothing())
      return at === undefined ? (undefined as T) : this.#held.look(at)
    }
    const options = { goesFirst: true, again: this.#again(command) }
    return this.#commands.run(work, options).catch(error => this.#fail(error, command))
  }

  /** Settles outcomes. If they cannot be decided together, they are decided in halves, in the same order. */
  async #settleAll(outcomes: Outcome[], links: Links): Promise<void> {
    const command: RunCommand = { type: 'SettlePages', outcomes }
    if (outcomes.length === 1) return this.#inOrder(command, links).catch(error => this.#fail(error, command))
    const error = await this.#inOrder(command, links).catch((error: unknown) => error)
    if (error === undefined) return
    if (!(error instanceof Undecidable)) throw error
    const half = Math.ceil(outcomes.length / 2)
    const first = await this.#settleAll(outcomes.slice(0, half), links).catch((error: unknown) => error)
    await this.#settleAll(outcomes.slice(half), links)
    if (first !== undefined) throw first
  }

  #inOrder(command: RunCommand, links = linkHere()): Promise<void> {
    return this.#ordered.run(async () => {
      let searched = this.#patterns.nothing()
      for (;;) {
        const attempt = () => this.#attempt(command, links, searched)
        const unsearched = await this.#commands.run(attempt, { again: this.#again(command) })
        if (unsearched === null) return
        searched = await this.#patterns.search(unsearched, searched)
      }
    })
  }

  #again(command: RunCommand): (error: unknown) => boolean {
    const about = { run_id: this.#runId, command: command.type }
    return error => {
      if (!(error instanceof Undecidable || error instanceof Conflict)) this.#ports.report(error, about)
      return !(error instanceof Undecidable)
    }
  }

  /** Runs a command. Resolves with null, or with URLs to match first if the command is not decided yet. */
  async #attempt(command: RunCommand, links: Links, searched: Searched): Promise<Unsearched | null> {
    const unsearched = await this.#held.unsearched(command, searched)
    if (unsearched !== null) return unsearched
    const run = await measured(command, () => this.#held.carryOut(command, searched, links))
    const dueInMs = run.status === 'running' ? nextCheck(run, this.#ports.runLimitMs) - Date.now() : Infinity
    const maxMs = this.#held.isWaiting ? waitingMs : this.#held.isPaused ? pausedMs : Infinity
    this.#dueAt = performance.now() + Math.min(dueInMs, maxMs)
    if ('finishedAt' in run) {
      const doneAt = run.status === 'done' && !isCutEmpty(run) ? run.finishedAt : null
      await this.#ports.ended(this.#runId, calledOff(run), doneAt, run.reopenings ?? 0)
    }
    if (run.status === 'deleted') await this.#ports.ended(this.#runId, 'for_good', null, null)
    if (run.status === 'unknown') this.#ports.unknown(this.#runId)
    this.#reported.clear()
    return null
  }

  /** Reports a fault once until a command succeeds, because it will recur, and throws it. */
  #fail(error: unknown, { type }: RunCommand): never {
    if (error instanceof Undecidable && !this.#reported.has(error.message)) {
      this.#reported.add(error.message)
      this.#ports.report(error, { run_id: this.#runId, command: type })
    }
    throw error
  }
}
