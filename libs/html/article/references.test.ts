/** References to footnotes: a text has no numbers of them, and Markdown has the footnotes themselves. */
import { test } from 'tap'
import { writeMarkdown } from '../markdown/write-markdown.ts'
import { parseTree } from '../tree/parse-tree.ts'
import { articleOf, mainOf, pageUrl, prose, site } from './article.examples.ts'

/** The markup of publishing systems: a reference, and the list with its note. */
const systems: Readonly<Record<string, [reference: string, list: string]>> = {
  kramdown: [
    '<sup id="fnref:1" role="doc-noteref"><a href="#fn:1" class="footnote" rel="footnote">1</a></sup>',
    `<div class="footnotes" role="doc-endnotes"><ol><li id="fn:1"><p>By Mary. <a href="#fnref:1"
      class="reversefootnote" role="doc-backlink">&#8617;</a></p></li></ol></div>`,
  ],
  Pandoc: [
    '<a href="#fn1" class="footnote-ref" id="fnref1" role="doc-noteref"><sup>1</sup></a>',
    `<section class="footnotes footnotes-end-of-document" role="doc-endnotes"><hr><ol><li id="fn1"><p>By Mary.<a
      href="#fnref1" class="footnote-back" role="doc-backlink">↩︎</a></p></li></ol></section>`,
  ],
  'GitHub and remark': [
    '<sup><a href="#user-content-fn-1" id="user-content-fnref-1" data-footnote-ref aria-describedby="footnote-label">1</a></sup>',
    `<section data-footnotes class="footnotes"><h2 id="footnote-label" class="sr-only">Footnotes</h2><ol>
      <li id="user-content-fn-1"><p>By Mary. <a href="#user-content-fnref-1" data-footnote-backref>↩</a></p></li></ol></section>`,
  ],
  Substack: [
    '<a data-component-name="FootnoteAnchorToDOM" id="footnote-anchor-1-9" href="#footnote-1-9" class="footnote-anchor">1</a>',
    `<div class="footnote" data-component-name="FootnoteToDOM"><a id="footnote-1-9" href="#footnote-anchor-1-9"
      class="footnote-number" contenteditable="false">1</a><div class="footnote-content"><p>By Mary.</p></div></div>`,
  ],
  WordPress: [
    '<sup data-fn="a7" class="fn"><a href="#a7" id="a7-link">1</a></sup>',
    '<ol class="wp-block-footnotes"><li id="a7">By Mary. <a href="#a7-link" aria-label="Jump to footnote reference 1">↩︎</a></li></ol>',
  ],
}

test('Footnotes of an article', async t => {
  for (const [system, [reference, list]] of Object.entries(systems)) {
    const sentence = `<p>Built in 1999${reference} it stands. ${prose(8)}</p>`
    const page = site(`${sentence}${list}`)
    t.match(mainOf(page), 'Built in 1999[^1] it stands.', `${system}: Markdown has the reference`)
    t.match(mainOf(page), /\n\n\[\^1\]: By Mary\.\n/, `${system}: and the note`)
    t.notMatch(mainOf(page), '## Footnotes')
    t.match(articleOf(page).text, 'Built in 1999 it stands.', `${system}: the text has no number`)
    t.notMatch(articleOf(page).text, 'By Mary', `${system}: and no sources`)
    t.notMatch(mainOf(site(list)), 'By Mary', `${system}: Markdown has no note without a reference`)

    const outside = site(sentence).replace('<footer>', `${list}<footer>`)
    t.match(mainOf(outside), /\n\n\[\^1\]: By Mary\.\n/, `${system}: the note may follow outside of the text`)
    const hidden = site(`${sentence}<div hidden>${list}</div>`)
    t.match(mainOf(hidden), 'Built in 1999 it stands.', `${system}: there is no reference to a hidden note`)
  }
})

test('References to notes in the text', async t => {
  const page = site(
    `<p>${prose(8)}<sup><a href="#n1">1</a></sup></p><p id="n1">1. By Mary, who built it.</p>`,
  )
  const link = '<sup>[1](https://www.example.com/garden/moss-lawns#n1)</sup>'
  t.match(mainOf(page), `${prose(8)}${link}\n\n1\\. By Mary`, 'are links in Markdown')
  t.match(articleOf(page).text, `${prose(8)}\n\n1. By Mary`)
})

test('Links in superscripts that lead to no note', async t => {
  const page = site(
    `<p>The area is 10<sup><a href="#units">6</a></sup> square metres, by Acme<sup><a href="#tm">TM</a></sup>.
      ${prose(8)}</p>
    <h2 id="units">Powers of ten</h2><p>${prose(9)}</p><p id="tm">${prose(10)}</p>`,
  )
  t.match(articleOf(page).text, 'The area is 106 square metres, by AcmeTM.', 'are text')
  const link = (text: string, id: string) => `<sup>[${text}](${pageUrl}#${id})</sup>`
  t.match(
    mainOf(page),
    `is 10${link('6', 'units')} square metres, by Acme${link('TM', 'tm')}.`,
    'and links in Markdown',
  )
  for (const reference of [
    '<sup class="reference"><a href="#gone">3</a></sup>',
    '<sup><a href="#gone" role="doc-noteref">3</a></sup>',
    '<sup><a href="#item">3</a></sup>',
    '<a href="#name"><sup>[3]</sup></a>',
    '<a href="#easy-footnote-bottom-1-61931"><sup>1</sup></a>',
  ]) {
    const marked = site(
      `<p>In 1999${reference} it stands. ${prose(8)}</p><ol><li id="item">By Mary</ol><p><a name="name"></a>[3] By Ada.`,
    )
    t.match(articleOf(marked).text, 'In 1999 it stands.', `are not text if they lead to a note: ${reference}`)
  }
})

test('A footnote whose note is left out', async t => {
  const [reference, list] = systems.kramdown as [string, string]
  const tree = parseTree(`<p>In 1999${reference}</p>${list}`)
  const written = writeMarkdown(tree, { base: pageUrl, omit: ({ name }) => name === 'ol' })
  t.equal(written, 'In 1999<sup>[1](https://www.example.com/garden/moss-lawns#fn:1)</sup>\n', 'is a link')
})
