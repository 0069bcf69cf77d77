/** Requests that are in progress while the service stops, with real servers. */
import { setTimeout as sleep } from 'node:timers/promises'
import { call } from '@tidemark/bus/rpc'
import { archiveTables } from '@tidemark/content/archive'
import * as runsRpc from '@tidemark/contracts/rpc/runs'
import { declareStreams } from '@tidemark/deploy/nats/declare'
import { untilBlocked } from '@tidemark/testing/databases'
import { surroundings } from '@tidemark/testing/surroundings'
import { test } from 'tap'
import { database } from './database.ts'
import { settings, site } from './domain/run.examples.ts'
import { startService } from './service.ts'

test('A start in progress while the service stops is completed', { timeout: 120_000 }, async t => {
  process.env.LOG_LEVEL = 'fatal'
  const { env, bus, pool } = await surroundings(t, { database, declare: declareStreams })
  await pool.query('create schema content')
  for (const statement of archiveTables) await pool.query(statement)
  const service = await startService({ ...env, ARCHIVE_AFTER: 'P7D' }, new AbortController().signal)
  const client = await pool.connect()
  await client.query('begin')
  await client.query('lock table coordinator.outbox in exclusive mode')
  const request = {
    ...{ projectId: 1, tier: 'free' as const, url: `${site}/`, idempotencyKey: null, fingerprint: '' },
    settings: settings({ unlimited: true }),
  }
  const starting = call(bus, runsRpc.startRun, request, { timeoutMs: 20_000 })
  await untilBlocked(pool, 'coordinator.outbox')
  const stopping = service[Symbol.asyncDispose]()
  await sleep(500)
  await client.query('rollback')
  client.release()
  t.match(await starting, { status: 'queued', replayed: false })
  await stopping
  t.match((await pool.query('select from coordinator.outbox')).rowCount, 0, 'and its event is published')
})
