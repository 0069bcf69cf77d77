/** Deletions from the content store, with bodies that are stored and swept at the same moment. */
import { hash } from 'node:crypto'
import { startObjectStore } from '@tidemark/testing/object-store'
import { sized } from '@tidemark/testing/tier'
import tap, { type Test, test } from 'tap'
import { type ArchivedCommit, openArchives, readArchives } from './archive.ts'
import { plainBody } from './body.ts'
import { encodeEdges } from './edges.ts'
import { keepings, surroundings, untilWaiting } from './keeping.scene.ts'
import { storePictures } from './pictures.ts'
import { copyPages, nameOfCopy, type PageCopy, type Revisit, readRevisits } from './revisits.ts'
import type { StoredPage } from './statements.ts'
import { recordDeleted } from './sweeping.ts'

const page = (runId: number, name: string, text: string | null): StoredPage => {
  const bytes = Buffer.from(text ?? '')
  return {
    runId,
    urlKey: name.padStart(11, '0'),
    body: text === null ? null : plainBody(hash('sha256', bytes, 'buffer'), bytes),
    charset: 'utf-8',
    contentType: 'text/html',
    metadata: '{}',
    edges: encodeEdges([]),
  }
}

const revisit: Revisit = {
  etag: '"1"',
  lastModified: null,
  sent: 10,
  bytes: 20,
  contentHash: 'c',
  rawHash: 'r',
  likeness: null,
}
const known = (...[runId, name, text]: Parameters<typeof page>): StoredPage => ({
  ...page(runId, name, text),
  revisit: JSON.stringify(revisit),
})
const copyOf = (name: string, runId: number, since: number): PageCopy => ({
  runId,
  urlKey: name.padStart(11, '0'),
  since,
  keepsBody: true,
})

const store = await startObjectStore()
tap.teardown(() => store.stop())

for (const kept of keepings)
  test(`Sweeping the content store, bodies ${kept}`, t => sweeping(t, kept === 'in objects'))

