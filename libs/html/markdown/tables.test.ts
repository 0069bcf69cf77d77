/** Cells of tables stay in their columns (WHATWG HTML, 4.9.12, "forming a table"). */

import { sized } from '@tidemark/testing/tier'
import type { Element } from 'domhandler'
import fc from 'fast-check'
import { test } from 'tap'
import { parseTree } from '../tree/parse-tree.ts'
import { writeMarkdown } from './write-markdown.ts'

const markdown = (html: string): string => writeMarkdown(parseTree(html), { base: 'https://example.com/' })

/** Returns the lines of a table without the delimiters, with `.` for an empty cell. */
const grid = (html: string): string[] =>
  markdown(html)
    .trimEnd()
    .split('\n')
    .filter(line => line.startsWith('|') && !line.startsWith('| --'))
    .map(line => cellsOf(line).join(' '))

const cellsOf = (line: string): string[] =>
  line
    .slice(2, -2)
    .split(' | ')
    .map(cell => (cell.trim() === '' ? '.' : cell))

test('Cells stay in their columns beside cells that span rows', async t => {
  const cases: [about: string, html: string, lines: string[]][] = [
    [
      'a span in the last column ends with its rows',
      '<tr><th>Plan<th>Price<th>Support<tr><td>Free<td>0<td rowspan=2>E-mail<tr><td>Pro<td>9<tr><td>Team<td>29<td>Phone',
      ['Plan Price Support', 'Free 0 E-mail', 'Pro 9', 'Team 29 Phone'],
    ],
    [
      'an empty cell spans rows',
      '<tr><th rowspan=2></th><th colspan=2>2024</th></tr><tr><th>Q1</th><th>Q2</th></tr><tr><td>Sales</td><td>10</td><td>20</td></tr>',
      ['. 2024 .', '. Q1 Q2', 'Sales 10 20'],
    ],
    [
      'an icon labels nothing, so it is only in its first row',
      '<tr><td rowspan=2><img src=i alt="[i]"><td>a<tr><td>b<tr><td>c<td>d',
      ['. .', '![\\[i\\]](https://example.com/i) a', 'b', 'c d'],
    ],
    [
      'an icon below a header row is a value of its rows',
      '<tr><th>Country<th>Name<th>Points<tr><td rowspan=2><img src=i alt=USA><td>Ann<td>10<tr><td>Bob<td>20',
      ['Country Name Points', '![USA](https://example.com/i) Ann 10', '. Bob 20'],
    ],
    [
      'an image with text spans rows',
      '<tr><td rowspan=2><img src=i alt=i>x<td>a<tr><td>b<tr><td>c<td>d',
      ['. .', '![i](https://example.com/i)x a', '. b', 'c d'],
    ],
    [
      'a span ends with its row group',
      '<thead><tr><th rowspan=9>a<th>b</thead><tbody><tr><td rowspan=0>c<td>d<tr><td>e</tbody><tr><td rowspan=3>f<td>g<tfoot><tr><td>h<td>i',
      ['a b', 'c d', '. e', 'f g', 'h i'],
    ],
    [
      'an empty row group ends a span',
      '<tr><th>a<th>b<tr><td rowspan=5>c<td>d</tr><tbody></tbody><tr><td>e<td>f',
      ['a b', 'c d', 'e f'],
    ],
    [
      'a cell spans both rows and columns',
      '<tr><td colspan=2 rowspan=2>a<td>b<tr><td>c<tr><td>d<td>e<td>f',
      ['. . .', 'a . b', '. . c', 'd e f'],
    ],
    [
      'the longer one of two overlapping cells counts',
      '<tr><th>a<th rowspan=4>b<th>c<tr><td colspan=2 rowspan=2>d<td>e<tr><td>f<tr><td>g<td>h<tr><td>i<td>j<td>k',
      ['a b c', 'd . e', '. . f', 'g . h', 'i j k'],
    ],
    [
      'a row without cells is a row',
      '<tr><th rowspan=2>a<th rowspan=2>b</tr><tr></tr><tr><td>c<td>d',
      ['a b', 'c d'],
    ],
    [
      'a row that is only invisible is a row',
      '<tr><th>a<th>b<tr><td rowspan=3>c<td>d</tr><tr aria-hidden=true><td>x</tr><tr style="visibility: hidden"><td>x</tr><tr><td>e<td>f',
      ['a b', 'c d', 'e f'],
    ],
    [
      'a row without layout is no row, as in browsers',
      '<tr><th>a<th>b<tr><td rowspan=2>c<td>d</tr><tr hidden><td>x</tr><tr style="display: none"><td>x</tr><tr><td>e<tr><td>f<td>g',
      ['a b', 'c d', '. e', 'f g'],
    ],
    [
      'invalid spans are one cell',
      '<tr><th colspan=0>a<th rowspan=-2>b<tr><td rowspan=x>c<td colspan="">d<tr><td>e<td>f',
      ['a b', 'c d', 'e f'],
    ],
    [
      'a cell spans more rows than a column may',
      `<tr><th>a<th>b<tr><td rowspan=2000>c<td>d${'<tr><td>e'.repeat(1999)}<tr><td>f<td>g`,
      ['a b', 'c d', ...Array.from({ length: 1999 }, () => '. e'), 'f g'],
    ],
    [
      'a table in a cell has its own spans',
      '<tr><th>a<th>b<tr><td rowspan=2><table><tr><td rowspan=9>c</table><td>d<tr><td>e<tr><td>f<td>g',
      ['a b', 'c d', '. e', 'f g'],
    ],
    [
      'columns in which no cell begins are left out at the end',
      '<tr><th>a<th>b<tr><td colspan=100>c<tr><td>d<td rowspan=2 colspan=3>e',
      ['a b', 'c', 'd e'],
    ],
  ]
  for (const [about, html, lines] of cases) t.strictSame(grid(`<table>${html}</table>`), lines, about)
})

