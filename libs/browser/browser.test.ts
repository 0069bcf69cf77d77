import { spawn } from 'node:child_process'
import { createHash, X509Certificate } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { selfSigned } from '@tidemark/testing/origin-certificate'
import { patient } from '@tidemark/testing/slowness'
import { isFullTier, sized } from '@tidemark/testing/tier'
import { until } from '@tidemark/testing/until'
import type { CDPSession, Page } from 'playwright-core'
import { test } from 'tap'
import { type ForwardProxy, type Site, startForwardProxy, startSite } from './browser.scene.ts'
import { type Executable, findBrowser } from './executable.ts'
import { hostilePages } from './hostile.pages.ts'
import type { RenderJob, Shown } from './job.ts'
import { Navigation } from './navigation.ts'
import { plainPages } from './plain.pages.ts'
import { type BrowserPool, openBrowserPool, type PoolEvent, type PoolOptions } from './pool.ts'
import { memoryOf, processesOf, signal } from './processes.ts'
import { type RenderError, renderCodes } from './render-error.ts'
import { Requests } from './requests.ts'

const renders = Number(process.env.RENDERS ?? 20)
const home = process.env.BROWSER_HOME ?? path.join(os.tmpdir(), `tidemark-chromium-${os.userInfo().username}`)
const isRoot = process.getuid?.() === 0

let executable: Executable
let site: Site
let other: Site
let proxy: ForwardProxy
let pool: BrowserPool

const identity = { locale: 'de-AT', viewport: { width: 800, height: 600 }, timezone: 'Europe/Vienna' }

function open(more: Partial<PoolOptions> = {}): BrowserPool {
  const limits = { size: 4, maxAgeMs: 600_000, maxRssBytes: 1e9, sandbox: !isRoot, report: () => {} }
  return openBrowserPool({ executable, proxy, ...limits, ...more })
}

/** Returns a job for a page of the site, by its path. */
function job(page: string, more: Partial<RenderJob> = {}): RenderJob {
  const bounds = { timeoutMs: patient(15_000), maxHtmlBytes: 5e6, picture: false, client: 'project 7' }
  const proxyLogin = { username: 'u', password: 'p' }
  return { url: site.url + page, waitFor: 'load', identity, proxyLogin, ...bounds, ...more }
}

const shown = (html: string) => /<pre[^>]*>(.*?)<\/pre>/s.exec(html)?.[1] ?? ''
const failure = (page: string, more?: Partial<RenderJob>) =>
  pool.render(job(page, more)).then(
    () => 'it was rendered',
    (error: RenderError) => error.code,
  )

test('Begin', async () => {
  executable = await findBrowser({ named: process.env.CHROMIUM_PATH ?? '', home })
  site = await startSite({ ...plainPages, ...hostilePages })
  other = await startSite(plainPages, '127.1.0.62')
  proxy = await startForwardProxy()
  pool = open()
})

