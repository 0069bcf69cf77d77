/** The parts of a rendered page that its document lacks: measurement, and ignored differences. */
import { measured } from '@tidemark/testing/processor-time'
import { test } from 'tap'
import { comparedPageOf } from './compared-page.ts'
import { maxWords } from './known-words.ts'
import { renderDiffOf } from './render-diff.ts'
import { seePage } from './seen-page.ts'

const url = 'https://example.com/'

function sideOf(html: string, contentType = 'text/html; charset=utf-8') {
  const page = { url, status: 200, contentType, headers: {}, body: Buffer.from(html) }
  return { page: comparedPageOf(seePage(page)), url, status: 200 }
}

const compared = (before: string, after: string) => renderDiffOf(sideOf(before), sideOf(after), 0)
const delta = (before: string, after: string) => compared(before, after).data.delta
const blind = (before: string, after: string) => delta(before, after).ai_bot_blind_pct

const tides = 'High water comes twice a day because the moon pulls the sea.'
const moon = 'No person beneath it has ever seen the other side.'

test('Each side is measured separately', async t => {
  const html = `<!doctype html><title>T</title><script type="application/ld+json">[{"@type":"A"},{"@type":"B"}]</script>
<h1>One</h1><h2>Two</h2><h6> </h6><h6>Six <b>parts</b></h6><h3 hidden>Unseen</h3>
<p>Some words, 42.</p><a href=/a>A</a><a href=/a>A</a><a href=https://b.example/>B</a><script>var no = 'text'</script>`
  const { data, warnings } = compared(html, html)
  t.strictSame(data.static, {
    word_count: 9,
    link_count: 3,
    heading_count: 3,
    json_ld_count: 2,
    html_bytes: Buffer.byteLength(html),
    text_chars: 'OneTwoSixpartsSomewords42AAB'.length,
    final_url: url,
    status_code: 200,
  })
  t.strictSame(data.rendered, data.static)
  t.strictSame(data.delta, {
    links_only_after_render: [],
    headings_only_after_render: [],
    json_ld_only_after_render: [],
    counts_only_after_render: { links: 0, headings: 0, json_ld: 0 },
    text_chars_only_after_render: 0,
    ai_bot_blind_pct: 0,
    assessment: 'none',
  })
  t.equal(data.rendered_cost_usd, 0)
  t.strictSame(warnings, [])
})

test('Parts that only scripts create are reported', async t => {
  await t.test('links by their targets, up to 25 samples', async t => {
    const links = (n: number) => Array.from({ length: n }, (_, i) => `<a href="/p${i}">x</a>`).join('')
    const found = delta(links(3), links(40) + links(40))
    t.strictSame(
      found.links_only_after_render,
      Array.from({ length: 25 }, (_, i) => `${url}p${i + 3}`),
    )
    t.equal(found.counts_only_after_render.links, 37)
    t.strictSame(delta(links(9), links(3)).links_only_after_render, [], 'removed links do not count')
  })

  await t.test('headings by their text, JSON-LD by its types', async t => {
    const script = (json: string) => `<script type="application/ld+json">${json}</script>`
    const found = delta(
      `<h1>Tides</h1>${script('{"@type":"WebSite","name":"x"}')}`,
      `<h1>Tides</h1><h2>Moon</h2><h2>Moon</h2><h5>Sun</h5>${script('{"name":"x","@type":"WebSite"}')}${script(
        '[{"@type":["Product","Thing"]},{"name":"nameless"},{"@type":["Product","Thing"]}]',
      )}`,
    )
    t.strictSame(found.headings_only_after_render, ['Moon', 'Sun'])
    t.strictSame(found.json_ld_only_after_render, ['Product, Thing', '(none)'])
    t.strictSame(found.counts_only_after_render, { links: 0, headings: 2, json_ld: 2 })
  })

  await t.test('text by its letters', async t => {
    const letters = (text: string) => text.replace(/[^a-z0-9]/gi, '').length
    const found = delta(`<p>${tides}</p>`, `<p>${tides}</p><p>${moon}</p>`)
    t.equal(found.text_chars_only_after_render, letters(moon))
    const share = (letters(moon) / letters(tides + moon)) * 100
    t.equal(found.ai_bot_blind_pct, Math.round(share * 10) / 10)
    t.equal(found.assessment, 'severe')
    t.equal(blind('<div id=root></div>', `<p>${tides}</p>`), 100, 'all of it')
    t.equal(blind(`<p>${tides}</p>`, ''), 0, 'nothing is rendered')
    t.equal(blind('', ''), 0)
  })

  await t.test('and with a verdict: none below 5 %, severe above 40 %', async t => {
    const words = (name: string, n: number) =>
      `<p>${Array.from({ length: n }, (_, i) => `${name}${1000 + i}`).join(' ')}</p>`
    for (const [extra, pct, assessment] of [
      [0, 0, 'none'],
      [49, 4.9, 'none'],
      [50, 5, 'partial'],
      [400, 40, 'partial'],
      [401, 40.1, 'severe'],
      [1000, 100, 'severe'],
    ] as const) {
      const known = words('a', 1000 - extra)
      t.match(delta(known, known + words('b', extra)), { ai_bot_blind_pct: pct, assessment })
    }
  })
})

