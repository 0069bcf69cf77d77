/** The lead between the title and the text is whole: its sentences, lists and code. */
import { test } from 'tap'
import { articleOf, mainOf, paragraphs, prose } from './article.examples.ts'

test('A lead before the text', async t => {
  const page = (lead: string) => `<!doctype html><title>How to paint a wall</title><header>
    <h1>How to paint a wall</h1></header>${lead}<div class="article-body">${paragraphs(9)}</div>`
  const sentence = `The <b>bold lead</b> of the page has a break<br>in it and some <code>code</code>, which the reader should see.`
  const written =
    'The **bold lead** of the page has a break  \nin it and some `code`, which the reader should see.'
  const text = 'The bold lead of the page has a break\nin it and some code, which the reader should see.'
  const once = (output: string) => output.split(prose(1)).length === 2
  for (const lead of [`<p>${sentence}</p>`, `<div class=intro><p>${sentence}</p></div>`]) {
    t.ok(
      mainOf(page(lead)).startsWith(`# How to paint a wall\n\n${written}\n\n${prose(0)}`),
      mainOf(page(lead)),
    )
    t.ok(articleOf(page(lead)).text.startsWith(`${text}\n\n${prose(0)}`), articleOf(page(lead)).text)
  }
  const parts = `${sentence}<ul><li>A brush</ul><p>${prose(8)}</p><pre>paint(wall)</pre><ul class=share><li>Share</ul>`
  const whole = `<div class=intro>${parts}</div>`
  t.match(
    mainOf(page(whole)),
    `${written}\n\n- A brush\n\n${prose(8)}\n\n\`\`\`\npaint(wall)`,
    'has its blocks',
  )
  t.match(articleOf(page(whole)).text, `${text}\n\n- A brush\n\n${prose(8)}\n\npaint(wall)\n\n${prose(0)}`)
  t.notMatch(mainOf(page(whole)), 'Share', 'has no boilerplate')
  const dated = '<div>Published <time>May 4, 2026</time>. This text is more than two years old.</div>'
  t.notMatch(mainOf(page(dated)), 'Published', 'has no line with the time of publication')
  const french = '<p>Publié le 12 février 2024 à 22h10, modifié le 13 février 2024 à 08h00.</p>'
  t.notMatch(mainOf(page(french)), 'Publié', 'also without an element for the time')
  t.ok(once(articleOf(page(sentence)).text), 'text directly around the article does not repeat it')
})

test('An image between the title and the text', async t => {
  const page = (between: string) => `<!doctype html><title>How to paint a wall</title><main><div>
    <h1>How to paint a wall</h1>${between}</div><div class="entry-content">${paragraphs(6)}</div></main>`
  const image = '<img src="/wall.jpg" alt="A wall">'
  const figure = page(`<figure>${image}<figcaption>A wall in the evening light of May.</figcaption></figure>`)
  t.match(
    mainOf(figure),
    `# How to paint a wall\n\n![A wall](https://www.example.com/wall.jpg)\n\n${prose(0)}`,
  )
  t.match(articleOf(figure).content, '<img src="https://www.example.com/wall.jpg" alt="A wall">')
  t.notMatch(articleOf(figure).text, 'evening', 'has no caption')
  t.notMatch(mainOf(page(`<figure class="author-avatar">${image}</figure>`)), 'wall.jpg', 'is no portrait')
  t.notMatch(mainOf(page(`<div>${image}</div>`)), 'wall.jpg', 'is a figure')
})
