/** Exports: every record once, with equal bytes, whatever happens to the process that writes them. */

import { createHash, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Refusal } from '@tidemark/bus/refusal'
import { call } from '@tidemark/bus/rpc'
import { recordDeleted } from '@tidemark/content/sweeping'
import type { ExportCaps } from '@tidemark/contracts/limits'
import type { ListedPage } from '@tidemark/contracts/rpc/exports'
import * as exportsRpc from '@tidemark/contracts/rpc/exports'
import * as forgetRpc from '@tidemark/contracts/rpc/forget'
import type { Database } from '@tidemark/db/database'
import { inTransaction } from '@tidemark/db/transaction'
import { listed as listedInSitemap } from '@tidemark/export/sitemap/listed'
import { startObjectStore } from '@tidemark/testing/object-store'
import { patient } from '@tidemark/testing/slowness'
import { kill } from '@tidemark/testing/surroundings'
import { sized } from '@tidemark/testing/tier'
import { until } from '@tidemark/testing/until'
import { test } from 'tap'
import { leasesIn } from './adapters/exports/leases.ts'
import { listed } from './exported-pages.examples.ts'
import { bucketOf, peakMemory, projectId, secretOf, startScene } from './exports.scene.ts'
import { exportPage } from './handlers/exports/export-pages.ts'

const timeoutMs = 60_000
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
const linesOf = (file: Buffer) => file.toString().split('\n').slice(0, -1)

test('A page of an export has the metadata of the API, whatever was stored for it', async t => {
  const stored = (metadata: object) => ({
    ...{
      contentType: null,
      body: null,
      encodings: [],
      edges: null,
      headers: null,
      metadata: JSON.stringify(metadata),
    },
  })
  const pageWith = (metadata: object) =>
    exportPage(
      {
        ...{ listed: listed(1, 0, 10), stored: stored(metadata) },
        ...{ made: null, isUnread: false, vectors: null },
      },
      ['metadata', 'headers'],
    )
  const page = pageWith({ title: 7, robots: 'noindex', og: [], json_ld: {}, words: 9 })
  const empty = { title: null, description: null, canonical: null, lang: null }
  t.strictSame(page.metadata, { ...empty, robots: [], og: {}, twitter: {}, json_ld: [] })
  t.match(
    listedInSitemap(page, url => url),
    { url: page.url },
  )
  t.equal(
    listedInSitemap(pageWith({ robots: ['noindex'] }), url => url),
    null,
  )
})

test('A page of an export says whether it is a challenge, and no sitemap lists it then', async t => {
  const pageOf = (fields: Partial<ListedPage>) => {
    const empty = { stored: null, made: null, isUnread: false, vectors: null }
    return exportPage({ listed: { ...listed(1, 0, 10), ...fields }, ...empty }, [])
  }
  t.match(pageOf({}), { blocked: false, rendered: false })
  t.match(pageOf({ rendered: true }), { blocked: false, rendered: true })
  const challenge = pageOf({ blocked: true })
  t.match(challenge, { blocked: true, rendered: false })
  t.equal(
    listedInSitemap(challenge, url => url),
    null,
  )
})

test('A page of an export says what is missing from its content', async t => {
  // The body is not sent to formats without bodies.
  const stored = { contentType: null, body: null, encodings: [], edges: null, headers: null, metadata: '{}' }
  const warningsOf = (made: object | null, part: 'markdown' | 'chunks' = 'markdown') => {
    const json = made && Buffer.from(JSON.stringify(made))
    const page = { listed: listed(1, 0, 10), stored, made: json, isUnread: made === null, vectors: null }
    return exportPage(page, [part]).warnings
  }
  const blocked = listed(1, 0, 10, true)
  const challenge = { listed: blocked, stored, made: null, isUnread: false, vectors: null }
  t.match(exportPage(challenge, ['markdown']).warnings, [/challenge/], 'all of a page behind a challenge')
  t.strictSame(exportPage(challenge, ['metadata']).warnings, [])
  const warnings = ['only the first 3145728 characters were read']
  t.strictSame(warningsOf({ markdown: 'A', warnings }), warnings, 'the end of a long page')
  t.strictSame(warningsOf({ markdown: 'A', warnings: [] }), [])
  t.match(warningsOf(null), [/could not be read/], 'all of a page that exceeds the limits')
  t.strictSame(warningsOf({ chunks: [], warnings }, 'chunks'), warnings, 'also in chunks')
  t.match(warningsOf(null, 'chunks'), [/could not be read/])
})

