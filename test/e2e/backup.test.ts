/** A backup of a running system, the loss of everything, and the restored system. */

import fs from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startOrigin } from '@tidemark/testing/origin'
import { patient } from '@tidemark/testing/slowness'
import { sized } from '@tidemark/testing/tier'
import { until } from '@tidemark/testing/until'
import { type Test, test } from 'tap'
import { run as backup } from '../../deploy/admin/backup.ts'
import { type OpenInstance, openInstance } from '../../deploy/admin/open-instance.ts'
import { run as restore } from '../../deploy/admin/restore.ts'
import { type System, sharedBin, startSystem } from './system.ts'

/** The folder with the unpacked servers, because a restore starts some in this process. */
process.env.TIDEMARK_BIN ??= sharedBin()

const size = sized(40, 120)
/** The pages are nearly equal, so the rule against equal content is off. */
const quiet = { LOG_LEVEL: 'fatal', TRAP_RULES_OFF: 'equal_content' }
const settings = { max_pages: 500, depth: 50, respect_robots: false, store_html: true }

const page = (n: number, more = '') =>
  `<title>Page ${n}</title><p>words of page ${n}</p>${more}` +
  [2 * n + 1, 2 * n + 2].map(next => (next < size ? `<a href="/${next}">next</a>` : '')).join('')

const site = Object.fromEntries([
  ['/', page(0)],
  ...Array.from({ length: size - 1 }, (_, n) => [`/${n + 1}`, page(n + 1)]),
])

async function folder(t: Test): Promise<string> {
  const dir = await fs.mkdtemp(join(tmpdir(), 'tidemark-backup-'))
  t.teardown(() => fs.rm(dir, { recursive: true, force: true }))
  await fs.chmod(dir, 0o755) // Postgres may run as another user
  return dir
}

const tablesOfRun = ['read.page', 'read.pageless', 'content.page', 'ledger.unit']

/** Returns a checksum of all rows of a run. */
async function sumOf({ pool }: OpenInstance, runId: number): Promise<string> {
  const rowsOf = (table: string, key: string) =>
    `select '${table}' || to_jsonb(t)::text as row from ${table} t where ${key} = $1`
  const all = [rowsOf('read.run', 'id'), ...tablesOfRun.map(table => rowsOf(table, 'run_id'))].join(
    ' union all ',
  )
  const { rows } = await pool.query(
    `select md5(string_agg(row, '' order by row)) as sum from (${all}) kept`,
    [runId],
  )
  return rows[0].sum
}