test('Differences that do not count', async t => {
  const items = ['Home', 'About us', 'Tide tables', 'Opening hours of the harbour office', 'Contact']
  const list = (texts: string[], tag: string) => texts.map(text => `<${tag}>${text}</${tag}>`).join('')
  const cases: [what: string, before: string, after: string][] = [
    ['another order of blocks', list(items, 'p'), list(items.toReversed(), 'p')],
    ['repeated text', `<p>${tides}</p>`, `<p>${tides}</p><div><p>${tides}</p></div>`],
    ['another form of the same', list(items, 'p'), `<ul>${list(items, 'li')}</ul>`],
    [
      'blocks that were one',
      `<p>Tides: high at 12, low at 6`,
      list(['Tides:', 'high at 12,', 'low at 6'], 'td'),
    ],
    ['one that was several', list(['Tides', 'high', '12', 'low', '6'], 'td'), `<p>Tides: high 12, low 6`],
    ['white space and marks', `<p>high   water, twice -- a day`, '<p>high water (twice a\u00a0day)'],
    ['text that the document hides and scripts show', `<div hidden><p>${moon}</p></div>`, `<p>${moon}</p>`],
    ['removed text', `<p>${tides}</p><p>${moon}</p>`, `<p>${moon}</p>`],
    ['hidden text', `<p>${tides}</p>`, `<p>${tides}</p><p style="display:none">${moon}</p>`],
    [
      'scripts, styles and templates',
      '<p>x y z',
      '<p>x y z<script>a b c</script><style>p{}</style><template>d e f',
    ],
    [
      'words without spaces in another order',
      '<p>潮は一日に二度来る。<p>月が海を引く。',
      '<p>月が海を引く。<p>潮は一日に二度来る。',
    ],
  ]
  for (const [what, before, after] of cases) t.equal(blind(before, after), 0, what)
  const clock = (minutes: number) =>
    `<p>${tides} It was last seen ${minutes} minutes ago from the harbour.</p>`
  t.equal(delta(clock(12), clock(13)).text_chars_only_after_render, 2, 'a changed number counts only itself')
})

test('Differences that count nevertheless', async t => {
  t.equal(blind(`<p>${tides}</p>`, `<p>${moon}</p>`), 100, 'other words')
  const shuffled = tides.split(' ').reverse().join(' ')
  t.equal(blind(`<p>${tides}</p>`, `<p>${shuffled}</p>`), 100, 'the same words in another sentence')
  t.equal(blind('<noscript>Please enable JavaScript</noscript>', `<p>${moon}</p>`), 100)
  t.ok(blind('<p>潮は一日に二度来る。', '<p>東京は大きい街です。') > 90, 'other words without spaces')
})

test('A hostile page, or a file of another type', async t => {
  t.match(sideOf('%PDF-1.7', 'application/pdf').page, {
    isHtml: false,
    bytes: 8,
    words: 0,
    targets: { length: 0 },
  })
  const pages: [name: string, html: string][] = [
    ['deep', `${'<div>'.repeat(300_000)}x`],
    ['headings in headings', Array.from({ length: 40_000 }, (_, n) => `<div><h1>${n}`).join('')],
    ['words', Array.from({ length: 400_000 }, (_, n) => `w${n % 60_000} `).join('')],
    ['letters', '潮汐'.repeat(1_000_000)],
    ['hidden in hidden', '<span hidden>x'.repeat(90_000)],
    [
      'long links',
      `<base href="https://example.com/${'x'.repeat(5_000)}/">${'<a href=1>a</a>'.repeat(30_000)}`,
    ],
  ]
  const other = sideOf(pages[2]?.[1] ?? '')
  for (const [name, html] of pages) {
    const { result: side, processorMs: ofSide } = await measured(() => sideOf(html))
    const { result, processorMs } = await measured(() => renderDiffOf(other, side, 0))
    const { data, warnings } = result
    t.ok(ofSide + processorMs < 8_000, `${name} in ${ofSide + processorMs} ms`)
    t.ok(data.delta.ai_bot_blind_pct <= 100, name)
    t.match(warnings, [`only the first ${maxWords} words were compared`])
    t.ok(JSON.stringify(side.page).length < 8 * 1024 ** 2, name)
  }
  const far = Array.from({ length: 3_000 }, (_, n) => `<a href="${n}${'y'.repeat(1_000)}">a</a>`).join('')
  const page = { url, status: 200, contentType: 'text/html', headers: {}, body: Buffer.from(far) }
  const seen = seePage(page)
  t.ok(comparedPageOf(seen).targets.length < 2_100)
  t.match(seen.warnings, [/^only the first \d+ links were compared$/])
})
