import { hash } from 'node:crypto'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { StreamMessage } from '@tidemark/bus/read'
import { type ArchivedCommit, openArchives } from '@tidemark/content/archive'
import type { RunEvent } from '@tidemark/contracts/run'
import type { ServedCommit } from '@tidemark/contracts/served'
import { streams, subjects } from '@tidemark/contracts/subjects'
import type { UsageCommit } from '@tidemark/contracts/usage'
import { lockOfSweeps } from '@tidemark/crawl-coordinator/policies/clean-up-ended-runs'
import { usedHeap } from '@tidemark/testing/heap-growth'
import { startOrigin } from '@tidemark/testing/origin'
import { freshDatabase } from '@tidemark/testing/servers'
import { patient } from '@tidemark/testing/slowness'
import { until } from '@tidemark/testing/until'
import { test } from 'tap'
import { type System, startSystem } from '../../test/e2e/system.ts'
import { command } from '../local/command.ts'
import { run as acceptLoss } from './accept-loss.ts'
import { billedTotals, type CountFresh } from './billed-totals.ts'
import { checkDeliveries } from './checks/deliveries.ts'
import { checkRequests } from './checks/ledger.ts'
import { checksumsOf } from './checksums.ts'
import { type OpenInstance, openInstance, openPool } from './open-instance.ts'
import { run as rebuildProjections } from './rebuild/rebuild-projections.ts'
import { outlivingTables } from './rebuild/rebuildable.ts'
import { lastSequence, replay } from './rebuild/replay.ts'
import { seenTokens } from './seen-tokens.ts'
import { servedRequests } from './served-requests.ts'
import { type Check, type Verification, run as verification } from './verify.ts'

const siteSize = 60
const tokens = Number(process.env.TOKENS ?? 100_000)
/** Bytes. A set of the tokens takes more than 50 for each. */
const maxGrownPerToken = 20
const admin = path.join(import.meta.dirname, '../local/admin.ts')
/** Shorter than the exchange of tables at the end of a rebuild. */
const betweenReadsMs = 10
const settings = { max_pages: 200, respect_robots: false }

/** A front page, and pages that each lead to the next. */
const site = Object.fromEntries([
  ['/', page(1)],
  ...Array.from({ length: siteSize - 1 }, (_, n) => [`/${n + 1}`, page(n + 2)]),
])

function page(next: number): string {
  return `<title>Page before ${next}</title><p>${next}</p>${next < siteSize ? `<a href="/${next}">next</a>` : ''}`
}

