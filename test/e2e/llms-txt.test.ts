/** `POST /v1/llms-txt-build`: a crawl and its llms.txt in one request, and the response when it takes too long. */

import { challenge, startOrigin } from '@tidemark/testing/origin'
import { patient } from '@tidemark/testing/slowness'
import { test } from 'tap'
import { sharedSystem } from './system.ts'

const described = (title: string, description: string, links: string[] = []) =>
  `<title>${title}</title><meta name=description content="${description}">
  ${links.map(link => `<a href="${link}">${link}</a>`).join(' ')}`

test('An llms.txt is built by a crawl of its own', { timeout: patient(300_000) }, async t => {
  const system = await sharedSystem()
  t.teardown(() => system.stop())
  const key = await system.createProject('llms', '--unlimited')
  const build = (body: object) => system.call(key, 'POST', '/v1/llms-txt-build', body)
  const origin = await startOrigin({
    pages: {
      '/': described('Tides', 'All about the sea.', ['/docs/', '/legal', '/gone', '/draft']),
      '/docs/': described('Docs', 'How it is done.', ['/docs/moon']),
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

  await t.test('with the own words of pages, and with a report of what is left out', async t => {
    const text = 'The tide rises twice a day, because the moon pulls the water. Then it falls.'
    const menu = `<nav><ul><li><a href=/>Start</a></li><li>Learn<ul>
      <li><a href=/m>Moon</a></li><li><a href=/s>Sun</a></li></ul></li></ul>
      <a href=/login>Log in</a> <a href=/tag/neap>Neap</a> <a href=/gone>Gone</a></nav>`
    const body = (title: string) =>
      `<title>${title} - Tides</title>${menu}<main><h1>${title}</h1><p>${text}</p></main>`
    const site = await startOrigin({
      pages: { '/': body('Start'), '/m': body('Moon'), '/s': body('Sun'), '/login': body('Log in') },
    })
    t.teardown(() => site.close())
    const { status, headers, body: built } = await build({ url: `${site.url}/`, format: 'json' })
    t.equal(status, 200)
    t.match(headers.get('content-type'), /^application\/json/)
    const note = 'The tide rises twice a day, because the moon pulls the water.'
    t.equal(
      built.llms_txt,
      `# Tides\n\n> ${note}\n\n## Pages\n\n- [Start](${site.url}/): ${note}\n\n` +
        `## Learn\n\n- [Moon](${site.url}/m): ${note}\n- [Sun](${site.url}/s): ${note}\n`,
    )
    t.match(built.llms_full_txt, `# Moon\n\nSource: ${site.url}/m\n\n${text}\n`)
    t.notMatch(built.llms_full_txt, /Log in/, 'the main content has no menu')
    t.match(built.report, { listed: 3, full: { pages: 3, cut: null, missing: { length: 0 } } })
    t.match(built.report.left_out.map(({ reason }: { reason: string }) => reason).sort(), [
      'http_error',
      'http_error',
      'login',
    ])
    const full = await build({ url: `${site.url}/`, format: 'llms_full_txt', max_tokens: 1000 })
    t.equal(full.headers.get('content-type'), 'text/plain; charset=utf-8')
    t.equal(full.body, built.llms_full_txt)
    const { headers: plain } = await build({ url: `${site.url}/`, max_pages: 1, max_tokens: 1000 })
    t.match(plain.get('x-warnings'), /max_tokens was ignored/)
  })

  await t.test('with a warning of each gap', async t => {
    const pages = {
      '/': described('Tides', 'All about the sea.', ['/docs/', '/resets-mid-body']),
      '/docs/': '<title>Docs',
    }
    const site = await startOrigin({ pages })
    t.teardown(() => site.close())
    const { status, headers, body } = await build({ url: `${site.url}/`, format: 'json' })
    t.equal(status, 200)
    t.match(body.llms_txt, `- [Docs](${site.url}/docs/)`)
    t.notMatch(body.llms_txt, '/resets-mid-body')
    const warning = `URLs that could not be fetched: 1, see /v1/crawls/${body.run_id}/errors`
    t.strictSame(body.warnings, [warning])
    t.equal(headers.get('x-warnings'), JSON.stringify([warning]))
  })

  await t.test('and an error about robots.txt names no field that this request lacks', async t => {
    const site = await startOrigin({
      pages: {
        '/robots.txt': { headers: { 'content-type': 'text/plain' }, body: 'User-agent: *\nDisallow: /' },
      },
    })
    t.teardown(() => site.close())
    const { status, body } = await build({ url: `${site.url}/` })
    t.equal(status, 502)
    t.match(body.error, { code: 'fetch_failed', reason: 'robots' })
    t.match(body.error.message, /Remedy: a line in robots.txt that allows it\.$/)
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
    const site = await startOrigin({ pages: { '/challenge': challenge } })
    t.teardown(() => site.close())
    t.match(await build({ url: `${site.url}/gone` }), {
      status: 502,
      body: { error: { code: 'fetch_failed', message: /gone is left out\. .* HTTP status 404/ } },
    })
    t.match((await build({ url: `${site.url}/status/302` })).body.error, { message: / HTTP status 302 / })
    t.match(await build({ url: `${site.url}/challenge` }), {
      status: 502,
      body: { error: { reason: 'blocked', message: /returned a challenge/ } },
    })
    t.match(await build({ url: `${site.url}/redirect-to?url=http://10.0.0.1/` }), {
      status: 400,
      body: { error: { code: 'invalid_input', field: 'url', reason: 'private_address', run_id: Number } },
    })
    for (const [field, value] of Object.entries({
      max_pages: 201,
      max_tokens: 999,
      format: 'xml',
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
