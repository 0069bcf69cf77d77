/** The operator screen of the console in a real Chromium, over a whole system with a dead letter and a host that pauses. */
import { openBus } from '@tidemark/bus/connection'
import { storeDeadLetter } from '@tidemark/bus/dead'
import { startOrigin } from '@tidemark/testing/origin'
import { patient } from '@tidemark/testing/slowness'
import { until } from '@tidemark/testing/until'
import { test } from 'tap'
import { looksOf, openBrowser } from './console.scene.ts'
import { startSystem } from './system.ts'

const adminKey = 'key-of-the-operator-'.repeat(2)
const traces = 'https://traces.example.com/'

test('The operator screen', { timeout: patient(300_000) }, async t => {
  const system = await startSystem({ ADMIN_KEY: adminKey, TRACES_URL: traces })
  t.teardown(() => system.stop())
  const busy = await startOrigin({ host: '127.1.29.2' })
  t.teardown(() => busy.close())
  busy.site({
    '/': '<title>Busy</title><a href="/busy">Busy</a>',
    '/busy': { status: 429, headers: { 'retry-after': '240' } },
  })
  const key = await system.createProject('harbour', '--unlimited')
  const { page, faults } = await openBrowser(t)
  page.setDefaultTimeout(patient(30_000))
  const look = looksOf(page)
  const at = (path: string) => `${system.base}/console${path}`
  const overview = async () => (await system.call(adminKey, 'GET', '/v1/operator/overview')).body

  await t.test('prints its address at the start', async t => {
    t.match(system.printed(), `Open the operator screen:      ${at(`#key=${adminKey}`)}`)
  })

  await t.test('every part of the overview is available in a whole system', async t => {
    const started = await system.call(key, 'POST', '/v1/crawls', { url: `${busy.url}/`, delay_ms: 0 })
    t.equal(started.status, 202)
    const bus = await openBus({ url: (await system.runFile()).nats.url, name: 'test' })
    const letter = { subject: 'fetch.http', data: Buffer.from('{}') }
    const reason = 'TypeError: Cannot read properties of undefined'
    await storeDeadLetter(bus, letter, {
      stream: 'FETCH',
      consumer: 'fetcher-http',
      sequence: 1,
      attempt: 5,
      reason,
    })
    await storeDeadLetter(bus, letter, { stream: 'RUNS', consumer: 'runs', sequence: 1, attempt: 1, reason })
    await bus.close()
    await until(async () => (await overview()).hosts.total > 0, 60_000)
    const found = await overview()
    for (const [name, part] of Object.entries<{ available?: boolean }>(found))
      if (part?.available !== undefined) t.equal(part.available, true, name)
    t.equal(found.queues.items.length, 5)
    t.strictSame(
      found.projections.items.map(
        ({ service, projection }: Record<string, string>) => `${service} ${projection}`,
      ),
      [
        ...['projector runs', 'projector accounts', 'projector audit'],
        ...['usage-ledger bill-runs', 'usage-ledger bill-requests', 'usage-ledger ledger'],
        ...['extractor forget-deleted-runs', 'webhook decide-deliveries', 'webhook decide-batches'],
      ],
    )
    t.equal(found.dead_letters.total, 2)
    const mine = found.projects.items.find(({ name }: { name: string }) => name === 'harbour')
    t.match(mine, { running: 1, queued: 0, started: 1 })
    t.match(found.hosts.items, [{ origin: busy.url, is_paused: true }])
    t.equal(found.traces_url, traces)
  })

  await t.test('opens with the key of the operator', async t => {
    await page.goto(at(`#key=${adminKey}`))
    await page.getByText('Sign in with the key of an operator').waitFor()
    t.equal(await page.evaluate('location.href'), at(''), 'the address has no key')
    t.notMatch(await page.content(), adminKey.slice(0, 12), 'and nor does the page')
    await look(t, 'sign-in-operator')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Operator', exact: true }).waitFor()
    const [cookie] = await page.context().cookies(at(''))
    t.match(cookie, { httpOnly: true, sameSite: 'Strict', path: '/console' })
  })

  await t.test('shows what is behind, what failed, and the commands and runbooks for it', async t => {
    await page.goto(at('/operator'))
    await page.getByRole('region', { name: 'Services', exact: true }).getByText('crawl-coordinator').waitFor()
    await page.getByText('npm run admin -- dead-letters replay --all --stream FETCH').waitFor()
    await page.getByText('npm run admin -- rebuild-projections --name runs').waitFor()
    await page.getByRole('cell', { name: busy.url }).waitFor()
    await page.getByRole('cell', { name: 'harbour' }).first().waitFor()
    t.equal(await page.getByRole('link', { name: 'Traces' }).getAttribute('href'), traces)
    const addresses = await page.getByRole('navigation', { name: 'Runbooks' }).getByRole('link').all()
    for (const link of addresses) {
      const address = (await link.getAttribute('href')) ?? ''
      if (address !== traces) t.equal((await system.call(null, 'GET', address)).status, 200, address)
    }
    await look(t, 'operator')
  })

  await t.test('updates itself until it is paused, which the address keeps', async t => {
    const updated = () => page.locator('.commands time').getAttribute('datetime')
    const before = await updated()
    await until(async () => (await updated()) !== before, 30_000)
    await page.getByRole('button', { name: 'Pause updates' }).click()
    t.match(page.url(), /\/operator\?refresh=off$/)
    await page.reload()
    await page.getByRole('button', { name: 'Pause updates', pressed: true }).waitFor()
    await page.locator('.commands time').waitFor()
    const paused = await updated()
    await page.waitForTimeout(7_000)
    t.equal(await updated(), paused)
    await page.getByRole('button', { name: 'Update now' }).click()
    await until(async () => (await updated()) !== paused, 30_000)
  })

  await t.test(
    'keeps the other parts if a service does not respond, and reports errors as the API does',
    async t => {
      const found = await overview()
      const unknown = { total: null, available: false, items: [] }
      const answers = [
        {
          json: {
            ...found,
            hosts: { ...unknown, missing: ['fetcher'] },
            costs: { ...found.costs, ...unknown, missing: ['usage-ledger'], today: null, month: null },
          },
        },
        {
          status: 503,
          headers: { 'x-request-id': 'd14f099b-2a51-479a-91bd-5653ca4f6f6f' },
          json: {
            error: {
              code: 'unavailable',
              message: 'A part of the service is unavailable.',
              request_id: 'd14f099b-2a51-479a-91bd-5653ca4f6f6f',
            },
          },
        },
      ]
      await page.route('**/v1/operator/overview', route => route.fulfill(answers[0] ?? {}))
      await page.getByRole('button', { name: 'Update now' }).click()
      await page.getByText('fetcher did not respond within a second').waitFor()
      await page.getByText('usage-ledger did not respond within a second').waitFor()
      await look(t, 'operator-incomplete')
      answers.shift()
      await page.getByRole('button', { name: 'Update now' }).click()
      await page
        .getByRole('alert')
        .getByText(/unavailable.*request d14f099b/)
        .waitFor()
      await page.getByRole('cell', { name: 'harbour' }).first().waitFor()
      await look(t, 'operator-fault')
      await page.unroute('**/v1/operator/overview')
      faults.length = 0 // the browser reports the 503
    },
  )

  await t.test('has no other screen, and is closed to the key of a project', async t => {
    await page.goto(at('/keys'))
    await page.getByText('This address is not a screen of the console.').waitFor()
    await look(t, 'operator-missing')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('API key').fill(key)
    await page.getByRole('button', { name: 'Sign in' }).click()
    // Leaving the page before its answer would lose the session.
    await page.getByRole('button', { name: 'Sign out' }).waitFor()
    await page.goto(at('/operator'))
    await page.getByText('This address is not a screen of the console.').waitFor()
    const refused = await page.evaluate(
      `fetch('/console/api/v1/operator/overview').then(({ status }) => status)`,
    )
    t.equal(refused, 403)
    faults.length = 0 // the browser reports the 403
  })
  t.strictSame(faults, [], 'the policy forbids nothing that the screen needs')
})
