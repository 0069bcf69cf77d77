/**
 * Checks whether the system can serve: the database accepts writes, every service sends heartbeats, and no stream is
 * full. Each check has a time limit, so the response never hangs. Concurrent requests share one check.
 */
import { knownCause } from '@tidemark/bus/cause'
import type { Bus } from '@tidemark/bus/connection'
import type { ReceivedHeartbeat } from '@tidemark/bus/heartbeat'
import { isHeldUp, sleepAwake, stallInWords } from '@tidemark/bus/stall'
import { heartbeatMaxAgeSeconds, services } from '@tidemark/contracts/heartbeat'
import type { Check, NotReady } from '@tidemark/contracts/http/health'
import type { Database } from '@tidemark/db/database'

export type Checks = NotReady['checks']
type Sources = { pool: Database['pool']; bus: Bus; latestByService: () => Map<string, ReceivedHeartbeat> }

/** Called when the result of a check changes. */
export type OnChange = (check: keyof Checks, verdict: Check, error: unknown) => void

const limitMs = 1_500
/** Share of its limit from which a stream that only grows is reported, although everything still works. */
const nearlyFull = 0.9
/** A stream counts as full if less than this share of a small one, or these bytes of a large one, are free. */
const minFreeShare = 0.05
const minFreeBytes = 1024 ** 2

export function readinessChecks(sources: Sources, onChange: OnChange = () => {}): () => Promise<Checks> {
  let underWay: Promise<Checks> | null = null
  const publish = changes(onChange)
  return () => {
    underWay ??= runChecks(sources, publish).finally(() => {
      underWay = null
    })
    return underWay
  }
}

type Verdict = { check: Check; error?: unknown }

async function runChecks({ pool, bus, latestByService }: Sources, publish: Publish): Promise<Checks> {
  const [database, event_stream] = await Promise.all([
    within(() => takesWrites(pool)),
    within(() => fullStreams(bus)),
  ])
  return {
    database: publish('database', database),
    worker_heartbeat: publish('worker_heartbeat', {
      check: judgeHeartbeats(latestByService(), cannotReceive(event_stream)),
    }),
    event_stream: publish('event_stream', event_stream),
  }
}

/** An error or a warning (`isEarly`) of a check; null: neither. */
type Finding = (Pick<Check, 'cause' | 'full'> & { isEarly?: boolean }) | null

async function takesWrites(pool: Database['pool']): Promise<Finding> {
  const { rows } = await pool.query<{ is_read_only: boolean }>(
    `select current_setting('transaction_read_only')::boolean as is_read_only`,
  )
  return rows[0]?.is_read_only ? { cause: 'it accepts no writes' } : null
}

/** Reports full and nearly full streams, except those that drop their oldest messages. */
async function fullStreams(bus: Bus): Promise<Finding> {
  const full: string[] = []
  const nearly: string[] = []
  for await (const { config, state } of bus.jsm.streams.list()) {
    const { name, max_bytes, max_age, retention, discard } = config
    if (max_bytes <= 0 || discard === 'old') continue
    const onlyGrows = retention === 'limits' && max_age === 0
    if (state.bytes > max_bytes - Math.min(minFreeBytes, max_bytes * minFreeShare)) full.push(name)
    else if (onlyGrows && state.bytes > max_bytes * nearlyFull) nearly.push(name)
  }
  const causes = [...stateText('full', full), ...stateText('nearly full', nearly)]
  if (causes.length === 0) return null
  return { cause: causes.join('; '), ...(full.length > 0 ? { full } : { isEarly: true }) }
}

const stateText = (how: string, names: string[]): string[] =>
  names.length > 0 ? [`${how}: ${names.sort().join(', ')}`] : []

