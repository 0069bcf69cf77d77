/** A heading and the content beneath it are kept or left out together. */
import { test } from 'tap'
import { articleOf, prose, site } from '../article.examples.ts'

const edit = '<span class="mw-editsection">[<a href="/edit">edit</a>]</span>'
const heading = (text: string, beside = edit): string =>
  `<div class="mw-heading mw-heading2"><h2>${text}</h2>${beside}</div>`
const list = '<ul><li><a href="/e">Estavelle</a><li><a href="/k">Karst</a> – Topography of soluble rocks</ul>'

const inside = (html: string, head = ''): string => articleOf(site(html, head)).text

test('A section beside the text', async t => {
  const rest = `${heading('Rain')}<p>${prose(7)}</p>`
  const text = inside(`${heading('See also')}${list}${rest}`)
  t.notMatch(
    text,
    /See also|Estavelle|Karst/,
    'is left out with its heading, beside which a link is left out',
  )
  t.match(text, `Rain\n\n${prose(7)}`, 'and the next one is kept')
  const beside = heading('See also', '<p>for gardeners</p>')
  t.match(inside(`${beside}${list}`), 'Karst', 'unless its heading is beside text')
  for (const name of [
    'Материалы по теме',
    '推荐阅读',
    'Meest gelezen',
    'Notícias relacionadas',
    'Your Answer',
  ])
    t.notMatch(inside(`<h2>${name}</h2>`), name, `also with the heading ${name}`)
})

test('The heading of a list that is left out', async t => {
  const rest = `${heading('Rain')}<p>${prose(7)}</p>`
  const sources = '<div class="reflist"><ol><li>At ten degrees.</ol></div>'
  const notes = `${heading('Notes', '')}<h3>Moss</h3>${sources}`
  t.notMatch(inside(`${notes}${rest}`), /Notes|Moss\n|ten degrees/, 'is left out, also below other headings')
  t.match(inside(`${notes}${rest}`), `Rain\n\n${prose(7)}`, 'and the next one is kept')
  t.match(
    inside(`${notes}<h3>Bark</h3><p>${prose(8)}</p>${rest}`),
    /Notes\n+Bark/,
    'unless another part is kept',
  )
  t.match(
    articleOf(site(`${heading('Pictures', '<img src=/m.png>')}${sources}`)).content,
    'Pictures',
    'or an image',
  )
  const box = '<aside><p>Did you know that moss has no roots?</p></aside>'
  t.match(inside(`${heading('Roots', '')}${box}`), 'Roots', 'a subject is kept without the box beneath it')
  const teaser = '<h2>By the same house</h2><div><a href="/r/1"><h3>The house opens a school</h3></a></div>'
  t.notMatch(inside(teaser), /same house|school/, 'also above a teaser, whose title is a heading')
  const contents =
    '<h2>Contents</h2><ul><li><a href="#a">A</a><li><a href="#b">B</a><li><a href="#c">C</a></ul>'
  const manual = `<body><main><h1>Rakes</h1>${contents}<h2 id=a>Use</h2><p>${prose(1)}</p><pre>rake</pre><pre>hoe</pre>`
  const { text } = articleOf(`${manual}${[2, 3, 4, 5].map(n => `<p>${prose(n)}</p>`).join('')}`)
  t.notMatch(text, 'Contents', 'also in a manual')
  t.match(text, `Use\n\n${prose(1)}`)
})
