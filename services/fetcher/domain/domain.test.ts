/** Decisions of the fetcher: concurrent requests per host, the proxy, and the user agent. */
import { withoutValues } from '@tidemark/browser/without-values'
import type { Fetched } from '@tidemark/http/fetch'
import type { Headers } from '@tidemark/http/headers'
import fc from 'fast-check'
import { test } from 'tap'
import { answerOf } from './answer.ts'
import { browsers } from './browsers.ts'
import { challengeWaitFor } from './check-page.ts'
import { conditionsOf, revisitOf } from './conditions.ts'
import { typeAndRobotsOf } from './headers-of.ts'
import { HostWindow, type Strain } from './host-window.ts'
import { createIdentify } from './identity.ts'
import { keptHeaders } from './kept-headers.ts'
import { absoluteSteps } from './login-steps.ts'
import { memoize } from './memoize.ts'
import { messageId, orderName } from './names.ts'
import { ownHeaders } from './own-headers.ts'
import { createRotation } from './rotation.ts'
import { strainOf } from './strain.ts'
import { createVisitCookies } from './visit-cookies.ts'

const max = 8

test('A response that throttles is the page only at the last of three attempts', async t => {
  const classOf = (attempt: number, earlier?: number) =>
    answerOf({ url: 'https://a.example/', location: null, backOffMs: 5_000, attempt, earlier })
  const throttled = { type: 'throttled', retryAfterMs: 5_000 }
  t.strictSame(
    [1, 2, 3].map(attempt => classOf(attempt)),
    [throttled, throttled, { type: 'page' }],
  )
  t.strictSame(
    [4, 5, 6].map(attempt => classOf(attempt, 3)),
    [throttled, throttled, { type: 'page' }],
    'attempts before a reopening of the run do not count',
  )
  t.strictSame(
    [2, 3, 4].map(attempt => classOf(attempt, 1)),
    [throttled, throttled, { type: 'page' }],
  )
})

test('Messages about a page and a sitemap with one URL have different ids', async t => {
  const page = { runId: 1, key: 'AAAAAAAAAAA', attempt: 1 }
  const sitemap = { ...page, kind: 'sitemap' as const }
  t.equal(orderName(page), '1:AAAAAAAAAAA:1')
  t.not(orderName(sitemap), orderName(page))
  t.not(messageId([sitemap]), messageId([page]))
})

test('Headers are kept within a size, without those of the connection and without cookies', async t => {
  const headers = { server: 'tides', connection: 'close', 'set-cookie': 'visitor=17', etag: '"a"' }
  t.equal(keptHeaders(headers), 'server: tides\netag: "a"\n')
  const long = { 'x-a': 'a'.repeat(5_000), 'x-b': 'b'.repeat(5_000), 'x-c': 'c' }
  t.equal(keptHeaders(long), `x-a: ${'a'.repeat(5_000)}\nx-c: c\n`)
})

test('Of a repeated Content-Type the last valid value counts, with the charset of an equal type before it', async t => {
  const cases: [sent: string, counts: string][] = [
    ['text/html; charset=utf-8', 'text/html; charset=utf-8'],
    ['text/html, text/html; charset=utf-8', 'text/html; charset=utf-8'],
    ['text/html; charset=koi8-r, text/html; charset=koi8-r', 'text/html; charset=koi8-r'],
    ['text/html;charset=koi8-r, TEXT/HTML', 'text/html;charset=koi8-r'],
    ['text/html; charset=koi8-r, text/plain, text/html', 'text/html'],
    ['text/plain, text/html', 'text/html'],
    ['text/html, */*', 'text/html'],
    ['text/html, nonsense, ', 'text/html'],
    ['text/html; name="a, b"; charset=utf-8', 'text/html; name="a, b"; charset=utf-8'],
    ['one, two', 'one, two'],
  ]
  for (const [sent, counts] of cases)
    t.equal(typeAndRobotsOf({ 'content-type': sent }).contentType, counts, sent)
  t.equal(typeAndRobotsOf({}).contentType, null)
})

test('All steps of a login are relative to the URL of the crawl, not to the first step', async t => {
  const enter = { type: 'press' as const, key: 'Enter' }
  const steps = ['https://id.example/login', '/start', '?a'].map(url => ({ type: 'goto' as const, url }))
  t.strictSame(absoluteSteps([...steps, enter], 'https://a.example/members/'), [
    { type: 'goto', url: 'https://id.example/login' },
    { type: 'goto', url: 'https://a.example/start' },
    { type: 'goto', url: 'https://a.example/members/?a' },
    enter,
  ])
})

