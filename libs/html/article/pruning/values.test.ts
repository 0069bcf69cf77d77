/** Values of tables, definitions and lists are kept, even if they read like labels of a site. */
import { test } from 'tap'
import { articleOf, links, mainOf, paragraphs, site } from '../article.examples.ts'

const generator = '<meta name=generator content="Docutils 0.20">'
const kinds = { article: '', manual: generator }

const row = (...cells: string[]): string => `<tr>${cells.map(cell => `<td>${cell}`).join('')}`

test('Values of tables', async t => {
  const table = `<table><tr><th><p>Date<th><p>Sold${row('<p>2024', '<p>17')}${row('<div>5 min', '<div>Home')}
    ${row('<div>Author', '<div>Comments')}${row('<ul><li><p>20<li><p>21</ul>', '<p><b>10</b>')}</table>`
  for (const [kind, head] of Object.entries(kinds)) {
    const output = mainOf(site(table, head))
    t.match(
      output,
      '| Date | Sold |\n| --- | --- |\n| 2024 | 17 |\n| 5 min | Home |\n| Author | Comments |',
      kind,
    )
    t.match(output, /\| .*20.*21.* \| \*\*10\*\* \|/, `${kind}: also of lists within cells`)
    t.match(articleOf(site(table, head)).text, /Date\s+Sold\s+2024\s+17/, `${kind}: also in its article`)
  }
  const cells = (role: string, ...texts: string[]) =>
    `<div role=row>${texts.map(text => `<div role=${role}><p>${text}</p></div>`).join('')}</div>`
  const aria = `<div role=table><div role=rowgroup>${cells('columnheader', 'Date', 'Sold')}</div>
    <div role=rowgroup>${cells('cell', '2022', '17')}${cells('gridcell', 'Author', '#5')}${cells('rowheader', 'By', '42')}</div></div>`
  for (const [kind, head] of Object.entries(kinds))
    for (const output of [mainOf(site(aria, head)), articleOf(site(aria, head)).text])
      t.match(
        output.replaceAll(/[|-]/g, ''),
        /Date\s+Sold\s+2022\s+17\s+Author\s+#5\s+By\s+42/,
        `${kind}: also of ARIA`,
      )
  const layout = `<table><tr><td>${paragraphs(3)}<div>5 min read</div><p>42</p></table>`
  t.notMatch(articleOf(site(layout)).text, /min read|42/, 'a cell of a layout has labels')
  t.match(
    mainOf(site('<pre><div>int a =</div><div>4</div></pre>')),
    /int a =\s+4/,
    'code has its numbers, also in lines of their own',
  )
})

test('Values of definitions', async t => {
  const list = '<dl><dt>port<dd>8080<dt>mode<dd>print<dt>key<dd><p>home</p></dl>'
  for (const [kind, head] of Object.entries(kinds)) {
    t.match(articleOf(site(list, head)).text, 'port\n8080\nmode\nprint\nkey', kind)
    t.match(articleOf(site(list, head)).text, 'home', `${kind}: also in paragraphs`)
  }
  const post = (n: number) =>
    `<div id="post-${n}"><dl><dt>Messages<dd>${n}28</dl><div>${paragraphs(1, n)}</div></div>`
  const thread = articleOf(`<body>${post(1)}${post(2)}`, 'https://forum.example.com/threads/moss.7').text
  t.notMatch(thread, '128', 'but not those about the author of a post')
})

test('Values of lists', async t => {
  for (const [kind, head] of Object.entries(kinds)) {
    const output = mainOf(site('<ul><li>200<li>404<li>search<li><p>Date</p></ul>', head))
    t.match(output, /- 200\n+- 404\n+- search\n+- Date/, kind)
  }
  const { text } = articleOf(site('<p>The answer is:</p><p>42</p>'))
  t.match(text, 'The answer is:\n\n42', 'also a value after its announcement')
  const labels: Record<string, string> = {
    'a list of functions': '<ul><li>Share<li>Tweet<li>Print<li>Email</ul>',
    'a list of pages': `<ul><li>1<li><a href=/2>2</a><li><a href=/3>3</a></ul>`,
    'a path of pages': `<ul><li><a href=/>Home</a><li><a href=/g>Garden</a></ul>`,
    'a count': '<p>Views:</p><p>42</p>',
    'a count beside links': `<ul><li>42${links(3)}</ul>`,
  }
  for (const [what, html] of Object.entries(labels))
    t.notMatch(articleOf(site(html)).text, /Share|Tweet|Print|\b[123]\n|Home|42/, `but not of ${what}`)
})
