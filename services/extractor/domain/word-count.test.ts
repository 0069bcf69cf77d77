/** A text has the same number of words in every form, in scripts with and without spaces. */
import type { Content } from '@tidemark/contracts/rpc/content'
import { countWords } from '@tidemark/html/words'
import { test } from 'tap'
import { articleOf } from './actors/article.ts'
import { clean } from './actors/audit/audit.examples.ts'
import { auditOf } from './actors/audit/audit.ts'
import { comparedPageOf } from './actors/compared-page.ts'
import { seePage } from './actors/seen-page.ts'
import { contentOf, openPage } from './content.ts'
import { isScriptShell } from './script-shell.ts'

const texts: readonly [name: string, sentence: string, words: number][] = [
  ['Chinese', '潮汐每天来两次，因为月亮吸引海水。Tidemark 在2026年读了 3.5 million 个网页。', 15],
  [
    'Japanese',
    '潮は一日に二回満ちる。月が海を引くからです。Tidemarkは2026年に 3.5 million ページを読んだ。',
    19,
  ],
  ['Thai', 'น้ำขึ้นวันละสองครั้งเพราะดวงจันทร์ดึงทะเล Tidemark อ่าน 3.5 million หน้าในปี 2026', 18],
  ['English', 'The tide comes twice a day — Tidemark has read 3.5 million pages of it since 2026.', 16],
]
const times = 40

const audit = (seen: ReturnType<typeof seePage>) => auditOf(seen, clean.context).stats.word_count

const plain = (paragraphs: readonly string[]) => Buffer.from(paragraphs.join('\n').replace(/<\/?p>/g, ''))

const request = (contentType: string, body: Buffer) => ({
  ...{ url: 'https://example.com/', status: 200, headers: {}, contentType, body },
  wanted: { html: false, markdown: null, article: false, signals: true, anchors: false },
})

const signalsOf = (contentType: string, body: Buffer): Content['signals'] =>
  contentOf(openPage(request(contentType, body)), { guessed: null, commonmark: null }).signals

test('A text has as many words', async t => {
  for (const [name, sentence, words] of texts) {
    const text = Array.from({ length: times }, () => `<p>${sentence} ${sentence}</p>`)
    const body = Buffer.from(`<!doctype html><title>${name}</title><article>${text.join('\n')}</article>`)
    const answer = { url: 'https://example.com/', status: 200, headers: {}, body }
    const seen = () => seePage({ ...answer, contentType: 'text/html; charset=utf-8' })
    t.equal(countWords(sentence), words, `${name}, counted by hand`)
    const expected = countWords(plain(text).toString())
    t.equal(audit(seen()), expected, 'for an audit')
    t.equal(comparedPageOf(seen()).words, expected, 'beside what scripts add')
    t.equal(
      signalsOf('text/html; charset=utf-8', body)?.word_count,
      expected,
      'in signals, of stored pages too',
    )
    t.equal(signalsOf('text/plain; charset=utf-8', plain(text))?.word_count, expected, 'as plain text')
    const article = articleOf(seen(), { format: 'text', comments: false, wpm: null }, null)
    t.equal(article.word_count, expected, 'as an article')
    t.notOk(isScriptShell({ body, words: expected }))
  }
})

test('A page of a script without spaces is thin, and a shell, as others are', async t => {
  const rulesOf = (paragraph: string, repeated: number) => {
    const html = clean.html.replace(/<p>[\s\S]*<\/p>/, `<p>${paragraph.repeat(repeated)}</p>`)
    return auditOf(seePage({ ...clean, body: Buffer.from(html) }), clean.context).findings.map(
      ({ rule }) => rule,
    )
  }
  for (const sentence of ['潮汐每天来两次因为月亮', 'น้ำขึ้นวันละสองครั้ง ']) {
    t.ok(rulesOf(sentence, 10).includes('content/thin'))
    t.notOk(rulesOf(sentence, 80).includes('content/thin'))
  }
  const shellOf = (text: string) => {
    const body = Buffer.from(`<title>App</title><div id=root>${text}</div><script src=/app.js></script>`)
    const page = openPage(request('text/html; charset=utf-8', body))
    return isScriptShell({ body, words: page.html?.facts.text.words ?? null })
  }
  t.notOk(shellOf('潮汐每天来两次因为月亮'.repeat(30)), 'a page that says much in one run of characters')
})
