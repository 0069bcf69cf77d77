/** The pages of a crawl as an llms.txt and an llms-full.txt (llmstxt.org). */
import type { RunView } from '@tidemark/contracts/http/crawls'
import { webPath } from '@tidemark/testing/any-url'
import { codePoint } from '@tidemark/testing/code-point'
import { sized } from '@tidemark/testing/tier'
import fc from 'fast-check'
import { test } from 'tap'
import { breadcrumbsOf } from './domain/llms-txt/breadcrumbs.ts'
import type { ListedPage } from './domain/llms-txt/listed-page.ts'
import { firstHeading, firstSentence, linksOf, plainText } from './domain/llms-txt/markdown-text.ts'
import { addLabels, type Labels } from './domain/llms-txt/outline.ts'
import { type GuideOptions, siteGuideOf } from './domain/llms-txt/site-guide.ts'
import { llmsFullTxtOf, llmsTxtOf } from './domain/llms-txt/write-llms-txt.ts'
import { untilEnded } from './until-ended.ts'

const site = 'https://tides.example'
const page = (path: string, some: Partial<ListedPage> = {}): ListedPage => ({
  url: `${site}${path}`,
  title: null,
  description: null,
  siteName: null,
  breadcrumbs: [],
  main: null,
  ...some,
})
const home: GuideOptions = { url: `${site}/` }
const guideOf = (pages: ListedPage[], options = home) => siteGuideOf(pages, options)
const textOf = (pages: ListedPage[], options = home) => llmsTxtOf(guideOf(pages, options), options)
const reasonsOf = (pages: ListedPage[]) =>
  guideOf(pages).leftOut.map(({ url, reason }) => `${url.slice(site.length)} ${reason}`)
const long = 'The moon draws the water towards itself, and the sun does too. '.repeat(20)

