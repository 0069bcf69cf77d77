/** Two ticks of a monitor on a site whose bytes always differ: only real changes are reported. */
import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { RunDiff } from '@tidemark/contracts/http/links'
import { listening } from '@tidemark/testing/listening'
import { until } from '@tidemark/testing/until'
import pg from 'pg'
import { type Test, test } from 'tap'
import { ownWords } from './own-words.ts'
import { startSystem } from './system.ts'

const sections = [0, 1, 2, 3, 4, 5].map(n => `/section-${n}`)
const leaves = sections.flatMap(path => Array.from({ length: 9 }, (_, n) => `${path}/page-${n}`))

/** A site of 61 pages with noise as on real sites: each response of a page has other bytes. */
class Site {
  readonly texts = new Map<string, string>()
  readonly links = new Map<string, string[]>()
  readonly silent = new Set<string>()
  readonly missing = new Set<string>()
  readonly forbidden = new Set<string>()

  constructor() {
    this.links.set('/', sections)
    for (const path of sections)
      this.links.set(
        path,
        leaves.filter(leaf => leaf.startsWith(`${path}/`)),
      )
    for (const path of ['/', ...sections, ...leaves]) this.texts.set(path, ownWords(path))
  }

  answer({ url = '' }: IncomingMessage, response: ServerResponse): void {
    if (this.silent.has(url)) return
    const words = this.missing.has(url) ? undefined : this.texts.get(url)
    const status = this.forbidden.has(url) ? 403 : words === undefined ? 404 : 200
    response.writeHead(status, { 'content-type': 'text/html; charset=utf-8' })
    response.end(
      status !== 200 || words === undefined ? `no ${nonce()}` : noisy(words, this.links.get(url) ?? []),
    )
  }
}

const nonce = () => randomBytes(8).toString('hex')

function noisy(words: string, links: string[]): string {
  const shuffled = (attributes: string[]) => attributes.sort(() => Math.random() - 0.5).join(' ')
  const spaces = ' \n\t'.repeat(1 + Math.floor(Math.random() * 4))
  const anchors = links.map(
    to => `<a ${shuffled([`href="${to}"`, `data-id="${nonce()}"`, 'class="a b"'])}>${to}</a>`,
  )
  const tags = shuffled([
    '<meta property="og:type" content="article">',
    '<meta property="og:title" content="Words">',
    `<meta name="csrf-token" content="${nonce()}">`,
    `<link rel="stylesheet" href="/style.css?v=${nonce()}">`,
  ])
  return `<!doctype html><html lang=en><head><title>Words</title>${tags}
    <script nonce="${nonce()}">window.ad = "${nonce()}"</script><style>.a${nonce()} { color: red }</style></head>
    <!-- made at ${new Date().toISOString()} ${nonce()} -->
    <body ${shuffled([`id="b${nonce()}"`, 'class="page"'])}>${spaces}<p>${words}</p>${spaces}
    <script>document.write("<p>Buy ${nonce()}</p>")</script>${anchors.join(spaces)}</body></html>`
}

