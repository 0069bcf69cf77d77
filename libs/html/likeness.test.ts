import { test } from 'tap'
import { document, read } from './html.examples.ts'

test('Two pages are alike', async t => {
  const likeness = (body: string, url?: string) => read(document(body), url).likeness
  const day = (n: number) => `https://example.com/2031/05/${n}`

  t.match(likeness('<p>Some words.'), /^[0-9a-f]{16}$/)
  t.equal(
    likeness('<p>The same <b>words</b>. <a href="/1">One</a>'),
    likeness('<div>The same words.</div><a href="/2">Two</a> <a href="/3">Three</a>'),
    'when they differ in their links only',
  )
  t.equal(
    likeness('<h1>Events of day 7 in 2031</h1>Nothing.', day(7)),
    likeness('<h1>Events of day 8 in 2031</h1>Nothing.', day(8)),
    'when they differ in the numbers of their own address',
  )
  t.not(
    likeness('<p>Drawn: 4, 8, 15.', day(7)),
    likeness('<p>Drawn: 16, 23, 42.', day(8)),
    'but not when other numbers differ',
  )
  t.not(likeness('<p>Some words.'), likeness('<p>Other words.'), 'nor when the words differ')
  t.equal(
    likeness('<p>Words.<script>a()</script><!-- 1 -->'),
    likeness('<p>Words.<style>b{}</style>'),
    'whatever nobody sees',
  )
})