async function within(check: () => Promise<Finding>): Promise<Verdict> {
  const began = performance.now()
  const over = new AbortController()
  const late = sleepAwake(limitMs, over.signal).then(
    (): Finding => ({ cause: isHeldUp() ? stallInWords() : `no answer within ${limitMs} ms` }),
  )
  late.catch(() => {})
  let error: unknown
  const finding = await Promise.race([check(), late]).catch((thrown): Finding => {
    error = thrown
    return { cause: knownCause(thrown) === 'event_loop_stalled' ? stallInWords() : codeOf(thrown) }
  })
  over.abort()
  const observed_ms = Math.round(performance.now() - began)
  const { isEarly = finding === null, ...words } = finding ?? {}
  return { check: { status: isEarly ? 'pass' : 'fail', observed_ms, ...words }, error }
}

/** Returns the code of an error without host names, because the endpoint is public. */
const codeOf = (thrown: unknown): string => {
  const { code, name = 'Error' } = thrown instanceof Error ? (thrown as Error & { code?: unknown }) : {}
  return typeof code === 'string' ? code : name
}

type Publish = (name: keyof Checks, verdict: Verdict) => Check

/**
 * Returns a function that returns the result of a check, and reports it if it differs from the previous one. The
 * initial result is a pass.
 */
function changes(onChange: OnChange): Publish {
  const last = new Map<keyof Checks, string>()
  return (name, { check, error }) => {
    const verdict = `${check.status} ${check.cause ?? ''}`
    if (verdict !== (last.get(name) ?? 'pass ')) onChange(name, check, error)
    last.set(name, verdict)
    return check
  }
}

/** Returns whether no heartbeat can arrive, because the event stream does not respond. */
const cannotReceive = ({ check }: Verdict): boolean => check.status === 'fail' && check.full === undefined

/**
 * Judges the heartbeats. Services without heartbeats and services that report a fault are missing; the age is that of
 * the oldest heartbeat. If no service is missing, warnings are reported. While no heartbeats can arrive, no service is
 * reported as missing.
 */
export function judgeHeartbeats(latest: Map<string, ReceivedHeartbeat>, cannotReceive = false): Check {
  const ages = services.map(service => latest.get(service)?.ageSeconds ?? Number.POSITIVE_INFINITY)
  const oldest = Math.max(...ages)
  const age = {
    age_seconds: Number.isFinite(oldest) ? Math.round(oldest) : null,
    max_age_seconds: heartbeatMaxAgeSeconds,
  }
  if (cannotReceive && oldest > heartbeatMaxAgeSeconds)
    return { status: 'fail', ...age, cause: 'heartbeats are unavailable without the event stream' }
  if (isHeldUp() && oldest > heartbeatMaxAgeSeconds) return { status: 'fail', ...age, cause: stallInWords() }
  const causes = services.flatMap(service => faultOf(service, latest.get(service)))
  const words =
    causes.length > 0 ? causes : services.flatMap(service => warningOf(service, latest.get(service)))
  return {
    status: causes.length === 0 ? 'pass' : 'fail',
    ...age,
    ...(causes.length > 0 && { missing: causes.map(({ service }) => service) }),
    ...(words.length > 0 && { cause: words.map(({ service, text }) => `${service} ${text}`).join('; ') }),
  }
}

type ServiceFault = { service: string; text: string }

function faultOf(service: string, last: ReceivedHeartbeat | undefined): ServiceFault[] {
  if (last === undefined || last.ageSeconds > heartbeatMaxAgeSeconds)
    return [{ service, text: 'sends no heartbeat' }]
  const { status, cause = 'it reports no cause' } = last.heartbeat
  return status === 'pass' ? [] : [{ service, text: `fails: ${cause.replace(address, '…')}` }]
}

function warningOf(service: string, last: ReceivedHeartbeat | undefined): ServiceFault[] {
  const cause = last?.heartbeat.cause
  return cause === undefined ? [] : [{ service, text: `works, but: ${cause.replace(address, '…')}` }]
}

/**
 * Matches text that may be a host name or an address with its port. Services repeat texts of others, and this endpoint
 * is public.
 */
const address = /\S*\w\]?(?:[.:][\w-]+)+\S*/g