test('The difference of two runs of a monitor', { timeout: 400_000 }, async t => {
  const site = new Site()
  const base = await serving(t, (request, response) => site.answer(request, response))
  const at = (path: string) => base + path

  const system = await startSystem({ FETCH_TIMEOUT_MS: '500' })
  t.teardown(() => system.stop())
  const key = await system.createProject('differences', '--unlimited')
  const request = { url: at('/'), delay_ms: 0, concurrency: 32, cron: '0 0 1 1 *' }
  const monitor = await system.call(key, 'POST', '/v1/crawls', request)
  /** Runs the monitor once, to the end of the run. */
  const tick = async (): Promise<number> => {
    const { status, body } = await system.call(key, 'POST', `/v1/crons/${monitor.body.monitor_id}/run`)
    if (status !== 202) throw new Error(JSON.stringify(body))
    await system.untilEnded(key, body.id)
    return body.id
  }
  const diff = async (oldId: number, newId: number, query = ''): Promise<RunDiff> => {
    const { status, body } = await system.call(key, 'GET', `/v1/crawls/${oldId}/diff/${newId}${query}`)
    if (status !== 200) throw new Error(JSON.stringify(body))
    return body
  }
  const paths = (pages: { url: string }[]) => pages.map(({ url }) => url.slice(at('').length)).sort()

  const first = await tick()
  /**
   * The pages that do not respond: three of ten pages, and a section with the pages to which only the section links.
   */
  const silent = [
    ...leaves.filter((_, n) => n % 10 < 3 && !leaves[n]?.startsWith('/section-5')),
    '/section-5',
  ]
  for (const path of silent) site.silent.add(path)
  const second = await tick()

  await t.test('is empty if only nonces, comments, scripts and attributes differ', async t => {
    const { summary, changed, removed, added, not_revisited } = await diff(first, second)
    t.strictSame([changed, removed, added], [[], [], []])
    const hidden = leaves.filter(path => path.startsWith('/section-5/'))
    t.strictSame(
      paths(not_revisited),
      [...silent, ...hidden].sort(),
      'pages with timeouts are listed separately',
    )
    const causeOf = new Map(not_revisited.map(({ url, cause }) => [url, cause]))
    for (const path of silent) t.equal(causeOf.get(at(path)), 'timeout', path)
    for (const path of hidden) t.equal(causeOf.get(at(path)), 'unknown', path)
    t.match(summary, { unchanged: 61 - silent.length - hidden.length, not_revisited: not_revisited.length })
  })

  const changed = leaves.slice(0, 2)
  const missing = leaves.slice(10, 12)
  const unlinked = leaves.slice(20, 22)
  const fresh = ['/new-1', '/section-0/new-2']
  site.silent.clear()
  for (const path of changed) site.texts.set(path, ownWords(`other ${path}`))
  for (const path of missing) site.missing.add(path)
  for (const [path, links] of site.links)
    site.links.set(
      path,
      links.filter(to => !unlinked.includes(to)),
    )
  site.links.set('/', [...sections, ...fresh])
  for (const path of fresh) site.texts.set(path, ownWords(path))
  const third = await tick()

  await t.test('has exactly the ten changed pages', async t => {
    const found = await diff(first, third, '?fields=title,inlinks,word_count')
    t.strictSame(
      paths(found.changed),
      ['/', '/section-2', ...changed].sort(),
      'including the pages that link to new or removed ones',
    )
    t.strictSame(paths(found.removed), [...missing, ...unlinked].sort())
    t.strictSame(paths(found.added), [...fresh].sort())
    t.strictSame(found.not_revisited, [])
    t.match(found.warnings, [/^word_count is not stored/])
  })

  await t.test('is returned line by line for one page', async t => {
    const [path = ''] = changed
    const page = (runs: string, url: string, query = '') =>
      system.call(key, 'GET', `/v1/crawls/${runs}/page?url=${encodeURIComponent(url)}${query}`)
    const runs = `${first}/diff/${third}`
    for (const query of ['', '&mode=text']) {
      const { status, body } = await page(runs, at(path), query)
      t.equal(status, 200, JSON.stringify(body))
      t.match(body, { old_run_id: first, summary: { added: 1, removed: 1, same: 0 }, truncated: false })
      t.strictSame(
        body.lines.map((line: { text: string }) => line.text),
        [ownWords(path).trim(), ownWords(`other ${path}`).trim()],
      )
    }
    t.equal((await page(runs, at(fresh[0] ?? ''))).status, 404)
    t.equal((await page(runs, at('/nowhere'))).status, 404)
    t.match(await page(runs, 'nonsense'), {
      status: 400,
      body: { error: { field: 'url', reason: 'bad_url' } },
    })
    const { id } = await system.crawl(key, { url: at('/'), delay_ms: 0, store_html: false, max_pages: 1 })
    t.match(await page(`${first}/diff/${id}`, at('/')), {
      status: 409,
      body: { error: { code: 'conflict', reason: 'html_not_stored' } },
    })
    const { summary, removed, not_revisited } = await diff(third, id)
    t.strictSame(removed, [], 'pages beyond a crawl of one page are not removed')
    t.ok(not_revisited.length > 50 && summary.not_revisited === not_revisited.length)
  })

  await t.test('excludes pages that could not be read before', async t => {
    const found = await diff(second, third)
    t.strictSame(paths(found.added), [...fresh].sort())
    for (const path of paths(found.not_compared))
      t.ok(silent.includes(path) || path.startsWith('/section-5/'))
    t.equal(found.summary.not_compared, found.not_compared.length)
    t.ok(found.not_compared.length > 10)
  })

  await t.test('is stored with each run of a monitor, compared to the last complete one', async t => {
    const { postgres } = await system.runFile()
    const pool = new pg.Pool({ connectionString: postgres.url, max: 1 })
    t.teardown(() => pool.end())
    const storedDiff = async (id: number) => {
      let diff: object | null = null
      await until(async () => {
        diff = (await pool.query('select diff from read.run where id = $1', [id])).rows[0]?.diff
        return Boolean(diff)
      })
      return diff
    }
    await tick()
    site.forbidden.add('/section-4')
    const all = { added: 0, removed: 0, changed: 0, notCompared: 0 }
    t.strictSame(await storedDiff(await tick()), { ...all, changed: 1, unchanged: 51, notRevisited: 9 })
    site.forbidden.clear()
    const [word = ''] = fresh
    site.texts.set(word, ownWords('again'))
    t.strictSame(await storedDiff(await tick()), { ...all, changed: 1, unchanged: 60, notRevisited: 0 })
  })

  await t.test('reports broken pages, but not those that fail once', async t => {
    const broken = await startBreakable(t)
    const receiver = await startReceiver(t)
    const watching = await system.call(key, 'POST', '/v1/crawls', {
      ...{ url: broken.at('/'), delay_ms: 0, cron: '0 0 1 1 *' },
      ...{ webhook_url: receiver.url, webhook_events: ['crawl.diff_detected'], return_only_changed: true },
    })
    let last: number | undefined
    /** Runs this monitor and returns the difference to the previous run and the counts of its webhook. */
    const watch = async () => {
      const { body } = await system.call(key, 'POST', `/v1/crons/${watching.body.monitor_id}/run`)
      const run = await untilNotified(body.id)
      const found = last === undefined ? null : await diff(last, run.id)
      last = run.id
      const counts = receiver.bodies.find(({ id }) => id === run.id)?.diff ?? null
      return { run, found, counts }
    }
    const untilNotified = async (id: number) => {
      let run = await system.untilEnded(key, id)
      await until(async () => {
        run = (await system.call(key, 'GET', `/v1/crawls/${id}`)).body
        return ![null, 'pending'].includes(run.webhook_status)
      })
      return run
    }
    const changes = (found: RunDiff | null) =>
      found?.changed.map(({ url, old_status, new_status }) => [
        url.slice(broken.at('').length),
        old_status,
        new_status,
      ])
    const none = { added: 0, removed: 0, changed: 0, not_revisited: 0, not_compared: 0, pages: 6 }

    t.match(await watch(), { run: { webhook_status: 'suppressed_no_baseline', page_count: 6 } })
    broken.hits()

    broken.answers('/flaps', 500, 200).answers('/busy', 503, 200)
    const flapping = await watch()
    t.match(flapping.run, { webhook_status: 'suppressed_no_change', page_count: 6, error_count: 0 })
    t.strictSame(flapping.found?.summary, { ...none, unchanged: 6 })
    t.strictSame(broken.hits(), { '/': 1, '/breaks': 1, '/closed': 1, '/flaps': 2, '/busy': 2, '/gone': 1 })

    broken.answers('/breaks', 500).answers('/closed', 403).answers('/gone', 404)
    const down = await watch()
    t.match(down.run, { webhook_status: 'delivered', page_count: 6, error_count: 0 })
    t.strictSame(down.counts, { added: 0, removed: 1, changed: 2, unchanged: 3 })
    t.strictSame(down.found?.summary, { ...none, changed: 2, removed: 1, unchanged: 3 })
    t.strictSame(changes(down.found), [
      ['/breaks', 200, 500],
      ['/closed', 200, 403],
    ])
    t.match(down.found?.removed, [{ url: broken.at('/gone'), status: 200 }])
    t.match(broken.hits(), { '/breaks': 2, '/closed': 1, '/gone': 1 }, 'the second response counts')

    const still = await watch()
    t.match(still.run, { webhook_status: 'suppressed_no_change' })
    t.strictSame(still.found?.summary, { ...none, unchanged: 6 })

    broken.answers('/breaks', 200).answers('/closed', 200).answers('/gone', 200)
    const up = await watch()
    t.strictSame(up.counts, { added: 1, removed: 0, changed: 2, unchanged: 3 })
    t.strictSame(changes(up.found), [
      ['/breaks', 500, 200],
      ['/closed', 403, 200],
    ])
    t.match(up.found?.added, [{ url: broken.at('/gone'), status: 200 }])
  })

  await t.test('uses second responses even if all processes are killed before them', async t => {
    const broken = await startBreakable(t)
    broken.answers('/flaps', 500, 200).answers('/breaks', 500)
    const { body } = await system.call(key, 'POST', '/v1/crawls', { url: broken.at('/'), delay_ms: 2_000 })
    const attemptsOf = async (path: string): Promise<{ outcome: string; reason: string | null }[]> => {
      const query = `/v1/crawls/${body.id}/explain?url=${encodeURIComponent(broken.at(path))}`
      const answer = await system.call(key, 'GET', query).catch(() => null)
      return answer?.body.attempts ?? []
    }
    for (const path of ['/flaps', '/breaks'])
      await until(async () => (await attemptsOf(path))[0]?.outcome === 'retried', 30_000)
    t.match(await attemptsOf('/flaps'), [{ outcome: 'retried', reason: 'http_500' }])
    const { processes } = await system.runFile()
    for (const { pid } of processes) process.kill(pid, 'SIGKILL')
    await until(async () => {
      const answer = await system.call(null, 'GET', '/v1/ready').catch(() => null)
      return answer?.status === 200
    }, 60_000)
    t.match(await system.untilEnded(key, body.id), { status: 'done', page_count: 6, error_count: 0 })
    const { items } = (await system.call(key, 'GET', `/v1/crawls/${body.id}/pages`)).body
    const statusOf = (path: string) =>
      items.filter(({ url }: { url: string }) => url === broken.at(path)).map(({ status }: Page) => status)
    t.strictSame([statusOf('/flaps'), statusOf('/breaks')], [[200], [500]])
    t.match(await attemptsOf('/flaps'), [{ outcome: 'retried' }, { outcome: 'fetched' }])
    t.match((await system.call(key, 'GET', `/v1/crawls/${body.id}/coverage`)).body, {
      ...{ discovered: 6, fetched: 6, holds: true },
    })
    t.match(await system.admin('verify'), { ok: true })
  })
})

