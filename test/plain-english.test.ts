/**
 * Documents, comments and texts use the words of the field. `node test/plain-english.ts FOLDER` prints the faults of a
 * folder.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { isProduction } from './architecture.ts'
import {
  faultsIn,
  faultsOf,
  hashTextsOf,
  hasWord,
  isChecked,
  nameCeilings,
  namesIn,
  proseOf,
  textsOf,
} from './plain-english.ts'

/** Has planted faults. */
const planted = 'test/plain-english.test.ts'

/** Generated from the texts of the audit's rules, and checked with them. */
const generated = ['docs/audit-rules.md']

const root = join(import.meta.dirname, '..')
const listed = (...patterns: string[]): string[] =>
  execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '--', ...patterns], {
    cwd: root,
    encoding: 'utf8',
  })
    .split('\n')
    .filter(path => path !== '' && existsSync(join(root, path)))

test('Documents are in plain English', async t => {
  const documents = listed('*.md').filter(path => !generated.includes(path))
  t.ok(documents.length > 20, `${documents.length} documents are read`)
  for (const path of documents) for (const fault of faultsIn(join(root, path))) t.fail(`${path}: ${fault}`)
})

test('Comments and texts of sources and settings files are in plain English', async t => {
  const sources = listed('*').filter(path => path !== planted && !path.endsWith('.md') && isChecked(path))
  t.ok(sources.length > 1_000, `${sources.length} sources are read`)
  for (const path of sources) for (const fault of faultsIn(join(root, path))) t.fail(`${path}: ${fault}`)
})

test('Names use the words of the field', async t => {
  const sources = listed('*.ts', '*.tsx').filter(isProduction)
  const names = sources.flatMap(path =>
    namesIn(readFileSync(join(root, path), 'utf8')).map(name => ({ path, name })),
  )
  t.ok(names.length > 10_000, `${names.length} names are read`)
  for (const { word, max, use } of nameCeilings) {
    const found = names.filter(({ name }) => hasWord(name, word))
    const last = found.slice(-3).map(({ path, name }) => `${path} ${name}`)
    t.ok(
      found.length <= max,
      `${found.length} names have “${word}” (use: ${use}), such as ${last.join(', ')}`,
    )
    if (found.length < max) t.comment(`lower the number of “${word}” to ${found.length}`)
  }
})

test('A planted fault is found', async t => {
  const faulty = [
    'A page that nobody reads.',
    'The run is told.',
    '| setting | What is kept of it |',
    '- Whoever waits',
    'It is rendered once more.',
  ]
  for (const text of faulty) t.not(faultsOf(text).length, 0, text)
  t.strictSame(faultsOf('What will it cost?'), [], 'a question')
  t.strictSame(
    faultsOf(proseOf('Read `nobody` and "nobody".\n\n```\nnobody\n```\n')),
    [],
    'code and quotations',
  )
  const source = "/** A comment. */\nconst x = /it's/ // why\nconst y = 'one word' + 'three more words'"
  t.strictSame(textsOf(source), ['A comment.', 'why', 'three more words'])
  t.strictSame(namesIn('export const toldAddress = 1\ntype Told<T> = T\nfunction f() {}'), [
    'toldAddress',
    'Told',
    'f',
  ])
  const fields =
    "type T = { told?: 1; x: 2 } // said: 3\nconst f = (ask: U, n) => b ? c : 'who: d'\nl.map(one => one)"
  t.strictSame(namesIn(fields), ['T', 'f', 'told', 'x', 'ask', 'one'])
  t.strictSame(
    ['toldAddress', 'Told', 'TOLD', 'untold', 'isTold'].map(name => hasWord(name, 'told')),
    [true, true, true, false, true],
  )
  const settings = '#!/bin/sh\n# A comment\n# of two lines.\nname: a#b\nport: 1 # why\n"""A docstring."""'
  t.strictSame(hashTextsOf(settings), ['A docstring.', 'A comment\n of two lines.', 'why'])
})
