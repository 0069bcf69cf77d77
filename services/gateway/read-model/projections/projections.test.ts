import type { StreamMessage } from '@tidemark/bus/read'
import { type Facet, subjects } from '@tidemark/contracts/subjects'
import { type Database, openDatabase } from '@tidemark/db/database'
import { ofProject } from '@tidemark/db/of-project'
import { migratedDatabase } from '@tidemark/testing/databases'
import fc from 'fast-check'
import { type Test, test } from 'tap'
import { database } from '../../database.ts'
import { accountsProjection } from './accounts.ts'
import { listExportPages } from './export-pages.ts'
import { at, commit, delivered, failed, finished, page, queued, settled, started } from './runs.examples.ts'
import { runsProjection } from './runs.ts'

const life = [
  commit(65, 0, queued(65)),
  commit(65, 1, started, { type: 'PagesAdmitted', data: { pages: [] } }),
  commit(66, 1, queued(66, 8)),
  commit(65, 2, settled(page(1), page(2, { requestedUrl: 'https://example.com/old' }))),
  commit(66, 2, started, settled(page(501))),
  commit(65, 3, failed('x', 'y'), settled(page(3))),
  commit(66, 4, settled(page(502)), failed('z')),
  commit(65, 5, finished(3, 2)),
].map((entry, n) => delivered(entry, n + 1))

