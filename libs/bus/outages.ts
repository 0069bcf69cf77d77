/**
 * Logs the errors of a service. All work needs Postgres, NATS and the streams, so each piece of work would report
 * their outage. An outage is logged once a minute without a stack, and once when it ends. All other errors are logged
 * each time. If this process was stalled, that is logged instead of an outage.
 */
import type { NatsConnection } from '@nats-io/transport-node'
import { knownCause } from './cause.ts'
import { Terminated } from './judge.ts'
import { linkOf, onChange } from './link.ts'
import { isHeldUp, mayLogStall, stallInWords } from './stall.ts'
import { healthOf } from './troubles.ts'

type LogLine = (fields: object, words?: string) => void
export type OutageLog = { error: LogLine; warn: LogLine; info: LogLine }

const names = { database_away: 'Postgres', nats_away: 'NATS', jetstream_away: 'JetStream' }
type Away = keyof typeof names

export type Report = {
  /** `about` is logged with the error, if the error is logged. */
  (error: unknown, about?: object): void
  /** Logs outages of NATS and the end of all outages until disposed. */
  follow(bus: { nc: NatsConnection }): Disposable
}

type Options = {
  /** The dependencies of the service. In one without a database, no error is attributed to Postgres. */
  needs?: readonly Away[]
  /** Milliseconds between two lines on the same outage. */
  everyMs?: number
  /** Milliseconds without failures after which an outage has ended: more than the pauses between retries. */
  quietMs?: number
}

const checkEveryMs = 1_000

/** Returns a function that logs errors. `words` is the log line of those that are not an outage, if it is set. */
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

  /** Logs at most once per `everyMs` that this process was stalled. */
  function logStall(error: unknown): void {
    if (!mayLogStall(everyMs)) return
    const details = error instanceof Error ? { says: error.message } : {}
    log.warn({ cause: 'event_loop_stalled', ...details }, stallInWords())
  }

  function report(error: unknown, about: object = {}): void {
    const cause = awayBy(error)
    const outage = cause && outages.get(cause)
    if (!(error instanceof Terminated) && knownCause(error) === 'event_loop_stalled') logStall(error)
    else if (!outage) log.error({ err: error, ...about }, words)
    // Losses of a connection are often noticed after it is open again.
    else if (cause !== 'nats_away' || followed === null || isBroken(followed)) outage.begin(error)
  }

  function follow({ nc }: { nc: NatsConnection }): Disposable {
    followed = nc
    const nats = outages.get('nats_away')
    const forget = onChange(nc, isUp => {
      if (isUp) nats?.end(performance.now())
      else if (isBroken(nc)) lose(nats)
    })
    const timer = setInterval(check, Math.min(checkEveryMs, quietMs), nc)
    return {
      [Symbol.dispose]() {
        clearInterval(timer)
        forget()
      },
    }
  }

  /**
   * Begins an outage of NATS, unless this process is stalled: its connection then usually recovers at once. `check`
   * finds connections that do not recover.
   */
  function lose(nats: Outage | undefined): void {
    if (isHeldUp()) logStall(null)
    else nats?.begin(null)
  }

  function check(nc: NatsConnection): void {
    if (isHeldUp()) logStall(null)
    const { faults } = healthOf(nc)
    const nats = outages.get('nats_away')
    if (isBroken(nc) && nats?.isOver) lose(nats)
    for (const [cause, outage] of outages) {
      const isMissed = faults.some(fault => fault.startsWith(`${cause}:`))
      if (cause === 'nats_away' ? isBroken(nc) : isMissed) outage.extend()
      // Without a connection the state of the streams is unknown.
      else if (cause === 'jetstream_away' && isBroken(nc)) continue
      else if (performance.now() - outage.lastAt > quietMs) outage.end(outage.lastAt)
    }
  }

  return Object.assign(report, { follow })
}

/** Returns whether the connection is lost. One that this process closed is not. */
const isBroken = (nc: NatsConnection): boolean => !linkOf(nc).up && !nc.isClosed()

/** Returns the dependency that is away; null for other errors. Terminated messages are always logged, so also null. */
function awayBy(error: unknown): Away | null {
  const cause = error instanceof Terminated ? null : knownCause(error)
  return cause !== null && Object.hasOwn(names, cause) ? (cause as Away) : null
}

class Outage {
  lastAt = 0
  readonly #cause: Away
  readonly #log: OutageLog
  readonly #everyMs: number
  #since: number | null = null
  #loggedAt = Number.NEGATIVE_INFINITY
  /** Whether the current outage was logged. Only then is its end logged. */
  #isLogged = false
  #error: unknown = null

  constructor(cause: Away, log: OutageLog, everyMs: number) {
    this.#cause = cause
    this.#log = log
    this.#everyMs = everyMs
  }

  get isOver(): boolean {
    return this.#since === null
  }

  /** Begins or extends the outage with this error. */
  begin(error: unknown): void {
    this.#since ??= performance.now()
    this.#error = error
    this.extend()
  }

  /** Extends a current outage. */
  extend(): void {
    if (this.#since === null) return
    this.lastAt = performance.now()
    if (this.lastAt - this.#loggedAt < this.#everyMs) return
    this.#loggedAt = this.lastAt
    this.#isLogged = true
    const details = this.#error instanceof Error ? { says: this.#error.message } : {}
    this.#log.warn({ cause: this.#cause, ...details }, `${names[this.#cause]} is away${codeOf(this.#error)}`)
  }

  end(at: number): void {
    if (this.#since !== null && this.#isLogged) {
      const seconds = Math.round((at - this.#since) / 1000)
      this.#log.info({ cause: this.#cause }, `${names[this.#cause]} is back after ${seconds} s`)
    }
    this.#since = null
    this.#isLogged = false
  }
}

/** Returns the code of the server or the socket, or the name of the error, as a suffix of a log line. */
function codeOf(error: unknown): string {
  const { code, name } = error instanceof Error ? (error as Error & { code?: unknown }) : {}
  return name === undefined ? '' : `: ${code ?? name}`
}
