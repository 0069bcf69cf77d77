/** auth-billing, wired: it creates projects, answers for their keys, and tells ACCOUNTS of both. */
import { answer } from '@tidemark/bus/ask'
import { jsonParser } from '@tidemark/bus/codec'
import { openBus } from '@tidemark/bus/connection'
import { beat } from '@tidemark/bus/heartbeat'
import { currentTraceparent } from '@tidemark/bus/trace'
import { readSettings } from '@tidemark/config/settings'
import { CreateProject, FindKey } from '@tidemark/contracts/ask/accounts'
import { asks } from '@tidemark/contracts/subjects'
import { openDatabase } from '@tidemark/db/database'
import { relay } from '@tidemark/db/outbox'
import { createLog } from '@tidemark/telemetry/log'
import { accounts as accountsIn } from './adapters/accounts.ts'
import { database } from './database.ts'
import { createProject } from './handlers/create-project.ts'
import { findKey } from './handlers/find-key.ts'
import { Settings } from './settings.ts'

const name = 'auth-billing'

/** Rejects with SettingsError, or when bus or database cannot be reached. */
export async function startService(env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<AsyncDisposable> {
  const settings = readSettings(Settings, env)
  const log = createLog(name)
  const report = (error: unknown) => log.error({ err: error }, 'an account could not be served')
  const stop = new AbortController()
  const serving = { signal: stop.signal, report }

  await using started = new AsyncDisposableStack()
  const bus = started.adopt(await openBus({ url: settings.NATS_URL, name }), bus => bus.close())
  const options = { poolSize: 4, name }
  const db = started.adopt(await openDatabase(settings.DATABASE_URL, database, options), db => db.close())
  const accounts = accountsIn(db)
  const outbox = relay({ bus, pool: db.pool, schema: database.schema, ...serving })
  // A row that does not go out now is swept up later; the relay itself reports why.
  const publish = (id: number) => void outbox.publishNow(id).catch(() => {})
  const create = createProject({ accounts, publish, trace: currentTraceparent })

  const answering = Promise.all([
    answer(bus, asks.createProject, name, create, { parse: jsonParser(CreateProject), ...serving }),
    answer(bus, asks.findKey, name, findKey(accounts), { parse: jsonParser(FindKey), ...serving }),
  ])
  started.defer(() => outbox.close())
  started.defer(() => answering.then(() => {}))
  started.use(beat(bus, { service: name, instance: settings.INSTANCE }))
  started.defer(() => stop.abort())
  signal.addEventListener('abort', () => stop.abort(), { once: true })
  return started.move()
}