test('Omitted rows count unless they are without layout', async t => {
  const omit = ({ name, children }: Element) => name === 'tr' && children.length === 1
  const written = (attributes: string) =>
    writeMarkdown(
      parseTree(
        `<table><tr><th>a<th>b<tr><td rowspan=2>c<td>d</tr><tr ${attributes}><td>x</tr><tr><td>e<td>f</table>`,
      ),
      { base: 'https://example.com/', omit },
    )
  t.match(written(''), /\| c \| d \|\n\| e \| f \|/)
  for (const attributes of ['class=hidden', 'hidden', 'style="display:none"'])
    t.match(written(attributes), /\| c \| d \|\n\| {3}\| e \| f \|/, attributes)
})

test('Tables in a layout table do not share spans', async t => {
  const inner = '<table><tr><th rowspan=3>a<th>b<tr><td>c</table>'
  t.equal(
    markdown(`<table><tr><td rowspan=2>${inner}<td>x<tr><td>${inner}</table>`),
    '| a | b |\n| --- | --- |\n|   | c |\n\nx\n\n| a | b |\n| --- | --- |\n|   | c |\n',
  )
})

type Cell = { text: string; columns: number; rows: number }
type Group = { name: 'thead' | 'tbody' | 'tfoot'; rows: Cell[][] }

const cell = fc.record({
  text: fc.constantFrom('', 'text', 'text', 'image'),
  columns: fc.constantFrom(1, 1, 1, 2, 3),
  rows: fc.constantFrom(1, 1, 1, 2, 3, 0, 65_534),
})
const group = fc.record({
  name: fc.constantFrom<Group['name']>('thead', 'tbody', 'tfoot'),
  rows: fc.array(fc.array(cell, { maxLength: 5 }), { maxLength: 6 }),
})

/**
 * Returns the slots of a row group as its rows of column numbers, one for each cell: where the cell begins. Without a
 * header row, an image alone is only in its first row.
 */
function columnsOf({ rows }: Group, hasHeader: boolean): number[][] {
  const slots = rows.map(() => new Set<number>())
  return rows.map((cells, y) => {
    let x = 0
    return cells.map(({ text, columns, rows: stated }) => {
      const down = text === 'image' && !hasHeader ? 1 : stated
      while (slots[y]?.has(x)) x += 1
      const begin = x
      x += columns
      const covered = down === 0 ? slots.slice(y) : slots.slice(y, y + down)
      for (const row of covered) for (let at = begin; at < x; at++) row.add(at)
      return begin
    })
  })
}

