/**
 * `floor.ts CONCURRENCY FOLDER`, forked: the minimal work of a crawl in Node. One thread fetches with undici, parses
 * with htmlparser2, and appends a row and the gzipped body of each page to two files. It has no durability, no rate
 * limit and no recovery. It is the reference for comparisons, not a competing product.
 */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import type { HtmlParser, Undici } from './floor-libraries.ts'

/** The message that starts it. */
export type Job = {
  urls: string[]
  /** If true, it follows the links within the first URL's origin; otherwise it fetches only the URLs. */
  isCrawl: boolean
  /** If false, it parses and hashes each page, and writes nothing. */
  isStored: boolean
}

/** The response: the pages, and the milliseconds that each took. */
export type Done = { pages: number; waits: number[] }

// The copies that the services use, so that both sides of the ratio have the same versions.
const libraryOf = (lib: string, name: string) =>
  createRequire(join(import.meta.dirname, `../../libs/${lib}/package.json`))(name)
const { Agent }: Undici = libraryOf('http', 'undici')
const { Parser }: HtmlParser = libraryOf('html', 'htmlparser2')

const [concurrency = '64', folder = '.'] = process.argv.slice(2)
const agent = new Agent({ connections: Number(concurrency) })
const rows = createWriteStream(join(folder, 'rows.jsonl'))
const bodies = createWriteStream(join(folder, 'bodies.gz'))
const seen = new Set<string>()
const found: string[] = []
const waits: number[] = []
let origin = ''
let isCrawl = true
let isStored = true
let taken = 0

process.on('disconnect', () => process.exit())
process.once('message', run)
process.send?.('ready')

async function run(job: Job): Promise<void> {
  ;({ isCrawl, isStored } = job)
  origin = new URL(job.urls[0] ?? '').origin
  for (const url of job.urls) follow(url)
  await Promise.all(Array.from({ length: Number(concurrency) }, worker))
  for (const file of [rows, bodies]) {
    file.end()
    await once(file, 'close')
  }
  process.send?.({ pages: waits.length, waits } satisfies Done)
}

let atWork = 0
let news = Promise.withResolvers<void>()

/** Fetches URLs until none is left and no other worker can find more. */
async function worker(): Promise<void> {
  for (;;) {
    const url = found[taken]
    if (url === undefined) {
      if (atWork === 0) return
      await news.promise
      continue
    }
    taken++
    atWork++
    await visit(url)
    atWork--
    news.resolve()
    news = Promise.withResolvers()
  }
}

async function visit(url: string): Promise<void> {
  const began = performance.now()
  const headers = { 'accept-encoding': 'gzip' }
  const { statusCode, body } = await agent.request({ ...partsOf(url), method: 'GET', headers })
  const html = gunzipSync(await body.arrayBuffer())
  if (statusCode !== 200) return
  const { title, links } = read(html.toString(), url)
  if (isCrawl) for (const link of links) if (link.startsWith(`${origin}/`)) follow(link)
  const hash = createHash('sha256').update(html).digest('hex')
  if (isStored) {
    rows.write(`${JSON.stringify({ url, statusCode, bytes: html.length, hash, title, links })}\n`)
    bodies.write(gzipSync(html, { level: 1 }))
  }
  waits.push(performance.now() - began)
}

function partsOf(url: string): { origin: string; path: string } {
  const { origin, pathname, search } = new URL(url)
  return { origin, path: pathname + search }
}

function follow(link: string): void {
  if (seen.has(link)) return
  seen.add(link)
  found.push(link)
}

/** Returns the title and the absolute links, in one pass. */
function read(html: string, base: string): { title: string; links: string[] } {
  let title = ''
  let inTitle = false
  const links: string[] = []
  const parser = new Parser({
    onopentag(name, { href }) {
      inTitle = name === 'title'
      const link = name === 'a' && href !== undefined ? URL.parse(href, base) : null
      if (link === null) return
      link.hash = ''
      links.push(link.href)
    },
    ontext(text) {
      if (inTitle) title += text
    },
    onclosetag() {
      inTitle = false
    },
  })
  parser.end(html)
  return { title, links }
}
