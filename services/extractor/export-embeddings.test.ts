/** Exports with embeddings: each chunk has the vector of its text, and no text is billed twice, whatever is killed. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { ExportSelection } from '@tidemark/contracts/http/exports'
import { nameOfPart } from '@tidemark/contracts/served'
import { rowsOf } from '@tidemark/export/read-back.scene'
import { patient } from '@tidemark/testing/slowness'
import { kill } from '@tidemark/testing/surroundings'
import { sized } from '@tidemark/testing/tier'
import { until } from '@tidemark/testing/until'
import { test } from 'tap'
import { lastDifferent } from './exported-pages.examples.ts'
import { projectId, startScene } from './exports.scene.ts'
import { embeddedBy, fakeModel, vectorOf } from './model.scene.ts'

type Chunk = { text: string; embedding: number[] }

const select: ExportSelection = { chunks: { max_tokens: 64, embeddings: true } }

test('An export with embeddings', { timeout: patient(300_000) }, async t => {
  const scene = await startScene(t)
  const fake = await fakeModel(t, () => ({}))
  const env = {
    ...{ EMBEDDINGS_MODEL: 'vectors', EMBEDDINGS_BASE_URL: fake.url, EMBEDDINGS_TEXTS: '16' },
    ...{ EXPORTS_PER_PROJECT: '9', EXPORT_TURN_SECONDS: '1' },
  }
  const { models } = scene
  models.consent = `other.test ${fake.host}`
  const pages = sized(30, 300)
  const repeating = lastDifferent + 1
  await scene.addRun(1, pages, 600)
  await scene.addRun(repeating, 40, 600)

  const request = async (runId: number, more: ExportSelection = {}, format: 'jsonl' | 'parquet' = 'jsonl') =>
    (await scene.request(runId, format, { select: { ...select, ...more } })).export.id
  const chunksIn = (file: Buffer): Chunk[] =>
    file
      .toString()
      .trimEnd()
      .split('\n')
      .flatMap(line => JSON.parse(line).chunks ?? []) // a busy machine may leave a page out
  const areRight = (chunks: readonly Chunk[]) =>
    chunks.every(({ text, embedding }) => JSON.stringify(embedding) === JSON.stringify(vectorOf(text)))
  const vectors = async () => (await scene.pool.query('select from content.export_vector')).rowCount
  const billedFor = async (id: number) =>
    (await scene.billed()).filter(({ requestId }) => requestId === `export-${id}`)

  await t.test('has the vector of every chunk, and bills each text once if it is killed', async t => {
    const first = scene.spawn(env)
    let answered = 0
    fake.embed = async received => {
      await sleep(100)
      answered += 1
      return embeddedBy('good', received)
    }
    const id = await request(1)
    await until(() => answered >= 3, 60_000)
    await kill(first)
    const stored = (await vectors()) ?? 0
    t.ok(stored > 0, `${stored} vectors are kept`)

    const second = scene.spawn(env)
    const view = await scene.ended(id, 120_000)
    const chunks = chunksIn(await scene.file(id))
    t.match(view, { status: 'done', records: pages, error: null })
    t.ok(chunks.length > pages && areRight(chunks))
    const all = fake.embeddings.flatMap(({ input }) => input)
    const sent = new Set(all)
    const { texts = 0, tokens = 0 } = view.embeddings ?? {}
    t.ok(chunks.every(({ text }) => sent.has(text)))
    t.ok(texts <= sent.size, 'no text is stored twice')
    t.ok(
      all.length - texts <= 16,
      `${all.length - texts} texts were in flight at the kill, and were not billed`,
    )
    t.strictSame(view.embeddings, { model: 'vectors', dimensions: 8, texts, tokens: texts * 10 })
    const sumOf = (bills: { inputTokens: number }[]) =>
      bills.reduce((sum, { inputTokens }) => sum + inputTokens, 0)
    await until(async () => sumOf(await billedFor(id)) >= tokens)
    const bills = await billedFor(id)
    t.equal(sumOf(bills), tokens, 'the tokens of each text once')
    t.equal(new Set(bills.map(nameOfPart)).size, bills.length, 'every call has its own name in the ledger')
    t.match(bills[0], {
      ...{ projectId, operation: 'export_embeddings', model: 'vectors', outputTokens: 0 },
      what: 'https://site-1.test/page/0',
    })
    t.strictSame(new Set(models.reserved), new Set(bills.map(nameOfPart)), 'each call was reserved')
    await until(async () => (await vectors()) === 0)
    await kill(second)
  })

  fake.embed = received => embeddedBy('good', received)
  const extractor = await scene.start(env)

  await t.test('sends equal texts of its pages once', async t => {
    const before = fake.embeddings.length
    const id = await request(repeating)
    t.match(await scene.ended(id), { status: 'done', records: 40 })
    const chunks = chunksIn(await scene.file(id))
    const sent = fake.embeddings.slice(before).flatMap(({ input }) => input)
    t.ok(areRight(chunks))
    t.equal(sent.length, new Set(chunks.map(({ text }) => text)).size)
    t.ok(sent.length < chunks.length / 10)
  })

  await t.test('sends nothing of challenges', async t => {
    const run = scene.runs.get(repeating)
    if (run !== undefined) run.blocked = [0, 1]
    const id = await request(repeating, { include: ['markdown', 'html'] })
    t.match(await scene.ended(id), { status: 'done', records: 40 })
    const lines = (await scene.file(id)).toString().trimEnd().split('\n')
    const [blocked, , open] = lines.map(line => JSON.parse(line))
    t.match(blocked, { blocked: true, markdown: null, chunks: null, html: /<h1>/, warnings: [/challenge/] })
    t.match(open, { blocked: false, markdown: /^# / })
    if (run !== undefined) run.blocked = []
  })

  await t.test('is a table of Parquet with a column of lists', async t => {
    const id = await request(repeating, {}, 'parquet')
    t.match(await scene.ended(id), { status: 'done' })
    const rows = await rowsOf(await scene.file(id))
    t.ok(rows.length > 0 && areRight(rows as unknown as Chunk[]))
    t.match(rows[0], { page_url: `https://site-${repeating}.test/page/0`, number: 0 })
  })

  await t.test('writes no wrong vector, and ends with the reason', async t => {
    const failed = async () => (await scene.ended(await request(1)))?.error
    // The last bill of an export may be published after its end.
    await until(async () => (await scene.pool.query('select from content.outbox')).rowCount === 0)
    const bills = (await scene.billed()).length
    for (const name of ['too few', 'null for a number', 'another dimension'] as const) {
      fake.embed = received => embeddedBy(name, received)
      t.match(
        await failed(),
        { reason: 'embeddings_invalid', message: /^The model of embeddings sent/ },
        name,
      )
    }
    fake.embed = () => ({ status: 413 })
    t.match(await failed(), { reason: 'embeddings_refused', message: /\(413\).*max_tokens/ })
    models.consent = 'other.test'
    const calls = fake.embeddings.length
    t.match(await failed(), { reason: 'model_consent', message: /PUT \/v1\/model-consent/ })
    t.equal(fake.embeddings.length, calls, 'no text leaves without the consent')
    models.consent = fake.host
    models.callsLeft = 0
    models.cap = 0
    t.match(await failed(), { reason: 'model_calls' })
    t.equal((await scene.billed()).length, bills, 'nothing is billed')
    t.equal(await vectors(), 0)
    models.cap = 1_000
  })

  await t.test('waits for the next day if the calls of the day are used up, and for outages', async t => {
    models.callsLeft = 2
    let calls = 0
    fake.embed = received => (++calls === 1 ? { status: 500 } : embeddedBy('good', received))
    const id = await request(1)
    await until(() => models.callsLeft < 0, 60_000)
    t.match((await scene.get(id))?.status, /queued|running/)
    t.equal((await billedFor(id)).length <= 2, true)
    models.callsLeft = Number.POSITIVE_INFINITY
    const { status, embeddings } = await scene.ended(id, 120_000)
    t.equal(status, 'done')
    const chunks = chunksIn(await scene.file(id))
    t.ok(areRight(chunks))
    await until(
      async () =>
        (await billedFor(id)).reduce((sum, { inputTokens }) => sum + inputTokens, 0) === embeddings?.tokens,
    )
  })

  await t.test('ends if the operator removes or replaces the model', async t => {
    models.callsLeft = 1
    const id = await request(1)
    await until(() => models.callsLeft < 0, 60_000)
    await extractor[Symbol.asyncDispose]()
    models.callsLeft = Number.POSITIVE_INFINITY
    const other = await scene.start({ ...env, EMBEDDINGS_MODEL: 'others' })
    t.match(await scene.ended(id), {
      error: { reason: 'embeddings_invalid', message: /replaced the model vectors/ },
    })
    await other[Symbol.asyncDispose]()
    await scene.start({ EXPORTS_PER_PROJECT: '9' })
    t.match(await scene.ended(await request(1)), { error: { reason: 'not_configured' } })
    const plain = await request(1, { chunks: { max_tokens: 64 } })
    t.equal(chunksIn(await scene.ended(plain).then(() => scene.file(plain)))[0]?.embedding, undefined)
  })
})