test('A running system and its invariants', { timeout: patient(300_000) }, async t => {
  const system = await startSystem({ LOG_LEVEL: 'fatal' })
  t.teardown(() => system.stop())
  const origin = await startOrigin({ pages: site })
  t.teardown(() => origin.close())
  const instance = await openInstance(system.dir)
  t.teardown(() => instance[Symbol.asyncDispose]())
  const key = await system.createProject('verified', '--unlimited')
  const crawl = (more: object) => system.call(key, 'POST', '/v1/crawls', { ...settings, ...more })
  const run = await system.crawl(key, { url: `${origin.url}/`, ...settings, depth: 50, delay_ms: 0 })

  await t.test('it is clean when it is healthy, with one run that was deleted', async t => {
    const gone = await system.crawl(key, { url: `${origin.url}/40`, ...settings, depth: 50, delay_ms: 0 })
    t.equal((await system.call(key, 'DELETE', `/v1/crawls/${gone.id}`)).status, 204)
    const { seq } = await serve(instance, 'shortened', 'one')
    await serveTwice(instance)
    const { ok, checks, lines } = await verify(system)
    t.ok(ok, lines)
    await instance.bus.jsm.streams.purge(streams.served, { seq: seq + 1 })
    const shortened = await verify(system)
    t.ok(shortened.ok, shortened.lines)
    t.match(find({ checks }, 'pages'), { ok: true, looked: /pages of 2 runs/ })
  })

  await t.test(
    'it is verified and rebuilt while it crawls, and readers see every row throughout',
    async t => {
      const { body } = await crawl({ url: `${origin.url}/?slow`, depth: 50, delay_ms: 50 })
      const reading = readOn(system, key, run.id)
      try {
        const during = await verify(system)
        t.ok(during.ok, during.lines)
        const { rebuilt, seconds } = await rebuild(system)
        t.strictSame(rebuilt, ['runs', 'accounts'])
        t.type(seconds, 'number')
        t.strictSame((await rebuild(system, '--name', 'ledger')).rebuilt, ['ledger'])
      } finally {
        t.strictSame(await reading.stop(), [], 'every answer had all pages')
      }
      const ended = await system.untilEnded(key, body.id)
      t.match(ended, { status: 'done', page_count: ended.page_count })
      const after = await verify(system)
      t.ok(after.ok, after.lines)
    },
  )

  await t.test('it is verified while no events move to the archive', async t => {
    const client = await instance.pool.connect()
    await client.query('select pg_advisory_lock($1)', [lockOfSweeps])
    const verifying = verify(system)
    const waiting = `select from pg_locks where locktype = 'advisory' and objid = $1 and not granted`
    const isWaiting = async () => (await instance.pool.query(waiting, [lockOfSweeps])).rowCount === 1
    const first = await Promise.race([until(isWaiting).then(() => 'it waits'), verifying])
    await client.query('select pg_advisory_unlock($1)', [lockOfSweeps])
    client.release()
    t.equal(first, 'it waits')
    const { ok, lines } = await verifying
    t.ok(ok, lines)
  })

  await t.test('it has the same rows before and after a rebuild', async t => {
    const before = await allChecksums(instance)
    t.strictSame((await rebuild(system)).rebuilt, ['runs', 'accounts'])
    await rebuild(system, '--name', 'ledger')
    t.strictSame(await allChecksums(instance), before)
  })

  await t.test('it has the same rows when a run is no longer in its stream but in the archive', async t => {
    const before = await allChecksums(instance)
    await archive(instance, run.id)
    await rebuild(system)
    t.strictSame(await allChecksums(instance), before)
    const after = await verify(system)
    t.ok(after.ok, after.lines)
  })

  await t.test('it reports every violated invariant, and a rebuild repairs the projections', async t => {
    const mend = await plantFaults(instance, run.id)
    const { code, json, lines } = await tell(system, 'verify')
    t.equal(code, 1)
    t.equal(json.ok, false)
    for (const [name, details] of Object.entries(expected(run.id, run.page_count))) {
      const check = find(json, name)
      t.equal(check?.ok, false, name)
      for (const detail of details) t.match(check?.details.join('\n'), detail, `${name}: ${detail}`)
    }
    t.match(lines, /not ok {2}slots\n {10}run 900001 is unknown and holds a slot/)

    await mend()
    for (const stream of [streams.runs, streams.usage])
      await acceptLoss(['--stream', stream], system.dir, () => {})
    await rebuild(system)
    await t.rejects(rebuild(system, '--name', 'ledger'), {
      message: /USAGE lacks the messages of \d+ units.+--yes/,
    })
    await rebuild(system, '--name', 'ledger', '--yes')
    const mended = await verify(system)
    t.ok(mended.ok, mended.lines)
  })

  await t.test('it checks the deliveries of a backup of an earlier version', async t => {
    const client = await instance.pool.connect()
    await client.query('begin')
    await client.query('drop table webhook.notice, webhook.page_batching')
    await client.query('alter table webhook.run drop column notices')
    const { looked, wrong } = await checkDeliveries(client, new Map(), 0)
    await client.query('rollback')
    client.release()
    t.match({ looked, wrong }, { looked: /decision/, wrong: { length: 0 } })
  })

  await t.test('it is called with an unknown projection', async t => {
    await t.rejects(rebuild(system, '--name', 'x'), {
      exitCode: 2,
      message: /there are runs, accounts, ledger/,
    })
  })
})

/** Stores an answered request a second time, under another name. */
async function serveTwice(instance: OpenInstance): Promise<void> {
  for (const name of ['one', 'two']) await serve(instance, 'served', name)
}

