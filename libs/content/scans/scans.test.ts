/** Stored pages of scans, with bodies in rows or objects. */
import { hash } from 'node:crypto'
import { startObjectStore } from '@tidemark/testing/object-store'
import tap, { test } from 'tap'
import { type Body, plainBody } from '../body.ts'
import { encodeEdges } from '../edges.ts'
import { keepings, surroundings } from '../keeping.scene.ts'
import { openScans, type StoredScan, sweepScans } from './scans.ts'

const store = await startObjectStore()
tap.teardown(() => store.stop())

const never = new AbortController().signal
const forever = { free: null, pro: null }
const minutes = 60_000
const now = Date.now()
const at = (minutesAgo: number) => new Date(now - minutesAgo * minutes)

function bodyOf(text: string): Body {
  const bytes = Buffer.from(text)
  return plainBody(hash('sha256', bytes, 'buffer'), bytes)
}

const scan = (text: string, more: Partial<StoredScan> = {}): StoredScan => ({
  ...{ projectId: 1, urlKey: 'a', means: '', tier: 'free', url: 'https://example.com/', status: 200 },
  ...{ fetchedAt: at(10), contentType: 'text/html', headers: '{}' },
  body: bodyOf(text),
  site: bodyOf('{"llmsTxt":null}'),
  ...more,
})

for (const kept of keepings)
  test(`Stored scans, bodies ${kept}`, async t => {
    const isInObjects = kept === 'in objects'
    const around = await surroundings(t, isInObjects ? store : null)
    const { pool, objects, transaction, content, sweep, count, named } = around
    const scans = openScans(pool, objects && { objects, transaction })
    const read = async (more: Partial<StoredScan> = {}, newerThan = at(60)) => {
      const found = await scans.read({ projectId: 1, urlKey: 'a', means: '', ...more }, newerThan)
      return found?.body.body.toString() ?? null
    }

    await t.test('are read with all facts, and only if they are newer', async t => {
      await scans.store([])
      await scans.store([scan('one', { status: 404, contentType: null, headers: '{"x-robots-tag":"none"}' })])
      t.strictSame(await scans.read({ projectId: 1, urlKey: 'a', means: '' }, at(11)), {
        ...{ url: 'https://example.com/', status: 404, fetchedAt: at(10), contentType: null },
        headers: '{"x-robots-tag":"none"}',
        body: { encodings: [], body: Buffer.from('one') },
        site: { encodings: [], body: Buffer.from('{"llmsTxt":null}') },
      })
      t.equal(await read({}, at(10)), null)
      t.equal(await read({ projectId: 2 }), null, 'another project has none')
      t.equal(await read({ means: 'browser' }), null, 'nor has another way to fetch it')
      t.equal(await read({ urlKey: 'b' }), null)
    })

    await t.test('are replaced by newer ones, and never by older ones', async t => {
      await scans.store([scan('older', { fetchedAt: at(12) }), scan('oldest', { fetchedAt: at(13) })])
      t.equal(await read(), 'one')
      await scans.store([scan('newest', { fetchedAt: at(1) }), scan('newer', { fetchedAt: at(2) })])
      t.equal(await read(), 'newest')
      await sweep()
      t.equal(await count('body'), 2, 'the bodies of others are deleted')
      t.equal(await count('released'), 0)
    })

    await t.test('share bodies with pages, and have them as long as one of both is stored', async t => {
      const page = { runId: 7, urlKey: 'a', charset: null, contentType: null, metadata: '{}' }
      await content.storePages([{ ...page, body: bodyOf('shared'), edges: encodeEdges([]) }])
      await scans.store([scan('shared', { urlKey: 'shared', site: null })])
      t.equal(await count('body'), 3)
      t.equal(await scans.remove({ projectId: 1, urlKey: 'shared' }, at(0)), 1)
      t.equal(await scans.remove({ projectId: 1, urlKey: 'shared' }, at(0)), 0)
      await sweep()
      t.equal((await content.readPage(7, 'a'))?.body?.toString(), 'shared')
      await scans.store([scan('shared', { urlKey: 'shared', fetchedAt: new Date(now + 1), site: null })])
      await pool.query('insert into content.deletion (run_id) values (7)')
      await sweep()
      t.equal(await read({ urlKey: 'shared' }), 'shared')
    })

    await t.test('are deleted even if they are written later', async t => {
      await scans.store([scan('plain', { urlKey: 'd' }), scan('robot', { urlKey: 'd', means: 'robot' })])
      t.equal(await scans.remove({ projectId: 1, urlKey: 'd' }, at(3)), 2, 'of all means')
      await scans.store([scan('late', { urlKey: 'd', fetchedAt: at(4) })])
      t.equal(await read({ urlKey: 'd' }), null)
      await sweepScans(pool, forever, never)
      t.equal(await count(`scan where url_key = 'd'`), 0)
      await scans.store([scan('fresh', { urlKey: 'd', fetchedAt: at(2) })])
      await sweepScans(pool, forever, never)
      t.equal(await read({ urlKey: 'd' }), 'fresh')
    })

    await t.test('are deleted with their project, and no other', async t => {
      await scans.store([scan('mine', { projectId: 3 }), scan('theirs', { projectId: 4 })])
      t.equal(await scans.removeSome(3, new Date(now)), 1)
      t.equal(await scans.removeSome(3, new Date(now)), 0)
      await scans.store([scan('in progress', { projectId: 3, fetchedAt: new Date(now + minutes) })])
      t.equal(await read({ projectId: 3 }), null)
      t.equal(await read({ projectId: 4 }), 'theirs')
      await sweepScans(pool, forever, never)
      t.equal(await count('scan where project_id = 3'), 0)
    })

    await t.test('are kept as long as their tier keeps pages, and 365 days at most', async t => {
      const day = 24 * 60
      await scans.store([
        scan('1', { urlKey: 'old', projectId: 5, fetchedAt: at(31 * day) }),
        scan('2', { urlKey: 'young', projectId: 5, fetchedAt: at(29 * day) }),
        scan('3', { urlKey: 'old', projectId: 6, tier: 'pro', fetchedAt: at(364 * day) }),
        scan('4', { urlKey: 'oldest', projectId: 6, tier: 'pro', fetchedAt: at(366 * day) }),
      ])
      await sweepScans(pool, { free: 30, pro: null }, never)
      const { rows } = await pool.query(
        'select project_id::int, url_key from content.scan where project_id in (5, 6) order by 1',
      )
      t.strictSame(rows, [
        { project_id: 5, url_key: 'young' },
        { project_id: 6, url_key: 'old' },
      ])
    })

    await t.test('leave no body behind', async t => {
      await pool.query('delete from content.scan')
      await sweep()
      t.strictSame([await count('body'), await count('released')], [0, 0])
      const { held, announced } = await named()
      t.strictSame([held, announced, isInObjects ? await store.names() : []], [[], [], []])
    })
  })