test('No message about a login has a value of a field, in any of its spellings', async t => {
  const hidden = (value: string, text: string) => withoutValues(text, [value, ''])
  t.equal(hidden('p w', 'Rejected p w'), 'Rejected •••')
  t.equal(hidden(' p  w ', 'Rejected p w'), 'Rejected •••', 'as a title')
  t.equal(hidden('p w/é', 'http://a.example/p%20w/%C3%A9'), 'http://a.example/•••', 'as a path')
  t.equal(hidden('p w/é', 'http://a.example/p%20w%2F%C3%A9'), 'http://a.example/•••', 'as a part of a path')
  t.equal(withoutValues('pass and password', ['pass', 'password']), '••• and •••', 'the longest one first')
  t.equal(hidden('\ud800', 'Half a character'), 'Half a character')
})

/** Enters as often as possible, and ends all requests in the same way. */
function round(window: HostWindow, strain: Strain): void {
  let out = 0
  while (window.enter()) out += 1
  for (; out > 0; out--) window.leave(strain, max)
}

test('A window begins small, grows by one per full round of good responses, and is halved by overload', async t => {
  const window = new HostWindow(max)
  const limits = [window.limit]
  for (let rounds = 0; rounds < 8; rounds++) {
    round(window, 'good')
    limits.push(window.limit)
  }
  t.same(limits, [2, 3, 4, 5, 6, 7, 8, 8, 8])
  round(window, 'bad')
  t.equal(window.limit, 4, 'a round that fails together is one signal')
  round(window, null)
  t.equal(window.limit, 4, 'a neutral result changes nothing')
  for (let rounds = 0; rounds < 4; rounds++) round(window, 'bad')
  t.equal(window.limit, 1, 'and never 0')
  round(window, 'good')
  t.equal(window.limit, 2)
  t.equal(new HostWindow(1).limit, 1)

  const unhurried = new HostWindow(max)
  for (let times = 0; times < 20; times++) {
    unhurried.enter()
    unhurried.leave('good', max)
  }
  t.equal(unhurried.limit, 2, 'an unused window does not grow')
})

test('For all results, a window stays within its bounds, and admits at most its limit', async t => {
  const step = fc.oneof(
    fc.constant('enter' as const),
    fc.constantFrom<Strain | 'withdraw'>('good', 'bad', null, 'withdraw'),
  )
  const property = fc.property(
    fc.array(step, { maxLength: 300 }),
    fc.integer({ min: 1, max: 12 }),
    (steps, cap) => {
      const window = new HostWindow(cap)
      let out = 0
      for (const what of steps) {
        if (what === 'enter') {
          const isFree = out < window.limit
          if (window.enter() !== isFree) return false
          if (isFree) out += 1
        } else if (out > 0) {
          if (what === 'withdraw') window.withdraw()
          else window.leave(what, cap)
          out -= 1
        }
        if (window.limit < 1 || window.limit > cap || window.isIdle !== (out === 0)) return false
      }
      return true
    },
  )
  t.doesNotThrow(() => fc.assert(property, { numRuns: 500 }))
})

test('Timeouts, refused connections, 5xx and 429 are signals of overload, and other failures are neutral', async t => {
  const failed = (code: string) => strainOf({ error: { code } })
  t.same(['timeout', 'connect'].map(failed), ['bad', 'bad'])
  t.same(['proxy', 'private_address', 'dns', 'too_large'].map(failed), [null, null, null, null])
  const status = (status: number) => strainOf({ fetched: { status } })
  t.same([200, 301, 404, 429, 500, 503].map(status), ['good', 'good', 'good', 'bad', 'bad', 'bad'])
})

test('A cache keeps the newest entries, and drops one for each new one', async t => {
  let worked = 0
  const twice = memoize(text => `${++worked} ${text}`, 3)
  for (const text of ['a', 'b', 'c', 'a', 'd', 'b', 'c', 'd']) twice(text)
  t.equal(worked, 4)
  t.equal(twice('a'), '5 a')
  t.equal(twice('b'), '6 b')
})

