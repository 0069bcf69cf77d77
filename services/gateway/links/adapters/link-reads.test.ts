import { createFairLine } from '@tidemark/bus/fair-line'
import { type Edge, encodeEdges } from '@tidemark/content/edges'
import type { LinkEdge } from '@tidemark/contracts/http/links'
import type { OfProject } from '@tidemark/db/of-project'
import { test } from 'tap'
import type { LinkRange } from './link-range.ts'
import { openLinkReads } from './link-reads.ts'

const [start, own] = ['http://www.shop.test:81/start', 'http://www.shop.test:81/own']
const [sub, apex] = ['http://a.shop.test:81/sub', 'http://shop.test:81/']
const outside = ['https://other.test/', 'http://shop.test/', 'http://notshop.test:81/']
const links: Record<string, string[]> = {
  [start]: [own, sub, apex, ...outside],
  [own]: [own, sub],
  [sub]: [sub, own, ...outside],
  [apex]: [own, sub],
}
const pages = Object.keys(links)

/** More external sites than the counts of a page may name. */
const crowd = Array.from({ length: 60 }, (_, n) => `https://site${n}.test/`)

const edge = (href: string): Edge => ({ href, anchor: '', rel: null, nofollow: false })

/** Opens the links of a run with these pages. */
function linksOf(wideScope: string | null, more: string[] = [], { own = '', reads = [] as number[] } = {}) {
  const rows = pages.map((url, n) => ({ id: n + 1, urlKey: url, url, requestedUrl: null }))
  const blobs = pages.map(url => ({
    url_key: url,
    edges: encodeEdges([...(links[url] ?? []), ...more].map(edge), own),
  }))
  const query = async (query: string | { name: string }, values: unknown[] = []) => {
    if (typeof query !== 'string')
      return { rows: query.name === 'wide-scope' ? [{ wide_scope: wideScope }] : rows }
    const keys = values[1] as string[]
    if (!query.includes('substring')) reads.push(keys.length)
    return { rows: blobs.filter(({ url_key }) => keys.includes(url_key)) }
  }
  return openLinkReads({ reads: (() => ({ query })) as unknown as OfProject, line: createFairLine() })
}

const run = { projectId: 7, runId: 1 }
const { signal } = new AbortController()

const pairsOf = async (range: LinkRange, offset = 0) => {
  const found: LinkEdge[] = (await Array.fromAsync(range.pieces({ limit: 100, offset }))).flat()
  return found.map(({ from_page_id, to_url }) => [pages[from_page_id - 1], to_url])
}

const within = (urls: string[]) =>
  pages.flatMap(from => (links[from] ?? []).filter(to => urls.includes(to)).map(to => [from, to]))

test('Links of a run with subdomains', async t => {
  t.test('lead to every host of its scope', async t => {
    t.strictSame(await pairsOf(linksOf('shop.test:81').from(run)), within(pages))
    t.equal(within(pages).length, 9)
  })

  t.test('are skipped by count, even if the counts are incomplete', async t => {
    for (const more of [[], crowd]) {
      for (let offset = 0; offset < 10; offset++) {
        const rest = await pairsOf(linksOf('shop.test:81', more).from(run), offset)
        t.strictSame(rest, within(pages).slice(offset), `from ${offset}`)
      }
    }
  })

  t.test('are skipped without a read if the hosts of the site are counted', async t => {
    const reads: number[] = []
    const counted = linksOf('shop.test:81', crowd, { own: 'shop.test', reads })
    t.strictSame(await pairsOf(counted.from(run), 8), within(pages).slice(8))
    t.strictSame(reads, [1], 'only the page of the window is read')
  })

  t.test('are read many pages at a time if the counts are incomplete', async t => {
    const reads: number[] = []
    await pairsOf(linksOf('shop.test:81', crowd, { reads }).from(run), 9)
    t.strictSame(reads, [4])
  })

  t.test('are found by their target', async t => {
    const search = { window: { limit: 10, offset: 0 }, signal }
    const wide = linksOf('shop.test:81')
    t.strictSame(await pairsOf(await wide.to(run, { toUrl: sub, ...search })), within([sub]))
    t.strictSame(await pairsOf(await wide.to(run, { toUrl: 'https://other.test/', ...search })), [])
  })
})

test('Links of a run of one host lead to the host of their page', async t => {
  const sameHost = ([from = '', to = '']: (string | undefined)[]) => new URL(from).host === new URL(to).host
  t.strictSame(await pairsOf(linksOf(null).from(run)), within(pages).filter(sameHost))
})
