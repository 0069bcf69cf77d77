/** Pages that our browser renders, and the transfer of results to clients. */

import { openBulky } from '@tidemark/bus/bulky'
import { call } from '@tidemark/bus/rpc'
import type { PageAction } from '@tidemark/contracts/http/cloud/page-action'
import type { By, FetchNow } from '@tidemark/contracts/rpc/fetch'
import * as fetchRpc from '@tidemark/contracts/rpc/fetch'
import { notifications } from '@tidemark/contracts/subjects'
import { binaryFiles } from '@tidemark/html/binary-files.examples'
import { startOrigin } from '@tidemark/testing/origin'
import { startCanary } from '@tidemark/testing/origin-canary'
import { patient } from '@tidemark/testing/slowness'
import { until } from '@tidemark/testing/until'
import { test } from 'tap'
import { createPackBody } from './adapters/pack-body.ts'
import { type Egress, startService as startEgress } from './egress-service.ts'
import { startScene } from './fetcher.scene.ts'
import { packAnswer } from './handlers/pack-answer.ts'

const word = `<script>document.body.append('by ' + 'script ü')</script>`
/** Elements that are recognizable by their remains in a document. */
const kept = /^(?:image\/(?:png|gif)|application\/(?:pdf|zip|gzip))$/
const html = (body: string) => ({ headers: { 'content-type': 'text/html; charset=utf-8' }, body })