test('Orders are distributed over a pool consistently, and a retry uses another proxy', async t => {
  const rotation = createRotation<string>(() => 0)
  const members = ['a', 'b', 'c']
  const pick = (key: string, attempt = 1) => rotation.pick(members, { key, attempt })
  const picked = Array.from({ length: 300 }, (_, n) => JSON.stringify(pick(`key ${n}`)))
  for (const member of members) {
    const times = picked.filter(one => one === JSON.stringify({ member })).length
    t.ok(times > 60, `${member} ${times} times`)
  }
  t.same(pick('one'), pick('one'))
  const attempts = [1, 2, 3].map(attempt => JSON.stringify(pick('one', attempt)))
  t.equal(new Set(attempts).size, 3)
})

test('A proxy rests after three consecutive failures, longer each time, and is then tried by one order', async t => {
  let now = 0
  const rotation = createRotation<string>(() => now)
  const order = { key: 'key', attempt: 1 }
  const pick = () => rotation.pick(['only'], order)
  rotation.went('only', false)
  rotation.went('only', false)
  rotation.went('only', true)
  for (let times = 0; times < 3; times++) {
    t.same(pick(), { member: 'only' }, 'a response resets earlier failures')
    rotation.went('only', false)
  }
  for (const asideMs of [10_000, 20_000, 40_000, 80_000, 160_000, 320_000, 600_000, 600_000]) {
    t.same(pick(), { waitMs: asideMs })
    rotation.went('only', false)
    t.same(pick(), { waitMs: asideMs }, 'requests from before the rest do not count')
    now += asideMs
    t.same(pick(), { member: 'only' })
    t.same(pick(), { waitMs: 10_000 }, 'no other order while one tries it')
    rotation.went('only', null)
    t.same(pick(), { member: 'only' }, 'a neutral result leaves the trial to the next order')
    rotation.went('only', false)
  }
  now += 600_000
  pick()
  rotation.went('only', true)
  for (let times = 0; times < 3; times++) t.same(pick(), { member: 'only' })

  for (let times = 0; times < 3; times++) rotation.went('only', false)
  now += 0.3
  t.same(pick(), { waitMs: 10_000 }, 'in whole milliseconds, on a clock with fractions')

  for (let times = 0; times < 3; times++) rotation.went('bad', false)
  for (let attempt = 1; attempt < 9; attempt++)
    t.same(rotation.pick(['bad', 'good'], { key: 'k', attempt }), { member: 'good' })
})

test('Refused targets of three hosts and three projects without a response are one failure of the proxy', async t => {
  let now = 0
  const order = { key: 'key', attempt: 1 }
  const many = [1, 2, 3, 1, 2, 3, 1, 2, 3]
  const after = (
    projects: (number | undefined)[],
    { hosts = Infinity, well }: { hosts?: number; well?: boolean } = {},
  ) => {
    const rotation = createRotation<string>(() => now)
    for (const [n, project] of projects.entries()) {
      if (n === 2 && well !== undefined) rotation.went('only', well)
      rotation.went('only', { host: `h${n % hosts}`, project })
    }
    return { rotation, isSuspended: 'waitMs' in rotation.pick(['only'], order) }
  }
  const { rotation, isSuspended } = after(many)
  t.ok(isSuspended, 'and three failures suspend it')
  t.notOk(after(many.slice(1)).isSuspended)
  t.notOk(after(Array(20).fill(1)).isSuspended, 'one project alone cannot suspend a proxy')
  t.notOk(after(Array(20).fill(undefined)).isSuspended, 'nor can requests without a project')
  t.notOk(after([...many, ...many], { hosts: 2 }).isSuspended, 'nor can two hosts')
  t.notOk(after(many, { well: true }).isSuspended, 'a response restarts the count')
  t.ok(after(many.slice(3), { well: false }).isSuspended, 'other failures do not')

  now = 10_000
  for (let n = 0; n < 9; n++) {
    t.same(rotation.pick(['only'], order), { member: 'only' }, 'one project alone cannot extend it')
    rotation.went('only', { host: `h${n}`, project: 1 })
  }
})

const options = { userAgent: 'Tidemark/1', acceptEncoding: 'gzip' }