test('An export to S3', { timeout: 3_600_000 }, async t => {
  const scene = await startScene(t)
  const store = await startObjectStore()
  t.teardown(() => store.stop())
  const pages = sized(400, 100_000)
  const bytes = sized(60_000, 2_000)
  const select = { include: ['html' as const, 'links' as const] }
  await scene.addRun(1, pages, bytes)

  await t.test('has every record once and the same bytes, however often its writer is killed', async t => {
    const kills = sized(2, 10)
    const steady = scene.spawn()
    const whole = await scene.send(1, store, 'whole.jsonl', select)
    const expected = await scene.ended(whole.id, 1_800_000)
    t.match(expected, { status: 'done', records: pages, error: null })
    await kill(steady)

    const first = scene.spawn()
    const view = await scene.send(1, store, 'killed.jsonl', select)
    const state = async () => {
      const { rows } = await scene.pool.query<{ parts: number; attempts: number; lease: string }>(
        `select attempts, lease, (select count(*)::int from content.export_part where export_id = id) as parts
         from content.export where id = $1 and state = 'running'`,
        [view.id],
      )
      return rows[0]
    }
    let [writer, lease, partsBefore] = [first, '', 0]
    const progress: number[] = []
    for (let n = 0; n < kills; n++) {
      // Each process is killed in its own turn: at once, or when it has stored another part.
      await until(async () => {
        const now = await state()
        if (now === undefined || now.lease === lease || (n % 2 === 1 && now.parts <= partsBefore))
          return false
        ;[lease, partsBefore] = [now.lease, now.parts]
        return true
      }, 600_000)
      await kill(writer)
      progress.push(partsBefore)
      writer = scene.spawn()
    }
    const ended = await scene.ended(view.id, 1_800_000)
    t.strictSame((await scene.events(view.id, 2)).names, ['ExportRequested', 'ExportStored'])
    await kill(writer)
    t.match(ended, { status: 'done', records: pages, bytes: expected.bytes, sha256: expected.sha256 })
    t.ok((progress.at(-1) ?? 0) > 0, `kept parts: ${progress}`)
    const file = await store.read('killed.jsonl')
    t.equal(sha256(file), expected.sha256)
    const ids = linesOf(file).map(line => JSON.parse(line).id)
    t.equal(new Set(ids).size, pages)
    t.equal(ids.length, pages)
    const { rows } = await scene.pool.query('select credentials, upload from content.export')
    t.strictSame(rows, [
      { credentials: null, upload: null },
      { credentials: null, upload: null },
    ])
  })

  await t.test('needs no more memory for many more pages, in several parts both', async t => {
    await scene.addRun(2, sized(1_600, 10_000), bytes)
    const bySize = [...scene.runs].sort(([, one], [, other]) => one.pages - other.pages)
    const max = bySize.at(-1)?.[1].pages ?? 0
    const measured = async () => {
      const peaks: number[] = []
      for (const [runId, { pages }] of bySize) {
        const writer = scene.spawn()
        // Both processes write equally many pages, so that only the size of an export differs.
        for (let written = 0; written < max; written += pages) {
          const { id } = await scene.request(runId, 'jsonl', { select }).then(({ export: view }) => view)
          t.match(await scene.ended(id, 1_800_000), { status: 'done' })
        }
        peaks.push(await peakMemory(writer))
        await kill(writer)
      }
      return peaks
    }
    const isFlat = ([small = 0, large = 0]: number[]) => large < 1.2 * small
    let peaks = await measured()
    // On a busy machine a process may collect its garbage late, so a second measurement decides.
    if (!isFlat(peaks)) peaks = await measured()
    const megabytes = peaks.map(peak => Math.round(peak / 1024 ** 2))
    t.ok(isFlat(peaks), `peaks of ${megabytes.join(' and ')} MB`)
  })

  await t.test('fails with the reason of the store, and says nothing of its keys', async t => {
    await scene.start()
    const { sink } = bucketOf(store, 'refused.jsonl')
    const wrong = bucketOf({ env: { ...store.env, S3_SECRET_ACCESS_KEY: 'a-wrong-secret' } }, 'refused.jsonl')
    const { export: refused } = await scene.request(2, 'sitemap', wrong)
    const ended = await scene.ended(refused.id)
    t.match(ended, {
      status: 'failed',
      error: { reason: 's3_refused', message: /403 SignatureDoesNotMatch/ },
    })
    const { names, text } = await scene.events(refused.id, 2)
    t.strictSame(names, ['ExportRequested', 'ExportFailed'])
    const shown = JSON.stringify(ended) + text
    t.notOk(['a-wrong-secret', secretOf(store), 'sealed2'].some(secret => shown.includes(secret)))

    const credentials = bucketOf(store, '').credentials
    for (const endpoint of ['http://10.0.0.1:9000', 'http://169.254.169.254', 'http://127.0.0.2:9000']) {
      const { export: guarded } = await scene.request(2, 'sitemap', {
        sink: { ...sink, endpoint },
        credentials,
      })
      t.match(await scene.ended(guarded.id), { status: 'failed', error: { reason: 's3_refused' } }, endpoint)
    }
    const unreadable = {
      sink,
      credentials: wrong.credentials.replace(/^sealed2\.[0-9a-f]{8}/, 'sealed2.00000000'),
    }
    const { export: closed } = await scene.request(2, 'sitemap', unreadable)
    t.match(await scene.ended(closed.id), { status: 'failed', error: { reason: 'credentials_unreadable' } })
  })
})