/** Under this name, which no two messages have. */
async function serve({ bus }: OpenInstance, requestId: string, name: string): Promise<{ seq: number }> {
  const units = [
    { kind: 'page', n: 2, what: 'https://example.com/' },
    { kind: 'cloud_page', n: 1, what: 'https://example.com/' },
  ] as const
  const waived = [{ kind: 'page' as const, what: 'https://down.example/', reason: 'failed' as const }]
  const named = { projectId: 900_000, requestId, operation: 'scan' }
  const call = { model: 'small', inputTokens: 90, outputTokens: 9, what: 'https://example.com/' }
  const commit: ServedCommit = {
    at: new Date().toISOString(),
    events: [
      { type: 'RequestServed', data: { ...named, units: [...units], costUsd: 0.0015, waived } },
      { type: 'ModelCalled', data: { ...named, ...call } },
    ],
  }
  return bus.js.publish(subjects.served(900_000), JSON.stringify(commit), { msgID: `${requestId} ${name}` })
}

/** All facets of the run are archived, and all but the last commit of its crawl leave the stream. */
async function archive({ bus, pool }: OpenInstance, runId: number): Promise<void> {
  const commits: ArchivedCommit[] = []
  for (const facet of ['crawl', 'site'] as const) {
    const filter = subjects.run(runId, facet)
    const to = await lastSequence(bus, streams.runs, filter)
    await replay(bus, { stream: streams.runs, filter, to }, async messages => {
      for (const { sequence, data } of messages) commits.push({ facet, sequence, data: Buffer.from(data) })
    })
  }
  commits.sort((one, other) => one.sequence - other.sequence)
  await openArchives(pool).store(runId, commits)
  const fence = commits.findLast(({ facet }) => facet === 'crawl')?.sequence ?? 0
  const left = { filter: subjects.run(runId), seq: fence }
  const gone = [
    await bus.jsm.streams.purge(streams.runs, left),
    await bus.jsm.streams.purge(streams.runs, { filter: subjects.run(runId, 'site') }),
  ].reduce((sum, { purged }) => sum + purged, 0)
  if (gone !== commits.length - 1) throw new Error(`${gone} of ${commits.length} commits were purged`)
}

const expected = (runId: number, pages: number): Record<string, RegExp[]> => ({
  coverage: [
    /run 900000: it has ended with 1 pending/,
    /run 900000: discovered 5, but all outcomes together are 2/,
    /run 900000: its end event has fetched 1, its events 0/,
  ],
  pages: [
    new RegExp(`run ${runId}: page_count ${pages}, but ${pages + 1} rows`),
    new RegExp(`run ${runId}: ${pages + 1} rows, but ${pages} pages were settled`),
  ],
  ledger: [
    /USAGE has (\d+) and 0 of the cloud, the rows (\d+) and 0 of the cloud, the counter 7/,
    /1 2026-01-02: USAGE has 0 and 0 of the cloud that cost nothing, the rows 1 and 0 of the cloud/,
    /request unserved: 1 and 0 of the cloud billed, but it was not served/,
    /request served: 2 and 1 of the cloud with 1 .+ to be billed, but 3 and 1 of the cloud with 1 .+ billed/,
    /900000 .+: USAGE has 4 and 2 of the cloud with 2 model calls and 0\.003 USD, .+ the counter 7 and 2 of the cloud$/m,
  ],
  deliveries: [new RegExp(`run ${runId}: 1 delivery decision, but it has no webhook`)],
  'read model': [/read\.page is not what its streams make of it/],
  checkpoints: [/read\.accounts has read ACCOUNTS up to 1000000, but it ends at \d+/],
  slots: [/run 900001 is unknown and holds a slot/],
  bodies: [
    new RegExp(`body ${'0'.repeat(64)} belongs to no page`),
    /its body is missing/,
    /run 900002: 1 stored page, but it has no event/,
  ],
})