test('A run imitates one browser per host, and its own user agent is sent without browser fields', async t => {
  const identify = createIdentify({ mode: 'rotate', ...options })
  const agents = new Set<string>()
  for (let runId = 1; runId < 200; runId++) {
    const url = new URL(`https://host${runId % 7}.test/`)
    const fields = identify({ runId }, {}, url)
    t.strictSame(Object.entries(fields), Object.entries(identify({ runId }, {}, new URL('/x', url))))
    const browser = browsers.find(({ fields: known }) => known['user-agent'] === fields['user-agent'])
    t.same(Object.keys(fields), Object.keys(browser?.fields ?? {}), 'in the order of that browser')
    t.equal(fields['accept-encoding'], 'gzip')
    t.equal('sec-ch-ua' in fields, /Chrome/.test(fields['user-agent'] ?? ''))
    const inClear = identify({ runId }, {}, new URL(`http://${url.host}/`))
    t.notOk(
      Object.keys(inClear).some(name => name.startsWith('sec-')),
      'no client hints without encryption',
    )
    agents.add(fields['user-agent'] ?? '')
  }
  t.equal(agents.size, browsers.length)
  const url = new URL('https://host.test/')
  const neutral = ['user-agent', 'accept', 'accept-encoding', 'accept-language']
  const alone = (fields: Record<string, string>, name: string) =>
    t.same([fields['user-agent'], Object.keys(fields)], [name, neutral])
  alone(identify({ runId: 1, userAgent: 'Mine/1' }, {}, url), 'Mine/1')
  alone(identify({ runId: 1, userAgent: 'Mine/1' }, { 'user-agent': 'Field/2' }, url), 'Field/2')
  alone(createIdentify({ mode: 'honest', ...options })({ runId: 1 }, {}, url), 'Tidemark/1')
  t.match(identify({ runId: 1, userAgent: 'InternalCrawler/3' }, {}, url), { 'user-agent': /^Mozilla/ })
})

test('The cookies of a run join those of its headers', t => {
  const of = ownHeaders(text => text)
  const headers = JSON.stringify({ 'X-A': '1', Cookie: 'a=b; e=f' })
  t.strictSame(of({ headers, cookies: 'c=d' }), { 'x-a': '1', cookie: 'a=b; e=f; c=d' })
  t.strictSame(of({ headers, cookies: 'a=d' }), { 'x-a': '1', cookie: 'e=f; a=d' })
  t.strictSame(of({ headers }), { 'x-a': '1', cookie: 'a=b; e=f' })
  t.strictSame(of({ cookies: 'c=d' }), { cookie: 'c=d' })
  t.end()
})

test('A validator must be complete, short, and older than the response by more than the clock skew', async t => {
  const now = Date.parse('2026-01-02T00:00:00Z')
  const old = 'Thu, 01 Jan 2026 00:00:00 GMT'
  const date = 'Fri, 02 Jan 2026 00:00:00 GMT'
  const known = (headers: Headers, status = 200) =>
    revisitOf({ status, headers, body: Buffer.alloc(7) } as Partial<Fetched> as Fetched, now)
  t.strictSame(known({ etag: '"a"', 'last-modified': old, date }), {
    etag: '"a"',
    lastModified: old,
    sent: 7,
  })
  t.strictSame(known({ etag: 'W/"a"' }), { etag: 'W/"a"', lastModified: null, sent: 7 })
  t.strictSame(known({ 'last-modified': old }), { etag: null, lastModified: old, sent: 7 }, 'by our clock')
  const none: [Headers, number?][] = [
    [{}],
    [{ etag: '"a"' }, 206],
    [{ etag: '"a"' }, 404],
    [{ etag: `"${'a'.repeat(255)}"` }],
    [{ etag: '"\u00e9"' }],
    [{ etag: '' }],
    [{ 'last-modified': 'yesterday', date }],
    [{ 'last-modified': 'Thu, 01 Jan 2026 23:59:30 GMT', date }],
    [{ 'last-modified': 'Thu, 01 Jan 2037 00:00:00 GMT', date }],
  ]
  for (const [headers, status] of none) t.equal(known(headers, status), null, JSON.stringify(headers))

  const both = { etag: '"a"', lastModified: old }
  t.strictSame(conditionsOf(both, { cookie: 'a=b' }), { 'if-none-match': '"a"', 'if-modified-since': old })
  t.strictSame(conditionsOf({ etag: null, lastModified: old }, {}), { 'if-modified-since': old })
  t.equal(conditionsOf(undefined, {}), null)
  t.equal(conditionsOf(both, { range: 'bytes=0-9' }), null, "a client's own condition replaces ours")
})

