/** How a running system reports faults: each process on its metrics port, and the whole system at `/v1/ready`. */

import { randomInt } from 'node:crypto'
import { openBus } from '@tidemark/bus/connection'
import { patient } from '@tidemark/testing/slowness'
import { until } from '@tidemark/testing/until'
import pg from 'pg'
import { test } from 'tap'
import { type Path, type Process, probe, processesOf } from './probes.ts'
import { type System, startSystem } from './system.ts'

const paths: Path[] = ['/livez', '/startupz', '/readyz']

test('Health', { timeout: patient(300_000) }, async t => {
  const system = await startSystem({ METRICS_PORT: String(10_000 + randomInt(6_000)) })
  t.teardown(() => system.stop())
  const { nats, postgres, processes } = await system.runFile()
  const bus = await openBus({ url: nats.url, name: 'health' })
  t.teardown(() => bus.close())

  await t.test('is reported by every process: alive, started and ready', async t => {
    t.equal(processes.length, 3)
    for (const { metrics } of processes)
      for (const path of paths)
        t.match(await probe(metrics, path), { status: 200, body: { status: 'pass', causes: [] } }, path)
  })

  await t.test('reports a deleted consumer only where it is used', async t => {
    const { config } = await bus.jsm.consumers.info('PAGES', 'extractor')
    await bus.jsm.consumers.delete('PAGES', 'extractor')
    const [extractor, other] = await processesOf(system, 'extractor')
    await untilReported(extractor, { service: 'extractor', cause: 'consumer_gone' })
    await untilReported(other, { service: 'extractor', cause: 'consumer_gone' })
    const [control] = await processesOf(system, 'gateway')
    t.equal((await probe(control?.metrics, '/readyz'))?.status, 200)
    t.equal((await probe(extractor?.metrics, '/livez'))?.status, 200, 'a restart would not help')
    t.equal((await probe(extractor?.metrics, '/startupz'))?.status, 200, 'it stays started')
    await until(async () => (await readiness(system)).includes('extractor fails: consumer_gone: '))
    await bus.jsm.consumers.add('PAGES', config)
    await until(async () => (await probe(extractor?.metrics, '/readyz'))?.status === 200, 20_000)
    await untilWell(system, 5_000)
  })

  await t.test('reports a read-only database', async t => {
    const client = new pg.Client({ connectionString: postgres.url })
    await client.connect()
    t.teardown(() => client.end())
    const [control] = await processesOf(system, 'gateway')
    await client.query('alter system set default_transaction_read_only = on')
    await client.query('select pg_reload_conf()')
    for (const service of ['projector', 'crawl-coordinator', 'usage-ledger', 'scheduler'])
      await untilReported(control, { service, cause: 'database_read_only' })
    t.match(await readiness(system), /database does not serve|database_read_only/)
    await client.query('alter system reset default_transaction_read_only')
    await client.query('select pg_reload_conf()')
    await untilWell(system, 5_000)
  })

  await t.test('reports that NATS is down, even without heartbeats', async t => {
    const [extractor] = await processesOf(system, 'extractor')
    process.kill(nats.pid ?? 0, 'SIGKILL')
    await untilReported(extractor, { service: 'extractor', cause: 'nats_away' })
    await untilWell(system, 20_000)
    t.equal((await probe(extractor?.metrics, '/readyz'))?.status, 200)
  })
})

async function untilReported(process: Process | undefined, wanted: { service: string; cause: string }) {
  await until(async () => {
    const health = await probe(process?.metrics, '/readyz')
    const { causes = [] } = health?.body ?? {}
    const isReported = causes.some(
      ({ service, cause }) => service === wanted.service && cause === wanted.cause,
    )
    return health?.status === 503 && isReported
  }, 30_000)
}

/** Returns the error of `/v1/ready`, or an empty text if the system is ready. */
async function readiness(system: System): Promise<string> {
  const { status, body } = await system.call(null, 'GET', '/v1/ready')
  return status === 200 ? '' : body.error.message
}

const untilWell = (system: System, limitMs: number) =>
  until(async () => (await readiness(system).catch(() => 'away')) === '', limitMs)