test('The projection of runs', async t => {
  const { db, apply, rows, reported } = await surroundings(t)

  t.test('keeps one row for each run and each of its pages', async t => {
    await apply(life)
    const { runs, pages } = await rows()
    t.strictSame(runs[0], {
      id: 65,
      project_id: 7,
      url: 'https://example.com/',
      status: 'done',
      page_count: 3,
      error_count: 2,
      enqueued_at: new Date(at(0)),
      started_at: new Date(at(1)),
      paused_at: null,
      finished_at: new Date(at(5)),
      error_message: null,
      error_reason: null,
      stop_reason: 'exhausted',
      discovered: 7,
      skipped: 1,
      duplicate: 1,
      not_reached: 0,
      pending: 0,
      webhook_status: null,
      webhook_attempts: 0,
      webhook_last_error: null,
      previous_run_id: null,
      forked_from: null,
      pages_reused: 0,
      was_reopened: false,
      wide_scope: null,
      proxy_url: null,
      comparison: null,
      min_changed_words: null,
      intent: null,
      judgement: null,
      trace_id: null,
      ai_bot_policy: null,
      llms_txt: null,
      llms_full_txt: null,
      diff: null,
    })
    t.match(runs[1], {
      id: 66,
      project_id: 8,
      status: 'running',
      page_count: 2,
      error_count: 1,
      finished_at: null,
    })
    t.strictSame(
      pages.map(({ id, run_id, project_id, requested_url }) => [id, run_id, project_id, requested_url]),
      [
        [1, 65, 7, null],
        [2, 65, 7, 'https://example.com/old'],
        [3, 65, 7, null],
        [501, 66, 8, null],
        [502, 66, 8, null],
      ],
    )
    t.match(pages[0], { url: 'https://example.com/1', status: 200, bytes: 1234, depth: 1, title: 'Page 1' })
  })

  t.test(
    'shows the proxy of a run without its password, its trace, and which pages were challenges',
    async t => {
      await clear(db)
      const proxy = { sealed: 'sealed1.x', shown: 'http://user:***@proxy.example:8080' }
      const begun = queued(70)
      if (begun.type === 'RunQueued') begun.data.settings = { ...begun.data.settings, proxy }
      const first = JSON.parse(commit(70, 0, begun).payload)
      const trace = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
      const { subject } = commit(70, 0)
      const payload = JSON.stringify({ ...first, trace })
      const pages = settled(page(1, { rendered: true }), page(2, { blocked: true }))
      await apply([
        delivered({ subject, payload }, 1),
        delivered(commit(70, 1, started), 2),
        delivered(commit(70, 2, pages), 3),
      ])
      const read = await rows()
      t.match(read.runs[0], { proxy_url: proxy.shown, trace_id: '0af7651916cd43dd8448eb211c80319c' })
      t.strictSame(
        read.pages.map(({ blocked }) => blocked),
        [false, true],
      )
      t.equal(read.runs[0]?.page_count, 2, 'a challenge is a page')
      const wanted = { projectId: 7, runId: 70, after: 0, limit: 10, select: {} }
      const listed = await listExportPages(ofProject(db.pool))(wanted)
      t.strictSame(
        listed.pages.map(({ blocked, rendered }) => [blocked, rendered]),
        [
          [undefined, true],
          [true, undefined],
        ],
        'also to exports',
      )
    },
  )

  t.test('shows the run that a fork continues, and counts the pages that it has taken', async t => {
    await clear(db)
    const begun = queued(71)
    if (begun.type === 'RunQueued') begun.data.settings = { ...begun.data.settings, fork: { runId: 65 } }
    const carried = { carried: { since: 65 } }
    await apply([
      delivered(commit(71, 0, begun), 1),
      delivered(commit(71, 1, started, settled(page(1, carried))), 2),
      delivered(commit(71, 2, settled(page(2), page(3, { ...carried, blocked: true }))), 3),
    ])
    const { runs, pages } = await rows()
    t.match(runs[0], { forked_from: 65, pages_reused: 2, page_count: 3 })
    t.strictSame(
      pages.map(({ carried }) => carried),
      [true, false, true],
    )
  })

  t.test('shows the host of a scope with subdomains, as the seed has moved it', async t => {
    await clear(db)
    const scoped = (type: string, host: string, subdomains = true) => ({
      type,
      data: { scope: { host, subdomains } },
    })
    const scope = async () => (await rows()).runs.map(({ wide_scope }) => wide_scope)
    await apply([
      delivered(commit(72, 0, queued(72), scoped('RunStarted', 'example.com')), 1),
      delivered(commit(73, 0, queued(73)), 2),
    ])
    t.strictSame(await scope(), ['example.com', null])
    await apply([
      delivered(commit(72, 1, scoped('ScopeMoved', 'example.org:81')), 3),
      delivered(commit(73, 1, scoped('RunStarted', 'example.com')), 4),
    ])
    await apply([delivered(commit(72, 2, settled(page(1))), 5)])
    t.strictSame(await scope(), ['example.org:81', 'example.com'])
    await apply([delivered(commit(72, 3, scoped('ScopeMoved', 'example.org', false)), 6)])
    t.strictSame(await scope(), [null, 'example.com'])
  })

  t.test('shows a pause until the run resumes or ends', async t => {
    await clear(db)
    const paused = { type: 'RunPaused', data: {} }
    const resumed = { type: 'RunResumed', data: {} }
    const shown = async () => (await rows()).runs.map(({ status, paused_at }) => [status, paused_at])
    await apply([
      delivered(commit(66, 0, queued(66)), 1),
      delivered(commit(66, 1, started, paused), 2),
      delivered(commit(67, 0, queued(67)), 3),
      delivered(commit(67, 1, started), 4),
    ])
    t.strictSame(await shown(), [
      ['running', new Date(at(1))],
      ['running', null],
    ])
    await apply([delivered(commit(66, 2, settled(page(1))), 5), delivered(commit(67, 3, paused), 6)])
    t.strictSame(await shown(), [
      ['running', new Date(at(1))],
      ['running', new Date(at(3))],
    ])
    await apply([delivered(commit(66, 4, resumed), 7), delivered(commit(67, 5, finished(0, 0)), 8)])
    t.strictSame(await shown(), [
      ['running', null],
      ['done', null],
    ])
  })

  t.test(
    'shows a reopened run as running, without its earlier end and the failures that are retried',
    async t => {
      await clear(db)
      const reopened = { type: 'RunReopened', data: { nth: 1, retried: 1 } }
      const shown = async () =>
        (await rows()).runs.map(({ status, error_count, finished_at, stop_reason, discovered }) => [
          ...[status, error_count, finished_at, stop_reason, discovered],
        ])
      await apply([
        delivered(commit(66, 0, queued(66)), 1),
        delivered(commit(66, 1, started, failed('x'), failed('y')), 2),
        delivered(commit(66, 2, finished(0, 2)), 3),
      ])
      const [[, , , stopReason, discovered] = []] = await shown()
      t.strictSame(await shown(), [['done', 2, new Date(at(2)), stopReason, discovered]])
      await apply([delivered(commit(66, 3, reopened), 4)])
      t.strictSame(await shown(), [['running', 1, null, null, null]])
      await apply([delivered(commit(66, 4, settled(page(1)), finished(1, 1)), 5)])
      t.match(await shown(), [['done', 1, new Date(at(4)), String, Number]])
      t.match((await rows()).runs, [{ was_reopened: true }], 'also after its next end')
      await apply([
        delivered(commit(66, 5, { ...reopened, data: { nth: 2, retried: 1 } }, finished(1, 0)), 6),
      ])
      t.match(await shown(), [['done', 0, new Date(at(5)), String, Number]], 'both in one batch')
    },
  )

  t.test('keeps by its reason what a run has no page of, a row a commit', async t => {
    await clear(db)
    const keyOf = (key: string) => ({ key: key.padEnd(11, '-') })
    const [x, y, z] = [keyOf('x'), keyOf('y'), keyOf('z')]
    const deferred = { type: 'PagesDeferred', data: { limit: 'depth', pages: [x, y].map(deep) } }
    await apply([
      delivered(commit(66, 0, queued(66, 8)), 1),
      delivered(commit(66, 1, started, failed('x'), deferred, failed('y'), { ...deferred, data: 1 }), 2),
      delivered(
        commit(66, 2, { type: 'PagesDuplicated', data: { pages: [{ ...z, of: 'other-key--' }] } }),
        3,
      ),
      delivered(commit(67, 2, failed('x')), 4),
    ])
    const { pageless } = await rows()
    const ofRun = { run_id: 66, project_id: 8, targets: null }
    t.strictSame(pageless, [
      { ...ofRun, sequence: 2, cause: 'depth', keys: [x.key, y.key] },
      { ...ofRun, sequence: 2, cause: 'dns', keys: [x.key, y.key] },
      { ...ofRun, sequence: 3, cause: 'redirected', keys: [z.key], targets: ['other-key--'] },
    ])
    t.equal(reported.splice(0).length, 1, 'and what is not what its schema says is passed over')
    function deep(one: { key: string }) {
      return { ...one, url: 'https://example.com/', depth: 9, from: null, hops: 0 }
    }
  })

  t.test('gives the same rows however the stream is cut into batches', async t => {
    await clear(db)
    await apply(life)
    const whole = await rows()
    const cuts = fc.array(fc.boolean(), { minLength: life.length, maxLength: life.length })
    await fc.assert(
      fc.asyncProperty(cuts, async cuts => {
        await clear(db)
        for (const batch of cut(life, cuts)) await apply(batch)
        t.strictSame(await rows(), whole)
      }),
      { numRuns: 20 },
    )
  })

  t.test('makes no row, and no page, for a run whose first event it never saw', async t => {
    await clear(db)
    await apply([delivered(commit(70, 1, started, settled(page(1)), finished(1, 0)), 1)])
    t.strictSame(await rows(), { runs: [], pages: [], pageless: [] })
  })

  t.test('reads a fact that was written before other fields were added to it', async t => {
    await clear(db)
    await apply([
      delivered(commit(72, 0, { type: 'RunQueued', data: { projectId: 7, url: 'https://old.example/' } }), 1),
    ])
    t.match((await rows()).runs, [{ id: 72, status: 'queued', url: 'https://old.example/' }])
  })

  t.test('shows what became of a webhook, from its facet, and only where there is a run', async t => {
    await clear(db)
    const decided = { type: 'DeliveryDecided', data: { runId: 73 } }
    const attempt = (attempt: number, error: string | null) => ({
      type: 'DeliveryAttempted',
      data: { attempt, error },
    })
    const ended = { type: 'DeliveryEnded', data: { state: 'delivered', attempts: 2, error: null } }
    const webhook = async () => {
      const { rows } = await db.pool.query(
        'select id, webhook_status, webhook_attempts, webhook_last_error from read.run',
      )
      return rows.map(Object.values)
    }
    await apply([
      delivered(commit(73, 0, queued(73)), 1),
      delivered(ofWebhook(73, decided), 2),
      delivered(ofWebhook(74, decided, attempt(1, 'HTTP 500')), 3),
    ])
    t.strictSame(await webhook(), [[73, 'pending', 0, null]])
    await apply([delivered(ofWebhook(73, attempt(1, 'HTTP 503')), 4)])
    t.strictSame(await webhook(), [[73, 'pending', 1, 'HTTP 503']])
    await apply([delivered(ofWebhook(73, attempt(2, null), ended), 5)])
    t.strictSame(await webhook(), [[73, 'delivered', 2, null]])
    const again = { type: 'RedeliveryOrdered', data: { webhookId: 'msg_run73_crawl_done', round: 2 } }
    await apply([delivered(ofWebhook(73, again), 6)])
    t.strictSame(await webhook(), [[73, 'pending', 0, null]])
    await apply([delivered(ofWebhook(73, attempt(1, 'HTTP 500'), ended), 7)])
    t.strictSame(await webhook(), [[73, 'delivered', 2, null]])
    t.match((await rows()).runs, [{ status: 'queued', page_count: 0 }], 'and changes nothing else')
  })

  t.test('shows how a run differs from another one, and whether that matches an intent', async t => {
    const about = { runId: 66, projectId: 8, previousRunId: 65 }
    const counts = { added: 1, removed: 0, changed: 2, unchanged: 3, notRevisited: 0, notCompared: 0 }
    const compared = { type: 'RunCompared', data: { ...about, counts } }
    const judgement = { matched: true, reason: 'A price has changed.', quotes: [] }
    const judged = { type: 'IntentJudged', data: { ...about, ...judgement, use: null } }
    const of = (...events: object[]) => ofFacet('diff', 66, ...events)
    for (const batches of [[[of(compared), of(judged)]], [[of(compared)], [of(judged)]]]) {
      await clear(db)
      await apply([delivered(commit(66, 0, queued(66, 8)), 1)])
      for (const batch of batches) await apply(batch.map((message, n) => delivered(message, 2 + n)))
      t.match((await rows()).runs, [{ diff: counts, judgement }], `in ${batches.length} batches`)
    }
  })

  t.test('shows what the site says, from its facet, and only where there is a run', async t => {
    await clear(db)
    const read = {
      type: 'SitePolicyRead',
      data: { aiBotPolicy: { GPTBot: 'partial' }, llmsTxt: '# A\0B', llmsFullTxt: null },
    }
    await apply([
      delivered(commit(75, 0, queued(75)), 1),
      delivered(ofFacet('site', 75, read), 2),
      delivered(ofFacet('site', 76, read), 3),
    ])
    const { runs } = await rows()
    t.match(runs, [
      {
        id: 75,
        status: 'queued',
        ai_bot_policy: { GPTBot: 'partial' },
        llms_txt: '# AB',
        llms_full_txt: null,
      },
    ])
    t.equal(runs.length, 1)
  })

  t.test('is stopped by nothing that stands in the stream', async t => {
    await clear(db)
    const nul = page(1, { title: 'a\0b', contentType: 'text/html\0' })
    const surrogate = page(2, { title: '\ud800 alone' })
    await apply([
      delivered(commit(71, 0, queued(71)), 1),
      delivered(
        commit(71, 1, { type: 'RunWasPainted', data: { colour: 'red' } }, settled(nul, surrogate)),
        4,
      ),
      delivered(commit(71, 2, { type: 'PagesSettled', data: { pages: [{ id: 'three' }] } }), 5),
    ])
    const { runs, pages } = await rows()
    t.match(runs, [{ page_count: 2 }])
    t.strictSame(
      pages.map(({ title }) => title),
      ['ab', '\ufffd alone'],
    )
    t.strictSame(
      reported.map(error => (error as Error).message),
      [`PagesSettled in message 5 on ${subjects.run(71)} is not what its schema says`],
    )
    for (const payload of ['no JSON {', '{"events":1}']) {
      const nothing = delivered({ subject: subjects.run(71), payload }, 6)
      await t.rejects(apply([nothing]), { name: 'Unreadable' }, 'so it is dead-lettered')
    }
  })
})

