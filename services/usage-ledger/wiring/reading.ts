/** Reads RUNS, SERVED and USAGE: bills runs and requests, and records the bills in the ledger. */
import { encodeJson } from '@tidemark/bus/codec'
import { publish } from '@tidemark/bus/publish'
import { named } from '@tidemark/contracts/health'
import { streams, subjects } from '@tidemark/contracts/subjects'
import type { UsageCommit } from '@tidemark/contracts/usage'
import { type Projection, runProjection } from '@tidemark/db/projector'
import type { Serving } from '@tidemark/db/run-service'
import { counter } from '@tidemark/telemetry/metrics'
import { waivers } from '../adapters/waivers.ts'
import { database } from '../database.ts'
import { spentIn } from '../domain/billing.ts'
import { billRequests } from '../policies/bill-requests.ts'
import { billRuns } from '../policies/bill-runs.ts'
import { ledgerProjection, recordUnits } from '../projections/ledger.ts'

/**
 * Bills of scans that follow each other are recorded together. Their units are held until then, so no cap is exceeded. The
 * ends of runs are recorded at once, because they free what the run held and did not use.
 */
const minIntervalMs = 50

/** The readers, with the keys of their checkpoints. Messages that are not billed yet must not leave their streams. */
const all = { schema: database.schema, partition: 'all' }
const readerOf = (source: { name: string; stream: string; filter: string }) => {
  const { name, stream, filter } = source
  return { ...all, name, projection: name, stream, filter }
}
export const billed = readerOf({ name: 'bill-runs', stream: streams.runs, filter: 'runs.*.*.crawl' })
export const billedRequests = readerOf({ name: 'bill-requests', stream: streams.served, filter: 'served.*' })
export const recordedUnits = readerOf(ledgerProjection)

type Reading = Pick<Serving, 'bus' | 'signal' | 'report'> & { db: Pick<Serving['db'], 'pool'> }

/** Starts the policies that bill and the projection that records. `fault` names a stream that lost messages. */
export function startReaders({ bus, db, signal, report }: Reading) {
  const common = { bus, pool: db.pool, signal, report }
  const billedUnits = counter('tidemark.units')
  const publishOnce = async (bill: UsageCommit, projectId: number, id: string) => {
    const { duplicate } = await publish(bus, subjects.usage(projectId), encodeJson(bill), { id })
    if (duplicate) return
    for (const { kind, operation, units } of spentIn(bill)) billedUnits(units, { kind, operation })
  }
  const allowance = waivers()
  const [ofRuns, ofRequests] = [allowance(), allowance()]
  const readers: Projection[] = [
    {
      ...common,
      ...billed,
      apply: billRuns({ publish: publishOnce, waivers: ofRuns, report }),
      onCommitted: ofRuns.keep,
    },
    {
      ...common,
      ...billedRequests,
      minIntervalMs,
      apply: billRequests({ publish: publishOnce, waivers: ofRequests }),
      onCommitted: ofRequests.keep,
    },
    { ...common, ...recordedUnits, minIntervalMs, apply: recordUnits },
  ]
  let fault: string | null = null
  const ended = readers.map(async reader => {
    const end = await runProjection(reader)
    if (end !== 'stopped')
      fault = named('stream_went_backwards', `${reader.stream} ends before what was read of it`)
  })
  return { ended: Promise.all(ended).then(() => {}), fault: () => fault }
}
