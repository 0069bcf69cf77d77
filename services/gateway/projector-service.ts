/** The projector, wired: it alone writes the read model, from the streams, and says how far it has come. */
import { openBus } from '@tidemark/bus/connection'
import { beat } from '@tidemark/bus/heartbeat'
import { readSettings } from '@tidemark/config/settings'
import { streams, tells } from '@tidemark/contracts/subjects'
import type { Projected } from '@tidemark/contracts/tells'
import { openDatabase } from '@tidemark/db/database'
import { type Projection, runProjection } from '@tidemark/db/projector'
import { createLog } from '@tidemark/telemetry/log'
import { database } from './database.ts'
import { accountsProjection } from './projections/accounts.ts'
import { runsProjection } from './projections/runs.ts'
import { ProjectorSettings } from './settings.ts'

const name = 'projector'

export async function startService(env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<AsyncDisposable> {
  const settings = readSettings(ProjectorSettings, env)
  const log = createLog(name)
  const report = (error: unknown) => log.error({ err: error }, 'a projection met what it cannot read')
  const stop = new AbortController()

  await using started = new AsyncDisposableStack()
  const bus = started.adopt(await openBus({ url: settings.NATS_URL, name }), bus => bus.close())
  const options = { poolSize: 3, name }
  const { pool } = started.adopt(await openDatabase(settings.DATABASE_URL, database, options), db =>
    db.close(),
  )

  const health: Health = { cause: null }
  const common = { bus, pool, schema: database.schema, partition: 'all', signal: stop.signal, report }
  const running = Promise.all([
    follow(health, {
      ...common,
      name: 'runs',
      stream: streams.runs,
      filter: 'runs.*.*.crawl',
      apply: runsProjection(report),
    }),
    follow(health, {
      ...common,
      name: 'accounts',
      stream: streams.accounts,
      filter: 'accounts.*',
      apply: accountsProjection(report),
    }),
  ])
  started.defer(async () => void (await running))
  started.defer(() => stop.abort())
  started.use(beat(bus, { service: name, instance: settings.INSTANCE, check: () => health.cause }))
  signal.addEventListener('abort', () => stop.abort(), { once: true })
  return started.move()
}

/** Why the read model no longer follows the streams, or null; it goes out with the heartbeat. */
type Health = { cause: string | null }

async function follow(health: Health, projection: Projection): Promise<void> {
  const { bus, name, stream } = projection
  const onCommitted = (sequence: number) => {
    const projected: Projected = { stream, sequence }
    bus.nc.publish(tells.projected(name), JSON.stringify(projected))
  }
  const end = await runProjection({ ...projection, onCommitted })
  if (end === 'stream-went-backwards') health.cause = `${stream} ends before what ${name} has projected`
}