test('A rendered page', { timeout: patient(300_000) }, async t => {
  const scene = await startScene()
  const origin = await startOrigin()
  t.teardown(() => Promise.all([scene.close(), origin.close()]))
  await scene.start({
    FETCH_LANES: 'browser',
    RENDER_MAX_BYTES: String(2 * 1024 ** 2),
    BROWSER_BLOCK: 'font',
  })
  let works = 0
  async function renderNow(
    path: string,
    more: Partial<FetchNow> = {},
    picture = false,
    actions: PageAction[] = [],
  ) {
    works -= 1
    const by: By = { backend: 'browser', waitFor: 'load', picture, ...(actions.length > 0 && { actions }) }
    const url = path.startsWith('/') ? origin.url + path : path
    const limits = { maxHops: 3, maxBytes: 10e6, cuts: false, timeoutMs: 20_000 }
    const request: FetchNow = { workId: works, url, ...limits, by, ...more }
    const answer = { timeoutMs: 40_000 }
    const { header, blobs } = await call(scene.bus, fetchRpc.renderNow, request, answer)
    return { ...header, text: Buffer.from(blobs[0] ?? []).toString(), picture: blobs[1] }
  }
  const failed = (reason: string) => ({ is: 'failed', reason })

  await t.test('is the document after its scripts, with a picture on request', async t => {
    origin.site({
      '/made': html(`<title>Made</title><body>${word}`),
      '/moved': { status: 302, headers: { location: '/made' } },
      '/tall': html('<!doctype html><body style="margin:0"><div style="height:25000px">'),
    })
    const made = await renderNow('/moved', {}, true)
    t.match(made, {
      is: 'fetched',
      url: `${origin.url}/made`,
      status: 200,
      hops: [{ url: `${origin.url}/moved`, status: 302 }],
      contentType: 'text/html; charset=utf-8',
      encodings: { length: 0 },
      bulkyKey: null,
      text: /by script ü/,
    })
    t.same(
      Buffer.from(made.picture ?? [])
        .subarray(1, 4)
        .toString(),
      'PNG',
    )
    t.ok(made.is === 'fetched' && (made.moved ?? 0) > 500)
    t.notOk('pictureWarning' in made)
    const tall = await renderNow('/tall', {}, true)
    const pictureWarning = "the screenshot shows the first 20000 of 25000 pixels of the page's height"
    t.match(tall, { pictureWarning })
    t.equal(Buffer.from(tall.picture ?? []).readUInt32BE(20), 20_000)
    t.match(await renderNow('/status/404'), { status: 404 })
    t.equal((await renderNow('/made')).picture, undefined)
    await renderNow('/made', { userAgent: 'Own/1' })
    t.equal(origin.hits.findLast(({ path }) => path === '/made')?.headers['user-agent'], 'Own/1')
  })

  await t.test('is read after the actions on it', async t => {
    const secret = 'ox-eye daisy'
    const form = `<title>Form</title><form action=/found><input name=q id=q><input type=submit id=go><button id=off disabled>Off</button></form>`
    const late = `<title>Found</title><body><script>
      const q = new URLSearchParams(location.search).get('q')
      setTimeout(() => document.body.insertAdjacentHTML('beforeend', '<p id=hit>found ' + q + '<button id=more>more'), 300)
      addEventListener('click', ({ target }) => target.id === 'more' && target.insertAdjacentHTML('afterend', '<p id=all>all of it'))
      addEventListener('keydown', ({ key }) => document.body.append('pressed ' + key))
      </script>`
    origin.site({
      '/form': html(form),
      '/found': html(late),
      '/red': html('<title>Red</title><body style="background:red">'),
      '/blue': html('<title>Blue</title><body style="background:blue">'),
      '/picture': html('<body style="margin:0;height:50px">'),
    })
    const fill: PageAction = { type: 'fill', selector: '#q', value: secret }
    const found = await renderNow('/form', {}, false, [
      fill,
      { type: 'click', selector: '#go' },
      { type: 'wait_for', selector: '#hit' },
      { type: 'click', selector: '#more' },
      { type: 'wait_for', ms: 50 },
      { type: 'press', key: 'Escape' },
    ])
    t.match(found, {
      is: 'fetched',
      status: 200,
      text: /found ox-eye daisy[\s\S]*all of it[\s\S]*pressed Escape/,
    })
    t.match(found, { url: /\/found\?q=ox-eye/, hops: [{ status: 200 }] })
    t.match(await renderNow('/form', {}, false, [fill, { type: 'press', selector: '#q', key: 'Enter' }]), {
      url: /\/found\?q=ox-eye/,
    })
    t.match(await renderNow('/form', {}, false, [{ type: 'goto', url: '/found?q=2' }]), { url: /q=2$/ })
    const onward: PageAction = { type: 'goto', url: '/blue' }
    const pictures: string[] = []
    for (const actions of [
      [onward],
      [{ type: 'screenshot' } as const, onward],
      [onward, { type: 'screenshot' } as const],
    ]) {
      const { picture } = await renderNow('/red', {}, true, actions)
      pictures.push(Buffer.from(picture ?? []).toString('base64'))
    }
    const [atEnd, before, after] = pictures
    t.not(before, atEnd, 'a picture of the page before the action')
    t.equal(after, atEnd, 'a picture of the page after it')

    const failing: [actions: PageAction[], message: RegExp][] = [
      [
        [
          { type: 'wait_for', ms: 1 },
          { type: 'click', selector: '#no' },
        ],
        /actions\[1\] \(click #no\) found no element/,
      ],
      [
        [{ type: 'fill', selector: '#go', value: secret }],
        /actions\[0\] \(fill #go\) found an element of another kind/,
      ],
      [
        [{ type: 'click', selector: '#off' }],
        /actions\[0\] \(click #off\) found its element, but could not use it/,
      ],
      [[{ type: 'click', selector: ':nope(' }], /actions\[0\] \(click :nope\(\) has an invalid selector/],
      [[{ type: 'goto', url: 'http://10.1.2.3/' }], /actions\[0\] \(goto\) .* 10\.1\.2\.3 is private/],
      [
        [{ type: 'goto', url: `${origin.url}/redirect-to?url=http://10.1.2.3/` }],
        /actions\[0\] \(goto\) .* 10\.1\.2\.3 is private/,
      ],
    ]
    for (const [actions, message] of failing) {
      const failure = await renderNow('/form', {}, false, actions)
      t.match(failure, { is: 'failed', reason: 'action_failed', message })
      t.notMatch(JSON.stringify(failure), secret, 'and no value of a field')
    }
    const started = performance.now()
    const late2 = await renderNow('/form', { timeoutMs: 4_000 }, false, [
      { type: 'wait_for', selector: '#no' },
    ])
    t.match(late2, { is: 'failed', reason: /action_failed|timeout/ })
    t.ok(performance.now() - started < 15_000, 'within the time of the request')
  })

  await t.test('is the page behind a check, on any request', async t => {
    const passed = {
      is: 'fetched',
      status: 200,
      headers: { 'content-signal': 'search=yes' },
      text: /^<!DOCTYPE html><html><head><title>A page/,
    }
    const deep = (path: string) => renderNow(path, { timeoutMs: 40_000 })
    t.match(await renderNow('/cookie-check/800'), passed, 'an unknown check')
    const by = { backend: 'browser', waitFor: 'networkidle', picture: false } as const
    t.match(await renderNow('/cookie-check/800', { by }), passed, 'also if the network is idle before')
    t.match(await renderNow('/cookie-check/800?silent'), passed, 'a check whose script removes itself')
    t.match(await deep('/cookie-check/6000?title=Just%20a%20moment'), passed, 'a slow check')
    t.match(
      await renderNow('/cookie-check/800?status=200&title=Radware%20Captcha'),
      passed,
      'a check with status 200',
    )
  })

  await t.test('is not waited for without a chance of change, and otherwise for a bounded time', async t => {
    const many = 'word '.repeat(400)
    const script = '<script>var x = 1</script>'
    origin.site({
      '/refused': { status: 403, ...html('<h1>Forbidden</h1>') },
      '/denied': { status: 403, ...html('<title>Access Denied</title>Reference #18') },
      '/wordy': { status: 403, ...html(`${many}${script}`) },
      '/lost': { status: 404, ...html(`Lost${script}`) },
      '/small': html(`Hello${script}`),
      '/stands': { status: 403, ...html(`Forbidden${script}`) },
    })
    await renderNow('/small')
    for (const path of ['/refused', '/denied', '/wordy', '/lost', '/small']) {
      const { elapsedMs } = { elapsedMs: Infinity, ...(await renderNow(path)) }
      t.ok(elapsedMs < 3_000, `${path}: ${Math.round(elapsedMs)} ms`)
      t.comment(`${path}: ${Math.round(elapsedMs)} ms`)
    }
    const stood = { elapsedMs: Infinity, ...(await renderNow('/stands')) }
    t.match(stood, { status: 403, text: /Forbidden/ })
    t.ok(stood.elapsedMs < 8_000, `${stood.elapsedMs} ms`)
  })

  await t.test('does not exist for a binary file that was sent as text', async t => {
    for (const [type, body] of binaryFiles.filter(([type]) => kept.test(type)))
      for (const charset of ['', '; charset=utf-8']) {
        origin.site({ '/file': { headers: { 'content-type': `text/html${charset}` }, body } })
        t.match(await renderNow('/file'), { is: 'fetched', contentType: type }, type + charset)
      }
  })

  await t.test('reaches no internal address in any way', async t => {
    await using canary = await startCanary()
    const inside = `http://127.0.0.1:${canary.port}`
    origin.site({
      '/spy': html(`<img src="${inside}/a"><iframe src="${inside}/b"></iframe><script>
        fetch('${inside}/c').catch(() => {}); new WebSocket('ws://127.0.0.1:${canary.port}/d')</script>`),
      '/go': html(`<script>location = '${inside}/'</script>`),
      '/redirected': { status: 302, headers: { location: `${inside}/` } },
      '/listed': { status: 302, headers: { location: 'http://www.malware.test/' } },
      '/to-file': { status: 302, headers: { location: 'file:///etc/passwd' } },
      '/to-port': { status: 302, headers: { location: `http://${origin.host}:22/` } },
    })
    t.match(await renderNow('/spy'), { is: 'fetched', status: 200 })
    t.match(await renderNow(`${inside}/`), failed('private_address'))
    t.match(await renderNow('https://10.0.0.1/'), failed('private_address'))
    t.match(await renderNow('/redirected'), failed('private_address'))
    await renderNow('/go')
    t.match(await renderNow('/listed'), failed('blocked_domain'))
    t.match(await renderNow('/to-file'), { ...failed('protocol'), message: /unsafe redirect/ })
    t.match(await renderNow('/to-port'), { ...failed('protocol'), message: /may be requested/ })
    t.match(await renderNow(`http://${origin.host}:22/`), failed('bad_url'), 'the client chose it')
    t.match(await renderNow('http://no-such-host.invalid/'), failed('dns'))
    t.equal(canary.hits, 0)
  })

  await t.test('has a bounded address, and so have the pages before it', async t => {
    const long = 'a'.repeat(8_192)
    const goesTo = (address: string) => html(`<script>location.replace(${address})</script>`)
    origin.site({
      '/end': html('<p>End'),
      '/long-hop': goesTo(`'/passes?${long}'`),
      '/passes': goesTo("'/end'"),
      '/long': html(`<p>Long<script>history.pushState(0, '', '/' + 'a'.repeat(2e6))</script>`),
      '/fragment': html(`<p>Fragment<script>history.pushState(0, '', '#' + 'a'.repeat(2e6))</script>`),
      '/short': html(`<p>Short<script>history.pushState(0, '', '#part')</script>`),
    })
    const hopped = await renderNow('/long-hop')
    t.match(hopped, { is: 'fetched', url: `${origin.url}/end` })
    t.strictSame(hopped.hops, [{ url: `${origin.url}/long-hop`, status: 200 }])
    t.ok(origin.hits.some(({ path }) => path === `/passes?${long}`))
    const message = /address of more than 8192 characters/
    t.match(await renderNow('/long'), { is: 'failed', reason: 'too_large', message })
    t.match(await renderNow('/fragment'), { is: 'fetched', url: `${origin.url}/fragment`, text: /Fragment/ })
    t.match(await renderNow('/short'), { is: 'fetched', url: `${origin.url}/short#part` })
  })

  await t.test('has a warning if it was not loaded completely', async t => {
    const by = (waitFor: 'load' | 'domcontentloaded' | 'networkidle'): Partial<FetchNow> => ({
      by: { backend: 'browser', waitFor, picture: false },
      timeoutMs: 5_000,
    })
    const unfinished = (state: string) => `the page had not finished loading (${state}) when it was read`
    const exceeded = (limit: string) => `the page exceeded the limit of ${limit}, so the rest was not loaded`
    const send = '<script>setInterval(() => fetch("/plain"), 100)</script>'
    origin.site({
      '/polls': html(`<p>Polls${send}`),
      '/hangs': html('<p>Hangs<img src="/never-answers">'),
      '/heavy': html('<link rel=stylesheet href="/large.css"><p>Heavy'),
      '/large.css': { headers: { 'content-type': 'text/css' }, body: ' '.repeat(4 * 1024 ** 2) },
      '/many': html('<p>Many<script>for (let i = 0; i < 1600; i++) fetch("/none?" + i)</script>'),
    })
    const warningsOf = async (path: string, more: Partial<FetchNow>) => {
      const rendered = await renderNow(path, more)
      return rendered.is === 'fetched' ? (rendered.warnings ?? []) : rendered
    }
    t.strictSame(await warningsOf('/stalls-at-99', by('load')), [unfinished('load')])
    t.strictSame(await warningsOf('/stalls-at-99', by('domcontentloaded')), [unfinished('domcontentloaded')])
    t.strictSame(await warningsOf('/hangs', by('load')), [unfinished('load')])
    t.strictSame(await warningsOf('/hangs', by('networkidle')), [unfinished('load')])
    t.strictSame(await warningsOf('/hangs', by('domcontentloaded')), [], 'it reached the awaited state')
    t.strictSame(await warningsOf('/polls', by('networkidle')), [], 'a page that polls is loaded')
    t.strictSame(await warningsOf('/heavy', by('load')), [exceeded(`${2 * 1024 ** 2} bytes`)])
    const many = await warningsOf('/many', { ...by('networkidle'), timeoutMs: 20_000 })
    t.strictSame(many, [exceeded('1500 requests')])
  })

  await t.test('respects limits of bytes, redirects and time, and can be aborted', async t => {
    t.match(await renderNow('/redirect-chain/5'), failed('too_many_redirects'))
    t.match(await renderNow('/never-answers', { timeoutMs: 1_500 }), failed('timeout'))
    const endless = await renderNow('/endless', { timeoutMs: 5_000 })
    t.ok(endless.is === 'fetched' && (endless.moved ?? 0) < 3 * 1024 ** 2, 'the part until the timeout')
    origin.site({ '/long': html(`<p>${'word '.repeat(50_000)}`) })
    t.match(await renderNow('/long', { maxBytes: 10_000 }), failed('too_large'))
    const hits = origin.hits.length
    const requested = renderNow('/never-answers', { workId: -5_000 })
    await until(() => origin.hits.length > hits)
    scene.bus.nc.publish(notifications.workDropped, JSON.stringify({ workId: -5_000 }))
    t.match(await requested, failed('aborted'))
    await until(() => origin.connections.open === 0)
    t.pass('no connection of it is left')
  })
})

test('A browser uses the egress proxy if there is one', { timeout: patient(300_000) }, async t => {
  await using stack = new AsyncDisposableStack()
  const scene = stack.adopt(await startScene(), scene => scene.close())
  const origin = stack.adopt(await startOrigin(), origin => origin.close())
  const EGRESS_PASSWORD = 'a long enough password'
  const egress = { EGRESS_PASSWORD, EGRESS_PORT: '0', CONNECT_TIMEOUT_MS: '1000' }
  const open = stack.use(await startEgress({ ...egress, EGRESS_ALLOW: '127.1.0.0/16' }))
  const shut = stack.use(await startEgress(egress))
  origin.site({ '/made': html(`<body>${word}`) })

  async function renderBy({ server }: Egress, password: string, more: Record<string, string> = {}) {
    const EGRESS_PROXY = server.replace('//', `//browser:${encodeURIComponent(password)}@`)
    const fetcher = await scene.start({ FETCH_LANES: 'browser', EGRESS_PROXY, ...more })
    const by: By = { backend: 'browser', waitFor: 'load', picture: false }
    const limits = { maxHops: 3, maxBytes: 10e6, cuts: false, timeoutMs: 10_000 }
    const request: FetchNow = { workId: -9, url: `${origin.url}/made`, ...limits, by }
    const { header } = await call(scene.bus, fetchRpc.renderNow, request, { timeoutMs: 30_000 })
    await fetcher.stop()
    return header
  }

  t.match(await renderBy(open, EGRESS_PASSWORD), { is: 'fetched', status: 200 })
  const hits = origin.hits.length
  t.ok(hits > 0)
  t.match(await renderBy(shut, EGRESS_PASSWORD), { is: 'failed' }, 'its private addresses are not reached')
  t.match(await renderBy(open, 'another password'), { is: 'failed' }, 'nor with a wrong password')
  const ownGuard = await renderBy(open, EGRESS_PASSWORD, { EGRESS_ALLOW: '127.9.0.0/16' })
  t.match(ownGuard, { is: 'failed', reason: 'private_address' }, 'nor what is private here')
  t.equal(origin.hits.length, hits)
})

test('Results that do not fit into a message go through the object store', async t => {
  const scene = await startScene()
  t.teardown(() => scene.close())
  const stop = new AbortController()
  const bulky = openBulky(scene.bus)
  const packBody = createPackBody({ bulky, signal: stop.signal, report: error => t.fail(String(error)) })
  const lent: string[] = []
  const lentBodies = { lend: (key: string) => void lent.push(key), discard() {} }
  const pack = (bytes: number, pixels: number, name: string) =>
    packAnswer(
      { packBody, lentBodies },
      { body: Buffer.alloc(bytes), encodings: ['br'], picture: Buffer.alloc(pixels, 7) },
      name,
      stop.signal,
    )
  const mega = 1024 ** 2
  t.match(await pack(mega, mega, 'small'), { bulkyKey: null, picture: { bulkyKey: null } })
  t.match(await pack(4 * mega, 3 * mega, 'pair'), { bulkyKey: null, picture: { bulkyKey: 'pair:picture' } })
  t.match(await pack(7 * mega, 5 * mega, 'body'), { bulkyKey: 'body', picture: { bulkyKey: null } })
  t.match(await pack(7 * mega, 7 * mega, 'both'), { bulkyKey: 'both', picture: { bulkyKey: 'both:picture' } })
  t.same(lent, ['pair:picture', 'body', 'both', 'both:picture'])
  t.same(await bulky.get('pair:picture'), Buffer.alloc(3 * mega, 7), 'as it was')
})
