/**
 * The console in a real Chromium: from the address with a key to a crawl, its pages, an explanation, changes and a
 * webhook. Every screen is checked for its accessibility, narrow and wide, light and dark; `CONSOLE_SHOTS` is a folder
 * for pictures of them.
 */
import { startOrigin } from '@tidemark/testing/origin'
import { startCanary } from '@tidemark/testing/origin-canary'
import { patient } from '@tidemark/testing/slowness'
import { until } from '@tidemark/testing/until'
import { test } from 'tap'
import { attackPage, attacksOn, looksOf, openBrowser, siteOf } from './console.scene.ts'
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
    await page.getByRole('alert').getByText('no valid API key').waitFor()
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
    await look(t, 'run')
  })
  const first = Number(/\d+$/.exec(page.url())?.[0])

  await t.test('lists its pages, filtered by the address', async t => {
    await page.getByRole('link', { name: /^Pages/ }).click()
    await page.getByRole('link', { name: '/harbour/crail' }).waitFor()
    await look(t, 'pages')
    await page.getByLabel('Filter').fill('crail')
    await page.getByRole('heading', { name: '1 page', exact: true }).waitFor()
    t.match(page.url(), /q=crail/)
    await page.reload()
    await page.getByRole('heading', { name: '1 page', exact: true }).waitFor()
    await page.getByRole('link', { name: '/harbour/crail' }).click()
    await page.getByRole('heading', { name: 'Crail harbour' }).waitFor()
    await page.frameLocator('iframe').getByRole('heading', { name: 'Crail' }).waitFor()
    await look(t, 'page')
    for (const view of ['Markdown', 'Metadata', 'Links in']) {
      await page.getByRole('link', { name: view, exact: true }).click()
      await page.locator('main .page-text, main .columns.even, main table').first().waitFor()
      await look(t, `page-${view.toLowerCase().replace(' ', '-')}`)
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
    await page.goto(at(`/crawls/${first}/explain`))
    await page.getByRole('textbox', { name: 'URL' }).fill('/private/log')
    await page.getByRole('button', { name: 'Explain' }).click()
    await page.getByText('A rule skipped this URL.').waitFor()
    await look(t, 'explain')
    await page.goto(at(`/crawls/${first}/errors`))
    await page.getByRole('heading', { name: /failed URL/ }).waitFor()
    await look(t, 'errors')
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
    await look(t, 'audit')
    await page.getByLabel('Filter').fill('broken-link')
    await page.getByRole('button', { name: /URL of the site that responds with an error/ }).click()
    t.match(page.url(), /q=broken-link&rule=site%2Fbroken-link/)
    await page.getByText('Correct or remove the links').waitFor()
    await look(t, 'audit-rule')
    await page.getByRole('link', { name: `${site.url}/`, exact: true }).click()
    await page.getByRole('heading', { name: 'Harbours' }).waitFor()
    await page.goBack()
    await page.getByText('Correct or remove the links').waitFor()
    await page.getByRole('link', { name: 'By page' }).click()
    await page.getByRole('button', { name: '/harbour/crail' }).click()
    await page.getByRole('heading', { name: '/harbour/crail' }).waitFor()
    t.match(page.url(), /view=By\+page.*page=\d+/)
    await look(t, 'audit-page')
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
    await look(t, 'links')
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
    await look(t, 'diff')
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
    await look(t, 'diff-side')
    await page.goto(at(`/crawls/${second.id}/deliveries`))
    await page.getByRole('table').first().waitFor()
    await look(t, 'deliveries')
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
    await page.goto(at(`/scan?url=${encodeURIComponent(`${site.url}/tides`)}`))
    await page.getByRole('button', { name: 'Scan' }).click()
    await page.getByText('High water').waitFor()
    await look(t, 'scan')
    await page.getByText('Copy as code').click()
    await page.getByRole('button', { name: 'Python' }).click()
    await page.getByText('client.scan(').waitFor()
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
