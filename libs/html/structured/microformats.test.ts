/** microformats2 parsing, the value class pattern, and the older formats. */
import { test } from 'tap'
import { read } from './structured.examples.ts'

const items = (html: string) => read(html).data.microformat
const properties = (html: string) => items(html)[0]?.properties

test('microformats2', async t => {
  t.same(
    items(`<div class="h-card" id=me><a class="p-name u-url" href="/ada"> Ada </a><img class="u-photo" src=a.png alt=A>
      <abbr class="p-nickname" title=AL>x</abbr><data class="p-age" value=36></data><p class="e-note">a <b>b</b> <img src="c.png"></p></div>`),
    [
      {
        type: ['h-card'],
        id: 'me',
        properties: {
          name: ['Ada'],
          url: ['https://example.org/ada'],
          photo: [{ value: 'https://example.org/dir/a.png', alt: 'A' }],
          nickname: ['AL'],
          age: ['36'],
          note: [
            {
              value: 'a b  https://example.org/dir/c.png',
              html: 'a <b>b</b> <img src="https://example.org/dir/c.png">',
            },
          ],
        },
      },
    ],
    'have properties of four kinds',
  )
  t.same(
    items(
      '<div class="h-entry"><div class="p-author h-card"><b class=p-name>A</b></div><div class="u-like-of h-cite"><a class="p-name u-url" href=/l>L</a></div><div class="h-card">C</div></div>',
    ),
    [
      {
        type: ['h-entry'],
        properties: {
          author: [{ type: ['h-card'], properties: { name: ['A'] }, value: 'A' }],
          'like-of': [
            {
              type: ['h-cite'],
              properties: { name: ['L'], url: ['https://example.org/l'] },
              value: 'https://example.org/l',
            },
          ],
        },
        children: [{ type: ['h-card'], properties: { name: ['C'] } }],
      },
    ],
    'nest as properties and as children',
  )
  const implied: [html: string, expected: object][] = [
    ['<a class=h-card href=/x>A</a>', { name: ['A'], url: ['https://example.org/x'] }],
    [
      '<img class=h-card src=/a alt=A>',
      { name: ['A'], photo: [{ value: 'https://example.org/a', alt: 'A' }] },
    ],
    [
      '<p class=h-card><a href=/x><img src=/a></a></p>',
      { name: [''], photo: ['https://example.org/a'], url: ['https://example.org/x'] },
    ],
    ['<p class=h-card><abbr title=T>x</abbr></p>', { name: ['T'] }],
    ['<p class=h-card><a href=/x>A</a><a href=/y>B</a></p>', { name: ['AB'] }],
    ['<p class=h-card><b class=p-org>O</b><script>1</script></p>', { org: ['O'] }],
    ['<p class=h-card><a class="u-uid" href=/x>A</a></p>', { uid: ['https://example.org/x'], name: ['A'] }],
  ]
  for (const [html, expected] of implied)
    t.same(properties(html), expected, `${html}: implies what it does not say`)

  t.same(
    items('<div class="h-full"><b class="p-4 u-hidden">x</b></div><p class="h-stack">y</p>'),
    [],
    'are not style sheets',
  )
  t.match(
    items('<p class="h-stack"><b class=p-name>x</b></p>'),
    [{ type: ['h-stack'] }],
    'may have custom names',
  )
  t.same(
    items('<div class=h-card><template class=p-org>x</template><b class=p-name>N</b></div>')[0]?.properties,
    { name: ['N'] },
    'are not in templates',
  )
})

test('The value class pattern', async t => {
  const dates: [html: string, expected: string][] = [
    ['<i class=value>2009-06-26</i> <i class=value>7pm</i>', '2009-06-26 19:00'],
    ['<i class=value>07:00:30 a.m.</i><i class=value>2009-06-26</i>', '2009-06-26 07:00:30'],
    ['<i class=value>2009-06-26</i><i class=value>12am</i><i class=value>-8:00</i>', '2009-06-26 00:00-0800'],
    ['<i class=value>2009-200</i><i class=value>19:00Z</i>', '2009-200 19:00Z'],
    ['<time class=value datetime="2009-06-26T19:00+02:00">x</time>', '2009-06-26T19:00+02:00'],
    ['<i class=value-title title=2013-03-14> </i>March', '2013-03-14'],
    ['<i class=value>soon</i>', 'soon'],
  ]
  for (const [html, expected] of dates)
    t.same(
      properties(`<div class=h-event><p class=dt-start>${html}</p></div>`)?.start,
      [expected],
      `makes ${expected}`,
    )
  t.same(
    properties(
      '<div class=h-event><time class=dt-start>2009-06-26 19:00</time><i class=dt-end>21:30</i></div>',
    )?.end,
    ['2009-06-26 21:30'],
    'a time has the date of the previous one',
  )
  t.same(
    properties('<p class=h-card><b class=p-tel>x <i class=value>+1</i> <i class=value>23</i></b></p>')?.tel,
    ['+123'],
    'joins the pieces',
  )
})

test('Older microformats', async t => {
  t.same(
    items(
      `<div class=vcard><b class="fn org">O</b><span class=adr><i class=locality>L</i></span><a class=url href=/o>x</a><b class=title>T</b><p class=h-cite>x</p></div>`,
    ),
    [
      {
        type: ['h-card'],
        properties: {
          name: ['O'],
          org: ['O'],
          adr: [{ type: ['h-adr'], properties: { locality: ['L'] }, value: 'L' }],
          url: ['https://example.org/o'],
          'job-title': ['T'],
        },
        children: [{ type: ['h-cite'], properties: { name: ['x'] } }],
      },
    ],
    'are read as microformats2 without implied properties',
  )
  t.same(
    properties(
      `<div class=hentry><h1 class=entry-title>T</h1><div class=entry-content>C</div><a rel="bookmark nofollow" href=/b>x</a><a rel=tag href=/t>tag</a></div>`,
    ),
    { name: ['T'], content: [{ value: 'C', html: 'C' }], url: ['https://example.org/b'], category: ['tag'] },
    'have properties by relation',
  )
  t.same(
    properties('<div class=hreview><p class=item><b class=fn>I</b></p><b class=rating>5</b></div>'),
    { item: [{ type: ['h-item'], properties: { name: ['I'] }, value: 'I' }], rating: ['5'] },
    'review items',
  )
  t.same(items('<div class=item><b class=fn>I</b></div>'), [], 'have items only in reviews')
  t.same(
    properties(
      '<div class=vevent><object class=include data="#i"></object></div><p id=i><b class=summary>S</b></p>',
    ),
    { name: ['S'] },
    'contain included elements',
  )
  t.same(
    properties('<div class="h-card vcard"><b class=fn>F</b><b class=p-name>N</b></div>'),
    { name: ['N'] },
    'have a lower priority than newer ones',
  )
})
