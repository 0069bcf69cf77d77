/**
 * `store-links.scene.ts URL RUN PAGES LINKS`: writes the links of a linked site, as a crawl would store them, to the
 * content store at URL.
 */
import { encodeEdges } from '@tidemark/content/edges'
import { urlKey } from '@tidemark/url/key'
import pg from 'pg'
import { targetsOf, textOf, urlsOf } from './linked-site.ts'

const [url, ...numbers] = process.argv.slice(2)
const [runId = 0, pages = 0, links = 0] = numbers.map(Number)
const pagesAtOnce = 500
/** Metadata of a page has some hundred characters. */
const metadata = JSON.stringify({
  title: 'x'.repeat(60),
  description: 'y'.repeat(150),
  canonical: null,
  robots: [],
})

const urls = urlsOf(pages)
const targets = targetsOf(pages, links)
const client = new pg.Client(url)
await client.connect()
for (let first = 0; first < pages; first += pagesAtOnce) {
  const indexes = Array.from({ length: Math.min(pagesAtOnce, pages - first) }, (_, n) => first + n)
  await client.query(
    `insert into content.page (run_id, url_key, metadata, edges)
     select $1, url_key, $2, edges from unnest($3::text[], $4::bytea[]) as these (url_key, edges)`,
    [runId, metadata, indexes.map(index => urlKey(urls[index] as string)), indexes.map(linksOf)],
  )
}
await client.query('vacuum analyze content.page')
await client.end()
process.send?.('stored')

function linksOf(page: number): Buffer {
  return encodeEdges(
    Array.from(targets.subarray(page * links, (page + 1) * links), to => ({
      href: urls[to] as string,
      anchor: textOf(to),
      rel: null,
      nofollow: false,
    })),
  )
}
