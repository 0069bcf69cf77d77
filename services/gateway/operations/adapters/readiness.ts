/**
 * Whether the whole can serve: the database takes writes, every service is heard, no stream is full.
 * Each check ends by itself, so the answer never hangs; several who ask at once share one look.
 */
import { knownCause } from '@tidemark/bus/cause'
import type { Bus } from '@tidemark/bus/connection'
import type { Heard } from '@tidemark/bus/heartbeat'
import { isHeldUp, sleepAwake, stallInWords } from '@tidemark/bus/stall'
import { heartbeatMaxAgeSeconds, services } from '@tidemark/contracts/heartbeat'
import type { Check, NotReady } from '@tidemark/contracts/http/health'
import type { Database } from '@tidemark/db/database'

export type Checks = NotReady['checks']
type Sources = { pool: Database['pool']; bus: Bus; heard: () => Map<string, Heard> }

/** Told of each check whose verdict is another than before. */
export type Told = (check: keyof Checks, verdict: Check, error: unknown) => void

const limitMs = 1_500
/** A stream that only grows is told of while there is time to do something about it; all goes on meanwhile. */
const nearlyFull = 0.9
/** A stream is full where the next message has no room: of a small one this share, of a large one these bytes. */
const roomShare = 0.05
const roomBytes = 1024 ** 2

export function readinessChecks(sources: Sources, told: Told = () => {}): () => Promise<Checks> {
  let underWay: Promise<Checks> | null = null
  const tell = changes(told)
  return () => {
    underWay ??= look(sources, tell).finally(() => {
      underWay = null
    })
    return underWay
  }
}

type Verdict = { check: Check; error?: unknown }

async function look({ pool, bus, heard }: Sources, tell: Tell): Promise<Checks> {
  const [database, event_stream] = await Promise.all([
    within(() => takesWrites(pool)),
    within(() => fullStreams(bus)),
  ])
  return {
    database: tell('database', database),
    worker_heartbeat: tell('worker_heartbeat', { check: judgeHeartbeats(heard(), isDeaf(event_stream)) }),
    event_stream: tell('event_stream', event_stream),
  }
}

/** What a check finds that is wrong, or will be soon; null where there is nothing. */
type Finding = (Pick<Check, 'cause' | 'full'> & { isEarly?: boolean }) | null

async function takesWrites(pool: Database['pool']): Promise<Finding> {
  const { rows } = await pool.query<{ is_read_only: boolean }>(
    `select current_setting('transaction_read_only')::boolean as is_read_only`,
  )
  return rows[0]?.is_read_only ? { cause: 'it takes no writes' } : null
}

/** Names those that are full or nearly so; one that lets go of its oldest messages never is. */
async function fullStreams(bus: Bus): Promise<Finding> {
  const full: string[] = []
  const nearly: string[] = []
  for await (const { config, state } of bus.jsm.streams.list()) {
    const { name, max_bytes, max_age, retention, discard } = config
    if (max_bytes <= 0 || discard === 'old') continue
    const onlyGrows = retention === 'limits' && max_age === 0
    if (state.bytes > max_bytes - Math.min(roomBytes, max_bytes * roomShare)) full.push(name)
    else if (onlyGrows && state.bytes > max_bytes * nearlyFull) nearly.push(name)
  }
  const causes = [...said('full', full), ...said('nearly full', nearly)]
  if (causes.length === 0) return null
  return { cause: causes.join('; '), ...(full.length > 0 ? { full } : { isEarly: true }) }
}

const said = (how: string, names: string[]): string[] =>
  names.length > 0 ? [`${how}: ${names.sort().join(', ')}`] : []

async function within(look: () => Promise<Finding>): Promise<Verdict> {
  const began = performance.now()
  const over = new AbortController()
  const late = sleepAwake(limitMs, over.signal).then(
    (): Finding => ({ cause: isHeldUp() ? stallInWords() : `no answer within ${limitMs} ms` }),
  )
  late.catch(() => {})
  let error: unknown
  const finding = await Promise.race([look(), late]).catch((thrown): Finding => {
    error = thrown
    return { cause: knownCause(thrown) === 'event_loop_stalled' ? stallInWords() : codeOf(thrown) }
  })
  over.abort()
  const observed_ms = Math.round(performance.now() - began)
  const { isEarly = finding === null, ...words } = finding ?? {}
  return { check: { status: isEarly ? 'pass' : 'fail', observed_ms, ...words }, error }
}

/** Names no host: this is told to everybody. */
const codeOf = (thrown: unknown): string => {
  const { code, name = 'Error' } = thrown instanceof Error ? (thrown as Error & { code?: unknown }) : {}
  return typeof code === 'string' ? code : name
}

type Tell = (name: keyof Checks, verdict: Verdict) => Check

/** Passes each verdict on, and tells of it where it is another than the one before; at first all was well. */
function changes(told: Told): Tell {
  const last = new Map<keyof Checks, string>()
  return (name, { check, error }) => {
    const verdict = `${check.status} ${check.cause ?? ''}`
    if (verdict !== (last.get(name) ?? 'pass ')) told(name, check, error)
    last.set(name, verdict)
    return check
  }
}

/** Without an answer of the event stream no heartbeat comes through either. */
const isDeaf = ({ check }: Verdict): boolean => check.status === 'fail' && check.full === undefined

/**
 * Services that are away or say of themselves that they fail are missing; the age is that of the oldest news. Where
 * all are there, what one of them wants seen to is told. Who is not heard while nobody can be is not accused of it.
 */
export function judgeHeartbeats(heard: Map<string, Heard>, isDeaf = false): Check {
  const ages = services.map(service => heard.get(service)?.ageSeconds ?? Number.POSITIVE_INFINITY)
  const oldest = Math.max(...ages)
  const age = {
    age_seconds: Number.isFinite(oldest) ? Math.round(oldest) : null,
    max_age_seconds: heartbeatMaxAgeSeconds,
  }
  if (isDeaf && oldest > heartbeatMaxAgeSeconds)
    return { status: 'fail', ...age, cause: 'nobody can be heard without the event stream' }
  if (isHeldUp() && oldest > heartbeatMaxAgeSeconds) return { status: 'fail', ...age, cause: stallInWords() }
  const causes = services.flatMap(service => faultOf(service, heard.get(service)))
  const words =
    causes.length > 0 ? causes : services.flatMap(service => warningOf(service, heard.get(service)))
  return {
    status: causes.length === 0 ? 'pass' : 'fail',
    ...age,
    ...(causes.length > 0 && { missing: causes.map(({ service }) => service) }),
    ...(words.length > 0 && { cause: words.map(({ service, says }) => `${service} ${says}`).join('; ') }),
  }
}

type Said = { service: string; says: string }

function faultOf(service: string, last: Heard | undefined): Said[] {
  if (last === undefined || last.ageSeconds > heartbeatMaxAgeSeconds)
    return [{ service, says: 'is not heard' }]
  const { status, cause = 'it does not say why' } = last.heartbeat
  return status === 'pass' ? [] : [{ service, says: `fails: ${cause.replace(address, '…')}` }]
}

function warningOf(service: string, last: Heard | undefined): Said[] {
  const cause = last?.heartbeat.cause
  return cause === undefined ? [] : [{ service, says: `works, but: ${cause.replace(address, '…')}` }]
}

/** What may be a host's name or address, with its port: a service tells what it was told itself, and this goes to everybody. */
const address = /\S*\w\]?(?:[.:][\w-]+)+\S*/g