test('A page is rendered', async t => {
  t.test('after its scripts have run, with its doctype', async t => {
    const { html, url, status, hops, headers, unreached, picture } = await pool.render(job('/made'))
    t.match(html, /^<!DOCTYPE html><html>.*made by a script<\/div>/)
    t.strictSame(
      { url, status, hops, unreached, picture },
      { ...{ url: `${site.url}/made`, status: 200 }, hops: [], unreached: null, picture: null },
    )
    t.equal(headers['content-type'], 'text/html; charset=utf-8')
  })
  t.test('with its open shadow roots, as templates that declare them', async t => {
    const { html } = await pool.render(job('/components'))
    const root = (inside: string) => `<template shadowrootmode="open">${inside}</template>`
    t.match(html, /^<!DOCTYPE html><html lang="en"><head><title>components<.*<\/body><\/html>$/s)
    const inner = `<x-inner>${root('<b>inner</b>')}</x-inner>`
    t.ok(html.includes(`<x-outer>${root(`<slot></slot>${inner}`)}slotted</x-outer>`), html)
    t.ok(html.includes(`<p>${root('<i>declared</i>')}</p><x-closed></x-closed>`), html)
  })
  t.test('when the network is idle', async t => {
    const [loaded, idle] = await Promise.all([
      pool.render(job('/late')),
      pool.render(job('/late', { waitFor: 'networkidle' })),
    ])
    t.notMatch(loaded.html, 'came late</div>')
    t.match(idle.html, 'came late</div>')
  })
  t.test('in its current state, when the awaited state is not reached', async t => {
    const [restless, hangs, half, endless] = await Promise.all([
      pool.render(job('/restless', { waitFor: 'networkidle', timeoutMs: 6_000 })),
      pool.render(job('/hangs', { timeoutMs: 6_000 })),
      pool.render(job('/half', { timeoutMs: 6_000 })),
      pool.render(job('/never-ending', { timeoutMs: 6_000 })),
    ])
    t.strictSame(
      [restless, hangs, half, endless].map(({ unreached }) => unreached),
      ['networkidle', 'load', 'load', 'load'],
    )
    t.match(hangs.html, 'shown')
    t.match(half.html, 'first half')
    t.equal((await pool.render(job('/hangs', { waitFor: 'domcontentloaded' }))).unreached, null)
  })
  t.test('at the target of redirects, scripts and refreshes', async t => {
    const { url, hops, html } = await pool.render(job('/moved'))
    t.equal(url, `${site.url}/plain`)
    const expected = ['/moved 302', '/goes-on 200', '/refreshes-once 200']
    t.strictSame(
      hops.map(hop => `${new URL(hop.url).pathname} ${hop.status}`),
      expected,
    )
    t.match(html, '<h1>Hello</h1>')
  })
  t.test('after a check, if one is expected, within the maximum wait', async t => {
    const shown: Shown[] = []
    const refusedFor = (ms: number) => (document: Shown) => {
      shown.push(document)
      return document.status === 403 ? ms : 0
    }
    const [through, early, plain] = await Promise.all([
      pool.render(job('/checks', { mayLeadOn: refusedFor(10_000) })),
      pool.render(job('/checks', { mayLeadOn: refusedFor(100) })),
      pool.render(job('/plain', { mayLeadOn: refusedFor(10_000) })),
    ])
    t.match(
      shown.find(({ status }) => status === 403),
      { headers: { 'content-type': 'text/html' }, html: /^<!DOCTYPE html><html>.*One moment/ },
    )
    t.match(through, { status: 200, html: 'Come in', hops: [{ status: 403 }] })
    t.match(early, { status: 403, html: 'One moment' })
    t.match(plain.html, 'Hello')
  })
  t.test('with any status', async t => t.equal((await pool.render(job('/missing'))).status, 404))
  t.test('without the kinds of requests that the job blocks', async t => {
    const before = site.requested.length
    const { requests } = await pool.render(job('/pictures', { block: ['image', 'stylesheet'] }))
    t.strictSame(site.requested.slice(before), ['/pictures'])
    t.strictSame(requests, { made: 4, refused: 3 })
  })
  t.test('only through the proxy, with one login', async t => {
    const { challenges, requested } = proxy
    const before = { challenges, requested: requested.length }
    await pool.render(job('/pictures', { proxyLogin: { username: 'me', password: 'secret' } }))
    t.equal(proxy.challenges - before.challenges, 1)
    t.same(new Set(requested.slice(before.requested).map(({ login }) => login)), new Set(['me:secret']))
  })
})

test('A picture', async t => {
  const size = (png: Buffer | null) => [png?.readUInt32BE(16), png?.readUInt32BE(20)]
  const [short, tall, cut, few] = await Promise.all([
    pool.render(job('/plain', { picture: true })),
    pool.render(job('/tall', { picture: true })),
    pool.render(job('/tall', { picture: true, maxPictureHeight: 1_000 })),
    pool.render(job('/tall', { picture: true, maxPicturePixels: 800 * 700 })),
  ])
  t.strictSame([size(short.picture), short.pictureCut], [[800, 600], null])
  t.strictSame([size(tall.picture), tall.pictureCut], [[800, 5_000], null])
  t.strictSame([size(cut.picture), cut.pictureCut], [[800, 1_000], { height: 1_000, pageHeight: 5_000 }])
  t.strictSame(size(few.picture), [800, 700])
})

