import { createHash, randomUUID } from 'node:crypto'
import { createFairLine } from '@tidemark/bus/fair-line'
import { countReady, findBatch, listBatches, readResults } from '@tidemark/content/batches'
import { encodeEdges } from '@tidemark/content/edges'
import type { DatabaseDescription } from '@tidemark/db/database'
import { migrate } from '@tidemark/db/migrate'
import { type OfProject, ofProject } from '@tidemark/db/of-project'
import { columnTypes } from '@tidemark/db/types'
import { openLogReads } from '@tidemark/gateway/account/adapters/account-reads'
import { openGraphPages } from '@tidemark/gateway/actors/link-graph/adapters/graph-pages'
import { describedPagesOf } from '@tidemark/gateway/crawls/adapters/described-pages'
import { lastRunOf } from '@tidemark/gateway/crawls/adapters/last-run'
import { openRunReads } from '@tidemark/gateway/crawls/adapters/run-reads'
import { openDiffReads } from '@tidemark/gateway/diffs/adapters/diff-reads'
import { openFewWords } from '@tidemark/gateway/diffs/adapters/few-words'
import { openRunRules } from '@tidemark/gateway/diffs/adapters/run-rules'
import { openHostTimes } from '@tidemark/gateway/evidence/adapters/host-times'
import { openLeafReads } from '@tidemark/gateway/evidence/adapters/leaf-reads'
import { openLinkReads } from '@tidemark/gateway/links/adapters/link-reads'
import { openOrphanReads } from '@tidemark/gateway/links/adapters/orphan-reads'
import { recentPageOf } from '@tidemark/gateway/live-pages/adapters/recent-pages'
import { openPageReads } from '@tidemark/gateway/pages/adapters/page-reads'
import { openReplayReads } from '@tidemark/gateway/pages/adapters/replay-reads'
import { crawledPages } from '@tidemark/gateway/read-model/adapters/crawled-pages'
import { openInlinkReads } from '@tidemark/gateway/read-model/adapters/inlink-reads'
import { hasPageBy } from '@tidemark/gateway/read-model/adapters/runs-as-of'
import { migratedDatabase } from '@tidemark/testing/databases'
import { freshDatabase } from '@tidemark/testing/servers'
import { urlKey } from '@tidemark/url/key'
import pg from 'pg'
import { test } from 'tap'
import { declareRoles } from './declare.ts'
import { grants, ownersTable, roleOf, schemas, withRoles } from './grants.ts'
import type { Roles } from './roles.ts'

const owners = [
  'auth-billing',
  'crawl-coordinator',
  'extractor',
  'gateway',
  'scheduler',
  'usage-ledger',
  'webhook',
]
const passwordOf = (role: string) => createHash('sha256').update(role).digest('hex')

/** Returns the roles with the names that the launcher uses. */
const rolesWith = (passwordOf: (role: string) => string | null): Roles =>
  new Map(
    withRoles.map(service => [service, { name: roleOf(service), password: passwordOf(roleOf(service)) }]),
  )

