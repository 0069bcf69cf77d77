/** Stores random pairs of runs as the projector and the extractor would. */
import { encodeEdges } from '@tidemark/content/edges'
import type { openContent } from '@tidemark/content/store'
import { urlKey } from '@tidemark/url/key'
import type pg from 'pg'
import { type Pair, type Side, urls } from './any-pair.scene.ts'

export const projectId = 7
const url = (n: number) => `https://a.example/${n}`
const keys = Array.from({ length: urls }, (_, n) => urlKey(url(n)))
const sitemapKey = urlKey('https://a.example/sitemap.xml')
const otherSitemapKey = urlKey('https://a.example/other.xml')

/** The run's decisions about its sitemap, in their order. */
const causesOfSitemap: Record<NonNullable<Side['sitemap']>, string[]> = {
  read: ['read'],
  failed: ['failed'],
  retried: ['failed', 'read'],
  faulty: ['read', 'faulty'],
  left: [],
  older: [],
}

export type Stored = { oldId: number; newId: number; urlOf: Map<number, number> }

/** Inserts the pairs. Ids start after `after`. */
export async function store(
  pool: pg.Pool,
  content: ReturnType<typeof openContent>,
  pairs: readonly Pair[],
  after: number,
): Promise<Stored[]> {
  let runId = after
  let pageId = after * urls
  const [runs, pages, reported, kept]: [
    object[],
    object[],
    object[],
    Parameters<typeof content.storePages>[0][number][],
  ] = [[], [], [], []]
  const add = (side: Side, urlOf: Map<number, number>): number => {
    runId++
    runs.push({ id: runId, ...endOf(side) })
    const note = (cause: string, keys: string[], targets?: string[]) =>
      reported.push({ run_id: runId, sequence: reported.length, cause, keys, targets })
    for (const [n, slot] of side.slots.entries()) {
      const key = keys[n] ?? ''
      if ('causes' in slot)
        for (const cause of slot.causes)
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
    if (side.sitemap !== null) noteSitemaps(side.sitemap, side.end, note)
    return runId
  }
  const stored = pairs.map(({ old, fresh }) => {
    const urlOf = new Map<number, number>()
    return { oldId: add(old, urlOf), newId: add(fresh, urlOf), urlOf }
  })
  await pool.query(insertRuns, [JSON.stringify(runs), projectId])
  await pool.query(insertPages, [JSON.stringify(pages), projectId])
  await pool.query(insertCauses, [JSON.stringify(reported), projectId])
  await content.storePages(kept)
  return stored
}

type Note = (cause: string, keys: string[]) => void

function noteSitemaps(sitemap: NonNullable<Side['sitemap']>, end: Side['end'], note: Note): void {
  for (const cause of causesOfSitemap[sitemap]) note(`sitemap_${cause}`, [sitemapKey])
  if (sitemap === 'older') note('sitemap_read', [otherSitemapKey])
  else if (end === 'max_pages') note('sitemap_unread', sitemap === 'left' ? [sitemapKey] : [])
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

const insertCauses = `
  insert into read.pageless (run_id, project_id, sequence, cause, keys, targets)
  select run_id, $2, sequence, cause, array(select jsonb_array_elements_text(reported.keys)),
    case when reported.targets is not null then array(select jsonb_array_elements_text(reported.targets)) end
  from jsonb_to_recordset($1::jsonb) as reported (run_id bigint, sequence bigint, cause text, keys jsonb, targets jsonb)`