type Page = { url: string; status: number }

/** Starts a site of six pages with prescribed statuses. Each status is used once, and the last one repeatedly. */
async function startBreakable(t: Test) {
  const pages = ['/breaks', '/flaps', '/closed', '/busy', '/gone']
  const statuses = new Map<string, number[]>()
  const hits = new Map<string, number>()
  const answer = ({ url = '' }: IncomingMessage, response: ServerResponse) => {
    if (url !== '/' && !pages.includes(url)) return void response.writeHead(404).end()
    hits.set(url, (hits.get(url) ?? 0) + 1)
    const [status = 200, ...next] = statuses.get(url) ?? []
    if (next.length > 0) statuses.set(url, next)
    const links = url === '/' ? pages.map(to => `<a href="${to}">${to}</a>`).join(' ') : ''
    response.writeHead(status, { 'content-type': 'text/html' })
    response.end(
      `<title>${status}</title><p>${status === 200 ? ownWords(url) : 'It is broken.'} ${links}</p>`,
    )
  }
  const base = await serving(t, answer)
  const site = {
    at: (path: string) => base + path,
    answers(path: string, ...next: number[]) {
      statuses.set(path, next)
      return site
    },
    /** Returns the requests of each page since the last call. */
    hits() {
      const counts = Object.fromEntries(hits)
      hits.clear()
      return counts
    },
  }
  return site
}

/** Receives webhooks and stores their bodies. */
async function startReceiver(t: Test) {
  const bodies: { id: number; diff?: object }[] = []
  const url = await serving(t, async (request, response) => {
    bodies.push(JSON.parse(Buffer.concat(await request.toArray()).toString()))
    response.end()
  })
  return { url: `${url}/`, bodies }
}

async function serving(
  t: Test,
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<string> {
  const { url, close } = await listening(createServer(answer), '127.1.0.1')
  t.teardown(close)
  return url
}