test('The projection of accounts', async t => {
  const { db } = await surroundings(t)
  const apply = accountsProjection(error => t.fail(String(error)))

  t.test('keeps projects and their keys, and bears a second delivery', async t => {
    const project = {
      type: 'ProjectCreated',
      data: { projectId: 7, name: 'acme', tier: 'pro', unlimited: true },
    }
    const key = {
      type: 'KeyCreated',
      data: {
        projectId: 7,
        prefix: 'tmk_12345678',
        hash: 'c'.repeat(64),
        label: 'first',
        createdAt: at(0),
        expiresAt: null,
      },
    }
    const payload = JSON.stringify({ at: at(0), events: [project, key] })
    const messages = [
      delivered({ subject: 'accounts.7', payload }, 1),
      delivered({ subject: 'accounts.7', payload }, 2),
    ]
    await db.transaction(client => apply(client, messages))
    const { rows } = await db.pool.query('select * from read.key join read.project on id = project_id')
    t.match(rows, [
      { prefix: 'tmk_12345678', hash: 'c'.repeat(64), tier: 'pro', unlimited: true, revoked_at: null },
    ])
    t.equal(rows.length, 1)
  })

  t.test('keeps the last terms of a project and a key', async t => {
    const payload = (...events: [type: string, data: object][]) =>
      JSON.stringify({
        at: at(0),
        events: events.map(([type, data]) => ({ type, data: { projectId: 7, ...data } })),
      })
    const prefix = 'tmk_12345678'
    const changes = [
      payload(
        ['ProjectTierSet', { tier: 'free', unlimited: false }],
        ['ProjectCapsSet', { caps: { pagesPerDay: 9 } }],
      ),
      payload(
        ['ProjectCapsSet', { caps: { pagesPerDay: 5 } }],
        ['ProjectCloudModeSet', { cloudMode: 'none' }],
        ['ProjectSharesEnded', { runId: 42, by: prefix, at: at(0), ended: { 41: at(0), 42: at(0) } }],
        ['CrawlSharesEnded', { runId: 43, by: prefix, at: at(1), everyRun: at(0), forgotten: ['41'] }],
      ),
      payload(['KeyCapsSet', { prefix, caps: { pagesPerMonth: null } }]),
    ].map((payload, n) => delivered({ subject: 'accounts.7', payload }, n + 3))
    await db.transaction(client => apply(client, changes))
    const { rows } = await db.pool.query(
      `select tier, unlimited, project.caps, cloud_mode, shares_ended, key.caps as key_caps
       from read.key join read.project on id = project_id`,
    )
    t.strictSame(rows, [
      {
        tier: 'free',
        unlimited: false,
        caps: { pagesPerDay: 5 },
        cloud_mode: 'none',
        shares_ended: { 0: at(0), 42: at(0), 43: at(1) },
        key_caps: { pagesPerMonth: null },
      },
    ])
  })
})