test('The roles of the services', async t => {
  const databases: DatabaseDescription[] = await Promise.all(
    owners.map(async service => (await import(`@tidemark/${service}/database`)).database),
  )
  const fresh = await migratedDatabase(...databases)
  const pools: pg.Pool[] = []
  t.teardown(async () => {
    await Promise.all(pools.map(pool => pool.end()))
    await fresh.drop()
  })
  const poolAs = (user?: string) => {
    const url = new URL(fresh.url)
    if (user) Object.assign(url, { username: user, password: passwordOf(user) })
    const pool = new pg.Pool({ connectionString: url.href, max: 2, types: columnTypes() })
    pool.on('error', () => {}) // a connection that is still closing when the database is dropped
    pools.push(pool)
    return pool
  }
  const owner = poolAs()

  await t.test('are made as often as one likes, by several at once', async t => {
    const roles = rolesWith(passwordOf)
    await Promise.all([1, 2, 3].map(() => declareRoles(fresh.url, roles)))
    await declareRoles(fresh.url, roles)
    const { rows } = await owner.query(
      `select rolname as role, rolcanlogin as login,
         rolsuper or rolcreaterole or rolcreatedb or rolbypassrls or rolreplication as more
       from pg_roles where rolname = any($1)`,
      [withRoles.map(roleOf)],
    )
    t.equal(rows.length, withRoles.length)
    t.ok(rows.every(({ login, more }) => login && !more))
  })

  await t.test('reach what is theirs and nothing else', async t => {
    const { rows: tables } = await owner.query<{ schema: string; name: string }>(
      `select table_schema as schema, table_name as name from information_schema.tables
       where table_schema = any($1) and table_type = 'BASE TABLE' order by 1, 2`,
      [schemas],
    )
    t.ok(tables.length > 20, `${tables.length} tables`)
    const makings = [...schemas, 'public'].map(schema => `create table ${schema}.mine ()`)
    for (const service of withRoles) {
      const codes = await codesOf(poolAs(roleOf(service)), [
        ...tables.flatMap(({ schema, name }) => attempts(`${schema}.${name}`)),
        ...makings,
      ])
      t.ok(
        codes.splice(-makings.length).every(code => code === '42501'),
        `${service} makes no table`,
      )
      for (const { schema, name } of tables) {
        const here = grants[service].filter(grant => grant.schema === schema)
        const ofTable = here.find(({ tables }) => tables?.includes(name) ?? true)?.may
        const may = name === ownersTable ? here[0] && 'read' : ofTable
        const refused = codes.splice(0, attempts('').length).map(code => code === '42501')
        const expected = [may === undefined, may !== 'write', true, true, true]
        t.strictSame(refused, expected, `${service} at ${schema}.${name}`)
      }
    }
  })

  await t.test('cover a table that comes later, and lose what they were given beside', async t => {
    await owner.query('create table webhook.later ()')
    await owner.query('grant all on all tables in schema account to tidemark_webhook')
    await owner.query('grant usage on schema account to tidemark_webhook')
    const pool = poolAs('tidemark_webhook')
    t.equal(await codeOf(pool, 'select from webhook.later'), '42501')
    t.equal(await codeOf(pool, 'select from account.key'), null)
    await declareRoles(
      fresh.url,
      rolesWith(() => null),
    )
    t.equal(await codeOf(pool, 'select from webhook.later'), null)
    t.equal(await codeOf(pool, 'select from account.key'), '42501')
  })

  await t.test('show the gateway no row of another project, for any query', async t => {
    await twoRuns(owner)
    const asGateway = ofProject(poolAs('tidemark_gateway'))
    const everything = async (reads: OfProject): Promise<unknown[]> => {
      const pages = openPageReads(reads)
      const links = { reads, line: createFairLine() }
      const diffs = openDiffReads(reads)
      const describePages = describedPagesOf(reads, { robotsToken: 'tidemark', now: Date.now })
      const run = { projectId: 7, runId: 70 }
      const window = { limit: 10, offset: 0 }
      return [
        await openRunReads(reads).find(7, 70),
        (await openRunReads(reads).has(7, 70)) || null,
        await openRunReads(reads).list(7, { ...window, status: undefined }),
        await pages.find(7, 700),
        await pages.list(7, 70, window),
        await pages.nextOffset(7, 70, { limit: 1, offset: 0 }),
        await pages.list(7, 70, { ...window, upTo: 10_000 }),
        await pages.nextOffset(7, 70, { limit: 1, offset: 0, upTo: 10_000 }),
        (await hasPageBy(reads)(run, 700)) || null,
        await Array.fromAsync(crawledPages(reads, run, 10)),
        await Array.fromAsync(crawledPages(reads, { ...run, upTo: 10_000 }, 10)),
        await Array.fromAsync(diffs.pages(7, [700])),
        (await diffs.compare(7, 70, 70)).unchanged || null,
        (await openRunRules(reads)(7, 70, 70)).rules,
        (await openFewWords(reads, nothingChanged)(7, changedPage, oneWord)).size || null,
        await Array.fromAsync(diffs.left(7, { ids: [700], causes: ['timeout'] })),
        await diffs.find(7, 70, urlKey(address)),
        await Array.fromAsync(openOrphanReads(links).pieces(run, [700])),
        await openOrphanReads(links).ids(run),
        [...((await openInlinkReads(links)(run)) ?? []).keys()],
        await Array.fromAsync(openLinkReads(links).from(run).pieces(window)),
        await openLeafReads(reads).run({ projectId: 7, runId: 70 }),
        await openLeafReads(reads).runOfPage(7, 700),
        await Array.fromAsync(openLeafReads(reads).pieces(run)),
        [...(await openHostTimes(reads)(run, [{ origin: new URL(address).origin, delay_ms: 0 }]))],
        await openReplayReads(reads).run(run),
        await openReplayReads(reads).pages(run, window),
        (await openGraphPages(reads).list(run)).keys,
        [...(await openGraphPages(reads).urls(run, [urlKey(address)])).keys()],
        await openLogReads(reads, 3_000)(7, window, new AbortController().signal),
        await lastRunOf(reads)(7, address),
        await recentPageOf(reads)(7, address, new Date(0)),
        (await describePages(7, 70, { url: address, max: 10 })).pages,
        await findBatch(reads(7), 7, 7),
        await listBatches(reads(7), 7, window),
        (await countReady(reads(7), 7)) || null,
        // Missing results are an error, because they may have been deleted meanwhile.
        await Array.fromAsync(readResults(reads(7), 7, { from: 0, to: 1 })).catch(() => []),
      ].map(found => (Array.isArray(found) && found.flat().length === 0 ? null : found))
    }
    const asOwner = await everything(ofProject(poolAs()))
    const missing = (found: unknown[]) => found.flatMap((one, n) => (one === null ? [n] : []))
    t.strictSame(missing(asOwner), [], 'there is something to find by each statement')
    t.strictSame(await everything(asGateway), asOwner, 'all of it is found in its own project')

    const nothing = asOwner.map(() => null)
    const ofAnother = unscoped(() => asGateway(9))
    const open = await everything(unscoped(ofProject(poolAs())))
    t.strictSame(missing(open), [], 'without its condition a statement finds it for the owner')
    t.strictSame(await everything(ofAnother), nothing, 'and for the gateway nothing')
    const { rows } = await asGateway(8).query('select run_id from content.page')
    t.strictSame(rows, [{ run_id: 80 }])
    const pictures = await asGateway(8).query('select run_id from content.picture')
    t.strictSame(pictures.rows, [{ run_id: 80 }])
    const parts = await asGateway(8).query('select project_id from content.export_part')
    t.strictSame(parts.rows, [{ project_id: 8 }])

    const pool = poolAs('tidemark_gateway')
    for (const table of [
      'read.run',
      'read.page',
      'read.pageless',
      'read.log',
      'content.page',
      'content.picture',
      'content.export_part',
      'content.batch',
      'content.batch_item',
    ])
      t.equal((await pool.query(`select from ${table}`)).rowCount, 0, `${table} without a project`)
    for (const role of ['tidemark_extractor', 'tidemark_crawl_coordinator'])
      t.equal((await poolAs(role).query('select from content.page')).rowCount, 2, `${role} sees all`)
  })

  await t.test('leave no project behind on a connection, nor a broken one in the pool', async t => {
    const pool = poolAs('tidemark_gateway')
    const reads = ofProject(pool)
    t.equal((await reads(7).query('select from read.run')).rowCount, 1)
    t.equal((await pool.query('select from read.run')).rowCount, 0)
    await t.rejects(reads(7).query('select nothing from read.run'), { code: '42703' })
    await t.rejects(reads(7).query({ name: 'wrong', text: 'select $1::int / 0', values: [1] }), {
      code: '22012',
    })
    const found = await Promise.all(
      [7, 8, 7, 9, 8, 7].map(id =>
        reads(id).query({ name: 'ids', text: 'select project_id::int as id from read.run' }),
      ),
    )
    t.strictSame(
      found.map(({ rows }) => rows[0]?.id ?? null),
      [7, 8, 7, null, 8, 7],
    )
  })
})

