/**
 * Purging in a whole system: the commands that purge a project are killed midway. Only its bills, its id and its name
 * remain. Other projects are not affected.
 */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { openBus } from '@tidemark/bus/connection'
import { streams, subjects } from '@tidemark/contracts/subjects'
import { startOrigin } from '@tidemark/testing/origin'
import { patient } from '@tidemark/testing/slowness'
import { until } from '@tidemark/testing/until'
import pg from 'pg'
import { test } from 'tap'
import { startSystem } from './system.ts'

const root = path.join(import.meta.dirname, '../..')
const address = 'forgotten@example.com'
/** Part of the URLs that the project crawls, and of nothing else. */
const mark = 'marked-a7c1'
const pages = {
  [`/${mark}`]: `<title>One</title><a href="/${mark}/2">2</a>`,
  [`/${mark}/2`]: '<title>Two</title>',
  '/': '<title>A neighbour</title>',
}
const steps = 6

test('Purging', { timeout: patient(300_000) }, async t => {
  const system = await startSystem({ SIGNUPS_PER_ADDRESS: '50' })
  t.teardown(() => system.stop())
  const origin = await startOrigin({ pages })
  t.teardown(() => origin.close())
  const { postgres, nats } = await system.runFile()
  const pool = new pg.Pool({ connectionString: postgres.url, max: 3 })
  pool.on('error', () => {})
  t.teardown(() => pool.end())
  const bus = await openBus({ url: nats.url, name: 'test' })
  t.teardown(() => bus.close())
  const signedUp = await system.call(null, 'POST', '/v1/signup', {
    ...{ project_name: 'forgotten', tier: 'free', email: address },
  })
  const { api_key: key, project_id: project } = signedUp.body
  const neighbour = await system.createProject('remembering', '--unlimited')
  const call = (method: string, path: string, body?: object) => system.call(key, method, `/v1${path}`, body)
  const count = async (sql: string) =>
    Number((await pool.query(`select count(*) as n from ${sql}`)).rows[0].n)
  const messagesOf = async (stream: string, subject: string) => {
    const { state } = await bus.jsm.streams.info(stream, { subjects_filter: subject })
    return Object.values(state.subjects ?? {}).reduce((sum, n) => sum + n, 0)
  }
  const ofProject = `where project_id = ${project}`
  /** Returns the tables with this text in any row. */
  const tablesWith = async (text: string) => {
    const { rows } = await pool.query(
      `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
       where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
    )
    const found: string[] = []
    for (const { name } of rows)
      if ((await count(`${name} as row where strpos(row::text, '${text}') > 0`)) > 0) found.push(name)
    return found.sort()
  }

  const request = { delay_ms: 0, respect_robots: false }
  const ended = await system.crawl(key, { url: `${origin.url}/${mark}`, ...request })
  t.match(ended, { status: 'done', page_count: 2 })
  const file = { format: 'jsonl', select: { include: ['html'] } }
  const { id: exported } = (await call('POST', `/crawls/${ended.id}/exports`, file)).body
  await until(async () => (await call('GET', `/exports/${exported}`)).body.status === 'done')
  const { monitor_id: monitor } = (
    await call('POST', '/crawls', {
      ...{ url: `${origin.url}/${mark}/2`, ...request, cron: '0 0 29 2 *', headers: { 'X-Mine': mark } },
    })
  ).body
  await system.untilEnded(key, (await call('POST', `/crons/${monitor}/run`)).body.id)
  t.match((await call('GET', '/webhook/secret')).body, { secret_hex: /^[0-9a-f]{64}$/ })
  const running = (await call('POST', '/crawls', { url: `${origin.url}/slow/120000?${mark}`, ...request }))
    .body.id
  await system.admin('set-project', '--name', 'forgotten', '--proxy-url', `http://u:${mark}@127.1.0.9:9`)
  await system.crawl(neighbour, { url: `${origin.url}/`, ...request })
  await until(async () => (await count(`ledger.unit ${ofProject}`)) === 3)
  await until(async () => (await count(`read.log ${ofProject}`)) > 3)
  const billed = async () => ({
    units: await count(`ledger.unit ${ofProject}`),
    counted: (await pool.query(`select sum(pages)::int as n from ledger.counter ${ofProject}`)).rows[0].n,
    events: await messagesOf(streams.usage, subjects.usage(project)),
  })
  const before = await billed()
  t.ok((await tablesWith(address)).includes('account.billing'))

  /** Runs the command and kills it at its n-th progress line. */
  async function killedAt(line: number): Promise<void> {
    const args = ['deploy/local/admin.ts', 'purge-project', '--name', 'forgotten', '--yes']
    const env = { ...process.env, TIDEMARK_DIR: system.dir }
    const child = spawn(process.execPath, args, { cwd: root, env, stdio: ['ignore', 'ignore', 'pipe'] })
    const exited = once(child, 'exit')
    let lines = 0
    for await (const _ of createInterface({ input: child.stderr })) {
      if (++lines === line) child.kill('SIGKILL')
    }
    const [, signal] = await exited
    t.equal(signal, 'SIGKILL', `killed at line ${line}`)
  }

  await t.test('a project needs its name and --yes', async t => {
    await t.rejects(system.admin('purge-project', '--name', 'forgotten'), { code: 2 })
    await t.rejects(system.admin('purge-project', '--name', 'nobody', '--yes'), { code: 1 })
    await t.rejects(system.admin('purge-project', '--yes'), { code: 2 })
    t.equal((await call('GET', '/usage')).status, 200)
  })

  await t.test('a project has the same result after kills at any line', async t => {
    for (let line = 1; line <= steps; line++) await killedAt(line)
    const purge = () => system.admin('purge-project', '--name', 'forgotten', '--yes')
    t.match(await purge(), { project_id: project, name: 'forgotten', subscription: null })
    const nothing = { keys: 0, addresses: 0, monitors: 0, runs: 0, exports: 0, secrets: 0, calls: 0 }
    t.strictSame(await purge(), { project_id: project, name: 'forgotten', ...nothing, subscription: null })
  })

  await t.test('leaves only bills, the id and the name', async t => {
    t.equal((await call('GET', '/usage')).status, 401)
    for (const rows of [
      `account.key ${ofProject} and revoked_at is null`,
      `scheduler.monitor ${ofProject}`,
      `scheduler.idempotency_key ${ofProject}`,
      `webhook.secret ${ofProject}`,
      `content.export ${ofProject}`,
      `content.export_part ${ofProject}`,
      `read.run ${ofProject}`,
      `read.page ${ofProject}`,
      `read.log ${ofProject}`,
      `coordinator.admission ${ofProject} and (released_at is null or url is not null)`,
    ]) {
      await until(async () => (await count(rows)) === 0, 30_000)
      t.equal(await count(rows), 0, rows)
    }
    t.equal(await messagesOf(streams.audit, subjects.audit(project)), 0)
    t.equal(await messagesOf(streams.monitors, subjects.monitor(monitor)), 1, 'the event of its deletion')
    t.equal(await messagesOf(streams.exports, subjects.export(exported)), 0)
    t.equal(await messagesOf(streams.runs, subjects.run(running)), 1, 'the event of its deletion')
    await until(async () => (await tablesWith(mark)).length === 0, 30_000)
    t.strictSame(await tablesWith(mark), [])
    t.strictSame(await tablesWith(address), [])
    t.strictSame(await billed(), before, 'the bills remain')
    t.equal(await count(`account.project where id = ${project} and name = 'forgotten' and proxy is null`), 1)
    // The name stays reserved.
    await t.rejects(system.admin('create-project', '--name', 'forgotten'), { code: 1, stderr: /already/ })
  })

  await t.test('runs by age spares those that monitors compare with', async t => {
    const old = await system.crawl(neighbour, { url: `${origin.url}/`, ...request })
    const own = (method: string, path: string, body?: object) =>
      system.call(neighbour, method, `/v1${path}`, body)
    const { monitor_id } = (
      await own('POST', '/crawls', { url: `${origin.url}/`, ...request, cron: '0 0 29 2 *' })
    ).body
    const baseline = await system.untilEnded(
      neighbour,
      (await own('POST', `/crons/${monitor_id}/run`)).body.id,
    )
    const purge = (age: string, ...yes: string[]) =>
      system.admin('purge-runs', '--project', 'remembering', '--older-than', age, ...yes)
    t.match(await purge('1d', '--yes'), { ok: true, deleted: 0, failed: [] })
    const url = `${origin.url}/`
    t.match(await purge('0h'), {
      name: 'remembering',
      before: String,
      found: 2,
      first: { url, ended_at: String },
      last: { run_id: old.id, url },
      deleted: 0,
    })
    t.equal((await own('GET', `/crawls/${old.id}`)).status, 200, 'without --yes runs are only counted')
    t.match(await purge('0h', '--yes'), { deleted: 2 })
    t.equal((await own('GET', `/crawls/${old.id}`)).status, 404)
    t.equal((await own('GET', `/crawls/${baseline.id}`)).status, 200)
    const one = (...yes: string[]) => system.admin('purge-run', '--id', String(baseline.id), ...yes)
    t.match(await one(), { run_id: baseline.id, url, status: 'done', deleted: false })
    t.equal((await own('GET', `/crawls/${baseline.id}`)).status, 200, 'without --yes the run is only shown')
    t.match(await one('--yes'), { run_id: baseline.id, url, deleted: true })
    t.match(await one('--yes'), { deleted: false })
    t.equal((await own('GET', `/crawls/${baseline.id}`)).status, 404)
    await t.rejects(system.admin('purge-run', '--id', '4711'), { code: 1, stderr: /never existed/ })
  })

  await t.test('leaves consistent data', async t => {
    t.match(await system.admin('verify'), { ok: true })
  })
})
