/**
 * Keeps one run: takes what came back in batches, lets the domain decide, appends, and only then hands out
 * orders. One turn at a time, so that a run has a single writer; should there be another after all, the fence
 * of the append says so, and the run is folded again and decided again.
 */
import { linkHere } from '@tidemark/bus/trace'
import { isCutEmpty } from '@tidemark/contracts/run'
import type { Outcome } from '@tidemark/contracts/work/outcome'
import { Conflict } from '@tidemark/eventstore/store'
import { histogram } from '@tidemark/telemetry/metrics'
import type { RunCommand } from '../domain/decide.ts'
import { nextLook } from '../domain/orders.ts'
import type { Run } from '../domain/run.ts'
import type { Sharer } from '../domain/window.ts'
import { batch } from '../turns/batch.ts'
import { turns } from '../turns/turns.ts'
import { type Ports as HeldPorts, heldRun, Undecidable } from './held-run.ts'
import { weightOf } from './weight.ts'

export type Ports = HeldPorts & {
  /** Told when the run is over, whether that was decided from outside, and when it ended if it ended as done. */
  ended: (runId: number, calledOff: boolean, doneAt: string | null) => Promise<void>
  /** Told when the stream knows nothing of the run, or not yet. */
  unknown: (runId: number) => void
  report: Report
}

/** Tells of an error, and of which run and command, or question, it is. */
export type Report = (error: unknown, about?: { run_id?: number | undefined; command?: string }) => void

/** What goes wrong with a run is reported here; who asked is told by the rejection. */
export type RunKeeper = {
  /**
   * Resolves when the decision about these outcomes is appended. Rejects when the keeper was closed, and with
   * `Undecidable` when one of them can never be settled; the others then are.
   */
  settle(outcomes: Outcome[]): Promise<void>
  lookAfter(): Promise<void>
  /** Looks after the run as its stream has it, for somebody else may have ended it. */
  catchUp(): Promise<void>
  cancel(): Promise<void>
  delete(): Promise<void>
  /** Reads the run between two decisions: it holds what its stream holds up to this version. */
  look<T>(at: (run: Run, version: number) => T): Promise<T>
  /** When the run has to be looked after although nothing came back, in epoch milliseconds. */
  dueAt(): number
  /** The run if it is held and goes on, and so takes its share of the orders. */
  sharer(): Sharer | null
  /** What such a run knows of and has before it, in URLs. */
  frontier(): { known: number; waiting: number; ordered: number } | null
}

type Links = ReturnType<typeof linkHere>

/** A run that could not be looked after is looked after again: its time limit ends it if nothing else does. */
const afterFaultMs = 60_000
/** Who waits for pages to spend asks again. */
const waitingMs = 1_000

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

export function runKeeper(runId: number, ports: Ports, signal: AbortSignal): RunKeeper {
  const held = heldRun(runId, ports)
  const line = turns(signal)
  const told = new Set<string>()
  /** What brought the outcomes of the next decision. */
  let brought: Links = []
  let dueAt = 0
  const inbox = batch<Outcome>({
    weigh: weightOf,
    complete: count => count >= (held.running()?.out ?? 1),
    flush: outcomes => {
      const links = brought
      brought = []
      return settleAll(outcomes, links)
    },
  })

  /** What cannot be decided together may be decided in parts, in the same order. */
  async function settleAll(outcomes: Outcome[], links: Links): Promise<void> {
    const command: RunCommand = { type: 'SettlePages', outcomes }
    if (outcomes.length === 1) return inTurn(command, links).catch(error => say(error, command))
    const error = await inTurn(command, links).catch((error: unknown) => error)
    if (error === undefined) return
    if (!(error instanceof Undecidable)) throw error
    const half = Math.ceil(outcomes.length / 2)
    const first = await settleAll(outcomes.slice(0, half), links).catch((error: unknown) => error)
    await settleAll(outcomes.slice(half), links)
    if (first !== undefined) throw first
  }

  function inTurn(command: RunCommand, links = linkHere(), goesFirst = false): Promise<void> {
    return line.take(() => attempt(command, links), { goesFirst, again: error => isPassing(error, command) })
  }

  function isPassing(error: unknown, { type }: RunCommand): boolean {
    if (error instanceof Undecidable) return false
    if (!(error instanceof Conflict)) ports.report(error, { run_id: runId, command: type })
    return true
  }

  async function attempt(command: RunCommand, links: Links): Promise<void> {
    const run = await measured(command, () => held.carryOut(command, links))
    dueAt = run.status === 'running' ? nextLook(run, ports.runLimitMs) : Number.POSITIVE_INFINITY
    if (held.isWaiting()) dueAt = Math.min(dueAt, Date.now() + waitingMs)
    if ('finishedAt' in run) {
      const isReturned = run.status === 'done' && !isCutEmpty(run)
      await ports.ended(runId, run.status === 'cancelled', isReturned ? run.finishedAt : null)
    }
    if (run.status === 'deleted') await ports.ended(runId, true, null)
    if (run.status === 'unknown') ports.unknown(runId)
    told.clear()
  }

  /** Of what will fail again in the same way, once is told. */
  function say(error: unknown, { type }: RunCommand): never {
    if (error instanceof Undecidable && !told.has(error.message)) {
      told.add(error.message)
      ports.report(error, { run_id: runId, command: type })
    }
    throw error
  }

  async function lookAfter(): Promise<void> {
    const command: RunCommand = { type: 'LookAfterRun' }
    dueAt = Number.POSITIVE_INFINITY
    try {
      await inTurn(command)
    } catch (error) {
      dueAt = Date.now() + afterFaultMs
      say(error, command)
    }
  }

  function fromOutside(type: 'CancelRun' | 'DeleteRun'): Promise<void> {
    const command: RunCommand = { type }
    return inTurn(command, linkHere(), true).catch(error => say(error, command))
  }

  return {
    settle(outcomes) {
      brought.push(...linkHere())
      return inbox.add(outcomes)
    },
    lookAfter,
    async catchUp() {
      if (held.running() === null) return
      await line.take(held.catchUp)
      await lookAfter()
    },
    cancel: () => fromOutside('CancelRun'),
    delete: () => fromOutside('DeleteRun'),
    look: at => line.take(() => held.look(at), { goesFirst: true }),
    dueAt: () => dueAt,
    sharer: held.running,
    frontier() {
      const run = held.running()
      return run && { known: run.places.size, waiting: run.pending.size - run.out, ordered: run.out }
    },
  }
}
