/** Forms that are only around a text, and forms with controls. */
import { test } from 'tap'
import { articleOf, links, mainOf, paragraphs, prose } from './article.examples.ts'

const form = (control: string, text: string): string =>
  `<form action="#" class="usertext">${control}<div class="usertext-body"><div class="md">${text}</div></div></form>`
const hidden = '<input type="hidden" name="thing_id" value="t1">'

test('A form around a text', async t => {
  const posts = Array.from({ length: 12 }, (_, n) => {
    const author = `<p class="tagline"><a href="/user/u${n}" class="author">u${n}</a></p>`
    return `<div class="thing comment"><div class="entry">${author}${form(hidden, `<p>${prose(n)}</p>`)}</div></div>`
  })
  const thread = `<title>Moss in the shade : gardening</title><body><div class="side"><ul>${links(5)}</ul></div>
    <div class="content" role="main"><p class="title"><a href="/moss">Moss in the shade</a></p>
    <div class="commentarea">${posts.join('')}</div></div>`
  const output = mainOf(thread, 'https://old.reddit.com/r/gardening/comments/1/moss/')
  for (const n of posts.keys()) t.ok(output.includes(prose(n)), `is no boilerplate in a thread: ${n}`)
  const page = (inside: string) => `<title>Moss lawns</title><main><h1>Moss lawns</h1>${inside}</main>`
  const text = '<p>Moss needs shade.</p>'
  for (const control of [hidden, '<input type=HIDDEN name=a>']) {
    const html = page(paragraphs(4) + form(control, text))
    for (const text of [mainOf(html), articleOf(html).text]) t.match(text, 'Moss needs shade', control)
  }
  for (const control of [
    '<input>',
    '<p><select></select></p>',
    '<textarea></textarea>',
    '<button>Go</button>',
    `${hidden}<input>`,
  ])
    for (const inner of [form(control, text), `<form>${form(hidden, text)}${control}</form>`]) {
      const html = page(paragraphs(4) + inner)
      for (const text of [mainOf(html), articleOf(html).text])
        t.notMatch(text, 'Moss needs shade', `with a control it is boilerplate: ${inner}`)
    }
})