/** Plants one violation of each invariant. Returns a function that removes those that no rebuild can repair. */
async function plantFaults({ bus, pool }: OpenInstance, runId: number): Promise<() => Promise<void>> {
  await pool.query(
    `insert into read.page select (jsonb_populate_record(page, '{"id": 9000000, "url_key": "not-settled"}')).*
     from read.page where run_id = $1 order by id limit 1`,
    [runId],
  )
  await pool.query(`delete from ledger.unit where token = (select max(token) from ledger.unit)`)
  await pool.query(`update ledger.counter set pages = 7, model_calls = 0, cloud_cost_usd = 0`)
  await pool.query(
    `insert into ledger.unit (token, project_id, kind, day, sequence, run_id, units, reason)
     values ('waived:made up', 1, 'page', '2026-01-02', 1, 1, 0, 'blocked')`,
  )
  await pool.query(`update read.checkpoint set sequence = 1000000 where projection = 'accounts'`)
  await pool.query(
    `insert into coordinator.admission (run_id, project_id, enqueued_at) overriding system value
     values (900001, 900001, now())`,
  )
  await pool.query(
    `insert into webhook.delivery (run_id, project_id, url, host, event, webhook_id, state)
     values ($1, 1, '', '', 'crawl.done', 'made up', 'lost')`,
    [runId],
  )
  await pool.query(`insert into content.body (hash, encodings, size, data) values ($1, '', 0, '')`, [
    Buffer.alloc(32),
  ])
  await pool.query(
    `insert into content.page select (jsonb_populate_record(page, '{"run_id": 900002}')).*
     from content.page where run_id = $1 order by url_key limit 1`,
    [runId],
  )
  const { rows } = await pool.query(
    `select url_key, body_hash from content.page where run_id = $1 order by 1 limit 1`,
    [runId],
  )
  const replaceBody = (bytes: Buffer) =>
    pool.query(`update content.page set body_hash = $3 where run_id = $1 and url_key = $2`, [
      runId,
      rows[0].url_key,
      bytes,
    ])
  await replaceBody(hash('sha256', 'nowhere', 'buffer'))
  const subject = subjects.run(900_000)
  await bus.js.publish(subject, JSON.stringify({ at: new Date().toISOString(), events: unbalanced }))
  const bills = subjects.usage(900_001)
  await bus.js.publish(bills, JSON.stringify(overcharged))
  return async () => {
    await bus.jsm.streams.purge(streams.runs, { filter: subject })
    await bus.jsm.streams.purge(streams.usage, { filter: bills })
    await pool.query(`delete from coordinator.admission where run_id = 900001`)
    await pool.query(`delete from content.page where run_id = 900002`)
    await pool.query(`delete from webhook.delivery where state = 'lost'`)
    await replaceBody(rows[0].body_hash)
    await pool.query(`delete from content.body where hash = $1`, [Buffer.alloc(32)])
  }
}

/** Units for an unknown request, and for more units than a request used. */
const overcharged: UsageCommit = {
  at: '2026-11-21T16:30:00.000Z',
  events: ['unserved', 'served'].map(requestId => ({
    type: 'ServedUnitsSpent',
    data: {
      projectId: 900_001,
      requestId,
      operation: 'scan',
      kind: 'page',
      day: '2026-11-21',
      units: [{ token: `served:${requestId}:9`, what: 'https://example.com/' }],
    },
  })),
}

/** A run whose end does not add up. */
const unbalanced: RunEvent[] = [
  {
    type: 'RunQueued',
    data: {
      runId: 900_000,
      projectId: 900_000,
      tier: 'pro',
      url: 'http://127.1.0.1/',
      settings: {
        maxPages: 1,
        depth: 1,
        concurrency: null,
        delayMs: 0,
        subdomains: false,
        respectRobots: false,
        storeHtml: false,
      },
    },
  },
  { type: 'RunStarted', data: { scope: { host: '127.1.0.1', subdomains: false } } },
  {
    type: 'RunFinished',
    data: {
      status: 'done',
      stopReason: 'exhausted',
      errorMessage: null,
      totals: {
        discovered: 5,
        fetched: 1,
        failed: 0,
        skipped: 0,
        duplicate: 0,
        notReached: 0,
        pending: 1,
      },
    },
  },
]

async function allChecksums({ pool }: OpenInstance) {
  const read = await checksumsOf(pool, 'read', { leaving: 'deleted_run', without: outlivingTables })
  const ledger = await checksumsOf(pool, 'ledger')
  return [...read, ...ledger]
}

/** Runs the command within this process. */
async function verify({ dir }: System) {
  const lines: string[] = []
  const { ok, checks } = await verification([], dir, line => lines.push(line))
  return { ok, checks, lines: lines.join('\n') }
}