test('A backup, the loss of everything, and a restore', { timeout: patient(300_000) }, async t => {
  const origin = await startOrigin({ pages: site })
  t.teardown(() => origin.close())
  const webhook_url = `${origin.url}/status/200`
  const [lost, saved, restoredTo] = [await folder(t), join(await folder(t), 'saved'), await folder(t)]
  const lines: string[] = []
  const log = (line: string) => lines.push(line)

  let system: System = await startSystem(quiet, lost)
  t.teardown(() => system.stop())
  const key = await system.createProject('saved', '--unlimited')
  const get = async (path: string) => (await system.call(key, 'GET', path)).body
  const seed = { url: `${origin.url}/`, ...settings }
  const whole = await system.crawl(key, { ...seed, delay_ms: 0, webhook_url })
  await until(async () => (await get(`/v1/crawls/${whole.id}`)).webhook_status === 'delivered')
  const deleted = await system.crawl(key, { ...seed, delay_ms: 0, max_pages: 5 })
  await system.call(key, 'DELETE', `/v1/crawls/${deleted.id}`)
  await system.call(key, 'POST', '/v1/scan', { url: `${origin.url}/7` })
  const monitor = (await system.call(key, 'POST', '/v1/crawls', { ...seed, cron: '0 0 29 2 *' })).body
    .monitor_id
  const running = (
    await system.call(key, 'POST', '/v1/crawls', {
      ...seed,
      delay_ms: sized(200, 120),
      webhook_url,
    })
  ).body.id
  await until(async () => (await get(`/v1/crawls/${running}`)).page_count > size / 8)
  const secret = (await get('/v1/webhook/secret')).secret_hex
  const pages = (await get(`/v1/crawls/${whole.id}/pages?limit=100`)).items
  const html = await get(`/v1/pages/${pages[0].id}?format=html`)
  const before = await using(lost, instance => sumOf(instance, whole.id))

  const change = (what: string) => system.call(key, 'POST', `/v1/crawls/${running}/${what}`)
  // On a busy machine it would otherwise end before the system is lost.
  const pausing = until(async () => (await get(`/v1/crawls/${running}`)).page_count > size / 3).then(() =>
    change('pause'),
  )
  const result = await backup(['--to', saved], lost, log)
  t.comment(JSON.stringify(result), lines.join('\n'))
  t.equal((await pausing).status, 200)
  await t.rejects(backup(['--to', saved], lost, log), /is not empty/)
  await t.rejects(restore(['--from', saved], lost, log), /exists\. Name another folder/)
  await system.stop()
  for (const name of ['secrets.key', 'first-key.json'])
    await fs.copyFile(join(lost, name), join(restoredTo, name))
  await fs.rm(lost, { recursive: true, force: true })

  await t.test('is rejected if it is damaged', async t => {
    const copy = join(await folder(t), 'copy')
    await fs.cp(saved, copy, { recursive: true })
    const stream = join(copy, 'streams/RUNS.s2')
    const bytes = await fs.readFile(stream)
    bytes[bytes.length >> 1] = 255 - (bytes[bytes.length >> 1] ?? 0)
    await fs.writeFile(stream, bytes)
    await fs.truncate(join(copy, 'tables/read.page.zst'), 100)
    await fs.rm(join(copy, 'tables/account.key.zst'))
    const damage =
      /account.key.zst is missing; .*read.page.zst has 100 bytes, not \d+; .*RUNS.s2 has another SHA-256 checksum/
    await t.rejects(restore(['--from', copy], restoredTo, log), damage)
    const manifest = JSON.parse(await fs.readFile(join(copy, 'manifest.json'), 'utf8'))
    await fs.writeFile(join(copy, 'manifest.json'), JSON.stringify({ ...manifest, format: 2 }))
    await t.rejects(restore(['--from', copy], restoredTo, log), /is of a newer version/)
    await fs.rm(join(copy, 'manifest.json'))
    await t.rejects(restore(['--from', copy], restoredTo, log), /There is no whole backup/)
    t.strictSame(await fs.readdir(restoredTo), ['first-key.json', 'secrets.key'])
  })

  const restored = await restore(['--from', saved], restoredTo, log)
  t.ok(restored.ok, lines.join('\n'))
  system = await startSystem(quiet, restoredTo)
  await change('resume') // if the pause was before the moment of the backup

  await t.test('finished runs are unchanged', async t => {
    t.equal(await using(restoredTo, instance => sumOf(instance, whole.id)), before)
    t.strictSame((await get(`/v1/crawls/${whole.id}/pages?limit=100`)).items, pages)
    t.match(await system.call(key, 'GET', `/v1/crawls/${deleted.id}`), { status: 404 })
    t.match(await get(`/v1/crons/${monitor}`), { id: monitor, url: seed.url })
    t.equal((await get('/v1/webhook/secret')).secret_hex, secret)
    t.strictSame(await get(`/v1/pages/${pages[0].id}?format=html`), html)
    t.match(JSON.stringify(html), /words of page/)
  })

  await t.test('running crawls continue to their end, with one webhook and one bill', async t => {
    const ended = await system.untilEnded(key, running)
    t.match(ended, { status: 'done', page_count: size })
    await until(async () => (await get(`/v1/crawls/${running}`)).webhook_status === 'delivered')
    const webhooks = origin.hits.filter(({ path }) => path === '/status/200')
    t.equal(new Set(webhooks.map(({ headers }) => headers['webhook-id'])).size, 2)
    t.equal(webhooks.length, 2)
    const { rows } = await using(restoredTo, ({ pool }) =>
      pool.query(
        'select sum(units)::int as units, count(distinct what)::int as urls from ledger.unit where run_id = $1',
        [running],
      ),
    )
    t.equal(rows[0].units, size)
  })

  await t.test('new crawls and pages get new ids', async t => {
    const fresh = await system.crawl(key, { ...seed, delay_ms: 0 })
    t.ok(fresh.id > running, `${fresh.id} after ${running}`)
    t.match(fresh, { status: 'done', page_count: size })
    const ids = await using(restoredTo, ({ pool }) =>
      pool.query(
        'select count(*)::int as pages, count(distinct id)::int as ids, count(distinct run_id)::int as runs from read.page',
      ),
    )
    t.equal(ids.rows[0].pages, ids.rows[0].ids)
    t.ok((await system.createProject('saved-later')).startsWith('tmk_'))
  })

  await t.test('verify finds no problem', async t => {
    t.match(await system.admin('verify'), { ok: true })
  })
})

async function using<T>(dir: string, look: (instance: OpenInstance) => Promise<T>): Promise<T> {
  await using instance = await openInstance(dir)
  return await look(instance)
}
