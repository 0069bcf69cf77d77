/** The extractor's reading of RUNS, wired: one instance at a time notes deletions and sweeps; each says how far it is. */
import { answer } from '@tidemark/bus/ask'
import type { Bus } from '@tidemark/bus/connection'
import type { Reached } from '@tidemark/contracts/ask/runs'
import { asks, streams } from '@tidemark/contracts/subjects'
import { readCheckpoint } from '@tidemark/db/checkpoint'
import type { Database } from '@tidemark/db/database'
import { type Projection, runProjection } from '@tidemark/db/projector'
import { whileOnlyOne } from './adapters/only-one.ts'
import { database } from './database.ts'
import { noteDeletions, sweepDeleted } from './policies/forget-deleted-runs.ts'

type Parts = {
  bus: Bus
  db: Pick<Database, 'pool' | 'transaction'>
  signal: AbortSignal
  report: (error: unknown) => void
}

const name = 'extractor'
const place = {
  schema: database.schema,
  projection: 'forget-deleted-runs',
  partition: 'all',
  stream: streams.runs,
}
const lockOfDeletions = 0x64656c

/** `ended` resolves after the signal has aborted; `fault` says why the stream cannot be read on, if so. */
export function startDeletions({ bus, db, signal, report }: Parts) {
  const { pool } = db
  let fault: string | null = null
  const answering = answer<null, Reached>(
    bus,
    asks.reached('content'),
    name,
    async () => ({ sequence: await readCheckpoint(pool, place) }),
    { parse: () => null, signal, report },
  )
  const working = whileOnlyOne({ pool, lock: lockOfDeletions, signal, report }, async turn => {
    const reading: Projection = {
      bus,
      pool,
      ...place,
      name: place.projection,
      filter: 'runs.*.*.crawl',
      apply: noteDeletions(report),
      signal: turn,
      report,
    }
    const [end] = await Promise.all([runProjection(reading), sweepDeleted(db, turn, report)])
    fault = end === 'stopped' ? null : `${streams.runs} ends before what was read of it`
  })
  return { ended: Promise.all([answering, working]).then(() => {}), fault: () => fault }
}
