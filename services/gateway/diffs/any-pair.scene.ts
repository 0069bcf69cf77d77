/**
 * Random pairs of runs with everything that decides how their pages differ, and a set model of the class of each page.
 * The model shares no code with the comparison that it checks.
 */
import { encodeEdges } from '@tidemark/content/edges'
import type { openContent } from '@tidemark/content/store'
import { urlKey } from '@tidemark/url/key'
import fc from 'fast-check'
import type pg from 'pg'

type Row = { status: number; hash: string; blocked: boolean; bytes: number; links: number[] }
/**
 * One URL in one run: a page, or the run's decisions about a URL without a page, in their order. `to` is the number of the
 * URL to which it redirected.
 */
type Slot = { row: Row } | { said: string[]; to: number }
type Side = {
  slots: Slot[]
  end: 'exhausted' | 'max_pages' | 'running' | 'cancelled' | 'quota' | 'time_limit' | 'failed'
  isFull: boolean
  /** `retried`: it failed, and was read later. */
  sitemap: 'read' | 'failed' | 'retried' | null
  keepsBodies: boolean
}
export type Pair = { old: Side; fresh: Side }

const urls = 6

const row = fc.record({
  status: fc.constantFrom(200, 200, 200, 203, 401, 403, 404, 404, 410, 429, 500, 503),
  hash: fc.constantFrom('a', 'a', 'b'),
  blocked: fc.constant<boolean>(false),
  bytes: fc.constantFrom(9, 9, 9, 0),
  links: fc.array(fc.nat(urls - 1), { maxLength: 3 }),
})
const anyRow = fc.oneof(
  { weight: 6, arbitrary: row },
  { weight: 1, arbitrary: row.map(page => ({ ...page, blocked: true })) },
)
const cause = fc.constantFrom('timeout', 'dns', 'tls', 'robots', 'trap', 'max_pages', 'depth', 'redirected')
const slot: fc.Arbitrary<Slot> = fc.oneof(
  { weight: 6, arbitrary: anyRow.map(row => ({ row })) },
  { weight: 3, arbitrary: fc.constant<Slot>({ said: [], to: 0 }) },
  {
    weight: 1,
    arbitrary: fc.record({
      said: fc.uniqueArray(cause, { minLength: 1, maxLength: 2 }),
      to: fc.nat(urls - 1),
    }),
  },
  { weight: 1, arbitrary: fc.nat(urls - 1).map(to => ({ said: ['redirected'], to })) },
)
const side: fc.Arbitrary<Side> = fc.record({
  slots: fc.array(slot, { minLength: urls, maxLength: urls }),
  end: fc.oneof(
    { weight: 8, arbitrary: fc.constant('exhausted' as const) },
    { weight: 2, arbitrary: fc.constant('max_pages' as const) },
    {
      weight: 1,
      arbitrary: fc.constantFrom('running', 'cancelled', 'quota', 'time_limit', 'failed'),
    },
  ),
  isFull: fc.constantFrom(...Array<boolean>(11).fill(false), true),
  sitemap: fc.constantFrom(null, null, null, 'read', 'failed', 'retried'),
  keepsBodies: fc.constantFrom(true, true, true, false),
})
export const pair: fc.Arbitrary<Pair> = fc.record({ old: side, fresh: side })

/** The class of each page of either run, by the number of its URL; with the cause for unread pages. */
export function modelOf({ old, fresh }: Pair): Map<number, string> {
  const classes = new Map<number, string>()
  const missedByNew = missed(old, fresh)
  const missedByOld = missed(fresh, old)
  for (let n = 0; n < urls; n++) {
    const [before, after] = [pageOf(old, n), pageOf(fresh, n)]
    if (before === null && after === null) continue
    const was = before === null ? (missedByOld.get(n) ?? 'none') : stateOf(before)
    const is = after === null ? (missedByNew.get(n) ?? 'none') : stateOf(after)
    classes.set(n, classOf(was, is, before, after))
  }
  return classes
}

/** `was` and `is` are `page`, `none`, or the cause for which nothing is known. */
function classOf(was: string, is: string, before: Row | null, after: Row | null): string {
  const isKnown = (state: string) => state === 'page' || state === 'none'
  // A challenge comes before causes that hide a page from the other run.
  if (before !== null && !isKnown(was)) return `not_compared ${was}`
  if (before === null && after !== null && !isKnown(is)) return `not_compared ${is}`
  if (!isKnown(was)) return `not_compared ${was}`
  if (!isKnown(is)) return `not_revisited ${is}`
  if (was === 'none') return is === 'none' ? 'unchanged' : 'added'
  if (is === 'none') return 'removed'
  return before?.hash === after?.hash && before?.status === after?.status ? 'unchanged' : 'changed'
}

