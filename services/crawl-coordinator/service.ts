/** Assembles crawl-coordinator: it admits runs, keeps the runs of its shards, and explains runs. */
import { beat } from '@tidemark/bus/heartbeat'
import { reporter } from '@tidemark/bus/outages'
import { readSettings } from '@tidemark/config/settings'
import { openServers } from '@tidemark/db/open-servers'
import { createLog } from '@tidemark/telemetry/log'
import { measurePool } from '@tidemark/telemetry/pool-metrics'
import { leases } from './adapters/leases.ts'
import { database } from './database.ts'
import { measureFrontiers } from './handlers/measure-frontiers.ts'
import { Shards } from './handlers/shards.ts'
import { monitorStream } from './policies/monitor-stream.ts'
import { renewShards } from './policies/renew-shards.ts'
import { Settings } from './settings.ts'
import { type BaseParts, type CoordinatorParts, openKeeperParts } from './wiring/parts.ts'
import { serveRequests } from './wiring/serve-requests.ts'
import { startSweeping } from './wiring/sweeping.ts'

const name = 'crawl-coordinator'

/** Starts the service. Disposing it releases its shards. */
export async function startService(env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<AsyncDisposable> {
  const settings = readSettings(Settings, env)
  const log = createLog(name)
  const report = reporter(log)
  const stop = new AbortController()

  await using started = new AsyncDisposableStack()
  const { bus, db } = await openServers(started, { name, settings, database, poolSize: 7, report })
  started.use(measurePool(name, db.pool))
  const stream = started.use(monitorStream({ bus, pool: db.pool, report }))
  const base: BaseParts = { bus, db, settings, stream, signal: stop.signal, report }
  const keeperParts = openKeeperParts(base, started)
  const shards = new Shards({ bus, maxOrdersOut: settings.ORDERS_OUT, ...keeperParts })
  const leased = leases(db.pool, settings.INSTANCE)
  started.defer(() => leased.release())
  started.defer(() => shards.close())
  started.use(measureFrontiers(shards))
  const parts: CoordinatorParts = { ...base, ...keeperParts, shards }
  const looking = await renewShards({ ...parts, leases: leased })
  started.defer(() => looking.ended.then(() => {}))
  const requests = serveRequests(parts)
  // Requests need the database and the shards until they have their responses.
  started.defer(() => requests.ended.then(() => {}))
  const ended = startSweeping(parts, requests.deleting)
  started.defer(() => ended)
  started.use(await beat(bus, { service: name, instance: settings.INSTANCE }))
  started.defer(() => stop.abort())
  signal.addEventListener('abort', () => stop.abort(), { once: true })
  return started.move()
}
