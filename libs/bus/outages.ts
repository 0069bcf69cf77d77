/**
 * How a service writes into its log what went wrong. Of what all its work needs (Postgres, NATS, the streams) each
 * piece of work would say that it is away: that is told once a minute, without a stack, and once when it is back. All
 * else is told each time.
 */
import type { NatsConnection } from '@nats-io/transport-node'
import { knownCause } from './cause.ts'
import { GivenUp } from './judge.ts'
import { linkOf, onChange } from './link.ts'
import { healthOf } from './troubles.ts'

type Tell = (fields: object, words?: string) => void
export type OutageLog = { error: Tell; warn: Tell; info: Tell }

const names = { database_away: 'Postgres', nats_away: 'NATS', jetstream_away: 'JetStream' }
type Away = keyof typeof names

export type Report = {
  /** `about` is written beside the error, where it is written. */
  (error: unknown, about?: object): void
  /** Tells when NATS is away or anything is back, until it is disposed of. */
  follow(bus: { nc: NatsConnection }): Disposable
}

type Options = {
  /** What the service works with. What breaks in one without a database is not Postgres. */
  needs?: readonly Away[]
  /** Between two words on the same outage. */
  everyMs?: number
  /** So long nothing must have failed before it is told to be back: longer than who tries again waits in between. */
  quietMs?: number
}

const lookMs = 1_000

/** `words` stand before what is no outage; without them its own message does. */
export function reporter(
  log: OutageLog,
  words?: string,
  {
    needs = ['database_away', 'nats_away', 'jetstream_away'],
    everyMs = 60_000,
    quietMs = 10_000,
  }: Options = {},
): Report {
  const outages = new Map(needs.map(cause => [cause, new Outage(cause, log, everyMs)]))
  let followed: NatsConnection | null = null

  function report(error: unknown, about: object = {}): void {
    const cause = awayBy(error)
    const outage = cause && outages.get(cause)
    if (!outage) log.error({ err: error, ...about }, words)
    // What was lost with the connection is often noticed when it stands again.
    else if (cause !== 'nats_away' || followed === null || isBroken(followed)) outage.begin(error)
  }

  function follow({ nc }: { nc: NatsConnection }): Disposable {
    followed = nc
    const nats = outages.get('nats_away')
    const forget = onChange(nc, isUp => {
      if (isUp) nats?.end(performance.now())
      else if (isBroken(nc)) nats?.begin(null)
    })
    const timer = setInterval(look, Math.min(lookMs, quietMs), nc)
    return {
      [Symbol.dispose]() {
        clearInterval(timer)
        forget()
      },
    }
  }

  function look(nc: NatsConnection): void {
    const { faults } = healthOf(nc)
    for (const [cause, outage] of outages) {
      const isMissed = faults.some(fault => fault.startsWith(`${cause}:`))
      if (cause === 'nats_away' ? isBroken(nc) : isMissed) outage.goOn()
      // Without a connection nobody knows how the streams are.
      else if (cause === 'jetstream_away' && isBroken(nc)) continue
      else if (performance.now() - outage.lastAt > quietMs) outage.end(outage.lastAt)
    }
  }

  return Object.assign(report, { follow })
}

/** One that was closed here is not missed. */
const isBroken = (nc: NatsConnection): boolean => !linkOf(nc).up && !nc.isClosed()

/** What is given up is told, whatever it was given up for. */
function awayBy(error: unknown): Away | null {
  const cause = error instanceof GivenUp ? null : knownCause(error)
  return cause !== null && Object.hasOwn(names, cause) ? (cause as Away) : null
}

class Outage {
  lastAt = 0
  readonly #cause: Away
  readonly #log: OutageLog
  readonly #everyMs: number
  #since: number | null = null
  #toldAt = Number.NEGATIVE_INFINITY
  /** An end is told of what was told to have begun. */
  #isTold = false
  #error: unknown = null

  constructor(cause: Away, log: OutageLog, everyMs: number) {
    this.#cause = cause
    this.#log = log
    this.#everyMs = everyMs
  }

  /** It is away, as this error says, or has been for a while. */
  begin(error: unknown): void {
    this.#since ??= performance.now()
    this.#error = error
    this.goOn()
  }

  /** Where it was away it still is. */
  goOn(): void {
    if (this.#since === null) return
    this.lastAt = performance.now()
    if (this.lastAt - this.#toldAt < this.#everyMs) return
    this.#toldAt = this.lastAt
    this.#isTold = true
    const says = this.#error instanceof Error ? { says: this.#error.message } : {}
    this.#log.warn({ cause: this.#cause, ...says }, `${names[this.#cause]} is away${codeOf(this.#error)}`)
  }

  end(at: number): void {
    if (this.#since !== null && this.#isTold) {
      const seconds = Math.round((at - this.#since) / 1000)
      this.#log.info({ cause: this.#cause }, `${names[this.#cause]} is back after ${seconds} s`)
    }
    this.#since = null
    this.#isTold = false
  }
}

/** As the server or the socket says it, where it gives a code. */
function codeOf(error: unknown): string {
  const { code, name } = error instanceof Error ? (error as Error & { code?: unknown }) : {}
  return name === undefined ? '' : `: ${code ?? name}`
}
