/**
 * Keeps one run: takes what came back in batches, lets the domain decide, appends, and only then hands out
 * orders. One turn at a time, so that a run has a single writer; should there be another after all, the fence
 * of the append says so, and the run is folded again and decided again.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { RunCommit, RunEvent, TrapRule } from '@tidemark/contracts/run'
import { subjects } from '@tidemark/contracts/subjects'
import type { Outcome } from '@tidemark/contracts/work/outcome'
import { Conflict, type EventStore } from '@tidemark/eventstore/store'
import type { SendOrders } from '../adapters/fetch-orders.ts'
import type { PageIds } from '../adapters/page-ids.ts'
import { decide, type RunCommand } from '../domain/decide.ts'
import { nextLook } from '../domain/orders.ts'
import { isKnown, type Run } from '../domain/run.ts'
import type { Sharer } from '../domain/window.ts'
import { messagesFor, messagesOut } from '../policies/order-fetching.ts'
import { batch } from './batch.ts'
import { foldRun } from './fold-run.ts'
import { judgeAhead } from './judge-ahead.ts'

export type Ports = {
  store: EventStore
  ids: PageIds
  send: SendOrders
  robotsToken: string
  /** How long a run may take. */
  runLimitMs: number
  /** Rules of traps that this installation does without. */
  trapsOff: ReadonlySet<TrapRule>
  /** Orders that this run may have out at once. */
  window: (run: Sharer) => number
  /** Told when the run is over, whether that was decided from outside, and when it ended if it ended as done. */
  ended: (runId: number, calledOff: boolean, doneAt: string | null) => Promise<void>
  report: (error: unknown) => void
}

export type RunKeeper = {
  /** Resolves when the decision about these outcomes is appended, rejects when the keeper was closed. */
  settle(outcomes: Outcome[]): Promise<void>
  lookAfter(): Promise<void>
  cancel(): Promise<void>
  delete(): Promise<void>
  /** Reads the run between two decisions: it holds what its stream holds up to this version. */
  look<T>(at: (run: Run, version: number) => T): Promise<T>
  /** When it wants to be looked after, in epoch milliseconds. */
  dueAt(): number
  /** Null when it has none to order for. */
  sharer(): Sharer | null
}

export function runKeeper(runId: number, ports: Ports, signal: AbortSignal): RunKeeper {
  let held: { run: Run; version: number } | null = null
  let turn: Promise<unknown> = Promise.resolve()
  let dueAt = 0
  const inbox = batch<Outcome>({
    weigh: linksOf,
    complete: count => count >= outstanding(),
    flush: settleAll,
  })

  const outstanding = () => (held?.run.status === 'running' ? held.run.out : 1)

  function settleAll(items: Outcome[]): Promise<void> {
    return inTurn({ type: 'SettlePages', outcomes: items })
  }

  function inTurn(command: RunCommand): Promise<void> {
    return queue(() => carryOut(command))
  }

  function queue<T>(work: () => Promise<T>): Promise<T> {
    const mine = turn.then(work)
    turn = mine.catch(() => undefined)
    return mine
  }

  async function carryOut(command: RunCommand): Promise<void> {
    for (let wait = 50; ; wait = Math.min(wait * 2, 5_000)) {
      signal.throwIfAborted()
      try {
        return await attempt(command)
      } catch (error) {
        held = null
        if (error instanceof Undecidable) throw error
        if (error instanceof Conflict) continue
        ports.report(error)
        await sleep(wait, undefined, { signal })
      }
    }
  }

  async function attempt(command: RunCommand): Promise<void> {
    held ??= await open()
    if (command.type === 'SettlePages') {
      await ports.ids.reserve(command.outcomes.length)
      await judgeAhead(held.run, command.outcomes)
    }
    const at = new Date().toISOString()
    const circumstances = {
      at,
      takeId: ports.ids.take,
      window: isKnown(held.run) ? ports.window(held.run) : 0,
      robotsToken: ports.robotsToken,
      runLimitMs: ports.runLimitMs,
      trapsOff: ports.trapsOff,
    }
    const { run, events } = decideOrSay(held.run, command, circumstances)
    if (events.length > 0) await append(run, events, at)
    dueAt = run.status === 'running' ? nextLook(run, ports.runLimitMs) : Number.POSITIVE_INFINITY
    // Its first event may be on its way from the outbox, so that nothing is known is not to be remembered.
    if (run.status === 'unknown') held = null
    if ('finishedAt' in run) {
      await ports.ended(runId, run.status === 'cancelled', run.status === 'done' ? run.finishedAt : null)
    }
    if (run.status === 'deleted') await ports.ended(runId, true, null)
  }

  async function append(run: Run, events: RunEvent[], at: string): Promise<void> {
    const commit: RunCommit = { at, events }
    const version = await ports.store.append(subjects.run(runId), held?.version ?? 0, commit)
    held = { run, version }
    if (run.status === 'running') ports.send(messagesFor(run, events))
  }

  async function readIn<T>(at: (run: Run, version: number) => T): Promise<T> {
    signal.throwIfAborted()
    held ??= await open()
    const { run, version } = held
    if (run.status === 'unknown') held = null
    return at(run, version)
  }

  async function open(): Promise<{ run: Run; version: number }> {
    const opened = await foldRun(ports.store, runId)
    if (opened.run.status === 'running') ports.send(messagesOut(opened.run))
    return opened
  }

  return {
    settle: outcomes => inbox.add(outcomes),
    lookAfter: () => {
      dueAt = Number.POSITIVE_INFINITY
      return inTurn({ type: 'LookAfterRun' })
    },
    cancel: () => inTurn({ type: 'CancelRun' }),
    delete: () => inTurn({ type: 'DeleteRun' }),
    look: at => queue(() => readIn(at)),
    dueAt: () => dueAt,
    sharer: () => (held?.run.status === 'running' ? held.run : null),
  }
}

/** A command that the domain cannot take: asking it again would not help. */
class Undecidable extends Error {
  override readonly name = 'Undecidable'
}

function decideOrSay(...[run, command, circumstances]: Parameters<typeof decide>): ReturnType<typeof decide> {
  try {
    return decide(run, command, circumstances)
  } catch (cause) {
    throw new Undecidable(`${command.type} could not be decided.`, { cause })
  }
}

const linksOf = (outcome: Outcome): number => ('links' in outcome ? outcome.links.length : 0)
