/** A run from its first event on, with a minute between its commands, for the tests of its budgets. */
import type { RunEvent } from '@tidemark/contracts/run'
import type { RunSettings } from '@tidemark/contracts/run-settings'
import type { Outcome } from '@tidemark/contracts/work/outcome'
import { messagesFor } from '../../policies/order-fetching.ts'
import type { Circumstances } from '../circumstances.ts'
import { decide, type RunCommand } from '../decide.ts'
import { evolve } from '../evolve/evolve.ts'
import { circumstances, later, lookAfter, page, queued, settle } from '../run.examples.ts'
import { type Ended, type Run, type Running, unknown } from '../run.ts'

export type Page = Extract<Outcome, { type: 'page' }>

export const answer = (path: string, some: Partial<Page> = {}): Outcome => ({
  ...(page(path) as Page),
  ...some,
})

/** Returns a page with links. */
export const linking = (path: string, ...to: string[]): Outcome => page(path, to)

export function running(some: Partial<RunSettings>, allowed: Partial<Circumstances> = {}) {
  const journal: { event: RunEvent; at: string }[] = [{ event: queued(some), at: later(0) }]
  let run: Run = evolve(unknown, queued(some), later(0))
  let seconds = 0
  let id = 0
  /** Returns the orders that the command sends, such as `/a 1`. */
  function send(command: RunCommand): string[] {
    seconds += 60
    const at = later(seconds)
    const decided = decide(run, command, circumstances({ at, takeId: () => ++id, ...allowed }))
    run = decided.run
    journal.push(...structuredClone(decided.events).map(event => ({ event, at })))
    const messages = run.status === 'running' ? messagesFor(run, decided.events) : []
    return messages.flatMap(({ lane, orders }) =>
      orders.orders.map(
        ({ url, attempt }) => `${lane === 'http' ? '' : `${lane} `}${new URL(url).pathname} ${attempt}`,
      ),
    )
  }
  return {
    send: send,
    look: () => send(lookAfter),
    receive: (...outcomes: Outcome[]) => send(settle(...outcomes)),
    run: () => run as Running,
    ended: () => run as Ended,
    /** Forgets the run in memory, and reads it again from its events. */
    crash(): void {
      run = journal.reduce<Run>((run, { event, at }) => evolve(run, event, at), unknown)
    },
  }
}