test('The cookies of a visit stay at their host, up to the limit of browsers', async t => {
  const now = Date.parse('2026-01-02T00:00:00Z')
  const [home, twin] = [new URL('http://a.test/'), new URL('https://a.test/')]
  const cookies = createVisitCookies()
  t.ok(cookies.take(home, ['a=1; Path=/', 'b="x y"; HttpOnly', 'c=2; Secure', '=no', 'none', 'a b=3'], now))
  t.equal(cookies.shown(home), 'a=1; b="x y"')
  t.equal(cookies.shown(twin), 'a=1; b="x y"; c=2')
  t.equal(cookies.shown(new URL('http://www.a.test/')), '')
  t.notOk(cookies.take(home, ['a=1'], now), 'nothing new')
  t.ok(cookies.take(home, ['a=; Max-Age=0', 'b=; expires=Thu, 01 Jan 2026 00:00:00 GMT'], now))
  t.equal(cookies.shown(home), '')
  cookies.take(home, [`long=${'x'.repeat(9_000)}`, ...Array.from({ length: 90 }, (_, n) => `n${n}=1`)], now)
  t.equal(cookies.shown(home).split('; ').length, 49, 'with the one that is secure: fifty')
})

test('Max-Age decides about the end of a cookie, and Expires only without a valid one', async t => {
  const now = Date.parse('2026-01-02T00:00:00Z')
  const home = new URL('http://a.test/')
  const [past, future] = ['Thu, 01 Jan 1970 00:00:00 GMT', 'Fri, 01 Jan 2027 00:00:00 GMT']
  for (const [attributes, isKept] of [
    [`Expires=${past}; Max-Age=3600`, true],
    [`Max-Age=3600; Expires=${past}`, true],
    [`Max-Age=0; Expires=${future}`, false],
    [`Max-Age=-1; Expires=${future}`, false],
    [`Max-Age= 0 ; Expires=${future}`, false],
    [`Max-Age=3600; Max-Age=0`, false],
    [`Max-Age=0; Max-Age=3600`, true],
    ['Max-Age=', true],
    ['Max-Age=soon', true],
    ['Max-Age=-', true],
    [`Max-Age=; Expires=${past}`, false],
    [`Max-Age=1e3; Expires=${past}`, false],
    [`Expires=${past}; Expires=${future}`, true],
    ['Expires=never', true],
  ] as const) {
    const cookies = createVisitCookies()
    cookies.take(home, [`s=1; ${attributes}`], now)
    t.equal(cookies.shown(home), isKept ? 's=1' : '', attributes)
  }
})

test('A browser waits for checks that a script may pass, and longer for known ones', async t => {
  const words = (n: number) => Array.from({ length: n }, (_, at) => `word${at}`).join(' ')
  const script = '<script>var x = 1</script>'
  const known = `<title>Just a moment...</title>${script}`
  const short = `<p>Wait${script}`
  const cases: [ms: number, status: number, html: string, isChecked?: boolean, served?: string][] = [
    [8_000, 403, known],
    [0, 403, '<title>Just a moment...</title>'],
    [8_000, 403, '<title>Just a moment...</title>', false, known],
    [8_000, 200, `${short}<script>sucuri_cloudproxy_js = 1</script>`],
    [4_000, 403, short],
    [4_000, 202, short],
    [4_000, 403, '<body onload="go()">Wait'],
    [4_000, 403, '<iframe src=/x></iframe>'],
    [0, 403, '<p>not on=this'],
    [0, 403, `<p>${words(400)}${script}`],
    [0, 404, short],
    [0, 500, short],
    [0, 200, short],
    [0, 200, ''],
    [8_000, 404, `<p>${words(400)}${script}`, true],
    [8_000, 200, short, true],
    [0, 200, '<p>Wait', true],
    [0, 200, `<p>${words(100)}${script}`, true],
    [0, 200, `${script}${'<i>'.repeat(10_000)}a`, true],
  ]
  for (const [ms, status, html, isChecked = false, served = html] of cases) {
    const shown = { status, headers: {}, html, served: async () => served }
    t.equal(await challengeWaitFor(isChecked)(shown), ms, `${status} ${html.slice(0, 60)}`)
  }
  const marked = {
    status: 403,
    headers: { 'cf-mitigated': 'challenge' },
    html: short,
    served: async () => '',
  }
  t.equal(await challengeWaitFor(false)(marked), 8_000)
  t.equal(await challengeWaitFor(false)({ ...marked, status: 200 }), 0)
  for (const piece of ['<script>', '<a ', '< on', '<', ' onx', '</script ']) {
    const html = `<${piece.repeat(Math.floor(199_000 / piece.length))}`
    const started = performance.now()
    await challengeWaitFor(false)({ status: 403, headers: {}, html, served: async () => html.repeat(10) })
    t.ok(performance.now() - started < 2_000, `${piece} again and again`)
  }
})
