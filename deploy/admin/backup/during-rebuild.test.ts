/** Backups during which a rebuild replaces tables that are not copied yet. */
import net from 'node:net'
import path from 'node:path'
import { lockOfSweeps } from '@tidemark/crawl-coordinator/policies/clean-up-ended-runs'
import { listening } from '@tidemark/testing/listening'
import { surroundings } from '@tidemark/testing/surroundings'
import { until } from '@tidemark/testing/until'
import { type Test, test } from 'tap'
import { databases } from '../../local/entries.ts'
import { declareStreams } from '../../nats/declare.ts'
import { run as backup } from '../backup.ts'
import { openServers } from '../open-instance.ts'
import { run as rebuildProjections } from '../rebuild/rebuild-projections.ts'
import { nameInEnvironment } from './environment.scene.ts'
import { readManifest } from './manifest.ts'
import { takeMoment } from './moment.ts'

test('A rebuild that begins while a backup copies tables', async t => {
  const { env, pool } = await surroundings(t, { database: await databases(), declare: declareStreams })
  await pool.query(
    `insert into read.run (id, project_id, url, status, enqueued_at) values (1, 1, 'https://a.example/', 'done', now())`,
  )

  await t.test('replaces no table until all are copied', async t => {
    await using instance = await openServers({ natsUrl: env.NATS_URL, databaseUrl: env.DATABASE_URL })
    const { client } = await takeMoment(instance, ['read'], [])
    const take = () => pool.query('do $$ begin lock table read.run in access exclusive mode nowait; end $$')
    await t.rejects(take(), { code: '55P03' })
    await pool.query('update read.run set page_count = 7')
    const { rows } = await client.query('select page_count from read.run')
    t.strictSame(rows, [{ page_count: 0 }], 'writers continue')
    await client.end()
    await t.resolves(take())
  })

  await t.test('waits until all are copied, and says so', async t => {
    const dir = t.testdir()
    const saved = path.join(dir, 'saved')
    const proxy = await holdingCopies(t, env.DATABASE_URL)
    nameInEnvironment(t, { ...env, DATABASE_URL: proxy.url })
    const lines: string[] = []
    const saving = backup(['--to', saved], dir, () => {})
    await proxy.requested
    await until(async () => (await pool.query(isFree, [lockOfSweeps])).rows[0].free)
    const rebuilding = rebuildProjections(['--name', 'runs'], dir, line => void lines.push(line))
    const isWaiting = () => lines.some(line => line.startsWith('runs: waiting until a backup'))
    await Promise.race([rebuilding, until(isWaiting)])
    proxy.release()

    await saving
    const { tables } = await readManifest(saved)
    const run = tables.find(({ schema, name }) => schema === 'read' && name === 'run')
    t.match(run, { rows: 1 }, 'the backup has the row of its moment')
    t.match(await rebuilding, { rebuilt: ['runs'] })
    t.equal((await pool.query('select from read.run')).rowCount, 0, 'no event is in RUNS')
  })
})

const isFree = `select not exists (select from pg_locks where locktype = 'advisory' and objid = $1) as free`

/** A proxy of Postgres that forwards the statements that copy tables once they are released. */
async function holdingCopies(t: Test, databaseUrl: string) {
  const target = new URL(databaseUrl)
  const requested = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const server = net.createServer(async socket => {
    const upstream = net.connect(Number(target.port), target.hostname)
    for (const end of [socket, upstream]) end.on('error', () => {})
    upstream.pipe(socket)
    for await (const chunk of socket) {
      if (String(chunk).includes('copy "')) {
        requested.resolve()
        await released.promise
      }
      upstream.write(chunk)
    }
    upstream.end()
  })
  t.teardown(() => void server.close())
  const { port } = await listening(server)
  const url = Object.assign(new URL(target), { hostname: '127.0.0.1', port: String(port) })
  return { url: url.href, requested: requested.promise, release: () => released.resolve() }
}
