/**
 * `floor.ts URL CONCURRENCY FOLDER`, forked: the minimal work of a crawl in Node. One thread fetches with undici,
 * parses with htmlparser2, and appends a row and the gzipped body of each page to two files. It has no durability, no
 * rate limit and no recovery. It is the yardstick, not a rival.
 */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import type { HtmlParser, Undici } from './floor-libraries.ts'

// The copies that the services use, so that both sides of the ratio have the same versions.
const libraryOf = (lib: string, name: string) =>
  createRequire(join(import.meta.dirname, `../../libs/${lib}/package.json`))(name)
const { Pool }: Undici = libraryOf('http', 'undici')
const { Parser }: HtmlParser = libraryOf('html', 'htmlparser2')

const [seed = '', concurrency = '64', folder = '.'] = process.argv.slice(2)
const { origin, href } = new URL(seed)
const pool = new Pool(origin, { connections: Number(concurrency) })
const rows = createWriteStream(join(folder, 'rows.jsonl'))
const bodies = createWriteStream(join(folder, 'bodies.gz'))
const seen = new Set([href])
const found = [href]
let taken = 0
let pages = 0

process.on('disconnect', () => process.exit())
process.once('message', crawl)
process.send?.('ready')

async function crawl(): Promise<void> {
  await Promise.all(Array.from({ length: Number(concurrency) }, worker))
  for (const file of [rows, bodies]) {
    file.end()
    await once(file, 'close')
  }
  process.send?.({ pages, seen: seen.size })
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
  const { pathname, search } = new URL(url)
  const path = pathname + search
  const { statusCode, body } = await pool.request({
    method: 'GET',
    path,
    headers: { 'accept-encoding': 'gzip' },
  })
  const html = gunzipSync(await body.arrayBuffer())
  if (statusCode !== 200) return
  const { title, links } = read(html.toString(), url)
  for (const link of links) follow(link)
  const hash = createHash('sha256').update(html).digest('hex')
  rows.write(`${JSON.stringify({ url, statusCode, bytes: html.length, hash, title, links })}\n`)
  bodies.write(gzipSync(html, { level: 1 }))
  pages++
}

function follow(link: string): void {
  if (!link.startsWith(`${origin}/`) || seen.has(link)) return
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
