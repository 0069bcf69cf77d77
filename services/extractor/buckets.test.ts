/** Exports to buckets that are slow, lose parts or refuse them: they end, and delay no export of others. */

import { setTimeout as sleep } from 'node:timers/promises'
import { recordDeleted } from '@tidemark/content/sweeping'
import { patient } from '@tidemark/testing/slowness'
import { until } from '@tidemark/testing/until'
import { test } from 'tap'
import { type BucketCall, startBucket } from './bucket.scene.ts'
import { bucketOf, startScene } from './exports.scene.ts'

const include = ['html' as const]
/** After 2 s another export is due that no free process took. */
const dueMs = 2_500

test('An export to a bucket that misbehaves', { timeout: patient(300_000) }, async t => {
  const scene = await startScene(t)
  // Two parts, four, and two.
  await scene.addRun(1, 150, 60_000)
  await scene.addRun(2, 430, 60_000)
  await scene.addRun(3, 150, 60_000)
  await scene.start({ EXPORTS_AT_ONCE: '1', EXPORTS_PER_PROJECT: '9', EXPORT_TURN_SECONDS: '1' })

  await t.test('waits behind others when its turn is over, and sends no part twice', async t => {
    const isOtherDue = Promise.withResolvers<undefined>()
    const bucket = await startBucket(t, ({ part }) => (part === 2 ? isOtherDue.promise : undefined))
    const began = performance.now()
    const slow = await scene.send(2, bucket, 'slow.jsonl', { include })
    await until(async () => (await scene.parts(slow.id)) > 0)
    // Its turn is at least as long as its first part took.
    const turnMs = performance.now() - began
    const quick = await scene.request(1, 'sitemap')
    await sleep(Math.max(dueMs, turnMs))
    isOtherDue.resolve(undefined)
    const [ended, other] = [await scene.ended(slow.id), await scene.ended(quick.export.id)]
    t.match([ended.status, other.status], ['done', 'done'])
    t.ok((other.finished_at ?? '') < (ended.finished_at ?? ''))
    const sent = bucket.calls.filter(({ kind }) => kind === 'part').map(({ part }) => part)
    t.ok(sent.length > 3, `${sent.length} parts`)
    t.strictSame(
      sent,
      sent.map((_, n) => n + 1),
    )
    t.equal(await scene.parts(slow.id), 0)
  })

  await t.test('ends when the bucket loses the upload every time', async t => {
    const bucket = await startBucket(t, ({ part }) =>
      part === 2 ? { status: 404, code: 'NoSuchUpload' } : undefined,
    )
    const lost = await scene.send(1, bucket, 'lost.jsonl', { include })
    await until(async () => {
      // Without the pauses.
      const { rows } = await scene.pool.query<{ state: string }>(
        `update content.export set due_at = case when state = 'queued' then now() else due_at end
         where id = $1 returning state`,
        [lost.id],
      )
      return rows[0]?.state === 'failed'
    }, 120_000)
    t.match(await scene.ended(lost.id), { error: { reason: 's3_unavailable', message: /removed the parts/ } })
    t.equal(bucket.calls.filter(({ kind }) => kind === 'begin').length, 11)
  })

  await t.test('is done if a killed process completed it, and no outage sends the parts again', async t => {
    let checks = 0
    const bucket = await startBucket(t, ({ kind }) => {
      if (kind === 'complete') return { status: 404, code: 'NoSuchUpload' }
      if (kind !== 'HEAD') return undefined
      const parts = bucket.calls.filter(call => call.kind === 'part')
      const bytes = parts.reduce((sum, { headers }) => sum + Number(headers['content-length']), 0)
      const headers = { 'x-amz-meta-tidemark-export': String(found.id), 'content-length': String(bytes) }
      return ++checks === 1 ? { status: 503 } : { status: 200, headers }
    })
    const found = await scene.send(1, bucket, 'found.jsonl', { include })
    t.match(await scene.ended(found.id), { status: 'done', error: null })
    t.equal(checks, 2)
    t.equal(bucket.calls.filter(({ kind }) => kind === 'begin').length, 1)
  })

  await t.test('leaves no upload open, even if another bucket never responds', async t => {
    const judge = ({ kind, part, key }: BucketCall) => {
      if (part === 2) return { status: 403, code: 'AccessDenied' }
      return kind === 'abort' && key === 'silent.jsonl' ? new Promise<undefined>(() => {}) : undefined
    }
    const bucket = await startBucket(t, judge)
    const silent = await scene.send(1, bucket, 'silent.jsonl', { include })
    const answering = await scene.send(1, bucket, 'answering.jsonl', { include })
    for (const { id } of [silent, answering])
      t.match(await scene.ended(id), { status: 'failed', error: { reason: 's3_refused' } })
    const uploads = async () => {
      const { rows } = await scene.pool.query(
        'select upload, credentials is null as is_safe from content.export where id = any($1) order by id',
        [[silent.id, answering.id]],
      )
      return rows
    }
    await until(async () => (await uploads())[1]?.upload === null, 60_000)
    t.match(await uploads(), [
      { upload: '2~upload-1', is_safe: false },
      { upload: null, is_safe: true },
    ])
  })

  await t.test('is not completed if its run was deleted, and a short file has its hash', async t => {
    const bucket = await startBucket(t, async ({ part }) => {
      if (part === 2) await recordDeleted(scene.pool, [3])
      return undefined
    })
    const short = await scene.send(1, bucket, 'short.jsonl')
    const { sha256 } = await scene.ended(short.id)
    t.match(bucket.calls, [{ kind: 'put', headers: { 'x-amz-meta-sha256': sha256 } }])
    const { sink, credentials } = bucketOf(bucket, 'by-host.jsonl')
    const endpoint = sink.endpoint.replace('127.0.0.1', 'localhost')
    const byHost = { sink: { ...sink, endpoint, path_style: false }, credentials }
    const { export: named } = await scene.request(1, 'jsonl', byHost)
    t.match(await scene.ended(named.id), { status: 'done' })
    t.match(bucket.calls.at(-1), { key: 'by-host.jsonl', headers: { host: /^crawls\.localhost:/ } })
    const late = await scene.send(3, bucket, 'late.jsonl', { include })
    t.match(await scene.ended(late.id), { status: 'failed', error: { reason: 'run_deleted' } })
    await until(() => bucket.calls.some(({ kind }) => kind === 'abort'))
    t.notOk(bucket.calls.some(({ kind }) => kind === 'complete'))
  })
})