test('Any table has the columns of the HTML table model', async t => {
  const same = fc.property(fc.array(group, { minLength: 1, maxLength: 4 }), groups => {
    let named = 0
    const expected: string[][] = []
    let width = 1
    let hasHeader = false
    const rowsHtml = (part: Group): string => {
      hasHeader ||= part.name === 'thead' && part.rows.length > 0
      const columns = columnsOf(part, hasHeader)
      const rows = part.rows.map((cells, y) => {
        const line: string[] = []
        const html = cells.map(({ text, columns: across, rows: down }, at) => {
          const begin = columns[y]?.[at] ?? 0
          width = Math.max(width, begin + 1)
          named += 1
          const name = `n${named}`
          if (text !== '') line[begin] = text === 'text' ? name : `![${name}](https://example.com/i)`
          const content = text === 'image' ? `<img src=/i alt=${name}>` : text && name
          return `<td colspan=${across} rowspan=${down}>${content}</td>`
        })
        if (line.length > 0) expected.push(Array.from(line, value => value ?? '.'))
        return `<tr>${html.join('')}</tr>`
      })
      return `<${part.name}>${rows.join('')}</${part.name}>`
    }
    const body = groups.map(rowsHtml).join('')
    const html = `<table><caption>T</caption>${body}<tbody><tr><td>y</td></tr><tr><td>z</td></tr></tbody></table>`
    expected.push(['y'], ['z'])
    const [head = '', delimiters = '', ...lines] = markdown(html).trimEnd().split('\n').slice(2)
    const written = [head, ...lines].map(cellsOf)
    const first = written[0] ?? []
    if (first.length !== width || cellsOf(delimiters).length !== width) throw new Error('another width')
    while (first.at(-1) === '.') first.pop()
    const actual = JSON.stringify(first.length === 0 ? written.slice(1) : written)
    if (actual !== JSON.stringify(expected)) throw new Error(`${actual} is not ${JSON.stringify(expected)}`)
  })
  t.doesNotThrow(() => fc.assert(same, { numRuns: sized(300, 2000) }))
})

const part = (role: string, ...inside: string[]): string => `<div role="${role}">${inside.join('')}</div>`

test('Tables by their roles', async t => {
  const head = part('rowgroup', part('row', part('columnheader', 'Plan'), part('columnheader', 'Price')))
  const body = part('rowgroup', part('row', part('cell', '<p>Free</p>'), part('cell', '0')))
  t.equal(markdown(part('table', head, body)), '| Plan | Price |\n| --- | --- |\n| Free | 0 |\n')
  const direct = part('grid', part('row', part('gridcell', 'a'), part('gridcell', 'b')).repeat(2))
  t.strictSame(grid(direct), ['. .', 'a b', 'a b'], 'may have no groups of rows')
  for (const other of [
    part('table', '<p>a</p>'),
    part('row', part('cell', 'a')),
    part('table', part('row', '<p>a</p>')),
  ])
    t.equal(markdown(other), 'a\n', `are blocks without their parts: ${other}`)
  const many = part('table', `${'<p>x</p>'.repeat(20_000)}${part('row', part('cell', 'y')).repeat(20_000)}`)
  const nested = '<div role="table"><div role="row"><div role="cell">'.repeat(20_000)
  const cells = `<div role="table"><div role="row">${'<div role="cell">x'.repeat(120_000)}`
  for (const html of [many, nested, cells, part('table', part('row', part('cell', 'y')).repeat(40_000))]) {
    const tree = parseTree(html)
    const started = process.cpuUsage()
    writeMarkdown(tree, { base: 'https://example.com/' })
    t.ok(process.cpuUsage(started).user < 4_000_000, 'cost little')
  }
})

test('Huge spans cost little and lose no text', async t => {
  const many = 20_000
  const pages: Readonly<Record<string, string>> = {
    'wide tables': '<table><tr><td colspan=1000>x<td>y<tr><td>z</table>'.repeat(many),
    'wide and empty tables': '<table><tr><th colspan=1000>x<tr><td>y</table>'.repeat(many),
    'empty cells': `<table><tr><th>x${'<tr><td colspan=1000 rowspan=65534><td>y'.repeat(many)}`,
    'cells to the end': `<table><tr><th>x${'<tr><td colspan=1000 rowspan=0>x<td>y'.repeat(many)}`,
    'rows below many cells': `<table><tr>${'<td rowspan=0>x'.repeat(many)}${'<tr><td>y'.repeat(many)}`,
    'row groups': `<table>${'<tbody><tr><td colspan=1000 rowspan=0>x<td>y'.repeat(many)}`,
  }
  for (const [about, html] of Object.entries(pages)) {
    const tree = parseTree(html)
    const started = process.cpuUsage()
    const output = writeMarkdown(tree, { base: 'https://example.com/' })
    t.ok(process.cpuUsage(started).user < 4_000_000, `${about}: costs little`)
    t.ok(output.length < 20_000_000, `${about}: does not grow without end`)
    for (const letter of 'xyz')
      t.equal(
        output.split(letter).length,
        html.replace(/<.*?>/g, '').split(letter).length,
        `${about}: keeps ${letter}`,
      )
  }
})