test('An llms.txt', async t => {
  const menu = `- [Start](${site}/)
- Learn
  - [Moon](${site}/moon.html)
  - [Sun](${site}/sun.html)
- [Docs](${site}/docs/)

# Tides

All about the sea.

## Stories

- [Neap](${site}/neap): a story of the quarter moon.
- [Spring](${site}/spring): another story.

In passing we mention [the docs](${site}/docs/).

- [Privacy](${site}/privacy)
- [Contact](${site}/contact)
`
  const main = menu.slice(menu.indexOf('# Tides'), menu.indexOf('- [Privacy'))
  t.equal(
    textOf([
      page('/', { title: 'Tides', description: 'All about\n the sea.', main, whole: menu }),
      page('/moon.html', {
        title: 'The [moon] | Tides',
        main: `# The moon\n\n${long}`,
      }),
      page('/sun.html', { title: 'The sun | Tides', description: 'Why it pulls, too.' }),
      page('/docs/', { title: 'Documentation | Tides', main: '# Documentation\n\n- Tables\n' }),
      page('/docs/two(a)', { main: '# Two\n\nIt is done in two steps, e.g. by hand. Then it ends.' }),
      page('/neap', { title: 'Neap | Tides' }),
      page('/spring', { title: 'Spring | Tides' }),
      page('/coast/a', { title: 'A | Tides', breadcrumbs: ['Tides', 'Coasts', 'A'] }),
      page('/shore/b', { title: 'B | Tides', breadcrumbs: ['Tides', 'Coasts', 'B'] }),
      page('/privacy', { title: 'Privacy | Tides' }),
      page('/contact', { title: 'Contact | Tides' }),
    ]),
    `# Tides

> All about the sea.

## Pages

- [Tides](${site}/): All about the sea.
- [Contact](${site}/contact)

## Learn

- [The \\[moon\\]](${site}/moon.html): The moon draws the water towards itself, and the sun does too.
- [The sun](${site}/sun.html): Why it pulls, too.

## Documentation

- [Documentation](${site}/docs/): Tables
- [Two](${site}/docs/two%28a%29): It is done in two steps, e.g. by hand.

## Stories

- [Neap](${site}/neap)
- [Spring](${site}/spring)

## Coasts

- [A](${site}/coast/a)
- [B](${site}/shore/b)

## Optional

- [Privacy](${site}/privacy)
`,
    'names sections as menus, breadcrumbs, index pages and headings do, and never by a path',
  )
  const own = { ...home, siteName: 'Mine', summary: 'Said by me.' }
  t.match(
    textOf([page('/')], own),
    /^# Mine\n\n> Said by me\.\n\n## Pages/,
    'uses the requested name and summary',
  )
  t.match(textOf([page('/')]), /^# tides\.example\n\n## Pages/, 'else the host')

  t.test('takes titles and descriptions that are the own ones of each page', async t => {
    const titled = (...titles: string[]) =>
      guideOf(titles.map((title, n) => page(`/${n}`, { title, main: `# Heading ${n}\n\n${long}` })))
    const names = ({ sections }: ReturnType<typeof guideOf>) =>
      sections.flatMap(({ entries }) => entries.map(({ title }) => title))
    t.strictSame(names(titled('One - Tides', 'Two - Tides', 'Three - TIDES')), ['One', 'Two', 'Three'])
    t.equal(titled('One - Tides', 'Two - Tides').name, 'Tides', 'and the shared part names the site')
    t.strictSame(names(titled('Tides: One', 'Tides: Two')), ['One', 'Two'])
    t.strictSame(
      names(
        titled(
          'One | Guides | Tides',
          'Two | Guides | Tides',
          'Three | Tides',
          'Four | Tides',
          'Five | Tides',
        ),
      ),
      ['One | Guides', 'Two | Guides', 'Three', 'Four', 'Five'],
    )
    t.strictSame(names(titled('Tides', 'Tides')), ['Heading 0', 'Heading 1'], 'else their headings')
    t.strictSame(names(titled('High - low', 'One')), ['High - low', 'One'], 'a dash alone separates nothing')
    const same = ['/a', '/b'].map(path =>
      page(path, { description: 'The same on all.', main: `${path} ${long}` }),
    )
    const [first, second] = guideOf(same).sections.flatMap(({ entries }) => entries)
    t.match([first?.note, second?.note], [/^\/a The moon/, /^\/b The moon/])
    const empty = ['/c', '/d'].map(path =>
      page(path, { title: 'Tides', description: 'The same on all.', main: '' }),
    )
    t.match(
      guideOf([page('/b', { main: '' }), ...empty]).sections.flatMap(({ entries }) => entries),
      [
        { title: '/b', note: '' },
        { title: 'Tides', note: 'The same on all.' },
        { title: 'Tides', note: 'The same on all.' },
      ],
      'pages without text have their path, or the title and the description that they share',
    )
  })

  t.test('leaves noise out, with the reason, and keeps documents with such names', async t => {
    const form = '# Sign in\n\nName\n\nPassword'
    const links = `- [One two three four](${site}/1)\n`.repeat(60)
    t.strictSame(
      reasonsOf([
        page('/'),
        page('/login', { main: form }),
        page('/docs/login', { main: `# The login endpoint\n\n${long}` }),
        page('/cart.php'),
        page('/search', { main: form }),
        page('/docs/search', { main: long }),
        page('/find?q=moon', { main: form }),
        page('/?s=about-us', { main: long }),
        page('/blog/tag/neap', { main: links }),
        page('/html/tags/div', { main: long }),
        page('/tags', { main: links }),
        page('/moon', { main: long }),
        page('/moon?print=1', { main: long }),
        page('/moon/print', { main: long }),
        page('/services/print', { main: long }),
        page('/blog/page/2', { main: links }),
        page('/blog?page=3', { main: links }),
        page('/?p=123', { main: long }),
        page('/index.php?page=7', { main: long }),
        page('/book/page/7', { main: long }),
      ]),
      [
        '/login login',
        '/cart.php account',
        '/search search',
        '/find?q=moon search',
        '/blog/tag/neap tags',
        '/tags tags',
        '/moon?print=1 print',
        '/moon/print print',
        '/blog/page/2 pagination',
        '/blog?page=3 pagination',
      ],
    )
    t.strictSame(reasonsOf([page('/login')]), [], 'but never the only page')
  })

  t.test('has words of its pages, and nothing that they could do with them', async t => {
    const hostile = '\x1b[31mred\x9b\u0085two\nlines <img src=x> [link](javascript:x) \\'
    const pages = [page('/', { title: hostile, description: hostile, siteName: hostile })]
    const text = textOf(pages, { ...home, summary: 'My [own](https://tides.example/).' })
    t.notMatch(text.replaceAll('\n', ''), /\p{Cc}/u)
    const words = '\\[31mred two lines \\<img src=x> \\[link\\](javascript:x) \\\\'
    t.strictSame(text.split('\n'), [
      `# ${words}`,
      '',
      '> My [own](https://tides.example/).',
      '',
      '## Pages',
      '',
      `- [${words}](${site}/): ${words}`,
      '',
    ])
  })

  t.test('has every page once, listed or left out, whatever pages say of themselves', async t => {
    const text = fc.option(fc.string({ unit: codePoint, maxLength: 60 }))
    const markdown = fc
      .array(
        fc.oneof(
          fc.string(),
          fc.constantFrom('- ', '  - ', '# ', '[', `](${site}/a)`, '\n', '```', '![', '|'),
        ),
      )
      .map(parts => parts.join(''))
    const anyPage = fc
      .record({
        path: webPath(),
        title: text,
        description: text,
        siteName: text,
        main: fc.option(markdown),
        whole: markdown,
        breadcrumbs: fc.array(fc.string(), { maxLength: 3 }),
      })
      .map(({ path, ...some }) => page(path === '' ? '/' : path, some))
    const pages = fc.uniqueArray(anyPage, { minLength: 1, maxLength: 20, selector: ({ url }) => url })
    fc.assert(
      fc.property(pages, fc.integer({ min: 100, max: 3_000 }), (all, maxTokens) => {
        const guide = guideOf(all)
        const lines = llmsTxtOf(guide, home).split('\n')
        const entries = lines.filter(line => line.startsWith('- ['))
        const headings = lines.filter(line => line.startsWith('## '))
        t.equal(entries.length + guide.leftOut.length, all.length)
        t.equal(lines.filter(line => /^# /.test(line)).length, 1)
        t.equal(new Set(headings).size, headings.length)
        t.ok(!headings.includes('## Optional') || headings.at(-1) === '## Optional')
        const full = llmsFullTxtOf(guide, home, maxTokens)
        t.ok(full.tokens <= maxTokens, `${full.tokens} of ${maxTokens} tokens`)
        t.equal(full.pages + full.missing.length, entries.length)
      }),
      { numRuns: sized(60, 200) },
    )
  })
})

test('An llms-full.txt', async t => {
  const pages = [
    page('/', { title: 'Tides', description: 'All about the sea.', main: '# Tides\n\nThe sea moves.' }),
    page('/moon', {
      title: 'Moon',
      main: `# Moon\n\nIt draws.\n\n\`\`\`\n${'code\n\n'.repeat(400)}\`\`\`\n`,
    }),
    page('/legal', { title: 'Legal', main: '# Legal\n\nTerms\x1b[0m of use.' }),
  ]
  const guide = guideOf(pages)
  const whole = llmsFullTxtOf(guide, home, 10_000)
  t.match(whole, { pages: 3, cut: null, missing: { length: 0 } })
  t.ok(
    whole.text.startsWith(
      `# Tides\n\n> All about the sea.\n\n---\n\n# Tides\n\nSource: ${site}/\n\nThe sea moves.\n\n---\n\n# Moon\n\nSource: ${site}/moon\n\nIt draws.`,
    ),
  )
  t.ok(
    whole.text.endsWith(`# Legal\n\nSource: ${site}/legal\n\nTerms[0m of use.\n`),
    'ends with the optional pages',
  )
  const part = llmsFullTxtOf(guide, home, 300)
  t.match(part, { pages: 2, cut: `${site}/moon`, missing: [`${site}/legal`] })
  t.ok(part.tokens <= 300 && part.tokens > 250, `${part.tokens} tokens`)
  t.ok(part.text.endsWith('code\n```\n'), 'closes the code that it cuts')
  const quoted = `Code:\n\n\`\`\`\`\n\`\`\`\n${'code\n\n'.repeat(400)}\`\`\`\n\`\`\`\`\n`
  const cut = llmsFullTxtOf(guideOf([page('/', { main: quoted })]), home, 200)
  t.ok(cut.text.endsWith('code\n````\n'), 'also code that shows a fence')
  t.ok(cut.tokens <= 200, `${cut.tokens} tokens`)
})

test('Code of a page is no heading, no label and no prose', t => {
  const code =
    '````sh\n```\n# Install the tables of tides in this folder, and then read them.\n## Step\n````\n'
  t.equal(firstHeading(`${code}\n## Tables\n`), 'Tables')
  t.equal(firstSentence(`${code}\n${long}`), long.slice(0, long.indexOf('.') + 1))
  const labels = new Map<string, Labels>()
  addLabels(labels, `## Tables\n\n${code}\n- [Neap](${site}/neap)\n`, '')
  t.strictSame(labels.get(`${site}/neap`)?.heading, ['Tables'])
  const items = '- ```\n  # Install\n  ```\n- next\n\n1. ```sh\n   # Step\n   ```\n'
  t.equal(firstHeading(`${items}\n## Guides\n`), 'Guides', 'also code that begins an item of a list')
  t.equal(firstHeading(`${'- [a](/a)\n'.repeat(600)}\n## Late\n`), 'Late')
  t.end()
})

test('Plain words of Markdown', async t => {
  t.equal(
    plainText('## The *big* [moon \\[1\\]](https://a.example/x_(y) "t") `rises` ![no](x.png)'),
    'The big moon [1] rises',
  )
  t.equal(plainText('snake_case stays, _this_ not'), 'snake_case stays, this not')
  t.equal(
    plainText('\\*args, \\_x\\_, \\`y\\`, \\~\\~z *w*'),
    '*args, _x_, `y`, ~~z w',
    'escaped signs are text',
  )
  t.strictSame(linksOf('- [a](https://a.example/\\(b) and [c](<https://c.example/>)'), [
    { text: 'a', href: 'https://a.example/(b' },
    { text: 'c', href: 'https://c.example/' },
  ])
  t.equal(
    plainText('\\[a](b), \\\\[c](https://c.example/), \\![d](https://d.example/) and \\\\![e](e.png)'),
    '[a](b), \\c, !d and \\',
    'an escaped sign begins no link and no image, and an escaped escape escapes nothing',
  )
  t.strictSame(linksOf('\\[a](b) \\\\[c](<https://c.example/a_\\(b>)'), [
    { text: 'c', href: 'https://c.example/a_(b' },
  ])
  t.equal(
    firstSentence(
      `# T\n\n> quoted\n\n| a | b |\n\n\`\`\`\nThis is a line of code that is long enough.\n\`\`\`\n\n${long}`,
    ),
    'The moon draws the water towards itself, and the sun does too.',
  )
  t.equal(
    firstSentence(`海の水は月に引かれて動きます。${'太陽も水を引きますが、月よりも弱いです。'.repeat(3)}`),
    '海の水は月に引かれて動きます。太陽も水を引きますが、月よりも弱いです。',
  )
  t.equal(firstSentence('# Only\n\n## Headings'), null)
  for (const part of ['[', '![', '[a](', '*', '_', '\\', '`', '[a](b ', '(', ' ', '# ']) {
    const began = performance.now()
    const text = part.repeat(300_000)
    firstSentence(text)
    textOf([page('/', { title: text, description: text, main: text, whole: text })])
    t.ok(
      performance.now() - began < 1_500,
      `${JSON.stringify(part)}: ${Math.round(performance.now() - began)} ms`,
    )
  }
  t.test('cost time in proportion to their length', t => {
    const timed = (name: string, work: () => void) => {
      const began = process.cpuUsage()
      work()
      const ms = process.cpuUsage(began).user / 1000
      t.ok(ms < 2_000, `${name}: ${Math.round(ms)} ms`)
    }
    for (const part of ['\\[', '!\\[', '[](\\)']) {
      const line = `[${part.repeat(2_000 / part.length)}\n`
      timed(`${part} in a line`, () => plainText(line.repeat(200)))
      const main = line.repeat(10)
      const pages = Array.from({ length: 60 }, (_, n) => page(`/${n}`, { main, whole: main }))
      timed(`${part} in pages`, () => guideOf(pages))
    }
    const links = `${'[a](b) '.repeat(285)}\n`.repeat(150)
    const linked = Array.from({ length: 10 }, (_, n) => page(`/${n}`, { whole: links }))
    timed('lines of short links', () => guideOf(linked))
    const labels = new Map<string, Labels>()
    const headings = Array.from({ length: 4_000 }, (_, n) => `## h${n}\n[a](${site}/x)\n`).join('')
    timed('many headings above one link', () => addLabels(labels, headings, ''))
    t.equal(labels.get(`${site}/x`)?.heading.length, 20, 'a URL has few labels')
    const items = `- [Sun](${site}/sun)\n${'  - [a](https://b.example/)\n'.repeat(20_000)}`
    timed('many items below a link', () => addLabels(labels, items, ''))
    t.strictSame(labels.get(`${site}/sun`)?.menu, ['Sun'])
    const blanks = `- ${'\u00a0'.repeat(500_000)}a\u2028b`
    timed('blanks before a line separator', () => addLabels(labels, blanks, ''))
    const deep = Array.from({ length: 500 }, (_, n) => page(`/${n}${'/a'.repeat(1_000)}`))
    timed('deep paths', () => guideOf(deep))
    for (const part of ['\n', '\ufffd']) {
      const guide = guideOf([page('/', { main: `x${part.repeat(200_000)}x ${'y'.repeat(700_000)}` })])
      timed(JSON.stringify(part), () => llmsFullTxtOf(guide, home, 160_000))
    }
    t.end()
  })
  t.strictSame(
    breadcrumbsOf([
      {
        '@graph': [
          {
            '@type': 'BreadcrumbList',
            itemListElement: [
              { position: 2, item: { name: 'Docs' } },
              { position: 1, name: 'Home' },
              { position: 3 },
              null,
            ],
          },
        ],
      },
    ]),
    ['Home', 'Docs'],
  )
  const named = { '@type': ['ItemList', 'BreadcrumbList'], itemListElement: [{ name: 'Home' }] }
  for (const stated of [{ '@graph': named }, { '@type': 'WebPage', breadcrumb: named }])
    t.strictSame(breadcrumbsOf([stated]), ['Home'], Object.keys(stated).join())
  t.strictSame(breadcrumbsOf([null, [], { '@type': 'BreadcrumbList' }, 'x']), [])
})

test('A crawl that ends before the time is over is not reported as running', async t => {
  const until = 30
  for (const endsAt of [0, 20, 30]) {
    let now = 0
    const findRun = async () => {
      const run = { finished_at: now >= endsAt ? '2026-01-02T03:04:05.678Z' : null } as RunView
      now += 30 // the pause
      return run
    }
    const run = await untilEnded({ findRun, now: () => now }, 7, 1, { until, isDisconnected: () => false })
    t.type(run?.finished_at, 'string', `ends after ${endsAt} ms`)
  }
  let looks = 0
  const findRun = async () => {
    looks++
    return { finished_at: null } as RunView
  }
  const ports = { findRun, now: () => 0 }
  t.equal(await untilEnded(ports, 7, 1, { until: 0, isDisconnected: () => false }), null)
  t.equal(await untilEnded(ports, 7, 1, { until: 9, isDisconnected: () => looks > 0 }), null)
  t.equal(looks, 1, 'a client that has left needs no look')
})