test('An owner who may make roles, and is no superuser, is enough', async t => {
  const fresh = await freshDatabase()
  const mark = randomUUID().slice(0, 8)
  const superuser = new pg.Pool({ connectionString: fresh.url, max: 1 })
  superuser.on('error', () => {})
  const roles: Roles = new Map(
    withRoles.map(service => [service, { name: `${roleOf(service)}_${mark}`, password: mark }]),
  )
  const names = [...roles.values()].map(({ name }) => name)
  t.teardown(async () => {
    await superuser.end()
    await fresh.drop()
    const server = new pg.Client({ connectionString: process.env.TEST_DATABASE_URL ?? '' })
    await server.connect()
    for (const name of [...names, `owner_${mark}`]) await server.query(`drop role if exists ${name}`)
    await server.end()
  })
  await superuser.query(`create role owner_${mark} login createrole password '${mark}'`)
  await superuser.query(`alter database ${new URL(fresh.url).pathname.slice(1)} owner to owner_${mark}`)
  const url = Object.assign(new URL(fresh.url), { username: `owner_${mark}`, password: mark }).href
  for (const service of owners)
    await migrate(url, (await import(`@tidemark/${service}/database`)).database as DatabaseDescription)

  for (const _ of [1, 2]) await declareRoles(url, roles)
  const { rows } = await superuser.query(
    'select from pg_roles where rolname = any($1) and rolcanlogin and not rolsuper',
    [names],
  )
  t.equal(rows.length, withRoles.length, 'they are all there, also the second time')

  const [name = ''] = names
  for (const more of ['superuser', 'createdb', 'createrole', 'replication', 'bypassrls']) {
    await superuser.query(`alter role ${name} ${more}`)
    await t.rejects(
      declareRoles(fresh.url, roles),
      { message: new RegExp(`${name} has more privileges .* no${more}`) },
      more,
    )
    await superuser.query(`alter role ${name} no${more}`)
  }
  await declareRoles(url, roles)
})

/** To read, to write, to empty, to change and to drop. */
const attempts = (table: string): string[] => [
  `select from ${table} limit 0`,
  `delete from ${table} where false`,
  `truncate ${table}`,
  `alter table ${table} add column more integer`,
  `drop table ${table}`,
]