const pageOf = ({ slots }: Side, n: number): Row | null => {
  const slot = slots[n]
  return slot && 'row' in slot ? slot.row : null
}
/** Returns the decision that counts. */
const lastOf = ({ slots }: Side, n: number): string | undefined => {
  const slot = slots[n]
  const said = slot && 'said' in slot ? slot.said : []
  const final = said.filter(cause => cause !== 'max_pages' && cause !== 'depth')
  return (final.length > 0 ? final : said).at(-1)
}

/** Returns why the side has no page at the end of the redirects of a URL, or null if it has. */
function endOfRedirects(side: Side, from: number, otherwise: string): string | null {
  const visited = new Set<number>()
  for (let n = from; !visited.has(n); ) {
    visited.add(n)
    const slot = side.slots[n]
    if (slot === undefined) return otherwise
    if ('row' in slot) return slot.row.blocked ? 'blocked' : null
    const last = lastOf(side, n)
    if (last !== 'redirected') return last ?? otherwise
    n = slot.to
  }
  return otherwise
}

const stateOf = ({ status, blocked }: Row): string => {
  if (blocked) return 'blocked'
  return status === 404 || status === 410 ? 'none' : 'page'
}
const hidesLinks = ({ status, blocked, bytes }: Row): boolean =>
  blocked || bytes === 0 || (status >= 400 && status !== 404 && status !== 410)

/** Why `blind` may have missed pages of `sighted` that it has not, by the number of their URLs. */
function missed(sighted: Side, blind: Side): Map<number, string> {
  const ofRun = causeOfRun(sighted, blind)
  const causes = new Map<number, string>()
  const wanted = new Set<number>()
  const closed = new Set<number>()
  for (let n = 0; n < urls; n++) {
    const [page, other] = [pageOf(sighted, n), pageOf(blind, n)]
    if (page === null) continue
    if (other !== null) {
      if (hidesLinks(other) && !hidesLinks(page)) closed.add(n)
      continue
    }
    if (page.blocked) continue
    const last = lastOf(blind, n)
    if (last === undefined) {
      wanted.add(n)
      continue
    }
    const cause = last === 'redirected' ? endOfRedirects(blind, n, ofRun ?? 'unknown') : last
    if (cause === null) continue
    causes.set(n, cause)
    closed.add(n)
  }
  if (ofRun !== null) for (const n of wanted) causes.set(n, ofRun)
  else if (closed.size > 0 && !keepsLinks(sighted)) for (const n of wanted) causes.set(n, 'unknown')
  else for (const n of reachable(sighted, closed, wanted)) causes.set(n, 'unknown')
  return causes
}

/** A run without pages stores no body, and none that it would lack. */
const keepsLinks = ({ slots, keepsBodies }: Side): boolean =>
  keepsBodies || !slots.some(slot => 'row' in slot)

function causeOfRun(sighted: Side, blind: Side): string | null {
  if (blind.end === 'running') return 'pending'
  if (blind.end === 'failed') return 'run_failed'
  if (blind.end !== 'exhausted' && blind.end !== 'max_pages') return blind.end
  if (blind.isFull) return 'frontier_full'
  const hasSitemap = sighted.sitemap === 'read' || sighted.sitemap === 'retried'
  if (blind.sitemap === 'failed' && hasSitemap) return 'sitemap'
  return blind.end === 'max_pages' && blind.sitemap === null && hasSitemap ? 'max_pages' : null
}

/** Returns the page at which a client of the side arrives from a URL, by any redirects that the side has seen. */
function pageBehind(side: Side, from: number): number | null {
  const visited = new Set<number>()
  for (let n = from; !visited.has(n); ) {
    visited.add(n)
    const slot = side.slots[n]
    if (slot === undefined) return null
    if ('row' in slot) return n
    if (!slot.said.includes('redirected')) return null
    n = slot.to
  }
  return null
}