test('The browser shows itself as one and the same', async t => {
  const agents = {
    own: undefined,
    Windows:
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Safari/537.36',
  }
  for (const [name, userAgent] of Object.entries(agents)) {
    const shows = { ...identity, ...(userAgent && { userAgent }) }
    const seen = await pool.render(job('/who', { identity: shows, waitFor: 'networkidle' }))
    const { page, worker } = JSON.parse(shown(seen.html))
    const told = JSON.parse(
      shown((await pool.render(job('/headers', { identity: shows }))).html).replaceAll('&quot;', '"'),
    )
    t.equal(told['user-agent'], page.agent, name)
    t.notMatch(JSON.stringify([seen, told]), /Headless/)
    t.strictSame([page.steered, worker.steered], [false, false])
    t.strictSame([worker.agent, worker.languages], [page.agent, page.languages])
    t.strictSame(
      [page.languages, told['accept-language'], page.zone, page.width],
      [['de-AT'], 'de-AT', 'Europe/Vienna', 800],
    )
    t.strictSame([page.platform, page.hint], userAgent ? ['Win32', 'Windows'] : ['Linux x86_64', 'Linux'])
    for (const brand of page.brands) t.ok(told['sec-ch-ua'].includes(brand), brand)
    t.equal(told['sec-ch-ua-platform'], `"${page.hint}"`)
  }
})

test('A header for one site stays there across a redirect', async t => {
  const to = encodeURIComponent(`${other.url}/headers`)
  const headersFor = ({ origin }: URL) =>
    origin === site.url ? { 'x-secret': 'ours' } : ({} as Record<string, string>)
  t.match((await pool.render(job('/headers', { headersFor }))).html, 'x-secret')
  const away = await pool.render(job(`/elsewhere?to=${to}`, { headersFor }))
  t.equal(away.url, `${other.url}/headers`)
  t.notMatch(away.html, 'x-secret')
})

test('A header of the page itself reaches other sites, and one for its site stays there', async t => {
  const ours = { authorization: 'Basic ours', 'x-secret': 'ours' }
  const headersFor = ({ origin }: URL) => (origin === site.url ? ours : ({} as Record<string, string>))
  const page = job(`/authorizes?to=${encodeURIComponent(other.url)}`, { headersFor, waitFor: 'networkidle' })
  t.strictSame(JSON.parse(shown((await pool.render(page)).html)), [
    ['Bearer page', null],
    ['Bearer page', null],
    ['Basic ours', 'ours'],
    [null, null],
  ])
  const via = (base: string, to: string) => `${base}/elsewhere?to=${encodeURIComponent(to)}`
  const there = via(other.url, via(site.url, `${other.url}/headers`))
  const away = await pool.render(job(via('', there), { headersFor }))
  t.equal(away.url, `${other.url}/headers`)
  t.notMatch(away.html, 'ours')
})

test('A header for one site stays there if a browser repeats it on redirects', async t => {
  const sent: { requestId: string; headers?: { name: string; value: string }[] }[] = []
  const send = async (_: string, command: (typeof sent)[number]) => void sent.push(command)
  const cdp = Object.assign(new EventEmitter(), { send }) as unknown as CDPSession & EventEmitter
  const headersFor = ({ host }: URL) =>
    host === 'a.test' ? { 'x-secret': 'ours' } : ({} as Record<string, string>)
  new Requests(cdp, 'main', job('/', { headersFor }))
  const paused = (requestId: string, url: string, secret: string | null, redirectedRequestId?: string) =>
    cdp.emit('Fetch.requestPaused', {
      ...{ requestId, frameId: 'main', resourceType: 'XHR', redirectedRequestId },
      request: { url, headers: { accept: 'text/html', ...(secret && { 'X-Secret': secret }) } },
    })
  paused('1.0', 'http://a.test/', null)
  paused('1.1', 'http://b.test/', 'ours', '1.0')
  paused('1.2', 'http://c.test/', 'ours', '1.1')
  paused('1.3', 'http://a.test/', 'ours', '1.2')
  paused('2.0', 'http://b.test/', 'page')
  paused('2.1', 'http://c.test/', 'page', '2.0')
  const accept = { name: 'accept', value: 'text/html' }
  const ours = { name: 'x-secret', value: 'ours' }
  t.strictSame(sent, [
    { requestId: '1.0', headers: [accept, ours] },
    { requestId: '1.1', headers: [accept] },
    { requestId: '1.2', headers: [accept] },
    { requestId: '1.3', headers: [accept, ours] },
    { requestId: '2.0' },
    { requestId: '2.1' },
  ])
})

