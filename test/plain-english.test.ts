/** Documents, and the folders of code that are listed here, keep to the words that the field uses. */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { faultsIn, faultsOf, isChecked, proseOf, textsOf } from './plain-english.ts'

/**
 * Folders and files whose comments and texts are checked too. `node test/plain-english.ts FOLDER` prints the faults of a
 * folder: add it here when there are no more.
 */
const covered: readonly string[] = [
  'contracts',
  'deploy',
  'libs',
  'services/*/settings*.ts',
  'services/auth-billing',
  'services/crawl-coordinator',
  'services/extractor',
  'services/fetcher',
  'services/gateway/actors/*.ts',
  'services/gateway/cloud',
  'services/gateway/http',
  'services/gateway/reading',
  'services/gateway/scan',
  'services/scheduler',
  'services/usage-ledger',
  'services/webhook',
  'test/architecture.test.ts',
  'test/architecture.ts',
  'test/audit-rules.ts',
  'test/bench',
  'test/chaos',
  'test/command-line.ts',
  'test/configuration.ts',
  'test/contract',
  'test/documents.test.ts',
  'test/e2e',
  'test/load',
  'test/metric-names.test.ts',
  'test/plain-english.ts',
  'test/postman.ts',
  'test/programs.ts',
  'test/recorded-answers.ts',
  'test/run.ts',
  'test/running',
  'test/soak',
  'test/source-paths.ts',
  'test/structure.test.ts',
  'test/structure.ts',
  'test/tap-report.test.ts',
  'test/tap-report.ts',
  'test/trace',
  'test/unused-exports.ts',
]

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

test('Comments and texts of the covered folders are in plain English', async t => {
  for (const pattern of covered) t.not(listed(pattern).length, 0, pattern)
  for (const path of listed(...covered).filter(isChecked))
    for (const fault of faultsIn(join(root, path))) t.fail(`${path}: ${fault}`)
})

test('A planted fault is found', async t => {
  const planted = [
    'A page that nobody reads.',
    'The run is told.',
    '| setting | What is kept of it |',
    '- Whoever waits',
    'It is rendered once more.',
  ]
  for (const text of planted) t.not(faultsOf(text).length, 0, text)
  t.strictSame(faultsOf('What will it cost?'), [], 'a question')
  t.strictSame(
    faultsOf(proseOf('Read `nobody` and "nobody".\n\n```\nnobody\n```\n')),
    [],
    'code and quotations',
  )
  const source = "/** A comment. */\nconst x = /it's/ // why\nconst y = 'one word' + 'three more words'"
  t.strictSame(textsOf(source), ['A comment.', 'why', 'three more words'])
})
