/**
 * A run as it is held between two commands: folded once, decided upon, and only after the append its orders go out.
 * Deciding moves the run, so what was decided is appended as it was decided, also when that takes some tries; the
 * run is read again where the decision can never be appended, or was made too long ago.
 */
import { inTrace, type linkHere, withWorkSpan } from '@tidemark/bus/trace'
import type { RunCommit, TrapRule } from '@tidemark/contracts/run'
import { subjects } from '@tidemark/contracts/subjects'
import { spanAttributes, spanNames } from '@tidemark/contracts/traces'
import { Conflict, type EventStore, TooLarge } from '@tidemark/eventstore/store'
import type { PageIds } from '../adapters/page-ids.ts'
import type { SendOrders } from '../adapters/send-orders.ts'
import { judgeAhead } from '../domain/ahead.ts'
import { decide, type RunCommand } from '../domain/decide.ts'
import { unbounded } from '../domain/decision.ts'
import { isKnown, type Queued, type Run, type Running } from '../domain/run.ts'
import type { Sharer } from '../domain/window.ts'
import { messagesFor, messagesOut } from '../policies/order-fetching.ts'
import { inSteps } from '../turns/in-steps.ts'
import { allowanceKeeper, type FindTerms, type Hold } from './allowance.ts'
import type { Folded } from './fold-run.ts'

export type Ports = {
  store: Pick<EventStore, 'append' | 'last'>
  fold: (runId: number) => Promise<Folded>
  ids: PageIds
  send: SendOrders
  robotsToken: string
  /** How long a run may take. */
  runLimitMs: number
  /** Rules of traps that this installation does without. */
  trapsOff: ReadonlySet<TrapRule>
  /** Asks for the pages that a run may spend. */
  hold: Hold
  findTerms: FindTerms
  /** Orders that this run may have out at once. */
  window: (run: Sharer) => number
}

export type HeldRun = {
  /**
   * Decides the command and appends what was decided; the run afterwards. Throws `Conflict` when somebody else was
   * first, `Undecidable`, and what the infrastructure throws. All but `Undecidable` may be tried again. It is told in
   * the run's trace, and linked to what asks for it.
   */
  carryOut(command: RunCommand, links?: ReturnType<typeof linkHere>): Promise<Run>
  /** Reads the run as its stream has it; throws while something was decided that is not known to be there. */
  look<T>(at: (run: Run, version: number) => T): Promise<T>
  /** Reads it again before the next command if somebody else has appended to it. */
  catchUp(): Promise<void>
  /** The run if it is held and goes on. */
  running(): Running | null
  /** Whether it would go on, could it spend more; which may be so soon. */
  isWaiting(): boolean
}

/** A command that the domain cannot take, or whose events no message can hold: asking it again would not help. */
export class Undecidable extends Error {
  override readonly name = 'Undecidable'

  constructor({ type }: RunCommand, cause: unknown) {
    super(`${type} cannot be carried out: ${cause instanceof Error ? cause.message : cause}`, { cause })
  }
}

type Decided = { command: RunCommand; run: Run; commit: RunCommit }

const boundless = { allowance: unbounded, cloudAllowance: unbounded }

const service = 'crawl-coordinator'

/** Later, what it says of the time and of orders that go out now would no longer be so. */
const freshMs = 30_000

export function heldRun(runId: number, ports: Ports): HeldRun {
  const subject = subjects.run(runId)
  const allowances = allowanceKeeper(ports.hold, ports.findTerms)
  let held: Folded | null = null
  /** Not known to be appended. */
  let decided: Decided | null = null

  const carryOut: HeldRun['carryOut'] = async (command, links = []) => {
    if (decided !== null && (decided.command !== command || isOld(decided.commit))) drop()
    // What is ordered anew is of the run's trace, and of nobody's who asks now.
    held ??= await inTrace(undefined, open)
    const folded = held
    const place = { service, trace: traceOf(folded.run), links }
    return withWorkSpan(spanNames.decide(command.type), place, aboutOf(command), async span => {
      decided ??= await decideOn(folded.run, command)
      span.setAttribute(spanAttributes.events, decided.commit.events.length)
      if (decided.commit.events.length === 0) return settle(decided.run, folded.version)
      return append(decided, folded.version)
    })
  }

  const aboutOf = (command: RunCommand) => ({
    [spanAttributes.runId]: runId,
    [spanAttributes.command]: command.type,
    ...(command.type === 'SettlePages' && { [spanAttributes.pages]: command.outcomes.length }),
  })

  async function decideOn(run: Run, command: RunCommand): Promise<Decided> {
    const outcomes = command.type === 'SettlePages' ? command.outcomes : []
    const trace = traceOf(run)
    const takeId = await ports.ids.reserve(outcomes.filter(({ type }) => type === 'page').length)
    try {
      const window = isKnown(run) ? ports.window(run) : 0
      const allowed = spends(command, run) ? await allowances.of(run, { window, outcomes }) : boundless
      await inSteps(judgeAhead(run, outcomes))
      const at = new Date().toISOString()
      const { robotsToken, runLimitMs, trapsOff } = ports
      const circumstances = { at, takeId, window, ...allowed, robotsToken, runLimitMs, trapsOff }
      const result = decide(run, command, circumstances)
      if (result.run.status === 'running') allowances.decided(result.run, window)
      return { command, run: result.run, commit: { at, ...(trace && { trace }), events: result.events } }
    } catch (cause) {
      drop()
      throw new Undecidable(command, cause)
    }
  }

  async function append({ command, run, commit }: Decided, expected: number): Promise<Run> {
    const version = await ports.store.append(subject, expected, commit).catch(error => {
      if (error instanceof Conflict || error instanceof TooLarge) drop()
      throw error instanceof TooLarge ? new Undecidable(command, error) : error
    })
    settle(run, version)
    if (run.status === 'running') ports.send(messagesFor(run, commit.events))
    return run
  }

  /** Its first event may be on its way from the outbox, so that nothing is known is not to be remembered. */
  function settle(run: Run, version: number): Run {
    held = run.status === 'unknown' ? null : { run, version }
    decided = null
    return run
  }

  function drop(): void {
    held = null
    decided = null
  }

  async function open(): Promise<Folded> {
    const opened = await ports.fold(runId)
    if (opened.run.status === 'running') ports.send(messagesOut(opened.run), { unlessGiven: true })
    return opened
  }

  return {
    carryOut,
    async look(at) {
      if (decided !== null) throw new Error(`Run ${runId} is ahead of its stream.`)
      held ??= await open()
      const { run, version } = held
      settle(run, version)
      return at(run, version)
    },
    async catchUp() {
      if (held === null || decided !== null) return
      const last = await ports.store.last(subject)
      if (last?.sequence !== held.version) drop()
    },
    running: () => (held?.run.status === 'running' ? held.run : null),
    isWaiting: allowances.isWaiting,
  }
}

/** Whoever ends a run, and whoever asks about one that has ended, spends nothing. */
const spends = ({ type }: RunCommand, run: Run): run is Queued | Running =>
  (type === 'LookAfterRun' || type === 'SettlePages') && (run.status === 'queued' || run.status === 'running')

const traceOf = (run: Run): string | undefined => ('trace' in run ? run.trace : undefined)

const isOld = ({ at }: RunCommit): boolean => Date.now() - Date.parse(at) > freshMs