test('The rules of a page also apply in its frames of other sites', async t => {
  const to = encodeURIComponent(other.url)
  const before = other.requested.length
  const reports: string[] = []
  const headersFor = ({ host }: URL) => {
    reports.push(host)
    return { 'x-for': host }
  }
  const { requests } = await pool.render(
    job(`/frames-elsewhere?to=${to}`, { headersFor, waitFor: 'networkidle', block: ['image', 'fetch'] }),
  )
  t.strictSame(other.requested.slice(before).sort(), ['/frame', '/frame?keyed', '/frame?sandboxed'])
  t.strictSame(requests, { made: 13, refused: 9 })
  t.equal(reports.filter(host => other.url.endsWith(host)).length, 3)

  const max = sized(100, 1_500)
  const insatiable = job(`/frames-insatiable?to=${to}`, {
    waitFor: 'networkidle',
    timeoutMs: patient(90_000),
    ...(!isFullTier && { maxRequests: max }),
  })
  const stopped = await pool.render(insatiable)
  t.ok(stopped.requests.made > max)
  t.equal(stopped.exceededRequests, max)
  t.ok(other.requested.length - before < max + 10)
})

test('A page over TLS is rendered where its certificate is trusted', async t => {
  const pair = selfSigned(['127.1.0.63'])
  const spki = new X509Certificate(pair.cert).publicKey.export({ type: 'spki', format: 'der' })
  await using secure = await startSite(plainPages, '127.1.0.63', pair)
  await using trusting = open({ trustedKeys: [createHash('sha256').update(spki).digest('base64')] })
  const { url, html } = await trusting.render(job('', { url: `${secure.url}/made` }))
  t.equal(url, `${secure.url}/made`)
  t.match(html, 'made by a script</div>')
  t.equal(await failure('', { url: `${secure.url}/made` }), 'tls')
})

test('A page cannot do anything that outlives it', async t => {
  const may = JSON.parse(shown((await pool.render(job('/may', { waitFor: 'networkidle' }))).html))
  t.strictSame(may.states, ['denied', 'denied', 'denied', 'denied'])
  t.strictSame(
    [may.clipboard, may.opened, may.peer, may.service],
    ['NotAllowedError', null, 'undefined', null],
  )
})

test('A response that is not a page ends with a clear error', async t => {
  const ends: Record<string, string> = {
    '/pdf': 'download',
    '/zip': 'download',
    '/empty': 'no_document',
    '/circle': 'too_many_redirects',
    '/to-file': 'bad_url',
    '/to-chrome': 'bad_url',
  }
  for (const [page, code] of Object.entries(ends)) t.equal(await failure(page), code, page)
  for (const [page, says] of [
    ['/zip', renderCodes.download],
    ['/empty', renderCodes.no_document],
    ['/circle', renderCodes.too_many_redirects],
    ['/astray', 'The proxy made no connection: tunnel connection failed'],
  ] as const)
    await t.rejects(pool.render(job(page)), { message: says }, `${page} with our own message`)
  for (const url of [
    'file:///etc/passwd',
    'chrome://gpucrash',
    'data:text/html,x',
    'javascript:1',
    'nonsense',
  ])
    t.equal(await failure('', { url }), 'bad_url', url)
  t.equal(await failure('', { url: 'https://127.1.0.9:44444/' }), 'proxy')
  const times = sized(6, 12)
  const astray = (n: number) => failure('/astray', { picture: n % 2 === 0 })
  const ended = await Promise.all(Array.from({ length: times }, (_, n) => astray(n)))
  t.strictSame(
    ended,
    Array(times).fill('proxy'),
    'the error page of Chromium is not a result, whenever it appears',
  )
  for (const page of ['/json', '/text']) t.match((await pool.render(job(page))).html, '<pre')
  t.match((await pool.render(job('/png'))).html, '<img')
})