test('An export for download', { timeout: patient(300_000) }, async t => {
  const scene = await startScene(t)
  const extractor = await scene.start({
    EXPORTS_PER_PROJECT: '2',
    EXPORT_KEPT_BYTES: '60000000',
    EXPORT_MAX_BYTES: '20000000',
  })
  await scene.addRun(1, 200, 50_000)
  await scene.addRun(2, 5, 100)
  const refusal = (answer: Promise<unknown>) =>
    answer.then(
      () => null,
      (error: unknown) => (error instanceof Refusal ? error.toJSON() : error),
    )
  const remove = (exportId: number) =>
    call(scene.bus, exportsRpc.deleteExport, { projectId, exportId }, { timeoutMs })

  await t.test('is written once for a key, in parts, with its selected pages', async t => {
    const select = { include: ['html' as const, 'markdown' as const, 'headers' as const], status: [200] }
    const wanted = { select, idempotencyKey: 'k' }
    const made = await scene.request(1, 'jsonl', wanted)
    t.match(made, { replayed: false, export: { status: /queued|running/, sink: { type: 'download' } } })
    t.match(await scene.request(1, 'jsonl', { ...wanted, fingerprint: 'b' }), {
      ...{ replayed: true, sameRequest: false, export: { id: made.export.id } },
    })
    const view = await scene.ended(made.export.id)
    t.match(view, { status: 'done', records: 180, error: null })
    const file = await scene.file(view.id)
    t.equal(sha256(file), view.sha256)
    t.equal(file.byteLength, view.bytes)
    t.ok((await scene.parts(view.id)) > 1)
    const [line = '{}'] = linesOf(file)
    const page = JSON.parse(line)
    t.match(page, {
      url: 'https://site-1.test/page/0',
      status: 200,
      html: /^<title>Page 0/,
      markdown: /# Page 0/,
    })
    t.match(JSON.stringify(page.headers), /"server".*"tides"/)
    t.equal(linesOf(file).length, 180)

    const foreign = { projectId: 8, exportId: view.id }
    t.match(await call(scene.bus, exportsRpc.getExport, foreign, { timeoutMs }), { export: null })
    t.match(await call(scene.bus, exportsRpc.deleteExport, foreign, { timeoutMs }), { deleted: false })
    const { found } = await call(scene.bus, exportsRpc.findExportFile, { exportId: view.id }, { timeoutMs })
    t.match(found, { projectId, file: { bytes: view.bytes, sha256: view.sha256, partBytes: 8 * 1024 ** 2 } })
  })

  await t.test('is refused above a limit, and without the bodies that it needs', async t => {
    const large = await scene.request(1, 'jsonl', { select: { include: ['html', 'links', 'markdown'] } })
    t.match(await scene.ended(large.export.id), { status: 'failed', error: { reason: 'too_large' } })
    await until(async () => (await scene.parts(large.export.id)) === 0)
    await scene.pool.query(
      `insert into content.page (run_id, url_key, metadata, edges) values (3, 'aaaaaaaaaaa', '{}', '')`,
    )
    scene.runs.set(3, { pages: 0, bytes: 0, isActive: false, isDeleted: false })
    t.match(await refusal(scene.request(3, 'warc')), { status: 409, reason: 'html_not_stored' })
    const empty = await scene.request(3, 'jsonl')
    t.match(await scene.ended(empty.export.id), { status: 'done', records: 0, bytes: 0 })

    await scene.pool.query(`update content.export set bytes = 60000000 where id = 1`)
    t.match(await refusal(scene.request(2, 'jsonl')), { status: 429, reason: 'export_bytes' })
    await scene.pool.query(`update content.export set bytes = 1000 where id = 1`)

    const ofProject = (caps: ExportCaps) => scene.request(1, 'jsonl', { caps, select: { include: ['html'] } })
    const { export: long } = await ofProject({ fileBytes: 9_000_000, keptBytes: null })
    const tooLarge = { reason: 'too_large', message: /exceeds 9000000 bytes/ }
    t.match(await scene.ended(long.id), { status: 'failed', error: tooLarge })
    const { export: more } = await ofProject({ fileBytes: null, keptBytes: 8_500_000 })
    const tooMany = { reason: 'export_bytes', message: /exceed 8500000 bytes.*Delete an export/ }
    t.match(await scene.ended(more.id), { status: 'failed', error: tooMany })
    await until(async () => (await scene.parts(more.id)) === 0)
    const { export: whole } = await ofProject({ fileBytes: 20_000_000, keptBytes: 20_000_000 })
    t.match(await scene.ended(whole.id), { status: 'done' })
    t.match(await remove(whole.id), { deleted: true })
  })

  await t.test('begins again if its run is reopened, and has the pages of the new end', async t => {
    await scene.addRun(5, 41, 100)
    const run = scene.runs.get(5)
    if (run === undefined) throw new Error('the run is missing')
    run.pages = 40
    run.onListing = before => {
      // The first two are the run and its pages, and the third is the next reading of its pages.
      if (before === 2) Object.assign(run, { isActive: true, pages: 41 })
      if (before === 4) Object.assign(run, { isActive: false, endedAt: '2026-01-02T04:00:00.000Z' })
    }
    const { export: reopened } = await scene.request(5, 'markdown')
    const view = await scene.ended(reopened.id)
    t.match(view, { status: 'done', records: 41, error: null })
    const { export: later } = await scene.request(5, 'markdown')
    t.equal((await scene.ended(later.id)).sha256, view.sha256)
  })

  await t.test('fails if its run does not end again', async t => {
    scene.runs.set(4, { pages: 1, bytes: 10, isActive: true, isDeleted: false })
    const { export: active } = await scene.request(4, 'jsonl')
    const failures = async () =>
      (await scene.pool.query('select failures from content.export where id = $1', [active.id])).rows[0]
        .failures
    await until(async () => (await failures()) === 1)
    await scene.pool.query('update content.export set failures = 10 where id = $1', [active.id])
    t.match(await scene.ended(active.id), { status: 'failed', error: { reason: 'run_active' } })
  })

  await t.test('waits for its turn behind those of other projects, and within its own number', async t => {
    await extractor[Symbol.asyncDispose]()
    const idle = await scene.start({ EXPORTS_AT_ONCE: '0', EXPORTS_PER_PROJECT: '2' })
    const waiting = [await scene.request(2, 'jsonl'), await scene.request(2, 'jsonl')]
    t.match(await refusal(scene.request(2, 'jsonl')), { status: 429, reason: 'exports' })
    for (const { export: view } of waiting) t.match(await remove(view.id), { deleted: true })
    const { export: own } = await scene.request(2, 'jsonl')
    const [{ export: first }, { export: second }] = [
      await scene.request(2, 'jsonl', { projectId: 8 }),
      await scene.request(2, 'jsonl', { projectId: 8 }),
    ]
    await idle[Symbol.asyncDispose]()
    const spent = await scene.start({ EXPORTS_AT_ONCE: '0', EXPORTS_PER_DAY: '3' })
    const refused = await refusal(scene.request(2, 'jsonl'))
    t.match(refused, {
      status: 429,
      reason: 'exports',
      message: /3 exports today/,
      retryAfterSeconds: Number,
    })
    await spent[Symbol.asyncDispose]()

    const leases = leasesIn(
      { pool: scene.pool, transaction: work => inTransaction(scene.pool, work) },
      { leaseSeconds: 600, keptDays: 7 },
    )
    const take = async () => {
      const job = await leases.take()
      if (job === null) throw new Error('no export is due')
      // This pool reads bigint as text.
      return { ...job, id: Number(job.id) }
    }
    const [held, busy] = [await take(), await take()]
    t.strictSame([held.id, busy.id], [own.id, first.id])
    t.notOk(await leases.areOthersDue(busy), 'a free process takes the second one')
    await scene.pool.query(`update content.export set due_at = now() - interval '5 seconds' where id = $1`, [
      second.id,
    ])
    t.notOk(await leases.areOthersDue(held), 'the other project has more in progress')
    await leases.later(held, 0, false)
    const again = await take()
    t.equal(again.id, own.id)
    t.ok(await leases.areOthersDue(busy))
    await leases.later(busy, 0, false)
    t.equal((await take()).id, second.id)
    await leases.later(again, 0, false)
    await scene.pool.query('delete from content.export where project_id = 8')
  })

  await t.test('counts for the limit of its project from its first part on', async t => {
    const idle = await scene.start({ EXPORTS_AT_ONCE: '0', EXPORTS_PER_PROJECT: '9' })
    const other = { projectId: 9 }
    const [entered, mayCommit] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const transaction: Database['transaction'] = work =>
      inTransaction(scene.pool, async client => {
        const result = await work(client)
        entered.resolve()
        await mayCommit.promise
        return result
      })
    const leases = leasesIn({ pool: scene.pool, transaction }, { leaseSeconds: 600, keptDays: 7 })
    const ids = [
      (await scene.request(2, 'sitemap', other)).export.id,
      (await scene.request(2, 'sitemap', other)).export.id,
    ]
    const lease = randomUUID()
    await scene.pool.query(
      `update content.export set state = 'running', lease = $1, due_at = now() + interval '1 hour' where id = any($2)`,
      [lease, ids],
    )
    const store = (id: number, number: number, size: number, maxKeptBytes = 1_000) =>
      leases.storePart(
        { ...other, id, lease },
        { number, size, sha256: 'a', tag: null },
        { data: Buffer.alloc(size), maxKeptBytes },
      )
    const [stored = 0, second = 0] = ids
    const first = store(stored, 1, 600)
    await entered.promise
    const together = Promise.allSettled([store(second, 1, 600)])
    await Promise.race([together, sleep(500)])
    mayCommit.resolve()
    await first
    const reason = { name: 'ExportFault', reason: 'export_bytes', isFinal: true }
    t.match(await together, [{ status: 'rejected', reason }], 'although the first part was not committed')
    t.strictSame(await Promise.all(ids.map(scene.parts)), [1, 0])

    await store(stored, 1, 900)
    await store(stored, 2, 100)
    // A part that is replaced counts once.
    await t.rejects(store(stored, 3, 1), { name: 'ExportFault', message: /exceed 1000 bytes/ })
    const bucket = { sink: { type: 's3' as const, endpoint: 'https://s3.test', bucket: 'crawls', key: 'k' } }
    const full = { ...other, caps: { fileBytes: null, keptBytes: 1_000 } }
    t.match(await refusal(scene.request(2, 'sitemap', full)), {
      status: 429,
      reason: 'export_bytes',
      message: /1000 of 1000 bytes/,
    })
    const sent = await scene.request(2, 'sitemap', { ...full, ...bucket })
    t.match(sent, { replayed: false }, 'a bucket takes no space here')
    const free = { ...other, caps: { fileBytes: null, keptBytes: 1_001 } }
    t.match(await scene.request(2, 'sitemap', free), { replayed: false })
    await scene.pool.query('delete from content.export where project_id = 9')
    await idle[Symbol.asyncDispose]()
  })

  await t.test('ends with its age, its run, its owner and its project', async t => {
    await scene.start({ EXPORTS_PER_PROJECT: '9' })
    const made = async (runId: number) => scene.ended((await scene.request(runId, 'jsonl')).export.id)
    const [old, ofRun, removed] = [await made(1), await made(2), await made(1)]
    await scene.pool.query(`update content.export set expires_at = now() where id = $1`, [old.id])
    await until(
      async () => (await scene.get(old.id))?.status === 'expired' && (await scene.parts(old.id)) === 0,
    )
    t.same((await scene.events(old.id, 3)).names.at(-1), 'ExportExpired')
    const { found } = await call(scene.bus, exportsRpc.findExportFile, { exportId: old.id }, { timeoutMs })
    t.match(found, { projectId, file: null })

    const run = scene.runs.get(2)
    if (run) run.isDeleted = true
    const late = await made(2)
    t.match(late, { status: 'failed', error: { reason: 'run_deleted', message: /Crawl the site again/ } })
    await recordDeleted(scene.pool, [2])
    const lost = await call(scene.bus, exportsRpc.findExportFile, { exportId: ofRun.id }, { timeoutMs })
    t.match(lost, { found: { file: null } }, 'at once, not at the next sweep')
    t.equal((await scene.get(ofRun.id))?.status, 'expired', 'also in its view')
    await until(
      async () => (await scene.get(ofRun.id))?.status === 'expired' && (await scene.parts(ofRun.id)) === 0,
    )

    t.match(await remove(removed.id), { deleted: true })
    t.match(await remove(removed.id), { deleted: false })
    t.equal(await scene.get(removed.id), null)
    await until(async () => (await scene.parts(removed.id)) === 0)
    t.same((await scene.events(removed.id, 3)).names.at(-1), 'ExportDeleted')
    const keyed = { projectId, runId: 1 }
    const key = await scene.request(1, 'jsonl', { idempotencyKey: 'gone' })
    await remove(key.export.id)
    const again = scene.request(1, 'jsonl', { idempotencyKey: 'gone' })
    t.match(await refusal(again), { status: 409, reason: 'idempotency_key_of_deleted_export' })

    const left = await call(
      scene.bus,
      exportsRpc.listExports,
      { ...keyed, limit: 100, offset: 0 },
      { timeoutMs },
    )
    t.ok(left.exports.length > 0)
    const forgotten = await call(scene.bus, forgetRpc.forgetExports, { projectId }, { timeoutMs })
    t.ok(forgotten.forgotten > 0)
    t.match(await call(scene.bus, forgetRpc.forgetExports, { projectId }, { timeoutMs }), { forgotten: 0 })
    t.equal((await scene.pool.query('select from content.export')).rowCount, 0)
    t.equal((await scene.pool.query('select from content.export_part')).rowCount, 0)
    for (const { id } of [old, ofRun, removed]) t.notOk(await scene.hasEvents(id))
  })
})
