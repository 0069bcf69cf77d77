/** How a running system says what is wrong with it: each process on its inner port, and the whole at `/v1/ready`. */
import { randomInt } from 'node:crypto'
import { openBus } from '@tidemark/bus/connection'
import { until } from '@tidemark/testing/until'
import pg from 'pg'
import { test } from 'tap'
import { type Path, type Process, probe, processesOf } from './probes.ts'
import { type System, startSystem } from './system.ts'

const paths: Path[] = ['/livez', '/startupz', '/readyz']

test('Health', { timeout: 180_000 }, async t => {
  const system = await startSystem({ METRICS_PORT: String(10_000 + randomInt(6_000)) })
  t.teardown(() => system.stop())
  const { nats, postgres, processes } = await system.runFile()
  const bus = await openBus({ url: nats.url, name: 'health' })
  t.teardown(() => bus.close())

  await t.test('is told by every process, alive, started and ready', async t => {
    t.equal(processes.length, 3)
    for (const { metrics } of processes)
      for (const path of paths)
        t.match(await probe(metrics, path), { status: 200, body: { status: 'pass', causes: [] } }, path)
  })

  await t.test('names a consumer that is gone, and nobody else is to blame', async t => {
    const { config } = await bus.jsm.consumers.info('PAGES', 'extractor')
    await bus.jsm.consumers.delete('PAGES', 'extractor')
    const [extractor, other] = await processesOf(system, 'extractor')
    await untilSays(extractor, { service: 'extractor', cause: 'consumer_gone' })
    await untilSays(other, { service: 'extractor', cause: 'consumer_gone' })
    const [control] = await processesOf(system, 'gateway')
    t.equal((await probe(control?.metrics, '/readyz'))?.status, 200)
    t.equal((await probe(extractor?.metrics, '/livez'))?.status, 200, 'a new start would mend nothing')
    t.equal((await probe(extractor?.metrics, '/startupz'))?.status, 200, 'what has started has started')
    await until(async () => (await readiness(system)).includes('extractor fails: consumer_gone: '))
    await bus.jsm.consumers.add('PAGES', config)
    await until(async () => (await probe(extractor?.metrics, '/readyz'))?.status === 200, 20_000)
    await untilWell(system, 5_000)
  })

  await t.test('names a database that takes no writes', async t => {
    const client = new pg.Client({ connectionString: postgres.url })
    await client.connect()
    t.teardown(() => client.end())
    const [control] = await processesOf(system, 'gateway')
    await client.query('alter system set default_transaction_read_only = on')
    await client.query('select pg_reload_conf()')
    for (const service of ['projector', 'crawl-coordinator', 'usage-ledger', 'scheduler'])
      await untilSays(control, { service, cause: 'database_read_only' })
    t.match(await readiness(system), /database does not serve|database_read_only/)
    await client.query('alter system reset default_transaction_read_only')
    await client.query('select pg_reload_conf()')
    await untilWell(system, 5_000)
  })

  await t.test('names NATS where it is away, though no heartbeat can tell', async t => {
    const [extractor] = await processesOf(system, 'extractor')
    process.kill(nats.pid ?? 0, 'SIGKILL')
    await untilSays(extractor, { service: 'extractor', cause: 'nats_away' })
    await untilWell(system, 20_000)
    t.equal((await probe(extractor?.metrics, '/readyz'))?.status, 200)
  })
})

async function untilSays(process: Process | undefined, wanted: { service: string; cause: string }) {
  await until(async () => {
    const said = await probe(process?.metrics, '/readyz')
    const { causes = [] } = said?.body ?? {}
    const isTold = causes.some(({ service, cause }) => service === wanted.service && cause === wanted.cause)
    return said?.status === 503 && isTold
  }, 30_000)
}

/** What `/v1/ready` says is wrong; nothing where all is well. */
async function readiness(system: System): Promise<string> {
  const { status, body } = await system.call(null, 'GET', '/v1/ready')
  return status === 200 ? '' : body.error.message
}

const untilWell = (system: System, limitMs: number) =>
  until(async () => (await readiness(system).catch(() => 'away')) === '', limitMs)
