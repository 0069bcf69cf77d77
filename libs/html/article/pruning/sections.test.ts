/** A heading and the content beneath it are kept or left out together. */
import { test } from 'tap'
import { articleOf, prose, site } from '../article.examples.ts'

const edit = '<span class="mw-editsection">[<a href="/edit">edit</a>]</span>'
const heading = (text: string, beside = edit): string =>
  `<div class="mw-heading mw-heading2"><h2>${text}</h2>${beside}</div>`
const list = '<ul><li><a href="/e">Estavelle</a><li><a href="/k">Karst</a> – Topography of soluble rocks</ul>'

const inside = (html: string): string => articleOf(site(html)).text

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
})
