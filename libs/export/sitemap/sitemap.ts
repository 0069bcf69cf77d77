/**
 * Sitemaps of the pages that search engines may index (sitemaps.org), as one zip. `sitemap.xml` has the first 50,000
 * pages, `sitemap-2.xml` the next, and `sitemap-index.xml` lists them if there is more than one.
 */
import { buffered } from '../buffered.ts'
import type { Format } from '../format.ts'
import type { ExportSource } from '../page.ts'
import { xmlHead, xmlText } from '../xml.ts'
import { type ZipFile, zipOf, zipType } from '../zip/zip.ts'
import { type Listed, listed, listedParts } from './listed.ts'

const maxUrls = 50_000
/** 50 MB, less the end of the file. */
const maxBytes = 50 * 1024 ** 2 - 16
const namespace = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'

export const sitemap: Format = {
  fileType: () => zipType,
  needs: () => listedParts,
  write: source => buffered(zipOf(source, files(source))),
}

/** The entries of all files. `waiting` is the first entry of the next file. */
type Entries = { rest: AsyncIterator<Listed>; waiting: Listed | undefined; site: string }

async function* files(source: ExportSource): AsyncGenerator<ZipFile> {
  const rest = entriesOf(source)
  const first = (await rest.next()).value as Listed | undefined
  const entries: Entries = { rest, waiting: first, site: new URL(first?.url ?? source.run.url).origin }
  const names: string[] = []
  try {
    while (entries.waiting !== undefined || names.length === 0) {
      names.push(names.length === 0 ? 'sitemap.xml' : `sitemap-${names.length + 1}.xml`)
      yield { name: names.at(-1) as string, stream: buffered(urlset(entries)), isDeflated: true }
    }
  } finally {
    await rest.return(undefined)
  }
  if (names.length > 1) yield { name: 'sitemap-index.xml', data: indexOf(names, entries.site) }
}

async function* entriesOf(source: ExportSource): AsyncGenerator<Listed> {
  for await (const page of source.pages(listedParts)) {
    const entry = listed(page, url => source.normalize(url))
    if (entry !== null) yield entry
  }
}

/** Yields one file, up to the limits, and leaves the first entry of the next file in `entries`. */
async function* urlset(entries: Entries): AsyncGenerator<string> {
  const head = `${xmlHead}<urlset ${namespace}>\n`
  let [urls, bytes] = [0, head.length]
  yield head
  for (; entries.waiting !== undefined; entries.waiting = (await entries.rest.next()).value) {
    const line = lineOf(entries.waiting)
    urls += 1
    bytes += Buffer.byteLength(line)
    if (urls > maxUrls || bytes > maxBytes) break
    yield line
  }
  yield '</urlset>\n'
}

function lineOf({ url, lastModified }: Listed): string {
  const change = lastModified === null ? '' : `<lastmod>${lastModified}</lastmod>`
  return `<url><loc>${xmlText(url)}</loc>${change}</url>\n`
}

/** Returns the index. Its files belong to the root of the site, where search engines accept them for all its pages. */
const indexOf = (names: readonly string[], site: string): Buffer =>
  Buffer.from(
    `${xmlHead}<sitemapindex ${namespace}>\n${names
      .map(name => `<sitemap><loc>${xmlText(`${site}/${name}`)}</loc></sitemap>\n`)
      .join('')}</sitemapindex>\n`,
  )