/** The refusal of each statement; null if it is accepted. */
async function codesOf(pool: pg.Pool, statements: string[]): Promise<(string | null)[]> {
  const client = await pool.connect()
  await client.query(`select set_config('try.these', $1, false)`, [JSON.stringify(statements)])
  await client.query(`do $$
    declare
      statement text;
      codes jsonb = '[]';
    begin
      for statement in select jsonb_array_elements_text(current_setting('try.these')::jsonb) loop
        begin
          execute statement;
          codes = codes || 'null'::jsonb;
        exception when others then codes = codes || to_jsonb(sqlstate);
        end;
      end loop;
      perform set_config('try.codes', codes::text, false);
    end $$`)
  const { rows } = await client.query(`select current_setting('try.codes') as codes`)
  client.release(true)
  return JSON.parse(rows[0].codes)
}

const codeOf = async (pool: pg.Pool, statement: string): Promise<string | null> =>
  (await codesOf(pool, [statement]))[0] ?? null

/** As if the statements had forgotten their condition. */
const unscoped =
  (reads: OfProject): OfProject =>
  projectId => {
    const strip = (text: string) =>
      text.replaceAll(/(?:\w+\.)?project_id = (\$\d+)/g, '$1::bigint is not null')
    const query = (query: string | pg.QueryConfig, values?: unknown[]) =>
      typeof query === 'string'
        ? reads(projectId).query(strip(query), values)
        : reads(projectId).query({ text: strip(query.text), values: query.values ?? [] })
    return { query: query as pg.Pool['query'] }
  }

const address = 'https://a.example/'
const link = { href: `${address}1`, anchor: 'one', rel: null, nofollow: false }

/** A run of project 7 and one of project 8, equal except for their ids. */
const changedPage = {
  ...{ pages: 1, unchanged: 0, added: [], removed: [], changedOld: [700], changedNew: [700] },
  ...{ notRevisited: { ids: [], causes: [] }, notCompared: { ids: [], causes: [] } },
}
const oneWord = { rules: null, areSame: true, minChangedWords: 1 }
const nothingChanged = {
  compare: async () => ({
    summary: { added: 0, removed: 0, same: 0, changed_words: 0 },
    lines: [],
    truncated: false,
  }),
}

async function twoRuns(pool: pg.Pool): Promise<void> {
  await pool.query(
    `insert into read.run (id, project_id, url, status, enqueued_at, finished_at, comparison)
     select id * 10, id, $1, 'done', now(), now(), '{"ignoreText":["a"]}' from unnest(array[7, 8]) id`,
    [address],
  )
  await pool.query(
    `insert into read.page (id, run_id, project_id, url_key, url, status, bytes, depth, fetched_at, content_hash, raw_hash)
     select id * 100, id * 10, id, $1, $2, 200, 1, 0, now(), 'h', 'r' from unnest(array[7, 8]) id
     union all
     select id * 100 + 1, id * 10, id, 'other', $2 || '1', 200, 1, 0, now(), 'h', 'r' from unnest(array[7, 8]) id`,
    [urlKey(address), address],
  )
  await pool.query(
    `insert into read.pageless (run_id, project_id, sequence, cause, keys)
     select id * 10, id, id, 'timeout', '{other}' from unnest(array[7, 8]) id`,
  )
  await pool.query(
    `insert into read.log (project_id, ts, request_id, method, path, status, duration_ms, client_ip)
     select id, now(), 'r', 'GET', '/', 200, 1, '::1' from unnest(array[7, 8]) id`,
  )
  await pool.query(
    `insert into content.page (run_id, url_key, body_hash, metadata, edges)
     select id * 10, $1, 'hash', '{}', $2 from unnest(array[7, 8]) id`,
    [urlKey(address), encodeEdges([link])],
  )
  await pool.query(
    `insert into content.picture (run_id, url_key, body_hash)
     select id * 10, $1, 'hash' from unnest(array[7, 8]) id`,
    [urlKey(address)],
  )
  await pool.query(
    `with made as (
       insert into content.export (project_id, run_id, format, selection, sink, fingerprint)
       select id, id * 10, 'jsonl', '{}', '{}', '' from unnest(array[7, 8]) id returning id, project_id
     )
     insert into content.export_part (export_id, number, project_id, size, sha256, data)
     select id, 1, project_id, 1, '', 'a' from made`,
  )
  await pool.query(
    `insert into content.batch (id, project_id, terms, options, fingerprint, total, cancelled)
     overriding system value select id, id, '{}', '{}', '', 1, 1 from unnest(array[7, 8]) id`,
  )
  await pool.query(
    `insert into content.batch_item (batch_id, number, project_id, url, state)
     select id, 0, id, '"a"', 'cancelled' from unnest(array[7, 8]) id`,
  )
}
