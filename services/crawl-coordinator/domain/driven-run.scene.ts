/** A run that receives one command after another, for tests that span several decisions. */
import type { RunEvent } from '@tidemark/contracts/run'
import type { Outcome } from '@tidemark/contracts/work/outcome'
import { messagesFor } from '../policies/order-fetching.ts'
import type { Circumstances } from './circumstances.ts'
import { decide, type RunCommand } from './decide.ts'
import { evolve } from './evolve/evolve.ts'
import { addToHistory, emptyHistory } from './explain/history.ts'
import { maxSettledPages } from './recheck.ts'
import { circumstances, key, later, lookAfter, settle } from './run.examples.ts'
import { type Ended, type Run, type Running, unknown } from './run.ts'

type Messages = ReturnType<typeof messagesFor>

/**
 * Returns a run from its first event on, with its orders after each command. `pauseSeconds` is the time before a
 * command. Throws if a decision takes more page ids than it reserves.
 */
export function driveRun(first: RunEvent, { pauseSeconds = 60 } = {}) {
  const journal: { event: RunEvent; at: string }[] = [{ event: first, at: later(0) }]
  let run: Run = evolve(unknown, first, later(0))
  let [seconds, id] = [0, 0]

  function send(
    command: RunCommand,
    some: Partial<Circumstances> = {},
    afterSeconds = pauseSeconds,
  ): Messages {
    seconds += afterSeconds
    const last = id + maxSettledPages(run, command.type === 'SettlePages' ? command.outcomes : [])
    function takeId() {
      if (id === last) throw new RangeError('Too few page ids were reserved.')
      return ++id
    }
    const given = circumstances({ at: later(seconds), takeId, ...some })
    const decided = decide(run, command, given)
    run = decided.run
    journal.push(...structuredClone(decided.events).map(event => ({ event, at: given.at })))
    return run.status === 'running' ? messagesFor(run, decided.events) : []
  }

  /** Returns the run as its events describe it. */
  const again = (): Running =>
    journal.reduce<Run>((run, { event, at }) => evolve(run, event, at), unknown) as Running

  return {
    send,
    look: (afterSeconds?: number) => send(lookAfter, {}, afterSeconds),
    receive: (...outcomes: Outcome[]) => send(settle(...outcomes)),
    run: () => run as Running,
    ended: () => run as Ended,
    seconds: () => seconds,
    again,
    /** Replaces the run by the one that its events describe. */
    crash(): void {
      run = again()
    },
    events: () => journal.map(({ event }) => event),
    /** Returns the data of all events of a type. */
    dataOf: <T extends RunEvent['type']>(type: T) =>
      journal.flatMap(({ event }) =>
        event.type === type ? [event.data as Extract<RunEvent, { type: T }>['data']] : [],
      ),
    /** Returns the attempts to fetch a path. */
    attempts(path: string) {
      const past = emptyHistory()
      for (const { event, at } of journal)
        addToHistory(past, key(path), { sequence: 1, commit: { at, events: [event] } })
      return past.attempts
    },
  }
}

/** Returns orders as text, such as `/a 1`, or `browser /a 2` in another lane than HTTP. */
export const ordersIn = (messages: Messages): string[] =>
  messages.flatMap(({ lane, orders }) =>
    orders.orders.map(
      ({ url, attempt }) => `${lane === 'http' ? '' : `${lane} `}${new URL(url).pathname} ${attempt}`,
    ),
  )
