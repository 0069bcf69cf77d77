/** The pages of a crawl as an llms.txt (llmstxt.org). */
import fc from 'fast-check'
import { test } from 'tap'
import { type DescribedPage, llmsTxtOf } from './domain/llms-txt.ts'

const site = 'https://tides.example'
const page = (path: string, some: Partial<DescribedPage> = {}): DescribedPage => ({
  url: `${site}${path}`,
  title: null,
  description: null,
  siteName: null,
  ...some,
})

test('An llms.txt', async t => {
  t.equal(
    llmsTxtOf(
      [
        page('/', { title: 'Tides | Home', siteName: 'Tides', description: 'All about\n the sea.' }),
        page('/about', { title: 'About | Tides' }),
        page('/docs/', { title: 'Docs | Tides', description: 'How it is done.' }),
        page('/docs/moon', { title: 'The [moon]' }),
        page('/privacy', { title: 'Privacy' }),
        page('/getting-started/one', { title: 'One' }),
        page('/getting-started/two(a)'),
        page('/blog/tag/neap', { title: 'Neap' }),
      ],
      { url: `${site}/` },
    ),
    `# Tides

> All about the sea.

## Pages

- [Tides | Home](${site}/): All about the sea.
- [About](${site}/about)

## Docs

- [Docs](${site}/docs/): How it is done.
- [The \\[moon\\]](${site}/docs/moon)

## Getting started

- [One](${site}/getting-started/one)
- [/getting-started/two(a)](${site}/getting-started/two%28a%29)

## Optional

- [Privacy](${site}/privacy)
- [Neap](${site}/blog/tag/neap)
`,
    'has the name, what the site is, its sections, and last what a reader can do without',
  )
  const own = llmsTxtOf([page('/')], { url: `${site}/`, siteName: 'Mine', summary: 'Said by me.' })
  t.match(own, /^# Mine\n\n> Said by me\.\n\n## Pages/, 'takes the name and the summary that are given')
  t.match(
    llmsTxtOf([page('/')], { url: `${site}/` }),
    /^# tides\.example\n\n## Pages/,
    'else goes by the host',
  )

  t.test('has words of its pages, and nothing that they could do with them', async t => {
    const hostile = '\x1b[31mred\x9b\u0085two\nlines <img src=x> [link](javascript:x) \\'
    const text = llmsTxtOf([page('/', { title: hostile, description: hostile, siteName: hostile })], {
      url: `${site}/`,
      summary: 'My [own](https://tides.example/).',
    })
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

  t.test('lists every page once, whatever pages say of themselves', async t => {
    const text = fc.option(fc.string({ unit: 'binary', maxLength: 60 }))
    const anyPage = fc
      .record({ path: fc.webPath(), title: text, description: text, siteName: text })
      .map(({ path, ...some }) => page(path === '' ? '/' : path, some))
    const pages = fc.uniqueArray(anyPage, { minLength: 1, maxLength: 20, selector: ({ url }) => url })
    fc.assert(
      fc.property(pages, listed => {
        const lines = llmsTxtOf(listed, { url: `${site}/` }).split('\n')
        const entries = lines.filter(line => line.startsWith('- ['))
        const headings = lines.filter(line => line.startsWith('## '))
        if (entries.length !== listed.length) return false
        if (lines.filter(line => /^# /.test(line)).length !== 1) return false
        return !headings.includes('## Optional') || headings.at(-1) === '## Optional'
      }),
    )
    t.pass('for any pages')
  })
})
