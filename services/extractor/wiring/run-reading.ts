/**
 * Part of the wiring: the extractor's reading of RUNS. One instance at a time records deletions and starts of runs,
 * sweeps the content of deleted runs and reads the sites of new ones. Every instance reports the position in RUNS.
 */
import { serve } from '@tidemark/bus/rpc'
import { WakeUp } from '@tidemark/bus/wake-up'
import { named } from '@tidemark/contracts/health'
import * as operatorRpc from '@tidemark/contracts/rpc/operator'
import * as runsRpc from '@tidemark/contracts/rpc/runs'
import { streams } from '@tidemark/contracts/subjects'
import { readCheckpoint } from '@tidemark/db/checkpoint'
import { lagOf } from '@tidemark/db/lag'
import { type Projection, runProjection } from '@tidemark/db/projector'
import { whileOnlyOne } from '../adapters/only-one.ts'
import { publishSiteBy } from '../adapters/publish-site.ts'
import { siteReadings } from '../adapters/site-readings.ts'
import { database } from '../database.ts'
import { recordDeletions, sweepDeleted } from '../policies/forget-deleted-runs.ts'
import { readSites } from '../policies/read-sites.ts'
import { recordSites } from '../policies/record-sites.ts'
import type { ExtractorParts } from './parts.ts'

type Parts = Pick<ExtractorParts, 'bus' | 'db' | 'objectBodies' | 'readSiteFile' | 'signal' | 'report'>

/** The reader of RUNS with its position. */
const reader = {
  schema: database.schema,
  projection: 'forget-deleted-runs',
  partition: 'all',
  stream: streams.runs,
  filter: 'runs.*.*.crawl',
}
/** The lock of the reading extractor. */
export const lockOfReading = 0x64656c

/**
 * `ended` resolves after the signal has aborted. `fault` returns why the stream cannot be read further, or null. `lags`
 * returns how far the reading is behind the stream.
 */
export function startRunReading({ bus, db, objectBodies, readSiteFile, signal, report }: Parts) {
  const { pool } = db
  const sites = {
    bus,
    readings: siteReadings(pool),
    readFile: readSiteFile,
    publish: publishSiteBy(bus),
    wakeUp: new WakeUp(),
    report,
  }
  let fault: string | null = null
  const lags = async () => [await lagOf({ bus, pool, ...reader })]
  const reached = async () => ({ sequence: await readCheckpoint(pool, reader) })
  const answering = Promise.all([
    serve(bus, runsRpc.reached.content, reached, { signal, report }),
    serve(bus, operatorRpc.lags.extractor, async () => ({ lags: await lags() }), { signal, report }),
  ])
  const working = whileOnlyOne({ bus, pool, lock: lockOfReading, signal, report }, async held => {
    let isDue = false
    const reading: Projection = {
      bus,
      pool,
      ...reader,
      name: reader.projection,
      async apply(client, messages) {
        await recordDeletions(client, messages)
        isDue = (await recordSites(client, messages)) || isDue
      },
      onCommitted() {
        if (isDue) sites.wakeUp.call()
        isDue = false
      },
      signal: held,
      report,
    }
    fault = null
    const following = runProjection(reading).then(end => {
      if (end !== 'stopped')
        fault = named('stream_went_backwards', `${streams.runs} ends before the last position that was read`)
    })
    const sweeping = sweepDeleted(bus, db, objectBodies?.objects, held, report)
    await Promise.all([following, sweeping, readSites({ ...sites, signal: held })])
  })
  return { ended: Promise.all([answering, working]).then(() => {}), fault: () => fault, lags }
}
