/** Cards are links with a heading and a sentence. They are the text of a page that has little else. */
import { test } from 'tap'
import { articleOf, links, paragraphs, prose } from './article.examples.ts'

const page = (inside: string, head = '') =>
  articleOf(
    `<title>Our services | Green Ltd</title>${head}<body><nav><ul>${links(8)}</ul></nav><main>${inside}</main></body>`,
    'https://www.example.com/services/',
  ).text
const numbers = [1, 2, 3, 4, 5, 6]
const linked = numbers.map(
  at => `<a class="card" href="/s/${at}"><h3>Service ${at}</h3><p>${prose(at)}</p></a>`,
)
const boxed = linked.map(card => `<div>${card}</div>`)
const headed = numbers.map(
  at => `<div><h3><a href="/s/${at}">Garden service ${at}</a></h3><p>${prose(at)}</p></div>`,
)

test('A page of cards', async t => {
  for (const cards of [linked, boxed])
    for (const lead of ['<p>We plant moss, in a week.</p>', '']) {
      const text = page(`<section><h1>Our services</h1>${lead}</section><div>${cards.join('')}</div>`)
      for (const at of [1, 6]) t.match(text, `Service ${at}\n\n${prose(at)}`, 'has all of them as its text')
      t.notMatch(text, 'Another story', 'without the navigation')
    }
  const article = page(`<h1>Our services</h1>${paragraphs(9, 10)}<div>${linked.join('')}</div>`)
  t.notMatch(article, prose(1), 'unlike an article with cards below')
})

test('Cards amid a text', async t => {
  const amid = `<h1>Our services</h1>${paragraphs(9, 10)}<div>${headed.join('')}</div>${paragraphs(4, 30)}`
  t.match(page(amid), prose(6), 'are part of it')
  const signed = '<meta name=author content="Ada Moss">'
  t.notMatch(page(amid, signed), prose(6), 'unless the page has an author, as articles do')
  t.notMatch(page(amid, '<meta name=date content=2024-03-05>'), prose(6), 'or a date')
  const below = `<h1>Our services</h1>${paragraphs(9, 10)}<div>${headed.join('')}</div>`
  t.notMatch(page(below), prose(6), 'and no text if none follows')
})