async function sweeping(t: Test, isInObjects: boolean): Promise<void> {
  const { pool, content, open, transaction, sweep, count, named } = await surroundings(
    t,
    isInObjects ? store : null,
  )
  /** Makes the next sweep due. */
  const sweepAgain = async () => {
    await pool.query('update content.deletion set sweep_at = now()')
    await sweep()
  }

  await t.test('removes the pages of deleted runs, and bodies that no other run has', async t => {
    // More than a batch of pages in rows, and than one of bodies in objects.
    const length = isInObjects ? sized(220, 600) : 1_200
    const many = Array.from({ length }, (_, n) => page(1, String(n), `body ${n}`))
    await content.storePages([...many, page(2, 'a', 'body 7'), page(2, 'b', null)])
    await recordDeleted(pool, [1])
    await recordDeleted(pool, [1])
    await sweep()
    t.equal(await count('page where run_id = 1'), 0)
    t.equal(await count('page'), 2)
    t.equal(await count('body'), 1)
    t.equal(await count('released'), 0)
    t.equal((await content.readPage(2, 'a'.padStart(11, '0')))?.body?.toString(), 'body 7')
  })

  await t.test('removes screenshots with their run, and their bytes with the last reference', async t => {
    const before = await count('body')
    const png = (text: string) => ({ hash: hash('sha256', text, 'buffer'), data: Buffer.from(text) })
    const picture = (runId: number, name: string, text: string) => ({ runId, urlKey: name, ...png(text) })
    await content.storePages([page(21, 'a', 'with a picture'), page(22, 'b', 'equal to a picture')])
    await storePictures(pool, [picture(21, 'a', 'one'), picture(21, 'b', 'equal to a picture')])
    await storePictures(pool, [picture(22, 'a', 'one'), picture(22, 'a', 'one')])
    t.strictSame(await content.readPicture(22, 'a'), { encodings: [], body: Buffer.from('one') })
    t.equal(await content.readPicture(22, 'none'), null)
    await storePictures(pool, [picture(22, 'c', 'before'), picture(22, 'c', 'after')])
    await sweep()
    t.equal(await count('body'), before + 4, 'a replaced one is removed')
    await recordDeleted(pool, [21])
    await sweep()
    t.equal(await count('picture where run_id = 21'), 0)
    t.match(await content.readPicture(22, 'a'), { body: Buffer.from('one') }, 'another run has it, too')
    t.equal((await content.readPage(22, 'b'.padStart(11, '0')))?.body?.toString(), 'equal to a picture')
    await recordDeleted(pool, [22])
    await sweep()
    t.strictSame([await count('body'), await count('picture'), await count('released')], [before, 0, 0])
  })

  await t.test('removes time-stamps with their run, also one that is stored later', async t => {
    const stamp = (runId: number, factsHash: string) =>
      pool.query(`insert into content.time_stamp values ($1, $2, '', '', '', '', '', '', '')`, [
        runId,
        factsHash,
      ])
    const stamped = (runId: number) => count(`time_stamp where run_id = ${runId}`)
    await stamp(31, 'a')
    await stamp(31, 'b')
    await stamp(32, 'a')
    await recordDeleted(pool, [31])
    await sweep()
    t.strictSame([await stamped(31), await stamped(32)], [0, 1])
    await stamp(31, 'late')
    await sweepAgain()
    t.strictSame([await stamped(31), await stamped(32)], [0, 1])
  })

  await t.test('also removes pages that are stored after the deletion', async t => {
    await content.storePages([page(1, 'late', 'late')])
    await sweepAgain()
    t.equal(await count('page where run_id = 1'), 0)
    t.equal(await count('body'), 1)
  })

  await t.test('removes the previous body of a page', async t => {
    const before = await count('body')
    await content.storePages([page(8, 'a', 'older')])
    await content.storePages([page(8, 'a', 'newer')])
    await content.storePages([page(8, 'a', 'newer')])
    t.equal(await count('released'), 1)
    await sweep()
    t.equal(await count('body'), before + 1)
    t.equal((await content.readPage(8, 'a'.padStart(11, '0')))?.body?.toString(), 'newer')
  })

  await t.test('waits for a transaction that stores a body, and then keeps the body', async t => {
    await content.storePages([page(3, 'a', 'shared')])
    await recordDeleted(pool, [3])
    const storing = await pool.connect()
    await storing.query('begin')
    await open(storing, work => work(storing)).storePages([page(4, 'a', 'shared')])
    const swept = sweep()
    await untilWaiting(pool)
    await storing.query('commit')
    storing.release()
    await swept
    t.equal(await count('page where run_id = 3'), 0)
    t.equal((await content.readPage(4, 'a'.padStart(11, '0')))?.body?.toString(), 'shared')
  })

  await t.test('blocks storing a body while it is swept, and the body exists again', async t => {
    await content.storePages([page(5, 'a', 'gone and back')])
    await recordDeleted(pool, [5])
    const gate = Promise.withResolvers<void>()
    let storing = Promise.resolve()
    // Storing starts between the check for references and the end of the sweeper's transaction.
    const slowly: typeof transaction = work =>
      transaction(async client => {
        const result = await work(client)
        const { rows } = await client.query(
          `select from pg_locks where locktype = 'advisory' and granted and pid = pg_backend_pid()`,
        )
        if (rows.length > 0) {
          storing = content.storePages([page(6, 'a', 'gone and back')])
          await untilWaiting(pool)
          gate.resolve()
        }
        return result
      })
    await sweep(slowly)
    await gate.promise
    await storing
    t.equal((await content.readPage(6, 'a'.padStart(11, '0')))?.body?.toString(), 'gone and back')
  })

  await t.test('keeps pages that a later run has copied from a deleted one', async t => {
    await content.storePages([
      { ...known(10, 'a', 'lasting'), headers: 'a: 1' },
      known(10, 'b', null),
      page(10, 'c', 'unknown'),
    ])
    const names = ['a', 'b', 'c', 'd']
    const keys = names.map(name => name.padStart(11, '0'))
    t.strictSame([...(await readRevisits(pool, 10, keys, true)).keys()], keys.slice(0, 1))
    t.strictSame(
      await readRevisits(pool, 10, keys.slice(0, 2), false),
      new Map(keys.slice(0, 2).map(key => [key, revisit])),
    )

    const wanted = [...names, 'a'].map(name => copyOf(name, 11, 10))
    const copied = await copyPages(transaction, wanted)
    t.match(
      copied,
      new Map([[nameOfCopy(copyOf('a', 11, 10)), { contentType: 'text/html', metadata: '{}', revisit }]]),
    )
    t.strictSame(
      [...copied.keys()],
      [nameOfCopy(copyOf('a', 11, 10))],
      'except pages without a body for a run that keeps bodies',
    )
    t.strictSame(await copyPages(transaction, wanted), copied, 'repeatedly')
    await copyPages(transaction, [{ ...copyOf('a', 12, 11), keepsBody: false }])
    await recordDeleted(pool, [10])
    await sweep()
    t.strictSame(await content.readPage(10, keys[0] ?? ''), null)
    t.equal((await content.readPage(11, keys[0] ?? ''))?.body?.toString(), 'lasting')
    t.match(await content.readPage(12, keys[0] ?? ''), { body: null, bodyHash: null, charset: 'utf-8' })
    const { rows } = await pool.query(
      'select headers from content.page where run_id in (11, 12) and url_key = $1 order by run_id',
      [keys[0]],
    )
    t.strictSame(rows, [{ headers: 'a: 1' }, { headers: null }], 'headers stay with their body')
    await recordDeleted(pool, [11])
    await sweep()
    t.strictSame(await copyPages(transaction, [copyOf('a', 13, 10), copyOf('a', 13, 11)]), new Map())
    t.strictSame(
      [...(await copyPages(transaction, [{ ...copyOf('a', 14, 12), keepsBody: false }])).keys()].length,
      1,
    )
  })

  await t.test('never leaves a page without its body, nor a body without a page', async t => {
    const rounds = sized(15, 40)
    for (let round = 0; round < rounds; round++) {
      const doomed = 100 + 2 * round
      const text = `contended ${round % 3}`
      await content.storePages([known(doomed, 'a', text), known(doomed, 'b', `own ${round}`)])
      await recordDeleted(pool, [doomed])
      await Promise.all([
        sweep(),
        content.storePages([page(doomed + 1, 'a', text)]),
        content.storePages([page(doomed, 'late', text)]),
        copyPages(transaction, [copyOf('a', 9_000 + round, doomed), copyOf('b', 9_000 + round, doomed)]),
      ])
    }
    await sweepAgain()
    t.equal(await count('page where run_id between 100 and 8999'), rounds)
    const lost = `page where body_hash is not null
      and not exists (select from content.body where body.hash = page.body_hash)`
    t.equal(await count(lost), 0)
    t.equal(await count('body where not exists (select from content.page where body_hash = body.hash)'), 0)
  })

  await t.test('keeps only the objects of existing bodies', async t => {
    const { held, announced } = await named()
    t.equal(held.length, isInObjects ? await count('body') : 0)
    t.strictSame(announced, [], 'no name is left over')
    t.strictSame(await store.names(), held)
  })
}