test('A hostile page takes a bounded time', async t => {
  const endless = { timeoutMs: 2_500 }
  const popups = sized(60, 1_000)
  const many = sized(60, 200)
  // The cases run at once, so the last ones wait for slots until the first ones have used their time.
  const waits = { timeoutMs: patient(240_000) }
  const cases: [string, string, Partial<RenderJob>?][] = [
    ['/loop', 'timeout', endless],
    ['/alert-loop', 'timeout', endless],
    ['/memory', 'too_large'],
    ['/big', 'too_large'],
    ...[
      ...['/alerts', `/popups?${popups}`, `/links?${many}`, '/saves', '/print', '/beforeunload', '/sockets'],
      ...['/requests', '/reloads', '/refreshes', `/frames?${many}`, '/deep', '/history'],
      ...['/opens-files', '/opens-chrome', '/reads-files'],
    ].map((page): [string, string] => [page, 'rendered']),
  ]
  await Promise.all(
    cases.map(async ([page, outcome, more]) => {
      const rendered = await pool.render(job(page, more ?? waits)).catch((error: RenderError) => error.code)
      t.equal(typeof rendered === 'string' ? rendered : 'rendered', outcome, page)
      if (page.startsWith('/popups') && typeof rendered === 'object') t.equal(rendered.popups, popups)
      if (typeof rendered === 'object') t.notMatch(rendered.html, 'root:')
    }),
  )
  const busy = await pool.render(job('/workers', { timeoutMs: 2_000 })).then(
    () => 'rendered',
    ({ code }) => code,
  )
  t.match(busy, /rendered|timeout/, 'with fifty scripts at once that never end')
  t.match((await pool.render(job('/print'))).html, 'printed')
  t.equal((await pool.render(job('/plain'))).status, 200)
})

test('A job waits for a slot, and at most until its deadline', async t => {
  await using one = open({ size: 1, maxWaiting: 3 })
  const order: string[] = []
  const render = (client: string) => one.render(job('/plain', { client })).then(() => order.push(client))
  const busy = one.render(job('/loop', { timeoutMs: 1_500 })).catch(({ code }) => code)
  const late = one.render(job('/plain', { timeoutMs: 300 })).catch(({ code }) => code)
  t.equal(await late, 'busy')
  const calling = new AbortController()
  const called = one.render(job('/plain', { signal: calling.signal })).catch(({ code }) => code)
  calling.abort()
  t.equal(await called, 'aborted')
  const jobs = [render('many'), render('many'), render('few')]
  t.equal(await one.render(job('/plain')).catch(({ code }) => code), 'busy', 'too many wait')
  t.equal(await busy, 'timeout')
  await Promise.all(jobs)
  t.strictSame(order, ['many', 'few', 'many'])
})

test('Jobs run in prewarmed tabs, and each tab runs one job', async t => {
  await using one = open({ size: 2 })
  const ahead = () => one.state().browsers[0]?.ahead
  const stored = `${site.url}/stores`
  for (let i = 0; i < 4; i++) {
    t.match(
      (await one.render(job('', { url: stored }))).html,
      '<pre>0 </pre>',
      'without data of the job before',
    )
    await until(() => one.state().running === 0)
    t.equal(ahead(), Math.min(i, 1), 'no tab is opened before one is expected')
  }
  const dark = { ...identity, colorScheme: 'dark' as const, headers: { 'x-mine': 'mine' } }
  const seen = await one.render(job('/headers', { identity: dark }))
  t.match(seen.html, 'x-mine')
  t.notMatch((await one.render(job('/headers'))).html, 'x-mine')
  await Promise.all(Array.from({ length: 8 }, () => one.render(job('/plain'))))
  await until(() => one.state().running === 0)
  t.equal(ahead(), 2, 'as many as run at once')
})

