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

/** The checkpoints of the readers. Messages that are not billed yet must not leave their streams. */
const all = { schema: database.schema, partition: 'all' }
export const billed = { ...all, projection: 'bill-runs', stream: streams.runs, filter: 'runs.*.*.crawl' }
export const billedRequests = {
  ...all,
  projection: 'bill-requests',
  stream: streams.served,
  filter: 'served.*',
}
export const recordedUnits = {
  ...all,
  projection: ledgerProjection.name,
  stream: ledgerProjection.stream,
  filter: ledgerProjection.filter,
}

type Reading = Pick<Serving, 'bus' | 'signal' | 'report'> & { db: Pick<Serving['db'], 'pool'> }

/** Starts the policies that bill and the projection that records. `fault` names a stream that lost messages. */
export function startReaders({ bus, db, signal, report }: Reading) {
  const common = { bus, pool: db.pool, ...all, signal, report }
  const billedUnits = counter('tidemark.units')
  const publishBill = async (bill: UsageCommit, projectId: number, id: string) => {
    const { duplicate } = await publish(bus, subjects.usage(projectId), encodeJson(bill), { id })
    if (duplicate) return
    for (const { kind, operation, units } of spentIn(bill)) billedUnits(units, { kind, operation })
  }
  const billing = { publish: publishBill }
  const allowance = waivers()
  const [ofRuns, ofRequests] = [allowance(), allowance()]
  const readers: Projection[] = [
    {
      ...common,
      name: billed.projection,
      stream: billed.stream,
      filter: billed.filter,
      apply: billRuns({ ...billing, waivers: ofRuns, report }),
      onCommitted: ofRuns.keep,
    },
    {
      ...common,
      minIntervalMs,
      name: billedRequests.projection,
      stream: billedRequests.stream,
      filter: billedRequests.filter,
      apply: billRequests({ ...billing, waivers: ofRequests }),
      onCommitted: ofRequests.keep,
    },
    {
      ...common,
      minIntervalMs,
      name: ledgerProjection.name,
      stream: ledgerProjection.stream,
      filter: ledgerProjection.filter,
      apply: recordUnits,
    },
  ]
  let fault: string | null = null
  const ended = readers.map(async reader => {
    const end = await runProjection(reader)
    if (end !== 'stopped')
      fault = named('stream_went_backwards', `${reader.stream} ends before what was read of it`)
  })
  return { ended: Promise.all(ended).then(() => {}), fault: () => fault }
}