async function surroundings(t: Test) {
  const fresh = await migratedDatabase(database)
  const db = await openDatabase(fresh.url, database, { poolSize: 2, name: 'test' })
  t.teardown(async () => {
    await db.close()
    await fresh.drop()
  })
  const reported: unknown[] = []
  const projection = runsProjection(error => reported.push(error))
  const apply = (messages: StreamMessage[]) => db.transaction(client => projection(client, messages))
  const rows = async () => ({
    runs: (await db.pool.query('select * from read.run order by id')).rows,
    pages: (await db.pool.query('select * from read.page order by id')).rows,
    pageless: (await db.pool.query('select * from read.pageless order by run_id, sequence, cause')).rows,
  })
  return { db, apply, rows, reported }
}

const ofFacet = (facet: Facet, runId: number, ...events: object[]) => ({
  ...commit(runId, 9, ...events),
  subject: subjects.run(runId, facet),
})

const ofWebhook = (runId: number, ...events: object[]) => ofFacet('webhook', runId, ...events)

const clear = ({ pool }: Database) => pool.query('truncate read.run, read.page, read.pageless')

/** The same items in batches, a new one wherever it is cut. */
function cut<Item>(items: Item[], cuts: boolean[]): Item[][] {
  const batches: Item[][] = [[]]
  items.forEach((item, n) => {
    if (cuts[n]) batches.push([])
    batches.at(-1)?.push(item)
  })
  return batches.filter(batch => batch.length > 0)
}