test('A browser is replaced by count, age and memory', async t => {
  const limits = { jobs: { maxJobs: 2 }, age: { maxAgeMs: 1 }, memory: { maxRssBytes: 1 } }
  const replaced = Object.entries(limits).map(async ([because, limit]) => {
    const events: PoolEvent[] = []
    const report = (event: PoolEvent) => events.push(event)
    await using small = open({ size: 1, maxPageBytes: 1e9, ...limit, report })
    for (let i = 0; i < 3; i++) await small.render(job('/late', { waitFor: 'networkidle' }))
    t.match(
      events.find(({ type }) => type === 'retired'),
      { because },
      because,
    )
    const pids = events.filter(event => event.type === 'started').map(({ pid }) => pid)
    t.ok(pids.length >= 2)
    await until(() => pids.slice(0, -1).every(pid => processesOf(pid).length === 0), 5_000)
  })
  await Promise.all(replaced)
})

test(`Of ${renders} renders with the browser killed every 20, none is lost`, async t => {
  const pids = new Set<number>()
  const held: number[] = []
  const sizes: number[] = []
  const lost: string[] = []
  {
    await using killed = open({ report: event => event.type === 'started' && pids.add(event.pid) })
    const one = async () => {
      const { html } = await killed.render(job('/made')).catch(error => ({ html: String(error) }))
      if (!html.includes('made by a script')) lost.push(html)
      else held.push(heldByAll(killed))
    }
    for (let done = 0; done < renders; done += 20) {
      const round = Array.from({ length: Math.min(20, renders - done) }, one)
      await Promise.race(round)
      for (const { pid } of killed.state().browsers) signal(pid)
      await Promise.all(round)
      await until(() => killed.state().running === 0)
      sizes.push(process.memoryUsage().rss)
    }
  }
  t.strictSame(lost, [])
  t.ok(pids.size > renders / 20)
  await until(() => [...pids].every(pid => processesOf(pid).length === 0), 10_000)
  for (const [whose, bytes] of Object.entries({ 'the browser': held, 'this process': sizes })) {
    const quarter = Math.ceil(bytes.length / 4)
    const [first, last] = [median(bytes.slice(0, quarter)), median(bytes.slice(-quarter))]
    t.comment(
      `${whose}: ${Math.round(first / 1e6)} MB in the first quarter, ${Math.round(last / 1e6)} MB in the last`,
    )
    if (renders >= 200) t.ok(last / first < 1.15, `${whose} did not grow`)
  }
})

test('A page whose process is killed is rendered again', async t => {
  const rendering = pool.render(job('/late', { waitFor: 'networkidle' }))
  await sleep(250)
  for (const { pid } of pool.state().browsers)
    for (const process of processesOf(pid)) if (process.pid !== pid) signal(process.pid)
  t.match((await rendering).html, 'came late')
})

test('A page beside one that took too much memory is rendered again if the whole browser ends', async t => {
  let isEnded = false
  const report = (event: PoolEvent) => {
    if (event.type !== 'relieved' || isEnded) return
    isEnded = true
    signal(event.pid)
  }
  await using both = open({ size: 2, report })
  const beside = both.render(job('/stalls-once'))
  t.equal(await both.render(job('/memory')).catch(({ code }) => code), 'too_large')
  t.match((await beside).html, 'there now')
  t.ok(isEnded)
})

test('A browser survives the kill of its graphics process', async t => {
  for (let i = 0; i < sized(1, 3); i++) {
    const rendering = pool.render(job('/late', { picture: true, waitFor: 'networkidle' }))
    await sleep(150)
    for (const { pid } of pool.state().browsers)
      for (const process of processesOf(pid)) if (isDrawing(process.pid)) signal(process.pid)
    const { picture, html } = await rendering
    t.match(html, 'came late')
    t.equal(picture?.readUInt32BE(16), 800)
  }
})

test('A browser that is stuck is killed, and another one runs its job', async t => {
  const events: PoolEvent[] = []
  await using stuck = open({ report: event => events.push(event) })
  await stuck.render(job('/plain'))
  const [browser] = stuck.state().browsers
  signal(browser?.pid ?? 0, 'SIGSTOP')
  t.equal(await stuck.render(job('/plain', { timeoutMs: 1_000 })).catch(({ code }) => code), 'timeout')
  await until(() => events.some(({ type }) => type === 'killed'), 3_000)
  await until(() => processesOf(browser?.pid ?? 0).length === 0, 5_000)
  t.equal((await stuck.render(job('/plain'))).status, 200)
})

