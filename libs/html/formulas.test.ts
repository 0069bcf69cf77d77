/** Pages draw formulas and repeat them in MathML. Each formula is read once. */
import { test } from 'tap'
import { articleOf, site } from './article/article.examples.ts'
import { writeMarkdown } from './markdown/write-markdown.ts'
import { parseTree } from './tree/parse-tree.ts'
import { textOf } from './tree/text-of.ts'

const tex = (source: string) => `<annotation encoding="application/x-tex">${source}</annotation>`
const square = '<mrow><msup><mi>a</mi><mn>2</mn></msup></mrow>'

const twoParts = '{\\displaystyle a}+{b}'

const pages: [by: string, html: string, expected: string][] = [
  [
    'KaTeX',
    `<span class="katex"><span class="katex-mathml"><math><semantics>${square}${tex('a^2')}</semantics></math></span><span
      class="katex-html" aria-hidden="true"><span class="base">a<span class="mtight">2</span></span></span></span>`,
    '$a^2$',
  ],
  [
    'MediaWiki',
    `<span class="mwe-math-element"><span style="display: none;"><math alttext="{\\displaystyle a^{2}}">${square}</math></span><img
      src="/a.svg" class="mwe-math-fallback-image-inline" aria-hidden="true" alt="{\\displaystyle a^{2}}"></span>`,
    '$a^{2}$',
  ],
  [
    'MathJax 2',
    `<span class="MathJax"><nobr aria-hidden="true"><span class="math"><span>a</span><span>2</span></span></nobr><span
      class="MJX_Assistive_MathML"><math>${square}</math></span></span>`,
    'a^2',
  ],
  [
    'MathJax',
    `<mjx-container class="MathJax"><mjx-math aria-hidden="true"><mjx-c></mjx-c>a</mjx-math><mjx-assistive-mml><math
      >${square}</math></mjx-assistive-mml></mjx-container>`,
    'a^2',
  ],
  ['kramdown', '<script type="math/tex">a^2</script>', '$a^2$'],
  ['kramdown with CDATA', '<script type="math/tex">% <![CDATA[\na^2 %]]></script>', '$a^2$'],
  [
    'MathJax 2 beside its source',
    '<span class="MathJax_SVG"><math><mi>a</mi></math></span><script type="math/tex">a</script>',
    'a',
  ],
  ['Sphinx', '<span class="math notranslate nohighlight">\\(a^2\\)</span>', '$a^2$'],
  ['Pandoc', '<span class="math inline">\\( a^2 \\)</span>', '$a^2$'],
  ['MkDocs', '<span class="arithmatex">\\(a\n+ b\\)</span>', '$a + b$'],
  [
    'nothing but MathML',
    '<math><mfrac><mrow><msub><mi>a</mi><mi>i</mi></msub><mo>+</mo><mn>1</mn></mrow><msqrt><mn>2</mn></msqrt></mfrac></math>',
    '(a_i+1)/√2',
  ],
  ['TeX of parts', `<math>${tex(twoParts)}</math>`, `$${twoParts}$`],
]

for (const [by, html, expected] of pages)
  test(`A formula by ${by}`, async t => {
    const page = site(`<p>Moss of ${html}, square.</p>`)
    const sentence = `Moss of ${expected}, square.`
    t.match(articleOf(page).text, sentence, 'is once in the text of an article')
    t.match(articleOf(page).content, `<p>${sentence}</p>`, 'is once in the HTML of an article')
    t.equal(textOf(parseTree(`<p>Moss of ${html}, square.</p>`)), sentence, 'is once in a text')
    const markdown = writeMarkdown(parseTree(`<p>${html}</p>`), { base: 'https://www.example.com/' })
    t.equal(markdown.replaceAll(/\\(?=[_^*])/g, '').trim(), expected, 'is once in Markdown')
  })

test('A formula on its own line', async t => {
  const number = '<span class="eqno">(1)</span>'
  const markdown = (html: string) => writeMarkdown(parseTree(html), { base: 'https://www.example.com/' })
  t.equal(markdown(`<div class="math notranslate">\n${number}\\[a_1 * b\\]</div>`), '(1)$$a_1 * b$$\n')
  for (const text of ['no TeX', 'f(x)', '\\(a\\) and'])
    t.match(textOf(parseTree(`<div class="math">${text}</div>`)), text, `${text} is not a formula`)
})

test('Content beside a formula', async t => {
  const icon = '<span aria-hidden="true"><i>→</i></span>'
  t.equal(
    textOf(parseTree(`<p><math><mi>x</mi></math> so ${icon}`)),
    'x so →',
    'is read if text separates them',
  )
  t.equal(
    textOf(parseTree('<p>f<mjx-math>(x)</mjx-math>.')),
    'f(x).',
    'is one word with a drawing that is not repeated',
  )
  const many = 100_000
  const started = process.cpuUsage()
  textOf(parseTree(`<math><msub>${'<mi>a</mi>'.repeat(many)}`))
  t.ok(process.cpuUsage(started).user < 4_000_000, 'costs little, however many parts it has')
})