/** Returns the wanted pages that links reach from these pages, through wanted pages only. */
function reachable(side: Side, from: Set<number>, wanted: Set<number>): Set<number> {
  const found = new Set<number>()
  const walk = (n: number) => {
    for (const link of pageOf(side, n)?.links ?? []) {
      const to = pageBehind(side, link)
      if (to === null || !wanted.has(to) || found.has(to)) continue
      found.add(to)
      walk(to)
    }
  }
  for (const n of from) walk(n)
  return found
}

export const projectId = 7
const url = (n: number) => `https://a.example/${n}`
const keys = Array.from({ length: urls }, (_, n) => urlKey(url(n)))
const sitemapKey = urlKey('https://a.example/sitemap.xml')

export type Stored = { oldId: number; newId: number; urlOf: Map<number, number> }

/** Inserts the pairs as the projector and the extractor would; ids start after `after`. */
export async function store(
  pool: pg.Pool,
  content: ReturnType<typeof openContent>,
  pairs: readonly Pair[],
  after: number,
): Promise<Stored[]> {
  let runId = after
  let pageId = after * urls
  const [runs, pages, said, kept]: [
    object[],
    object[],
    object[],
    Parameters<typeof content.storePages>[0][number][],
  ] = [[], [], [], []]
  const add = (side: Side, urlOf: Map<number, number>): number => {
    runId++
    runs.push({ id: runId, ...endOf(side) })
    const note = (cause: string, keys: string[], targets?: string[]) =>
      said.push({ run_id: runId, sequence: said.length, cause, keys, targets })
    for (const [n, slot] of side.slots.entries()) {
      const key = keys[n] ?? ''
      if ('said' in slot)
        for (const cause of slot.said)
          note(cause, [key], cause === 'redirected' ? [keys[slot.to] ?? ''] : undefined)
      else {
        const { status, hash, blocked, bytes, links } = slot.row
        urlOf.set(++pageId, n)
        const page = { id: pageId, run_id: runId, url_key: key, url: url(n), status, bytes, blocked }
        pages.push({ ...page, content_hash: hash })
        kept.push({
          ...{ runId, urlKey: key, charset: null, contentType: null, metadata: '{}' },
          body: side.keepsBodies
            ? { hash: Buffer.alloc(32, 1), encodings: [], size: 1, data: Buffer.of(1) }
            : null,
          edges: encodeEdges(links.map(to => ({ href: url(to), anchor: '', rel: null, nofollow: false }))),
        })
      }
    }
    if (side.isFull) note('frontier_full', [])
    for (const one of side.sitemap === 'retried' ? ['failed', 'read'] : [side.sitemap ?? []].flat())
      note(`sitemap_${one}`, [sitemapKey])
    return runId
  }
  const stored = pairs.map(({ old, fresh }) => {
    const urlOf = new Map<number, number>()
    return { oldId: add(old, urlOf), newId: add(fresh, urlOf), urlOf }
  })
  await pool.query(insertRuns, [JSON.stringify(runs), projectId])
  await pool.query(insertPages, [JSON.stringify(pages), projectId])
  await pool.query(insertSaid, [JSON.stringify(said), projectId])
  await content.storePages(kept)
  return stored
}

function endOf({ end }: Side): { status: string; stop_reason: string | null } {
  if (end === 'running') return { status: 'running', stop_reason: null }
  if (end === 'cancelled' || end === 'failed') return { status: end, stop_reason: end }
  return { status: 'done', stop_reason: end }
}

const insertRuns = `
  insert into read.run (id, project_id, url, status, stop_reason, enqueued_at)
  select id, $2, 'https://a.example/', status, stop_reason, now()
  from jsonb_to_recordset($1::jsonb) as run (id bigint, status text, stop_reason text)`

const insertPages = `
  insert into read.page (id, run_id, project_id, url_key, url, status, bytes, depth, fetched_at, content_hash, raw_hash, blocked)
  select id, run_id, $2, url_key, url, status, bytes, 0, now(), content_hash, content_hash, blocked
  from jsonb_to_recordset($1::jsonb) as page
    (id bigint, run_id bigint, url_key text, url text, status integer, bytes bigint, content_hash text, blocked boolean)`

const insertSaid = `
  insert into read.pageless (run_id, project_id, sequence, cause, keys, targets)
  select run_id, $2, sequence, cause, array(select jsonb_array_elements_text(said.keys)),
    case when said.targets is not null then array(select jsonb_array_elements_text(said.targets)) end
  from jsonb_to_recordset($1::jsonb) as said (run_id bigint, sequence bigint, cause text, keys jsonb, targets jsonb)`