test('A browser that a script started is limited and ended like any other', async t => {
  const script = path.join(t.testdir({ chromium: `#!/bin/sh -e\n'${executable.path}' "$@"\n` }), 'chromium')
  fs.chmodSync(script, 0o755)
  const events: PoolEvent[] = []
  const wrapped = {
    executable: { ...executable, path: script },
    report: (event: PoolEvent) => events.push(event),
  }
  await using started = open(wrapped)
  t.equal(await started.render(job('/memory')).catch(({ code }) => code), 'too_large')
  const [browser] = started.state().browsers
  t.ok((browser?.bytes ?? 0) > 1e7, 'its memory is measured')
  signal(browser?.pid ?? 0, 'SIGSTOP')
  t.equal(await started.render(job('/plain', { timeoutMs: 1_000 })).catch(({ code }) => code), 'timeout')
  await until(() => events.some(({ type }) => type === 'killed'), 3_000)
  await until(() => !fs.existsSync(`/proc/${browser?.pid}`), 5_000)
  t.equal((await started.render(job('/plain'))).status, 200)
})

test('A browser whose folder cannot be written ends', async t => {
  const dir = t.testdir({
    chromium: `#!/bin/sh -e\necho $$ > "\${0%/*}/pid"\nmkdir "$HOME/profile"\nexec '${executable.path}' "$@"\n`,
  })
  const script = path.join(dir, 'chromium')
  fs.chmodSync(script, 0o755)
  await using started = open({ executable: { ...executable, path: script } })
  t.equal(await started.render(job('/plain')).catch(({ code }) => code), 'browser')
  const pid = Number(fs.readFileSync(path.join(dir, 'pid'), 'utf8'))
  await until(() => !fs.existsSync(`/proc/${pid}`), 5_000)
})

test('When its owner is killed, the browser ends by itself', async t => {
  const script = path.join(import.meta.dirname, 'left-behind.scene.ts')
  const owner = spawn(process.execPath, [script, JSON.stringify(executable)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = await once(owner.stdout, 'data')
  const pid = Number(String(line))
  t.ok(processesOf(pid).length > 2)
  owner.kill('SIGKILL')
  await until(() => processesOf(pid).every(({ state }) => state === 'Z'), 10_000)
})

test('Headers that the browser has dropped are those that were recorded on arrival', async t => {
  const frame = {}
  const page = Object.assign(new EventEmitter(), { mainFrame: () => frame, url: () => 'http://a.test/' })
  const navigation = new Navigation(page as unknown as Page, new EventEmitter() as unknown as CDPSession, '')
  page.emit('response', {
    request: () => ({ isNavigationRequest: () => true, frame: () => frame }),
    status: () => 203,
    headers: () => ({ server: 'told' }),
    allHeaders: async () => Promise.reject(new Error('The object has been collected')),
  })
  page.emit('framenavigated', frame)
  const url = 'http://a.test/'
  t.strictSame(await navigation.outcome(), { url, status: 203, headers: { server: 'told' }, hops: [] })
})

test('End', async t => {
  const pids = pool.state().browsers.map(({ pid }) => pid)
  await pool[Symbol.asyncDispose]()
  await until(() => pids.every(pid => processesOf(pid).length === 0), 10_000)
  t.equal(await failure('/plain'), 'aborted')
  await Promise.all([site, other, proxy].map(one => one[Symbol.asyncDispose]()))
})

function isDrawing(pid: number): boolean {
  return fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('--type=gpu-process')
}

/** Returns the bytes of all processes of a pool's browsers. */
function heldByAll(browsers: BrowserPool): number {
  const pids = browsers.state().browsers.flatMap(({ pid }) => processesOf(pid))
  return pids.reduce((sum, { pid }) => sum + memoryOf(pid), 0)
}

function median(numbers: number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0
}