test('The archive', async t => {
  const { pool } = await surroundings(t)
  const archives = openArchives(pool)
  const commits = (n: number): ArchivedCommit[] =>
    Array.from({ length: n }, (_, at) => ({
      facet: at % 3 === 0 ? 'webhook' : 'crawl',
      sequence: 10 * (at + 1),
      data: Buffer.from(
        JSON.stringify({ at: 'now', events: [{ type: 'Some', data: { text: `漢 \n ${at}` } }] }),
      ),
    }))

  t.strictSame(await archives.read(1), null, 'returns null for a run that was never archived')
  await archives.store(1, commits(2))
  await archives.store(1, commits(500))
  const read = await archives.read(1)
  t.strictSame(read, { runId: 1, lastSequence: 5_000, commits: commits(500) }, 'returns the latest version')
  t.strictSame(await archives.read(1, 4_999), read, 'if it has later commits than the reader')
  t.equal(await archives.read(1, 5_000), null)
  const { rows } = await pool.query(
    'select octet_length(data) as bytes, commits, first_seq::int from content.archive',
  )
  t.match(rows, [{ commits: 500, first_seq: 10 }])
  t.ok(rows[0].bytes < 10_000, 'and is small')

  await Promise.all([3, 2, 5].map(runId => archives.store(runId, commits(1))))
  const ids = async (after: number, limit: number) =>
    (await readArchives(pool, after, limit)).map(({ runId }) => runId)
  t.strictSame(await ids(0, 2), [1, 2], 'is read run by run')
  t.strictSame(await ids(2, 10), [3, 5])
  await archives.remove(3)
  t.strictSame(await ids(2, 10), [5])
})
