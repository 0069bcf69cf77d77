/**
 * The console in a real Chromium: from the address with a key to a crawl, its pages, an explanation, changes and a
 * webhook. Every screen is checked for its accessibility, narrow and wide, light and dark; `CONSOLE_SHOTS` is a folder
 * for pictures of them.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { startOrigin } from '@tidemark/testing/origin'
import { startCanary } from '@tidemark/testing/origin-canary'
import { patient } from '@tidemark/testing/slowness'
import { isFullTier, sized } from '@tidemark/testing/tier'
import { until } from '@tidemark/testing/until'
import type { Locator, Page, Route } from 'playwright-core'
import { type Test, test } from 'tap'
import { attackPage, attacksOn, looksOf, openBrowser, siteOf } from './console.scene.ts'
import { largeRun, standInLargeRun, watchTasks } from './console-fluid.scene.ts'
import { readManual } from './console-manual.scene.ts'
import { sharedSystem } from './system.ts'

test('The console', { timeout: patient(600_000) }, async t => {
  const system = await sharedSystem()
  t.teardown(() => system.stop())
  const canary = await startCanary()
  t.teardown(() => canary.close())
  const attacked = `http://127.0.0.1:${canary.port}`
  const site = await startOrigin({ host: '127.1.29.1', pages: siteOf(1, attackPage(attacked)) })
  t.teardown(() => site.close())
  const key = await system.createProject('console', '--unlimited')
  const { page, faults } = await openBrowser(t)
  page.setDefaultTimeout(patient(30_000))
  const at = (path: string) => `${system.base}/console${path}`
  const look = looksOf(page)

  /** Opens a window without a session. */
  async function openWindow(): Promise<Page> {
    const context = await page.context().browser()?.newContext()
    if (context === undefined) throw new Error('The browser has closed.')
    const window = await context.newPage()
    window.setDefaultTimeout(patient(30_000))
    return window
  }

  /** Opens a window with a session of its own. */
  async function openSignedIn(): Promise<Page> {
    const window = await openWindow()
    await window.goto(at(`#key=${key}`))
    await window.getByRole('button', { name: 'Sign in' }).click()
    await window.getByRole('heading', { name: 'Crawls', exact: true }).waitFor()
    return window
  }

  /**
   * Opens a fake of a large crawl in a window of its own, because earlier screens leave work for the garbage collector.
   * `measured` measures a piece of work. Only the full tier checks the result, because other tests run beside the usual
   * tier.
   */
  async function openLargeRun(t: Test, pages: number) {
    const page = await openSignedIn()
    const { during } = await watchTasks(page)
    await standInLargeRun(page, pages)
    await page.goto(at(`/crawls/${largeRun}/errors`))
    await page.getByText('No URL failed').waitFor()
    const measured = async (name: string, work: () => Promise<unknown>) => {
      const { maxTaskMs, observedMs } = await during(work)
      const lasting = observedMs.join(', ') || 'none'
      t.comment(`${name}: ${maxTaskMs.toFixed(1)} ms on the processor; long tasks: ${lasting}`)
      t.ok(maxTaskMs > 0, `${name} was measured`)
      if (isFullTier) t.ok(maxTaskMs <= patient(50), `${name}: ${maxTaskMs} ms`)
    }
    return { page, measured }
  }

  /** Waits until the canvas has colors. */
  async function untilPainted(): Promise<void> {
    const hasColors = `(() => {
      const canvas = document.querySelector('canvas')
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
      return data.some(value => value > 0)
    })()`
    await until(async () => await page.evaluate(hasColors))
  }

  await t.test('is closed without a key', async t => {
    await page.goto(at(''))
    await page.getByLabel('API key').fill('tmk_wrong')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('alert').getByText('not a valid API key').waitFor()
    await look(t, 'sign-in')
    faults.length = 0 // the browser reports the 401
  })

  await t.test('opens with the address that is printed, and keeps the key from scripts', async t => {
    await page.goto(at(`#key=${key}`))
    await page.getByText(`Sign in with ${key.slice(0, 12)}…`).waitFor()
    t.equal(await page.evaluate('location.href'), at(''), 'the address has no key')
    t.strictSame(await page.context().cookies(at('')), [], 'an address does not sign in by itself')
    await look(t, 'sign-in-offer')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Crawls', exact: true }).waitFor()
    const readable = await page.evaluate(
      'JSON.stringify([document.cookie, { ...localStorage }, { ...sessionStorage }])',
    )
    t.notMatch(readable, /tmk_|tidemark_console/)
    const [cookie] = await page.context().cookies(at(''))
    t.match(cookie, { httpOnly: true, sameSite: 'Strict', path: '/console' })
    await page.getByText('No crawls yet').waitFor()
    await look(t, 'home-empty')
  })

  await t.test('keeps its session when a link brings another key', async t => {
    const foreign = await system.createProject('foreign')
    const [before] = await page.context().cookies(at(''))
    await page.goto(at(`#key=${foreign}`))
    await page.getByText(`You are signed in with ${key.slice(0, 12)}…`).waitFor()
    await page.getByText(`Sign in with ${foreign.slice(0, 12)}…`).waitFor()
    t.equal(await page.evaluate('location.href'), at(''), 'nor has the address of an open page a key')
    await look(t, 'sign-in-other')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Keep my session' }).click()
    await page.getByRole('heading', { name: 'Crawls', exact: true }).waitFor()
    await page.getByText(`${key.slice(0, 12)}…`).waitFor()
    t.strictSame(await page.context().cookies(at('')), [before], 'the cookie is the same')
  })

  await t.test('estimates and starts a crawl, and shows it to its end', async t => {
    await page.getByRole('textbox', { name: 'URL' }).fill(`${site.url}/`)
    await page.getByRole('button', { name: 'Estimate' }).click()
    await page.getByText('Time at a polite rate').waitFor()
    await look(t, 'home-estimate')
    await page.getByRole('button', { name: 'Start', exact: true }).click()
    await page.waitForURL(/\/console\/crawls\/\d+$/)
    await page.locator('h1 .mark.good', { hasText: 'done' }).waitFor({ timeout: patient(90_000) })
    await page.getByText('Every URL is accounted for.').waitFor()
    await page.getByRole('region', { name: 'Events, newest first' }).waitFor()
  })
  const first = Number(/\d+$/.exec(page.url())?.[0])

  await t.test('lists its pages, filtered by the address', async t => {
    await page.getByRole('link', { name: /^Pages/ }).click()
    await page.getByRole('link', { name: '/harbour/crail' }).waitFor()
    await page.getByLabel('Filter').fill('crail')
    await page.getByRole('heading', { name: '1 page', exact: true }).waitFor()
    t.match(page.url(), /q=crail/)
    await page.reload()
    await page.getByRole('heading', { name: '1 page', exact: true }).waitFor()
    await page.getByRole('link', { name: '/harbour/crail' }).click()
    await page.getByRole('heading', { name: 'Crail harbour' }).waitFor()
    await page.frameLocator('iframe').getByRole('heading', { name: 'Crail' }).waitFor()
    for (const view of ['Markdown', 'Metadata', 'Links in']) {
      await page.getByRole('link', { name: view, exact: true }).click()
      await page.locator('main .page-text, main .columns.even, main table').first().waitFor()
    }
  })

  await t.test('shows a page that attacks it, and nothing happens', async t => {
    t.equal(attacksOn('').length, 40)
    await page.goto(at(`/crawls/${first}/pages?q=attack`))
    await page.getByRole('link', { name: '/attack' }).click()
    await page.frameLocator('iframe').getByText('The end.').waitFor()
    const shown = page.url()
    await page.waitForTimeout(1500)
    await page.frameLocator('iframe').getByText('top', { exact: true }).click()
    await page.waitForTimeout(500)
    t.equal(page.url(), shown, 'it does not navigate')
    t.equal(canary.hits, 0, 'no request and no connection')
    await page.goto(`${attacked}/`)
    t.ok(canary.hits > 0, 'the canary would have seen one')
    faults.length = 0 // the answer of the canary is no page
  })

  await t.test('explains why a URL was skipped, failed, or never found', async t => {
    const slowly = async (route: Route) => {
      await sleep(1_000) // so the seed is not known when the form is sent
      await route.continue()
    }
    await page.route(new RegExp(`/v1/crawls/${first}$`), slowly)
    await page.goto(at(`/crawls/${first}/explain`))
    await page.getByRole('textbox', { name: 'URL' }).fill('/private/log')
    await page.getByRole('button', { name: 'Explain' }).click()
    await page.getByText('A rule skipped this URL.').waitFor()
    const readAgain = page.waitForRequest(/\/explain\?/)
    await page.getByRole('button', { name: 'Explain' }).click()
    await readAgain
    await page.unrouteAll({ behavior: 'wait' })
    t.match(page.url(), /explain\?url=.*%2Fprivate%2Flog$/)
    await page.goto(at(`/crawls/${first}/errors`))
    await page.getByRole('heading', { name: /failed URL/ }).waitFor()
  })

  await t.test('shows long lists in parts, and no part as the whole', async t => {
    const failed = (n: number) => ({
      ...{ url: `${site.url}/failed/${n}`, reason: 'timeout', sentence: 'No answer.', attempts: 3 },
      ...{ at: '2026-01-02T03:04:05.678Z', found_from: null },
    })
    const parts: Record<string, object> = {
      0: { items: [0, 1, 2].map(failed), next_offset: 3 },
      3: { items: [3, 4].map(failed), next_offset: null },
    }
    const address = `**/console/api/v1/crawls/${first}/errors*`
    await page.route(address, route =>
      route.fulfill({ json: parts[new URL(route.request().url()).searchParams.get('offset') ?? 0] }),
    )
    await page.goto(at(`/crawls/${first}/errors`))
    await page.getByRole('heading', { name: 'First 3 failed URLs' }).waitFor()
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('heading', { name: '5 failed URLs', exact: true }).waitFor()
    t.equal(await page.getByRole('link', { name: /\/failed\/\d/ }).count(), 5)
    t.equal(await page.getByRole('button', { name: 'More' }).count(), 0)
    await page.unroute(address)
  })

  await t.test('audits the crawl after it has named the price, and bills it once', async t => {
    await page.goto(at(`/crawls/${first}`))
    await page.getByRole('link', { name: 'Audit', exact: true }).click()
    await page.getByText('One audit costs one page').waitFor()
    await page.getByText('Nothing is audited yet').waitFor()
    await page.getByText(`"crawl_id":${first}`).waitFor()
    await look(t, 'audit-empty')
    await page.getByRole('button', { name: 'Audit for 1 page' }).click()
    await page.getByRole('button', { name: 'Audit again for 1 page' }).waitFor()
    await page.getByLabel('Filter').fill('broken-link')
    await page.getByRole('button', { name: /URL of the site that responds with an error/ }).click()
    t.match(page.url(), /q=broken-link&rule=site%2Fbroken-link/)
    await page.getByText('Correct or remove the links').waitFor()
    await page.getByRole('link', { name: `${site.url}/`, exact: true }).click()
    await page.getByRole('heading', { name: 'Harbours' }).waitFor()
    await page.goBack()
    await page.getByText('Correct or remove the links').waitFor()
    await page.getByRole('link', { name: 'By page' }).click()
    await page.getByRole('button', { name: '/harbour/crail' }).click()
    await page.getByRole('heading', { name: '/harbour/crail' }).waitFor()
    t.match(page.url(), /view=By\+page.*page=\d+/)
    await page.getByRole('link', { name: /^Not applied/ }).click()
    await page.getByText('compression/missing').waitFor()
    await look(t, 'audit-not-applied')
    const { body } = await system.call(key, 'GET', '/v1/usage/ledger?limit=100')
    const billed = body.items.filter((item: { operation: string }) => item.operation === 'audit_site')
    t.equal(billed.length, 1, 'only the button bills')
  })

  await t.test('draws the links of the crawl, says the same as a table, and opens a page', async t => {
    const requests: string[] = []
    page.on('request', request => requests.push(request.url()))
    await page.goto(at(`/crawls/${first}`))
    await page.getByRole('link', { name: 'Links', exact: true }).click()
    const graph = page.getByRole('img', { name: /^12 pages with 27 links/ })
    await graph.waitFor()
    await page.getByRole('region', { name: 'Pages by links' }).getByRole('link', { name: '/tides' }).waitFor()
    await page.getByText('Every page but the first has a link from another page.').waitFor()
    await page.getByText('The area of a node is its number of links').waitFor()
    await untilPainted()
    t.strictSame(
      requests.filter(url => !url.startsWith(`${system.base}/console`)),
      [],
      'no request leaves the console',
    )
    await page.getByLabel('Find a page').fill('crail')
    await page.getByLabel('Color').selectOption('section')
    await page.getByRole('heading', { name: '1 page', exact: true }).waitFor()
    t.match(page.url(), /\/links\?q=crail&color=section/)
    await look(t, 'links-found')
    await page.getByRole('button', { name: 'Center' }).click()
    await graph.focus()
    await page.keyboard.press('+')
    await page.waitForTimeout(500)
    const box = await graph.boundingBox()
    const middle = { x: (box?.width ?? 0) / 2, y: (box?.height ?? 0) / 2 }
    await graph.hover({ position: { x: middle.x + 40, y: middle.y + 180 } })
    await graph.hover({ position: middle })
    t.match(await page.locator('.graph-line').textContent(), /harbour\/crail.*depth 1/)
    await graph.click({ position: middle })
    await page.getByRole('heading', { name: 'Crail harbour' }).waitFor()
    await page.goBack()
    await page.getByRole('button', { name: 'Use PageRank for 1 page' }).click()
    await page.getByText('The area of a node is its PageRank').waitFor()
    await page.getByRole('columnheader', { name: 'Rank' }).waitFor()
    await page.setViewportSize({ width: 1280, height: 900 })
  })

  await t.test('shows the changes of a later crawl, and its webhook', async t => {
    site.site(siteOf(2, attackPage(attacked)))
    const second = await system.crawl(key, {
      url: `${site.url}/`,
      delay_ms: 0,
      webhook_url: `${site.url}/status/500`,
      urls: [`${site.url}/harbour/isle`],
    })
    await page.goto(at(`/diff?old=${first}&new=${second.id}`))
    await page.getByRole('button', { name: /\/tides$/ }).click()
    await page.locator('.diff-lines ins').first().waitFor()
    await page.getByRole('combobox', { name: 'Layout' }).selectOption('side')
    t.match(page.url(), /layout=side/)
    const replaced = page.getByRole('row', { name: /High water at 06:12.*High water at 06:58/ })
    t.equal(
      await replaced.locator('del').textContent(),
      '12',
      'the line stands beside its replacement, by words',
    )
    t.equal(await replaced.locator('ins').textContent(), '58')
    await page.getByRole('row', { name: /^4 \+ A storm warning/ }).waitFor()
    await page.goto(at(`/crawls/${second.id}/deliveries`))
    await page.getByRole('table').first().waitFor()
  })

  await t.test('shows monitors, webhooks, keys, the log, usage and a scan', async t => {
    await page.goto(at('/monitors'))
    await page.getByText('No monitors yet').waitFor()
    await page.getByRole('textbox', { name: 'URL' }).fill(`${site.url}/`)
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('button', { name: 'Run now' }).click()
    await look(t, 'monitors')
    await page.setViewportSize({ width: 390, height: 844 })
    const hidden = await page
      .getByRole('region', { name: 'Monitors' })
      .evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)
    t.equal(hidden, 0, 'a phone shows the commands of a monitor without a sideways scroll')
    await page.setViewportSize({ width: 1280, height: 900 })
    await page.getByRole('link', { name: `${site.url}/` }).click()
    await page.getByRole('region', { name: 'History' }).first().waitFor()
    await look(t, 'monitor-runs')
    for (const [path, text] of [
      ['/webhooks', 'Webhooks of the last crawls'],
      ['/keys', 'this session'],
      ['/log', '/v1/crawls/estimate'],
      ['/usage', 'Ledger'],
      ['', 'Recent crawls'],
    ] as const) {
      await page.goto(at(path))
      await page.getByText(text).first().waitFor()
      await page.waitForLoadState('networkidle')
      await look(t, path.slice(1) || 'home')
    }
    await page.setViewportSize({ width: 380, height: 800 })
    await page.goto(at('/keys'))
    const beyond = await page
      .locator('.table', { has: page.getByRole('button', { name: 'Revoke' }) })
      .evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)
    t.equal(beyond, 0, 'a phone shows how to revoke a key without a sideways scroll')
    await page.goto(at('/log'))
    const current = await page.getByRole('link', { name: 'Log', exact: true }).boundingBox()
    t.ok(current && current.x >= 0 && current.x + current.width <= 380, 'a phone shows the current screen')
    await page.setViewportSize({ width: 1280, height: 900 })
    await page.goto(at(`/scan?url=${encodeURIComponent(`${site.url}/tides`)}`))
    await page.getByRole('button', { name: 'Scan for 1 page' }).click()
    await page.getByText('High water').waitFor()
    await look(t, 'scan')
    await page.getByRole('link', { name: 'Usage', exact: true }).click()
    await page.getByText('Ledger').first().waitFor()
    await page.getByRole('link', { name: 'Scan', exact: true }).click()
    await page.getByText('High water').waitFor()
    await page.getByText('Copy as code').click()
    await page.getByRole('button', { name: 'Python' }).click()
    await page.getByText('client.scan(').waitFor()
  })

  await t.test(
    'fetches a page by the cloud after it has named the price, and shows what was tried',
    async t => {
      await page.goto(at('/cloud'))
      await page.getByText('A page costs one cloud page').waitFor()
      await page.getByText(/Backends of this installation: http, .*browser/).waitFor()
      await page.getByText('/v1/cloud/scrape"').waitFor()
      await look(t, 'cloud-empty')
      await page.getByRole('textbox', { name: 'URL' }).fill(`${site.url}/harbour/crail`)
      await page.getByRole('button', { name: 'Fetch for 1 cloud page' }).click()
      await page.getByRole('region', { name: 'The page as Markdown' }).getByText('Crail has a quay').waitFor()
      await page.getByRole('region', { name: 'Backends tried' }).getByText('got').first().waitFor()
      await page.getByText('1 cloud page', { exact: true }).waitFor()
      t.match(page.url(), /\/cloud\?url=.*crail/)
      await look(t, 'cloud')
      await page.getByLabel('Format').selectOption('raw')
      await page.getByRole('button', { name: 'Fetch for 1 cloud page' }).click()
      await page.frameLocator('iframe').getByRole('heading', { name: 'Crail' }).waitFor()
      await look(t, 'cloud-html')
      await page.getByRole('link', { name: 'Source', exact: true }).click()
      await page.getByText('<!doctype html>').waitFor()
      await page.getByRole('link', { name: 'Metadata', exact: true }).click()
      await page.getByText('Tides of Crail').waitFor()
      t.match(page.url(), /format=raw.*view=Metadata/)
      await look(t, 'cloud-metadata')
      await page.getByLabel('Endpoint').selectOption('render')
      await page.getByLabel('Format').selectOption('png')
      await page.getByRole('button', { name: 'Fetch for 1 cloud page' }).click()
      await page
        .getByRole('img', { name: `Screenshot of ${site.url}/harbour/crail` })
        .waitFor({ timeout: patient(90_000) })
      const width = await page.evaluate("document.querySelector('.shot img').naturalWidth")
      t.ok(Number(width) > 300, 'it is a picture')
      await look(t, 'cloud-screenshot')
      await page.getByText('Copy as code').click()
      await page.getByRole('button', { name: 'Python' }).click()
      await page.getByText('client.cloud.render(').waitFor()
      await page.getByLabel('Endpoint').selectOption('proxy')
      await page.getByLabel('Proxy country').fill('DE')
      await page.getByRole('button', { name: 'Fetch for 1 cloud page' }).click()
      await page
        .getByRole('alert')
        .getByText(/not_configured.*request/)
        .waitFor()
      await look(t, 'cloud-fault')
      faults.length = 0 // the browser reports the 503
      const address = page.url()
      await page.reload()
      await page.getByText('No page is fetched yet').waitFor()
      t.equal(page.url(), address, 'an address shows the call, and never makes it')
      t.equal(await page.getByLabel('Proxy country').inputValue(), 'DE')
      const { body } = await system.call(key, 'GET', '/v1/usage/ledger?limit=100')
      const billed = body.items.filter(({ operation }: { operation: string }) =>
        operation.startsWith('cloud_'),
      )
      t.equal(billed.length, 3, 'only the button bills')
    },
  )

  await t.test('shows every screen of the crawls of a real manual', async t => {
    const manual = await readManual()
    if (manual.missing !== null) t.comment(`${manual.missing} The made site takes its place.`)
    const origin = await startOrigin({ host: '127.1.29.2', pages: manual.edition(1) })
    t.teardown(() => origin.close())
    const { path, heading, word } = manual.changed
    const request = { url: `${origin.url}/`, delay_ms: 0, concurrency: 16 }
    const before = await system.crawl(key, request)
    origin.site(manual.edition(2))
    const run = await system.crawl(key, { ...request, webhook_url: `${origin.url}/status/404` })
    t.ok(run.page_count > 200 || manual.missing !== null, `${run.page_count} pages`)
    t.equal(run.error_count, 1, 'a loop of redirects')
    const open = async (path: string, found: Locator) => {
      await page.goto(at(path))
      await found.first().waitFor()
      await page.waitForLoadState('networkidle')
    }

    await open(`/crawls/${run.id}`, page.getByRole('region', { name: 'Events, newest first' }))
    await page.getByText('Every URL is accounted for.').waitFor()
    await look(t, 'run')
    await open(`/crawls/${run.id}/pages`, page.getByRole('heading', { name: `${run.page_count} pages` }))
    await look(t, 'pages')
    await open(`/crawls/${run.id}/pages?q=${path}`, page.getByRole('link', { name: path, exact: true }))
    await page.getByRole('link', { name: path, exact: true }).click()
    await page.frameLocator('iframe').getByText(word).first().waitFor()
    faults.length = 0 // the browser reports that the policy forbids the styles of the manual
    await page.getByRole('heading', { name: heading }).first().waitFor()
    await look(t, 'page')
    for (const view of ['Markdown', 'Metadata', 'Links in']) {
      await page.getByRole('link', { name: view, exact: true }).click()
      await page.locator('main .page-text, main .columns.even, main table').first().waitFor()
      await look(t, `page-${view.toLowerCase().replace(' ', '-')}`)
    }
    await open(`/crawls/${run.id}/errors`, page.getByRole('heading', { name: '1 failed URL' }))
    await look(t, 'errors')
    const excluded = encodeURIComponent(`${origin.url}${manual.excluded}`)
    await open(`/crawls/${run.id}/explain?url=${excluded}`, page.getByText('A rule skipped this URL.'))
    await look(t, 'explain')
    await open(`/crawls/${run.id}/links`, page.getByText('The area of a node is its number of links'))
    await untilPainted()
    await look(t, 'links')

    await open(`/crawls/${run.id}/audit`, page.getByText('Nothing is audited yet'))
    await page.getByRole('button', { name: 'Audit for 1 page' }).click()
    await page.getByRole('button', { name: 'Audit again for 1 page' }).waitFor()
    await look(t, 'audit')
    await page.getByLabel('Filter').fill('broken-link')
    await page.getByRole('button', { name: /URL of the site that responds with an error/ }).click()
    await page.getByText('Correct or remove the links').waitFor()
    await look(t, 'audit-rule')
    await page.getByRole('link', { name: 'By page' }).click()
    const worst = page.locator('main tbody').getByRole('button').first()
    const name = (await worst.textContent()) ?? ''
    await worst.click()
    await page.getByRole('heading', { name }).first().waitFor()
    await look(t, 'audit-page')

    await open('/diff', page.getByText('Sites that were crawled more than once'))
    const pair = page.getByRole('link', { name: new RegExp(`crawls ${before.id} and ${run.id}$`) })
    await pair.waitFor()
    await look(t, 'diff-pairs')
    await pair.click()
    await page.getByRole('heading', { name: /differences$/ }).waitFor()
    await page.getByRole('button', { name: path }).first().click()
    await page.locator('.diff-lines ins').filter({ hasText: word }).first().waitFor()
    await look(t, 'diff')
    await page.getByRole('combobox', { name: 'Layout' }).selectOption('side')
    await page.getByRole('table').locator('ins').first().waitFor()
    await look(t, 'diff-side')
    await until(
      async () => (await system.call(key, 'GET', `/v1/crawls/${run.id}`)).body.webhook_status === 'dead',
    )
    await open(`/crawls/${run.id}/deliveries`, page.getByRole('table'))
    await page.getByText('dead').first().waitFor()
    await look(t, 'deliveries')
  })

  await t.test('shares a crawl by an address, which shows it without a key and nothing else', async t => {
    await page.goto(at(`/crawls/${first}`))
    await page.getByRole('button', { name: 'Share', exact: true }).click()
    await page.getByLabel('Ends after').selectOption('24')
    await page.getByRole('button', { name: 'Create address' }).click()
    const address = await page.getByLabel('Address').inputValue()
    t.match(address, /\/console\/crawls\/\d+#share=sealed2\./)
    await look(t, 'share')
    const another = JSON.stringify(at('/crawls/999999'))
    await page.evaluate(
      `history.pushState(null, '', ${another}); dispatchEvent(new PopStateEvent('popstate'))`,
    )
    await page.getByText('Crawl 999999').first().waitFor()
    t.equal(await page.getByLabel('Address').count(), 0, 'the address of a crawl stays with its screen')
    const guest = await openWindow()
    const lookAtShared = looksOf(guest)
    const seen: string[] = []
    guest.on('request', request => seen.push(`${request.url()} ${JSON.stringify(request.headers())}`))
    guest.on('pageerror', error => faults.push(error.message))
    await guest.goto(address)
    await guest.getByText('Shared, read only, until').waitFor()
    await guest.getByText('Every URL is accounted for.').waitFor()
    t.equal(
      await guest.evaluate('location.href'),
      at(`/crawls/${first}`),
      'the address has no share any more',
    )
    t.notMatch(
      seen.filter(line => !line.includes('/session/shared')).join(),
      address.split('=')[1]?.slice(20, 60) ?? '',
    )
    for (const name of ['Pause', 'Cancel', 'Share', 'Start again …', 'Retry failed', 'Audit', 'Webhooks'])
      t.equal(
        await guest.locator('main').locator('a, button').getByText(name, { exact: true }).count(),
        0,
        `there is no ${name}`,
      )
    await lookAtShared(t, 'shared-run')
    for (const [name, found] of [
      ['Pages', '/harbour/crail'],
      ['Errors', 'failed URL'],
      ['Links', 'The area of a node is its number of links'],
      ['Explain', 'Explain the seed'],
    ] as const) {
      await guest
        .getByRole('link', { name: new RegExp(`^${name}`) })
        .first()
        .click()
      await guest.getByText(found).first().waitFor()
      await guest.getByText('Shared, read only, until').waitFor()
    }
    await guest.goto(at(`/crawls/${first}/pages?q=crail`))
    await guest.getByRole('link', { name: '/harbour/crail' }).click()
    await guest.getByRole('heading', { name: 'Crail harbour' }).waitFor()
    await lookAtShared(t, 'shared-page')
    for (const path of [
      '',
      '/usage',
      `/crawls/${first + 1}`,
      `/crawls/${first}/deliveries`,
      `/crawls/${first}/audit`,
    ]) {
      await guest.goto(at(path))
      await guest.getByText('this address is not a part of it').waitFor()
    }
    await lookAtShared(t, 'shared-outside')
    await page.goto(address)
    await page.getByText('The shared crawl opens without a key').waitFor()
    await look(t, 'share-offer')
    await page.getByRole('button', { name: 'Keep my session' }).click()
    await page.getByRole('button', { name: 'Share', exact: true }).waitFor()

    await guest.goto('about:blank')
    await guest.goto(address)
    await guest.getByText('Shared, read only, until').waitFor()
    page.once('dialog', dialog => dialog.accept())
    await page.getByRole('button', { name: 'Share', exact: true }).click()
    await page.getByRole('button', { name: 'End all addresses' }).click()
    await page.getByText('All addresses made until now have ended.').waitFor()
    await guest.reload()
    await guest.getByRole('heading', { name: 'Sign in' }).waitFor()
    await guest.goto('about:blank')
    await guest.goto(address)
    await guest.getByText('or its shares were revoked').waitFor()
    await lookAtShared(t, 'share-ended')

    await guest.goto(`${address.slice(0, -12)}AAAAAAAAAAAA`)
    await guest.getByText('it is incomplete or was changed').waitFor()
    await lookAtShared(t, 'share-changed')
    const second = (await system.call(key, 'POST', '/v1/keys/rotate', { label: 'shares' })).body
    const share = await system.call(second.api_key, 'POST', `/v1/crawls/${first}/share`, {
      expires_in_hours: 1,
    })
    await guest.goto('about:blank')
    await guest.goto(share.body.url)
    await guest.getByText('Shared, read only, until').waitFor()
    t.equal((await system.call(key, 'DELETE', `/v1/keys/${second.prefix}`)).status, 204)
    await until(async () => {
      await guest.reload()
      await guest.waitForLoadState('networkidle')
      return (await guest.getByRole('heading', { name: 'Sign in' }).count()) === 1
    })
    await guest.goto('about:blank')
    await guest.goto(share.body.url)
    await guest.getByText('was revoked or has expired').waitFor()
    await guest.context().close()
    faults.length = 0 // the browser reports the 400 and the 410
  })

  const rows = sized(6_000, 100_000)
  await t.test(`scrolls, sorts and filters ${rows} pages without a long task`, async t => {
    const { page, measured } = await openLargeRun(t, rows)
    const title = (pages: number) =>
      page
        .getByRole('heading', { name: `${pages.toLocaleString('en')} pages`, exact: true })
        .waitFor({ timeout: patient(60_000) })
    await measured('load', async () => {
      await page.getByRole('link', { name: /^Pages/ }).click()
      await title(rows)
    })
    const table = page.getByRole('region', { name: `Pages of crawl ${largeRun}` })
    await table.hover()
    await measured('wheel', async () => {
      for (let n = 0; n < 40; n++) {
        await page.mouse.wheel(0, 3000)
        await page.waitForTimeout(20)
      }
    })
    await measured('jumps', async () => {
      for (let n = 0; n <= 20; n++) {
        await table.evaluate((region, share) => region.scrollTo(0, region.scrollHeight * share), n / 20)
        await page.waitForTimeout(50)
      }
    })
    t.match(await table.locator('tbody tr:not(.space)').last().textContent(), `page-${rows - 1}?`)
    t.ok((await table.locator('tbody tr').count()) < 80, 'only the visible rows are in the page')
    const top = table.locator('tbody tr:not(.space)').first()
    for (const name of ['URL', 'Title', 'Size'])
      await measured(`sort by ${name}`, async () => {
        const before = await top.textContent()
        await page.getByRole('button', { name: new RegExp(`^${name}`) }).click()
        await until(async () => (await top.textContent()) !== before)
      })
    await measured('filter', async () => {
      await page.getByLabel('Filter').pressSequentially('harbour and', { delay: 60 })
      await title(rows / 10)
    })
    await page.context().close()
  })

  await t.test('draws a large graph without a long task', async t => {
    const { page, measured } = await openLargeRun(t, sized(700, 5000))
    await measured('a graph arrives', async () => {
      await page.getByRole('link', { name: 'Links', exact: true }).click()
      await page.getByRole('img', { name: /pages with/ }).waitFor()
      await page.getByText('Arranging').waitFor({ state: 'detached', timeout: patient(60_000) })
    })
    await measured('other colors', async () => {
      await page.getByLabel('Color').selectOption('section')
      await page.waitForTimeout(300)
    })
    await page.context().close()
  })

  await t.test('follows a crawl that runs on each of its screens', async t => {
    const started = await system.call(key, 'POST', '/v1/crawls', {
      ...{ url: `${site.url}/`, delay_ms: 700, concurrency: 1 },
      webhook_url: `${site.url}/status/404`,
    })
    const { id } = started.body
    const mark = (state: string) => page.locator('h1 .mark', { hasText: state })
    await page.goto(at(`/crawls/${id}/deliveries`))
    await page.getByText('No webhook has been sent yet.').waitFor()
    await page.getByRole('link', { name: /^Pages/ }).click()
    await page.getByRole('link', { name: '/tides' }).waitFor({ timeout: patient(30_000) })
    await mark('done').waitFor({ timeout: patient(60_000) })
    const { page_count } = (await system.call(key, 'GET', `/v1/crawls/${id}`)).body
    t.ok(page_count > 1)
    await page.getByRole('heading', { name: `${page_count} pages`, exact: true }).waitFor()
    await page
      .getByRole('link', { name: /^Webhooks/ })
      .last()
      .click()
    await page.getByRole('table').first().waitFor()
  })

  await t.test('says of a crawl without pages that it has none', async t => {
    const { body } = await system.call(key, 'POST', '/v1/crawls', { url: 'http://nothing.invalid/' })
    await page.goto(at(`/crawls/${body.id}/pages`))
    await page.getByText('The crawl has no pages.', { exact: true }).waitFor()
    await page.goto(at(`/crawls/${body.id}/links`))
    await page.getByText('The crawl has no pages, so there are no links.').waitFor()
    t.equal(await page.getByText('orphan').count(), 0)
  })

  await t.test('reports errors as the API does, and ends with a sign-out', async t => {
    await page.goto(at('/crawls/999999999'))
    await page
      .getByRole('alert')
      .first()
      .getByText(/not_found.*request/)
      .waitFor()
    await look(t, 'fault')
    faults.length = 0 // the browser reports the 404
    await page.goto(at(''))
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    t.strictSame(await page.context().cookies(at('')), [])
  })
  t.strictSame(faults, [], 'the policy forbids nothing that the console needs')
})
