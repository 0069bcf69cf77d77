/**
 * All services connect to Postgres through PgBouncer, which maps their many connections to few connections of the
 * server, in each of its modes. A change of the mode needs no restart of the services.
 */
import { lockOfReading } from '@tidemark/extractor/wiring/run-reading'
import { startOrigin } from '@tidemark/testing/origin'
import { sized } from '@tidemark/testing/tier'
import { until } from '@tidemark/testing/until'
import pg from 'pg'
import { type Test, test } from 'tap'
import { pgbouncerIn } from '../programs.ts'
import { ownWords } from './own-words.ts'
import { type Mode, poolerOf } from './pooler.scene.ts'
import { processesOf } from './probes.ts'
import { startReceiver } from './scale-out.scene.ts'
import { type System, sharedBin, startSystem } from './system.ts'

const pages = sized(20, 80)
const crawls = sized(2, 5)
/**
 * Connections of the server per role. In transaction mode fewer than any service would open itself; in session mode as
 * many as two services would open.
 */
const poolSizes: Record<Mode, number> = { transaction: 3, session: 16 }

test('A pooler of connections', { timeout: 400_000 }, async t => {
  const program = await pgbouncerIn(sharedBin()).catch((error: Error) => error)
  if (program instanceof Error) return t.pass(`skipped: ${program.message}`, { skip: program.message })
  const pooled = await poolerOf(program)
  t.teardown(() => pooled.close())
  await pooled.start('transaction', poolSizes.transaction)
  const system = await startSystem({
    ...pooled.env,
    PROCESSES: 'split',
    REPLICAS: 'crawl-coordinator=2,extractor=2,projector=2',
  })
  t.teardown(() => system.stop())
  const paths = Array.from({ length: pages - 1 }, (_, n) => `/p${n}`)
  const links = paths.map(path => `<a href="${path}">${path}</a>`).join(' ')
  const origin = await startOrigin({
    pages: Object.fromEntries(['/', ...paths].map(path => [path, `<p>${ownWords(path)}</p>${links}`])),
  })
  t.teardown(() => origin.close())
  const key = await system.createProject('pooled', '--tier', 'studio', '--unlimited')

  await t.test('in transaction mode', t => worksIn('transaction', t))
  await t.test('in session mode, after a restart', async t => {
    await pooled.start('session', poolSizes.session)
    await until(async () => (await system.call(null, 'GET', '/v1/ready')).status === 200)
    await worksIn('session', t)
  })

  async function worksIn(mode: Mode, t: Test): Promise<void> {
    const receiver = await startReceiver()
    t.teardown(() => receiver.close())

    await t.test('supports crawls and concurrent requests of clients', async t => {
      const request = { url: `${origin.url}/`, delay_ms: 0, webhook_url: receiver.url }
      const running = Array.from({ length: crawls }, () => system.crawl(key, request))
      let isOver = false
      const calling = callOften(t, system, key, () => isOver)
      const ended = await Promise.all(running)
      isOver = true
      await calling
      for (const run of ended) t.match(run, { status: 'done', page_count: pages, error_count: 0 })
      await until(() => receiver.webhooks.size === crawls)
      const scan = () => system.call(key, 'POST', '/v1/scan', { url: `${origin.url}/` })
      await until(async () => (await scan()).status === 200)
      const [{ id = 0 } = {}] = ended
      t.equal((await system.call(key, 'DELETE', `/v1/crawls/${id}`)).status, 204)
      await untilSwept(pooled.owner, id)
    })

    await t.test('uses few connections of the server, with the limits of the roles', async t => {
      const connected = async () =>
        (
          await pooled.owner.query<{ role: string; count: number }>(
            `select usename as role, count(*)::int as count from pg_stat_activity
             where datname = current_database() and usename = any($1) group by usename`,
            [[...pooled.roles.values()]],
          )
        ).rows
      await until(async () => (await connected()).length === pooled.roles.size)
      const rows = await connected()
      t.ok(
        rows.every(({ count }) => count <= poolSizes[mode]),
        JSON.stringify(rows),
      )
      const own = (await pooled.show('clients')).filter(({ user = '' }) => user.startsWith('tidemark_'))
      const servers = rows.reduce((sum, { count }) => sum + count, 0)
      t.comment(`${own.length} connections of services on ${servers} of the server`)
      if (mode === 'transaction') t.ok(own.length > servers, `${own.length} on ${servers}`)
      const client = new pg.Client({ connectionString: pooled.urlAs(pooled.roles.get('gateway') ?? '') })
      await client.connect()
      const limits = await client.query(
        `select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock`,
      )
      await client.end()
      t.strictSame(limits.rows, [{ statement: '30s', lock: '10s' }])
    })

    await t.test('keeps locks exclusive to one instance', async t => {
      const holders = async () =>
        (
          await pooled.owner.query<{ pid: number }>(
            `select pid from pg_locks where locktype = 'advisory' and granted and classid = 0 and objid = $1
               and database = (select oid from pg_database where datname = current_database())`,
            [lockOfReading],
          )
        ).rows.map(({ pid }) => pid)
      const [first] = await holders()
      t.type(first, 'number')
      const both = await processesOf(system, 'extractor')
      t.equal(both.length, 2)
      for (const { pid } of both) process.kill(pid, 'SIGKILL')
      await until(async () => {
        const [holder, ...more] = await holders()
        return holder !== undefined && holder !== first && more.length === 0
      })
    })

    await t.test('leaves consistent data', async t => {
      const verified = await system.admin('verify')
      t.match(verified, { ok: true }, JSON.stringify(verified))
      t.notMatch(pooled.log(), /prepared statement .* does not exist|FATAL/)
    })
  }
})

async function callOften(t: Test, system: System, key: string, isOver: () => boolean) {
  const paths = ['/v1/crawls?limit=20', '/v1/usage', '/v1/keys', '/v1/crons', '/v1/logs?limit=5']
  for (let n = 0; !isOver(); n++) {
    const path = paths[n % paths.length] ?? ''
    const answer = await system.call(key, 'GET', path)
    t.equal(answer.status, 200, `${path}: ${JSON.stringify(answer.body).slice(0, 300)}`)
  }
}

/** Waits until no page of a deleted run is stored. */
async function untilSwept(owner: pg.Client, runId: number) {
  await until(async () => {
    const { rows } = await owner.query(
      `select (select count(*) from content.page where run_id = $1) + (select count(*) from read.page where run_id = $1) as rest`,
      [runId],
    )
    return Number(rows[0]?.rest) === 0
  })
}
