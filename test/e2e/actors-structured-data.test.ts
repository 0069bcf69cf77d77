/** `POST /v1/actors/structured-data` end to end, from the client to the site. */

import { StructuredDataAnswer } from '@tidemark/contracts/http/actors/structured-data'
import { challenge, startOrigin } from '@tidemark/testing/origin'
import { patient } from '@tidemark/testing/slowness'
import { test } from 'tap'
import { Check } from 'typebox/value'
import { sharedSystem } from './system.ts'

const script = (json: string) => `<script type="application/ld+json">${json}</script>`
const broken = '{"@type":"Event","name":}'
const cut = '{"@type":"Cut"'

const all = `<!doctype html><html lang=en prefix="schema: https://schema.org/"><head><title>All of it</title>
<link rel="schema.DC" href="http://purl.org/dc/elements/1.1/"><meta name="DC.title" content="Tides"><meta name="DC.creator" content="Ada">
<meta property="og:title" content="Tides"><meta property="og:image" content="/tide.png"><meta property="og:image:width" content="300">
${script('{"@context":"https://schema.org","@type":"Article","headline":"Tides"}')}${script(broken)}
${script('[{"@type":"Person","name":"Ada"},{"@graph":[{"@type":"Thing"}]}]')}${script(cut)}</head><body>
<div itemscope itemtype="https://schema.org/Harbour" itemid="urn:harbour:1"><b itemprop=name>North</b>
<div itemprop=address itemscope itemtype="https://schema.org/PostalAddress"><i itemprop=addressLocality>Sea</i></div></div>
<div itemscope><b itemprop=name>South</b></div>
<p resource="/ship" typeof="schema:Ship"><span property="schema:name">Mary</span></p>
<div class="h-card"><a class="p-name u-url" href="/ada">Ada</a></div></body></html>`

const nothing = { 'json-ld': 0, microdata: 0, rdfa: 0, opengraph: 0, dublincore: 0, microformat: 0 }
const blocks = Array.from({ length: 5_000 }, (_, n) => script(n % 2 === 0 ? `{"@type":"T${n}"}` : '{oops'))
const items = Array.from({ length: 5_000 }, (_, n) => `<p itemscope><b itemprop=n>${n}</b></p>`)
const cycle =
  '<div itemscope itemref=b></div><div itemprop=x itemscope id=b itemref=c></div><p id=c><i itemprop=y itemscope itemref=b></i></p>'

