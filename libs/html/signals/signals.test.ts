/** The signals of a page for search engines and AI bots, from the facts of a crawl. */
import { codePoint } from '@tidemark/testing/code-point'
import fc from 'fast-check'
import { test } from 'tap'
import { read } from '../html.examples.ts'
import { robotsRules } from './robots-tag.ts'
import { jsonLdTypes, type SignalInputs, signalsOf } from './signals.ts'

const isAiBot = (name: string) => ['gptbot', 'google-extended'].includes(name.toLowerCase())

function signals(html: string, headers: SignalInputs['headers'] = {}) {
  const isInternal = (href: string) => new URL(href).hostname.endsWith('example.com')
  return signalsOf(read(html), { headers, isInternal, isAiBot })
}

const silent = {
  noai: false,
  noimageai: false,
  meta: {},
  x_robots_tag: {},
  content_signals: {},
  content_usage: {},
  tdm_reservation: null,
  tdm_policy: null,
}

test('The signals of a page', async t => {
  const found =
    signals(`<html lang=en><title>T</title><meta name=description content=D><meta name=robots content="noindex, NOAI">
    <script type=application/ld+json>{"@type":"schema:A","@graph":[{"@type":["https://schema.org/B","A"],"x":[{"@type":"urn:c"}]}]}</script>
    <h1>One</h1><h2>Two</h2><h3>Three</h3><p>some words</p>
    <a href="https://example.com/a" rel=nofollow>a</a><a href="https://www.example.com/b">b</a><a href="https://other.org/">c</a>`)
  t.match(found, {
    title: 'T',
    description: 'D',
    canonical: null,
    lang: 'en',
    h1: ['One'],
    h2: ['Two'],
    h3: ['Three'],
    robots_meta: ['noindex', 'noai'],
    jsonld_types: ['A', 'B', 'urn:c'],
    hreflang: {},
    word_count: 6,
    links: { internal: 2, external: 1, nofollow: 1, total: 3 },
  })
  t.equal(found.char_count, 'One Two Three some words abc'.length, 'count the visible text')
  t.same(found.ai_directives, { ...silent, noai: true }, 'say noai')
  t.same(signals('').ai_directives, silent, 'may be empty')
  t.same(
    jsonLdTypes([{ '@type': 5, '@context': { '@type': 'x' }, a: { '@type': ['A', null, ''] } }]),
    ['A'],
    'have types that are names',
  )
})

test('Directives for AI bots', async t => {
  const directivesOf = (html: string, headers: SignalInputs['headers'] = {}) =>
    signals(html, headers).ai_directives
  t.same(
    directivesOf(
      '<meta name="GPTBot" content="noindex, NoFollow"><meta name="gptbot" content="noindex"><meta name=author content=x>',
    ).meta,
    { gptbot: ['noindex', 'nofollow'] },
    'by name in the page',
  )
  const byHeader = directivesOf('', {
    'X-Robots-Tag': ['noai', 'GPTBot: noindex, nofollow', 'max-snippet: 20'],
  })
  t.same(
    byHeader.x_robots_tag,
    { '*': ['noai', 'max-snippet: 20'], gptbot: ['noindex', 'nofollow'] },
    'by name in the response',
  )
  t.same([byHeader.noai, byHeader.noimageai], [true, false], 'for all of them in the response')
  t.equal(directivesOf('', { 'x-robots-tag': 'gptbot: noai' }).noai, false, 'not for all if one is named')
  t.same(
    directivesOf('', { 'content-signal': 'search=yes, ai-train = no', 'content-usage': 'train-ai=n' }),
    { ...silent, content_signals: { search: 'yes', 'ai-train': 'no' }, content_usage: { 'train-ai': 'n' } },
    'by signals',
  )
  t.same(
    directivesOf('', { 'content-signal': 'ai-train=no, ai-train=yes, x, =no' }).content_signals,
    { 'ai-train': 'no' },
    'no, when in doubt',
  )
  t.match(
    directivesOf(
      '<meta name="tdm-reservation" content=1><meta name="tdm-policy" content="https://example.com/p">',
      {
        'tdm-reservation': '0',
      },
    ),
    { tdm_reservation: true, tdm_policy: 'https://example.com/p' },
    'mining is reserved if either source reserves it',
  )
  t.equal(directivesOf('', { 'TDM-Reservation': '0' }).tdm_reservation, false, 'mining is not reserved')
  t.equal(
    directivesOf('<template><meta name=tdm-reservation content=1></template>').tdm_reservation,
    null,
    'templates do not count',
  )
})

test('X-Robots-Tag', async t => {
  t.same(
    robotsRules([
      'otherbot: noindex, nofollow, googlebot: none',
      'unavailable_after: Sat, 12 Oct 2030 15:00:00 GMT, noindex',
    ]),
    {
      otherbot: ['noindex', 'nofollow'],
      googlebot: ['none'],
      '*': ['unavailable_after: sat, 12 oct 2030 15:00:00 gmt', 'noindex'],
    },
    'has names and dates',
  )
  for (const date of ['Oct 12, 2030', 'Saturday, October 12, 2030'])
    t.same(
      robotsRules([`unavailable_after: ${date} 15:00:00 GMT, noindex, 360spider: none`]),
      { '*': [`unavailable_after: ${date.toLowerCase()} 15:00:00 gmt`, 'noindex'], '360spider': ['none'] },
      `has dates with a year behind a comma: ${date}`,
    )
  t.same(
    robotsRules(['follow max-snippet: 5, noindex']),
    { '*': ['follow max-snippet: 5', 'noindex'] },
    'has no name in a rule behind one without its comma',
  )
  const total = fc.property(fc.array(fc.string({ unit: codePoint })), headers =>
    Object.values(robotsRules(headers)).every(rules => rules.length > 0),
  )
  t.doesNotThrow(() => fc.assert(total), 'may be anything')
})
