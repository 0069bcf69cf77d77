/** Reading structured data of any page, even a broken or hostile one, never throws and takes limited time. */

import { codePoint } from '@tidemark/testing/code-point'
import { documents } from '@tidemark/testing/documents'
import fc from 'fast-check'
import { test } from 'tap'
import { read } from './structured.examples.ts'

const attribute = fc.constantFrom(
  ...'itemscope¦itemprop=a¦itemprop="a b"¦itemref="x y z"¦itemtype=T¦id=x¦id=y¦id=z¦property=a¦property="dc:b og:c"¦typeof=T¦typeof¦resource="#r"¦about="_:x"¦rel="tag ex:p"¦rev=ex:q¦inlist¦vocab=v¦prefix="ex: http://e/"¦href=/h¦href="#x"¦src=s¦content=c¦datatype=rdf:HTML¦datetime=1999¦class="h-card"¦class="h-entry p-a u-b"¦class="dt-x value"¦class="e-c"¦class=vcard¦class="hreview item"¦class=include¦data="#y"¦name=dc.title¦type=application/ld+json¦title=t¦value=v¦alt¦__proto__=x¦itemprop=__proto__'.split(
    '¦',
  ),
)
const tag = fc.tuple(
  fc.constantFrom(
    'div',
    'p',
    'a',
    'span',
    'meta',
    'link',
    'img',
    'time',
    'object',
    'script',
    'template',
    'table',
    'td',
    'svg',
    'html',
    'body',
    'base',
  ),
  fc.array(attribute, { maxLength: 5 }),
)
const piece = fc.oneof(
  { weight: 6, arbitrary: tag.map(([name, attributes]) => `<${name} ${attributes.join(' ')}>`) },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      '</div>',
      '</span>',
      '</a>',
      '</script>',
      '</svg>',
      '{"@type":',
      '[1,',
      'text ',
      '\0',
      '\ud800',
    ),
  },
  { weight: 1, arbitrary: fc.string({ unit: codePoint }) },
)

test('Any page has structured data', async t => {
  const total = fc.property(fc.array(piece, { maxLength: 60 }), pieces => {
    const { counts, data, errors } = read(pieces.join(''))
    const text = JSON.stringify(data)
    return (
      Object.entries(counts).every(([syntax, count]) => data[syntax as keyof typeof data].length === count) &&
      errors.length < 70 &&
      !text.includes('\\u0000') &&
      text.isWellFormed()
    )
  })
  t.doesNotThrow(() => fc.assert(total, { numRuns: documents(150) }), 'nothing throws')
})

test('A hostile page takes linear time', async t => {
  const many = 50_000
  const deep = 500
  const text = 'word '.repeat(40_000)
  const each = (count: number, make: (at: number) => string) =>
    Array.from({ length: count }, (_, at) => make(at)).join('')
  const ids = each(1000, at => `i${at} `)
  const hostile: Record<string, string> = {
    'many items': '<p itemscope itemprop=a>'.repeat(many),
    'many items that refer to all': '<p itemscope itemref=x>'
      .repeat(5000)
      .concat('<div id=x>', '<b itemprop=a>1</b>'.repeat(20_000)),
    'items in circles': each(1000, at => `<p itemscope itemprop=a id=i${at} itemref="${ids}"></p>`),
    'items that double':
      each(60, at => `<p id=d${at} itemprop="a b" itemscope itemref="d${at + 1}"></p>`) +
      '<p itemscope itemref=d0>',
    'deep items with many names': `${'<div itemscope itemprop="a b c">'.repeat(deep)}${text}`,
    'deep properties of one text': `${'<div itemscope><div itemprop=a property=dc:a class="p-a e-b u-c dt-d">'.repeat(deep / 2)}${text}`,
    'many properties of one text': `<p class=h-card itemscope><b itemprop="${ids}" class="${each(1000, at => `p-a${'b'.repeat(at % 9)}c `)}">${text}`,
    'many relations': `<div vocab=v rel="${ids}">${'<a href=x></a>'.repeat(many)}`,
    'many listed relations': `<div vocab=v rel="${ids}" inlist>${'<a href=x></a>'.repeat(many)}`,
    'a listed text': `<div vocab=v>${'<div property=a inlist>'.repeat(deep)}${text}`,
    'many prefixes':
      each(deep, at => `<div prefix="${each(100, n => `p${at}x${n}: http://x/ `)}">`) +
      '<b property="q:x">'.repeat(many),
    'a long base': `<base href="/${'x'.repeat(2 ** 19)}">${'<a itemprop=u href=x rel=tag></a>'.repeat(20_000)}`,
    'pieces of values': `<div class=h-card>${'<div class=p-a>'.repeat(deep)}${'<i class=value>1</i>'.repeat(many)}`,
    'deep microformats': `${'<div class="h-card p-a u-b">'.repeat(deep)}${text}`,
    'many embedded texts': `<div class=h-entry>${'<div class=e-a>'.repeat(deep)}${'<b>x</b>'.repeat(many)}`,
    'microformats that include': each(
      500,
      at =>
        `<div class=vcard id=i${at}>${each(20, n => `<a class=include href="#i${(at + n) % 500}"></a>`)}</div>`,
    ),
    'one long class': `<p class="h-card ${'p-a '.repeat(many)}">${`<b class="${'h-x '.repeat(many)}">`}`,
    'one long prefix': `<p prefix="${'a:'.repeat(many)} ${' '.repeat(many)}" property="a:b">`,
    'many graphs': '<meta property="og:image:width" content=1>'.repeat(20_000),
    'broken JSON': `<script type=application/ld+json>${'['.repeat(60)}${'/* '.repeat(many)}</script>`.repeat(
      2,
    ),
    'many broken blocks': '<script type=application/ld+json></script>'.repeat(many),
    'slashes in JSON': `<script type=application/ld+json>{${'//\n'.repeat(many)}</script>`,
  }
  for (const [what, html] of Object.entries(hostile)) {
    const started = process.cpuUsage()
    const size = JSON.stringify(read(html)).length
    t.ok(process.cpuUsage(started).user < 4_000_000, `${what}: costs little`)
    t.ok(size < 40_000_000, `${what}: yields a bounded answer`)
  }
})