test('The structured data of a page', { timeout: patient(300_000) }, async t => {
  const system = await sharedSystem()
  t.teardown(() => system.stop())
  const key = await system.createProject('structured', '--tier', 'pro')
  const origin = await startOrigin({
    host: '127.1.12.1',
    pages: {
      '/all': all,
      '/none': '<title>Nothing</title><p>No data here.',
      '/empty': '',
      '/feed': { headers: { 'content-type': 'application/pdf' }, body: `%PDF ${script('{"@type":"A"}')}` },
      '/deep': `${script(`${'['.repeat(50_000)}${']'.repeat(50_000)}`)}${'<div itemscope itemprop=x>'.repeat(99_000)}`,
      '/many': `${blocks.join('')}${items.join('')}`,
      '/cycle': cycle,
      '/proto': script('{"__proto__":{"polluted":1},"constructor":"c","a":"\\ud800"}'),
      '/challenge': challenge,
    },
  })
  t.teardown(() => origin.close())
  const structured = async (path: string) => {
    const { status, body, headers } = await system.call(key, 'POST', '/v1/actors/structured-data', {
      url: origin.url + path,
    })
    return { status, body, billed: headers.get('x-pages-billed') }
  }

  await t.test('is returned for all six syntaxes, each in its own shape', async t => {
    const { status, body, billed } = await structured('/all')
    t.equal(status, 200)
    t.ok(Check(StructuredDataAnswer, body), JSON.stringify(body))
    const { elapsed_ms: elapsed, ...answer } = body
    t.ok(Number.isInteger(elapsed))
    t.strictSame(answer, {
      actor: 'structured-data',
      url: `${origin.url}/all`,
      final_url: `${origin.url}/all`,
      status_code: 200,
      data: {
        counts: { 'json-ld': 3, microdata: 2, rdfa: 1, opengraph: 1, dublincore: 1, microformat: 1 },
        data: {
          'json-ld': [
            { '@context': 'https://schema.org', '@type': 'Article', headline: 'Tides' },
            { '@type': 'Person', name: 'Ada' },
            { '@graph': [{ '@type': 'Thing' }] },
          ],
          microdata: [
            {
              type: ['https://schema.org/Harbour'],
              id: 'urn:harbour:1',
              properties: {
                name: ['North'],
                address: [
                  { type: ['https://schema.org/PostalAddress'], properties: { addressLocality: ['Sea'] } },
                ],
              },
            },
            { properties: { name: ['South'] } },
          ],
          rdfa: body.data.data.rdfa,
          opengraph: [
            {
              'og:title': ['Tides'],
              'og:image': [{ 'og:image': `${origin.url}/tide.png`, 'og:image:width': '300' }],
            },
          ],
          dublincore: [{ 'dc.title': ['Tides'], 'dc.creator': ['Ada'] }],
          microformat: [{ type: ['h-card'], properties: { name: ['Ada'], url: [`${origin.url}/ada`] } }],
        },
        errors: [
          { syntax: 'json-ld', block: 1, reason: 'unexpected-character', position: broken.length - 1 },
          { syntax: 'json-ld', block: 3, reason: 'unexpected-end', position: cut.length },
        ],
      },
    })
    t.match(
      body.data.data.rdfa.find((node: { '@id': string }) => node['@id'] === `${origin.url}/ship`),
      { '@type': ['https://schema.org/Ship'], 'https://schema.org/name': [{ '@value': 'Mary' }] },
    )
    t.equal(billed, '1')
  })

  await t.test('is empty if the page has none', async t => {
    for (const path of ['/none', '/empty', '/feed']) {
      const { status, body, billed } = await structured(path)
      t.equal(status, 200, path)
      t.ok(Check(StructuredDataAnswer, body), path)
      t.strictSame(body.data.counts, nothing, path)
      t.strictSame(Object.values(body.data.data).flat(), [], path)
      t.strictSame(body.data.errors, [], path)
      t.equal(billed, '1', 'an empty page is billed too')
    }
    t.match((await structured('/feed')).body.warnings, [/application\/pdf, not HTML/])
    t.notOk((await structured('/none')).body.warnings)
  })

  await t.test('of a hostile page is bounded, and reports the exceeded limits', async t => {
    const many = await structured('/many')
    t.equal(many.status, 200)
    t.ok(Check(StructuredDataAnswer, many.body))
    const { counts, data, errors } = many.body.data
    t.strictSame([counts['json-ld'], counts.microdata], [2_500, 5_000])
    t.strictSame(
      [data['json-ld'].at(-1), data.microdata.at(-1)],
      [{ '@type': 'T4998' }, { properties: { n: ['4999'] } }],
    )
    t.equal(errors.length, 100, 'the first hundred')
    t.strictSame(
      errors.map(({ block }: { block: number }) => block),
      Array.from({ length: 100 }, (_, n) => 2 * n + 1),
    )
    t.ok(errors.every(({ position }: { position: number }) => position === 1))

    const deep = await structured('/deep')
    t.equal(deep.status, 200)
    t.match(deep.body.data.errors, [{ syntax: 'json-ld', reason: 'too-deep', block: 0, position: 0 }])
    t.ok(JSON.stringify(deep.body).length < 8_000_000)
    t.match((await structured('/cycle')).body.data.errors, [
      { syntax: 'microdata', reason: 'cycle', block: null },
    ])
    t.strictSame((await structured('/proto')).body.data.data['json-ld'], [{ constructor: 'c', a: '\ufffd' }])
  })

  await t.test('is free for a challenge or an unreachable page', async t => {
    const shown = await structured('/challenge')
    t.match(shown, { status: 502, billed: '0', body: { error: { code: 'fetch_failed', reason: 'blocked' } } })
    const { status, body } = await system.call(key, 'POST', '/v1/actors/structured-data', {
      url: 'http://127.0.0.1:8080/',
    })
    t.match({ status, ...body.error }, { status: 400, reason: 'private_address', field: 'url' })
  })
})