const rebuild = ({ dir }: System, ...args: string[]) => rebuildProjections(args, dir, () => {})

async function tell(system: System, ...args: string[]) {
  const env = { ...process.env, TIDEMARK_DIR: system.dir }
  const { code, output } = await command(process.execPath, [admin, ...args], { env })
  const all = output.split('\n')
  const json = all.find(line => line.startsWith('{'))
  return { code, json: json ? JSON.parse(json) : null, lines: all.filter(line => line !== json).join('\n') }
}

const find = ({ checks }: Pick<Verification, 'checks'>, name: string): Check | undefined =>
  checks.find(check => check.name === name)

/** Reads an ended run repeatedly, and returns all differences. */
function readOn(system: System, key: string, runId: number) {
  const odd: unknown[] = []
  let isOver = false
  const reading = (async () => {
    const whole = await system.call(key, 'GET', `/v1/crawls/${runId}/pages?limit=100`)
    while (!isOver) {
      const { status, body } = await system.call(key, 'GET', `/v1/crawls/${runId}/pages?limit=100`)
      if (JSON.stringify(body) !== JSON.stringify(whole.body)) odd.push({ status, body })
      await sleep(betweenReadsMs)
    }
  })()
  return {
    stop: async () => {
      isOver = true
      await reading
      return odd
    },
  }
}

/** As Postgres does it. */
function countedHere(): CountFresh {
  const met = new Set<string>()
  const isFresh = (token: string) => !met.has(token) && met.add(token)
  return async lists => lists.map(list => list.filter(isFresh).length)
}

test('A request that is billed part by part is judged part by part', async t => {
  const message = (sequence: number, events: object[], name = '') =>
    ({
      ...{ sequence, subject: 'served.1', headers: new Map([['Nats-Msg-Id', name]]) },
      data: Buffer.from(JSON.stringify({ at: '2026-01-02T03:04:05.678Z', events })),
    }) as unknown as StreamMessage
  const common = { projectId: 1, requestId: 'long', operation: 'sitemap_audit' }
  const [whole, rest] = [500, 20]
  const served = servedRequests(9)
  const spent = billedTotals(countedHere())
  for (const [part, n] of [whole, rest].entries()) {
    const ofPart = { ...common, ...(part > 0 && { part: part + 1 }) }
    const units = [{ kind: 'page', n, what: 'https://example.com/' }]
    served.take([message(part + 1, [{ type: 'RequestServed', data: { ...ofPart, units, costUsd: 0 } }])])
    const tokens = Array.from({ length: n }, (_, at) => ({ token: `served:long/${part}:${at}`, what: '' }))
    const data = { ...ofPart, kind: 'page', day: '2026-01-02', units: tokens }
    await spent.take([message(part + 1, [{ type: 'ServedUnitsSpent', data }], `served-${part + 1}-0`)])
  }
  t.strictSame(checkRequests(served.requests, spent, 1), [])
  const [first] = checkRequests(served.requests, billedTotals(countedHere()), 1)
  t.match(first, 'request long: 500 and 0 of the cloud to be billed')
})

test('Tokens are counted alike in Postgres and here, and need no memory there', async t => {
  const database = await freshDatabase()
  const opened = await openPool(database.url)
  t.teardown(async () => {
    await opened.close()
    await database.drop()
  })
  await using seen = await seenTokens(opened)
  const ways = [countedHere(), seen.countFresh] as const
  const calls = [[['a', 'b', 'a'], ['b', 'c'], []], [[]], [['c', 'd'], ['a'], ['e']]]
  for (const lists of calls) {
    const [here, there] = await Promise.all(ways.map(way => way(lists)))
    t.strictSame(there, here)
  }
  const before = usedHeap()
  let fresh = 0
  for (let at = 0; at < tokens; at += 10_000) {
    const list = Array.from({ length: 10_000 }, (_, n) => `run:${Math.floor((at + n) / 2)}`)
    fresh += (await ways[1]([list]))[0] ?? 0
  }
  t.equal(fresh, tokens / 2)
  const grown = (usedHeap() - before) / fresh
  t.ok(grown < maxGrownPerToken, `${tokens} tokens: ${grown.toFixed(1)} bytes for each`)
})
