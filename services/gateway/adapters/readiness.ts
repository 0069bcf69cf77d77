/**
 * Whether the whole can serve: the database answers, every service is heard, the event stream takes events.
 * Each check ends by itself, so the answer never hangs; several who ask at once share one look.
 */
import type { Bus } from '@tidemark/bus/connection'
import type { Heard } from '@tidemark/bus/heartbeat'
import { heartbeatMaxAgeSeconds, services } from '@tidemark/contracts/heartbeat'
import type { Check, NotReady } from '@tidemark/contracts/http/health'
import { streams } from '@tidemark/contracts/subjects'
import type { Database } from '@tidemark/db/database'

export type Checks = NotReady['checks']
type Sources = { pool: Database['pool']; bus: Bus; heard: () => Map<string, Heard> }

const limitMs = 1_500
/** A stream that is so near its size refuses the next decision. */
const roomBytes = 1024 ** 2

export function readinessChecks(sources: Sources): () => Promise<Checks> {
  let underWay: Promise<Checks> | null = null
  return () => {
    underWay ??= look(sources).finally(() => {
      underWay = null
    })
    return underWay
  }
}

async function look({ pool, bus, heard }: Sources): Promise<Checks> {
  const [database, event_stream] = await Promise.all([
    within(async () => void (await pool.query('select 1'))),
    within(() => streamHasRoom(bus)),
  ])
  return { database, worker_heartbeat: judgeHeartbeats(heard()), event_stream }
}

async function streamHasRoom(bus: Bus): Promise<void> {
  const { config, state } = await bus.jsm.streams.info(streams.runs)
  const isFull = config.max_bytes > 0 && state.bytes + roomBytes > config.max_bytes
  if (isFull) throw new Error('the event stream is full')
}

async function within(check: () => Promise<void>): Promise<Check> {
  const began = performance.now()
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<boolean>(resolve => {
    timer = setTimeout(resolve, limitMs, false)
  })
  const passed = await Promise.race([
    check().then(
      () => true,
      () => false,
    ),
    late,
  ])
  clearTimeout(timer)
  return { status: passed ? 'pass' : 'fail', observed_ms: Math.round(performance.now() - began) }
}

/** Services that are away or say of themselves that they fail are missing; the age is that of the oldest news. */
export function judgeHeartbeats(heard: Map<string, Heard>): Check {
  const isHere = (service: string) => {
    const last = heard.get(service)
    return last?.heartbeat.status === 'pass' && last.ageSeconds <= heartbeatMaxAgeSeconds
  }
  const missing = services.filter(service => !isHere(service))
  const ages = services.map(service => heard.get(service)?.ageSeconds ?? Number.POSITIVE_INFINITY)
  const oldest = Math.max(...ages)
  return {
    status: missing.length === 0 ? 'pass' : 'fail',
    age_seconds: Number.isFinite(oldest) ? Math.round(oldest) : null,
    max_age_seconds: heartbeatMaxAgeSeconds,
    ...(missing.length > 0 && { missing }),
  }
}
