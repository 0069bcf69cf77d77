/** `POST /v1/llms-txt-build`: a crawl and its llms.txt in one request, and the response when it takes too long. */
import { startOrigin } from '@tidemark/testing/origin'
import { test } from 'tap'
import { sharedSystem } from './system.ts'

const described = (title: string, description: string, links: string[] = []) =>
  `<title>${title}</title><meta name=description content="${description}">
  ${links.map(link => `<a href="${link}">${link}</a>`).join(' ')}`

test('An llms.txt is built by a crawl of its own', { timeout: 300_000 }, async t => {
  const system = await sharedSystem()
  t.teardown(() => system.stop())
  const key = await system.createProject('llms', '--unlimited')
  const build = (body: object) => system.call(key, 'POST', '/v1/llms-txt-build', body)
  const origin = await startOrigin({
    pages: {
      '/': described('Tides', 'All about the sea.', ['/docs/', '/docs/moon', '/legal', '/gone', '/draft']),
      '/docs/': described('Docs', 'How it is done.'),
      '/docs/moon': described('The moon', 'Why the sea rises.'),
      '/legal': described('Legal', 'Terms of use.'),
      '/draft': `${described('Draft', 'Not yet.')}<meta name=robots content=noindex>`,
    },
  })
  t.teardown(() => origin.close())

  await t.test('with the titles and descriptions of the pages', async t => {
    const { status, headers, body } = await build({ url: `${origin.url}/`, site_name: 'The Tides' })
    t.equal(status, 200)
    t.equal(headers.get('content-type'), 'text/plain; charset=utf-8')
    t.equal(
      body,
      `# The Tides

> All about the sea.

## Pages

- [Tides](${origin.url}/): All about the sea.

## Docs

- [Docs](${origin.url}/docs/): How it is done.
- [The moon](${origin.url}/docs/moon): Why the sea rises.

## Optional

- [Legal](${origin.url}/legal): Terms of use.
`,
    )
  })

  await t.test('with at most `max_pages` pages', async t => {
    const { body } = await build({ url: `${origin.url}/`, max_pages: 1 })
    t.equal(body.match(/^- \[/gm).length, 1)
  })

  await t.test('and after a timeout the run continues and its id is returned', async t => {
    const began = performance.now()
    const { status, headers, body } = await build({ url: `${origin.url}/slow/3000`, wait_seconds: 1 })
    const seconds = (performance.now() - began) / 1000
    t.equal(status, 408)
    t.match(body.error, { code: 'timeout', run_id: Number })
    t.equal(headers.get('location'), `/v1/crawls/${body.error.run_id}`)
    t.ok(seconds < 10, `it took ${seconds.toFixed(1)} s`)
    t.match(await system.untilEnded(key, body.error.run_id), { status: 'done', page_count: 1 })
  })

  await t.test('unreachable sites and invalid requests are rejected', async t => {
    const { port } = new URL(origin.url)
    const none = await build({ url: `http://127.1.99.99:${port}/` })
    t.match(none, {
      status: 502,
      body: { error: { code: 'fetch_failed', reason: 'connect', run_id: Number } },
    })
    for (const [field, value] of Object.entries({
      max_pages: 201,
      wait_seconds: 181,
      site_name: '',
      summary: 5,
    })) {
      const { status, body } = await build({ url: `${origin.url}/`, [field]: value })
      t.match({ status, body }, { status: 400, body: { error: { code: 'invalid_input', field } } }, field)
    }
    t.match(await build({ url: 'http://10.0.0.1/' }), {
      status: 400,
      body: { error: { reason: 'private_address' } },
    })
  })
})
